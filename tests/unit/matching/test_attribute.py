"""The predicates of one attribute: each operator finds what `holds` says, for values of every kind."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import Get, Leaf, Operator, Predicate, Residual
from siftmesh.matching.attribute import AttributeIndex
from siftmesh.model.event import Event
from siftmesh.model.values import OPAQUE, Kind, Timestamp
from tests.reference.leaves import leaf, some

NOON = Timestamp(1_577_880_000_000_000)
LATER = Timestamp(NOON.micros + 1)
BIG = 2**53

LEAVES: list[Leaf] = [
    *(leaf("a", asked, value) for asked in ("=", "<>", "<", "<=", ">", ">=") for value in (1, BIG + 1, 0.5)),
    *(leaf("a", asked, value) for asked in ("=", "<>", "<", "<=", ">", ">=") for value in ("b", "")),
    *(leaf("a", asked, NOON) for asked in ("=", "<>", "<", "<=", ">", ">=")),
    *(leaf("a", asked, True) for asked in ("=", "<>", "<", "<=", ">", ">=")),
    *(leaf("a", asked, (1, 2, BIG)) for asked in ("IN", "NOT IN", "OVERLAPS", "NOT OVERLAPS")),
    *(leaf("a", asked, ("b", "c")) for asked in ("IN", "NOT IN", "OVERLAPS", "NOT OVERLAPS")),
    *(leaf("a", asked, (NOON, LATER)) for asked in ("IN", "NOT IN", "OVERLAPS", "NOT OVERLAPS")),
    *(leaf("a", asked, value) for asked in ("CONTAINS", "NOT CONTAINS") for value in (1, "b", True)),
    *(
        leaf("a", asked, pattern)
        for asked in ("LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE")
        for pattern in ("b%", "%b", "%")
    ),
    *(leaf("a", asked) for asked in ("IS NOT NULL", "EXISTS")),
    Predicate("a", Operator.IN, Kind.NUMBER, ()),
    Predicate("a", Operator.NOT_IN, Kind.NUMBER, ()),
    Predicate("a", Operator.OVERLAPS, Kind.NUMBER, ()),
    Predicate("a", Operator.NOT_OVERLAPS, Kind.NUMBER, ()),
    # Nothing compares with null. (Nor do arrays, which is why no filter has one as a constant.)
    Predicate("a", Operator.EQ, Kind.NULL, None),
    Predicate("a", Operator.LT, Kind.NULL, None),
    some("a", (0, ">", 1)),
    some("a", (0, ">", 1), negated=True),
    Residual(Operator.EQ, Get("a"), Get("a")),
]
VALUES: list[Any] = [
    *(None, OPAQUE, True, False, 0, 0.5, 1, 1.0, 2, BIG, BIG + 1, float(BIG), float("inf")),
    *("", "b", "B", "bb", "cb", "2020-01-01T12:00:00Z", NOON, LATER, Timestamp(0)),
    *((), (1,), (1, 2), (2, 1, 1), ("b",), ("b", None), (None,), (True, 1), (3, "b"), (NOON, "x")),
    ("2020-01-01T12:00:00Z",),
]


def found(index: AttributeIndex, value: Any, tallies: np.ndarray | None = None) -> list[int]:
    single: list[int] = []
    runs: list[np.ndarray] = []
    tallies = np.zeros(len(LEAVES), dtype=np.int64) if tallies is None else tallies
    index.collect(value, Event({"a": value}), tallies, single, runs)
    tallies[single] += 1
    return single + [number for run in runs for number in run.tolist()]


@pytest.fixture
def index() -> AttributeIndex:
    made = AttributeIndex()
    for number, one in enumerate(LEAVES):
        made.add(one, number, np.zeros(len(LEAVES), dtype=np.int64))
    return made


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_exactly_what_is_true_is_found_once(index: AttributeIndex, value: Any) -> None:
    event = Event({"a": value})
    assert sorted(found(index, value)) == [n for n, one in enumerate(LEAVES) if holds(one, event)]


def test_what_was_taken_out_is_not_found(index: AttributeIndex) -> None:
    tallies = np.zeros(len(LEAVES), dtype=np.int64)
    for number in range(0, len(LEAVES), 2):
        index.remove(LEAVES[number], number, tallies)
    assert len(index) == len(LEAVES) // 2
    for value in VALUES:
        event = Event({"a": value})
        assert sorted(found(index, value)) == [n for n in range(1, len(LEAVES), 2) if holds(LEAVES[n], event)]
    for number in range(1, len(LEAVES), 2):
        index.remove(LEAVES[number], number, tallies)
    assert not index
    assert not any(found(index, value) for value in VALUES)


def test_tallies_say_how_often_each_was_true(index: AttributeIndex) -> None:
    tallies = np.zeros(len(LEAVES), dtype=np.int64)
    for value in VALUES:
        found(index, value, tallies)
    index.settle(tallies)
    assert tallies.tolist() == [sum(holds(one, Event({"a": v})) for v in VALUES) for one in LEAVES]
    assert index.memory() > 0


def test_what_was_never_there_is_not_taken_out() -> None:
    index, tallies = AttributeIndex(), np.zeros(1, dtype=np.int64)
    for one in (some("a", (0, ">", 1)), Predicate("a", Operator.EQ, Kind.ARRAY, (1, 2))):
        with pytest.raises(KeyError):
            index.remove(one, 0, tallies)
