"""The matches of many events."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from siftmesh.errors import ConfigError
from siftmesh.matching.ids import SimpleIds
from siftmesh.matching.matches import Matches, joined
from siftmesh.matching.numbers import Pin
from siftmesh.matching.work import WorkCounters


def made(ids: list[Any], *rows: list[int]) -> Matches:
    table = SimpleIds()
    table.take_many(ids)
    bounds = np.cumsum([0, *map(len, rows)])
    numbers = np.array([number for row in rows for number in row], np.int32)
    return Matches(bounds, numbers, table, table.numbers.pin(), WorkCounters(events=len(rows)))


def test_a_sequence_of_lists_of_ids() -> None:
    matches = made(["a", "b", "c"], [2, 0], [], [1])
    assert len(matches) == 3
    assert list(matches) == [["c", "a"], [], ["b"]]
    assert [matches.ids(0), matches[-1]] == [["c", "a"], ["b"]]
    for row in (3, -4):
        with pytest.raises(IndexError, match=f"there is no row {row} of 3"):
            matches.ids(row)
    assert repr(matches) == "Matches(events=3, matches=3)"
    assert matches.work == WorkCounters(events=3)


def test_pairs() -> None:
    rows, numbers = made(["a", "b", "c"], [2, 0], [], [1]).pairs()
    assert rows.tolist() == [0, 0, 2]
    assert numbers.tolist() == [2, 0, 1]
    assert rows.dtype == np.int64


def test_lists_of_arrow() -> None:
    assert made([7, 8], [1, 0], []).to_arrow().equals(pa.array([[8, 7], []]))
    assert made(["x", ""], [1, 0], []).to_arrow().equals(pa.array([["", "x"], []]))
    assert made([], [], []).to_arrow().equals(pa.array([[], []], pa.list_(pa.int64())))
    with pytest.raises(ConfigError):
        made(["x", 1], [0], []).to_arrow()


def test_batches_one_after_the_other() -> None:
    def part(*rows: list[int]) -> tuple[Any, Any]:
        return np.cumsum([0, *map(len, rows)]), np.array([number for row in rows for number in row], np.int32)

    bounds, numbers = joined([part([1], [2, 3]), part(), part([], [4])])
    assert bounds.tolist() == [0, 1, 3, 3, 4]
    assert numbers.tolist() == [1, 2, 3, 4]
    assert [array.tolist() for array in joined([])] == [[0], []]
    one = part([5])
    assert joined([one]) is one


@pytest.mark.parametrize("row", ["0", 0.0, None])
def test_a_row_is_a_number(row: Any) -> None:
    matches = Matches(np.array([0, 1]), np.array([0], np.int32), SimpleIds(), Pin(), WorkCounters())
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        matches.ids(row)


def test_a_slice_is_the_ids_of_several_events() -> None:
    ids = SimpleIds()
    ids.take_many(["a", "b", "c"])
    matches = Matches(np.array([0, 1, 1, 3]), np.array([0, 1, 2], np.int32), ids, Pin(), WorkCounters())
    assert matches[0:2] == [["a"], []]
    assert matches[::-1] == [["b", "c"], [], ["a"]]
    assert matches[-1] == ["b", "c"]
