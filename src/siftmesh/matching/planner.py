"""Second thoughts: once events have been seen, subscriptions move to where fewer events look at them.

That is done in small steps, paid by those who change the index or call `tend`, so that nobody waits for long.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable

import numpy as np

from siftmesh.kernels.chains import programs_of
from siftmesh.kernels.layout import N_SAMPLED
from siftmesh.matching.clusters import ClusterIndex
from siftmesh.matching.places import Places
from siftmesh.matching.program import Program
from siftmesh.matching.scratch import Scratch

__all__ = ["Planner"]

# Sampled events before the first look, and how many times more there must be before the next.
_FIRST = 64
_FURTHER = 4
# How many times better a place must be for a subscription to move there, and how much: to move one takes as
# long as to look at some ten thousand, so it has to be looked at less in so many events of a million.
_BETTER = 4.0
_GAIN = 0.01
# Trees in the bitmaps that are looked at before all of them are.
_FEW = 64


class Planner:
    """Looks at programs one by one, then moves the subscriptions of those that stand badly."""

    def __init__(self, clusters: ClusterIndex, places: Places, move: Callable[[int], None]) -> None:
        self._clusters = clusters
        self._places = places
        self._move = move
        self._next = _FIRST
        self._work: Generator[None] | None = None

    def owes(self, scratches: Iterable[Scratch]) -> bool:
        """Whether there is something to do."""
        return self._work is not None or _sampled(scratches) >= self._next

    def tend(self, steps: int, scratches: Iterable[Scratch]) -> None:
        """Do some steps: look at a program, or move a subscription."""
        if self._work is None and self.owes(scratches):
            self._begin(scratches)
        while steps > 0 and self._work is not None:
            if next(self._work, self) is self:
                self._work = None
            steps -= 1

    def finish(self, scratches: Iterable[Scratch]) -> None:
        """Look at everything now, and move all that stands badly."""
        if self._work is None:
            self._begin(scratches)
        while self._work is not None:
            self.tend(1 << 16, scratches)

    def _begin(self, scratches: Iterable[Scratch]) -> None:
        sampled = _sampled(scratches)
        self._next = max(_FIRST, _FURTHER * sampled)
        seen = np.zeros(max((len(scratch.seen) for scratch in scratches), default=0), np.int64)
        for scratch in scratches:
            seen[: len(scratch.seen)] += scratch.seen
        self._clusters.estimates.learn(sampled, seen)
        self._work = self._steps()

    def _steps(self) -> Generator[None]:
        stale: set[int] = set()
        for program in self._clusters.programs():
            if program.subscriptions and self._stands_badly(program):
                stale.add(program.place)
            yield
        yield from self._move_from(stale)
        kept = self._places.kept.numbers()
        # If of a few none does, hardly any will: to look at each takes longer than to match many events.
        few = kept[:: max(1, len(kept) // _FEW)].tolist()
        for number in kept.tolist() if any(map(self._stands_apart, few)) else ():
            if self._stands_apart(number):
                self._move(number)
            yield

    def _stands_apart(self, number: int) -> bool:
        # In the meantime it may have been removed.
        return number in self._places.kept and self._places.stands_apart(number)

    def _move_from(self, stale: set[int]) -> Generator[None]:
        """Move the subscriptions of these programs."""
        if not stale:
            return
        self._clusters.forget_forms(stale)
        places = programs_of(self._clusters.pools.words)
        for number in np.flatnonzero(np.isin(places, list(stale))).tolist():
            # In the meantime it may have been removed, and its number may stand for another.
            if self._clusters.place_of(number) in stale:
                self._move(number)
            yield

    def _stands_badly(self, program: Program) -> bool:
        estimates = self._clusters.estimates
        best = estimates.access(program.part, program.examples)
        likely = 1.0 if best is None else best.probability
        if program.parked:
            return likely * _BETTER < self._places.often
        now = estimates.likely_access(program.access, program.examples)
        if likely > self._places.often:
            # What no access finds seldom may still be for the bitmaps.
            return now > self._places.often * _BETTER and self._places.fits_bitmaps(program.part)
        return likely * _BETTER < now and now - likely > _GAIN


def _sampled(scratches: Iterable[Scratch]) -> int:
    """How many events were noted."""
    return sum(int(scratch.counters[N_SAMPLED]) for scratch in scratches)
