"""What was seen of one attribute: how often it was there, of which kinds, and how its values are spread.

`count` says of how many events a predicate is true, as far as that can be known: with bounds that always
hold, and a likely number between them.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain
from typing import Any

import msgspec
import numpy as np

from siftmesh.logic.columns import Column
from siftmesh.logic.frequent import NOTHING, Frequent, summary, token
from siftmesh.logic.histogram import NO_VALUES, Histogram, Range, Tally
from siftmesh.logic.intervals import prefix_end
from siftmesh.logic.keys import has_own_key, key_of, keys_of, number_of
from siftmesh.logic.tree import Operator, Predicate
from siftmesh.model.pattern import compile_pattern
from siftmesh.model.values import INT_MAX, INT_MIN, Kind, Timestamp, Value

__all__ = ["AttributeProfile", "Spread"]

_KINDS = len(Kind)
# Of strings of which nothing more is known, the part that a pattern is guessed to fit.
_PATTERN = 0.1


class Spread(msgspec.Struct, frozen=True, array_like=True):
    """How the values of one kind are spread."""

    histogram: Histogram = NO_VALUES
    frequent: Frequent = NOTHING

    def merge(self, other: Spread) -> Spread:
        return Spread(self.histogram.merge(other.histogram), self.frequent.merge(other.frequent))

    @property
    def total(self) -> int:
        return self.frequent.total


class AttributeProfile(msgspec.Struct, frozen=True, array_like=True):
    """How often an attribute was there, and what its values were."""

    # How many events were looked at, in how many it was there, and how often with each kind of value, in the
    # order of `Kind`.
    events: Tally = 0
    present: Tally = 0
    kinds: tuple[Tally, ...] = (0,) * _KINDS
    trues: Tally = 0
    numbers: Spread = Spread()
    strings: Spread = Spread()
    # Strings that name a moment are among the strings and among the moments.
    moments: Spread = Spread()
    # Of the elements of arrays, in how many arrays they are.
    elements: Frequent = NOTHING

    def __post_init__(self) -> None:
        totals = [self.numbers.total, self.strings.total, self.moments.total]
        if (
            len(self.kinds) != _KINDS
            or sum(self.kinds) != self.present
            or self.present > self.events
            or self.trues > self.kinds[Kind.BOOL]
        ):
            raise ValueError("the kinds of an attribute's values are not as many as its values")
        if totals[:2] != [self.kinds[Kind.NUMBER], self.kinds[Kind.STRING]] or any(
            spread.histogram.total != spread.total for spread in (self.numbers, self.strings, self.moments)
        ):
            raise ValueError("the values of an attribute are not as many as it says")

    @classmethod
    def of(cls, column: Column) -> AttributeProfile:
        """What a column shows."""
        weights = column.weights
        kinds = np.bincount(column.kinds()[:-1], weights[:-1], _KINDS).astype(np.int64)
        flags = column.order(Kind.BOOL)
        return cls(
            len(column.codes),
            int(weights[:-1].sum()),
            tuple(kinds.tolist()),
            int(flags.weights[flags.values.index(True)]) if True in flags.values else 0,
            _spread(column, Kind.NUMBER),
            _spread(column, Kind.STRING),
            _spread(column, Kind.TIMESTAMP),
            _elements(column) if kinds[Kind.ARRAY] else NOTHING,
        )

    def merge(self, other: AttributeProfile) -> AttributeProfile:
        """What was seen in both."""
        return AttributeProfile(
            self.events + other.events,
            self.present + other.present,
            tuple([mine + theirs for mine, theirs in zip(self.kinds, other.kinds, strict=True)]),
            self.trues + other.trues,
            self.numbers.merge(other.numbers),
            self.strings.merge(other.strings),
            self.moments.merge(other.moments),
            self.elements.merge(other.elements),
        )

    @property
    def nulls(self) -> int:
        return self.kinds[Kind.NULL]

    @property
    def bounds(self) -> tuple[int | float, int | float] | None:
        """The least and the greatest number, None if there was none (inexact beyond 2**53)."""
        found = self.numbers.histogram
        return (number_of(found.low), number_of(found.high)) if found.buckets else None

    @property
    def values(self) -> list[tuple[Value, Range]]:
        """The most frequent values that are neither null nor arrays, and how often they were there.

        Moments are among them only where there are no strings, of which they may be some.
        """
        flags = {True: self.trues, False: self.kinds[Kind.BOOL] - self.trues}
        listed: list[tuple[Value, Range]] = [
            (flag, Range(count, count, count)) for flag, count in flags.items() if count
        ]
        listed += self.numbers.frequent.values + self.strings.frequent.values
        if not self.strings.total:
            listed += self.moments.frequent.values
        return sorted(listed, key=lambda one: -one[1].likely)

    @property
    def distinct(self) -> float:
        """How many different values were seen, about, leaving out null and arrays."""
        flags = (self.trues > 0) + (self.trues < self.kinds[Kind.BOOL])
        found = flags + self.numbers.frequent.distinct + self.strings.frequent.distinct
        return found if self.strings.total else found + self.moments.frequent.distinct

    def count(self, leaf: Predicate) -> Range | None:
        """Of how many of the events a predicate of this attribute is true, None if nothing is known."""
        answer = _ANSWERS.get(leaf.operator)
        return None if answer is None else answer(self, leaf)

    # ---- how each operator is answered

    def _presence(self, leaf: Predicate) -> Range:
        held = self.present if leaf.operator >= Operator.EXISTS else self.present - self.nulls
        if leaf.operator in (Operator.IS_NULL, Operator.NOT_EXISTS):
            held = self.events - held
        return Range(held, held, held)

    def _ordered(self, leaf: Predicate) -> Range | None:
        spread = self._spread(leaf.kind)
        if spread is None:
            return Range(0, 0, 0)  # bools have no order
        below = _below(spread, leaf.kind, leaf.value, leaf.operator in (Operator.LE, Operator.GT))
        return below if leaf.operator in (Operator.LT, Operator.LE) else below.rest(spread.total)

    def _equal(self, leaf: Predicate) -> Range | None:
        constants = leaf.value if type(leaf.value) is tuple else (leaf.value,)
        found = Range(0, 0, 0)
        for constant in constants:
            found = found + self._times(leaf.kind, constant)
        total = self._total(leaf.kind)
        found = found.within(0, total)
        return found.rest(total) if leaf.operator & 1 else found

    def _fitting(self, leaf: Predicate) -> Range | None:
        total = self.strings.total
        ignore_case = leaf.operator >= Operator.ILIKE
        pattern = compile_pattern(leaf.value, ignore_case)
        listed = Range(0, 0, 0)
        fitting = Range(0, 0, 0)
        for value, times in self.strings.frequent.values:
            listed = listed + times
            if pattern.matches(value, ignore_case):  # type: ignore[arg-type]  # one of the strings
                fitting = fitting + times
        rest = max(0.0, total - listed.likely)
        # Listed values are met for certain; of the others nobody knows.
        found = Range(fitting.least, fitting.likely + rest * _PATTERN, total - listed.least + fitting.least)
        if pattern.only_prefix and not ignore_case:
            found = self._beginning(pattern.prefix).within(found.least, found.most)
        found = found.within(0, total)
        return found.rest(total) if leaf.operator & 1 else found

    def _beginning(self, prefix: str) -> Range:
        spread, end = self.strings, prefix_end(prefix)
        before = _below(spread, Kind.STRING, prefix, False)
        if end is None:
            return before.rest(spread.total)
        return _below(spread, Kind.STRING, end, False).without(before)

    def _holding(self, leaf: Predicate) -> Range | None:
        if leaf.kind == Kind.TIMESTAMP:
            return None  # strings among the elements may name moments
        constants = leaf.value if type(leaf.value) is tuple else (leaf.value,)
        arrays = self.kinds[Kind.ARRAY]
        times = [self.elements.often(token(_value(leaf.kind, constant))) for constant in constants]
        least = max((one.least for one in times), default=0)
        found = Range(least, sum(one.likely for one in times), sum(one.most for one in times)).within(
            0, arrays
        )
        # An array without the constants may hold a null, which makes the answer unknown.
        return found.rest(arrays).loosened() if leaf.operator & 1 else found

    # ---- values of one kind

    def _spread(self, kind: Kind) -> Spread | None:
        return {Kind.NUMBER: self.numbers, Kind.STRING: self.strings, Kind.TIMESTAMP: self.moments}.get(kind)

    def _total(self, kind: Kind) -> int:
        spread = self._spread(kind)
        return self.kinds[kind] if spread is None else spread.total

    def _times(self, kind: Kind, constant: Any) -> Range:
        """How often a value equals a constant."""
        spread = self._spread(kind)
        if spread is None:
            held = self.trues if constant else self.kinds[Kind.BOOL] - self.trues
            return Range(held, held, held)
        within = spread.histogram.at(key_of(kind, constant), has_own_key(kind, constant))
        return spread.frequent.often(token(_value(kind, constant))).within(within.least, within.most)


def _below(spread: Spread, kind: Kind, constant: Any, inclusive: bool) -> Range:
    return spread.histogram.below(key_of(kind, constant), inclusive, has_own_key(kind, constant))


def _value(kind: Kind, constant: Any) -> Value:
    """The value that a constant stands for, as it is listed: a whole number as an int."""
    return Timestamp(constant) if kind == Kind.TIMESTAMP else _canonical(constant)


def _spread(column: Column, kind: Kind) -> Spread:
    order = column.order(kind)
    if not order.cumulative[-1]:
        return Spread()
    histogram = Histogram.of(keys_of(kind, order.values), order.weights)
    return Spread(histogram, Frequent.of([_value(kind, one) for one in order.values], order.weights))


def _canonical(value: Any) -> Any:
    if type(value) is float and value.is_integer() and INT_MIN <= value <= INT_MAX:
        return int(value)
    return value


def _elements(column: Column) -> Frequent:
    """How many arrays each element is in."""
    counts: dict[bytes, int] = {}
    for value, weight in zip(column.values, column.weights[:-1].tolist(), strict=True):
        if type(value) is tuple and weight:
            for one in {token(_canonical(element)) for element in value if element is not None}:
                counts[one] = counts.get(one, 0) + weight
    return summary(counts)


_Answer = Callable[[AttributeProfile, Predicate], Range | None]
_ANSWERS: dict[Operator, _Answer] = dict(
    chain.from_iterable(
        ((operator, answer) for operator in Operator if first <= operator <= last)
        for first, last, answer in (
            (Operator.EQ, Operator.NE, AttributeProfile._equal),
            (Operator.LT, Operator.GT, AttributeProfile._ordered),
            (Operator.IN, Operator.NOT_IN, AttributeProfile._equal),
            (Operator.LIKE, Operator.NOT_ILIKE, AttributeProfile._fitting),
            (Operator.IS_NULL, Operator.NOT_EXISTS, AttributeProfile._presence),
            (Operator.CONTAINS, Operator.NOT_OVERLAPS, AttributeProfile._holding),
        )
    )
)
