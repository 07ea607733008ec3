"""Kernels of ids, against dicts; whole tables of ids are in tests/unit/matching/test_compact_ids.py."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels.ids import (
    ALIVE,
    CLASSES,
    DONE,
    HEADS,
    HEAP_USED,
    INT,
    LOST,
    MOVED,
    STATE,
    TEXT,
    enter_ints,
    enter_texts,
    find_int,
    find_text,
    forget,
    forget_int,
    forget_text,
    gather_texts,
    keep_elsewhere,
    move_table,
    pack_heap,
)


class Tables:
    """The arrays, and calls that spell them out."""

    def __init__(self, room: int = 400, size: int = 1_024, heap: int = 100_000) -> None:
        self.table, self.old = np.zeros(size, np.int32), np.zeros(0, np.int32)
        self.words, self.kinds = np.zeros(room, np.int64), np.zeros(room, np.uint8)
        self.heap, self.state = np.zeros(heap, np.uint8), np.zeros(STATE, np.int64)

    @property
    def all(self) -> tuple[Any, ...]:
        return self.table, self.old, self.words, self.kinds, self.heap

    def enter(self, numbers: list[int], ids: list[Any]) -> int:
        if isinstance(ids[0], int):
            values = np.array(ids, np.int64)
            return int(enter_ints(*self.all, self.state, np.array(numbers, np.int32), values, len(ids)))
        encoded = [one.encode() for one in ids]
        bounds = np.cumsum([0, *map(len, encoded)]).astype(np.int64)
        text = np.frombuffer(b"".join(encoded) or b"\0", np.uint8).copy()
        return int(enter_texts(*self.all, self.state, np.array(numbers, np.int32), bounds, text, len(ids)))

    def find(self, id: Any) -> int:
        for table in (self.table, self.old):
            if isinstance(id, int):
                found = find_int(table, self.words, self.kinds, id)
            else:
                text = self.text(id)
                found = find_text(table, self.words, self.kinds, self.heap, text, 0, len(id.encode()))
            if found >= 0:
                return int(found)
        return -1

    def forget(self, id: Any) -> int:
        if isinstance(id, int):
            return int(forget_int(*self.all, id))
        return int(forget_text(*self.all, self.text(id), len(id.encode())))

    def text(self, id: str) -> Any:
        return np.frombuffer(id.encode() or b"\0", np.uint8).copy()

    def grow(self) -> None:
        self.old, self.table = self.table, np.zeros(2 * len(self.table), np.int32)
        self.state[MOVED] = 0

    def read(self, numbers: list[int]) -> list[str]:
        words = self.words[numbers]
        bounds = np.cumsum([0, *(words & 0xFFFFFFFF)]).astype(np.int64)
        text = np.zeros(max(1, int(bounds[-1])), np.uint8)
        gather_texts(self.words, self.heap, np.array(numbers, np.int32), bounds, text)
        data = text.tobytes()
        return [data[a:b].decode() for a, b in pairwise(bounds)]


def test_ints_and_texts_are_entered_found_and_forgotten() -> None:
    tables = Tables()
    assert tables.enter([3, 4], [7, -(2**63)]) == DONE
    assert tables.enter([0, 9], ["", "ü" * 40]) == DONE
    assert [tables.find(id) for id in (7, -(2**63), "", "ü" * 40, 8, "ü")] == [3, 4, 0, 9, -1, -1]
    assert tables.kinds[[3, 0]].tolist() == [INT | ALIVE, TEXT | ALIVE]
    assert tables.forget(7) == 3
    assert tables.forget("ü" * 40) == 9
    assert [tables.forget(7), tables.forget("x"), tables.find("")] == [-1, -1, 0]
    assert tables.read([9, 0]) == ["ü" * 40, ""]
    assert tables.kinds[[3, 9]].tolist() == [INT, TEXT]


@pytest.mark.parametrize("ids", [[1, 2, 1], ["a", "b", "a"], [5, 9], ["z", "y"]])
def test_a_duplicate_is_told_and_nothing_is_entered(ids: list[Any]) -> None:
    tables = Tables()
    assert tables.enter([10], [9]) == DONE
    assert tables.enter([11], ["y"]) == DONE
    assert tables.enter(list(range(len(ids))), ids) == len(ids) - 1
    assert [tables.find(id) for id in ids if id not in (9, "y")] == [-1] * len(
        [i for i in ids if i not in (9, "y")]
    )
    assert (tables.find(9), tables.find("y")) == (10, 11)
    assert tables.kinds[:3].tolist() == [0, 0, 0]


def test_an_id_kept_elsewhere_leaves_no_text() -> None:
    tables = Tables()
    tables.enter([5], ["twelve bytes"])
    tables.forget("twelve bytes")
    keep_elsewhere(tables.words, tables.kinds, tables.heap, tables.state, 5)
    assert (tables.kinds[5], tables.words[5]) == (ALIVE, 0)
    assert tables.state[HEADS + 2] == 1
    tables.enter([6], ["sixteen bytes ok"])
    assert tables.state[HEADS + 2] == 0
    assert tables.state[HEAP_USED] == 16


def test_long_texts_are_lost_until_the_heap_is_packed() -> None:
    tables = Tables()
    long = "x" * (8 * CLASSES + 1)
    tables.enter([1, 2], [long, "kept"])
    tables.forget(long)
    tables.enter([1], ["y"])
    assert tables.state[LOST] == 8 * CLASSES + 8
    packed = np.zeros(100, np.uint8)
    used = int(pack_heap(tables.words, tables.kinds, tables.heap, packed))
    tables.heap = packed
    assert used == 16
    assert tables.read([1, 2]) == ["y", "kept"]
    assert tables.find("kept") == 2


def test_a_table_is_moved_while_it_is_used(seed: int) -> None:
    rng = random.Random(seed)
    tables = Tables(size=64)
    known: dict[Any, int] = {}
    free = list(range(400))
    for step in range(1_200):
        if rng.random() < 0.55 and free:
            id = rng.randrange(500) if rng.random() < 0.5 else f"id {rng.randrange(500)}"
            number = free.pop()
            if id in known:
                assert tables.enter([number], [id]) == 0
                free.append(number)
            else:
                assert tables.enter([number], [id]) == DONE
                known[id] = number
        elif known:
            id = rng.choice(list(known))
            number = known.pop(id)
            if rng.random() < 0.5:
                assert tables.forget(id) == number
            else:
                forget(*tables.all, number)
            free.append(number)
        if 3 * len(known) > 2 * len(tables.table) and tables.state[MOVED] >= len(tables.old):
            tables.grow()
        if step % 97 == 0:
            move_table(*tables.all, tables.state, 5)
            assert {id: tables.find(id) for id in known} == known
            assert tables.find(10_000) == tables.find("nobody") == -1
    assert np.count_nonzero(tables.table) + np.count_nonzero(tables.old > 0) == len(known)
