"""The arrays of ids grow, are packed, and keep what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from siftmesh.kernels.ids import ALIVE, DONE, HEAP_USED, INT, TEXT, enter_ints, enter_texts, find_int
from siftmesh.matching.id_arrays import IdArrays


def holding(values: list[int]) -> IdArrays:
    arrays = IdArrays()
    arrays._fit(len(values))
    for number, value in enumerate(values):
        # One at a time, so that the table is moved in steps.
        arrays._reserve(number, 1)
        numbers, value_of = np.array([number], np.int32), np.array([value], np.int64)
        assert enter_ints(*arrays._tables(), arrays._state, numbers, value_of, 1) == DONE
    return arrays


def found(arrays: IdArrays, value: int) -> int:
    places = [find_int(table, arrays._words, arrays._kinds, value) for table in (arrays._table, arrays._old)]
    return int(max(places))


def test_the_table_grows_in_steps_and_loses_nothing() -> None:
    values = [7 * number for number in range(3_000)]
    arrays = holding(values)
    assert [found(arrays, value) for value in values] == list(range(3_000))
    assert found(arrays, 5) == -1
    arrays._finish_moving()
    assert len(arrays._old) == 0
    assert [found(arrays, value) for value in values] == list(range(3_000))


def test_room_for_many_is_made_at_once() -> None:
    arrays = holding([1, 2, 3])
    arrays._reserve(3, 10_000)
    assert len(arrays._old) == 0
    assert len(arrays._table) >= 15_000
    assert [found(arrays, value) for value in (1, 2, 3)] == [0, 1, 2]


def test_who_holds_the_arrays_keeps_what_belongs_together() -> None:
    arrays = holding([4, 5])
    ints, views = arrays._ints, arrays._views
    arrays._fit(10_000)
    arrays._words[0] = 9
    assert ints.of([0, 1]) == [4, 5]
    assert views[0][0] == 4
    assert arrays._ints.of([0, 1]) == [9, 5]
    assert arrays._ints.address == arrays._words.ctypes.data


def test_packing_leaves_no_gaps_between_strings() -> None:
    arrays = IdArrays()
    texts = ["one", "two and more than eight", "three"]
    data = "".join(texts).encode()
    bounds = np.cumsum([0, *map(len, texts)])
    arrays._reserve(0, 3)
    arrays._fit_heap(len(data) + 24)
    everything: tuple[Any, ...] = (*arrays._tables(), arrays._state, np.arange(3, dtype=np.int32), bounds)
    assert enter_texts(*everything, np.frombuffer(data, np.uint8).copy(), 3) == DONE
    before = int(arrays._state[HEAP_USED])
    unused = np.ones(len(arrays._kinds), bool)
    unused[[0, 2]] = False
    arrays._pack(unused)
    assert arrays._kinds[:3].tolist() == [TEXT | ALIVE, 0, TEXT | ALIVE]
    words = arrays._words
    read = [bytes(arrays._heap[(words[n] >> 32) * 8 :][: words[n] & 0xFFFFFFFF]).decode() for n in (0, 2)]
    assert read == ["one", "three"]
    assert int(arrays._state[HEAP_USED]) == before - 24
    assert INT not in arrays._kinds
