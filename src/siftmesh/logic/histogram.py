"""How many values lie below a value: counts in buckets that become wider as more of them are needed.

Values are ints here, in the order of the values that they stand for (`logic.keys`). A bucket is a power of
two wide, all buckets of a histogram are of one width, and the width is the least with which no more than
`BUCKETS` of them are occupied. So the histogram is a function of the values alone: however they were divided
and merged, the result is the same. As long as there are few distinct values, each has a bucket of its own,
and every answer is exact.

Otherwise an answer is off by no more than the count of the one bucket in which the question lies: `least` and
`most` say between what the truth is, always.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

__all__ = ["BUCKETS", "NO_VALUES", "Histogram", "Range", "Tally"]

BUCKETS = 512
_WIDEST = 63

# Small enough that the sum of those of all buckets is an int64.
Tally = Annotated[int, msgspec.Meta(ge=0, le=2**53)]

_Key = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class Range(msgspec.Struct, frozen=True):
    """How many there are: certainly between `least` and `most`, and `likely` so many."""

    least: float
    likely: float
    most: float

    @property
    def width(self) -> float:
        return self.most - self.least

    def within(self, least: float, most: float) -> Range:
        """The same where it is also known to lie between two other numbers."""
        low, high = max(self.least, least), min(self.most, most)
        return Range(low, min(max(self.likely, low), high), high)

    def rest(self, total: float) -> Range:
        """How many of so many are not among these."""
        return Range(total - self.most, total - self.likely, total - self.least)

    def divided(self, total: int) -> Range:
        """The shares that these are of so many."""
        return Range(self.least / total, self.likely / total, self.most / total)

    def loosened(self) -> Range:
        """The same where it is not known that there is any."""
        return Range(0, self.likely, self.most)

    def without(self, lower: Range) -> Range:
        """Those of this that are not among those of the other, which is part of it."""
        likely = max(0.0, self.likely - lower.likely)
        return Range(max(0.0, self.least - lower.most), likely, max(likely, self.most - lower.least))

    def __add__(self, other: Range) -> Range:
        return Range(self.least + other.least, self.likely + other.likely, self.most + other.most)


class Histogram(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """Counts of values in buckets of width 2**shift; `low` and `high` are the least and greatest value."""

    shift: Annotated[int, msgspec.Meta(ge=0, le=_WIDEST)] = 0
    buckets: tuple[int, ...] = ()
    counts: tuple[Tally, ...] = ()
    low: _Key = 0
    high: _Key = 0

    def __post_init__(self) -> None:
        if len(self.buckets) != len(self.counts) or len(self.buckets) > BUCKETS:
            raise ValueError("a histogram has a count for each bucket, and not too many")
        if not all(one < other for one, other in pairwise(self.buckets)) or 0 in self.counts:
            raise ValueError("the buckets of a histogram are sorted and not empty")
        ends = (self.buckets[0], self.buckets[-1]) if self.buckets else (0, 0)
        if (self.low >> self.shift, self.high >> self.shift) != ends or self.low > self.high:
            raise ValueError("the least and greatest value of a histogram are in its first and last bucket")

    @classmethod
    def of(cls, keys: NDArray[np.int64], weights: NDArray[np.int64]) -> Histogram:
        """The histogram of keys in ascending order, each so many times."""
        there = weights > 0
        if not there.any():
            return NO_VALUES
        keys, weights = keys[there], weights[there]
        return _made(keys, weights, 0, int(keys[0]), int(keys[-1]))

    def merge(self, other: Histogram) -> Histogram:
        """The histogram of the values of both."""
        if not self.buckets or not other.buckets:
            return self if self.buckets else other
        shift = max(self.shift, other.shift)
        parts = [np.array(one.buckets, dtype=np.int64) >> (shift - one.shift) for one in (self, other)]
        buckets, places = np.unique(np.concatenate(parts), return_inverse=True)
        counts = np.zeros(len(buckets), dtype=np.int64)
        np.add.at(counts, places, np.array([*self.counts, *other.counts], dtype=np.int64))
        return _made(buckets, counts, shift, min(self.low, other.low), max(self.high, other.high))

    @property
    def total(self) -> int:
        """How many values were counted."""
        return self.cumulative[-1]

    @cached_property
    def cumulative(self) -> tuple[int, ...]:
        """How many values lie before each bucket, and at the end how many there are."""
        return tuple(accumulate(self.counts, initial=0))

    @property
    def error(self) -> float:
        """The greatest share of the values by which the answer to `below` can be off."""
        if self.shift == 0 or not self.buckets:
            return 0.0
        return max(self.counts) / self.total

    def below(self, key: int, inclusive: bool = False, exact: bool = True) -> Range:
        """How many values lie below the value of a key, or are equal to it (if that is asked for).

        With `exact` no other value has this key; without, others that have it may be less or greater.
        """
        bucket = key >> self.shift
        place = bisect_left(self.buckets, bucket)
        before = self.cumulative[place]
        if place == len(self.buckets) or self.buckets[place] != bucket:
            return Range(before, before, before)
        inside = self.counts[place]
        if key < self.low or key > self.high:
            known = before if key < self.low else before + inside
            return Range(known, known, known)
        if self.shift == 0 and exact:
            known = before + inside if inclusive else before
            return Range(known, known, known)
        start = max(bucket << self.shift, self.low)
        end = min((bucket + 1 << self.shift) - 1, self.high)
        # Values are taken to lie evenly within their bucket.
        part = (key - start + inclusive) / (end - start + 1)
        return Range(before, before + inside * part, before + inside)

    def at(self, key: int, exact: bool = True) -> Range:
        """How many values are equal to the value of a key; `likely` is no better than `most` here."""
        bucket = key >> self.shift
        place = bisect_left(self.buckets, bucket)
        if place == len(self.buckets) or self.buckets[place] != bucket or not self.low <= key <= self.high:
            return Range(0, 0, 0)
        inside = self.counts[place]
        return Range(inside if self.shift == 0 and exact else 0, inside, inside)


NO_VALUES = Histogram()


def _made(
    buckets: NDArray[np.int64], counts: NDArray[np.int64], shift: int, low: int, high: int
) -> Histogram:
    """A histogram of sorted buckets of a width, made wider until there are few enough."""
    narrow, wide = 0, _WIDEST - shift
    while narrow < wide:  # the more they are widened, the fewer they are
        middle = (narrow + wide) // 2
        if _occupied(buckets, middle) <= BUCKETS:
            wide = middle
        else:
            narrow = middle + 1
    widened = buckets >> narrow
    starts = np.flatnonzero(np.concatenate([[True], widened[1:] != widened[:-1]]))
    summed = np.add.reduceat(counts, starts)
    return Histogram(shift + narrow, tuple(widened[starts].tolist()), tuple(summed.tolist()), low, high)


def _occupied(buckets: NDArray[np.int64], widened: int) -> int:
    coarse = buckets >> widened
    return 1 + int(np.count_nonzero(coarse[1:] != coarse[:-1]))
