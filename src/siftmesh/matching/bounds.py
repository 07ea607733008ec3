"""A tree as conjunctions of bounds: what the bitmaps can hold of it.

Each conjunction is necessary for one way of being true; where some leaf says more than bounds can, or where
there would be too many conjunctions, what is found by them has to be verified.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from siftmesh.kernels.bitmap_layout import ABOVE, BELOW, HIGHEST, LOWEST, NEGATED
from siftmesh.kernels.dims import HOW_ATOM, HOW_KEY, HOW_PRESENCE
from siftmesh.kernels.layout import (
    BOOL,
    NUMBER,
    OP_EQ,
    OP_GE,
    OP_GT,
    OP_KEY_EQ,
    OP_KEY_NE,
    OP_LE,
    OP_LT,
    OP_NE,
    STRING,
)
from siftmesh.logic.tree import And, Operator, Or, Predicate, Tree
from siftmesh.matching.shape import comparison
from siftmesh.model.values import Kind

__all__ = ["Way", "conjunctions", "read_in_order", "spans"]

# More conjunctions than this for one subscription are not worth their bits.
MOST = 8
# What a dimension is about: attribute, tag of its values, and how they are placed.
Dimension = tuple[str, int, int]
# Lowest and highest key, and flags (NEGATED, ABOVE, BELOW).
Bound = tuple[int, int, int]
# A conjunction: bounds that all have to hold.
Way = list[tuple[Dimension, Bound]]
# The key of a number, and the atom of a constant.
KeyOf = Callable[[Kind, Any], int]
AtomOf = Callable[[str, int, Any], int]

_IN_ORDER = frozenset([Operator.LT, Operator.GE, Operator.LE, Operator.GT, Operator.NE])
_WITH_KEYS = frozenset([Kind.NUMBER, Kind.TIMESTAMP])
_ORDERED = frozenset([OP_LT, OP_LE, OP_GE, OP_GT, OP_KEY_EQ, OP_KEY_NE])
# Whether it bounds from above, and whether its constant does not belong to it.
_SIDES = {
    Operator.LT: (True, True),
    Operator.LE: (True, False),
    Operator.GT: (False, True),
    Operator.GE: (False, False),
}
# Looking a member up in its Enum takes longer than comparing with it.
_IS_NOT_NULL = Operator.IS_NOT_NULL
_EXACT = 2**53


def read_in_order(tree: Tree) -> set[str] | None:
    """The attributes of a tree that only compares with numbers or moments in order; None of any other tree.

    Of such a tree bounds may say it all.
    """
    names: set[str] = set()
    waiting: list[Tree] = [tree]
    while waiting:
        node = waiting.pop()
        kind = type(node)
        if kind is Predicate:
            leaf: Predicate = node  # type: ignore[assignment]  # exact type just seen
            ordered = leaf.operator in _IN_ORDER and leaf.kind in _WITH_KEYS
            if not ordered and leaf.operator is not _IS_NOT_NULL:
                return None
            names.add(leaf.attribute)
        elif kind is And or kind is Or:
            waiting += node.children  # type: ignore[union-attr]  # exact type just seen
        else:
            return None
    return names


def spans(way: Way) -> dict[str, tuple[int, int]]:
    """Of each attribute in a conjunction the stretch of keys within which all bounds that have two ends hold.

    Of others all keys; of those that are only excluded from some nothing is said.
    """
    found: dict[str, tuple[int, int]] = {}
    for (name, _, how), (low, high, flags) in way:
        if flags & NEGATED:
            continue
        had = found.get(name, (LOWEST, HIGHEST))
        found[name] = (max(low, had[0]), min(high, had[1])) if how == HOW_KEY else had
    return {
        name: span if span[0] > LOWEST and span[1] < HIGHEST else (LOWEST, HIGHEST)
        for name, span in found.items()
    }


def conjunctions(tree: Tree, key_of: KeyOf, atom_of: AtomOf) -> tuple[list[Way], bool] | None:
    """The conjunctions of which one has to hold, and whether that says all; None if there is no bound."""
    found = _ways(tree, key_of, atom_of)
    return None if found is None or not all(found[0]) else found


def _ways(tree: Tree, key_of: KeyOf, atom_of: AtomOf) -> tuple[list[Way], bool] | None:
    """None says that bounds tell nothing of it."""
    if isinstance(tree, And):
        return _all_of(tree, key_of, atom_of)
    if isinstance(tree, Or):
        return _one_of(tree, key_of, atom_of)
    if not isinstance(tree, Predicate):
        return None
    found = _of_leaf(tree, key_of, atom_of)
    return None if found is None else ([[(found[0], found[1])]], found[2])


def _stretches(tree: And, key_of: KeyOf) -> Way | None:
    """A conjunction of nothing but comparisons in order, one bound for each attribute; None of any other."""
    found: dict[tuple[str, Kind], tuple[int, int, int]] = {}
    for leaf in tree.children:
        if type(leaf) is not Predicate or leaf.operator not in _SIDES:
            return None
        kind, value = leaf.kind, leaf.value
        if kind != Kind.TIMESTAMP and (
            kind != Kind.NUMBER or (type(value) is int and not -_EXACT <= value <= _EXACT)
        ):
            return None
        upper, strict = _SIDES[leaf.operator]
        key = key_of(kind, value)
        low, high, flags = found.get((leaf.attribute, kind), (LOWEST, HIGHEST, 0))
        if upper:
            # Of two that end at one key the one to which what lies between keys does not belong is stricter.
            key -= strict
            if key < high:
                high, flags = key, flags & ABOVE | (BELOW if strict else 0)
            elif key == high and not strict:
                flags &= ABOVE
        else:
            key += strict
            if key > low:
                low, flags = key, flags & BELOW | (ABOVE if strict else 0)
            elif key == low and not strict:
                flags &= BELOW
        found[leaf.attribute, kind] = (low, high, flags)
    if any(low > high for low, high, _ in found.values()):
        return None
    return [((name, int(kind) + 1, HOW_KEY), bound) for (name, kind), bound in found.items()]


def _all_of(tree: And, key_of: KeyOf, atom_of: AtomOf) -> tuple[list[Way], bool]:
    stretches = _stretches(tree, key_of)
    if stretches is not None:
        return [stretches], True
    ways: list[Way] = [[]]
    exact = True
    for child in tree.children:
        found = _ways(child, key_of, atom_of)
        if found is None or len(ways) * len(found[0]) > MOST:
            exact = False
            continue
        exact = exact and found[1]
        ways = [left + right for left in ways for right in found[0]]
    return ways, exact


def _one_of(tree: Or, key_of: KeyOf, atom_of: AtomOf) -> tuple[list[Way], bool] | None:
    ways: list[Way] = []
    exact = True
    for child in tree.children:
        found = _ways(child, key_of, atom_of)
        if found is None or len(ways) + len(found[0]) > MOST:
            return None
        ways += found[0]
        exact = exact and found[1]
    return _merged(ways), exact


def _merged(ways: list[Way]) -> list[Way]:
    """`x < a OR x > b`, where a is at most b, is one bound: x is not from a to b."""
    if len(ways) != 2 or len(ways[0]) != 1 or len(ways[1]) != 1 or ways[0][0][0] != ways[1][0][0]:
        return ways
    dimension = ways[0][0][0]
    first, second = sorted((ways[0][0][1], ways[1][0][1]))
    # Both must say that their constants do not belong to them.
    if first[0] != LOWEST or first[2] != BELOW or second[1] != HIGHEST or second[2] != ABOVE:
        return ways
    return [[(dimension, (first[1] + 1, second[0] - 1, NEGATED))]] if first[1] + 1 < second[0] else ways


def _of_leaf(leaf: Predicate, key_of: KeyOf, atom_of: AtomOf) -> tuple[Dimension, Bound, bool] | None:
    """A dimension, its bound, and whether that is all the leaf says."""
    name, asked, kind, value = leaf.attribute, leaf.operator, leaf.kind, leaf.value
    tag = int(kind) + 1
    if asked == Operator.IS_NOT_NULL:
        return (name, 0, HOW_PRESENCE), (LOWEST, HIGHEST, 0), True
    if asked in (Operator.LIKE, Operator.NOT_LIKE, Operator.ILIKE, Operator.NOT_ILIKE):
        return (name, STRING, HOW_ATOM), (LOWEST, HIGHEST, 0), False
    if asked > Operator.GT:
        return None
    operation = comparison(asked, kind, value)
    if operation in _ORDERED:
        return (name, tag, HOW_KEY), _ordered(operation, key_of(kind, value)), True
    if operation in (OP_EQ, OP_NE):
        negated = NEGATED if operation == OP_NE else 0
        if tag == BOOL:
            return (name, tag, HOW_KEY), (int(value), int(value), negated), True
        if tag == NUMBER and comparison(Operator.LE, kind, value) == OP_LE:
            key = key_of(kind, value)
            return (name, tag, HOW_KEY), (key, key, negated), True
        atom = atom_of(name, tag, value)
        return (name, tag, HOW_ATOM), (atom, atom, negated), True
    return (name, tag, HOW_PRESENCE if kind == Kind.NULL else HOW_ATOM), (LOWEST, HIGHEST, 0), False


def _ordered(operation: int, key: int) -> Bound:
    if operation == OP_KEY_EQ:
        return key, key, 0
    if operation == OP_KEY_NE:
        return key, key, NEGATED
    if operation == OP_LE:
        return LOWEST, key, 0
    if operation == OP_LT:
        return LOWEST, key - 1, BELOW
    if operation == OP_GE:
        return key, HIGHEST, 0
    return key + 1, HIGHEST, ABOVE
