"""What was seen of one attribute answers every predicate of it, within bounds."""

from __future__ import annotations

import msgspec
import pytest

from siftmesh.logic.attribute_profile import AttributeProfile
from siftmesh.logic.columns import Columns
from siftmesh.logic.evaluate import truth
from siftmesh.logic.histogram import Range
from siftmesh.logic.tree import Operator, Predicate
from siftmesh.model.event import Event
from siftmesh.model.values import OPAQUE, Kind, Timestamp, Value
from tests.reference.leaves import leaf

NOON = 1_577_880_000_000_000
NOTHING = object()


def profile(values: list[object]) -> AttributeProfile:
    events = [Event({} if value is NOTHING else {"a": value}) for value in values]
    return AttributeProfile.of(Columns.of(events)["a"])


MIXED: list[object] = [
    NOTHING,
    None,
    None,
    OPAQUE,
    True,
    True,
    False,
    1,
    1.0,
    2.5,
    -0.0,
    2**53 + 1,
    "abc",
    "abd",
    "abc",
    "x",
    "2020-01-01T12:00:00Z",
    Timestamp(NOON),
    Timestamp(NOON + 5),
    (1, 2, 2),
    (1.0, None),
    ("abc",),
    (),
]
SEEN = profile(MIXED)

# What so little is enough to know exactly.
CERTAIN = [
    *(leaf("a", asked, 1) for asked in ("=", "<>", "<", "<=", ">", ">=")),
    *(leaf("a", asked, 3) for asked in ("=", "<>", "<", "<=", ">", ">=")),
    *(leaf("a", asked, Timestamp(NOON)) for asked in ("=", "<>", "<", "<=", ">", ">=")),
    *(leaf("a", asked, True) for asked in ("=", "<>", "<", ">=")),
    *(leaf("a", asked, "abc") for asked in ("=", "<>")),
    *(leaf("a", asked, (1, 2, 3)) for asked in ("IN", "NOT IN")),
    *(leaf("a", asked, ("abc", "q")) for asked in ("IN", "NOT IN")),
    *(leaf("a", asked) for asked in ("IS NULL", "IS NOT NULL", "EXISTS", "NOT EXISTS")),
    *(leaf("a", asked, "_b_") for asked in ("LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE")),
    *(leaf("a", asked, "ab%") for asked in ("LIKE", "NOT LIKE", "ILIKE", "NOT ILIKE")),
    leaf("a", "CONTAINS", 7),
]
# And what it bounds.
BOUNDED = [
    *(leaf("a", asked, "abc") for asked in ("<", "<=", ">", ">=")),
    *(leaf("a", asked, 2**53 + 1) for asked in ("=", "<>", "<", "<=", ">", ">=")),
    *(leaf("a", asked, 2**53) for asked in ("=", "<>", "<", "<=", ">", ">=")),
    leaf("a", "CONTAINS", 1),
    *(leaf("a", asked, ("abc", "b")) for asked in ("OVERLAPS", "NOT OVERLAPS")),
    leaf("a", "NOT CONTAINS", 2),
    Predicate("a", Operator.OVERLAPS, Kind.STRING, ()),
    Predicate("a", Operator.NOT_OVERLAPS, Kind.STRING, ()),
]


def counted(asked: Predicate, values: list[object]) -> int:
    events = [Event({} if value is NOTHING else {"a": value}) for value in values]
    return sum(truth(asked, event) is True for event in events)


@pytest.mark.parametrize("asked", CERTAIN, ids=str)
def test_little_is_known_exactly(asked: Predicate) -> None:
    count = counted(asked, MIXED)
    assert SEEN.count(asked) == Range(count, count, count)


@pytest.mark.parametrize("asked", CERTAIN + BOUNDED, ids=str)
def test_the_bounds_hold(asked: Predicate) -> None:
    found = SEEN.count(asked)
    assert found is not None
    assert found.least <= counted(asked, MIXED) <= found.most
    assert found.least <= found.likely <= found.most


def test_what_is_seen_can_be_read() -> None:
    assert (SEEN.events, SEEN.present, SEEN.nulls, SEEN.trues) == (23, 22, 2, 2)
    assert SEEN.kinds == (2, 3, 5, 5, 2, 4, 1)
    assert SEEN.bounds == (0, 2**53)
    assert SEEN.distinct == 2 + 4 + 4
    assert [(value, times.likely) for value, times in SEEN.values[:4]] == [
        (True, 2),
        (1, 2),
        ("abc", 2),
        (False, 1),
    ]
    assert profile([NOTHING, "x"]).bounds is None
    assert profile([Timestamp(5)]).values == [(Timestamp(5), Range(1, 1, 1))]
    assert profile([Timestamp(5)]).distinct == 1


def test_whether_an_array_holds_a_moment_is_not_known() -> None:
    texts = profile([("2020-01-01T12:00:00Z",)])
    assert texts.count(leaf("a", "CONTAINS", Timestamp(NOON))) is None


def test_of_many_numbers_a_range_is_about_right() -> None:
    many = profile([number / 7 for number in range(5_000)])
    for constant in (0, 1, 100, 333.3, 714):
        for asked in ("<", "<=", ">", ">="):
            found = many.count(leaf("a", asked, constant))
            exact = counted(leaf("a", asked, constant), [number / 7 for number in range(5_000)])
            assert found is not None
            assert found.least <= exact <= found.most
            assert found.likely == pytest.approx(exact, abs=5_000 * many.numbers.histogram.error)
    assert many.numbers.histogram.error < 0.012


def test_of_many_strings_a_prefix_is_about_right() -> None:
    texts: list[Value] = [f"{number:04d}-{number}" for number in range(5_000)]
    many = profile(texts)  # type: ignore[arg-type]  # values are objects
    found = many.count(leaf("a", "LIKE", "01%"))
    assert found is not None
    assert found.least <= 100 <= found.most
    assert found.likely == pytest.approx(100, abs=15)
    assert many.count(leaf("a", "NOT LIKE", "01%")).likely == pytest.approx(4_900, abs=15)
    last = many.count(leaf("a", "LIKE", "\U0010ffff%"))
    assert last == Range(0, 0, 0)


def test_a_whole_number_is_found_however_it_is_spelled() -> None:
    for value in (2**54, float(2**54)):
        for constant in (2**54, float(2**54)):
            assert profile([value, None]).count(leaf("a", "=", constant)).most == 1
            assert profile([(value,), ()]).count(leaf("a", "CONTAINS", constant)) == Range(1, 1, 1)


def test_merging_is_seeing_all() -> None:
    for cut in (0, 5, 12, 23):
        one, other = profile(MIXED[:cut]), profile(MIXED[cut:])
        assert one.merge(other) == other.merge(one) == SEEN
    assert SEEN.merge(AttributeProfile()) == SEEN


def test_what_cannot_be_is_not_read() -> None:
    fields = msgspec.to_builtins(SEEN)
    assert msgspec.convert(fields, AttributeProfile) == SEEN
    for place, wrong in ((0, 21), (1, 21), (2, [22]), (3, 4), (4, [[], []]), (2, [2, 3, 4, 6, 2, 4, 1])):
        with pytest.raises(msgspec.ValidationError):
            msgspec.convert([*fields[:place], wrong, *fields[place + 1 :]], AttributeProfile)
