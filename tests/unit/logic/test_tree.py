"""Trees are values in one total order."""

from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.logic.tree import (
    FALSE,
    NEGATION,
    TRUE,
    And,
    Apply,
    Fixed,
    Get,
    Operator,
    Or,
    Predicate,
    Quantified,
    Residual,
    Term,
    Tree,
    attributes,
    depth,
    leaves,
    size,
    sort_key,
)
from siftmesh.model.values import Kind
from tests.reference.strategies import trees

A = Predicate("a", Operator.EQ, Kind.NUMBER, 1)
B = Predicate("b", Operator.LT, Kind.STRING, "x")
XS = Quantified(("xs", "ys"), Operator.SOME, (Term(0, Operator.EQ, Kind.NUMBER, 1),))
SUM = Residual(Operator.LT, Apply("+", (Get("c"), Fixed(1, "int"))), Get("d"))


def test_every_operator_stands_beside_its_opposite() -> None:
    pairs = {
        ("EQ", "NE"),
        ("LT", "GE"),
        ("LE", "GT"),
        ("IN", "NOT_IN"),
        ("LIKE", "NOT_LIKE"),
        ("ILIKE", "NOT_ILIKE"),
        ("IS_NULL", "IS_NOT_NULL"),
        ("EXISTS", "NOT_EXISTS"),
        ("CONTAINS", "NOT_CONTAINS"),
        ("OVERLAPS", "NOT_OVERLAPS"),
        ("SOME", "NOT_SOME"),
    }
    assert {(one.name, NEGATION[one].name) for one in Operator if one % 2 == 0} == pairs
    assert all(NEGATION[NEGATION[one]] == one for one in Operator)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Predicate("a", Operator.EQ, Kind.NUMBER, 1), Predicate("a", Operator.EQ, Kind.BOOL, True)),
        (Predicate("a", Operator.EQ, Kind.NUMBER, 1), Predicate("a", Operator.EQ, Kind.TIMESTAMP, 1)),
        (
            Residual(Operator.EQ, Fixed(1, "int"), Get("a")),
            Residual(Operator.EQ, Fixed(True, "bool"), Get("a")),
        ),
        (TRUE, FALSE),
        (And((A, B)), And((B, A))),
    ],
)
def test_what_means_something_else_is_not_equal(one: Tree, other: Tree) -> None:
    assert one != other
    assert sort_key(one) != sort_key(other)


@given(st.lists(trees(max_leaves=4), min_size=2, max_size=6))
def test_trees_have_one_order_that_agrees_with_equality(several: list[Tree]) -> None:
    ordered = sorted(several, key=sort_key)
    several.reverse()
    assert sorted(several, key=sort_key) == ordered
    for one in several:
        for other in several:
            assert (sort_key(one) == sort_key(other)) == (one == other)


@given(trees())
def test_trees_survive_pickling(tree: Tree) -> None:
    again = pickle.loads(pickle.dumps(tree))
    assert again == tree
    assert hash(again) == hash(tree)


@pytest.mark.parametrize(
    ("tree", "of_size", "of_depth", "reads"),
    [
        (TRUE, 1, 1, set()),
        (A, 1, 1, {"a"}),
        (XS, 1, 1, {"xs", "ys"}),
        (SUM, 1, 1, {"c", "d"}),
        (Residual(Operator.EQ, Get("e"), None, Predicate("", Operator.EQ, Kind.NUMBER, 1)), 1, 1, {"e"}),
        (And((A, Or((B, XS, TRUE)), SUM)), 7, 3, {"a", "b", "c", "d", "xs", "ys"}),
    ],
)
def test_measures(tree: Tree, of_size: int, of_depth: int, reads: set[str]) -> None:
    assert (size(tree), depth(tree), attributes(tree)) == (of_size, of_depth, reads)


def test_leaves_come_from_left_to_right_as_often_as_they_occur() -> None:
    assert list(leaves(And((A, Or((B, A)), TRUE, SUM)))) == [A, B, A, SUM]
