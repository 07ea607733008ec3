"""Who holds which predicates: candidates by counting, matches by their trees."""

from __future__ import annotations

import numpy as np

from siftmesh.logic.tree import And, Or
from siftmesh.matching.association import Association
from siftmesh.matching.flatten import flatten
from tests.reference.leaves import leaf

A, B, C = (leaf(name, "=", 1) for name in "abc")
NUMBERS = {A: 0, B: 1, C: 9}


def enter(association: Association, subscription: int, tree: And | Or) -> None:
    found, shape, minimum = flatten(tree)
    association.enter(subscription, [NUMBERS[one] for one in found], shape, minimum)


def matches(association: Association, *predicates: int) -> list[int]:
    runs = [np.array([one], dtype=np.int32) for one in predicates]
    return sorted(association.match(runs).tolist())


def test_candidates_are_counted_and_their_trees_decide() -> None:
    association = Association()
    assert matches(association, 0, 1) == []
    enter(association, 0, And((A, B)))
    enter(association, 1, And((A, Or((B, And((C, C)))))))
    enter(association, 3, Or((A, C)))
    assert matches(association) == []
    assert matches(association, 0, 1) == [0, 1, 3]
    assert association.candidates == 3
    assert matches(association, 0, 9) == [1, 3]
    # Three leaves of number 1 are enough for its count, but two of them stand below the Or.
    assert matches(association, 1, 9) == [3]
    assert association.candidates == 2
    increments, trees, tests = association.counted
    assert increments == 5 + 6 + 5
    assert trees == 3
    assert tests >= 3


def test_who_leaves_is_found_no_more_and_says_what_nobody_holds() -> None:
    association = Association()
    for subscription, tree in enumerate((And((A, B)), Or((A, C)), And((A, B)))):
        enter(association, subscription, tree)
    assert association.leave(0) == []
    assert matches(association, 0, 1) == [1, 2]
    assert association.leave(2) == [1]
    assert association.leave(1) == [0, 9]
    assert matches(association, 0, 1, 9) == []
    enter(association, 0, And((A, C)))
    assert matches(association, 0, 9) == [0]


def test_what_was_given_back_is_used_again() -> None:
    association = Association()
    trees = [And((A, B)), And((A, Or((B, C)))), Or((And((A, B)), And((B, C))))]
    for subscription, tree in enumerate(trees):
        enter(association, subscription, tree)
    had = association.memory()
    for _ in range(50):
        for subscription in range(3):
            association.leave(subscription)
        for subscription, tree in enumerate(trees):
            enter(association, subscription, tree)
    now = association.memory()
    # Tables of Python's own are made longer now and then, whatever is in them.
    assert now.pop("shapes of trees") < 2 * had.pop("shapes of trees")
    assert now == had
    assert matches(association, 0, 1) == [0, 1, 2]


def test_counts_beyond_a_byte_are_still_exact() -> None:
    association = Association()
    for subscription, count in enumerate((254, 255, 256, 300)):
        predicates = list(range(count))
        shape = flatten(And(tuple(leaf(f"a{number}", "=", 1) for number in predicates)))[1]
        association.enter(subscription, predicates, shape, count)
    # More than 511 hits for one subscription do not make it a candidate twice.
    association.enter(4, [0] * 600, flatten(Or((A,) * 600))[1], 1)
    for count, expected in ((254, [0, 4]), (255, [0, 1, 4]), (256, [0, 1, 2, 4]), (299, [0, 1, 2, 4])):
        assert sorted(association.match([np.arange(count, dtype=np.int32)]).tolist()) == expected
    for subscription in range(5):
        association.leave(subscription)
    assert matches(association, 0) == []


def test_many_runs_are_counted_like_one() -> None:
    association = Association()
    for subscription in range(10_000):
        association.enter(subscription, [subscription, subscription + 1], (2, -1, 1, -2, -1, -2), 2)
    whole = np.arange(8_000, dtype=np.int32)
    expected = list(range(7_999))
    for runs in ([whole], [whole[:5_000], whole[5_000:]], [whole[::-1].copy()]):
        assert sorted(association.match(runs).tolist()) == expected
