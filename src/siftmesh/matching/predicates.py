"""The first step of the counting matcher: every distinct predicate once, and which of them an event fulfils.

Predicates have dense numbers, reused after the last subscription that holds one has gone. Of each it is known
how often it was fulfilled since it was entered: the papers learn selectivities so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from sys import getsizeof
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import Get, Leaf, Operator, Predicate, Quantified, Residual, attributes
from siftmesh.matching.attribute import AttributeIndex
from siftmesh.matching.postings import Others, Postings
from siftmesh.model.event import Event

__all__ = ["PredicateIndex", "Tally"]

# True, or not an ordinary test, where there is no value.
_OF_NOTHING = frozenset([Operator.IS_NULL, Operator.EXISTS, Operator.NOT_EXISTS])


class Tally(NamedTuple):
    """How many events fulfilled a predicate, of how many that came since it was entered."""

    fulfilled: int
    events: int


class PredicateIndex:
    """Numbers predicates and finds all that an event fulfils."""

    def __init__(self) -> None:
        self._numbers: dict[Leaf, int] = {}
        self._leaves: list[Leaf | None] = []
        self._free: list[int] = []
        self._indexes: dict[str, AttributeIndex] = {}
        # IS NULL and NOT EXISTS: all of them are true but those of attributes that are there.
        self._absent = Others()
        self._null = Postings()
        self._missing = Postings()
        # What can be true whatever the event has.
        self._anywhere: dict[int, Leaf] = {}
        # How many predicates read each attribute.
        self._used: Counter[str] = Counter()
        self._tallies = np.zeros(16, dtype=np.int64)
        self._born = np.zeros(16, dtype=np.int64)
        self._events = 0

    def number(self, leaf: Leaf) -> int | None:
        """The number of a predicate that is held, or None."""
        return self._numbers.get(leaf)

    def leaf(self, number: int) -> Leaf:
        """The predicate of a number: of equal ones always the same object."""
        leaf = self._leaves[number]
        if leaf is None:
            raise KeyError(number)
        return leaf

    def add(self, leaf: Leaf) -> int:
        """The number of a predicate that is not held yet."""
        if self._free:
            number = self._free.pop()
            self._leaves[number] = leaf
        else:
            number = len(self._leaves)
            self._leaves.append(leaf)
            if number == len(self._tallies):
                self._tallies = np.concatenate([self._tallies, np.zeros_like(self._tallies)])
                self._born = np.concatenate([self._born, np.zeros_like(self._born)])
        self._numbers[leaf] = number
        self._tallies[number] = 0
        self._born[number] = self._events
        for name in _read(leaf):
            self._used[name] += 1
        if type(leaf) is Predicate and leaf.operator in (Operator.IS_NULL, Operator.NOT_EXISTS):
            self._absent.add(number, self._tallies)
            (self._null if leaf.operator == Operator.IS_NULL else self._missing).add(leaf.attribute, number)
            return number
        where = _attribute(leaf)
        if where is None:
            self._anywhere[number] = leaf
        else:
            if where not in self._indexes:
                self._indexes[where] = AttributeIndex()
            self._indexes[where].add(leaf, number, self._tallies)
        return number

    def remove(self, number: int) -> None:
        """Forget a predicate; its number will stand for another."""
        leaf = self.leaf(number)
        for name in _read(leaf):
            self._used[name] -= 1
            if not self._used[name]:
                del self._used[name]
        if type(leaf) is Predicate and leaf.operator in (Operator.IS_NULL, Operator.NOT_EXISTS):
            self._absent.remove(number)
            (self._null if leaf.operator == Operator.IS_NULL else self._missing).remove(
                leaf.attribute, number
            )
        elif (where := _attribute(leaf)) is None:
            del self._anywhere[number]
        else:
            self._indexes[where].remove(leaf, number, self._tallies)
            if not self._indexes[where]:
                del self._indexes[where]
        del self._numbers[leaf]
        self._leaves[number] = None
        self._free.append(number)

    def fulfilled(self, event: Event) -> list[NDArray[np.int32]]:
        """The numbers of all predicates that are true of an event, each once, in several arrays.

        The arrays are valid until predicates are added or removed.
        """
        self._events += 1
        single: list[int] = []
        runs: list[NDArray[np.int32]] = []
        indexes = self._indexes
        for name, value in event.values.items():
            index = indexes.get(name)
            if index is not None:
                index.collect(value, event, self._tallies, single, runs)
        for number, leaf in self._anywhere.items():
            if holds(leaf, event):
                single.append(number)
        if self._absent:
            there: list[int] = []
            for name, value in event.values.items():
                self._missing.collect(name, there)
                if value is not None:
                    self._null.collect(name, there)
            runs.append(self._absent.fulfilled(there, self._tallies))
        if single:
            numbers = np.array(single, dtype=np.int32)
            self._tallies[numbers] += 1
            runs.append(numbers)
        return runs

    def selectivities(self) -> dict[Leaf, Tally]:
        """Of each predicate how often it was fulfilled since it was entered."""
        for index in self._indexes.values():
            index.settle(self._tallies)
        self._absent.settle(self._tallies)
        return {
            leaf: Tally(int(self._tallies[number]), self._events - int(self._born[number]))
            for leaf, number in self._numbers.items()
        }

    @property
    def used(self) -> Iterable[str]:
        """Every attribute that some predicate reads."""
        return self._used

    @property
    def room(self) -> int:
        """One more than the greatest number ever given out."""
        return len(self._leaves)

    def __len__(self) -> int:
        return len(self._numbers)

    def memory(self) -> dict[str, int]:
        """Bytes by structure, without the predicates themselves, which the trees hold."""
        indexes = sum(index.memory() for index in self._indexes.values())
        return {
            "predicate numbers": getsizeof(self._numbers) + getsizeof(self._leaves) + getsizeof(self._free),
            "predicate indexes": indexes
            + self._absent.memory()
            + self._null.memory()
            + self._missing.memory()
            + getsizeof(self._anywhere),
            "selectivities": self._tallies.nbytes + self._born.nbytes,
        }


def _read(leaf: Leaf) -> Iterable[str]:
    return (leaf.attribute,) if type(leaf) is Predicate else attributes(leaf)


def _attribute(leaf: Leaf) -> str | None:
    """An attribute without whose value a leaf is not true, if there is one that says so at once."""
    if type(leaf) is Predicate:
        return leaf.attribute
    if type(leaf) is Quantified:
        return leaf.arrays[0] if leaf.arrays else None
    return _attribute_of_residual(leaf) if type(leaf) is Residual else None


def _attribute_of_residual(leaf: Residual) -> str | None:
    if leaf.test is not None and leaf.test.operator in _OF_NOTHING:
        return None
    for side in (leaf.left, leaf.right):
        if isinstance(side, Get):
            return side.attribute
    return None
