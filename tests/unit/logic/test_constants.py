"""Constants as predicates hold them."""

from __future__ import annotations

from typing import Any

import pytest

from siftmesh.logic.constants import constant, equality, like, membership, opposite
from siftmesh.logic.tree import FALSE, TRUE, And, Operator, Or, Predicate, Tree
from siftmesh.model.values import INT_MIN, Kind, Timestamp


@pytest.mark.parametrize(
    ("value", "kind", "held"),
    [
        (1, Kind.NUMBER, 1),
        (1.0, Kind.NUMBER, 1),
        (-0.0, Kind.NUMBER, 0),
        (1.5, Kind.NUMBER, 1.5),
        (2.0**53, Kind.NUMBER, 2**53),
        (-(2.0**63), Kind.NUMBER, INT_MIN),
        (2.0**63, Kind.NUMBER, 2.0**63),
        (True, Kind.BOOL, True),
        ("x", Kind.STRING, "x"),
        (Timestamp(5), Kind.TIMESTAMP, 5),
    ],
)
def test_equal_values_are_held_alike(value: Any, kind: Kind, held: Any) -> None:
    found = constant(value)
    assert found == (kind, held)
    assert type(found[1]) is type(held)


def predicate(operator: Operator, kind: Kind, value: Any) -> Predicate:
    return Predicate("a", operator, kind, value)


@pytest.mark.parametrize(
    ("operator", "value", "tree"),
    [
        (Operator.LT, 5, predicate(Operator.LT, Kind.NUMBER, 5)),
        (Operator.EQ, True, predicate(Operator.EQ, Kind.BOOL, True)),
        (Operator.NE, True, predicate(Operator.EQ, Kind.BOOL, False)),
        (Operator.NE, False, predicate(Operator.EQ, Kind.BOOL, True)),
        (Operator.LT, True, FALSE),
        (Operator.GE, False, FALSE),
        (Operator.EQ, None, FALSE),
        (Operator.NE, None, FALSE),
    ],
)
def test_comparisons(operator: Operator, value: Any, tree: Tree) -> None:
    assert equality("a", operator, value) == tree


@pytest.mark.parametrize(
    ("operator", "values", "tree"),
    [
        (Operator.IN, [2, 1, 2.0], predicate(Operator.IN, Kind.NUMBER, (1, 2))),
        (Operator.NOT_IN, [2, 1], predicate(Operator.NOT_IN, Kind.NUMBER, (1, 2))),
        (Operator.IN, [1], predicate(Operator.EQ, Kind.NUMBER, 1)),
        (Operator.NOT_IN, [1], predicate(Operator.NE, Kind.NUMBER, 1)),
        (Operator.NOT_IN, [True], predicate(Operator.EQ, Kind.BOOL, False)),
        (Operator.IN, [1, None], predicate(Operator.EQ, Kind.NUMBER, 1)),
        (Operator.IN, [None], FALSE),
        (Operator.NOT_IN, [1, None], FALSE),
        (Operator.IN, [], FALSE),
        (Operator.NOT_IN, [], TRUE),
        (
            Operator.IN,
            ["x", 1],
            Or((predicate(Operator.EQ, Kind.NUMBER, 1), predicate(Operator.EQ, Kind.STRING, "x"))),
        ),
        (
            Operator.NOT_IN,
            ["x", 1],
            And((predicate(Operator.NE, Kind.NUMBER, 1), predicate(Operator.NE, Kind.STRING, "x"))),
        ),
        (Operator.OVERLAPS, ["y", "x"], predicate(Operator.OVERLAPS, Kind.STRING, ("x", "y"))),
        (Operator.OVERLAPS, [True], predicate(Operator.CONTAINS, Kind.BOOL, True)),
        (Operator.NOT_OVERLAPS, ["x"], predicate(Operator.NOT_CONTAINS, Kind.STRING, "x")),
    ],
)
def test_lists_are_one_leaf_for_each_kind(operator: Operator, values: list[Any], tree: Tree) -> None:
    assert membership("a", operator, values) == tree


@pytest.mark.parametrize(
    ("operator", "pattern", "escape", "tree"),
    [
        (Operator.LIKE, "a%%", None, predicate(Operator.LIKE, Kind.STRING, "a%")),
        (Operator.NOT_LIKE, "a_", None, predicate(Operator.NOT_LIKE, Kind.STRING, "a_")),
        (Operator.LIKE, "abc", None, predicate(Operator.EQ, Kind.STRING, "abc")),
        (Operator.LIKE, "a!%", "!", predicate(Operator.EQ, Kind.STRING, "a%")),
        (Operator.NOT_LIKE, "a\\", None, predicate(Operator.NE, Kind.STRING, "a\\")),
        (Operator.ILIKE, "ABC", None, predicate(Operator.ILIKE, Kind.STRING, "abc")),
        (Operator.NOT_ILIKE, "Straße%", None, predicate(Operator.NOT_ILIKE, Kind.STRING, "strasse%")),
        (Operator.LIKE, None, None, FALSE),
        (Operator.NOT_LIKE, None, None, FALSE),
    ],
)
def test_patterns(operator: Operator, pattern: str | None, escape: str | None, tree: Tree) -> None:
    assert like("a", operator, pattern, escape) == tree


def test_the_opposite_of_an_operator() -> None:
    assert opposite(Operator.LT, True) == Operator.LT
    assert opposite(Operator.LT, False) == Operator.GE
