"""What was seen of a stream of events: a value that says how likely events are to meet a tree.

A profile has counters for the leaves that it was asked to count, for each attribute how its values are
spread, and a sample of the events. Profiles of the parts of a stream merge into the profile of the whole, in
any order and grouping: counters, histograms, numbers of distinct values and the sample come out the same to
the bit, lists of frequent values within their stated bounds (the same too, as long as there is room for all).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from hashlib import blake2b
from math import sqrt
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from siftmesh.errors import DamagedData
from siftmesh.logic.attribute_profile import AttributeProfile
from siftmesh.logic.columns import Columns
from siftmesh.logic.encode import decode_tree, encode_tree
from siftmesh.logic.histogram import Range, Tally
from siftmesh.logic.sample import Sample, priorities
from siftmesh.logic.selectivity import Estimate, estimate
from siftmesh.logic.tree import And, Leaf, Operator, Or, Predicate, Tree
from siftmesh.logic.verdicts import Words, counts
from siftmesh.model.encode import pack, unpack

__all__ = ["GUESSES", "MOST_ATTRIBUTES", "Counter", "Profile"]

VERSION = 1
_NAME = "siftmesh profile"
# Attributes that are kept: those that most events have.
MOST_ATTRIBUTES = 1000

# How likely a leaf is guessed to be true while nothing is known of its attribute.
GUESSES: dict[Operator, float] = {
    Operator.EQ: 0.1,
    Operator.NE: 0.9,
    Operator.LT: 0.35,
    Operator.LE: 0.35,
    Operator.GT: 0.35,
    Operator.GE: 0.35,
    Operator.IN: 0.3,
    Operator.NOT_IN: 0.7,
    Operator.LIKE: 0.1,
    Operator.NOT_LIKE: 0.9,
    Operator.ILIKE: 0.1,
    Operator.NOT_ILIKE: 0.9,
    Operator.IS_NULL: 0.1,
    Operator.IS_NOT_NULL: 0.9,
    Operator.EXISTS: 0.9,
    Operator.NOT_EXISTS: 0.1,
    Operator.CONTAINS: 0.1,
    Operator.NOT_CONTAINS: 0.9,
    Operator.OVERLAPS: 0.3,
    Operator.NOT_OVERLAPS: 0.7,
    Operator.SOME: 0.3,
    Operator.NOT_SOME: 0.7,
}


class Counter(msgspec.Struct, frozen=True, array_like=True):
    """Of how many of the events it was asked about a leaf was true, false and unknown."""

    true: Tally = 0
    false: Tally = 0
    unknown: Tally = 0

    @property
    def events(self) -> int:
        return self.true + self.false + self.unknown

    def merge(self, other: Counter) -> Counter:
        return Counter(self.true + other.true, self.false + other.false, self.unknown + other.unknown)


class Profile(msgspec.Struct, frozen=True, dict=True):
    """What was seen of a stream of events; `Profile()` has seen nothing.

    Nothing in it is to be written to: merging makes another.
    """

    events: Tally = 0
    counters: dict[Leaf, Counter] = {}
    attributes: dict[str, AttributeProfile] = {}
    sample: Sample = Sample()
    # Whether the attributes that are not here were in no event, and not left out for want of room.
    complete: bool = True

    @classmethod
    def of(
        cls,
        columns: Columns,
        predicates: Iterable[Leaf] = (),
        keys: Sequence[Any] | NDArray[Any] | None = None,
        start: int = 0,
        sample: Sample | None = None,
    ) -> Profile:
        """The profile of events: `matching.observe` takes the same arguments and explains them."""
        if keys is None:
            keys = np.arange(start, start + columns.size, dtype=np.int64)
        return _limited(
            columns.size,
            {leaf: Counter(*counts(leaf, columns)) for leaf in dict.fromkeys(predicates)},
            {name: AttributeProfile.of(columns[name]) for name in columns},
            (Sample() if sample is None else sample).of(columns, priorities(keys)),
            True,
        )

    def merge(self, other: Profile) -> Profile:
        """What was seen by both. The sample is as large as the smaller of the two may be."""
        counters = dict(self.counters)
        for leaf, counter in other.counters.items():
            counters[leaf] = counters[leaf].merge(counter) if leaf in counters else counter
        names = {**self.attributes, **other.attributes}
        attributes = {name: self.attribute(name).merge(other.attribute(name)) for name in names}
        return _limited(
            self.events + other.events,
            counters,
            attributes,
            self.sample.merge(other.sample),
            self.complete and other.complete,
        )

    def attribute(self, name: str) -> AttributeProfile:
        """What was seen of an attribute: that no event had it, or nothing, if it is not in `attributes`."""
        found = self.attributes.get(name)
        return AttributeProfile(self.events if self.complete else 0) if found is None else found

    # ---- how likely something is

    def probability(self, tree: Tree) -> float:
        """The share of the events of which a tree is true.

        Of an And or Or: its share of the sample (without a sample, as if its leaves were independent). Of a
        leaf that was counted: what was counted. Of another leaf: by the sample or by what is known of its
        attribute, whichever errs less; and while nothing was seen, the guess in `GUESSES`.
        """
        if isinstance(tree, (And, Or)):
            if not len(self.sample):
                return self.selectivity(tree).likely
            return self.sample.count(tree) / len(self.sample)
        found = self._kept.get(tree)
        if found is None:
            found = self._kept[tree] = self._leaf(tree)
        return found

    def selectivity(self, tree: Tree) -> Estimate:
        """The three-part estimate of a tree from the probabilities of its leaves."""
        return estimate(tree, self.probability)

    def share(self, leaf: Leaf) -> Range:
        """Between which shares of the events a leaf is true, by what is known of its attribute."""
        if isinstance(leaf, Predicate):
            attribute = self.attribute(leaf.attribute)
            found = attribute.count(leaf) if attribute.events else None
            if found is not None:
                return found.divided(attribute.events)
        return Range(0.0, GUESSES[leaf.operator], 1.0)

    def bitmap(self, tree: Tree) -> Words:
        """Of which sampled events a tree is true: bit i of word j is `sample.events[64 * j + i]`."""
        return self.sample.bitmap(tree)

    @cached_property
    def _kept(self) -> dict[Leaf, float]:
        return {}

    def _leaf(self, leaf: Leaf) -> float:
        size = len(self.sample)
        counter = self.counters.get(leaf)
        # A leaf may have been counted in a part of the stream only, smaller than the sample of the whole.
        if counter is not None and counter.events and counter.events >= min(size, self.events):
            return counter.true / counter.events
        known = self.share(leaf)
        if not size:
            return known.likely
        hits = self.sample.count(leaf)
        if size == self.events:
            return hits / size
        # Two standard deviations of what the sample says, and never nothing.
        if known.width / 2 <= 2 * sqrt(hits + 1) / size:
            return known.likely
        # No event of the sample says only that there are few.
        sampled = hits / size if hits else min(known.likely, 1 / size)
        return min(max(sampled, known.least), known.most)

    # ---- as bytes

    def to_bytes(self) -> bytes:
        """The profile as bytes, the same for equal profiles."""
        counted = sorted((encode_tree(leaf), counter) for leaf, counter in self.counters.items())
        body = pack([self.events, counted, self.attributes, self.sample, self.complete])
        return pack([_NAME, VERSION, _digest(body), body])

    @classmethod
    def from_bytes(cls, data: bytes) -> Profile:
        """The profile of bytes that `to_bytes` made; a `DamagedData` for any others."""
        outer = unpack(data, "profile")
        if type(outer) is not list or len(outer) != 4 or outer[0] != _NAME or type(outer[3]) is not bytes:
            raise DamagedData("these bytes are no profile: they do not begin as one")
        _, version, digest, body = outer
        if version != VERSION:
            raise DamagedData(f"this profile has version {version!r:.40}, known is version {VERSION}")
        if digest != _digest(body):
            raise DamagedData("these bytes are no profile: they were changed after it was made")
        try:
            state = msgspec.msgpack.decode(body, type=_State)
        except (msgspec.MsgspecError, ValueError, OverflowError) as error:
            raise DamagedData(f"these bytes are no profile: {error}") from None
        return state.profile()


class _State(msgspec.Struct, array_like=True):
    """A profile as it is in its bytes."""

    events: Tally
    counters: list[tuple[bytes, Counter]]
    attributes: dict[str, AttributeProfile]
    sample: Sample
    complete: bool

    def profile(self) -> Profile:
        counters: dict[Leaf, Counter] = {}
        for data, counter in self.counters:
            leaf = decode_tree(data)
            if isinstance(leaf, (And, Or)):
                raise DamagedData("these bytes are no profile: what is counted is no leaf")
            counters[leaf] = counter
        # What is read when it is first asked for is read now, so that it is seen now that it can be.
        for attribute in self.attributes.values():
            for part in (attribute.numbers, attribute.strings, attribute.moments):
                _ = part.frequent.values
            _ = attribute.elements.values
        _ = self.sample.events
        return Profile(self.events, counters, self.attributes, self.sample, self.complete)


def _limited(
    events: int,
    counters: dict[Leaf, Counter],
    attributes: dict[str, AttributeProfile],
    sample: Sample,
    complete: bool,
) -> Profile:
    """A profile without the rarest attributes where there are too many."""
    if len(attributes) > MOST_ATTRIBUTES:
        often = sorted(attributes, key=lambda name: (-attributes[name].present, name))
        attributes = {name: attributes[name] for name in often[:MOST_ATTRIBUTES]}
        complete = False
    return Profile(events, counters, attributes, sample, complete)


def _digest(data: bytes) -> bytes:
    return blake2b(data, digest_size=16).digest()
