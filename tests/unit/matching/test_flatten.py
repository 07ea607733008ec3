"""Trees laid flat: leaves, jumps and the minimum count."""

from __future__ import annotations

from itertools import product

import pytest

from siftmesh.kernels import layout
from siftmesh.logic.tree import FALSE, TRUE, And, Or, Tree, leaves
from siftmesh.matching.flatten import ACCEPT, NEVER, REJECT, flatten
from tests.reference.leaves import leaf

A, B, C, D = (leaf(name, "=", 1) for name in "abcd")


def by_jumps(shape: tuple[int, ...], verdicts: list[bool]) -> bool:
    at = shape[1]
    while at >= 0:
        at = shape[2 + 2 * at + (not verdicts[at])]
    return at == ACCEPT


def by_tree(tree: Tree, verdicts: dict[Tree, bool]) -> bool:
    if isinstance(tree, And):
        return all(by_tree(child, verdicts) for child in tree.children)
    if isinstance(tree, Or):
        return any(by_tree(child, verdicts) for child in tree.children)
    return verdicts[tree]


TREES = [
    A,
    And((A, B, C)),
    Or((A, B, C)),
    And((A, Or((B, And((C, D)))))),
    Or((And((A, B)), And((C, D)), A)),
    And((Or((A, B)), Or((A, C)))),
    And((A, TRUE, Or((B, FALSE, C)))),
    Or((And((FALSE, A)), B)),
    And((Or((A, TRUE)), B)),
    And((And(()), Or((C,)))),
    And((And((A, FALSE)), B)),
    TRUE,
    FALSE,
    Or((TRUE, A)),
    And((FALSE, A)),
]


@pytest.mark.parametrize("tree", TREES)
def test_jumps_and_minimum_agree_with_the_tree(tree: Tree) -> None:
    found, shape, minimum = flatten(tree)
    assert found == list(leaves(tree))
    assert shape[0] == len(found)
    assert len(shape) == 2 + 2 * len(found)
    fewest = NEVER
    for chosen in product((False, True), repeat=4):
        verdicts = dict(zip((A, B, C, D), chosen, strict=True))
        of_leaves = [verdicts[one] for one in found]
        true = by_tree(tree, verdicts)
        if true:
            fewest = min(fewest, sum(of_leaves))
        if sum(of_leaves) >= minimum:  # what has fewer is never looked at
            assert by_jumps(shape, of_leaves) is true
    assert minimum <= fewest
    assert (minimum == NEVER) is (fewest == NEVER)


@pytest.mark.parametrize(
    ("tree", "minimum"),
    [
        (And((A, B, C)), 3),
        (Or((A, And((B, C)))), 1),
        (And((A, A)), 2),
        # `a` alone makes it true, and stands in it twice.
        (And((Or((A, B)), Or((A, C)))), 2),
        (And((A, Or((And((B, C)), And((B, C, D)))))), 3),
        (TRUE, 0),
        (Or((TRUE, A)), 0),
        (FALSE, NEVER),
        (And((FALSE, A)), NEVER),
        (And((FALSE, FALSE)), NEVER),
    ],
)
def test_the_minimum_counts_occurrences(tree: Tree, minimum: int) -> None:
    assert flatten(tree)[2] == minimum


def test_a_tree_that_its_count_decides_has_no_first_leaf() -> None:
    for tree in (A, And((A, B)), Or((A, B)), And((A, A))):
        assert flatten(tree)[1][1] == ACCEPT
    assert flatten(And((A, Or((B, C)))))[1][1] == 0


def test_kernels_mean_the_same_jumps() -> None:
    assert (ACCEPT, REJECT) == (layout.ACCEPT, layout.REJECT)
