"""A sample of events that does not depend on how they were divided, and trees asked of it as bitmaps.

Each event has a priority, made from its key by a fixed hash, and the events with the least priorities are the
sample: as good as chosen at random as far as their attributes are concerned. The events of a part of a stream
that belong to the sample of the whole belong to the sample of the part, so that merging gives the same sample
whatever the parts were. Of k events, the share of those that meet a tree is off by no more than
`sqrt(log(2 / d) / 2k)`, but for one time in 1/d (Hoeffding): 5 points at k = 1024 and d = 1%.

Over the sampled events a leaf is a bitmap, and a tree is an AND and OR of bitmaps: exact on the sample,
whatever its leaves have to do with each other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from itertools import pairwise
from typing import Annotated, Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from siftmesh.errors import ConfigError
from siftmesh.logic.columns import Columns
from siftmesh.logic.tree import And, Leaf, Or, Tree
from siftmesh.logic.verdicts import Words, packed, verdict
from siftmesh.model.encode import decode_event
from siftmesh.model.event import Event

__all__ = ["BYTES", "EVENTS", "Sample", "priorities"]

EVENTS = 1024
# Of all sampled events together; a sample of large events has fewer of them, ...
BYTES = 2**24
# ... but so many at least: an event that takes a greater part of the room is left out.
_FEWEST = 64
# Bytes of bitmaps that a sample keeps, so that those often asked for are not made again.
_KEPT = 2**26

_Size = Annotated[int, msgspec.Meta(ge=0, le=2**40)]
_Priority = Annotated[int, msgspec.Meta(ge=0)]


class Sample(msgspec.Struct, frozen=True, array_like=True, dict=True):
    """At most `capacity` events, of at most `room` bytes, with the least priorities."""

    capacity: _Size = EVENTS
    room: _Size = BYTES
    # Where the room was used up: nothing of this priority or a greater one can be in.
    end: _Priority | None = None
    # Both in the order of priority and, where that is the same, of the bytes.
    priorities: tuple[_Priority, ...] = ()
    packed: tuple[bytes, ...] = ()

    def __post_init__(self) -> None:
        if len(self.priorities) != len(self.packed) or len(self.packed) > self.capacity:
            raise ValueError("a sample has a priority for each event, and not too many")
        if sum(map(len, self.packed)) > self.room:
            raise ValueError("the sampled events take more room than they may")
        if not all(one <= other for one, other in pairwise(zip(self.priorities, self.packed, strict=True))):
            raise ValueError("the sampled events are not sorted")

    def of(self, columns: Columns, order: NDArray[np.uint64]) -> Sample:
        """The sample, of this capacity and room, of events with these priorities."""
        if columns.size > self.capacity:
            # All that may be in it: more than the capacity where priorities are equal.
            first = np.flatnonzero(order <= np.partition(order, self.capacity)[self.capacity])
            found = [(int(order[row]), columns.encoded(row)) for row in first.tolist()]
            if all(self._fits(data) for _, data in found):
                return self._first(found)
        return self._first((priority, columns.encoded(row)) for row, priority in enumerate(order.tolist()))

    def merge(self, other: Sample) -> Sample:
        """The sample of the events of both, as large as the smaller capacity allows."""
        if self.room != other.room:
            raise ConfigError(f"samples of {self.room} and of {other.room} bytes cannot be merged")
        ends = [one.end for one in (self, other) if one.end is not None]
        least = Sample(min(self.capacity, other.capacity), self.room, min(ends, default=None))
        return least._first((*self._pairs(), *other._pairs()))

    def __len__(self) -> int:
        return len(self.packed)

    @property
    def words(self) -> int:
        """How many words a bitmap has."""
        return -(-len(self) // 64)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """The events, in the order of the bits."""
        return tuple(decode_event(one) for one in self.packed)

    @cached_property
    def columns(self) -> Columns:
        """The events by attribute."""
        return Columns.of(self.events)

    def bitmap(self, tree: Tree) -> Words:
        """Of which sampled events a tree is true: bit i of word j is event 64 j + i. Not to be written to."""
        if isinstance(tree, (And, Or)):
            every = isinstance(tree, And)
            joined = self.everything if every else np.zeros(self.words, dtype=np.uint64)
            for child in tree.children:
                joined = joined & self.bitmap(child) if every else joined | self.bitmap(child)
            return joined
        found = self._kept.get(tree)
        if found is None:
            found = packed(verdict(tree, self.columns).true)
            found.setflags(write=False)
            if len(self._kept) * max(1, self.words) * 8 < _KEPT:
                self._kept[tree] = found
        return found

    def bitmaps(self, leaves: Sequence[Leaf]) -> Words:
        """The bitmaps of several leaves, a row for each."""
        found = np.empty((len(leaves), self.words), dtype=np.uint64)
        for row, leaf in enumerate(leaves):
            found[row] = self.bitmap(leaf)
        return found

    def count(self, tree: Tree) -> int:
        """Of how many sampled events a tree is true."""
        return int(np.bitwise_count(self.bitmap(tree)).sum())

    @cached_property
    def everything(self) -> Words:
        """The bitmap of all sampled events."""
        found = packed(np.ones(len(self), dtype=bool))
        found.setflags(write=False)
        return found

    @cached_property
    def _kept(self) -> dict[Tree, Words]:
        return {}

    def _pairs(self) -> Iterable[tuple[int, bytes]]:
        return zip(self.priorities, self.packed, strict=True)

    def _fits(self, data: bytes) -> bool:
        return len(data) * _FEWEST <= self.room

    def _first(self, found: Iterable[tuple[int, bytes]]) -> Sample:
        """The first of priorities and events that there is room for."""
        end, taken = self.end, 0
        before = sorted(one for one in found if (end is None or one[0] < end) and self._fits(one[1]))
        chosen = before[: self.capacity]
        for priority, data in chosen:
            taken += len(data)
            if taken > self.room:
                # A smaller one that comes later is not taken instead: which are in must not depend on it.
                end = priority
                chosen = [one for one in chosen if one[0] < priority]
                break
        if len(chosen) == self.capacity:
            end = None
        return Sample(
            self.capacity,
            self.room,
            end,
            tuple([priority for priority, _ in chosen]),
            tuple([data for _, data in chosen]),
        )


def priorities(keys: Sequence[Any] | NDArray[Any]) -> NDArray[np.uint64]:
    """The priorities of events with these keys: ints, strings or bytes, different for different events."""
    if isinstance(keys, np.ndarray) and keys.dtype.kind in "iu":
        numbers = keys.astype(np.uint64)
    else:
        numbers = np.array([_of_key(key) for key in keys], dtype=np.uint64)
    return _mixed(numbers)


def _of_key(key: Any) -> int:
    if type(key) is int:
        return key % 2**64
    data = key if isinstance(key, bytes) else str(key).encode()
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "little")


def _mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers scattered one to one: the last step of splitmix64."""
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
