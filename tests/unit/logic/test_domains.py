import math

from siftmesh.logic.domains import ANYTHING, MISSING, is_exact
from siftmesh.model.values import OPAQUE, Timestamp
from tests.reference.leaves import leaf

NOON = Timestamp(1_577_880_000_000_000)
STATES = [MISSING, None, True, 5, 0.5, -math.inf, "x", "abc", NOON.isoformat(), NOON, (1,), OPAQUE]


def a(*arguments):
    return leaf("a", *arguments)


def kept(domain):
    return [state for state in STATES if state in domain]


def test_everything_is_possible_at_first() -> None:
    assert kept(ANYTHING) == STATES
    assert not ANYTHING.is_empty
    assert all(state in ANYTHING for state in ANYTHING.samples())
    assert ANYTHING.listed() is None


def test_what_a_predicate_leaves() -> None:
    assert kept(ANYTHING.met(a(">=", 5))) == [5]
    assert kept(ANYTHING.met(a("IS NULL"))) == [MISSING, None]
    assert kept(ANYTHING.met(a("EXISTS"))) == STATES[1:]
    assert kept(ANYTHING.met(a("NOT EXISTS"))) == [MISSING]
    assert kept(ANYTHING.met(a("CONTAINS", 7))) == [(1,)]
    assert kept(ANYTHING.met(a("LIKE", "ab%c"))) == ["abc"]
    assert kept(ANYTHING.met(a("=", True))) == [True]


def test_what_is_left_where_a_predicate_is_not_true() -> None:
    assert kept(ANYTHING.avoided(a(">=", 5))) == [state for state in STATES if state != 5]
    assert kept(ANYTHING.avoided(a("IS NULL"))) == STATES[2:]
    # A domain cannot leave out just what a pattern fits.
    assert ANYTHING.avoided(a("LIKE", "ab%c")) == ANYTHING
    assert not is_exact(a("LIKE", "ab%c"))
    assert is_exact(a("LIKE", "ab%"))
    assert is_exact(a("EXISTS"))


def test_strings_that_name_moments_meet_predicates_of_both_kinds() -> None:
    since = a(">=", NOON)
    assert kept(ANYTHING.met(since)) == [NOON.isoformat(), NOON]
    assert kept(ANYTHING.met(since).met(a("LIKE", "2%"))) == [NOON.isoformat()]
    assert NOON.isoformat() not in ANYTHING.avoided(since)
    assert ANYTHING.met(a("=", "x")).met(since).is_empty
    assert ANYTHING.met(a("=", NOON.isoformat())).avoided(since).is_empty


def test_contradictions_are_empty() -> None:
    assert ANYTHING.met(a("<", 5)).met(a(">", 5)).is_empty
    assert ANYTHING.met(a("<", 5)).met(a("=", "x")).is_empty
    assert ANYTHING.met(a("IS NULL")).met(a("EXISTS")).met(a("NOT EXISTS")).is_empty


def test_few_states_are_listed() -> None:
    assert ANYTHING.met(a("IN", (5, 7))).listed() == [5, 7]
    assert ANYTHING.met(a("IN", ("x", "y"))).listed() == ["x", "y"]
    assert ANYTHING.met(a("IS NULL")).listed() == [None, MISSING]
    assert ANYTHING.met(a("<", 5)).listed() is None
    assert ANYTHING.met(a("CONTAINS", 5)).listed() is None


def test_samples_lie_within() -> None:
    for leaf_ in (
        a("<", 5),
        a(">", 2**60),
        a(">", "x"),
        a("<", ""),
        a("<>", 5),
        a("<", Timestamp(7)),
        a("<", -1e308),
    ):
        domain = ANYTHING.met(leaf_)
        samples = list(domain.samples())
        assert all(state in domain for state in samples)
        assert bool(samples) != domain.is_empty
