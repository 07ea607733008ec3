"""Input that somebody sends to do harm, or by mistake: the work stays in proportion to something sensible."""

from __future__ import annotations

import pyarrow as pa
import pytest

from siftmesh import Matcher

pytestmark = pytest.mark.timeout(240)


def work_of(matcher: Matcher, event: dict[str, object]) -> tuple[int, int, int]:
    """Matches, and the candidates and leaves that it took to find them."""
    before = matcher.work
    matcher.match(event)
    done = matcher.work - before
    return done.matches, done.candidates, done.leaves


def test_ten_thousand_copies_of_one_filter() -> None:
    matcher = Matcher()
    for number in range(10_000):
        matcher.add(number, "title = 'Dune' AND price < 10 AND (a = 1 OR b = 2)")
    assert sorted(matcher.match({"title": "Dune", "price": 9, "a": 1})) == list(range(10_000))
    matches, candidates, leaves = work_of(matcher, {"title": "Dune", "price": 9, "b": 2})
    assert (matches, candidates) == (10_000, 10_000)
    # What they have in common is asked once for many.
    assert leaves < 10_000
    assert work_of(matcher, {"title": "Emma", "price": 9, "a": 1})[1] == 0
    # One program and its constants, not ten thousand.
    assert sum(matcher.stats()["memory"].values()) < 60 * 10_000


def test_a_hundred_thousand_filters_on_one_attribute() -> None:
    matcher = Matcher()
    limits = pa.table({"id": pa.array(range(100_000)), "low": [float(n) for n in range(100_000)]})
    matcher.add_many("x >= :low AND x < 1e9", limits)
    assert sorted(matcher.match({"x": 41.5})) == list(range(42))
    before = matcher.work
    matcher.match({"x": 10.0})
    done = matcher.work - before
    assert done.matches == 11
    # Bits of a hundred thousand, and not as many subscriptions one by one.
    assert done.candidates + done.leaves + done.words < 20_000


def test_a_hundred_thousand_equalities_on_one_attribute_cost_nothing_to_those_who_ask_for_another() -> None:
    matcher = Matcher()
    matcher.add_many("x = :v", pa.table({"id": pa.array(range(100_000)), "v": pa.array(range(100_000))}))
    assert matcher.match({"x": 77_777}) == [77_777]
    assert work_of(matcher, {"x": 3})[1] <= 1


def test_filters_that_match_everything() -> None:
    matcher = Matcher()
    for number in range(2_000):
        matcher.add(number, "TRUE" if number % 2 else "x IS NULL OR x IS NOT NULL")
    assert len(matcher.match({})) == len(matcher.match({"x": 1})) == 2_000
    matches, candidates, leaves = work_of(matcher, {"y": 1})
    assert matches == candidates == 2_000
    assert leaves <= 2 * 2_000


def test_deep_nesting() -> None:
    text = "x = 0"
    for level in range(1, 45):
        text = f"(y{level} = {level} {'AND' if level % 2 else 'OR'} ({text}))"
    matcher = Matcher()
    matcher.add("deep", text)
    slow = Matcher(index="scan")
    slow.add("deep", text)
    for event in (
        {"x": 0},
        {f"y{n}": n for n in range(45)},
        {f"y{n}": n for n in range(1, 45, 2)} | {"x": 0},
    ):
        assert matcher.match(event) == slow.match(event)
        assert work_of(matcher, event)[2] <= 45


def test_a_string_of_a_megabyte() -> None:
    matcher = Matcher()
    matcher.add("equal", "s = 'needle'")
    matcher.add("within", "s LIKE '%needle%'")
    matcher.add("end", "s LIKE '%needle'")
    matcher.add("many", "s LIKE '%a%a%a%a%a%b%'")
    matcher.add("case", "s ILIKE '%NEEDLE%'")
    hay = "a" * 1_000_000
    assert set(matcher.match({"s": hay})) == set()
    assert set(matcher.match({"s": hay + "needle"})) == {"within", "end", "case"}
    assert work_of(matcher, {"s": hay})[2] < 100


def test_an_event_of_ten_thousand_attributes() -> None:
    matcher = Matcher()
    for number in range(1_000):
        matcher.add(number, f"a{number} = {number} AND b{number} > 0")
    event: dict[str, object] = {f"a{number}": number for number in range(10_000)}
    assert matcher.match(event) == []
    event |= {f"b{number}": 1 for number in range(10_000)}
    assert sorted(matcher.match(event)) == list(range(1_000))
    assert work_of(matcher, event)[1] == 1_000


def test_one_attribute_in_a_thousand_costs_only_those_who_have_it() -> None:
    matcher = Matcher()
    for number in range(20_000):
        matcher.add(number, f"r{number % 1_000} > {number // 1_000} AND r{number % 1_000} < 1000")
    event = {"r7": 5.5}
    assert sorted(matcher.match(event)) == [7 + 1_000 * n for n in range(6)]
    before = matcher.work
    matcher.match(event)
    done = matcher.work - before
    assert done.candidates + done.leaves + done.words < 4_000


def test_an_array_of_a_hundred_thousand_elements() -> None:
    matcher = Matcher()
    matcher.add("some", "xs CONTAINS 99999")
    matcher.add("none", "xs CONTAINS -1")
    matcher.add("quantified", "SOME (xs AS x, ys AS y: x >= 99999 AND y <= 0)")
    many = list(range(100_000))
    assert sorted(matcher.match({"xs": many, "ys": [0] * 100_000})) == ["quantified", "some"]
