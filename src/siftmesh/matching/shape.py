"""Shape and constants: what many subscriptions have in common, and what each has of its own.

Trees that differ in nothing but constants have one shape and so share one program. A constant is a scalar, a
list of scalars (IN, OVERLAPS) or the bytes of a pattern. What no kernel can decide is part of the shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from struct import Struct
from typing import Any

import msgspec

from siftmesh.kernels.layout import (
    MANY,
    MOST_GRAM,
    ONE,
    OP_CONTAINS,
    OP_EQ,
    OP_EXISTS,
    OP_GE,
    OP_GT,
    OP_ILIKE,
    OP_IN,
    OP_IS_NOT_NULL,
    OP_IS_NULL,
    OP_KEY_EQ,
    OP_KEY_NE,
    OP_LE,
    OP_LIKE,
    OP_LT,
    OP_NE,
    OP_NOT_CONTAINS,
    OP_NOT_EXISTS,
    OP_NOT_ILIKE,
    OP_NOT_IN,
    OP_NOT_LIKE,
    OP_NOT_OVERLAPS,
    OP_NOT_SOME,
    OP_OVERLAPS,
    OP_SOME,
    OP_TEXT_GE,
    OP_TEXT_GT,
    OP_TEXT_LE,
    OP_TEXT_LT,
    OP_UNSURE,
    SHORT_GRAM,
)
from siftmesh.logic.tree import And, Leaf, Operator, Or, Predicate, Quantified, Term, Tree
from siftmesh.model.pattern import compile_pattern, escape
from siftmesh.model.values import Kind

__all__ = [
    "Part",
    "Test",
    "comparison",
    "example",
    "form_of",
    "key_of",
    "pattern_bytes",
    "pattern_text",
    "restore",
    "shape_of",
    "skeleton",
]

_EXACT = 2**53
_DOUBLE = Struct("<d")
_WHOLE = Struct("<q")
_MAGNITUDE = (1 << 63) - 1
_KEYED = {
    Operator.EQ: OP_KEY_EQ,
    Operator.NE: OP_KEY_NE,
    Operator.LT: OP_LT,
    Operator.GE: OP_GE,
    Operator.LE: OP_LE,
    Operator.GT: OP_GT,
}
_ORDERED_TEXT = {
    Operator.LT: OP_TEXT_LT,
    Operator.GE: OP_TEXT_GE,
    Operator.LE: OP_TEXT_LE,
    Operator.GT: OP_TEXT_GT,
}
_OTHERS = {
    Operator.IN: OP_IN,
    Operator.NOT_IN: OP_NOT_IN,
    Operator.LIKE: OP_LIKE,
    Operator.NOT_LIKE: OP_NOT_LIKE,
    Operator.ILIKE: OP_ILIKE,
    Operator.NOT_ILIKE: OP_NOT_ILIKE,
    Operator.IS_NULL: OP_IS_NULL,
    Operator.IS_NOT_NULL: OP_IS_NOT_NULL,
    Operator.EXISTS: OP_EXISTS,
    Operator.NOT_EXISTS: OP_NOT_EXISTS,
    Operator.CONTAINS: OP_CONTAINS,
    Operator.NOT_CONTAINS: OP_NOT_CONTAINS,
    Operator.OVERLAPS: OP_OVERLAPS,
    Operator.NOT_OVERLAPS: OP_NOT_OVERLAPS,
    Operator.SOME: OP_SOME,
    Operator.NOT_SOME: OP_NOT_SOME,
}
_LIKES = frozenset([Operator.LIKE, Operator.NOT_LIKE, Operator.ILIKE, Operator.NOT_ILIKE])
_OF_MANY = frozenset([Operator.IN, Operator.NOT_IN, Operator.OVERLAPS, Operator.NOT_OVERLAPS])
_OF_NULL = frozenset([Operator.IS_NULL, Operator.IS_NOT_NULL, Operator.EXISTS, Operator.NOT_EXISTS])


class Test(msgspec.Struct, frozen=True):
    """A leaf without its constants: `first` is the number of the first of them, `count` how many it has.

    The form of a pattern says by which of its texts it is looked up: "prefix", "suffix", "gram" or none ("");
    "prefix only" and "suffix only" are the forms of patterns that say nothing else.
    """

    leaf: Leaf
    operation: int
    first: int
    count: int
    form: str = ""


class Part(msgspec.Struct, frozen=True):
    """An And or Or of tests and parts."""

    conjunction: bool
    children: tuple[Part | Test, ...]


def shape_of(tree: Tree) -> tuple[tuple[Any, ...], list[Any]]:
    """The shape of a tree, as something to look up, and its constants."""
    shape: list[Any] = []
    constants: list[Any] = []
    _take(tree, shape, constants)
    return tuple(shape), constants


def _take(tree: Tree, shape: list[Any], constants: list[Any]) -> None:
    kind = type(tree)
    if kind is Predicate:
        # Most leaves by far: a table tells what is to be done for them.
        how = _HOW[tree.operator * 8 + tree.kind]  # type: ignore[union-attr]  # its type is a predicate's
        if how is _NO_CONSTANT:
            shape += (tree.attribute, tree.operator, tree.kind)  # type: ignore[union-attr]  # likewise
        elif how is _AS_IT_IS or (how is _NUMBER and not _is_wide(tree.value)):  # type: ignore[union-attr]  # likewise
            shape += (tree.attribute, tree.operator, tree.kind)  # type: ignore[union-attr]  # likewise
            constants.append(tree.value)  # type: ignore[union-attr]  # likewise
        elif how is _PATTERN:
            shape += (tree.attribute, tree.operator, form_of(tree.value)[0])  # type: ignore[union-attr]  # likewise
            constants.append(pattern_bytes(tree.value))  # type: ignore[union-attr]  # likewise
        else:
            shape.append(tree)
    elif kind is And or kind is Or:
        children = tree.children  # type: ignore[union-attr]  # an And or Or has children
        shape += (kind, len(children))
        for child in children:
            _take(child, shape, constants)
    elif kind is Quantified and _operation(tree) != OP_UNSURE:  # type: ignore[arg-type]  # one or the other
        shape += (tree.arrays, tree.operator)  # type: ignore[union-attr]  # a quantifier's
        for term in tree.terms:  # type: ignore[union-attr]  # likewise
            shape += (term.position, term.operator, term.kind)
            constants.append(term.value)
        shape.append(None)
    else:
        shape.append(tree)


def skeleton(tree: Tree) -> Part | Test:
    """The shape of a tree as a structure, numbered as `shape_of` numbers the constants."""
    counter = [0]
    return _skeleton(tree, counter)


def _skeleton(tree: Tree, counter: list[int]) -> Part | Test:
    if isinstance(tree, (And, Or)):
        return Part(isinstance(tree, And), tuple([_skeleton(child, counter) for child in tree.children]))
    operation = _operation(tree)
    first = counter[0]
    if operation == OP_UNSURE:
        count = 0
    elif isinstance(tree, Quantified):
        count = len(tree.terms)
    else:
        count = len(_constants(tree))  # type: ignore[arg-type]  # a residual is never sure
    counter[0] += count
    form = form_of(tree.value)[0] if operation == OP_LIKE else ""  # type: ignore[union-attr]  # a predicate
    return Test(tree, operation, first, count, form)


def restore(part: Part | Test, constants: list[Any]) -> Tree:
    """The tree of a shape with constants."""
    if isinstance(part, Part):
        return (And if part.conjunction else Or)(tuple([restore(c, constants) for c in part.children]))
    leaf = part.leaf
    if part.count == 0:
        return leaf
    if isinstance(leaf, Quantified):
        terms = [
            Term(term.position, term.operator, term.kind, constants[part.first + number])
            for number, term in enumerate(leaf.terms)
        ]
        return Quantified(leaf.arrays, leaf.operator, tuple(terms))
    value = constants[part.first]
    if leaf.operator in _LIKES:
        value = pattern_text(value)
    elif leaf.operator in _OF_MANY:
        value = tuple(sorted(value))
    return Predicate(leaf.attribute, leaf.operator, leaf.kind, value)  # type: ignore[union-attr]  # a predicate


def example(part: Part | Test) -> Tree:
    """Some tree of a shape: the first that had it."""
    if isinstance(part, Part):
        return (And if part.conjunction else Or)(tuple([example(child) for child in part.children]))
    return part.leaf


def _constants(leaf: Predicate) -> tuple[Any, ...]:
    asked = leaf.operator
    if asked in _OF_NULL:
        return ()
    if asked in _LIKES:
        return (pattern_bytes(leaf.value),)
    return (leaf.value,)


def _is_wide(value: Any) -> bool:
    """Whether a number is whole and no double equals it."""
    return type(value) is int and not -_EXACT <= value <= _EXACT and float(value) != value


def _operation(leaf: Leaf) -> int:
    """What a kernel does for a leaf; OP_UNSURE if none can tell."""
    if isinstance(leaf, Quantified):
        sure = all(comparison(t.operator, t.kind, t.value) != OP_UNSURE for t in leaf.terms)
        return _OTHERS[leaf.operator] if sure and leaf.terms else OP_UNSURE
    if not isinstance(leaf, Predicate):
        return OP_UNSURE
    if leaf.operator in _KEYED:
        return comparison(leaf.operator, leaf.kind, leaf.value)
    if leaf.kind == Kind.TIMESTAMP:
        return OP_UNSURE
    return _OTHERS[leaf.operator]


def comparison(asked: Operator, kind: Kind, value: Any = 0) -> int:
    """What a kernel does to compare a value with a constant."""
    if kind == Kind.TIMESTAMP:
        return _KEYED[asked]
    if asked == Operator.EQ:
        return OP_EQ
    if asked == Operator.NE:
        return OP_NE
    if kind == Kind.STRING:
        return _ORDERED_TEXT[asked]
    if kind == Kind.NUMBER and not _is_wide(value):
        return _KEYED[asked]
    return OP_UNSURE


# What `_take` does with the constant of a predicate.
_NO_CONSTANT, _AS_IT_IS, _NUMBER, _PATTERN, _UNSURE = "none", "as it is", "number", "pattern", "unsure"


def _how(asked: Operator, kind: Kind) -> str:
    if asked in _OF_NULL:
        return _NO_CONSTANT
    if asked in _LIKES:
        return _PATTERN
    if asked in (Operator.SOME, Operator.NOT_SOME):
        return _UNSURE
    if _operation(Predicate("", asked, kind, 2**53 + 1 if kind == Kind.NUMBER else 0)) != OP_UNSURE:
        return _AS_IT_IS
    return _NUMBER if kind == Kind.NUMBER else _UNSURE


_HOW = [_how(asked, Kind(kind)) if kind < len(Kind) else _UNSURE for asked in Operator for kind in range(8)]


@lru_cache(maxsize=16_384)
def form_of(pattern: str) -> tuple[str, bytes]:
    """The form of a canonical pattern, and the text by which it is looked up."""
    parts = compile_pattern(pattern)
    prefix, suffix = parts.prefix.encode(), parts.suffix.encode()
    if parts.only_prefix and len(prefix) <= MOST_GRAM:
        return "prefix only", prefix
    if parts.only_suffix and len(suffix) <= MOST_GRAM:
        return "suffix only", suffix
    gram = max((run.encode() for run in parts.contained), key=len, default=b"")
    if len(gram) < SHORT_GRAM:
        gram = b""  # nearly every string has it, and long ones everywhere
    longest = max(len(prefix), len(suffix), len(gram))
    if longest == 0:
        return "", b""
    if len(prefix) == longest:
        return "prefix", prefix[:MOST_GRAM]
    if len(suffix) == longest:
        return "suffix", suffix[-MOST_GRAM:]
    # A stretch of this will do; which one is chosen when it is entered.
    return "gram", gram


@lru_cache(maxsize=16_384)
def pattern_bytes(pattern: str) -> bytes:
    """A canonical pattern as kernels read it."""
    many = bytes([MANY])
    return many.join(
        b"".join(bytes([ONE]) if character is None else character.encode() for character in segment)
        for segment in compile_pattern(pattern).segments
    )


def pattern_text(packed: bytes) -> str:
    """The canonical pattern that has been packed."""
    return "".join(_spell(packed))


def _spell(packed: bytes) -> Iterator[str]:
    for number, segment in enumerate(packed.split(bytes([MANY]))):
        if number:
            yield "%"
        yield "_".join(escape(run.decode()) for run in segment.split(bytes([ONE])))


def key_of(kind: Kind, value: Any) -> int:
    """The key of a constant, as `key_of_double` and its like make it."""
    if kind != Kind.NUMBER:
        return int(value)
    bits: int = _WHOLE.unpack(_DOUBLE.pack(value))[0]
    return bits if bits >= 0 else 0 if bits == -(1 << 63) else bits ^ _MAGNITUDE
