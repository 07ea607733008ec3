"""What is still possible for one attribute: missing, null, or a value of some kind within a set."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from siftmesh.logic.entailment import NULLNESS, hull, value_kind
from siftmesh.logic.intervals import Interval, IntervalSet, first_value, interval_set
from siftmesh.logic.tree import Operator, Predicate
from siftmesh.model.rfc3339 import parse_rfc3339
from siftmesh.model.values import OPAQUE, Kind, Timestamp, Value

__all__ = ["ANYTHING", "MISSING", "Domain", "Missing", "is_exact"]


class Missing:
    """The state of an attribute that the event does not have."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()
_SAMPLED_INTERVALS = 8


def is_exact(leaf: Predicate) -> bool:
    """Whether a domain can say exactly what the predicate is true of, and so leave out just that."""
    return leaf.operator in NULLNESS or interval_set(leaf) is not None


class Domain(msgspec.Struct, frozen=True):
    """The possible states of one attribute.

    Strings that name a moment meet TIMESTAMP predicates as well as STRING predicates: they are held apart
    from other strings, as those that lie in `dated` and name a moment of `named`. A domain may hold a state
    that no event has (no string of `dated` may name a moment of `named`), never the other way round.
    """

    missing: bool
    null: bool
    array: bool
    opaque: bool
    boolean: IntervalSet
    number: IntervalSet
    string: IntervalSet
    moment: IntervalSet
    dated: IntervalSet
    named: IntervalSet

    @property
    def is_empty(self) -> bool:
        return (
            not (self.missing or self.null or self.array or self.opaque)
            and self.boolean.is_empty
            and self.number.is_empty
            and self.moment.is_empty
            and self._other_strings().is_empty
            and (self.named.is_empty or self._dated_strings().is_empty)
        )

    def __contains__(self, state: Value | Missing) -> bool:
        if isinstance(state, Missing):
            return self.missing
        if state is None:
            return self.null
        if isinstance(state, tuple):
            return self.array
        if isinstance(state, bool):
            return state in self.boolean
        if isinstance(state, (int, float)):
            return state in self.number
        if isinstance(state, Timestamp):
            return state.micros in self.moment
        if isinstance(state, str):
            moment = parse_rfc3339(state)
            return (
                state in self.string
                if moment is None
                else state in self.dated and moment.micros in self.named
            )
        return self.opaque

    def met(self, leaf: Predicate) -> Domain:
        """What is left where a predicate is true (for a pattern: at least that)."""
        asked = leaf.operator
        if asked in NULLNESS:
            return self._nullness(asked)
        kind = value_kind(leaf)
        left = _NOTHING
        if kind == Kind.ARRAY:
            return msgspec.structs.replace(left, array=self.array)
        values = hull(leaf)
        if values is None:
            return left
        if kind == Kind.BOOL:
            return msgspec.structs.replace(left, boolean=self.boolean & values)
        if kind == Kind.NUMBER:
            return msgspec.structs.replace(left, number=self.number & values)
        if kind == Kind.STRING:
            return msgspec.structs.replace(
                left, string=self.string & values, dated=self.dated & values, named=self.named
            )
        return msgspec.structs.replace(
            left, moment=self.moment & values, dated=self.dated, named=self.named & values
        )

    def avoided(self, leaf: Predicate) -> Domain:
        """What is left where a predicate is not true: false or unknown (for a pattern: at least that)."""
        asked = leaf.operator
        if asked in NULLNESS:
            return self._nullness(Operator(asked ^ 1))
        values = interval_set(leaf)
        if values is None:
            return self
        if values.kind == Kind.BOOL:
            return msgspec.structs.replace(self, boolean=self.boolean - values)
        if values.kind == Kind.NUMBER:
            return msgspec.structs.replace(self, number=self.number - values)
        if values.kind == Kind.STRING:
            return msgspec.structs.replace(self, string=self.string - values, dated=self.dated - values)
        return msgspec.structs.replace(self, moment=self.moment - values, named=self.named - values)

    def _nullness(self, asked: Operator) -> Domain:
        if asked == Operator.EXISTS:
            return msgspec.structs.replace(self, missing=False)
        if asked == Operator.NOT_EXISTS:
            return msgspec.structs.replace(_NOTHING, missing=self.missing)
        if asked == Operator.IS_NULL:
            return msgspec.structs.replace(_NOTHING, missing=self.missing, null=self.null)
        return msgspec.structs.replace(self, missing=False, null=False)

    def listed(self) -> list[Value | Missing] | None:
        """All states of the domain when they are few enough to list, else None."""
        strings, dated = self.string.only_values(), self.dated.only_values()
        if dated is None and self.named.is_empty:
            dated = ()
        found = [
            self.boolean.only_values(),
            self.number.only_values(),
            self.moment.only_values(),
            strings,
            dated,
        ]
        if self.array or self.opaque or any(values is None for values in found):
            return None
        return list(self.samples())

    def samples(self) -> Iterator[Value | Missing]:
        """States of the domain, one of each sort that it has (of dated strings only if one is found)."""
        yield from _sample_values(self.number)
        yield from (text for text in _sample_values(self.string) if parse_rfc3339(text) is None)
        yield from (Timestamp(micros) for micros in _sample_values(self.moment))
        yield from _sample_values(self.boolean)
        if not self.named.is_empty:
            texts = [*_sample_values(self.dated), *map(_moment_text, _sample_values(self.named))]
            yield from (text for text in texts if text and text in self and parse_rfc3339(text) is not None)
        if self.null:
            yield None
        if self.missing:
            yield MISSING
        if self.array:
            yield ()
        if self.opaque:
            yield OPAQUE

    def _other_strings(self) -> IntervalSet:
        values = self.string.only_values()
        if values is None:
            return self.string
        return IntervalSet.points(Kind.STRING, [text for text in values if text in self])

    def _dated_strings(self) -> IntervalSet:
        values = self.dated.only_values()
        if values is None:
            return self.dated
        return IntervalSet.points(Kind.STRING, [text for text in values if text in self])


def _moment_text(micros: int) -> str | None:
    try:
        return Timestamp(micros).isoformat()
    except OverflowError:  # a year that no text names
        return None


def _sample_values(values: IntervalSet) -> Iterator[Any]:
    """Members of a set: of each of its first intervals the least and, if there are more, one further in.

    Single values come first and last of all, so that a set of single values is listed whole.
    """
    singles = values.only_values()
    if singles is not None:
        yield from singles
        return
    for number, interval in enumerate(values.intervals()):
        if number == _SAMPLED_INTERVALS:
            return
        yield from (one for one in _within(values.kind, interval) if one in values)


def _within(kind: Kind, interval: Interval) -> Iterator[Any]:
    low, high = interval
    first = first_value(kind, low)
    if kind == Kind.STRING:
        yield from (first + "x", first, first + "\0")
    elif kind == Kind.BOOL:
        yield from (False, True)
    else:
        if low is None:
            yield 0 if high is None else high[0] - 1
        elif high is None:
            yield low[0] + 1
        else:
            yield low[0] + (high[0] - low[0]) // 2
        if first is not None:
            yield first


def _full(kind: Kind) -> IntervalSet:
    return IntervalSet.full(kind)


def _empty(kind: Kind) -> IntervalSet:
    return IntervalSet.empty(kind)


_SORTS = (Kind.BOOL, Kind.NUMBER, Kind.STRING, Kind.TIMESTAMP, Kind.STRING, Kind.TIMESTAMP)
ANYTHING = Domain(True, True, True, True, *map(_full, _SORTS))
_NOTHING = Domain(False, False, False, False, *map(_empty, _SORTS))
