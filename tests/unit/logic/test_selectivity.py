from math import inf

import pytest

from siftmesh.logic.selectivity import (
    Estimate,
    degradation,
    estimate,
    relative_degradation,
    worst_degradation,
)
from siftmesh.logic.tree import FALSE, TRUE, And, Or
from tests.reference.leaves import leaf

A, B, C = (leaf(name, "=", 1) for name in "abc")
SHARES = {A: 0.5, B: 0.7, C: 1e-20}


def of(tree) -> tuple[float, float, float]:
    found = estimate(tree, SHARES.__getitem__)
    return found.least, found.likely, found.most


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (TRUE, (1, 1, 1)),
        (FALSE, (0, 0, 0)),
        (A, (0.5, 0.5, 0.5)),
        (And((A, B)), (0.2, 0.35, 0.5)),
        (Or((A, B)), (0.7, 0.85, 1.0)),
        (And((A, A, B)), (0.0, 0.175, 0.5)),
        (And((Or((A, B)), B)), (0.4, 0.595, 0.7)),
    ],
)
def test_estimates(tree, expected) -> None:
    assert of(tree) == pytest.approx(expected)


def test_tiny_shares_are_not_lost() -> None:
    least, likely, most = of(Or((C, C)))
    assert likely == pytest.approx(2e-20)
    assert least == 1e-20
    assert most == 2e-20


def test_shares_of_leaves_are_held_between_nought_and_one() -> None:
    assert estimate(A, lambda _: 1.5) == Estimate(1.0, 1.0, 1.0)
    assert estimate(A, lambda _: -0.5) == Estimate(0.0, 0.0, 0.0)


def test_degradation() -> None:
    before, after = Estimate(0.1, 0.2, 0.4), Estimate(0.2, 0.5, 0.6)
    assert degradation(before, after) == pytest.approx(0.3)
    assert relative_degradation(before, after) == pytest.approx(1.5)
    assert worst_degradation(before, after) == pytest.approx(0.5)
    assert degradation(before, before) == relative_degradation(before, before) == 0


def test_something_from_nothing_has_no_ratio() -> None:
    nothing, something = Estimate(0.0, 0.0, 0.0), Estimate(0.0, 0.1, 0.2)
    assert relative_degradation(nothing, something) == inf
    assert relative_degradation(nothing, nothing) == 0
