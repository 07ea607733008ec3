"""How likely events are to have what subscriptions ask for, before and after some have been seen."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from siftmesh.kernels.layout import (
    KEYS,
    OP_CONTAINS,
    OP_EQ,
    OP_IN,
    OP_IS_NULL,
    OP_KEY_EQ,
    OP_LIKE,
    OP_NOT_EXISTS,
    OP_OVERLAPS,
    OP_UNSURE,
    SEEN,
    T_COUNT,
    T_KEYS,
    T_PRESENT,
    T_TEXTS,
    T_USES,
    Longs,
)
from siftmesh.logic.profile import Profile
from siftmesh.logic.tree import Predicate
from siftmesh.matching.access import Access, access_of
from siftmesh.matching.pools import Pools
from siftmesh.matching.shape import Part, Test, key_of
from siftmesh.model.values import Kind

__all__ = ["Estimates"]

# With no constant known, one value in so many is guessed to be the one.
_VALUES = 50
# Constants that have been asked for so many times each, on average, have been seen for what they are.
_OFTEN = 4
_ITEMS = 2
_GUESSES = {
    OP_EQ: 0.1,
    OP_KEY_EQ: 0.01,
    OP_IN: 0.3,
    OP_CONTAINS: 0.1,
    OP_OVERLAPS: 0.3,
    OP_LIKE: 0.1,
    OP_IS_NULL: 0.1,
    OP_NOT_EXISTS: 0.1,
    OP_UNSURE: 0.5,
}
# Most comparisons: two of those make a range.
_COMPARISON = 0.35


# Sampled events before what was seen is relied on.
_ENOUGH = 64


class Estimates:
    """How likely tests are: by a profile, by what events have been seen to have, or by what is asked for.

    As long as no event has been seen, attributes with many constants are taken to tell events apart.
    """

    def __init__(self, pools: Pools) -> None:
        self._pools = pools
        self._profile: Profile | None = None
        # Of each slot how often it was there, and how often what was there is held by subscriptions.
        self._seen = np.zeros(0, np.int64)
        self._events = 0
        # Of some slots the last keys, in order.
        self._sorted: dict[int, list[int]] = {}
        self._expected: dict[str, tuple[int, int]] = {}

    def use(self, profile: Profile | None) -> None:
        """Prefer what a profile says, where it says something."""
        self._profile = profile

    def expect(self, asked: Mapping[str, tuple[int, int]]) -> None:
        """Reckon with constants about to be held: by attribute how many different ones, of how many."""
        self._expected = dict(asked)

    def learn(self, events: int, seen: Longs) -> None:
        """Rely on what so many sampled events had."""
        self._events = events
        self._seen = seen
        self._sorted = {}

    def probability(self, attribute: str, test: Test | None) -> float:
        """How likely an event is to make a test true, or (without one) to have the attribute."""
        slot = self._pools.slots.get(attribute)
        if test is None:
            return self._present(slot)
        if isinstance(test.leaf, Predicate) and test.leaf.kind == Kind.BOOL:
            return 0.5
        distinct, uses, texts = self._pools.asked(slot) if slot is not None else (0, 0, 0)
        items = _ITEMS if test.operation in (OP_IN, OP_OVERLAPS) else 1
        held = texts if test.form else uses
        if slot is not None and held and self._events >= _ENOUGH:
            # That an event meets one of all uses, taken at random; nothing is never.
            which = SEEN * slot + (T_TEXTS if test.form else T_USES)
            met = self._seen[which] if which < len(self._seen) else 0
            return min(0.9, items * (float(met) / held + 0.1) / self._events)
        more, times = self._expected.get(attribute, (0, 0))
        distinct, uses = max(distinct, more), uses + times
        # Few constants that come again and again are all there are; otherwise there may be many more of them.
        one = 1 / distinct if uses >= _OFTEN * distinct > 0 else 1 / (_VALUES + distinct)
        return min(0.5, one * items)

    def _present(self, slot: int | None) -> float:
        if slot is None or self._events < _ENOUGH or SEEN * slot >= len(self._seen):
            return 1.0
        return float(self._seen[SEEN * slot + T_PRESENT] + 0.1) / (self._events + 0.1)

    def access(self, part: Part | Test, examples: Sequence[Sequence[Any]]) -> Access | None:
        """The best access of a shape of which some rows of constants are known."""
        if self._events < _ENOUGH:
            return access_of(part, self.probability)
        return access_of(part, self.probability, partial(self._between, examples))

    def likely_access(self, access: Access, examples: Sequence[Sequence[Any]]) -> float:
        """How likely an event is to have what an access asks for."""
        if not access.tests and not access.presences and not access.joined:
            return 1.0
        found = sum((self.probability(_attribute(test), test) for test in access.tests), 0.0)
        found += sum((self.probability(name, None) for name in access.presences), 0.0)
        for one in access.joined:
            chance = 1.0
            for test in (one.equal, one.other):
                if test is not None:
                    chance *= self.probability(_attribute(test), test)
            if one.low is not None and one.high is not None:
                between = self._between(examples, one.low, one.high)
                chance *= 1.0 if between is None else between
            found += chance
        return found

    def _between(self, examples: Sequence[Sequence[Any]], low: Test, high: Test) -> float | None:
        """The share of the last values of an attribute that lie between bounds, on average over some rows."""
        slot = self._pools.slots.get(_attribute(low))
        if slot is None or not examples or SEEN * slot >= len(self._seen):
            return None
        count = min(KEYS, int(self._seen[SEEN * slot + T_COUNT]))
        if count < KEYS:
            return None
        first = SEEN * slot + T_KEYS
        keys = self._seen[first : first + count]
        kind = low.leaf.kind if isinstance(low.leaf, Predicate) else Kind.NULL
        met = sum(
            int(((keys >= key_of(kind, row[low.first])) & (keys <= key_of(kind, row[high.first]))).sum())
            for row in examples
        )
        # A block may be four times as long as the range, and two are looked up.
        there = self._present(slot)
        return float(min(1.0, (4 * met / len(examples) + 0.5) / count) * there)

    def share(self, attribute: str, low: int, high: int) -> float:
        """The share of events whose value of an attribute has a key between two; 1 if nobody knows."""
        slot = self._pools.slots.get(attribute)
        if slot is None or self._events < _ENOUGH or SEEN * slot >= len(self._seen):
            return 1.0
        there = self._present(slot)
        if int(self._seen[SEEN * slot + T_COUNT]) < KEYS:
            return there
        keys = self._sorted.get(slot)
        if keys is None:
            first = SEEN * slot + T_KEYS
            keys = self._sorted[slot] = sorted(self._seen[first : first + KEYS].tolist())
        return there * (bisect_right(keys, high) - bisect_left(keys, low) + 0.5) / KEYS

    def likely(self, test: Test) -> float:
        """How likely a test is to be true, for the order of evaluation."""
        if self._profile is not None and self._profile.events:
            return self._profile.probability(test.leaf)
        if isinstance(test.leaf, Predicate) and test.operation in (OP_EQ, OP_IN, OP_LIKE):
            return self.probability(test.leaf.attribute, test)
        guess = _GUESSES.get(test.operation)
        if guess is not None:
            return guess
        opposite = _GUESSES.get(test.operation ^ 1)
        return _COMPARISON if opposite is None else 1 - opposite


def _attribute(test: Test) -> str:
    assert isinstance(test.leaf, Predicate)
    return test.leaf.attribute
