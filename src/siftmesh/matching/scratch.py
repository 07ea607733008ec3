"""What one thread needs to itself while it matches, and where kernels find that and the pools."""

from __future__ import annotations

from typing import Any

import numpy as np

from siftmesh.kernels.entry import (
    CONTEXT,
    LAST_STAMP,
    X_CELLS,
    X_COUNTERS,
    X_FRAME,
    X_HEAP,
    X_LONGS,
    X_MADE,
    X_OUT,
    X_STAMP,
    X_STAMPS,
    X_WORDS,
)
from siftmesh.kernels.layout import CELL, COUNTERS, H_SLOT_COUNT
from siftmesh.matching.pools import Pools

__all__ = ["Scratch"]


class Scratch:
    """Arrays that kernels write to; they grow with what is asked of them."""

    def __init__(self) -> None:
        self.frame = np.zeros(256, np.int64)
        self.cells = np.zeros(0, np.int64)
        self.stamps = np.zeros(0, np.int32)
        self.out = np.zeros(1024, np.int32)
        self.counters = np.zeros(COUNTERS, np.int64)
        self.made = np.zeros(256, np.int64)
        self.context = np.zeros(CONTEXT, np.int64)
        self.address = int(self.context.ctypes.data)
        self._seen = (-1, -1, -1)

    def fit(self, pools: Pools, subscriptions: int) -> None:
        """Be ready for the pools as they are, and for so many subscriptions."""
        slots = len(pools.slots)
        state = (pools.version, slots, subscriptions if subscriptions > len(self.stamps) else -1)
        if state == self._seen:
            return
        needed = CELL * (int(pools.words[H_SLOT_COUNT]) + len(self.frame) // 2)
        if len(self.cells) < needed:
            self.cells = np.zeros(2 * needed, np.int64)
        if len(self.stamps) < subscriptions:
            self.stamps = np.zeros(2 * subscriptions, np.int32)
            self.context[X_STAMP] = 0
        self._seen = (pools.version, slots, -1)
        self._tell(X_WORDS, pools.words)
        self._tell(X_LONGS, pools.longs)
        self._tell(X_HEAP, pools.heap)
        self._tell(X_FRAME, self.frame)
        self._tell(X_CELLS, self.cells)
        self._tell(X_STAMPS, self.stamps)
        self._tell(X_OUT, self.out)
        self._tell(X_COUNTERS, self.counters)
        self._tell(X_MADE, self.made)

    def stamps_for(self, events: int) -> int:
        """The first of so many marks that are not in use."""
        last = int(self.context[X_STAMP])
        if last + events > LAST_STAMP:
            self.stamps[:] = 0
            last = 0
        self.context[X_STAMP] = last + events
        return last + 1

    def longer_frame(self) -> None:
        """Room for an event, or a row of constants, of twice as many values."""
        self.frame = np.zeros(2 * len(self.frame), np.int64)
        self.made = np.zeros(2 * len(self.frame), np.int64)
        self._seen = (-1, -1, -1)

    def longer_out(self, least: int = 0) -> None:
        """Room for more matches."""
        self.out = np.zeros(max(2 * len(self.out), least), np.int32)
        self._seen = (-1, -1, -1)

    def _tell(self, where: int, array: Any) -> None:
        self.context[where] = array.ctypes.data
        self.context[where + 1] = len(array)
