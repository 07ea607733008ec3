"""Numbers by constant, and numbers that all but a few values fulfil."""

from __future__ import annotations

import numpy as np

from siftmesh.matching.postings import Others, Postings


def collected(postings: Postings, constant: object) -> list[int]:
    found: list[int] = []
    postings.collect(constant, found)
    return sorted(found)


def test_a_constant_has_one_predicate_or_several() -> None:
    postings = Postings()
    for constant, number in (("a", 0), ("b", 1), ("a", 2), ("a", 3)):
        postings.add(constant, number)
    assert collected(postings, "a") == [0, 2, 3]
    assert collected(postings, "b") == [1]
    assert collected(postings, "c") == []
    assert len(postings) == 2
    for constant, number in (("a", 2), ("b", 1), ("a", 0)):
        postings.remove(constant, number)
    assert collected(postings, "a") == [3]
    postings.remove("a", 3)
    assert not postings
    assert postings.memory() > 0


def test_numbers_that_are_equal_are_one_constant() -> None:
    postings = Postings()
    postings.add(2**53, 0)
    assert collected(postings, float(2**53)) == [0]
    assert collected(postings, 2**53 + 1) == []


def test_others_are_all_but_the_exceptions_and_are_tallied() -> None:
    others, tallies = Others(), np.zeros(8, dtype=np.int64)
    for number in range(6):
        others.add(number, tallies)
    assert others.fulfilled([], tallies).tolist() == [0, 1, 2, 3, 4, 5]
    assert sorted(others.fulfilled([4, 1], tallies).tolist()) == [0, 2, 3, 5]
    others.remove(0)
    others.add(7, tallies)
    assert sorted(others.fulfilled({5}, tallies).tolist()) == [1, 2, 3, 4, 7]
    assert len(others) == 6
    for _ in range(2):  # a second time nothing is added
        others.settle(tallies)
        assert tallies[[1, 2, 3, 4, 5, 7]].tolist() == [2, 3, 3, 2, 2, 1]
    assert others.memory() > 0
