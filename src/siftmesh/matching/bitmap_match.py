"""Asking an index of bitmaps what events meet, and putting together what its parts answer."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress

import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.bitmap import S_WORDS, STATE, match_parts, weave
from siftmesh.kernels.bitmap_layout import H_DENSE
from siftmesh.kernels.bitmap_segment import PLAN
from siftmesh.kernels.layout import Bytes, Longs, Words
from siftmesh.matching.bitmap_open import OpenTerms
from siftmesh.matching.bitmap_segments import Segment, aligned

__all__ = ["Searcher", "plain"]

# What a batch finds is collected in pieces of about so many codes. A segment is left for the next one after
# each piece, and what was read of it has to come from memory again: pieces are not small.
_PIECE = 1 << 21
_FIRST_EVENTS = 64
_MOST_EVENTS = 4096


class _Window:
    """An array as numpy takes it from other libraries: like the one it is made of, but not marked read-only.

    Kernels are compiled anew for arrays that are marked so, and they do not write to these.
    """

    def __init__(self, array: NDArray[np.generic]) -> None:
        self.array = array
        self.__array_interface__ = {**array.__array_interface__, "data": (array.ctypes.data, False)}


def plain(array: NDArray[np.generic]) -> NDArray[np.generic]:
    """The same numbers as an array of one dimension that looks as if one could write to it."""
    if array.ndim != 1 or not array.flags.c_contiguous:
        array = array.ravel()
    return array if array.flags.writeable else np.asarray(_Window(array))


class _Scratch:
    """What one match writes to besides its result."""

    def __init__(self, words: int, plan: int) -> None:
        # Changes, bits and owners seen, and a plan; the changes are zero between matches.
        self.words = words
        self.plan = plan
        self.longs = aligned(3 * words + plan)
        self.longs[:] = 0
        self.out = np.empty(1 << 12, np.int32)

    def grow(self, filled: int, more: int) -> None:
        """Make room behind what is filled."""
        out = np.empty(max(2 * self.out.size, filled + more), np.int32)
        out[:filled] = self.out[:filled]
        self.out = out


class Searcher:
    """Matches in segments and open terms; several threads may match at once, but not while these change."""

    def __init__(self, segments: Collection[Segment], opened: OpenTerms) -> None:
        self._opened = opened
        # The arrays are looked for by their addresses: the segments hold them.
        self._held = [*segments]
        self._parts = np.concatenate([np.zeros(0, np.int64), *[part.addresses for part in segments]])
        self._words = max((part.slots for part in segments), default=0) >> 6
        self._plan = PLAN * max((int(part.head[H_DENSE]) for part in segments), default=0)
        self._spare: list[_Scratch] = []

    def many(self, present: Bytes, lows: Longs, highs: Longs, work: Longs) -> tuple[Longs, Words]:
        """What some events find: where in the second array that of each begins, and all of it."""
        events, width = present.shape
        if not width:
            # Kernels want a place to look at.
            width = 1
            present, lows, highs = np.zeros((events, 1), np.uint8), *np.zeros((2, events, 1), np.int64)
        columns = (plain(present), plain(lows), plain(highs))
        scratch = self._borrow()
        bounds = np.zeros(events + 1, np.int64)
        found = np.empty(0, np.int32)
        filled = 0
        first = 0
        count = _FIRST_EVENTS
        while first < events:
            last = min(first + count, events)
            places = np.zeros((len(self._held) + 1, last - first + 1), np.int64)
            values = [column[first * width : last * width] for column in columns]
            self._match(scratch, values, width, places, work)
            total = int(places[-1, -1])
            if filled + total > found.size:
                found = _longer(found, filled, total, (events - first) / (last - first))
            weave(scratch.out, places, bounds[first : last + 1], found, filled)
            filled += total
            count = min(max(_FIRST_EVENTS, _PIECE * (last - first) // (total + 1)), _MOST_EVENTS)
            first = last
        self._spare.append(scratch)
        # Gives back what is behind the end.
        found.resize(filled, refcheck=False)
        return bounds, found

    def one(self, present: Bytes, lows: Longs, highs: Longs, work: Longs) -> Words:
        """What one event finds."""
        if not present.size:
            present, lows, highs = np.zeros(1, np.uint8), np.zeros(1, np.int64), np.zeros(1, np.int64)
        scratch = self._borrow()
        places = np.zeros((len(self._held) + 1, 2), np.int64)
        self._match(scratch, [plain(present), plain(lows), plain(highs)], present.size, places, work)
        found = scratch.out[: places[-1, -1]].copy()
        self._spare.append(scratch)
        return found

    def _match(
        self,
        scratch: _Scratch,
        values: list[NDArray[np.generic]],
        width: int,
        places: NDArray[np.int64],
        work: Longs,
    ) -> None:
        state = np.zeros(STATE, np.int64)
        state[S_WORDS] = scratch.words
        opened = self._opened.addresses
        while more := match_parts(
            self._parts, opened, *values, width, scratch.longs, scratch.out, places, state, work
        ):
            part, event = state.tolist()[:2]
            scratch.grow(int(places[part, event]), more)

    def _borrow(self) -> _Scratch:
        """Scratch that no other match uses: to take from a list and to give back are safe among threads."""
        with suppress(IndexError):
            return self._spare.pop()
        return _Scratch(self._words, self._plan)


def _longer(found: Words, filled: int, more: int, times: float) -> Words:
    """Room for what was found, for more, and for what is to come if there will be so many times as much."""
    longer = np.empty(filled + more + int(1.1 * more * (times - 1)), np.int32)
    longer[:filled] = found[:filled]
    return longer
