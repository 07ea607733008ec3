"""Numbers of predicates by constant, and numbers of predicates that nearly all events fulfil."""

from __future__ import annotations

from collections.abc import Collection, Hashable
from sys import getsizeof

import numpy as np
from numpy.typing import NDArray

__all__ = ["Others", "Postings"]


class Postings:
    """For each constant the numbers of the predicates that hold it."""

    def __init__(self) -> None:
        # Most constants have one predicate, for which a list would be a waste.
        self._numbers: dict[Hashable, int | list[int]] = {}

    def add(self, constant: Hashable, number: int) -> None:
        had = self._numbers.get(constant)
        if had is None:
            self._numbers[constant] = number
        elif type(had) is int:
            self._numbers[constant] = [had, number]
        else:
            had.append(number)  # type: ignore[union-attr]  # a list, as it is no int

    def remove(self, constant: Hashable, number: int) -> None:
        had = self._numbers[constant]
        if type(had) is int or had == [number]:
            del self._numbers[constant]
        else:
            had.remove(number)  # type: ignore[union-attr]  # a list, as it is no int

    def collect(self, constant: Hashable, into: list[int]) -> None:
        """Append the numbers of the predicates that hold a constant."""
        found = self._numbers.get(constant)
        if type(found) is int:
            into.append(found)
        elif found is not None:
            into += found  # type: ignore[arg-type]  # a list, as it is no int

    def __len__(self) -> int:
        return len(self._numbers)

    def memory(self) -> int:
        """Bytes, without the constants themselves, which the predicates hold."""
        lists = sum(getsizeof(one) for one in self._numbers.values() if type(one) is list)
        return getsizeof(self._numbers) + lists


class Others:
    """Predicates that a value fulfils unless it is one of a few: `<>`, NOT IN, IS NULL and their like."""

    def __init__(self) -> None:
        self._members = np.empty(4, dtype=np.int32)
        self._places: dict[int, int] = {}
        # How often nearly all members were fulfilled; of each member's tally as much is missing.
        self._rounds = 0

    def add(self, number: int, tallies: NDArray[np.int64]) -> None:
        count = len(self._places)
        if count == len(self._members):
            self._members = np.concatenate([self._members, np.empty(count, dtype=np.int32)])
        self._members[count] = number
        self._places[number] = count
        tallies[number] = -self._rounds

    def remove(self, number: int) -> None:
        place = self._places.pop(number)
        last = len(self._places)
        if place != last:
            moved = int(self._members[last])
            self._members[place] = moved
            self._places[moved] = place

    def fulfilled(self, exceptions: Collection[int], tallies: NDArray[np.int64]) -> NDArray[np.int32]:
        """The numbers of all members but the exceptions, which are members."""
        self._rounds += 1
        members = self._members[: len(self._places)]
        if not exceptions:
            return members
        for number in exceptions:
            tallies[number] -= 1
        return np.delete(members, [self._places[number] for number in exceptions])

    def settle(self, tallies: NDArray[np.int64]) -> None:
        """Complete the tallies of the members."""
        if self._rounds:
            tallies[self._members[: len(self._places)]] += self._rounds
            self._rounds = 0

    def __len__(self) -> int:
        return len(self._places)

    def memory(self) -> int:
        return self._members.nbytes + getsizeof(self._places)
