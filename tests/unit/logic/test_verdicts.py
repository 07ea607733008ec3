"""What is said of many events at once is what is said of each."""

from __future__ import annotations

import numpy as np
import pytest

from siftmesh.logic.columns import Columns
from siftmesh.logic.evaluate import truth
from siftmesh.logic.tree import (
    FALSE,
    TRUE,
    And,
    Apply,
    Fixed,
    Get,
    Leaf,
    Operator,
    Or,
    Predicate,
    Quantified,
    Residual,
    Tree,
)
from siftmesh.logic.verdicts import Counts, counts, packed, spans, unpacked, verdict
from siftmesh.model.event import Event
from siftmesh.model.values import OPAQUE, Kind, Timestamp
from tests.reference.leaves import leaf, some

NOON = 1_577_880_000_000_000
VALUES = [
    1,
    2.5,
    2**53 + 1,
    float(2**53),
    -0.0,
    0,
    float("inf"),
    True,
    False,
    "",
    "abc",
    "abd",
    "ABC",
    "2020-01-01T12:00:00Z",
    Timestamp(NOON),
    Timestamp(NOON + 1),
    None,
    OPAQUE,
    (),
    (1, 2.5),
    (1, None),
    (True,),
    ("abc", "x"),
    (None,),
]
EVENTS = [Event({"a": value, "b": 2}) for value in VALUES] + [Event({"b": 1}), Event({})]
COLUMNS = Columns.of(EVENTS)

LEAVES: list[Leaf] = [
    *(leaf("a", asked, 2**53) for asked in ("=", "<>", "<", "<=", ">", ">=")),
    *(leaf("a", asked, 2**53 + 1) for asked in ("=", "<>", "<", "<=", ">", ">=")),
    *(leaf("a", asked, "abd") for asked in ("=", "<>", "<", "<=", ">", ">=")),
    *(leaf("a", asked, Timestamp(NOON)) for asked in ("=", "<>", "<", "<=", ">", ">=")),
    *(leaf("a", asked, True) for asked in ("=", "<>", "<", "<=", ">", ">=")),
    leaf("a", "IN", (0, 1, 7)),
    leaf("a", "NOT IN", (0, 1, 7)),
    leaf("a", "IN", tuple(range(100))),
    leaf("a", "IN", (False, True)),
    *(leaf("a", asked, "ab%") for asked in ("LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE")),
    *(leaf("a", asked, "_b_") for asked in ("LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE")),
    leaf("a", "LIKE", "\U0010ffff%"),
    *(leaf("a", asked) for asked in ("IS NULL", "IS NOT NULL", "EXISTS", "NOT EXISTS")),
    *(leaf("a", asked, 1) for asked in ("CONTAINS", "NOT CONTAINS")),
    *(leaf("a", asked, True) for asked in ("CONTAINS", "NOT CONTAINS")),
    *(leaf("a", asked, ("abc", "q")) for asked in ("OVERLAPS", "NOT OVERLAPS")),
    Predicate("a", Operator.OVERLAPS, Kind.STRING, ()),
    Predicate("a", Operator.NOT_OVERLAPS, Kind.STRING, ()),
    some("a", (0, ">", 1)),
    some("a", (0, ">", 1), (0, "<", 2), negated=True),
    Quantified((), Operator.SOME, ()),
    Quantified(("a",), Operator.SOME, ()),
    Residual(Operator.LT, Get("b"), Get("a")),
    Residual(Operator.EQ, Apply("string", (Get("a"),)), None, leaf("", "=", "-0.0")),
    Residual(Operator.EQ, Fixed(1, "int"), None, leaf("", "=", 1)),
    leaf("nowhere", "=", 1),
    leaf("nowhere", "NOT EXISTS"),
]
TREES: list[Tree] = [
    *LEAVES,
    TRUE,
    FALSE,
    And((leaf("a", ">", 1), leaf("b", "=", 2))),
    Or((leaf("a", ">", 1), leaf("b", "=", 2))),
    Or((And((leaf("a", ">", 1), leaf("b", "=", 1))), leaf("a", "=", "abc"))),
]


@pytest.mark.parametrize("asked", TREES, ids=str)
def test_a_verdict_is_that_of_each_event(asked: Tree) -> None:
    found = verdict(asked, COLUMNS)
    expected = [truth(asked, event) for event in EVENTS]
    assert found.true.tolist() == [one is True for one in expected]
    assert found.unknown.tolist() == [one is None for one in expected]
    if isinstance(asked, Leaf):
        counted = Counts(expected.count(True), expected.count(False), expected.count(None))
        assert counts(asked, COLUMNS) == counted


@pytest.mark.parametrize("asked", LEAVES, ids=str)
def test_of_no_events_there_is_nothing_to_say(asked: Leaf) -> None:
    found = verdict(asked, Columns.of([]))
    assert found.true.tolist() == found.unknown.tolist() == []
    assert counts(asked, Columns.of([])) == Counts(0, 0, 0)


def test_arrays_of_different_lengths_are_not_parallel() -> None:
    events = [
        Event({"xs": (1, 5), "ys": (2, 2)}),
        Event({"xs": (1, 5), "ys": (2,)}),
        Event({"xs": (5,), "ys": (None,)}),
        Event({"xs": (), "ys": ()}),
        Event({"xs": (1,)}),
        Event({"xs": (7, 5), "ys": (9, 1)}),
    ]
    found = verdict(some("xs ys", (0, ">=", 5), (1, "<=", 2)), Columns.of(events))
    assert found.true.tolist() == [True, False, False, False, False, True]
    assert found.unknown.tolist() == [False, True, True, False, True, False]


def test_the_places_of_a_comparison_are_found_by_exact_values() -> None:
    values = [0, 0.5, 2**53, 2**53 + 2]
    assert spans(leaf("a", "<", 2**53 + 1), values) == [(0, 3)]
    assert spans(leaf("a", "=", float(2**53)), values) == [(2, 3)]
    assert spans(leaf("a", "=", 2**53 + 1), values) == [(3, 3)]
    assert spans(leaf("a", "LIKE", "%x"), ["x"]) is None


@pytest.mark.parametrize("size", [0, 1, 63, 64, 65, 200])
def test_bits_are_words_and_back(size: int) -> None:
    bools = np.random.default_rng(size).random((3, size)) < 0.5
    words = packed(bools)
    assert words.shape == (3, -(-size // 64))
    assert words.dtype == np.uint64
    assert [int(word) >> 1 & 1 for word in words[:, 0]] == bools[:, 1].tolist() if size > 1 else True
    assert (unpacked(words, size) == bools).all()
    assert (packed(bools[1]) == words[1]).all()
