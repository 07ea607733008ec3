"""The most frequent of many values, and how many different ones there are, in little memory.

The counts are a Misra-Gries summary: when there are more than `LISTED` values, the same number is taken from
all counts until few enough are left, and it is remembered how much was taken (`missed`). So a value is never
more frequent than its count (0 if it is not listed) and `missed` together, and `missed` is at most the total
divided by `LISTED + 1`. Merging keeps both promises in whatever order it is done; as long as nothing was
missed, everything is exact.

How many different values there are is estimated from the least of their hashes: `HASHES` of them are kept,
evenly spread if hashes are, so that the greatest kept says how dense they lie. The relative standard error is
about 1 / sqrt(HASHES - 2), 6%; below `HASHES` different values the number is exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Annotated

import msgspec
import numpy as np
from numpy.typing import NDArray

from siftmesh.logic.histogram import Range, Tally
from siftmesh.model.encode import decode_value, encode_value
from siftmesh.model.values import Value

__all__ = ["HASHES", "LISTED", "NOTHING", "Frequent", "summary", "token"]

LISTED = 256
HASHES = 256
# Bytes of a value that is listed as it is; of a longer one a digest is listed.
_LONGEST = 64
# A byte with which nothing in msgpack begins.
_DIGEST = b"\xc1"
_EVERY_HASH = 2**64

_Hash = Annotated[int, msgspec.Meta(ge=0)]


def token(value: Value) -> bytes:
    """The bytes that stand for a value in a list of frequent ones."""
    data = encode_value(value)
    return data if len(data) <= _LONGEST else _DIGEST + blake2b(data, digest_size=16).digest()


class Frequent(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """What is known of how often values occur."""

    total: Tally = 0
    missed: Tally = 0
    # By falling count, then by token.
    counts: tuple[tuple[bytes, Tally], ...] = ()
    # The least hashes, sorted.
    hashes: tuple[_Hash, ...] = ()

    def __post_init__(self) -> None:
        if len(self.counts) > LISTED or len(self.hashes) > HASHES:
            raise ValueError("more values are listed than there is room for")
        if not all((-one[1], one[0]) < (-other[1], other[0]) for one, other in pairwise(self.counts)):
            raise ValueError("the listed values are not sorted")
        if any(not count for _, count in self.counts) or self.listed + self.missed > self.total:
            raise ValueError("the listed values are not as many as it says")
        if not all(one < other for one, other in pairwise(self.hashes)) or self.hashes[-1:] > (
            _EVERY_HASH - 1,
        ):
            raise ValueError("the hashes are not sorted")

    @classmethod
    def of(cls, values: list[Value], weights: NDArray[np.int64]) -> Frequent:
        """The summary of distinct values, each so many times."""
        there = np.flatnonzero(weights)
        if not len(there):
            return NOTHING
        tokens = [token(values[place]) for place in there.tolist()]
        return summary(dict(zip(tokens, weights[there].tolist(), strict=True)))

    def merge(self, other: Frequent) -> Frequent:
        """The summary of the values of both."""
        if not self.total or not other.total:
            return self if self.total else other
        counts = dict(self.counts)
        for one, count in other.counts:
            counts[one] = counts.get(one, 0) + count
        hashes = tuple(sorted({*self.hashes, *other.hashes})[:HASHES])
        return _reduced(counts, self.total + other.total, self.missed + other.missed, hashes)

    @cached_property
    def listed(self) -> int:
        """The sum of the counts."""
        return sum(count for _, count in self.counts)

    @property
    def distinct(self) -> float:
        """How many different values there are, about."""
        if len(self.hashes) < HASHES:
            return float(len(self.hashes))
        return (HASHES - 1) * _EVERY_HASH / max(1, self.hashes[-1])

    @property
    def values(self) -> list[tuple[Value, Range]]:
        """The listed values, the most frequent first, with how often they occur; long ones are left out."""
        return [(decode_value(one), self.often(one)) for one, _ in self.counts if not one.startswith(_DIGEST)]

    def often(self, one: bytes) -> Range:
        """How often the value of a token occurs."""
        count = self._counts.get(one, 0)
        # What is not in the list shares what the list leaves.
        others = max(1.0, self.distinct - len(self.counts))
        typical = (self.total - self.listed) / others
        if not count:
            return Range(0, min(typical, self.missed), self.missed)
        return Range(count, count + min(self.missed, max(count, typical)) / 2, count + self.missed)

    @cached_property
    def _counts(self) -> Mapping[bytes, int]:
        return dict(self.counts)


NOTHING = Frequent()


def summary(counts: Mapping[bytes, int]) -> Frequent:
    """The summary of values that were counted one by one."""
    hashes = sorted(map(_hash, counts))[:HASHES]
    return _reduced(dict(counts), sum(counts.values()), 0, tuple(hashes))


def _hash(one: bytes) -> int:
    return int.from_bytes(blake2b(one, digest_size=8).digest(), "little")


def _reduced(counts: dict[bytes, int], total: int, missed: int, hashes: tuple[int, ...]) -> Frequent:
    """Take so much from all counts that no more are left than are listed."""
    if len(counts) > LISTED:
        taken = int(np.partition(np.array([*counts.values()], dtype=np.int64), -LISTED - 1)[-LISTED - 1])
        counts = {one: count - taken for one, count in counts.items() if count > taken}
        missed += taken
    return Frequent(total, missed, tuple(sorted(counts.items(), key=_by_count)), hashes)


def _by_count(counted: tuple[bytes, int]) -> tuple[int, bytes]:
    return -counted[1], counted[0]
