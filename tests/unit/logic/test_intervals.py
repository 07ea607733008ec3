import math

import pytest

from siftmesh.logic.intervals import IntervalSet, first_value, following, interval_set, lowest, prefix_end
from siftmesh.model.values import INT_MAX, INT_MIN, Kind, Timestamp
from tests.reference.leaves import leaf


def values_of(*arguments):
    found = interval_set(leaf("a", *arguments))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, math.nextafter(1, 2)),
        (2**53 - 1, float(2**53)),
        (2**53, 2**53 + 1),
        (float(2**60), 2**60 + 1),
        (INT_MAX - 1, INT_MAX),
        (INT_MAX, 2.0**63),
        (2.0**63, math.nextafter(2.0**63, math.inf)),
        (-(2**53) - 1, -(2**53)),
        (INT_MIN, INT_MIN + 1),
        (math.nextafter(-(2.0**63), -math.inf), INT_MIN),
        (-math.inf, -1.7976931348623157e308),
        (1.7976931348623157e308, math.inf),
        (math.inf, None),
    ],
)
def test_the_number_after_a_number_is_an_int_or_a_double_whichever_comes_first(value, expected) -> None:
    assert following(Kind.NUMBER, value) == expected


def test_the_value_after_a_value_of_other_kinds() -> None:
    assert following(Kind.STRING, "a") == "a\0"
    assert following(Kind.TIMESTAMP, 5) == 6
    assert following(Kind.BOOL, False) is True
    assert following(Kind.BOOL, True) is None


def test_where_the_kinds_begin() -> None:
    assert lowest(Kind.STRING) == ""
    assert lowest(Kind.NUMBER) == -math.inf
    assert lowest(Kind.BOOL) is False
    assert lowest(Kind.TIMESTAMP) is None
    assert first_value(Kind.STRING, None) == ""
    assert first_value(Kind.NUMBER, (3, 0)) == 3
    assert first_value(Kind.NUMBER, (math.inf, 1)) is None


@pytest.mark.parametrize(
    ("prefix", "end"),
    [
        ("abc", "abd"),
        ("a\ud7ff", "a\ue000"),  # half pairs are in no string
        ("a\U0010ffff", "b"),
        ("a\U0010ffff\U0010ffff", "b"),
        ("\U0010ffff", None),
        ("", None),
    ],
)
def test_where_a_prefix_ends(prefix: str, end: str | None) -> None:
    assert prefix_end(prefix) == end


def test_the_cuts_of_each_operator() -> None:
    assert values_of("=", 5).cuts == ((5, 0), (5, 1))
    assert values_of("<", 5) == IntervalSet(Kind.NUMBER, True, ((5, 0),))
    assert values_of("<=", 5) == IntervalSet(Kind.NUMBER, True, ((5, 1),))
    assert values_of(">", 5) == ~values_of("<=", 5)
    assert values_of(">=", 5) == ~values_of("<", 5)
    assert values_of("NOT IN", (5, 7)) == ~values_of("IN", (5, 7))
    assert values_of("LIKE", "ab%").cuts == (("ab", 0), ("ac", 0))
    assert values_of("LIKE", "a\\%").cuts == (("a%", 0), ("a%", 1))
    assert values_of("LIKE", "%").is_full
    assert values_of("NOT LIKE", "%").is_empty
    assert values_of("=", Timestamp(9)).kind == Kind.TIMESTAMP


@pytest.mark.parametrize(
    "other",
    [
        ("LIKE", "%a"),
        ("LIKE", "a_"),
        ("NOT LIKE", "a%b"),
        ("ILIKE", "a%"),
        ("CONTAINS", 1),
        ("OVERLAPS", ("a", "b")),
        ("IS NULL",),
        ("EXISTS",),
    ],
)
def test_other_predicates_are_no_intervals(other) -> None:
    assert interval_set(leaf("a", *other)) is None


def test_bools_are_not_in_order() -> None:
    assert values_of("<", True).is_empty
    assert values_of(">=", True).is_empty
    assert values_of("<>", True) <= values_of("=", False)


def test_ints_beyond_the_doubles_stay_apart() -> None:
    assert 2**53 + 1 not in values_of("=", 2**53)
    assert 2**53 + 1 in values_of(">", float(2**53))
    assert float(2**53) not in values_of(">", 2**53)
    assert -0.0 in values_of("=", 0)


def test_ends_that_no_value_reaches_are_absent() -> None:
    assert values_of("<=", math.inf).is_full
    assert values_of(">", math.inf).is_empty
    assert values_of("<", "").is_empty
    assert values_of(">=", "").is_full
    assert values_of("IN", (False, True)).is_full
    assert (values_of("<", "a\0") - values_of("<=", "a")).is_empty


def test_neighbours_join_without_a_gap() -> None:
    assert (values_of("<=", Timestamp(5)) | values_of(">=", Timestamp(6))).is_full
    assert (values_of("<", 2**60) | values_of(">", 2**60 - 1)).is_full
    assert not (values_of("<", 5) | values_of(">", 5)).is_full


def test_only_values() -> None:
    assert values_of("IN", (5, 7)).only_values() == (5, 7)
    assert (values_of(">", Timestamp(5)) & values_of("<", Timestamp(7))).only_values() == (6,)
    assert values_of(">=", math.inf).only_values() == (math.inf,)
    assert values_of("<=", "").only_values() == ("",)
    assert values_of("IN", (False, True)).only_values() == (False, True)
    assert values_of("IN", (2**53, 2**53 + 1, 2**53 + 2)).only_values() == (2**53, 2**53 + 1, 2**53 + 2)
    assert values_of("IN", ("a", "a\0", "b")).only_values() == ("a", "a\0", "b")
    assert values_of(">", 5).only_values() is None
    assert (values_of(">", 5) & values_of("<", 6)).only_values() is None
    assert (values_of(">", "a") & values_of("<", "ab")).only_values() is None
    assert (values_of(">", Timestamp(5)) & values_of("<", Timestamp(25))).only_values() is None
    assert IntervalSet.empty(Kind.NUMBER).only_values() == ()
    assert IntervalSet.full(Kind.TIMESTAMP).only_values() is None


def test_intervals_come_in_order() -> None:
    both = values_of("<", 1) | values_of("=", 5) | values_of(">=", 7)
    assert list(both.intervals()) == [(None, (1, 0)), ((5, 0), (5, 1)), ((7, 0), None)]


def test_an_interval_from_a_cut_to_an_earlier_one_is_empty() -> None:
    assert IntervalSet.between(Kind.NUMBER, (5, 1), (3, 0)).is_empty
    assert IntervalSet.between(Kind.NUMBER, None, None).is_full
