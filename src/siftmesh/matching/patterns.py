"""LIKE patterns of one attribute: those that are a prefix are looked up, the others tried one by one."""

from __future__ import annotations

from sys import getsizeof

import numpy as np
from numpy.typing import NDArray

from siftmesh.matching.postings import Others, Postings
from siftmesh.model.pattern import Pattern, compile_pattern

__all__ = ["Patterns"]

# Prefixes of one length each.
Prefixes = dict[int, Postings]


class Patterns:
    """Holds LIKE and NOT LIKE predicates, or, ignoring case, ILIKE and NOT ILIKE."""

    def __init__(self, ignore_case: bool) -> None:
        self._ignore_case = ignore_case
        self._positive: Prefixes = {}
        # The prefixes of the negated ones, which are fulfilled by all strings but those that begin so.
        self._negative: Prefixes = {}
        self._others = Others()
        self._one_by_one: dict[int, tuple[Pattern, bool]] = {}

    def add(self, pattern: str, negated: bool, number: int, tallies: NDArray[np.int64]) -> None:
        compiled = compile_pattern(pattern, self._ignore_case)
        if not compiled.only_prefix:
            self._one_by_one[number] = compiled, not negated
            return
        if negated:
            self._others.add(number, tallies)
        prefixes = self._negative if negated else self._positive
        prefix = compiled.prefix
        if len(prefix) not in prefixes:
            prefixes[len(prefix)] = Postings()
        prefixes[len(prefix)].add(prefix, number)

    def remove(self, pattern: str, negated: bool, number: int) -> None:
        if self._one_by_one.pop(number, None) is not None:
            return
        if negated:
            self._others.remove(number)
        prefixes = self._negative if negated else self._positive
        prefix = compile_pattern(pattern, self._ignore_case).prefix
        prefixes[len(prefix)].remove(prefix, number)
        if not prefixes[len(prefix)]:
            del prefixes[len(prefix)]

    def collect(
        self, text: str, tallies: NDArray[np.int64], single: list[int], runs: list[NDArray[np.int32]]
    ) -> None:
        """Append the numbers of the predicates that are true of a string."""
        if self._ignore_case:
            text = text.casefold()
        _look_up(self._positive, text, single)
        if self._others:
            exceptions: list[int] = []
            _look_up(self._negative, text, exceptions)
            runs.append(self._others.fulfilled(exceptions, tallies))
        for number, (pattern, wanted) in self._one_by_one.items():
            if pattern.matches(text) is wanted:
                single.append(number)

    def settle(self, tallies: NDArray[np.int64]) -> None:
        self._others.settle(tallies)

    def memory(self) -> int:
        tables = (*self._positive.values(), *self._negative.values())
        return (
            sum(postings.memory() for postings in tables)
            + self._others.memory()
            + getsizeof(self._one_by_one)
        )


def _look_up(prefixes: Prefixes, text: str, into: list[int]) -> None:
    for length, postings in prefixes.items():
        postings.collect(text[:length], into)
