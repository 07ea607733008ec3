"""Sets of values of one kind, as sorted disjoint intervals, with exact set algebra.

A set is held as the *cuts* at which membership changes. A cut `(value, 0)` lies just before the value and
`(value, 1)` just after it, so open and closed ends need no cases of their own and every operation is one
sweep over sorted cuts.

Values are the ones an event can hold: 64-bit ints and doubles (infinities included), strings without
surrogates, two bools, whole microseconds. Ints and floats are compared exactly, never converted into each
other.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from siftmesh.logic.tree import Operator, Predicate
from siftmesh.model.pattern import compile_pattern
from siftmesh.model.values import INT_MAX, INT_MIN, Kind

__all__ = [
    "Cut",
    "Interval",
    "IntervalSet",
    "first_value",
    "following",
    "interval_set",
    "lowest",
    "prefix_end",
]

Cut = tuple[Any, int]
# From a cut to a cut; None where the interval has no end.
Interval = tuple[Cut | None, Cut | None]

_LOWEST: dict[Kind, Any] = {Kind.BOOL: False, Kind.NUMBER: -math.inf, Kind.STRING: ""}
# Up to here every int is a double; beyond, ints lie denser than doubles.
_EXACT = 2**53
_LAST_CHARACTER = 0x10FFFF
_BEFORE_SURROGATES = 0xD7FF
_AFTER_SURROGATES = 0xE000


def lowest(kind: Kind) -> Any:
    """The least value of a kind, None when there is none (moments)."""
    return _LOWEST.get(kind)


def following(kind: Kind, value: Any) -> Any:
    """The least value of the kind above `value`, None when there is none."""
    if kind == Kind.STRING:
        return value + "\0"
    if kind == Kind.BOOL:
        return None if value else True
    if kind == Kind.TIMESTAMP:
        return value + 1
    if value == math.inf:
        return None
    if (_EXACT <= value < INT_MAX) or (INT_MIN <= value < -_EXACT):
        return int(value) + 1  # this far out every number is whole
    if value == INT_MAX:
        return 2.0**63
    return math.nextafter(value, math.inf)


def prefix_end(prefix: str) -> str | None:
    """The least string above all those that start with `prefix`, None when there is none."""
    stem = prefix.rstrip(chr(_LAST_CHARACTER))
    if not stem:
        return None
    code = ord(stem[-1])
    return stem[:-1] + chr(_AFTER_SURROGATES if code == _BEFORE_SURROGATES else code + 1)


class IntervalSet(msgspec.Struct, frozen=True):
    """A set of values of one kind; no interval of it, and no gap between two, is empty.

    Two sets with the same members may differ in their cuts (`> 1` and `>= 2` for moments): compare them with
    `<=`.
    """

    kind: Kind
    from_lowest: bool
    cuts: tuple[Cut, ...]

    @classmethod
    def empty(cls, kind: Kind) -> IntervalSet:
        return cls(kind, False, ())

    @classmethod
    def full(cls, kind: Kind) -> IntervalSet:
        return cls(kind, True, ())

    @classmethod
    def points(cls, kind: Kind, values: Iterable[Any]) -> IntervalSet:
        cuts = [(value, side) for value in sorted(set(values)) for side in (0, 1)]
        return cls(kind, *_without_empty(kind, False, cuts))

    @classmethod
    def between(cls, kind: Kind, low: Cut | None, high: Cut | None) -> IntervalSet:
        """All values from one cut to another; without a cut, from the lowest or to the highest."""
        if low is not None and high is not None and low >= high:
            return cls.empty(kind)
        cuts = [cut for cut in (low, high) if cut is not None]
        return cls(kind, *_without_empty(kind, low is None, cuts))

    @classmethod
    def union(cls, kind: Kind, sets: Iterable[IntervalSet]) -> IntervalSet:
        return _sweep(kind, list(sets), 1)

    @classmethod
    def intersection(cls, kind: Kind, sets: Iterable[IntervalSet]) -> IntervalSet:
        members = list(sets)
        return _sweep(kind, members, len(members))

    @property
    def is_empty(self) -> bool:
        return not self.from_lowest and not self.cuts

    @property
    def is_full(self) -> bool:
        return self.from_lowest and not self.cuts

    def __contains__(self, value: Any) -> bool:
        """Whether a value of this set's kind is a member."""
        return (bisect_right(self.cuts, (value, 0)) & 1 == 1) != self.from_lowest

    def __invert__(self) -> IntervalSet:
        return IntervalSet(self.kind, not self.from_lowest, self.cuts)

    def __or__(self, other: IntervalSet) -> IntervalSet:
        return _sweep(self.kind, [self, other], 1)

    def __and__(self, other: IntervalSet) -> IntervalSet:
        return _sweep(self.kind, [self, other], 2)

    def __sub__(self, other: IntervalSet) -> IntervalSet:
        return self & ~other

    def __le__(self, other: IntervalSet) -> bool:
        """Whether every member is a member of `other`, a set of the same kind."""
        return self.is_empty or other.is_full or (self - other).is_empty

    def intervals(self) -> Iterator[Interval]:
        """The intervals in order, none of them touching the next."""
        ends: list[Cut | None] = [None, *self.cuts] if self.from_lowest else [*self.cuts]
        if len(ends) % 2:
            ends.append(None)
        return zip(ends[::2], ends[1::2], strict=True)

    def only_values(self, longest_run: int = 16) -> tuple[Any, ...] | None:
        """All members when no interval holds more neighbouring values than `longest_run`, else None."""
        found: list[Any] = []
        for low, high in self.intervals():
            members = _few_members(self.kind, low, high, longest_run)
            if members is None:
                return None
            found += members
        return tuple(found)


def first_value(kind: Kind, low: Cut | None) -> Any:
    """The least value after a cut, None when there is none."""
    if low is None:
        return lowest(kind)
    return low[0] if low[1] == 0 else following(kind, low[0])


def _few_members(kind: Kind, low: Cut | None, high: Cut | None, longest_run: int) -> list[Any] | None:
    """The values of a non-empty interval if it is a single one or a short run of neighbours, else None.

    Neighbours that people list are bools, moments a microsecond apart, large ints, and sums such as 0.3 and
    0.1 + 0.2. Nearly all other intervals hold far too many values to walk through.
    """
    value = first_value(kind, low)
    if value is None:
        return None
    members = [value]
    while len(members) <= longest_run:
        value = following(kind, value)
        if value is None or (high is not None and high <= (value, 0)):
            return members
        if kind != Kind.BOOL:
            if low is None or high is None:
                return None
            if kind == Kind.STRING and not high[0].startswith(value):
                return None
        members.append(value)
    return None


def _holds_nothing(kind: Kind, low: Cut | None, high: Cut | None) -> bool:
    """Whether no value lies between two cuts."""
    value = first_value(kind, low)
    if value is None:  # nothing above the cut; or, below no cut, moments without a lowest
        return low is not None
    return high is not None and high <= (value, 0)


def _without_empty(kind: Kind, from_lowest: bool, cuts: list[Cut]) -> tuple[bool, tuple[Cut, ...]]:
    """Drop pairs of neighbouring cuts that have no value between them."""
    kept: list[Cut] = []
    for cut in cuts:
        if kept and _holds_nothing(kind, kept[-1], cut):
            kept.pop()
        elif not kept and _holds_nothing(kind, None, cut):
            from_lowest = not from_lowest
        else:
            kept.append(cut)
    if kept and _holds_nothing(kind, kept[-1], None):
        kept.pop()
    return from_lowest, tuple(kept)


def _sweep(kind: Kind, sets: list[IntervalSet], wanted: int) -> IntervalSet:
    """The values that are in at least `wanted` of the sets."""
    covering = sum(member.from_lowest for member in sets)
    steps: dict[Cut, int] = {}
    for member in sets:
        step = -1 if member.from_lowest else 1
        for cut in member.cuts:
            steps[cut] = steps.get(cut, 0) + step
            step = -step
    from_lowest = inside = covering >= wanted
    cuts = []
    for cut in sorted(steps):
        covering += steps[cut]
        if (covering >= wanted) != inside:
            inside = not inside
            cuts.append(cut)
    return IntervalSet(kind, *_without_empty(kind, from_lowest, cuts))


_LOWER_CUT = {Operator.GE: 0, Operator.GT: 1}
_UPPER_CUT = {Operator.LT: 0, Operator.LE: 1}
_INTERVAL_KINDS = (Kind.BOOL, Kind.NUMBER, Kind.STRING, Kind.TIMESTAMP)


def interval_set(predicate: Predicate) -> IntervalSet | None:
    """The values of the predicate's own kind for which it is true; None when they are no intervals.

    A predicate of a kind is true of no value of another, with one exception: a TIMESTAMP predicate is true of
    the strings that name a moment of its set.
    """
    kind, value = predicate.kind, predicate.value
    if kind not in _INTERVAL_KINDS:
        return None
    asked = predicate.operator
    if asked in (Operator.NE, Operator.NOT_IN, Operator.NOT_LIKE):
        opposite = interval_set(Predicate(predicate.attribute, Operator(asked ^ 1), kind, value))
        return None if opposite is None else ~opposite
    if asked == Operator.EQ:
        return IntervalSet.points(kind, (value,))
    if asked == Operator.IN:
        return IntervalSet.points(kind, value)
    if asked in _LOWER_CUT or asked in _UPPER_CUT:
        if kind == Kind.BOOL:  # bools have no order in a filter
            return IntervalSet.empty(kind)
        if asked in _LOWER_CUT:
            return IntervalSet.between(kind, (value, _LOWER_CUT[asked]), None)
        return IntervalSet.between(kind, None, (value, _UPPER_CUT[asked]))
    if asked == Operator.LIKE:
        pattern = compile_pattern(value)
        if pattern.exact is not None:
            return IntervalSet.points(kind, (pattern.exact,))
        if pattern.only_prefix:
            end = prefix_end(pattern.prefix)
            return IntervalSet.between(kind, (pattern.prefix, 0), None if end is None else (end, 0))
    return None
