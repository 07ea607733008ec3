"""Small formulas over conditions, simplified while they are put together: what a lowered filter is made of.

A piece knows its *facts*: what is surely known of the event wherever it is true. A leaf that only states a
fact, such as "this can be read", is *weak*: beside something that implies it, it is dropped. That is what
keeps ordinary filters free of the tests that CloudEvents SQL's errors call for. Work stays linear in the
number of pieces: there are few weak ones, and only those are compared with others.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Literal as OneOf

import msgspec

from siftmesh.language import ast

__all__ = [
    "ALWAYS",
    "NEVER",
    "OVERSIZED",
    "Fact",
    "Facts",
    "Piece",
    "all_of",
    "any_of",
    "condition_of",
    "given",
    "leaf",
]

# Something that can be known of an event: what is known (`present`, `string`, ...), and of what.
Fact = tuple[str, str | ast.Expression]
Facts = frozenset[Fact]
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
    # Whether every leaf, or one branch of an OR, only says that something can be read.
    weak: bool
    # What the weak leaves inside state: knowing any of it may simplify the piece.
    stated: Facts
    # Made once: a leaf may be a list of thousands.
    digest: int

    def __hash__(self) -> int:
        return self.digest

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Piece):
            return NotImplemented
        return self is other or (
            self.digest == other.digest
            and (self.join, self.leaf, self.children) == (other.join, other.leaf, other.children)
        )


ALWAYS = Piece("and", None, (), 0, _NO_FACTS, _NO_FACTS, False, _NO_FACTS, hash("always"))
NEVER = Piece("or", None, (), 0, _NO_FACTS, None, False, _NO_FACTS, hash("never"))
# Stands for a piece that would be too large to be made.
OVERSIZED = Piece("leaf", ast.Truth(False), (), sys.maxsize, _NO_FACTS, None, False, _NO_FACTS, 0)


def leaf(
    condition: ast.Condition, facts: Iterable[Fact] = (), size: int = 1, states: Fact | None = None
) -> Piece:
    """A condition as a piece; `facts` are known wherever it is true, as is the one that it only states."""
    known = frozenset(facts)
    if states is None:
        return Piece("leaf", condition, (), size, known, None, False, _NO_FACTS, hash(condition))
    own = frozenset([states])
    return Piece("leaf", condition, (), size, known | own, own, True, own, hash(condition))


def all_of(*parts: Piece) -> Piece:
    """The AND of pieces, without weak ones that the others imply."""
    children = _gathered("and", parts)
    if NEVER in children:
        return NEVER
    # Only from pieces that are kept as they are: two that each drop what the other implies would lose it.
    strong: Facts = _NO_FACTS.union(*(child.facts for child in children if not child.stated))
    return _both([given(child, strong) for child in children])


def _both(parts: Iterable[Piece]) -> Piece:
    """The AND of pieces as they are."""
    kept = _gathered("and", parts)
    if NEVER in kept:
        return NEVER
    if len(kept) < 2:
        return kept[0] if kept else ALWAYS
    needs: Facts | None = _NO_FACTS
    for child in kept:
        needs = None if needs is None or child.needs is None else needs | child.needs
    facts: Facts = _NO_FACTS.union(*(child.facts for child in kept))
    return _joined("and", kept, facts, needs)


def any_of(*parts: Piece) -> Piece:
    """The OR of pieces, without those that imply a weak one."""
    children = _gathered("or", parts)
    if ALWAYS in children:
        return ALWAYS
    for wide in [child for child in children if child.weak]:
        if wide.needs is not None and any(child is wide for child in children):
            children = [child for child in children if child is wide or not wide.needs <= child.facts]
    if len(children) < 2:
        return children[0] if children else NEVER
    facts = frozenset.intersection(*(child.facts for child in children))
    needs = min((child.needs for child in children if child.needs is not None), key=len, default=None)
    return _joined("or", children, facts, needs)


def given(piece: Piece, known: Facts) -> Piece:
    """The piece, simplified for places where the known facts hold."""
    if piece.stated.isdisjoint(known):
        return piece
    if piece.needs is not None and piece.needs <= known:
        return ALWAYS
    below = [given(child, known) for child in piece.children]
    # Not `all_of`: that would look through everything below once more, at each level.
    return _both(below) if piece.join == "and" else any_of(*below)


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


def _joined(join: OneOf["and", "or"], children: list[Piece], facts: Facts, needs: Facts | None) -> Piece:
    digest = hash((join, *(child.digest for child in children)))
    size = 1 + sum(child.size for child in children)
    weak = [child.weak for child in children]
    stated = _NO_FACTS.union(*(child.stated for child in children))
    settling = all(weak) if join == "and" else any(weak)
    return Piece(join, None, tuple(children), size, facts, needs, settling, stated, digest)
