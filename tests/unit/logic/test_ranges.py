"""Leaves that are seen at a glance to be in normal form are those that the laws leave alone."""

from __future__ import annotations

import pytest

from siftmesh.logic.ranges import are_apart
from siftmesh.logic.tree import Operator, Predicate
from siftmesh.model.values import Kind

GE, GT, LE, LT, EQ = Operator.GE, Operator.GT, Operator.LE, Operator.LT, Operator.EQ


def number(attribute: str, operator: Operator, value: float) -> Predicate:
    return Predicate(attribute, operator, Kind.NUMBER, value)


def test_a_range_in_an_and_and_its_outside_in_an_or() -> None:
    for lower, upper in ((GE, LE), (GT, LE), (GE, LT), (GT, LT)):
        inside = [number("a", lower, 5), number("a", upper, 7.5)]
        outside = [number("a", lower, 7.5), number("a", upper, 5)]
        for leaves in (inside, inside[::-1]):
            assert are_apart(True, leaves)
            assert not are_apart(False, leaves)
        for leaves in (outside, outside[::-1]):
            assert are_apart(False, leaves)
            assert not are_apart(True, leaves)


def test_many_attributes_with_a_leaf_or_a_range_each() -> None:
    leaves = [number("a", GE, 5), number("b", EQ, 1), number("c", LT, 9), number("a", LE, 7)]
    assert are_apart(True, leaves)
    assert not are_apart(True, [*leaves, number("a", LE, 6)])
    assert not are_apart(True, [*leaves, number("b", EQ, 1)])


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (5, 5),
        (0.3, 0.1 + 0.2),
        (2**60, 2**60 + 1),
        (0, 5e-324),
        (-1.7e308, 1.7e308),
        (-float("inf"), float("inf")),
    ],
)
def test_what_lies_close_together_or_too_far_apart_is_left_to_the_laws(low: float, high: float) -> None:
    assert not are_apart(True, [number("a", GE, low), number("a", LE, high)])
    assert not are_apart(False, [number("a", LE, low), number("a", GE, high)])


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (number("a", GE, 1), number("a", GE, 2)),
        (number("a", EQ, 1), number("a", LE, 2)),
        (number("a", GE, 1), number("a", EQ, 2)),
        (number("a", GE, 1), Predicate("a", LE, Kind.STRING, "x")),
        (Predicate("a", GE, Kind.TIMESTAMP, 1), Predicate("a", LE, Kind.TIMESTAMP, 2)),
    ],
)
def test_anything_but_two_bounds_of_numbers_is_left_to_the_laws(one: Predicate, other: Predicate) -> None:
    for every in (True, False):
        assert not are_apart(every, [one, other])
