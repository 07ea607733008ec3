"""What one thread needs to itself while it matches, and where kernels find that and the pools."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from siftmesh.kernels.bitmap import WORK_WORDS
from siftmesh.kernels.dims import DIM
from siftmesh.kernels.entry import (
    CONTEXT,
    LAST_STAMP,
    X_CELLS,
    X_COUNTERS,
    X_DIMS,
    X_FRAME,
    X_HEAP,
    X_HIGHS,
    X_LONGS,
    X_LOWS,
    X_MADE,
    X_NAMED,
    X_OUT,
    X_PRESENT,
    X_SEEN,
    X_STAMP,
    X_STAMPS,
    X_WORDS,
)
from siftmesh.kernels.layout import CELL, COUNTERS, H_SLOT_COUNT, SEEN, Bytes, Longs, Words
from siftmesh.matching.pools import Pools
from siftmesh.matching.work import WorkCounters

__all__ = ["Scratch", "Scratches"]

_NO_DIMS: Words = np.zeros(0, np.int32)


class Scratch:
    """Arrays that kernels write to; they grow with what is asked of them."""

    def __init__(self) -> None:
        self.frame = np.zeros(256, np.int64)
        self.cells = np.zeros(0, np.int64)
        self.stamps = np.zeros(0, np.int32)
        self.out = np.zeros(1024, np.int32)
        # The ids of these, if they were asked for.
        self.named = np.zeros(1024, np.int64)
        self.counters = np.zeros(COUNTERS, np.int64)
        self.made = np.zeros(256, np.int64)
        self.present = np.zeros(0, np.uint8)
        self.lows = np.zeros(0, np.int64)
        self.highs = np.zeros(0, np.int64)
        self.seen = np.zeros(0, np.int64)
        self.work = np.zeros(COUNTERS, np.int64)
        # Matches that no kernel has counted.
        self.found = 0
        self._places = (self.present, self.lows, self.highs)
        self.context = np.zeros(CONTEXT, np.int64)
        self.address = int(self.context.ctypes.data)
        self._seen = (-1, -1, -1)
        # How often the pools, and all arrays of its engine, had moved when it was last made to fit them.
        self.version = self.moves = -1

    def fit(self, pools: Pools, subscriptions: int = 0, dims: Words = _NO_DIMS) -> None:
        """Be ready for the pools as they are, for so many subscriptions, and for these dimensions."""
        slots = len(pools.slots)
        if self._seen == (pools.version, slots, len(dims)) and subscriptions <= len(self.stamps):
            return
        needed = CELL * (int(pools.words[H_SLOT_COUNT]) + len(self.frame) // 2)
        if len(self.cells) < needed:
            self.cells = np.zeros(2 * needed, np.int64)
        elif slots != self._seen[1]:
            # Where the elements of arrays stood, new attributes stand now.
            self.cells[:] = 0
        if len(self.stamps) < subscriptions:
            self.stamps = np.zeros(2 * subscriptions, np.int32)
            self.context[X_STAMP] = 0
        if len(self.seen) < SEEN * slots:
            self.seen = np.concatenate([self.seen, np.zeros(SEEN * (slots + 16), np.int64)])
        width = len(dims) // DIM
        if len(self.present) != width:
            self.present = np.zeros(width, np.uint8)
            self.lows = np.zeros(width, np.int64)
            self.highs = np.zeros(width, np.int64)
        self._seen = (pools.version, slots, len(dims))
        self.version = pools.version
        self._tell(X_WORDS, pools.words)
        self._tell(X_LONGS, pools.longs)
        self._tell(X_HEAP, pools.heap)
        self._tell(X_FRAME, self.frame)
        self._tell(X_CELLS, self.cells)
        self._tell(X_STAMPS, self.stamps)
        self._tell(X_OUT, self.out)
        self._tell(X_NAMED, self.named)
        self._tell(X_COUNTERS, self.counters)
        self._tell(X_MADE, self.made)
        self._tell(X_DIMS, dims)
        self._tell(X_PRESENT, self.present)
        self._tell(X_LOWS, self.lows)
        self._tell(X_HIGHS, self.highs)
        self._tell(X_SEEN, self.seen)

    def stamps_for(self, events: int) -> int:
        """The first of so many marks that are not in use."""
        last = int(self.context[X_STAMP])
        if last + events > LAST_STAMP:
            self.stamps[:] = 0
            last = 0
        self.context[X_STAMP] = last + events
        return last + 1

    def done(self) -> WorkCounters:
        """The work that was done with it."""
        probes, candidates, leaves, matches, events, _, verified = self.counters[:7].tolist()
        words = int(self.work[WORK_WORDS])
        return WorkCounters(events, probes, candidates, leaves, words, verified, matches + self.found)

    def places(self, events: int, width: int) -> tuple[Bytes, Longs, Longs]:
        """Room for the places of so many events in so many dimensions."""
        size = events * width
        if len(self._places[0]) < size:
            self._places = (np.zeros(size, np.uint8), np.zeros(size, np.int64), np.zeros(size, np.int64))
        present, lows, highs = self._places
        return present[:size], lows[:size], highs[:size]

    def longer_frame(self, least: int = 0) -> None:
        """Room for an event, or a row of constants, of twice as many values."""
        self.frame = np.zeros(max(2 * len(self.frame), 2 * least), np.int64)
        self.made = np.zeros(2 * len(self.frame), np.int64)
        self._forget()

    def longer_out(self, least: int = 0) -> None:
        """Room for more matches."""
        self.out = np.zeros(max(2 * len(self.out), least), np.int32)
        self.named = np.zeros(len(self.out), np.int64)
        self._forget()

    def _forget(self) -> None:
        self._seen = (-1, -1, -1)
        self.version = self.moves = -1

    def _tell(self, where: int, array: Any) -> None:
        self.context[where] = array.ctypes.data
        self.context[where + 1] = len(array)


class Scratches:
    """What the threads that ask one engine have to themselves: borrowed, and made to fit its arrays."""

    def __init__(self, fit: Callable[[Scratch], None]) -> None:
        self._fit = fit
        # All there are, and those that nobody uses; who is done with one appends it to these.
        self.all: list[Scratch] = []
        self.spare: list[Scratch] = []
        # Counts what may have moved the arrays, so that a match need not ask each whether it is where it was.
        self.moves = 0

    def borrow(self) -> Scratch:
        """One that fits; it is given back by appending it to the spare ones."""
        try:
            scratch = self.spare.pop()
        except IndexError:
            scratch = Scratch()
            self.all.append(scratch)
        if scratch.moves != self.moves:
            self.fit(scratch)
        return scratch

    def fit(self, scratch: Scratch) -> None:
        """Let one fit the arrays as they are."""
        self._fit(scratch)
        scratch.moves = self.moves

    def done(self) -> WorkCounters:
        """All work that was done with them."""
        return sum((scratch.done() for scratch in self.all), WorkCounters())
