"""Estimates: what is likelier is said to be likelier, from what is asked for and from what events had."""

from __future__ import annotations

import random
from typing import Any

import pytest

from siftmesh.filters import FilterReader
from siftmesh.logic.tree import Leaf, Tree
from siftmesh.matching.access import Access, Joined
from siftmesh.matching.adaptive import AdaptiveEngine
from siftmesh.matching.estimates import Estimates
from siftmesh.matching.shape import Part, key_of, shape_of, skeleton
from siftmesh.matching.shape import Test as Asked
from siftmesh.model.values import Kind

READER = FilterReader()


class Held:
    """An engine that holds some filters and has seen some events."""

    def __init__(self, *texts: str) -> None:
        self.engine = AdaptiveEngine()
        for number, text in enumerate(texts):
            self.engine.insert(number, READER.read(text))

    @property
    def estimates(self) -> Estimates:
        return self.engine.clusters.estimates

    def see(self, *events: dict[str, Any]) -> None:
        """Let so many events pass that the estimates learn from some of them."""
        rng = random.Random(7)
        for _ in range(5_000):
            self.engine.find(rng.choice(events))
        self.engine.compact()

    def likely(self, text: str) -> float:
        test = asked(text)
        return self.estimates.probability(test.leaf.attribute, test)  # type: ignore[union-attr]  # a predicate

    def present(self, name: str) -> float:
        return self.estimates.probability(name, None)


def asked(text: str) -> Asked:
    test = skeleton(READER.read(text))
    assert isinstance(test, Asked)
    return test


# ---- before any event


def test_many_constants_tell_events_apart() -> None:
    held = Held(*(f"title = 'title {n}'" for n in range(300)), "fmt = 'a'", "fmt = 'b'")
    assert held.likely("title = 'x'") < held.likely("fmt = 'x'") < 0.5
    # Nobody has asked about this one.
    assert held.likely("title = 'x'") < held.likely("other = 'x'")
    assert held.likely("fmt = 'x'") <= held.likely("other = 'x'")


def test_few_constants_again_and_again_are_all_there_are() -> None:
    held = Held(*(f"fmt = 'f{n % 4}' AND k = {n}" for n in range(200)))
    assert held.likely("fmt = 'x'") == pytest.approx(0.25)
    assert held.likely("k = 1") < 0.01
    assert Held(*(f"fmt = 'a' AND k = {n}" for n in range(200))).likely("fmt = 'x'") == 0.5


def test_of_several_values_one_is_likelier_and_of_two_bools_half() -> None:
    held = Held("a = 1", "a = 2", "a = 3", "xs CONTAINS 1", "xs CONTAINS 2")
    assert held.likely("a IN (1, 2)") == pytest.approx(2 * held.likely("a = 1"))
    assert held.likely("xs OVERLAPS (1, 2)") == pytest.approx(2 * held.likely("xs CONTAINS 1"))
    assert held.likely("a = TRUE") == 0.5


def test_any_attribute_may_be_there() -> None:
    assert Held("a = 1").present("a") == Held().present("a") == 1


def test_constants_that_are_about_to_come_count_too() -> None:
    held = Held()
    before = held.likely("a = 1")
    held.estimates.expect({"a": (1_000, 1_000)})
    assert held.likely("a = 1") < before / 10
    held.estimates.expect({"a": (4, 1_000)})
    assert held.likely("a = 1") == pytest.approx(0.25)
    held.estimates.expect({})
    assert held.likely("a = 1") == before


# ---- after some


def test_what_events_had_is_believed() -> None:
    # All events have one of ten values of `a`, half of them one of `c`; their values of `b` nobody asks for.
    held = Held(*(f"a = 'a{n}' AND b = 'b{n}' AND c = 'c{n}'" for n in range(10)))
    held.see(*({"a": f"a{n}", "b": "none of these", "c": f"c{n}" if n < 5 else "no"} for n in range(10)))
    assert held.likely("a = 'x'") == pytest.approx(0.1, rel=0.2)
    assert held.likely("c = 'x'") == pytest.approx(0.05, rel=0.2)
    assert held.likely("b = 'x'") < 0.001
    assert held.likely("b = 'x'") > 0
    assert held.likely("a IN ('x', 'y')") == pytest.approx(2 * held.likely("a = 'x'"))


def test_how_often_an_attribute_is_there_is_believed() -> None:
    held = Held("a = 1", "rare = 1", "never = 1", "nil = 1")
    held.see(*({"a": 1, "nil": None} | ({"rare": 1} if n == 3 else {}) for n in range(11)))
    assert held.present("a") == pytest.approx(1)
    assert held.present("rare") == pytest.approx(1 / 11, rel=0.3)
    assert 0 < held.present("never") < 0.01
    assert held.present("nil") == held.present("never")
    # Of what nobody asks about nothing is noted.
    assert held.present("other") == 1


def test_a_handful_of_events_says_nothing() -> None:
    held = Held("a = 1", "rare = 1")
    for _ in range(16 * 60):
        held.engine.find({"a": 1})
    held.engine.compact()
    assert held.present("rare") == 1


def test_parts_of_strings_are_counted_by_themselves() -> None:
    held = Held(
        *(f"t LIKE 'common%' AND k = {n}" for n in range(5)), *(f"t LIKE 'odd {n}%'" for n in range(5))
    )
    held.see({"t": "common words", "k": 77})
    often = held.likely("t LIKE 'x%'")
    # That the whole string is asked for says nothing of its parts.
    held = Held(
        *(f"t LIKE 'odd {n}%'" for n in range(10)), *(f"t = 'common words' AND k = {n}" for n in range(9))
    )
    held.see({"t": "common words"})
    assert held.likely("t LIKE 'x%'") < 0.01 < often


def part_of(text: str) -> tuple[Part, list[Any]]:
    tree: Tree = READER.read(text)
    part = skeleton(tree)
    assert isinstance(part, Part)
    return part, shape_of(tree)[1]


def range_of(part: Part) -> Joined:
    low, high = sorted(part.children, key=lambda test: test.operation not in (3, 5))  # type: ignore[union-attr]  # tests
    assert isinstance(low, Asked)
    assert isinstance(high, Asked)
    return Joined(low=low, high=high)


def spread() -> Held:
    held = Held("p >= 1 AND p <= 2 AND k = 1 AND q > 1")
    held.see(*({"p": n % 100, "k": 1 if n % 2 else 2, "q": 1} for n in range(64)))
    return held


def test_narrow_ranges_are_less_likely_than_wide_ones() -> None:
    held = spread()
    found = []
    for high in (1, 5, 20, 99):
        part, constants = part_of(f"p >= 0.5 AND p <= {high}")
        access = Access((), (), 0.0, (range_of(part),))
        found.append(held.estimates.likely_access(access, [constants]))
    assert found == sorted(found)
    assert 0 < found[0] < 0.3 < found[-1] <= 1
    # As many rows as are known are looked at.
    part, narrow = part_of("p >= 0.5 AND p <= 1")
    access = Access((), (), 0.0, (range_of(part),))
    wide = part_of("p >= 0 AND p <= 20")[1]
    assert found[0] < held.estimates.likely_access(access, [narrow, wide]) < 1
    # Of ranges without rows nobody knows anything.
    assert held.estimates.likely_access(access, []) == 1


def test_access_is_as_likely_as_what_it_asks_for() -> None:
    held = spread()
    part, constants = part_of("k = 1 AND q > 3 AND p >= 0 AND p <= 3")
    tests = {test.leaf.attribute: test for test in part.children}  # type: ignore[union-attr]  # tests
    k, q = tests["k"], tests["q"]
    assert isinstance(k, Asked)
    assert isinstance(q, Asked)

    def likely(access: Access) -> float:
        return held.estimates.likely_access(access, [constants])

    one = likely(Access((k,), (), 0.0))
    assert one == held.estimates.probability("k", k)
    assert likely(Access((k, k), (), 0.0)) == pytest.approx(2 * one)
    assert likely(Access((k,), ("q",), 0.0)) == pytest.approx(one + held.present("q"))
    assert likely(Access((), (), 0.0)) == 1
    assert likely(Access((), (), 0.0, (Joined(equal=k, other=k),))) == pytest.approx(one * one)


def test_ranges_are_considered_only_when_events_were_seen() -> None:
    part, constants = part_of("p >= 3 AND p <= 4 AND k = 1")
    fresh = Held("p >= 1 AND p <= 2 AND k = 1")
    access = fresh.estimates.access(part, [constants])
    assert access is not None
    assert not access.joined
    access = spread().estimates.access(part, [constants])
    assert access is not None
    assert access.joined
    assert access.probability < 0.2


def test_the_share_of_events_between_two_keys() -> None:
    held = spread()
    low, middle, high = (key_of(Kind.NUMBER, value) for value in (0, 31, 63))
    share = held.estimates.share
    assert share("p", low, high) == pytest.approx(1, abs=0.1)
    assert 0.2 < share("p", low, middle) < 0.8
    assert share("p", key_of(Kind.NUMBER, 200), key_of(Kind.NUMBER, 300)) < 0.05
    # What was seen last counts.
    held.see({"p": 500, "k": 1, "q": 1})
    assert share("p", low, high) < 0.05 < share("p", high, key_of(Kind.NUMBER, 1_000))
    # Of strings no keys are known, and of what nobody asks about nothing.
    assert share("other", low, high) == 1
    assert Held("p > 1").estimates.share("p", low, high) == 1


# ---- for the order of evaluation


def test_opposites_are_as_likely_as_they_are_not() -> None:
    likely = Held().estimates.likely
    pairs = [
        ("a IS NULL", "a IS NOT NULL"),
        ("NOT EXISTS(a)", "EXISTS(a)"),
        ("a CONTAINS 1", "NOT a CONTAINS 1"),
        ("a OVERLAPS (1, 2)", "NOT a OVERLAPS (1, 2)"),
        ("a = TIMESTAMP '2024-01-01T00:00:00Z'", "a <> TIMESTAMP '2024-01-01T00:00:00Z'"),
    ]
    for one, other in pairs:
        assert likely(asked(one)) + likely(asked(other)) == pytest.approx(1)
        assert likely(asked(one)) < likely(asked(other))
    assert likely(asked("a = 1")) < likely(asked("a < 1")) < likely(asked("a <> 1"))
    assert likely(asked("a < 1")) == likely(asked("a >= 1"))
    assert likely(asked("a + 1 > 2")) == 0.5


class Told:
    """Stands in for a profile."""

    def __init__(self, events: int) -> None:
        self.events = events

    def probability(self, leaf: Leaf) -> float:
        return 0.123


def test_a_profile_is_believed_if_it_has_seen_something() -> None:
    estimates: Any = Held().estimates
    before = estimates.likely(asked("a < 1"))
    estimates.use(Told(10))
    assert estimates.likely(asked("a < 1")) == 0.123
    estimates.use(Told(0))
    assert estimates.likely(asked("a < 1")) == before
    estimates.use(None)
    assert estimates.likely(asked("a < 1")) == before
