"""Leaves to which no law of the normal form applies, seen at a glance: ranges of many attributes.

A range is two leaves of one attribute, so the laws of `rules` would be asked about each; filters that consist
of ranges would spend most of their time there, and nothing would come of it.
"""

from __future__ import annotations

from collections.abc import Iterable

from siftmesh.logic.tree import Operator, Predicate
from siftmesh.model.values import Kind

__all__ = ["are_apart"]

_LOWER = (Operator.GE, Operator.GT)
_UPPER = (Operator.LT, Operator.LE)
# Between bounds that differ by this share of their size, and by this much, lie far more numbers than anybody
# lists; neighbouring doubles are 2e-16 apart, and those around zero 5e-324.
_SHARE = 1e-6
_LEAST = 1e-300


def are_apart(every: bool, predicates: Iterable[Predicate]) -> bool:
    """Whether each attribute has one leaf, or a lower and an upper bound with many numbers between them.

    In an And the numbers between the bounds are those that meet both, in an Or those that meet neither. False
    only says that the laws have to be asked.
    """
    first: dict[str, Predicate] = {}
    paired: set[str] = set()
    for leaf in predicates:
        name = leaf.attribute
        if name not in first:
            first[name] = leaf
        elif name in paired or not _bound_a_range(every, first[name], leaf):
            return False
        else:
            paired.add(name)
    return True


def _bound_a_range(every: bool, one: Predicate, other: Predicate) -> bool:
    if one.kind is not Kind.NUMBER or other.kind is not Kind.NUMBER:
        return False
    if one.operator in _UPPER:
        one, other = other, one
    if one.operator not in _LOWER or other.operator not in _UPPER:
        return False
    width = other.value - one.value if every else one.value - other.value
    return bool(width > _LEAST and width > _SHARE * (abs(one.value) + abs(other.value)))
