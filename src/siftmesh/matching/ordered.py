"""Constants in order, with the numbers of their predicates: what an ordering finds is a run of them."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from itertools import accumulate
from sys import getsizeof
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Ordered"]

# So many constants stand together before they are split in two.
_MOST = 512


class Ordered:
    """Predicates of one attribute, one kind and one ordering operator, sorted by their constants.

    Constants are compared in Python, which compares integers with doubles exactly. An event fulfils a run of
    predicates from one end: those below a cut, or those above it. How often each was fulfilled follows from
    how often the cut was where, so counting takes one step for an event.
    """

    def __init__(self, below: bool, inclusive: bool) -> None:
        # Whether constants below the value are fulfilled (attribute > constant), or those above it.
        self._below = below
        # Whether the one equal to the value is.
        self._inclusive = inclusive
        # Constants in chunks, in order, and the numbers beside them; of each chunk the greatest constant.
        self._constants: list[list[Any]] = []
        self._numbers: list[array[int]] = []
        self._greatest: list[Any] = []
        # All numbers in one array, made when they are asked for, and where each chunk begins in it.
        self._flat: NDArray[np.int32] | None = None
        self._starts: list[int] = []
        self._cuts: NDArray[np.int64] | None = None

    def add(self, constant: Any, number: int, tallies: NDArray[np.int64]) -> None:
        """Enter a predicate; its constant is new here."""
        if self._flat is not None:
            self._forget(tallies)
        if not self._constants:
            self._constants.append([constant])
            self._numbers.append(array("i", [number]))
            self._greatest.append(constant)
            return
        chunk = min(bisect_left(self._greatest, constant), len(self._greatest) - 1)
        constants, numbers = self._constants[chunk], self._numbers[chunk]
        place = bisect_left(constants, constant)
        constants.insert(place, constant)
        numbers.insert(place, number)
        self._greatest[chunk] = constants[-1]
        if len(constants) > _MOST:
            middle = _MOST // 2
            self._constants[chunk : chunk + 1] = [constants[:middle], constants[middle:]]
            self._numbers[chunk : chunk + 1] = [numbers[:middle], numbers[middle:]]
            self._greatest[chunk : chunk + 1] = [constants[middle - 1], constants[-1]]

    def remove(self, constant: Any, tallies: NDArray[np.int64]) -> None:
        """Take a predicate out."""
        if self._flat is not None:
            self._forget(tallies)
        chunk = bisect_left(self._greatest, constant)
        constants = self._constants[chunk]
        place = bisect_left(constants, constant)
        del constants[place]
        del self._numbers[chunk][place]
        if constants:
            self._greatest[chunk] = constants[-1]
        else:
            del self._constants[chunk], self._numbers[chunk], self._greatest[chunk]

    def fulfilled(self, value: Any) -> NDArray[np.int32]:
        """The numbers of the predicates that are true of a value (of the same kind)."""
        if self._flat is None:
            self._remember()
        cut = self._cut(value)
        self._cuts[cut] += 1  # type: ignore[index]  # made together with _flat
        return self._flat[:cut] if self._below else self._flat[cut:]  # type: ignore[index]  # made above

    def settle(self, tallies: NDArray[np.int64]) -> None:
        """Add to each predicate's tally how often it was fulfilled since the last time."""
        if self._cuts is None or self._flat is None or not self._cuts.any():
            return
        if self._below:  # number i was fulfilled whenever the cut was behind it
            tallies[self._flat] += self._cuts[::-1].cumsum()[-2::-1]
        else:
            tallies[self._flat] += self._cuts.cumsum()[:-1]
        self._cuts[:] = 0

    def __len__(self) -> int:
        return sum(map(len, self._constants))

    def memory(self) -> int:
        """Bytes, without the constants themselves, which the predicates hold."""
        lists = sum(map(getsizeof, self._constants)) + sum(map(getsizeof, self._numbers))
        flat = 0 if self._flat is None else self._flat.nbytes
        return lists + getsizeof(self._greatest) + flat + (0 if self._cuts is None else self._cuts.nbytes)

    def _cut(self, value: Any) -> int:
        # Whether a constant equal to the value lies before the cut.
        find = bisect_right if self._below == self._inclusive else bisect_left
        chunk = find(self._greatest, value)
        if chunk == len(self._constants):
            return self._starts[chunk]
        return self._starts[chunk] + find(self._constants[chunk], value)

    def _remember(self) -> None:
        self._starts = list(accumulate(map(len, self._numbers), initial=0))
        joined = b"".join(numbers.tobytes() for numbers in self._numbers)
        self._flat = np.frombuffer(joined, dtype=np.int32).copy()
        self._cuts = np.zeros(len(self._flat) + 1, dtype=np.int64)

    def _forget(self, tallies: NDArray[np.int64]) -> None:
        self.settle(tallies)
        self._flat = self._cuts = None
