"""The order of evaluation: none is cheaper, and what a node costs is what its children cost in that order."""

from __future__ import annotations

import random
from itertools import permutations

import pytest

from siftmesh.plans.order import Odds, combined, order
from tests.effort import effort


def cost(children: list[Odds], conjunction: bool) -> float:
    """What is paid on average, child by child, until one decides."""
    paid, reached = 0.0, 1.0
    for child in children:
        paid += reached * child.cost
        reached *= child.probability if conjunction else 1 - child.probability
    return paid


def some_children(rng: random.Random) -> list[Odds]:
    chances = [0.0, 0.01, 0.3, 0.5, 0.9, 1.0]
    return [
        Odds(
            rng.choice([rng.choice(chances), rng.random()]), rng.choice([1.0, 8.0, 0.05, rng.random() + 0.1])
        )
        for _ in range(rng.randrange(1, 6))
    ]


@pytest.mark.parametrize("conjunction", [True, False])
def test_no_order_is_cheaper(conjunction: bool, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(200)):
        children = some_children(rng)
        chosen = [children[place] for place in order(children, conjunction)]
        assert sorted(order(children, conjunction)) == list(range(len(children)))
        least = min(cost(list(one), conjunction) for one in permutations(children))
        assert cost(chosen, conjunction) == pytest.approx(least)


def test_equal_children_stay_in_their_order() -> None:
    assert order([Odds(0.5, 1.0)] * 4, True) == [0, 1, 2, 3]
    assert order([], True) == order([], False) == []


def test_of_a_conjunction_the_false_comes_first_and_of_a_disjunction_the_true() -> None:
    children = [Odds(0.9, 1.0), Odds(0.1, 1.0), Odds(0.5, 1.0)]
    assert order(children, True) == [1, 2, 0]
    assert order(children, False) == [0, 2, 1]
    # What is dear has to decide more often.
    assert order([Odds(0.1, 100.0), Odds(0.8, 1.0)], True) == [1, 0]


@pytest.mark.parametrize("conjunction", [True, False])
def test_a_node_is_as_likely_and_as_dear_as_its_children(conjunction: bool, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(100)):
        children = some_children(rng)
        found = combined(children, conjunction)
        assert found.cost == pytest.approx(max(cost(children, conjunction), 1e-9))
        true = 1.0
        for child in children:
            true *= child.probability if conjunction else 1 - child.probability
        assert found.probability == pytest.approx(true if conjunction else 1 - true)


def test_a_node_without_children_costs_next_to_nothing_but_something() -> None:
    assert combined([], True).probability == 1
    assert combined([], False).probability == 0
    assert 0 < combined([], True).cost < 1e-6
    # So that it has a place in an order.
    assert order([combined([], False), Odds(0.5, 1.0)], True) == [0, 1]
