import math

import pytest

from siftmesh.logic.rules import (
    RULES,
    Work,
    canonical_leaf,
    intervals,
    is_plain,
    memberships,
    nullness,
    pairs,
)
from siftmesh.logic.tree import FALSE, Get, Operator, Predicate, Residual, sort_key
from siftmesh.model.values import Kind, Timestamp
from tests.reference.leaves import leaf, some


def a(*arguments):
    return leaf("a", *arguments)


def applied(rule, every, leaves, steps=1000):
    found = rule(every, list(leaves), Work(steps))
    return None if found is None else sorted(found, key=sort_key)


def test_every_rule_states_its_law() -> None:
    assert all(rule.__doc__ for rule in RULES)  # type: ignore[attr-defined]  # rules are functions


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (a("IN", (5,)), a("=", 5)),
        (Predicate("a", Operator.IN, Kind.NUMBER, ()), FALSE),
        (a("NOT IN", (5,)), a("<>", 5)),
        (a("IN", (False, True)), a("IN", (False, True))),
        (a("<>", True), a("=", False)),
        (a("<", True), FALSE),
        (a("LIKE", "ab"), a("=", "ab")),
        (a("LIKE", "a\\%"), a("=", "a%")),
        (a("NOT LIKE", "ab"), a("<>", "ab")),
        (a("NOT LIKE", "%"), FALSE),
        (a("ILIKE", "%"), a("LIKE", "%")),
        (a("NOT ILIKE", "%"), FALSE),
        (a(">=", ""), a("LIKE", "%")),
        (a("<", ""), FALSE),
        (a(">", math.inf), FALSE),
        (a(">=", math.inf), a("=", math.inf)),
        (a("OVERLAPS", (5,)), a("CONTAINS", 5)),
        (a("NOT OVERLAPS", (5,)), a("NOT CONTAINS", 5)),
        (Predicate("a", Operator.OVERLAPS, Kind.NUMBER, ()), FALSE),
        (a("<", 5), a("<", 5)),
        (a("LIKE", "%b_"), a("LIKE", "%b_")),
    ],
)
def test_a_leaf_has_one_spelling(given, expected) -> None:
    assert canonical_leaf(given) == expected
    assert isinstance(given, Predicate)
    if is_plain(given):
        assert given == expected


def test_the_test_of_a_residual_has_one_spelling_too() -> None:
    given = Residual(Operator.IN, Get("a"), None, leaf("", "IN", (5,)))
    assert canonical_leaf(given) == Residual(Operator.EQ, Get("a"), None, leaf("", "=", 5))
    assert canonical_leaf(Residual(Operator.LT, Get("a"), None, leaf("", "<", ""))) == FALSE


@pytest.mark.parametrize(
    ("every", "given", "expected"),
    [
        (True, [a("IS NULL"), a("=", 5)], None),
        (True, [a("IS NOT NULL"), a("=", 5)], [a("=", 5)]),
        (True, [a("EXISTS"), a("IS NULL")], [a("IS NULL"), a("EXISTS")]),
        (True, [a("IS NULL"), a("NOT EXISTS")], [a("NOT EXISTS")]),
        (True, [a("IS NULL"), a("IS NOT NULL")], None),
        (False, [a("IS NULL"), a("IS NOT NULL")], None),
        (False, [a("EXISTS"), a("NOT EXISTS")], None),
        (False, [a("IS NOT NULL"), a("=", 5)], [a("IS NOT NULL")]),
        (False, [a("IS NULL"), a("=", 5)], [a("=", 5), a("IS NULL")]),
        (False, [a("NOT EXISTS"), a("IS NOT NULL")], [a("IS NOT NULL"), a("NOT EXISTS")]),
        (False, [a("IS NULL"), a("EXISTS")], None),
        (True, [a("IS NULL"), leaf("b", "=", 5)], [a("IS NULL"), leaf("b", "=", 5)]),
    ],
)
def test_nullness(every, given, expected) -> None:
    assert applied(nullness, every, given) == expected


@pytest.mark.parametrize(
    ("every", "given", "expected"),
    [
        (False, [a("<", 5), a("<", 7)], [a("<", 7)]),
        (True, [a(">=", 5), a("<=", 5)], [a("=", 5)]),
        (True, [a("<", 5), a(">", 7)], None),
        (True, [a("=", 5), a("=", "x")], None),
        (True, [a("=", 5), a("CONTAINS", 5)], None),
        (False, [a("=", 5), a("=", "x")], [a("=", 5), a("=", "x")]),
        # Unknown where the attribute is missing, so that this is not always true.
        (False, [a("<", 5), a(">=", 5)], [a("<", 0), a(">=", 0)]),
        (True, [a("=", "abc"), a("LIKE", "%c")], [a("=", "abc"), a("LIKE", "%c")]),
        (True, [a("=", "abc"), a("LIKE", "%b")], None),
        (True, [a("IN", ("abc", "ab")), a("LIKE", "%b")], [a("=", "ab"), a("LIKE", "%b")]),
        (False, [a("IN", ("abc", "ab")), a("LIKE", "%b")], [a("=", "abc"), a("LIKE", "%b")]),
        (False, [a("=", "ab"), a("LIKE", "%b")], [a("LIKE", "%b")]),
        (True, [a("NOT IN", ("x", "ab")), a("LIKE", "%b")], [a("<>", "ab"), a("LIKE", "%b")]),
        # A string may name a moment: no contradiction.
        (True, [a(">", "2"), a(">", Timestamp(5))], [a(">", "2"), a(">", Timestamp(5))]),
        (True, [a("=", "x"), a(">", Timestamp(5))], None),
        (True, [a("LIKE", "%"), a("<>", Timestamp(5))], [a("<>", Timestamp(5)), a("LIKE", "%")]),
    ],
)
def test_intervals(every, given, expected) -> None:
    assert applied(intervals, every, given) == expected


@pytest.mark.parametrize(
    ("every", "given", "expected"),
    [
        (False, [a("CONTAINS", 1), a("OVERLAPS", (2, 3))], [a("OVERLAPS", (1, 2, 3))]),
        (True, [a("NOT CONTAINS", 1), a("NOT CONTAINS", 2)], [a("NOT OVERLAPS", (1, 2))]),
        (True, [a("CONTAINS", 1), a("OVERLAPS", (1, 2))], [a("CONTAINS", 1)]),
        (True, [a("NOT CONTAINS", 1), a("OVERLAPS", (1, 2))], [a("CONTAINS", 2), a("NOT CONTAINS", 1)]),
        (True, [a("NOT CONTAINS", 1), a("CONTAINS", 1)], None),
        (False, [a("NOT CONTAINS", 1), a("CONTAINS", 1)], [a("CONTAINS", 1), a("NOT CONTAINS", 1)]),
        (False, [a("NOT CONTAINS", 1), a("NOT OVERLAPS", (1, 2))], [a("NOT CONTAINS", 1)]),
        (True, [a("CONTAINS", 1), a("CONTAINS", "x")], [a("CONTAINS", 1), a("CONTAINS", "x")]),
    ],
)
def test_memberships(every, given, expected) -> None:
    assert applied(memberships, every, given) == expected


@pytest.mark.parametrize(
    ("every", "given", "expected"),
    [
        (True, [a("LIKE", "%ab%"), a("LIKE", "%b%")], [a("LIKE", "%ab%")]),
        (False, [a("LIKE", "%ab%"), a("LIKE", "%b%")], [a("LIKE", "%b%")]),
        (True, [a("LIKE", "a%x"), a("LIKE", "b%x")], None),
        (True, [some("xs", (0, ">", 5)), some("xs", (0, ">", 3))], [some("xs", (0, ">", 5))]),
        (True, [some("xs", (0, ">", 5)), some("xs", (0, ">", 3), negated=True)], None),
        (True, [some("xs", (0, ">", 5)), leaf("xs", "IS NOT NULL")], [some("xs", (0, ">", 5))]),
        (
            True,
            [Residual(Operator.LT, Get("a"), Get("b")), Residual(Operator.GE, Get("a"), Get("b"))],
            None,
        ),
        (False, [a(">", Timestamp(5)), a(">=", Timestamp(6))], [a(">=", Timestamp(6))]),
    ],
)
def test_pairs(every, given, expected) -> None:
    assert applied(pairs, every, given) == expected
    assert applied(pairs, every, reversed(given)) == expected


def test_pairs_are_left_alone_when_the_work_is_done() -> None:
    given = [a("LIKE", "%ab%"), a("LIKE", "%b%")]
    assert applied(pairs, True, given, steps=3) == given


def test_long_patterns_weigh_more() -> None:
    given = [a("LIKE", "%b%"), a("LIKE", "%" + "b" * 640 + "%")]
    assert applied(pairs, False, given, steps=23) == given
    assert applied(pairs, False, given, steps=24) == given[:1]


def test_lists_are_left_alone_when_the_work_is_done() -> None:
    given = [a("CONTAINS", 1), *(a("OVERLAPS", (1, number)) for number in range(2, 9))]
    assert applied(memberships, True, given, steps=4) == [a("CONTAINS", 1)]
    assert len(applied(memberships, True, given, steps=3)) == len(given)


def test_work_is_taken_whole_or_not_at_all() -> None:
    work = Work(5)
    assert not work.take(6)
    assert work.take(5)
    assert not work.take(1)
