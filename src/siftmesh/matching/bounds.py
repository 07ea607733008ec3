"""A tree as conjunctions of bounds: what the bitmaps can hold of it.

Each conjunction is necessary for one way of being true; where some leaf says more than bounds can, or where there
would be too many conjunctions, what is found by them has to be verified.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from siftmesh.kernels.dims import HOW_ATOM, HOW_KEY, HOW_PRESENCE
from siftmesh.kernels.layout import BOOL, NUMBER, OP_EQ, OP_GE, OP_GT, OP_KEY_EQ, OP_KEY_NE, OP_LE, OP_LT, OP_NE, STRING
from siftmesh.logic.tree import And, Operator, Or, Predicate, Tree
from siftmesh.matching.shape import comparison
from siftmesh.model.values import Kind

__all__ = ["HIGHEST", "LOWEST", "Bounds", "conjunctions"]

LOWEST = -(1 << 63)
HIGHEST = (1 << 63) - 1
# More conjunctions than this for one subscription are not worth their bits.
MOST = 8
# What a dimension is about: attribute, tag of its values, and how they are placed.
Dimension = tuple[str, int, int]
# Lowest and highest key, and whether it is those between them that are excluded.
Bound = tuple[int, int, bool]
Bounds = dict[Dimension, Bound]
# The key of a number, and the atom of a constant.
KeyOf = Callable[[Kind, Any], int]
AtomOf = Callable[[str, int, Any], int]

_ORDERED = frozenset([OP_LT, OP_LE, OP_GE, OP_GT, OP_KEY_EQ, OP_KEY_NE])


class _Part:
    """Conjunctions of which one has to hold, and whether that is all there is to it."""

    __slots__ = ("exact", "ways")

    def __init__(self, ways: list[Bounds], exact: bool) -> None:
        self.ways = ways
        self.exact = exact


def conjunctions(tree: Tree, key_of: KeyOf, atom_of: AtomOf) -> tuple[list[Bounds], bool] | None:
    """The conjunctions of bounds and whether they say all that the tree says; None if there is nothing to hold on to."""
    part = _part(tree, key_of, atom_of)
    if part is None or not all(part.ways):
        return None
    return part.ways, part.exact


def _part(tree: Tree, key_of: KeyOf, atom_of: AtomOf) -> _Part | None:
    """None says that bounds tell nothing of it."""
    if isinstance(tree, And):
        return _all_of(tree, key_of, atom_of)
    if isinstance(tree, Or):
        return _one_of(tree, key_of, atom_of)
    if not isinstance(tree, Predicate):
        return None
    found = _of_leaf(tree, key_of, atom_of)
    return None if found is None else _Part([{found[0]: found[1]}], found[2])


def _all_of(tree: And, key_of: KeyOf, atom_of: AtomOf) -> _Part:
    ways: list[Bounds] = [{}]
    exact = True
    for child in tree.children:
        part = _part(child, key_of, atom_of)
        if part is None or len(ways) * len(part.ways) > MOST:
            exact = False
            continue
        exact = exact and part.exact
        joined = []
        for left in ways:
            for right in part.ways:
                both, sure = _joined(left, right)
                exact = exact and sure
                if both is not None:
                    joined.append(both)
        ways = joined
    return _Part(ways, exact)


def _one_of(tree: Or, key_of: KeyOf, atom_of: AtomOf) -> _Part | None:
    ways: list[Bounds] = []
    exact = True
    for child in tree.children:
        part = _part(child, key_of, atom_of)
        if part is None:
            return None
        ways += part.ways
        exact = exact and part.exact
        if len(ways) > MOST:
            return None
    return _Part(_merged(ways), exact)


def _merged(ways: list[Bounds]) -> list[Bounds]:
    """`x < a OR x > b`, where a is at most b, is one bound: x is not from a to b."""
    if len(ways) != 2 or len(ways[0]) != 1 or ways[0].keys() != ways[1].keys():
        return ways
    (dimension, one), (_, other) = next(iter(ways[0].items())), next(iter(ways[1].items()))
    first, second = sorted((one, other))
    if first[2] or second[2] or first[0] != LOWEST or second[1] != HIGHEST or first[1] >= second[0]:
        return ways
    if first[1] + 1 == second[0]:
        return [{dimension: (LOWEST, HIGHEST, False)}]
    return [{dimension: (first[1] + 1, second[0] - 1, True)}]


def _joined(left: Bounds, right: Bounds) -> tuple[Bounds | None, bool]:
    """Both together, None if they exclude each other; and whether that says all."""
    both = dict(left)
    sure = True
    for dimension, bound in right.items():
        had = both.get(dimension)
        if had is None:
            both[dimension] = bound
            continue
        met, exactly = _met(had, bound)
        if met is None:
            return None, True
        both[dimension] = met
        sure = sure and exactly
    return both, sure


def _met(one: Bound, other: Bound) -> tuple[Bound | None, bool]:
    """What meets two bounds of one dimension, as far as one bound can say it."""
    if one[2] and other[2]:
        if one[0] <= other[1] + 1 and other[0] <= one[1] + 1:
            return (min(one[0], other[0]), max(one[1], other[1]), True), True
        return one, False
    if one[2]:
        one, other = other, one
    low, high = one[0], one[1]
    if not other[2]:
        low, high = max(low, other[0]), min(high, other[1])
        return ((low, high, False), True) if low <= high else (None, True)
    # A stretch is excluded from the one that is wanted.
    if other[1] < low or other[0] > high:
        return (low, high, False), True
    if other[0] <= low:
        low = other[1] + 1
    elif other[1] >= high:
        high = other[0] - 1
    else:
        return (low, high, False), False
    return ((low, high, False), True) if low <= high else (None, True)


def _of_leaf(leaf: Predicate, key_of: KeyOf, atom_of: AtomOf) -> tuple[Dimension, Bound, bool] | None:
    """A dimension, its bound, and whether that is all the leaf says."""
    name, asked, kind, value = leaf.attribute, leaf.operator, leaf.kind, leaf.value
    tag = int(kind) + 1
    if asked == Operator.IS_NOT_NULL:
        return (name, 0, HOW_PRESENCE), (LOWEST, HIGHEST, False), True
    if asked in (Operator.LIKE, Operator.NOT_LIKE, Operator.ILIKE, Operator.NOT_ILIKE):
        return (name, STRING, HOW_ATOM), (LOWEST, HIGHEST, False), False
    if asked > Operator.GT:
        return None
    operation = comparison(asked, kind, value)
    if operation in _ORDERED:
        return (name, tag, HOW_KEY), _ordered(operation, key_of(kind, value)), True
    if operation in (OP_EQ, OP_NE):
        if tag == BOOL:
            return (name, tag, HOW_KEY), (int(value), int(value), operation == OP_NE), True
        if tag == NUMBER and comparison(Operator.LE, kind, value) == OP_LE:
            key = key_of(kind, value)
            return (name, tag, HOW_KEY), (key, key, operation == OP_NE), True
        atom = atom_of(name, tag, value)
        return (name, tag, HOW_ATOM), (atom, atom, operation == OP_NE), True
    return (name, tag, HOW_PRESENCE if kind == Kind.NULL else HOW_ATOM), (LOWEST, HIGHEST, False), False


def _ordered(operation: int, key: int) -> Bound:
    if operation == OP_KEY_EQ:
        return key, key, False
    if operation == OP_KEY_NE:
        return key, key, True
    if operation == OP_LE:
        return LOWEST, key, False
    if operation == OP_LT:
        return LOWEST, key - 1, False
    if operation == OP_GE:
        return key, HIGHEST, False
    return key + 1, HIGHEST, False
