"""Estimates hold what is counted, whatever the leaves have to do with each other."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from siftmesh.logic.selectivity import degradation, estimate
from siftmesh.logic.tree import And, Leaf, Or, Tree
from tests.reference.strategies import events, trees
from tests.reference.tree_oracle import is_true

ROUNDING = 1e-12


def share(tree: Tree, sample: list) -> float:
    return sum(is_true(tree, event) for event in sample) / len(sample)


@given(trees(max_leaves=8), st.lists(events(), min_size=1, max_size=30))
def test_the_bounds_hold_the_counted_share(tree: Tree, sample: list) -> None:
    found = estimate(tree, lambda leaf: share(leaf, sample))
    assert found.least - ROUNDING <= share(tree, sample) <= found.most + ROUNDING
    assert 0 <= found.least <= found.likely <= found.most <= 1


def exact(tree: Tree, of_leaf: dict[Leaf, Fraction]) -> tuple[Fraction, Fraction, Fraction]:
    """The formulas of two operands, applied one operand at a time in exact arithmetic."""
    if not isinstance(tree, (And, Or)):
        return (of_leaf[tree],) * 3
    low = likely = high = Fraction(isinstance(tree, And))
    for child in tree.children:
        a, b, c = exact(child, of_leaf)
        if isinstance(tree, And):
            low, likely, high = max(Fraction(0), low + a - 1), likely * b, min(high, c)
        else:
            low, likely, high = max(low, a), likely + b - likely * b, min(Fraction(1), high + c)
    return low, likely, high


@given(trees(max_leaves=10), st.data())
def test_many_operands_at_once_are_two_at_a_time(tree: Tree, data: st.DataObject) -> None:
    shares: dict[Leaf, Fraction] = {}

    def of_leaf(leaf: Leaf) -> float:
        if leaf not in shares:
            shares[leaf] = Fraction(data.draw(st.floats(0, 1) | st.sampled_from((0.0, 1e-18, 0.5, 1.0))))
        return float(shares[leaf])

    found = estimate(tree, of_leaf)
    for mine, theirs in zip((found.least, found.likely, found.most), exact(tree, shares), strict=True):
        assert abs(mine - float(theirs)) <= 1e-15 * 20 + 1e-12 * float(theirs)


@given(trees(max_leaves=6), trees(max_leaves=3), st.lists(events(), min_size=1, max_size=10))
def test_dropping_an_operand_of_an_and_never_narrows(tree: Tree, other: Tree, sample: list) -> None:
    def of_leaf(leaf: Leaf) -> float:
        return share(leaf, sample)

    before, after = estimate(And((tree, other)), of_leaf), estimate(tree, of_leaf)
    assert degradation(before, after) >= -ROUNDING
    assert after.least >= before.least - ROUNDING
    assert after.most >= before.most - ROUNDING
