"""What one thread needs to itself while it matches: cells, marks, and room for matches."""

from __future__ import annotations

from typing import Any

import numpy as np

from siftmesh.kernels.layout import CELL, COUNTERS, H_SLOT_COUNT

__all__ = ["Scratch"]

_LAST_STAMP = 2**31 - 2


class Scratch:
    """Arrays that kernels write to; they grow with what is asked of them."""

    def __init__(self) -> None:
        self.frame = np.zeros(256, np.int64)
        self.cells = np.zeros(0, np.int64)
        self.stamps = np.zeros(0, np.int32)
        self.out = np.zeros(256, np.int32)
        self.counters = np.zeros(COUNTERS, np.int64)
        self._stamp = 0

    def fit(self, words: Any, subscriptions: int) -> None:
        """Make the arrays long enough for an index and its subscriptions."""
        needed = CELL * (int(words[H_SLOT_COUNT]) + len(self.frame) // 2)
        if len(self.cells) < needed:
            self.cells = np.zeros(2 * needed, np.int64)
        if len(self.stamps) < subscriptions:
            self.stamps = np.zeros(2 * subscriptions, np.int32)
            self._stamp = 0

    def stamps_for(self, events: int) -> int:
        """The first of so many marks that are not in use."""
        if self._stamp + events > _LAST_STAMP:
            self.stamps[:] = 0
            self._stamp = 0
        first = self._stamp + 1
        self._stamp += events
        return first

    def longer_frame(self) -> None:
        """Room for an event of twice as many values."""
        self.frame = np.zeros(2 * len(self.frame), np.int64)

    def longer_out(self, least: int) -> None:
        """Room for more matches."""
        self.out = np.zeros(max(2 * len(self.out), least), np.int32)
