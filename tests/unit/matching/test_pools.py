"""The growing arrays: there is room for what was reserved, and nothing is lost when they grow."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels.atoms import add_atom, drop_atom, find_string, find_value
from siftmesh.kernels.layout import (
    FIRST_ATOM,
    H_ATOM_COUNT,
    H_ATOM_ROOM,
    H_HEAP,
    H_LONGS,
    H_TABLE_MASK,
    H_TABLE_USED,
    H_WHERE,
    H_WHERE_ROOM,
    H_WORDS,
    NUMBER,
    STRING,
)
from siftmesh.kernels.pools import take_bytes, take_longs, take_words
from siftmesh.kernels.slots import find_slot
from siftmesh.matching.pools import Pools
from tests.effort import effort

NO_TEXT = np.zeros(8, np.uint8)


def used(pools: Pools) -> tuple[int, int, int]:
    words = pools.words
    return int(words[H_WORDS]), int(words[H_LONGS]), 8 * int(words[H_HEAP])


def check(pools: Pools) -> None:
    for number, array in zip(used(pools), (pools.words, pools.longs, pools.heap), strict=True):
        assert 0 < number <= len(array)


def test_what_was_reserved_can_be_taken(seed: int) -> None:
    rng = random.Random(seed)
    pools = Pools()
    for _ in range(effort(60)):
        most = rng.choice([3, 40, 5_000])
        words, longs, texts = ([rng.randrange(1, most) for _ in range(rng.randrange(30))] for _ in range(3))
        pools.reserve(sum(words), sum(longs), sum(texts), len(texts))
        before = pools.version
        for size in words:
            take_words(pools.words, size)
        for size in longs:
            take_longs(pools.words, pools.longs, size)
        for size in texts:
            take_bytes(pools.words, pools.heap, size)
        check(pools)
        pools.reserve(0, 0, 0, 0)
        # Nothing had to be moved, or moving is not what keeps this test green.
        assert pools.version - before <= 3


def test_growing_keeps_what_was_written() -> None:
    pools = Pools()
    pools.reserve(10, 10, 100)
    at, there = int(take_words(pools.words, 10)), int(take_longs(pools.words, pools.longs, 10))
    text = int(take_bytes(pools.words, pools.heap, 100))
    pools.words[at : at + 10] = range(10)
    pools.longs[there : there + 10] = range(10)
    pools.heap[text : text + 100] = range(100)
    before, arrays = pools.version, (pools.words, pools.longs, pools.heap)
    pools.reserve(100_000, 100_000, 100_000)
    assert pools.version == before + 3
    assert all(
        new is not old for new, old in zip((pools.words, pools.longs, pools.heap), arrays, strict=True)
    )
    assert pools.words[at : at + 10].tolist() == list(range(10))
    assert pools.longs[there : there + 10].tolist() == list(range(10))
    assert pools.heap[text : text + 100].tolist() == list(range(100))
    # There is room now, so the next one moves nothing.
    pools.reserve(1_000, 1_000, 1_000)
    assert pools.version == before + 3


def test_growing_costs_little_each_time() -> None:
    pools = Pools()
    before = pools.version
    for _ in range(10_000):
        pools.reserve(20, 0, 0)
        take_words(pools.words, 20)
    assert pools.version - before < 20
    assert len(pools.words) < 4 * int(pools.words[H_WORDS])


def add(pools: Pools, slot: int, constant: int | str) -> int:
    pools.reserve_atoms(1)
    arrays: Any = (pools.words, pools.longs, pools.heap)
    if isinstance(constant, int):
        return int(add_atom(*arrays, slot, NUMBER, constant, NO_TEXT, 0, 0))
    text = np.frombuffer(constant.encode(), np.uint8)
    pools.reserve(0, 0, len(text))
    return int(add_atom(pools.words, pools.longs, pools.heap, slot, STRING, 0, text.copy(), 0, len(text)))


def find(pools: Pools, slot: int, constant: int | str) -> int:
    if isinstance(constant, int):
        return int(find_value(pools.words, pools.longs, slot, NUMBER, constant))
    text = np.frombuffer(constant.encode(), np.uint8).copy()
    return int(find_string(pools.words, pools.longs, pools.heap, slot, STRING, text, 0, len(text)))


def test_atoms_find_room(seed: int) -> None:
    rng = random.Random(seed)
    pools = Pools()
    atoms: dict[tuple[int, int | str], int] = {}
    for number in range(effort(2_000)):
        key = (rng.randrange(3), number if number % 2 else f"text {number}" * rng.randrange(4))
        atoms[key] = add(pools, *key)
        if rng.random() < 0.3:
            gone = rng.choice(list(atoms))
            while not drop_atom(pools.words, pools.longs, pools.heap, atoms[gone]):
                pass
            del atoms[gone]
        words = pools.words
        assert words[H_ATOM_COUNT] <= words[H_ATOM_ROOM]
        # Whoever looks for an atom that is not there comes to an empty place.
        assert 4 * int(words[H_TABLE_USED]) <= 3 * (int(words[H_TABLE_MASK]) + 1)
        check(pools)
    for (slot, constant), atom in atoms.items():
        assert find(pools, slot, constant) == atom


def test_a_table_full_of_atoms_that_are_gone_is_not_made_longer() -> None:
    pools = Pools()
    for number in range(effort(5_000)):
        drop_atom(pools.words, pools.longs, pools.heap, add(pools, 0, number))
    assert pools.words[H_TABLE_MASK] < 64
    assert pools.words[H_ATOM_COUNT] <= FIRST_ATOM + 1


def test_the_directory_keeps_its_entries_and_is_empty_behind_them() -> None:
    pools = Pools()
    for count in (1, 5, 40, 41, 5_000):
        pools.reserve_directory(count)
        words, where = pools.words, int(pools.words[H_WHERE])
        room = int(words[H_WHERE_ROOM])
        assert room >= count
        known = [number + 1 for number in range(count)]
        held = words[where : where + room].tolist()
        assert [entry for entry in held if entry] == known[: len([entry for entry in held if entry])]
        words[where : where + count] = known
        check(pools)


def slot_of(pools: Pools, name: str) -> int:
    text = np.frombuffer(name.encode() + bytes(8), np.uint8).copy()
    return int(find_slot(pools.words, pools.longs, pools.heap, text, 0, len(text) - 8))


def test_attributes_have_slots_by_which_events_name_them() -> None:
    pools = Pools()
    # As paths are written, and the name that an event has for it.
    names = {"price": "price", "é": "é", '"a b"': "a b", '"a.b"': "a.b", '"say ""hi"""': 'say "hi"', '""': ""}
    names |= {f"attribute{number}": f"attribute{number}" for number in range(100)}
    slots = {path: pools.slot(path) for path in names}
    assert sorted(slots.values()) == list(range(len(names)))
    assert {path: pools.slot(path) for path in names} == slots == pools.slots
    assert {path: slot_of(pools, name) for path, name in names.items()} == slots
    assert slot_of(pools, "other") == -1


def test_an_attribute_inside_an_object_is_named_by_no_plain_event() -> None:
    pools = Pools()
    inside = pools.slot("a.b")
    assert slot_of(pools, "a") == slot_of(pools, "a.b") == slot_of(pools, "b") == -1
    assert pools.slot("a") == slot_of(pools, "a") == inside + 1


def test_memory_is_what_is_in_use() -> None:
    pools = Pools()
    for number in range(300):
        add(pools, pools.slot(f"a{number % 7}"), f"text {number}")
    pools.reserve_directory(1_000)
    told = pools.memory()
    words, longs, heap = used(pools)
    assert sum(told.values()) == 4 * words + 8 * longs + heap
    assert min(told.values()) >= 0


@pytest.mark.parametrize("grown", [False, True])
def test_arrays_that_were_kept_are_pools_again(grown: bool) -> None:
    first = Pools()
    atom = add(first, first.slot("a"), "text")
    arrays = {name: array.copy() for name, array in first.to_arrays().items()}
    second = Pools()
    before = second.version
    second.take_over(**arrays, slots=dict(first.slots))
    # Whoever has been told where the arrays were has to be told anew.
    assert second.version > before
    assert (find(second, 0, "text"), slot_of(second, "a")) == (atom, 0)
    if grown:
        second.reserve_atoms(5_000)
    other = add(second, second.slot("b"), "other")
    assert (find(second, 0, "text"), find(second, 1, "other")) == (atom, other)
    check(second)
    # The first ones are none of its business.
    assert (find(first, 0, "text"), slot_of(first, "b")) == (atom, -1)


def test_arrays_that_nobody_may_write_to_are_copied_before_the_first_change() -> None:
    pools = Pools()
    arrays = pools.to_arrays()
    for array in arrays.values():
        array.flags.writeable = False
    before = [array.tobytes() for array in arrays.values()]
    pools.take_over(**arrays, slots={})
    add(pools, pools.slot("a"), "text")
    assert [array.tobytes() for array in arrays.values()] == before
    assert find(pools, 0, "text") > 0
