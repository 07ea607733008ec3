"""The type that every later stage takes: n-ary And and Or over leaves, with negation only inside leaves.

A Tree stands for the set of events for which its filter is *true*. It is monotone in its leaves, so a leaf
that is unknown may be treated as false. `And(())` is always true, `Or(())` never. Trees are values: equal by
structure, with a hash that each node computes once; `logic.intern` makes equal trees one object.

In normal form (`logic.normalise`) children are sorted by `sort_key`, there is no And directly below an And
nor Or below an Or, and no node has a single child.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

import msgspec

from siftmesh.model.values import Kind, Scalar

__all__ = [
    "FALSE",
    "NEGATION",
    "TRUE",
    "And",
    "Apply",
    "Fixed",
    "Get",
    "Leaf",
    "Operator",
    "Or",
    "Predicate",
    "Quantified",
    "Residual",
    "Term",
    "Tree",
    "attributes",
    "depth",
    "leaves",
    "size",
    "sort_key",
]


class Operator(IntEnum):
    """What a leaf asks of its attribute; each operator stands beside its exact opposite."""

    EQ = 0
    NE = 1
    LT = 2
    GE = 3
    LE = 4
    GT = 5
    IN = 6
    NOT_IN = 7
    LIKE = 8
    NOT_LIKE = 9
    ILIKE = 10
    NOT_ILIKE = 11
    IS_NULL = 12
    IS_NOT_NULL = 13
    EXISTS = 14
    NOT_EXISTS = 15
    CONTAINS = 16
    NOT_CONTAINS = 17
    OVERLAPS = 18
    NOT_OVERLAPS = 19
    SOME = 20
    NOT_SOME = 21

    # Enum hashes by name, in Python; predicates are hashed by the million.
    __hash__ = int.__hash__


# `NOT leaf` is the leaf with the opposite operator: exact in three-valued logic (unknown stays unknown).
NEGATION: dict[Operator, Operator] = {operator: Operator(operator ^ 1) for operator in Operator}


class Predicate(msgspec.Struct, frozen=True, order=True, cache_hash=True, weakref=True):
    """A test of one attribute against constants.

    `value` by operator: a scalar of `kind` for comparisons and CONTAINS (a Timestamp is held as its
    microseconds); a sorted tuple of distinct scalars of one kind for IN and OVERLAPS; a canonical pattern for
    LIKE and ILIKE; None (with Kind.NULL) for IS NULL and EXISTS. A number that is whole is held as an int, so
    that equal numbers are equal predicates.
    """

    attribute: str
    operator: Operator
    kind: Kind
    value: Any = None


class Term(msgspec.Struct, frozen=True, order=True):
    """A comparison of the element of the array at `position` of a Quantified's arrays with a constant."""

    position: int
    operator: Operator
    kind: Kind
    value: Any


class Quantified(msgspec.Struct, frozen=True, order=True, cache_hash=True, weakref=True):
    """SOME: whether one index of parallel arrays satisfies every term (arrays and terms sorted)."""

    arrays: tuple[str, ...]
    operator: Operator
    terms: tuple[Term, ...]


class Fixed(msgspec.Struct, frozen=True):
    """A constant inside a residual expression; `exact` keeps apart what Python holds equal.

    It names the value's type, which tells TRUE from 1 and 1 from 1.0; of the negative zero it is "-0.0".
    """

    value: Scalar | tuple[Any, ...] | None
    exact: str


class Get(msgspec.Struct, frozen=True):
    """The value of an attribute inside a residual expression."""

    attribute: str


class Apply(msgspec.Struct, frozen=True):
    """A function of `siftmesh.model.functions`, an arithmetic operator or `negate`, and its arguments."""

    function: str
    arguments: tuple[Any, ...]


Expression = Fixed | Get | Apply


class Residual(msgspec.Struct, frozen=True, cache_hash=True, weakref=True):
    """A test of an expression, evaluated on candidates and never indexed.

    With a `right` side it compares two expressions; without one it asks of `left` what `test` (a predicate
    whose attribute is empty) asks.
    """

    operator: Operator
    left: Expression
    right: Expression | None = None
    test: Predicate | None = None


class And(msgspec.Struct, frozen=True, order=True, cache_hash=True, weakref=True):
    """True when every child is true."""

    children: tuple[Tree, ...]


class Or(msgspec.Struct, frozen=True, order=True, cache_hash=True, weakref=True):
    """True when at least one child is true."""

    children: tuple[Tree, ...]


Leaf = Predicate | Quantified | Residual
Tree = And | Or | Predicate | Quantified | Residual

TRUE = And(())
FALSE = Or(())


def sort_key(tree: Tree) -> tuple[Any, ...]:
    """The place of a tree among its siblings: a total order that agrees with structural equality."""
    if type(tree) is Predicate:
        return 0, tree.attribute, tree.operator, tree.kind, tree.value
    if type(tree) is Quantified:
        return 1, tree.arrays, tree.operator, tree.terms
    if type(tree) is Residual:
        # Rare enough for text: the representation of a residual is unique.
        return 2, tree.operator, repr(tree)
    if type(tree) is And:
        return 3, tuple(sort_key(child) for child in tree.children)
    return 4, tuple(sort_key(child) for child in tree.children)  # type: ignore[union-attr]  # an Or is left


def leaves(tree: Tree) -> Iterator[Leaf]:
    """All leaves, left to right, repeated ones repeatedly."""
    waiting = [tree]
    while waiting:
        current = waiting.pop()
        if isinstance(current, (And, Or)):
            waiting += reversed(current.children)
        else:
            yield current


def size(tree: Tree) -> int:
    """How many nodes the tree has."""
    if isinstance(tree, (And, Or)):
        return 1 + sum(size(child) for child in tree.children)
    return 1


def depth(tree: Tree) -> int:
    """How many nodes the longest way down passes."""
    if isinstance(tree, (And, Or)):
        return 1 + max((depth(child) for child in tree.children), default=0)
    return 1


def attributes(tree: Tree) -> frozenset[str]:
    """Every attribute that any leaf reads."""
    found: set[str] = set()
    for leaf in leaves(tree):
        if isinstance(leaf, Predicate):
            found.add(leaf.attribute)
        elif isinstance(leaf, Quantified):
            found.update(leaf.arrays)
        else:
            waiting: list[Any] = [leaf.left, leaf.right]
            while waiting:
                expression = waiting.pop()
                if isinstance(expression, Get):
                    found.add(expression.attribute)
                elif isinstance(expression, Apply):
                    waiting += expression.arguments
    return frozenset(found)
