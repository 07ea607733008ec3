"""The order in which the children of a node are best evaluated, one after the other until one decides."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

__all__ = ["Odds", "combined", "order"]


class Odds(msgspec.Struct, frozen=True):
    """How likely something is to be true, and what it costs on average to find out."""

    probability: float
    cost: float


def order(children: Sequence[Odds], conjunction: bool) -> list[int]:
    """The places of the children in the cheapest order, if they are independent.

    What decides soonest for its cost comes first: in a conjunction what is false, (1 - p) / c, in a
    disjunction what is true, p / c.
    """

    def worth(place: int) -> float:
        child = children[place]
        decides = 1 - child.probability if conjunction else child.probability
        return decides / child.cost

    return sorted(range(len(children)), key=worth, reverse=True)


def combined(children: Sequence[Odds], conjunction: bool) -> Odds:
    """The odds of a node whose independent children are evaluated in the order given."""
    reached = 1.0
    cost = 0.0
    for child in children:
        cost += reached * child.cost
        reached *= child.probability if conjunction else 1 - child.probability
    return Odds(reached if conjunction else 1 - reached, max(cost, 1e-9))
