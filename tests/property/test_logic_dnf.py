"""Multiplied out, a tree is true of the same events, and never larger than estimated."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.errors import LimitExceeded
from siftmesh.logic.dnf import dnf, estimate_clauses
from siftmesh.logic.implies import Verdict, covers
from siftmesh.logic.tree import And, Or, Tree
from tests.reference.strategies import events, events_meeting, trees
from tests.reference.tree_oracle import is_true


def count(tree: Tree) -> int:
    """How many choices of one branch at every Or there are."""
    if isinstance(tree, Or):
        return sum(count(child) for child in tree.children)
    total = 1
    if isinstance(tree, And):
        for child in tree.children:
            total *= count(child)
    return total


@given(trees(max_leaves=12), st.booleans(), st.data())
def test_truth_is_kept(tree: Tree, subsume: bool, data: st.DataObject) -> None:
    clauses = dnf(tree, 4096, subsume=subsume)
    for event in data.draw(st.lists(events() | events_meeting(tree), min_size=8, max_size=16)):
        assert any(all(is_true(leaf, event) for leaf in clause) for clause in clauses) == is_true(tree, event)


@given(trees(max_leaves=14))
def test_the_estimate_is_the_count_before_any_clause_is_dropped(tree: Tree) -> None:
    assert estimate_clauses(tree) == count(tree)
    assert len(dnf(tree, 10**6)) <= count(tree)


@given(trees(max_leaves=14), st.integers(0, 8))
def test_a_limit_is_kept(tree: Tree, limit: int) -> None:
    if count(tree) > limit:
        with pytest.raises(LimitExceeded) as caught:
            dnf(tree, limit)
        assert caught.value.limit == limit
    else:
        assert len(dnf(tree, limit)) <= limit


@given(trees(max_leaves=8))
def test_no_clause_that_stays_implies_another(tree: Tree) -> None:
    clauses = dnf(tree, 4096, subsume=True)
    everything = dnf(tree, 4096)
    assert set(clauses) <= set(everything)
    for one in set(everything) - set(clauses):
        assert covers(Or(tuple(And(clause) for clause in clauses)), And(one)) is not Verdict.NO
