"""Second thoughts: subscriptions move to better places in small steps, and the same is found all the time."""

from __future__ import annotations

import random
from typing import Any

import pytest

from siftmesh.filters import FilterReader
from siftmesh.matching.adaptive import AdaptiveEngine
from siftmesh.matching.scan import ScanEngine

READER = FilterReader()
# Events of which one is sampled, and sampled ones before the first look.
SAMPLE, FIRST = 16, 64
# As long as nothing is known of either, they wait for `a`, which nearly all events have as they ask for it.
MISTAKEN = [f"a = 'a{0 if n % 4 else n}' AND k = 'k{n % 60}' AND price < {n}" for n in range(240)]
EVENTS: list[dict[str, Any]] = [{"a": "a0", "k": f"k{n}", "price": n % 50} for n in range(60)]


class Both:
    """An engine and the oracle."""

    def __init__(self, texts: list[str], events: list[dict[str, Any]]) -> None:
        self.engine, self.oracle = AdaptiveEngine(), ScanEngine()
        self.events = events
        for number, text in enumerate(texts):
            self.insert(number, text)

    def insert(self, number: int, text: str) -> None:
        for one in (self.engine, self.oracle):
            one.insert(number, READER.read(text))

    def delete(self, number: int) -> None:
        for one in (self.engine, self.oracle):
            one.delete(number)

    def see(self, count: int = SAMPLE * (FIRST + 1)) -> None:
        rng = random.Random(3)
        for _ in range(count):
            self.engine.find(rng.choice(self.events))

    def check(self) -> None:
        for event in self.events[:12]:
            assert sorted(self.engine.find(event)) == sorted(self.oracle.find(event)), event

    def tend(self) -> int:
        """Everything that is owed, one step at a time, with questions in between; how many steps."""
        steps = 0
        while self.engine.tend(1):
            steps += 1
            self.check()
            assert steps < 10_000
        self.check()
        return steps

    def access(self) -> list[str]:
        return [self.engine.access(number) for number in range(len(self.oracle._trees))]


def test_who_waits_for_what_all_events_have_moves_to_what_few_have() -> None:
    both = Both(MISTAKEN, EVENTS)
    before = both.access()
    assert all(one.startswith("a = ") for one in before)
    both.see(100)
    assert not both.engine.tend(1_000)
    assert both.access() == before
    both.see()
    assert both.tend() > 240
    after = both.access()
    assert sum(not one.startswith("a = ") for one in after) > 200
    both.check()
    for number in range(240):
        assert both.engine.tree(number) == both.oracle.tree(number)
    # All that is owed is paid.
    assert not both.engine.tend(1)


def test_fewer_subscriptions_are_looked_at_afterwards() -> None:
    both = Both(MISTAKEN, EVENTS)

    def candidates() -> int:
        before = both.engine.work
        both.check()
        return (both.engine.work - before).candidates

    first = candidates()
    both.see()
    both.engine.compact()
    assert candidates() < first / 4


def test_narrow_ranges_move_from_the_bitmaps_into_chains_of_their_own() -> None:
    texts = [f"price >= {n} AND price <= {n}.2 AND flag = TRUE" for n in range(120)]
    texts += [f"price >= {n} AND price <= {n + 900}" for n in range(20)]
    both = Both(texts, [{"price": n * 10 + 0.1, "flag": True} for n in range(100)])
    assert set(both.access()) == {"bitmap of ranges"}
    both.see()
    assert both.tend() > 120
    after = both.access()
    assert all(" AND " in one or "BETWEEN" in one for one in after[:120])
    assert set(after[120:]) == {"bitmap of ranges"}
    assert len(both.engine.bitmaps) == 20


# Of nothing but ranges, of an attribute that half of all events have.
SELDOM = [f"x >= {n} AND x <= {n}.2" for n in range(60)]
WITH_X = [*({"x": 1_000 + n} for n in range(30)), *({"a": "a0", "k": f"k{n}", "x": None} for n in range(30))]


def test_trees_of_which_bounds_say_all_move_too() -> None:
    both = Both([*SELDOM, "x > 3 AND x < 2000"], WITH_X)
    assert set(both.access()) == {"bitmap of ranges"}
    both.see(3 * SAMPLE * FIRST)
    assert both.tend() >= 60
    assert len(both.engine.bitmaps) == 1
    assert set(both.access()[60:]) == {"bitmap of ranges"}
    assert all("x" in one and "bitmap" not in one for one in both.access()[:60])


def test_pairs_of_what_is_not_rare_by_itself() -> None:
    texts = [f"fmt = 'f{n % 12}' AND cat = 'c{n // 12 % 12}' AND price < {n}" for n in range(288)]
    both = Both(texts, [{"fmt": f"f{n % 12}", "cat": f"c{n // 12}", "price": 0} for n in range(144)])
    both.see()
    both.tend()
    after = both.access()
    assert all("fmt = " in one and " AND " in one and "cat = " in one for one in after)


def test_what_stands_well_stays() -> None:
    texts = [f"a = {n} AND fmt = 'f{n % 2}'" for n in range(200)]
    both = Both(texts, [{"a": n, "fmt": "f0"} for n in range(200)])
    before = both.access()
    both.see()
    steps = both.tend()
    assert both.access() == before
    assert steps < 20  # programs are looked at, but nobody is moved


def test_a_look_is_taken_again_only_after_many_more_events() -> None:
    both = Both(MISTAKEN, EVENTS)
    both.see()
    assert both.engine.tend(1)
    both.engine.compact()
    both.see()
    assert not both.engine.tend(1)
    both.see(4 * SAMPLE * FIRST)
    assert both.engine.tend(1)


@pytest.mark.parametrize("again", [False, True])
def test_who_goes_in_the_meantime_is_not_moved(again: bool, seed: int) -> None:
    rng = random.Random(seed)
    texts = MISTAKEN + [f"price >= {n} AND price <= {n}.2 AND flag = TRUE" for n in range(100)]
    texts += [f"price > {n}" for n in range(20)] + SELDOM
    events = [{"a": "a0", "k": f"k{n}", "price": n % 100 + 0.1, "flag": True} for n in range(100)]
    events += WITH_X
    rng.shuffle(events)
    both = Both(texts, events)
    both.see(4 * SAMPLE * FIRST)
    numbers = list(range(len(texts)))
    rng.shuffle(numbers)
    steps = 0
    while both.engine.tend(1):
        steps += 1
        if numbers and steps % 2:
            number = numbers.pop()
            both.delete(number)
            if again:
                # The number stands for somebody else from now on.
                both.insert(
                    number,
                    rng.choice(["a = 'a0'", "price > 7", "k = 'k5' AND flag = FALSE", texts[number]]),
                )
        if steps % 20 == 0:
            both.check()
    both.check()
    for number in both.oracle._trees:
        assert both.engine.tree(number) == both.oracle.tree(number)


def test_who_comes_in_the_meantime_stands_where_it_is_best() -> None:
    both = Both(MISTAKEN, EVENTS)
    both.see()
    # Enough steps to look at all programs, few enough that most have not moved.
    for _ in range(60):
        both.engine.tend(1)
    assert both.engine.access(239).startswith("a = ")
    both.insert(500, "a = 'a0' AND k = 'k7' AND price < 300")
    assert both.engine.access(500) == "k = 'k7'"
    both.check()


def test_changes_pay_for_it() -> None:
    both = Both(MISTAKEN, EVENTS)
    both.see()
    before = both.access()
    for _ in range(400):
        both.insert(999, "other = 1")
        both.delete(999)
    assert both.access() != before
    assert not both.engine.tend(1)
    both.check()


def test_compacting_pays_all_at_once() -> None:
    both = Both(MISTAKEN, EVENTS)
    both.see()
    both.engine.tend(3)
    both.engine.compact()
    assert not both.engine.tend(1)
    both.check()
    # An engine that has seen nothing has nothing to pay.
    empty = AdaptiveEngine()
    empty.compact()
    assert not empty.tend(5)
