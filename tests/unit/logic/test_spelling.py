import pytest

from siftmesh.logic.intervals import IntervalSet, interval_set
from siftmesh.logic.spelling import alternatives, requirements
from siftmesh.logic.tree import Operator, Predicate
from siftmesh.model.values import Kind
from tests.reference.leaves import leaf


def joined(join, *leaves: Predicate) -> IntervalSet:
    sets = [interval_set(one) for one in leaves]
    return join(leaves[0].kind, sets)


def a(asked, value) -> Predicate:
    return leaf("a", asked, value)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([a("<", 5), a("<", 7)], [a("<", 7)]),
        ([a("=", 1), a("=", 2)], [a("IN", (1, 2))]),
        ([a("=", 2**60), a("=", 2**60 + 1)], [a("IN", (2**60, 2**60 + 1))]),
        ([a("<", 5), a(">", 5)], [a("<>", 5)]),
        ([a("<", 5), a("=", 5)], [a("<=", 5)]),
        ([a("<>", 5), a("=", 5)], [a("<", 0), a(">=", 0)]),
        ([a("<", 5), a("=", 9), a("=", 7)], [a("<", 5), a("IN", (7, 9))]),
        ([a("=", True), a("=", False)], [a("IN", (False, True))]),
        ([a("LIKE", "a%"), a("LIKE", "b%")], [a("LIKE", "a%"), a("LIKE", "b%")]),
        ([a("LIKE", "a%"), a("LIKE", "ab%")], [a("LIKE", "a%")]),
        ([a("NOT LIKE", "ab%"), a("=", "abc")], [a("=", "abc"), a("NOT LIKE", "ab%")]),
        ([a("NOT LIKE", "ab%"), a("=", "ab"), a("=", "abc")], [a("IN", ("ab", "abc")), a("NOT LIKE", "ab%")]),
        ([a("NOT LIKE", "ab%"), a("NOT LIKE", "b%")], [a("LIKE", "%")]),
        ([a(">=", "x"), a("<", "\0")], [a("=", ""), a(">=", "x")]),
    ],
)
def test_a_disjunction_is_spelled_shortest(given, expected) -> None:
    values = joined(IntervalSet.union, *given)
    assert alternatives(values, "a", len(given)) == sorted(expected)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([a(">=", 5), a("<=", 5)], [a("=", 5)]),
        ([a("<>", 1), a("<>", 2)], [a("NOT IN", (1, 2))]),
        ([a(">", 1), a("<", 9), a("<>", 5)], [a(">", 1), a("<", 9), a("<>", 5)]),
        ([a("IN", (1, 2, 3)), a(">", 1)], [a("IN", (2, 3))]),
        ([a("<>", True)], [a("=", False)]),
        ([a(">=", "abc"), a("<", "abd")], [a("LIKE", "abc%")]),
        ([a(">=", "a%"), a("<", "a&")], [a("LIKE", "a\\%%")]),
        ([a("LIKE", "a%"), a("NOT LIKE", "ab%")], [a("LIKE", "a%"), a("NOT LIKE", "ab%")]),
        ([a("<", "x"), a("NOT LIKE", "w%")], [a("<", "w")]),
        ([a(">=", "")], [a("LIKE", "%")]),
    ],
)
def test_a_conjunction_is_spelled_shortest(given, expected) -> None:
    values = joined(IntervalSet.intersection, *given)
    assert requirements(values, "a", len(given)) == sorted(expected)


def test_there_is_no_spelling() -> None:
    for kind in (Kind.NUMBER, Kind.STRING):
        assert alternatives(IntervalSet.empty(kind), "a", 5) is None
        assert requirements(IntervalSet.empty(kind), "a", 5) is None
    # "is a number" takes two comparisons to say, and only as a disjunction.
    assert alternatives(IntervalSet.full(Kind.NUMBER), "a", 1) is None
    assert requirements(IntervalSet.full(Kind.NUMBER), "a", 5) is None
    # No few prefixes and single strings make up this interval.
    bounded = joined(IntervalSet.intersection, a(">", "abc"), a("<", "abx"))
    assert alternatives(bounded, "a", 5) is None
    assert requirements(bounded, "a", 1) is None
    assert len(requirements(bounded, "a", 2) or ()) == 2


def test_the_longest_prefix_is_found_across_surrogates() -> None:
    prefix = Predicate("a", Operator.LIKE, Kind.STRING, "x\ud7ff%")
    values = interval_set(prefix)
    assert values is not None
    assert alternatives(values, "a", 1) == [prefix]
    assert alternatives(~values, "a", 1) == [Predicate("a", Operator.NOT_LIKE, Kind.STRING, "x\ud7ff%")]
