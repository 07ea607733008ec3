import pytest

from siftmesh.logic.entailment import excludes, hull, implies, negated, value_kind
from siftmesh.logic.tree import Get, Operator, Quantified, Residual, Term
from siftmesh.model.values import Kind, Timestamp
from tests.reference.leaves import leaf, some

NOON = "2020-01-01T12:00:00Z"
NOON_MOMENT = Timestamp(1_577_880_000_000_000)


def a(*arguments):
    return leaf("a", *arguments)


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        (a("<", 5), a("<", 7)),
        (a("<", 5), a("<=", 5)),
        (a("<", 5), a("<>", 5)),
        (a("=", 5), a(">=", 5)),
        (a("=", 5), a("IN", (5, 7))),
        (a("IN", (5, 7)), a(">", 4)),
        (a("NOT IN", (1, 2)), a("<>", 1)),
        (a("=", "abc"), a("LIKE", "%b%")),
        (a("=", "abc"), a("ILIKE", "AB_".casefold())),
        (a("IN", ("abc", "b")), a("LIKE", "%b%")),
        (a("LIKE", "abc%"), a("LIKE", "ab%")),
        (a("LIKE", "ab%c"), a(">=", "ab")),
        (a("LIKE", "ab%c"), a("<>", "b")),
        (a("LIKE", "ab%c"), a("LIKE", "%")),
        (a("LIKE", "a_"), a("ILIKE", "a%")),
        (a("LIKE", "a%c"), a("NOT LIKE", "b%")),
        (a("LIKE", "a%"), a("NOT LIKE", "b%c")),
        (a("NOT LIKE", "%b%"), a("NOT LIKE", "ab%")),
        (a("NOT LIKE", "%b"), a("<>", "ab")),
        (a("<", 5), a("IS NOT NULL")),
        (a("NOT CONTAINS", 5), a("EXISTS")),
        (a("IS NOT NULL"), a("EXISTS")),
        (a("NOT EXISTS"), a("IS NULL")),
        (a("CONTAINS", 1), a("OVERLAPS", (1, 2))),
        (a("NOT OVERLAPS", (1, 2)), a("NOT CONTAINS", 1)),
        (a("=", NOON), a(">=", NOON_MOMENT)),
        (some("xs", (0, ">", 5)), leaf("xs", "IS NOT NULL")),
        (some("xs", (0, ">", 5)), some("xs", (0, ">", 3))),
        (some("xs", (0, ">", 5), (0, "<", 7)), some("xs", (0, ">", 3))),
        (some("xs ys", (0, ">", 5), (1, "=", 7)), some("xs", (0, ">", 5))),
        (some("xs", (0, ">", 3), negated=True), some("xs", (0, ">", 5), negated=True)),
    ],
)
def test_what_follows_and_what_then_is_excluded(given, asked) -> None:
    assert implies(given, asked)
    assert not implies(asked, given)
    assert excludes(given, negated(asked))
    assert not excludes(given, asked)


def test_two_spellings_of_one_set_follow_from_each_other() -> None:
    for one, other in [(a(">", Timestamp(5)), a(">=", Timestamp(6))), (a("<=", "a"), a("<", "a\0"))]:
        assert implies(one, other)
        assert implies(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (a("<", 5), a(">", 5)),
        (a("=", 5), a("=", "x")),
        (a("=", 5), a("CONTAINS", 5)),
        (a("=", 5), a("IS NULL")),
        (a("IS NULL"), a("IS NOT NULL")),
        (a("LIKE", "a%x"), a("LIKE", "b%x")),
        (a("LIKE", "a%x"), a(">", "b")),
        (a("ILIKE", "%x"), a("=", True)),
        (a("=", "x"), a("=", NOON_MOMENT)),
        (a("CONTAINS", 1), a("NOT OVERLAPS", (1, 2))),
        (a("OVERLAPS", (1, 2)), a("NOT OVERLAPS", (1, 2, 3))),
        (some("xs", (0, ">", 5)), leaf("xs", "IS NULL")),
        (some("xs", (0, ">", 5)), leaf("xs", "=", 5)),
        (some("xs", (0, ">", 5)), some("xs", (0, ">", 3), negated=True)),
    ],
)
def test_what_excludes_each_other(one, other) -> None:
    assert excludes(one, other)
    assert excludes(other, one)
    assert not implies(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (a("<", 5), leaf("b", "<", 7)),
        (a("=", NOON), a("=", NOON_MOMENT)),
        (a("=", NOON_MOMENT), a("=", NOON)),
        (a(">", "2020"), a(">", NOON_MOMENT)),
        (a("CONTAINS", 1), a("NOT CONTAINS", 2)),
        (a("LIKE", "%x"), a("NOT LIKE", "%y")),
        (a("IS NULL"), a("EXISTS")),
        (some("xs", (0, ">", 5)), some("ys", (0, "<", 5))),
        (some("xs", (0, ">", 5)), some("xs ys", (0, "<", 5), (1, "<", 5))),
        (some("xs", (0, ">", 5)), leaf("xs", "CONTAINS", 3)),
        (Residual(Operator.LT, Get("a"), Get("b")), Residual(Operator.LT, Get("a"), Get("c"))),
    ],
)
def test_leaves_that_can_both_be_true(one, other) -> None:
    assert not excludes(one, other)
    assert not excludes(other, one)


def test_an_unknown_element_keeps_not_some_from_following() -> None:
    # xs = (1,), ys missing: the first is true, the second unknown.
    assert not implies(
        some("xs", (0, ">", 3), negated=True), some("xs ys", (0, ">", 3), (1, ">", 3), negated=True)
    )
    assert not implies(some("xs", (0, ">", 5), negated=True), some("xs", (0, ">", 3), negated=True))


def test_bools_put_in_order_are_never_known_so_that_nothing_follows_for_not_some() -> None:
    # xs = (False,): the first is true, the second unknown.
    ordered = Quantified(("xs",), Operator.NOT_SOME, (Term(0, Operator.LT, Kind.BOOL, False),))
    equal = Quantified(("xs",), Operator.NOT_SOME, (Term(0, Operator.EQ, Kind.BOOL, True),))
    assert not implies(equal, ordered)


def test_residuals_follow_from_nothing_but_themselves() -> None:
    test = leaf("", "<", 5)
    one = Residual(Operator.LT, Get("a"), None, test)
    assert implies(one, one)
    assert not implies(one, Residual(Operator.LT, Get("a"), None, leaf("", "<", 7)))
    assert negated(one) == Residual(Operator.GE, Get("a"), None, leaf("", ">=", 5))
    assert excludes(one, negated(one))


def test_hulls() -> None:
    prefix = hull(a("LIKE", "ab%c"))
    assert prefix is not None
    assert prefix == hull(a("LIKE", "ab%"))
    assert hull(a("LIKE", "ab")) == hull(a("=", "ab"))
    everything = hull(a("NOT ILIKE", "ab%"))
    assert everything is not None
    assert everything.is_full
    assert hull(a("CONTAINS", "ab")) is None
    assert hull(a("IS NULL")) is None


def test_kinds_of_values() -> None:
    assert value_kind(a("NOT CONTAINS", 1)) == Kind.ARRAY
    assert value_kind(a("LIKE", "a%")) == Kind.STRING
    assert value_kind(a("=", NOON_MOMENT)) == Kind.TIMESTAMP
    assert value_kind(a("EXISTS")) is None
