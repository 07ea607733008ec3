"""The newest terms of the bitmaps, which are tested one by one until they are put into a segment."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.bitmap import OPEN, OPEN_COUNT
from siftmesh.kernels.layout import Bytes, Longs, Words
from siftmesh.matching.bitmap_terms import Term, Terms

__all__ = ["OPEN_ARRAYS", "OpenTerms"]

OPEN_ARRAYS = ("starts", "dims", "lows", "highs", "flags", "codes", "dead")


class OpenTerms:
    """Terms in the order in which they came, those of an owner side by side."""

    def __init__(self) -> None:
        self.starts: Longs = np.zeros(1, np.int64)
        self.dims: Words = np.zeros(0, np.int32)
        self.lows: Longs = np.zeros(0, np.int64)
        self.highs: Longs = np.zeros(0, np.int64)
        self.flags: Bytes = np.zeros(0, np.uint8)
        self.codes: Words = np.zeros(0, np.int32)
        self.dead: Bytes = np.zeros(0, np.uint8)
        # How many there are, and how many of them were not removed.
        self.count = 0
        self.live = 0
        self._bounds = 0
        # By which kernels find the arrays.
        self.addresses: Longs = np.zeros(OPEN, np.int64)
        self._locate()

    @classmethod
    def from_arrays(cls, arrays: Sequence[NDArray[np.generic]], count: int, live: int) -> OpenTerms:
        """What these arrays were taken from, in the order of OPEN_ARRAYS; they are copied."""
        made = cls()
        for name, array in zip(OPEN_ARRAYS, arrays, strict=True):
            setattr(made, name, np.array(array))
        made.count = count
        made.live = live
        made._bounds = int(made.starts[count])
        made._locate()
        return made

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        return {name: getattr(self, name) for name in OPEN_ARRAYS}

    def add(self, owner: int, terms: Sequence[Term]) -> None:
        """Append the terms of an owner."""
        bounds = [bound for _, asked in terms for bound in asked]
        self._reserve(len(terms), len(bounds))
        at = self._bounds
        if bounds:
            place = slice(at, at + len(bounds))
            self.dims[place], self.lows[place], self.highs[place], self.flags[place] = zip(
                *bounds, strict=True
            )
        for verify, asked in terms:
            self.codes[self.count] = ~owner if verify else owner
            self.dead[self.count] = 0
            self.count += 1
            at += len(asked)
            self.starts[self.count] = at
        self._bounds = at
        self.live += len(terms)
        self.addresses[OPEN_COUNT] = self.count

    def extend(self, terms: Terms) -> None:
        """Append terms."""
        count = terms.codes.size
        self._reserve(count, terms.dims.size)
        at = self._bounds
        bounds = slice(at, at + terms.dims.size)
        self.dims[bounds] = terms.dims
        self.lows[bounds] = terms.lows
        self.highs[bounds] = terms.highs
        self.flags[bounds] = terms.flags
        self.starts[self.count : self.count + count + 1] = terms.starts + at
        self.codes[self.count : self.count + count] = terms.codes
        self.dead[self.count : self.count + count] = 0
        self.count += count
        self.live += count
        self._bounds += terms.dims.size
        self.addresses[OPEN_COUNT] = self.count

    def remove(self, owner: int, first: int) -> None:
        """Forget the terms of an owner, of which the first stands at a place."""
        at = first
        while at < self.count and self.codes[at] in {owner, ~owner}:
            self.dead[at] = 1
            at += 1
        self.live -= at - first

    def taken(self) -> Terms:
        """What was not removed; nothing is left here."""
        terms = Terms(
            self.codes[: self.count],
            self.starts[: self.count + 1],
            self.dims[: self._bounds],
            self.lows[: self._bounds],
            self.highs[: self._bounds],
            self.flags[: self._bounds],
        ).chosen(self.dead[: self.count] == 0)
        self.count = self.live = self._bounds = 0
        self.addresses[OPEN_COUNT] = 0
        return terms

    def _locate(self) -> None:
        self.addresses[OPEN_COUNT] = self.count
        for place, array in enumerate(self.arrays().values()):
            self.addresses[2 * place : 2 * place + 2] = array.ctypes.data, array.size

    def _reserve(self, terms: int, bounds: int) -> None:
        if self.count + terms >= min(self.starts.size, self.codes.size + 1):
            for name, more in (("starts", terms + 1), ("codes", terms), ("dead", terms)):
                self._lengthen(name, self.count + more)
        if self._bounds + bounds > self.dims.size:
            for name in ("dims", "lows", "highs", "flags"):
                self._lengthen(name, self._bounds + bounds)

    def _lengthen(self, name: str, size: int) -> None:
        array: NDArray[np.generic] = getattr(self, name)
        longer = np.zeros(max(size, 2 * array.size, 8), array.dtype)
        longer[: array.size] = array
        setattr(self, name, longer)
        self._locate()
