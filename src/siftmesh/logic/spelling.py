"""Interval sets written as predicates: the shortest list whose disjunction, or conjunction, is the set."""

from __future__ import annotations

from typing import Any

from siftmesh.logic.intervals import Cut, Interval, IntervalSet, first_value, prefix_end
from siftmesh.logic.tree import NEGATION, Operator, Predicate
from siftmesh.model.pattern import escape
from siftmesh.model.values import Kind

__all__ = ["alternatives", "requirements"]

# A disjunction can only list neighbouring values, where a conjunction has bounds for a longer run.
_LONGEST_RUN = 4096


def requirements(values: IntervalSet, attribute: str, at_most: int) -> list[Predicate] | None:
    """Predicates whose conjunction is the set; None if it is empty or takes more than `at_most`."""
    kind = values.kind
    if values.is_empty:
        return None
    listed = values.only_values()
    if listed is not None:  # `= FALSE` rather than `<> TRUE`, and a list rather than two bounds
        return [_one_of(attribute, kind, listed)]
    if values.is_full:
        return [_any_string(attribute)] if kind == Kind.STRING else None
    opposite = alternatives(~values, attribute, at_most)
    if opposite is None:
        return None
    return sorted(Predicate(attribute, NEGATION[one.operator], kind, one.value) for one in opposite)


def alternatives(values: IntervalSet, attribute: str, at_most: int) -> list[Predicate] | None:
    """Predicates whose disjunction is the set; None if it is empty or takes more than `at_most`."""
    kind = values.kind
    if values.is_empty:
        return None
    if values.is_full and kind != Kind.BOOL:
        if kind == Kind.STRING:
            return [_any_string(attribute)]
        # No single predicate says "is a number": any value splits them all the same.
        both = [Predicate(attribute, Operator.LT, kind, 0), Predicate(attribute, Operator.GE, kind, 0)]
        return both if at_most >= len(both) else None
    listed = values.only_values(_LONGEST_RUN)
    if listed is not None:
        return [_one_of(attribute, kind, listed)]
    spared = (~values).only_values()
    if spared is not None:
        one = _one_of(attribute, kind, spared)
        return [Predicate(attribute, NEGATION[one.operator], kind, one.value)]
    pieces = _pieces(values, attribute, at_most)
    shortest = _outside_prefix(values, attribute, at_most)
    if shortest is None or (pieces is not None and len(pieces) <= len(shortest)):
        shortest = pieces
    return None if shortest is None or len(shortest) > at_most else sorted(shortest)


def _any_string(attribute: str) -> Predicate:
    return Predicate(attribute, Operator.LIKE, Kind.STRING, "%")


def _one_of(attribute: str, kind: Kind, values: tuple[Any, ...]) -> Predicate:
    if len(values) == 1:
        return Predicate(attribute, Operator.EQ, kind, values[0])
    return Predicate(attribute, Operator.IN, kind, values)


def _pieces(values: IntervalSet, attribute: str, at_most: int) -> list[Predicate] | None:
    """One predicate for each unbounded interval and each prefix, one for all single values."""
    kind = values.kind
    made: list[Predicate] = []
    singles: list[Any] = []
    for interval in values.intervals():
        low, high = interval
        only = IntervalSet.between(kind, low, high).only_values(_LONGEST_RUN)
        if only is not None:
            singles += only
        elif low is None and high is not None:
            made.append(Predicate(attribute, Operator.LE if high[1] else Operator.LT, kind, high[0]))
        elif high is None and low is not None:
            made.append(Predicate(attribute, Operator.GT if low[1] else Operator.GE, kind, low[0]))
        else:
            prefixes = _prefixes(interval, at_most) if kind == Kind.STRING else None
            if prefixes is None:
                return None
            made += [Predicate(attribute, Operator.LIKE, kind, escape(one) + "%") for one in prefixes[0]]
            singles += prefixes[1]
    if singles:
        made.append(_one_of(attribute, kind, tuple(sorted(singles))))
    return made


def _prefixes(interval: Interval, at_most: int) -> tuple[list[str], list[str]] | None:
    """A bounded interval of strings as whole prefixes and single strings, or None if that takes too many."""
    low, high = interval
    prefixes: list[str] = []
    singles: list[str] = []
    while low is not None and high is not None and low < high:
        start: str = first_value(Kind.STRING, low)
        end = prefix_end(start)
        if end is not None and (end, 0) <= high:
            prefixes.append(start)
            low = (end, 0)
        elif (start, 1) <= high:
            singles.append(start)
            low = (start, 1)
        else:
            break
        # Singles share one list; but an interval that is no union of prefixes has endlessly many of them.
        if len(prefixes) > at_most or len(singles) > len(prefixes) + 1:
            return None
    return prefixes, singles


def _outside_prefix(values: IntervalSet, attribute: str, at_most: int) -> list[Predicate] | None:
    """NOT LIKE the longest prefix of all that the set leaves out, and what the set has of that prefix."""
    if values.kind != Kind.STRING:
        return None
    left_out = list((~values).intervals())
    prefix = _common_prefix(left_out[0][0], left_out[-1][1])
    if not prefix:
        return None
    made = [Predicate(attribute, Operator.NOT_LIKE, Kind.STRING, escape(prefix) + "%")]
    end = prefix_end(prefix)
    rest = values & IntervalSet.between(Kind.STRING, (prefix, 0), None if end is None else (end, 0))
    if rest.is_empty:
        return made
    inside = _pieces(rest, attribute, at_most)
    return None if inside is None else made + inside


def _common_prefix(low: Cut | None, high: Cut | None) -> str:
    """The longest prefix of all strings from one cut to another, as far as the cuts themselves tell."""
    if low is None or high is None:
        return ""
    first, last = low[0], high[0]
    shared = 0
    while shared < min(len(first), len(last)) and first[shared] == last[shared]:
        shared += 1
    for length in (shared + 1, shared):
        prefix: str = first[:length]
        end = prefix_end(prefix)
        if end is None or high <= (end, 0):
            return prefix
    return ""
