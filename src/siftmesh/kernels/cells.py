"""From the values of one event to cells: where leaves find the value of a slot, and its atom."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.atoms import find_string, find_value
from siftmesh.kernels.bits import bits_of, double_of
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    ARRAY,
    BOOL,
    C_HIGH,
    C_LOW,
    C_SPAN,
    C_TAG,
    CELL,
    F_SCALARS,
    F_STRINGS,
    F_TIMES,
    FLOAT,
    H_SLOT_COUNT,
    H_SLOTS,
    INT,
    MISSING,
    NULL,
    NUMBER,
    S_FLAGS,
    SLOT,
    STRING,
    TIMED,
    TIMESTAMP,
    WIDE,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.moments import moment_of

__all__ = [
    "clear_cells",
    "double_of_key",
    "fill_cell",
    "fill_cells",
    "is_nan",
    "key_of_double",
    "whole_is_double",
]

_EXPONENT = 0x7FF0000000000000
_MAGNITUDE = 0x7FFFFFFFFFFFFFFF
_EXACT = 1 << 53


@kernel(forceinline=True)
def key_of_double(bits: int) -> int:
    """The bits of a double as a number in the order of doubles; the zeros are one, and no NaN comes here."""
    if bits == ~_MAGNITUDE:
        return 0
    return bits ^ ((bits >> 63) & _MAGNITUDE)


@kernel(forceinline=True)
def double_of_key(key: int) -> float:
    """The double whose key it is."""
    return double_of(key ^ ((key >> 63) & _MAGNITUDE))


@kernel(forceinline=True)
def is_nan(bits: int) -> bool:
    """Whether these are the bits of no number."""
    return (bits & _MAGNITUDE) > _EXPONENT


@kernel(forceinline=True)
def whole_is_double(whole: int) -> bool:
    """Whether some double equals a whole number."""
    if -_EXACT <= whole <= _EXACT:
        return True
    nearest = np.float64(whole)
    return nearest < 9223372036854775808.0 and np.int64(nearest) == whole


@kernel(forceinline=True)
def _lower_neighbour(whole: int) -> int:
    """The key of the greatest double below a whole number that none equals."""
    nearest = np.float64(whole)
    key = key_of_double(bits_of(nearest))
    if nearest >= 9223372036854775808.0 or np.int64(nearest) > whole:
        return key - 1
    return key


@kernel(forceinline=True)
def fill_cell(
    words: Words,
    longs: Longs,
    heap: Bytes,
    slot: int,
    kind: int,
    raw: int,
    text: Bytes,
    cells: Longs,
    cell: int,
) -> None:
    """Write the cell of one value."""
    flags = words[words[H_SLOTS] + SLOT * slot + S_FLAGS]
    atom = np.int64(0)
    tag = kind
    if kind == STRING:
        cells[cell + C_SPAN] = raw
        if flags & F_STRINGS:
            atom = find_string(words, longs, heap, slot, STRING, text, raw >> 32, raw & 0xFFFFFFFF)
        if flags & F_TIMES:
            known, moment = moment_of(text, raw >> 32, raw & 0xFFFFFFFF)
            if known:
                tag = TIMED
                cells[cell + C_LOW] = moment
                cells[cell + C_HIGH] = moment
    elif kind == INT or kind == FLOAT:
        tag = NUMBER
        if kind == INT and not whole_is_double(raw):
            key = _lower_neighbour(raw)
            cells[cell + C_LOW] = key
            cells[cell + C_HIGH] = key + 1
            if flags & F_SCALARS:
                atom = find_value(words, longs, slot, WIDE, raw)
        elif kind == FLOAT and is_nan(raw):
            tag = NULL
        else:
            key = key_of_double(bits_of(np.float64(raw)) if kind == INT else raw)
            cells[cell + C_LOW] = key
            cells[cell + C_HIGH] = key
            if flags & F_SCALARS:
                atom = find_value(words, longs, slot, NUMBER, key)
    elif kind == BOOL or kind == TIMESTAMP:
        cells[cell + C_LOW] = raw
        cells[cell + C_HIGH] = raw
        if flags & F_SCALARS:
            atom = find_value(words, longs, slot, kind, raw)
    cells[cell + C_TAG] = tag + 256 * atom


@kernel
def fill_cells(
    words: Words,
    longs: Longs,
    heap: Bytes,
    frame: Longs,
    first: int,
    last: int,
    text: Bytes,
    cells: Longs,
) -> None:
    """Write the cells of the values between two places of a frame, and those of their elements."""
    spare = np.int64(words[H_SLOT_COUNT])
    for place in range(first, last):
        head = frame[2 * place]
        slot = head & 0xFFFFFFFF
        cell = CELL * slot
        kind = head >> 32
        raw = frame[2 * place + 1]
        if kind != ARRAY:
            fill_cell(words, longs, heap, slot, kind, raw, text, cells, cell)
            continue
        # The elements are cells of their own, with the slot that their frame names.
        start = raw >> 32
        length = raw & 0xFFFFFFFF
        cells[cell + C_TAG] = ARRAY
        cells[cell + C_SPAN] = (spare << 32) | length
        for element in range(start, start + length):
            head = frame[2 * element]
            raw = frame[2 * element + 1]
            fill_cell(words, longs, heap, head & 0xFFFFFFFF, head >> 32, raw, text, cells, CELL * spare)
            spare += 1


@kernel
def clear_cells(frame: Longs, first: int, last: int, cells: Longs) -> None:
    """Make the cells of an event's values missing again."""
    for place in range(first, last):
        cells[CELL * (frame[2 * place] & 0xFFFFFFFF) + C_TAG] = MISSING
