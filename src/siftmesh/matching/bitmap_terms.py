"""Terms of the bitmaps: conjunctions of bounds, many of them in arrays or few of them as tuples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.bitmap_layout import ABOVE, BELOW, HIGHEST, LOWEST, NEGATED
from siftmesh.kernels.bitmap_terms import never_met
from siftmesh.kernels.layout import Bytes, Longs, Words

__all__ = ["Bound", "Term", "Terms", "terms_of"]

# A dimension, the lowest and the highest key, and flags (NEGATED, ABOVE, BELOW).
Bound = tuple[int, int, int, int]
# Whether a match is still to be verified, and what has to hold.
Term = tuple[bool, Sequence[Bound]]


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms in a row: term t has the bounds starts[t] to starts[t + 1], and its owner's code.

    A code is the owner, or ~owner if a match is to be verified. The terms of one owner are adjacent, those to
    verify behind the others.
    """

    codes: Words
    starts: Longs
    dims: Words
    lows: Longs
    highs: Longs
    flags: Bytes

    @property
    def owners(self) -> Words:
        return self.codes ^ (self.codes >> 31)

    def part(self, first: int, last: int) -> Terms:
        """Some adjacent ones of them."""
        bounds = slice(self.starts[first], self.starts[last])
        return Terms(
            self.codes[first:last],
            self.starts[first : last + 1] - self.starts[first],
            self.dims[bounds],
            self.lows[bounds],
            self.highs[bounds],
            self.flags[bounds],
        )

    def chosen(self, which: NDArray[np.bool_]) -> Terms:
        """Those for which there is a true."""
        return self.ordered(np.flatnonzero(which))

    def ordered(self, order: NDArray[np.int64]) -> Terms:
        """Those of these numbers, in this order."""
        counts = np.diff(self.starts)[order]
        starts = np.zeros(order.size + 1, np.int64)
        np.cumsum(counts, out=starts[1:])
        bounds = np.arange(starts[-1]) + np.repeat(self.starts[order] - starts[:-1], counts)
        return Terms(
            self.codes[order],
            starts,
            self.dims[bounds],
            self.lows[bounds],
            self.highs[bounds],
            self.flags[bounds],
        )

    def possible(self) -> Terms:
        """Those whose bounds do not contradict each other."""
        never = np.zeros(self.codes.size, np.uint8)
        never_met(*self.columns(), never, *self.room())
        return self.chosen(never == 0) if never.any() else self

    def columns(self) -> tuple[Longs, Words, Longs, Longs, Bytes]:
        """What kernels ask for."""
        return self.starts, self.dims, self.lows, self.highs, self.flags

    def room(self) -> tuple[Longs, Longs, Words]:
        """Arrays that kernels work in while they take a term apart."""
        most = int(np.diff(self.starts).max(initial=1))
        return np.empty(most, np.int64), np.empty(2 * most, np.int64), np.empty(2 * most, np.int32)

    def settled(self) -> Terms:
        """The same with the terms to verify behind the others of their owner."""
        owners = self.owners
        group = np.cumsum(owners[1:] != owners[:-1])
        late = self.codes < 0
        if not np.any(late[:-1] & ~late[1:] & (np.diff(group, prepend=0) == 0)):
            return self
        return self.ordered(np.lexsort((late, np.concatenate([[0], group]))))


def terms_of(owner: int, terms: Iterable[Term]) -> list[Term]:
    """The terms of one owner that may be met, those to verify behind the others."""
    met = [term for term in terms if _possible(owner, term)]
    if len(met) > 1:
        met.sort(key=_to_verify)
    return met


def _to_verify(term: Term) -> bool:
    return term[0]


def _possible(owner: int, term: Term) -> bool:
    bounds = term[1]
    for bound in bounds:
        _, low, high, flags = bound
        if (low == LOWEST and high == HIGHEST) if flags & NEGATED else low > high and _is_empty(*bound):
            return False
    if len({bound[0] for bound in bounds}) == len(bounds):
        return True
    dims, lows, highs, negations = zip(*bounds, strict=True)
    row = Terms(
        np.array([owner], np.int32),
        np.array([0, len(bounds)]),
        np.array(dims, np.int32),
        np.array(lows, np.int64),
        np.array(highs, np.int64),
        np.array(negations, np.uint8),
    )
    return row.possible() is row


def _is_empty(_dim: int, low: int, high: int, flags: int) -> bool:
    """Whether no value lies between a lowest key and a highest one that is below it."""
    # With both flags there is what lies between two neighbours.
    return not (flags & ABOVE and flags & BELOW and low - 1 == high)
