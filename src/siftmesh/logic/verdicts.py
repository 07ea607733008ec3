"""What trees say of many events at once: the same as `logic.evaluate`, in arrays.

A comparison becomes a range of places in the order of an attribute's values; a pattern is tried on each
distinct string; what looks at several attributes at once is evaluated for each distinct combination.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from siftmesh.logic.columns import Column, Columns, Elements, Order
from siftmesh.logic.evaluate import truth
from siftmesh.logic.intervals import prefix_end
from siftmesh.logic.tree import And, Leaf, Operator, Predicate, Quantified, Residual, Tree, attributes
from siftmesh.model.event import Event
from siftmesh.model.pattern import compile_pattern
from siftmesh.model.values import Kind

__all__ = ["Bools", "Counts", "Span", "Verdict", "Words", "counts", "packed", "spans", "unpacked", "verdict"]

Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]
# From a place in an order to another, the end left out.
Span = tuple[int, int]

_WORD = 64
_ORDERINGS = frozenset([Operator.LT, Operator.LE, Operator.GT, Operator.GE])
_PATTERNS = frozenset([Operator.LIKE, Operator.ILIKE])
_FALSE, _TRUE, _UNKNOWN = 0, 1, 2
_CODE = {False: _FALSE, True: _TRUE, None: _UNKNOWN}


class Verdict(NamedTuple):
    """Of which events something is true, and of which unknown."""

    true: Bools
    unknown: Bools


class Counts(NamedTuple):
    """Of how many events something is true, false and unknown."""

    true: int
    false: int
    unknown: int


def packed(bools: Bools) -> Words:
    """Bools as the bits of words, the first as the lowest bit of the first word; along the last axis."""
    *shape, size = bools.shape
    words = np.zeros((*shape, -(-size // _WORD) * 8), dtype=np.uint8)
    bits = np.packbits(bools, axis=-1, bitorder="little")
    words[..., : bits.shape[-1]] = bits
    return words.view("<u8").astype(np.uint64, copy=False)


def unpacked(words: Words, size: int) -> Bools:
    """The bools that were packed, so many of them."""
    octets = np.ascontiguousarray(words.astype("<u8", copy=False)).view(np.uint8)
    return np.unpackbits(octets, axis=-1, count=size, bitorder="little").view(np.bool_)


def verdict(tree: Tree, columns: Columns) -> Verdict:
    """What a tree says of each of the events."""
    if isinstance(tree, Predicate):
        return _predicate(tree, columns[tree.attribute])
    if isinstance(tree, Quantified):
        return _quantified(tree, columns)
    if isinstance(tree, Residual):
        return _residual(tree, columns)
    every = isinstance(tree, And)
    true = np.full(columns.size, every)
    possible = true.copy()
    for child in tree.children:
        said = verdict(child, columns)
        if every:
            true &= said.true
            possible &= said.true | said.unknown
        else:
            true |= said.true
            possible |= said.true | said.unknown
    return Verdict(true, possible & ~true)


def counts(leaf: Leaf, columns: Columns) -> Counts:
    """Of how many of the events a leaf is true, false and unknown, without looking at each where possible."""
    if isinstance(leaf, Predicate):
        column = columns[leaf.attribute]
        if _is_comparison(leaf.operator):
            order = column.order(leaf.kind)
            comparable = int(order.cumulative[-1]) if _compares(leaf) else 0
            true = _count_inside(leaf, order) if comparable else 0
            if leaf.operator & 1 and leaf.operator not in _ORDERINGS:
                true = comparable - true
            return Counts(true, comparable - true, columns.size - comparable)
        said = np.bincount(_table(leaf, column), column.weights, 3)
        return Counts(int(said[_TRUE]), int(said[_FALSE]), int(said[_UNKNOWN]))
    found = verdict(leaf, columns)
    true, unknown = int(found.true.sum()), int(found.unknown.sum())
    return Counts(true, columns.size - true - unknown, unknown)


# ---- comparisons, lists and patterns: places in an order


def _is_comparison(operator: Operator) -> bool:
    return operator <= Operator.NOT_ILIKE


def _compares(leaf: Predicate) -> bool:
    """Whether any value compares: bools have no order."""
    return leaf.kind != Kind.BOOL or leaf.operator not in _ORDERINGS


def spans(leaf: Predicate, values: list[Any]) -> list[Span] | None:
    """The places, in sorted values, of those that meet a leaf; of an opposite (NE), of those that do not.

    None for what only trying each value can tell.
    """
    asked, constant = leaf.operator, leaf.value
    if asked in (Operator.EQ, Operator.NE):
        return [(bisect_left(values, constant), bisect_right(values, constant))]
    if asked == Operator.LT:
        return [(0, bisect_left(values, constant))]
    if asked == Operator.LE:
        return [(0, bisect_right(values, constant))]
    if asked == Operator.GE:
        return [(bisect_left(values, constant), len(values))]
    if asked == Operator.GT:
        return [(bisect_right(values, constant), len(values))]
    if asked in (Operator.IN, Operator.NOT_IN):
        return _points(constant, values)
    if asked in (Operator.LIKE, Operator.NOT_LIKE):
        pattern = compile_pattern(constant)
        if pattern.only_prefix:
            end = prefix_end(pattern.prefix)
            last = len(values) if end is None else bisect_left(values, end)
            return [(bisect_left(values, pattern.prefix), last)]
    return None


def _points(constants: tuple[Any, ...], values: list[Any]) -> list[Span]:
    if len(constants) > len(values):
        wanted = set(constants)
        return [(place, place + 1) for place, value in enumerate(values) if value in wanted]
    found = ((bisect_left(values, constant), bisect_right(values, constant)) for constant in constants)
    return [(first, last) for first, last in found if first < last]


def _count_inside(leaf: Predicate, order: Order) -> int:
    found = spans(leaf, order.values)
    if found is None:
        return int(order.weights[_tried(leaf, order.values)].sum())
    return sum(int(order.cumulative[last] - order.cumulative[first]) for first, last in found)


def _tried(leaf: Predicate, strings: list[str]) -> Bools:
    """Of each string whether a pattern fits it, without regard to a NOT."""
    ignore_case = leaf.operator >= Operator.ILIKE
    pattern = compile_pattern(leaf.value, ignore_case)
    return np.array([pattern.matches(text, ignore_case) for text in strings], dtype=bool)


def _inside(leaf: Predicate, order: Order, places: NDArray[np.int32]) -> Bools:
    """Whether the value at each place (-1 for none) meets the leaf, without regard to a NOT."""
    found = spans(leaf, order.values)
    if found is not None and len(found) == 1:
        first, last = found[0]
        return (places >= first) & (places < last)
    # One more at the end, for -1.
    marks = np.zeros(len(order.values) + 1, dtype=bool)
    if found is None:
        marks[:-1] = _tried(leaf, order.values)
    else:
        for first, last in found:
            marks[first:last] = True
    return marks[places]


def _predicate(leaf: Predicate, column: Column) -> Verdict:
    if _is_comparison(leaf.operator):
        return _compared(leaf, column, column.codes)
    said = _table(leaf, column)[column.codes]
    return Verdict(said == _TRUE, said == _UNKNOWN)


def _compared(leaf: Predicate, column: Column, codes: NDArray[np.int32]) -> Verdict:
    """What a comparison, list or pattern says of the values of a column that have these codes."""
    if not _compares(leaf):
        return Verdict(np.zeros(len(codes), dtype=bool), np.ones(len(codes), dtype=bool))
    order = column.order(leaf.kind)
    places = order.places[codes]
    unknown = places < 0
    inside = _inside(leaf, order, places)
    if leaf.operator & 1 and leaf.operator not in _ORDERINGS:
        inside = ~(inside | unknown)
    return Verdict(inside, unknown)


# ---- presence and arrays: a verdict for each distinct value


def _table(leaf: Predicate, column: Column) -> NDArray[np.int8]:
    """What a leaf says of each distinct value, and at the end of a missing one."""
    asked = leaf.operator
    if asked <= Operator.NOT_EXISTS:
        there = column.kinds() >= 0
        if asked in (Operator.IS_NULL, Operator.IS_NOT_NULL):
            there &= column.kinds() != Kind.NULL
        wanted = asked in (Operator.IS_NOT_NULL, Operator.EXISTS)
        return np.where(there == wanted, _TRUE, _FALSE).astype(np.int8)
    elements = column.elements()
    constants = leaf.value if type(leaf.value) is tuple else (leaf.value,)
    found, unknown = _members(leaf.kind, constants, elements)
    if asked & 1:
        found = ~(found | unknown)
    return np.where(found, _TRUE, np.where(unknown, _UNKNOWN, _FALSE)).astype(np.int8)


def _members(kind: Kind, constants: tuple[Any, ...], elements: Elements) -> Verdict:
    """Whether each array has one of the constants; what is no array is unknown, as are nulls in it."""
    inner = elements.column
    order = inner.order(kind)
    places = order.places[inner.codes]
    marks = np.zeros(len(order.values) + 1, dtype=bool)
    for first, last in _points(constants, order.values):
        marks[first:last] = True
    found = _any(marks[places], elements.starts)
    unknown = _any(places < 0, elements.starts) if constants else np.zeros(len(found), dtype=bool)
    return Verdict(found & elements.is_array, (unknown & ~found) | ~elements.is_array)


def _any(said: Bools, starts: NDArray[np.int64]) -> Bools:
    """Whether any is true of each run between one start and the next."""
    before = np.zeros(len(said) + 1, dtype=np.int64)
    np.cumsum(said, out=before[1:])
    totals = before[starts]
    return totals[1:] > totals[:-1]


# ---- several attributes at once


def _quantified(leaf: Quantified, columns: Columns) -> Verdict:
    arrays = [columns[name] for name in leaf.arrays]
    parallel = np.full(columns.size, bool(arrays))
    lengths = np.zeros(columns.size, dtype=np.int64)
    for position, column in enumerate(arrays):
        elements = column.elements()
        found = np.diff(elements.starts)[column.codes]
        if position:
            parallel &= found == lengths
        lengths = found
        parallel &= elements.is_array[column.codes]
    lengths[~parallel] = 0
    starts = np.zeros(columns.size + 1, dtype=np.int64)
    np.cumsum(lengths, out=starts[1:])
    within = np.arange(starts[-1]) - np.repeat(starts[:-1], lengths)
    false = np.zeros(starts[-1], dtype=bool)
    unknown = false.copy()
    for term in leaf.terms:
        column = arrays[term.position]
        elements, inner = column.elements(), column.elements().column
        firsts = np.repeat(elements.starts[column.codes], lengths)
        asked = Predicate("", term.operator, term.kind, term.value)
        said = _compared(asked, inner, inner.codes[firsts + within])
        false |= ~(said.true | said.unknown)
        unknown |= said.unknown
    true = _any(~(false | unknown), starts) & parallel
    unsure = (_any(unknown & ~false, starts) & ~true) | ~parallel
    if leaf.operator == Operator.NOT_SOME:
        true = ~(true | unsure)
    return Verdict(true, unsure)


def _residual(leaf: Residual, columns: Columns) -> Verdict:
    names = sorted(attributes(leaf))
    codes = np.stack([columns[name].codes for name in names] or [np.zeros(columns.size, dtype=np.int32)])
    distinct, of_event = np.unique(codes, axis=1, return_inverse=True)
    said = [_CODE[truth(leaf, event)] for event in _combined(names, distinct, columns)]
    of_each = np.array(said, dtype=np.int8)[of_event.reshape(-1)]
    return Verdict(of_each == _TRUE, of_each == _UNKNOWN)


def _combined(names: list[str], codes: NDArray[np.int32], columns: Columns) -> Iterable[Event]:
    """An event for each combination of codes."""
    for combination in codes.T.tolist():
        values = zip(names, combination, strict=False)  # of a constant there are no names
        yield Event({name: columns[name].values[code] for name, code in values if code >= 0})
