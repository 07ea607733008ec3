import pytest

from siftmesh.logic.implies import Verdict, counterexample, covers
from siftmesh.logic.tree import FALSE, TRUE, And, Get, Operator, Or, Residual
from tests.reference.leaves import leaf, some
from tests.reference.tree_oracle import is_true


def a(*arguments):
    return leaf("a", *arguments)


def b(*arguments):
    return leaf("b", *arguments)


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (TRUE, a("<", 5)),
        (a("<", 5), FALSE),
        (a("<", 7), a("<", 5)),
        (a("<", 7), And((a("<", 5), b("=", 1)))),
        (Or((a("<", 7), b("=", 1))), a("<", 5)),
        # Only several clauses together cover these.
        (Or((a("<", 5), a(">=", 5))), a("IN", (1, 9))),
        (Or((a("<", 5), a(">=", 5))), And((a(">", 3), a("<", 7), b("=", "x")))),
        (
            Or((And((a("<", 5), b("<", 5))), And((a("<", 5), b(">=", 5))), a(">=", 5))),
            And((a(">", 0), b(">", 0))),
        ),
        (Or((a("IS NULL"), a("<", 5), a(">=", 5))), Or((a("=", 3), a("NOT EXISTS")))),
        (And((Or((a("<", 5), b("<", 5))), a("IS NOT NULL"))), a("<", 5)),
        (a("LIKE", "%b%"), And((a("LIKE", "ab%"), b("=", 1)))),
        (a("LIKE", "%b"), a("IN", ("ab", "b"))),
        (Or((a("LIKE", "%b"), a("NOT LIKE", "%b"))), And((a("LIKE", "%"), a("IN", ("ab", "b"))))),
        (a("OVERLAPS", (1, 2)), a("CONTAINS", 1)),
        (some("xs", (0, ">", 3)), And((some("xs", (0, ">", 5)), a("=", 1)))),
        (leaf("xs", "IS NOT NULL"), some("xs", (0, ">", 5))),
        (
            Residual(Operator.LT, Get("a"), Get("b")),
            And((Residual(Operator.LT, Get("a"), Get("b")), a("=", 1))),
        ),
    ],
)
def test_covered(wide, narrow) -> None:
    assert covers(wide, narrow) is Verdict.YES
    assert counterexample(wide, narrow) is None
    if narrow != FALSE and wide != TRUE:
        assert covers(narrow, wide) is Verdict.NO


@pytest.mark.parametrize(
    ("wide", "narrow"),
    [
        (a("<", 5), TRUE),
        (FALSE, a("<", 5)),
        (a("<", 5), a("<=", 5)),
        # Unknown for an attribute that is missing, and for one of another kind.
        (Or((a("<", 5), a(">=", 5))), b("=", 1)),
        (Or((a("<", 5), a(">=", 5))), a("IS NOT NULL")),
        (And((a("<", 7), b("=", 1))), a("<", 5)),
        (a("LIKE", "%b%"), a("LIKE", "a%")),
        (a("ILIKE", "ab"), a("LIKE", "_b")),
        (a("CONTAINS", 1), a("OVERLAPS", (1, 2))),
        (some("xs", (0, ">", 5)), some("xs", (0, ">", 3))),
        (Residual(Operator.LT, Get("a"), Get("b")), a("=", 1)),
    ],
)
def test_not_covered_and_why(wide, narrow) -> None:
    assert covers(wide, narrow) is Verdict.NO
    event = counterexample(wide, narrow)
    assert event is not None
    assert is_true(narrow, event)
    assert not is_true(wide, event)


def test_what_is_neither_proven_nor_refuted_is_unknown() -> None:
    # True, but only a reading of both patterns together would show it.
    narrow = And((a("LIKE", "_b%"), a("LIKE", "a_%")))
    assert covers(a("LIKE", "ab%"), narrow) is Verdict.UNKNOWN
    assert counterexample(a("LIKE", "ab%"), narrow) is None


def test_work_is_bounded() -> None:
    def choices(bound: int) -> And:
        return And(tuple(Or((leaf(f"x{i}", "<", bound), leaf(f"y{i}", "<", bound))) for i in range(12)))

    assert covers(choices(5), choices(5)) is Verdict.YES  # equal: no work at all
    assert covers(choices(7), choices(5), budget=10) is Verdict.UNKNOWN
    assert covers(choices(7), choices(5), budget=100_000) is Verdict.YES
    assert covers(choices(5), choices(7)) is Verdict.NO


def test_many_leaves_of_one_attribute_take_bounded_work() -> None:
    # Compared with each other these would take minutes.
    many = And(tuple(a("NOT LIKE", f"%x{number}%") for number in range(5_000)))
    assert covers(Or((a("=", 5), b("=", 7))), many) is Verdict.UNKNOWN


def test_many_leaves_of_many_attributes_are_decided() -> None:
    narrow, wide = (And(tuple(leaf(f"a{n}", ">", n - d) for n in range(600))) for d in (0, 1))
    assert covers(wide, narrow) is Verdict.YES
