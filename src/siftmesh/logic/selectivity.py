"""Which share of the events a tree is true of: bounds that always hold, and a likely value in between.

The three-part estimate of selectivity-based subscription pruning: from the share of each leaf, the least
share the whole can have whatever the leaves have to do with each other, the share it has if they are
independent, and the most.
"""

from __future__ import annotations

from collections.abc import Callable
from math import fsum, inf

import msgspec

from siftmesh.logic.tree import And, Leaf, Or, Tree

__all__ = ["Estimate", "degradation", "estimate", "relative_degradation", "worst_degradation"]


class Estimate(msgspec.Struct, frozen=True):
    """Shares of events between 0 and 1; `likely` assumes independent leaves, the bounds assume nothing."""

    least: float
    likely: float
    most: float


def estimate(tree: Tree, of_leaf: Callable[[Leaf], float]) -> Estimate:
    """The estimate of a tree, given the share of events that meets each leaf (clamped to 0 and 1)."""
    if not isinstance(tree, (And, Or)):
        share = _clamped(of_leaf(tree))
        return Estimate(share, share, share)
    parts = [estimate(child, of_leaf) for child in tree.children]
    if isinstance(tree, And):
        # Children overlap least when what each one lacks lies apart from what the others lack.
        least = _clamped(fsum([*(part.least for part in parts), 1.0 - len(parts)]))
        most = min((part.most for part in parts), default=1.0)
        likely = 1.0
        for part in parts:
            likely *= part.likely
    else:
        least = max((part.least for part in parts), default=0.0)
        most = _clamped(fsum(part.most for part in parts))
        likely = 0.0
        for part in parts:
            likely += part.likely * (1.0 - likely)
    # Rounding must not put the likely value outside its bounds.
    return Estimate(least, min(max(likely, least), most), most)


def degradation(before: Estimate, after: Estimate) -> float:
    """How much wider a generalised tree is estimated to be: the greatest of the three differences."""
    return max(after.least - before.least, after.likely - before.likely, after.most - before.most)


def relative_degradation(before: Estimate, after: Estimate) -> float:
    """The greatest factor among the three values, less one; infinite where there was nothing."""
    return max(
        _growth(before.least, after.least),
        _growth(before.likely, after.likely),
        _growth(before.most, after.most),
    )


def worst_degradation(before: Estimate, after: Estimate) -> float:
    """No generalisation adds a greater share than this; what it adds in truth may be far less."""
    return max(0.0, after.most - before.least)


def _growth(before: float, after: float) -> float:
    if before == 0.0:
        return 0.0 if after == 0.0 else inf
    return after / before - 1.0


def _clamped(share: float) -> float:
    return min(1.0, max(0.0, share))
