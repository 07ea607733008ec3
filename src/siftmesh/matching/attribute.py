"""The predicates of one attribute, each operator in an index of its own: from a value to what is true of it.

What cannot be indexed (most patterns, quantifiers, expressions) is evaluated one by one, and only for values
of which it can be true.
"""

from __future__ import annotations

from sys import getsizeof
from typing import Any

import numpy as np
from numpy.typing import NDArray

from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import Leaf, Operator, Predicate
from siftmesh.matching.ordered import Ordered
from siftmesh.matching.patterns import Patterns
from siftmesh.matching.postings import Others, Postings
from siftmesh.model.event import Event
from siftmesh.model.rfc3339 import parse_rfc3339
from siftmesh.model.values import Kind, Timestamp, Value, kind_of

__all__ = ["AttributeIndex"]

Tallies = NDArray[np.int64]
Runs = list[NDArray[np.int32]]

_SCALARS = frozenset([Kind.BOOL, Kind.NUMBER, Kind.STRING, Kind.TIMESTAMP])
_EQUAL = frozenset([Operator.EQ, Operator.IN])
_UNEQUAL = frozenset([Operator.NE, Operator.NOT_IN])
_PATTERNS = frozenset([Operator.LIKE, Operator.NOT_LIKE, Operator.ILIKE, Operator.NOT_ILIKE])
_ELEMENTS = frozenset([Operator.CONTAINS, Operator.NOT_CONTAINS, Operator.OVERLAPS, Operator.NOT_OVERLAPS])
# Whether constants below the value are fulfilled, and whether an equal one is.
_ORDERINGS = {
    Operator.GT: (True, False),
    Operator.GE: (True, True),
    Operator.LT: (False, False),
    Operator.LE: (False, True),
}


class _Equalities:
    """Predicates that ask whether a value, or an element of an array, is one of their constants."""

    def __init__(self) -> None:
        self._positive = Postings()
        # The constants of the negated ones, which are fulfilled by all values but these.
        self._negative = Postings()
        self._others = Others()

    def add(self, leaf: Predicate, number: int, tallies: Tallies) -> None:
        if leaf.operator & 1:
            self._others.add(number, tallies)
        held = self._negative if leaf.operator & 1 else self._positive
        for constant in _items(leaf):
            held.add(constant, number)

    def remove(self, leaf: Predicate, number: int) -> None:
        if leaf.operator & 1:
            self._others.remove(number)
        held = self._negative if leaf.operator & 1 else self._positive
        for constant in _items(leaf):
            held.remove(constant, number)

    def collect(self, value: Any, tallies: Tallies, single: list[int], runs: Runs) -> None:
        self._positive.collect(value, single)
        if self._others:
            exceptions: list[int] = []
            self._negative.collect(value, exceptions)
            runs.append(self._others.fulfilled(exceptions, tallies))

    def collect_elements(self, values: list[Any], tallies: Tallies, single: list[int], runs: Runs) -> None:
        """The same for the elements of an array, None standing for one that is not comparable."""
        several: list[int] = []
        distinct = {value for value in values if value is not None}
        for value in distinct:
            self._positive.collect(value, several)
        single += set(several)
        # An element that compares with nothing leaves "none of them" unknown.
        if self._others and None not in values:
            exceptions: list[int] = []
            for value in distinct:
                self._negative.collect(value, exceptions)
            runs.append(self._others.fulfilled(set(exceptions), tallies))

    def settle(self, tallies: Tallies) -> None:
        self._others.settle(tallies)

    def memory(self) -> int:
        return self._positive.memory() + self._negative.memory() + self._others.memory()


class AttributeIndex:
    """Holds the predicates of one attribute that a value can make true."""

    def __init__(self) -> None:
        self._equalities: dict[Kind, _Equalities] = {}
        self._orderings: dict[Kind, dict[Operator, Ordered]] = {}
        self._elements: dict[Kind, _Equalities] = {}
        # LIKE, and ILIKE.
        self._patterns: dict[bool, Patterns] = {}
        self._present: list[int] = []
        self._not_null: list[int] = []
        self._one_by_one: dict[int, Leaf] = {}
        self._size = 0

    def add(self, leaf: Leaf, number: int, tallies: Tallies) -> None:
        """Enter a leaf under its number; it can only be true where the attribute is there."""
        self._size += 1
        if type(leaf) is not Predicate:
            self._one_by_one[number] = leaf
            return
        kind, asked = leaf.kind, leaf.operator
        if asked in _ORDERINGS and kind in _SCALARS:
            if kind != Kind.BOOL:  # never true of those
                orderings = self._orderings.setdefault(kind, {})
                if asked not in orderings:
                    orderings[asked] = Ordered(*_ORDERINGS[asked])
                orderings[asked].add(leaf.value, number, tallies)
        elif asked in _PATTERNS:
            ignore_case = asked >= Operator.ILIKE
            if ignore_case not in self._patterns:
                self._patterns[ignore_case] = Patterns(ignore_case)
            self._patterns[ignore_case].add(leaf.value, bool(asked & 1), number, tallies)
        elif asked == Operator.EXISTS:
            self._present.append(number)
        elif asked == Operator.IS_NOT_NULL:
            self._not_null.append(number)
        else:
            table = self._table(leaf)
            if table is None:
                self._one_by_one[number] = leaf
                return
            if kind not in table:
                table[kind] = _Equalities()
            table[kind].add(leaf, number, tallies)

    def remove(self, leaf: Leaf, number: int, tallies: Tallies) -> None:
        """Take a leaf out."""
        self._size -= 1
        if number in self._one_by_one:
            del self._one_by_one[number]
        elif type(leaf) is not Predicate:
            raise KeyError(number)
        elif leaf.operator in _ORDERINGS:
            if leaf.kind != Kind.BOOL:
                self._orderings[leaf.kind][leaf.operator].remove(leaf.value, tallies)
        elif leaf.operator in _PATTERNS:
            self._patterns[leaf.operator >= Operator.ILIKE].remove(
                leaf.value, bool(leaf.operator & 1), number
            )
        elif leaf.operator == Operator.EXISTS:
            self._present.remove(number)
        elif leaf.operator == Operator.IS_NOT_NULL:
            self._not_null.remove(number)
        else:
            table = self._table(leaf)
            if table is None:
                raise KeyError(number)
            table[leaf.kind].remove(leaf, number)

    def collect(self, value: Value, event: Event, tallies: Tallies, single: list[int], runs: Runs) -> None:
        """Append the numbers of what is true of a value: to `single`, or as arrays that are tallied."""
        single += self._present
        kind = kind_of(value)
        if kind == Kind.NULL:
            return
        single += self._not_null
        if kind == Kind.ARRAY:
            for of_elements, elements in self._elements.items():
                held = [_held(element, of_elements) for element in value]  # type: ignore[union-attr]  # a tuple
                elements.collect_elements(held, tallies, single, runs)
        elif kind == Kind.TIMESTAMP:
            self._compare(kind, value.micros, tallies, single, runs)  # type: ignore[union-attr]  # by its kind
        elif kind != Kind.OPAQUE:
            self._compare(kind, value, tallies, single, runs)
        if kind == Kind.STRING:
            if Kind.TIMESTAMP in self._equalities or Kind.TIMESTAMP in self._orderings:
                moment = parse_rfc3339(value)  # type: ignore[arg-type]  # its kind says it is a string
                if moment is not None:
                    self._compare(Kind.TIMESTAMP, moment.micros, tallies, single, runs)
            for patterns in self._patterns.values():
                patterns.collect(value, tallies, single, runs)  # type: ignore[arg-type]  # a string
        for number, leaf in self._one_by_one.items():
            if holds(leaf, event):
                single.append(number)

    def settle(self, tallies: Tallies) -> None:
        """Complete the tallies of what is counted by the run."""
        for orderings in self._orderings.values():
            for ordered in orderings.values():
                ordered.settle(tallies)
        for index in self._tables():
            index.settle(tallies)

    def __len__(self) -> int:
        return self._size

    def memory(self) -> int:
        orderings = (one for orderings in self._orderings.values() for one in orderings.values())
        return (
            sum(index.memory() for index in self._tables())
            + sum(ordered.memory() for ordered in orderings)
            + getsizeof(self._one_by_one)
        )

    def _tables(self) -> list[_Equalities | Patterns]:
        return [*self._equalities.values(), *self._elements.values(), *self._patterns.values()]

    def _compare(self, kind: Kind, value: Any, tallies: Tallies, single: list[int], runs: Runs) -> None:
        equalities = self._equalities.get(kind)
        if equalities is not None:
            equalities.collect(value, tallies, single, runs)
        orderings = self._orderings.get(kind)
        if orderings is not None:
            for ordered in orderings.values():
                run = ordered.fulfilled(value)
                if len(run):
                    runs.append(run)

    def _table(self, leaf: Predicate) -> dict[Kind, _Equalities] | None:
        """Where a predicate is looked up by its constants, if it is."""
        if leaf.kind not in _SCALARS:
            return None
        if leaf.operator in _EQUAL or leaf.operator in _UNEQUAL:
            return self._equalities
        # Without constants even an array of nulls has none of them.
        return self._elements if leaf.operator in _ELEMENTS and _items(leaf) else None


def _items(leaf: Predicate) -> tuple[Any, ...]:
    return leaf.value if type(leaf.value) is tuple else (leaf.value,)


def _held(value: Value, kind: Kind) -> Any:
    """A value as predicates of a kind hold it, or None if it does not compare with them."""
    if kind == Kind.TIMESTAMP:
        moment = parse_rfc3339(value) if type(value) is str else value
        return moment.micros if isinstance(moment, Timestamp) else None
    return value if kind_of(value) == kind else None
