"""One leaf of a filter, asked of the cells of an event."""

from __future__ import annotations

from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    ARRAY,
    C_HIGH,
    C_LOW,
    C_SPAN,
    C_TAG,
    CELL,
    H_KEYS,
    MISSING,
    NO,
    NULL,
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
    OP_OVERLAPS,
    OP_TEXT_GE,
    OP_TEXT_LE,
    OP_TEXT_LT,
    STRING,
    TIMED,
    TIMESTAMP,
    UNSURE,
    YES,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.likes import compare_bytes, fits, fits_folded

__all__ = ["in_list", "leaf", "leaf_apart"]


@kernel
def in_list(words: Words, place: int, atom: int) -> bool:
    """Whether an atom is in a list of atoms, which is in order."""
    low = place + 1
    high = low + words[place]
    while low < high:
        middle = (low + high) >> 1
        if words[middle] < atom:
            low = middle + 1
        else:
            high = middle
    return low < place + 1 + words[place] and words[low] == atom


@kernel(forceinline=True)
def _is_kind(found: int, tag: int) -> bool:
    return found == tag or (found == TIMED and (tag == STRING or tag == TIMESTAMP))


@kernel(forceinline=True)
def leaf(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    cells: Longs,
    cell: int,
    operation: int,
    tag: int,
    operand: int,
) -> int:
    """YES if the leaf is true of a cell, NO if it is false or unknown, UNSURE if only its caller can tell."""
    told = cells[cell + C_TAG]
    if operation == OP_EQ:
        return YES if told >> 8 == operand else NO
    found = told & 255
    if operation <= OP_GT:
        if not _is_kind(found, tag):
            return NO
        if operation == OP_NE:
            return YES if told >> 8 != operand else NO
        if operation == OP_LE:
            return YES if cells[cell + C_HIGH] <= operand else NO
        if operation == OP_LT:
            return YES if cells[cell + C_LOW] < operand else NO
        if operation == OP_GE:
            return YES if cells[cell + C_LOW] >= operand else NO
        return YES if cells[cell + C_HIGH] > operand else NO
    if operation == OP_KEY_EQ:
        return YES if _is_kind(found, tag) and cells[cell + C_LOW] == operand else NO
    if operation == OP_KEY_NE:
        return YES if _is_kind(found, tag) and cells[cell + C_LOW] != operand else NO
    if operation == OP_IN:
        return YES if told >> 8 and in_list(words, operand, told >> 8) else NO
    if operation == OP_NOT_IN:
        return YES if _is_kind(found, tag) and not in_list(words, operand, told >> 8) else NO
    if operation <= OP_NOT_ILIKE:
        if found != STRING and found != TIMED:
            return NO
        return _of_text(longs, heap, text, words[H_KEYS], cells[cell + C_SPAN], operation, operand)
    if operation == OP_IS_NULL:
        return YES if found <= NULL else NO
    if operation == OP_IS_NOT_NULL:
        return YES if found > NULL else NO
    if operation == OP_EXISTS:
        return YES if found != MISSING else NO
    if operation == OP_NOT_EXISTS:
        return YES if found == MISSING else NO
    if operation <= OP_NOT_OVERLAPS:
        if found != ARRAY:
            return NO
        if tag == TIMESTAMP:
            return UNSURE
        return _of_array(words, cells, cells[cell + C_SPAN], operation, tag, operand)
    return UNSURE


@kernel
def leaf_apart(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    cells: Longs,
    cell: int,
    operation: int,
    tag: int,
    operand: int,
) -> int:
    """The same, not written into its caller."""
    return leaf(words, longs, heap, text, cells, cell, operation, tag, operand)


@kernel
def _of_text(
    longs: Longs, heap: Bytes, text: Bytes, keys: int, span: int, operation: int, operand: int
) -> int:
    start = span >> 32
    length = span & 0xFFFFFFFF
    known = longs[keys + operand]
    at = known >> 32
    size = known & 0xFFFFFFFF
    if operation == OP_LIKE:
        return fits(text, start, length, heap, at, size)
    if operation == OP_NOT_LIKE:
        return YES - fits(text, start, length, heap, at, size)
    if operation == OP_ILIKE or operation == OP_NOT_ILIKE:
        found = fits_folded(text, start, length, heap, at, size)
        return found if found == UNSURE or operation == OP_ILIKE else YES - found
    order = compare_bytes(text, start, length, heap, at, size)
    if operation == OP_TEXT_LT:
        return YES if order < 0 else NO
    if operation == OP_TEXT_GE:
        return YES if order >= 0 else NO
    if operation == OP_TEXT_LE:
        return YES if order <= 0 else NO
    return YES if order > 0 else NO


@kernel
def _of_array(words: Words, cells: Longs, span: int, operation: int, tag: int, operand: int) -> int:
    first = span >> 32
    one = operation == OP_CONTAINS or operation == OP_NOT_CONTAINS
    comparable = True
    for element in range(first, first + (span & 0xFFFFFFFF)):
        told = cells[CELL * element + C_TAG]
        atom = told >> 8
        if atom and (atom == operand if one else in_list(words, operand, atom)):
            return YES if operation == OP_CONTAINS or operation == OP_OVERLAPS else NO
        if not _is_kind(told & 255, tag):
            comparable = False
    if operation == OP_CONTAINS or operation == OP_OVERLAPS or not comparable:
        return NO
    return YES
