"""Sorted constants: runs of fulfilled orderings, and how often each was fulfilled."""

from __future__ import annotations

import operator
import random
from typing import Any

import numpy as np
import pytest

from siftmesh.matching.ordered import Ordered

OPERATORS = {
    operator.gt: (True, False),
    operator.ge: (True, True),
    operator.lt: (False, False),
    operator.le: (False, True),
}


@pytest.mark.parametrize("asked", OPERATORS)
def test_a_run_holds_what_is_true(asked: Any, seed: int) -> None:
    rng = random.Random(seed)
    ordered = Ordered(*OPERATORS[asked])
    tallies = np.zeros(3_000, dtype=np.int64)
    held: dict[int, int] = {}
    counts = dict.fromkeys(range(3_000), 0)
    free = list(range(3_000))
    for step in range(4_000):
        constant = rng.randrange(2_000)
        if constant in held and step % 3:
            number = held.pop(constant)
            ordered.remove(constant, tallies)
            tallies[number] = counts[number] = 0
            free.append(number)
        elif constant not in held:
            number = held[constant] = free.pop(rng.randrange(len(free)))
            tallies[number] = 0
            ordered.add(constant, number, tallies)
        if step % 50 == 0:
            value = rng.choice([-1, 2_000, rng.randrange(2_000), rng.randrange(2_000) + 0.5])
            expected = {number for constant, number in held.items() if asked(value, constant)}
            found = ordered.fulfilled(value)
            assert found.dtype == np.int32
            assert len(found) == len(expected)
            assert set(found.tolist()) == expected
            for number in expected:
                counts[number] += 1
    ordered.settle(tallies)
    assert {number: int(tallies[number]) for number in held.values()} == {
        number: counts[number] for number in held.values()
    }
    assert len(ordered) == len(held)
    assert ordered.memory() > 8 * len(held)


@pytest.mark.parametrize("asked", OPERATORS)
def test_whole_numbers_and_doubles_compare_exactly(asked: Any) -> None:
    constants = [2**53, 2**53 + 1, 2**53 + 2, 2**63 - 1, 0.5, -(2**63), 1e300]
    ordered = Ordered(*OPERATORS[asked])
    tallies = np.zeros(8, dtype=np.int64)
    for number, constant in enumerate(constants):
        ordered.add(constant, number, tallies)
    for value in (*constants, float(2**53), float(2**63), 2**53 + 3, float("inf"), float("-inf")):
        expected = {number for number, constant in enumerate(constants) if asked(value, constant)}
        assert set(ordered.fulfilled(value).tolist()) == expected


def test_one_that_was_emptied_starts_again() -> None:
    ordered = Ordered(True, True)
    tallies = np.zeros(2, dtype=np.int64)
    ordered.add("a", 0, tallies)
    assert ordered.fulfilled("b").tolist() == [0]
    ordered.remove("a", tallies)
    assert tallies.tolist() == [1, 0]
    assert ordered.fulfilled("b").tolist() == []
    ordered.add("b", 1, tallies)
    assert ordered.fulfilled("b").tolist() == [1]
