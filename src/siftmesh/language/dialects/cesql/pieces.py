"""Small formulas over conditions, simplified while they are put together, from which a lowered filter is made.

A piece knows its *facts*: leaves that are surely true wherever it is true. A leaf that only says "this can be read"
is *weak*: beside something that implies it, it is dropped. That is what keeps ordinary filters free of the tests that
CloudEvents SQL's errors call for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal as OneOf

import msgspec

from siftmesh.language import ast

__all__ = ["ALWAYS", "NEVER", "Piece", "all_of", "any_of", "condition_of", "given", "leaf"]

Facts = frozenset[ast.Condition]
_NO_FACTS: Facts = frozenset()


class Piece(msgspec.Struct, frozen=True, eq=False):
    """A leaf, or an AND or OR of pieces."""

    join: OneOf["leaf", "and", "or"]
    leaf: ast.Condition | None
    children: tuple[Piece, ...]
    size: int
    facts: Facts
    # Facts that suffice to make the piece true; None when there are none that are worth knowing.
    needs: Facts | None
    weak: bool

    def __hash__(self) -> int:
        return hash((self.join, self.leaf, self.children))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Piece):
            return NotImplemented
        return self is other or (
            self.size == other.size
            and (self.join, self.leaf, self.children) == (other.join, other.leaf, other.children)
        )


ALWAYS = Piece("and", None, (), 0, _NO_FACTS, _NO_FACTS, False)
NEVER = Piece("or", None, (), 0, _NO_FACTS, None, False)


def leaf(condition: ast.Condition, facts: Iterable[ast.Condition] = (), size: int = 1, weak: bool = False) -> Piece:
    """A condition as a piece; `facts` are what else is true wherever it is."""
    if isinstance(condition, ast.Truth):
        return ALWAYS if condition.value else NEVER
    own = frozenset([condition])
    return Piece("leaf", condition, (), size, own.union(facts), own, weak)


def all_of(*parts: Piece) -> Piece:
    """The AND of pieces, without weak ones that the others imply."""
    children = _gathered("and", parts)
    if NEVER in children:
        return NEVER
    strong: Facts = frozenset().union(*(child.facts for child in children if not child.weak))
    kept: list[Piece] = []
    for child in children:
        remains = given(child, strong) if child.weak else child
        if remains is not ALWAYS:
            kept.append(remains)
    if len(kept) < 2:
        return kept[0] if kept else ALWAYS
    needs: Facts | None = _NO_FACTS
    for child in kept:
        needs = None if needs is None or child.needs is None else needs | child.needs
    facts: Facts = frozenset().union(*(child.facts for child in kept))
    return Piece("and", None, tuple(kept), _size(kept), facts, needs, any(child.weak for child in kept))


def any_of(*parts: Piece) -> Piece:
    """The OR of pieces, without those that imply a weak one."""
    children = _gathered("or", parts)
    if ALWAYS in children:
        return ALWAYS
    for wide in [child for child in children if child.weak and child.needs is not None]:
        children = [child for child in children if child is wide or not wide.needs <= child.facts]  # type: ignore[operator]  # not None, chosen so
    if len(children) < 2:
        return children[0] if children else NEVER
    facts = frozenset.intersection(*(child.facts for child in children))
    needs = min((child.needs for child in children if child.needs is not None), key=len, default=None)
    weak = any(child.weak for child in children)
    return Piece("or", None, tuple(children), _size(children), facts, needs, weak)


def given(piece: Piece, known: Facts) -> Piece:
    """The piece, simplified for places where the known facts hold."""
    if piece.needs is not None and piece.needs <= known:
        return ALWAYS
    if piece.join == "leaf" or not piece.weak:
        return piece
    below = [given(child, known) for child in piece.children]
    return all_of(*below) if piece.join == "and" else any_of(*below)


def condition_of(piece: Piece) -> ast.Condition:
    """The condition that a piece stands for."""
    if piece.leaf is not None:
        return piece.leaf
    if not piece.children:
        return ast.Truth(piece.join == "and")
    operands = tuple([condition_of(child) for child in piece.children])
    return ast.And(operands) if piece.join == "and" else ast.Or(operands)


def _gathered(join: str, parts: Iterable[Piece]) -> list[Piece]:
    """The parts and, in place of those of the same join, their children; each once, in order."""
    found: dict[Piece, None] = {}
    for part in parts:
        for child in part.children if part.join == join else (part,):
            found[child] = None
    return list(found)


def _size(children: list[Piece]) -> int:
    return 1 + sum(child.size for child in children)
