"""What engines without a way of their own share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from siftmesh.errors import EventError, LimitExceeded, ParameterError, SubscriptionError
from siftmesh.filters import FilterReader
from siftmesh.logic.tree import Tree
from siftmesh.matching.engine import bound, bound_rows, find_one_by_one, insert_one_by_one, largest, most_held
from siftmesh.matching.scan import ScanEngine

READER = FilterReader()
TEMPLATE = READER.template("price < :p AND title = :t")
A, B, C = (READER.read(f"{name} = 1") for name in "abc")


def test_rows_of_columns_are_bound() -> None:
    columns = {"t": pa.array(["x", None]), "p": pa.array([1, 2])}
    assert bound_rows(TEMPLATE, columns, 2) == [TEMPLATE.bind((1, "x")), TEMPLATE.bind((2, None))]
    assert bound_rows(READER.template("a = 1"), {}, 3) == [A] * 3
    with pytest.raises(ParameterError, match=r"^row 1: :p is infinite"):
        bound_rows(TEMPLATE, {"t": pa.array(["x", "y"]), "p": pa.array([1, float("inf")])}, 2)
    with pytest.raises(SubscriptionError, match=r"^:p: a value cannot be read"):
        bound_rows(TEMPLATE, {"t": pa.array(["x"]), "p": pa.array([2**62], pa.timestamp("us", "UTC"))}, 1)


def test_a_refused_row_is_named_with_all_facts() -> None:
    def refuse(_: Any) -> Tree:
        raise LimitExceeded("too much", source="text", span=(0, 1), expected="less", limit=5, setting="items")

    with pytest.raises(LimitExceeded) as caught:
        bound(7, refuse, ())
    assert str(caught.value) == "row 7: too much\nexpected less"
    assert (caught.value.limit, caught.value.setting) == (5, "items")


class Breaking(ScanEngine):
    """Refuses what it has taken too much of."""

    def insert(self, number: int, tree: Tree) -> None:
        if number == 3:
            raise MemoryError
        super().insert(number, tree)


def test_trees_are_inserted_all_or_none() -> None:
    engine = Breaking()
    engine.insert(9, A)
    with pytest.raises(MemoryError):
        insert_one_by_one(engine, [1, 2, 3, 4], [A, B, A, C])
    assert engine.find({"a": 1, "b": 1, "c": 1}) == [9]
    insert_one_by_one(engine, [1, 2], [A, B])
    assert engine.find({"b": 1}) == [2]


def test_events_are_asked_one_by_one() -> None:
    def find(event: Mapping[str, Any]) -> list[int]:
        if event["n"] < 0:
            raise EventError("wrong", place="n")
        return list(range(event["n"]))

    for events in ([{"n": 2}, {"n": 0}, {"n": 1}], pa.table({"n": [2, 0, 1]})):
        bounds, numbers = find_one_by_one(find, events)
        assert bounds.tolist() == [0, 2, 2, 3]
        assert numbers.tolist() == [0, 1, 0]
        assert (bounds.dtype, numbers.dtype) == (np.int64, np.int32)
    bounds, numbers = find_one_by_one(find, [])
    assert (bounds.tolist(), numbers.tolist()) == ([0], [])
    with pytest.raises(EventError, match=r"^row 1: at n: wrong"):
        find_one_by_one(find, [{"n": 0}, {"n": -1}])


def test_reports() -> None:
    trees = {5: READER.read("a = 1 AND b = 1"), 6: A, 7: READER.read("a = 1 OR (b = 2 AND d = 3 AND c = 1)")}
    assert most_held(trees.values(), 1) == [("a = 1", 3)]
    assert largest(trees, 1)[0][0] == 7
    assert largest(trees, 1)[0][1] > 2
    assert len(largest(trees, 9)) == 3
