"""A chunk of rows whose fate hangs on one comparison with a column: a loop without a branch."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    ACCEPT,
    C_HIGH,
    C_LOW,
    C_TAG,
    CELL,
    CHUNK,
    I_OPERAND,
    I_SLOT,
    I_WHAT,
    K_COUNT,
    K_LONGS,
    K_ROOM,
    M_LONG_COLUMN,
    M_WORD_COLUMN,
    OP_EQ,
    OP_GE,
    OP_GT,
    OP_LE,
    OP_LT,
    REJECT,
    STRING,
    TIMED,
    TIMESTAMP,
    Longs,
    Words,
)

__all__ = ["NOT_SIMPLE", "all_rows", "scan_rows"]

# What comes back where the leaf is of another sort, and rows have to be asked one by one.
NOT_SIMPLE = -1


@kernel(forceinline=True)
def all_rows(words: Words, chunk: int, out: Words, found: int) -> int:
    """Report every row of a chunk."""
    count = np.int64(words[chunk + K_COUNT])
    first = np.int64(chunk + CHUNK)
    for row in range(count):
        out[found + row] = words[first + row]
    return found + count


@kernel
def scan_rows(
    words: Words,
    longs: Longs,
    cells: Longs,
    program: int,
    chunk: int,
    at: int,
    yes: int,
    no: int,
    out: Words,
    found: int,
) -> int:
    """Report the rows of which a leaf is true (not true, if `no` is ACCEPT), or say that it is NOT_SIMPLE."""
    place = program + at
    what = np.int64(words[place + I_WHAT])
    operation = what & 255
    mode = what >> 16
    cell = CELL * np.int64(words[place + I_SLOT])
    told = cells[cell + C_TAG]
    tag = (what >> 8) & 255
    count = np.int64(words[chunk + K_COUNT])
    ids = np.int64(chunk + CHUNK)
    if not ((yes == ACCEPT and no == REJECT) or (yes == REJECT and no == ACCEPT)):
        return NOT_SIMPLE
    if mode == M_WORD_COLUMN and operation == OP_EQ:
        column = ids + np.int64(words[chunk + K_ROOM]) * (1 + np.int64(words[place + I_OPERAND]))
        atom = np.int32(told >> 8)
        if yes == ACCEPT:
            for row in range(count):
                out[found] = words[ids + row]
                found += np.int64(words[column + row] == atom)
        else:
            for row in range(count):
                out[found] = words[ids + row]
                found += np.int64(words[column + row] != atom)
        return found
    if mode != M_LONG_COLUMN or operation < OP_LT or operation > OP_GT:
        return NOT_SIMPLE
    kind = told & 255
    if not (kind == tag or (kind == TIMED and (tag == STRING or tag == TIMESTAMP))):
        return all_rows(words, chunk, out, found) if no == ACCEPT else found
    number = np.int64(words[place + I_OPERAND])
    column = np.int64(words[chunk + K_LONGS]) + np.int64(words[chunk + K_ROOM]) * number
    # What is not true is true of the opposite, once the kinds are the same.
    if no == ACCEPT:
        operation ^= 1
    low = cells[cell + C_LOW]
    high = cells[cell + C_HIGH]
    if operation == OP_LE:
        for row in range(count):
            out[found] = words[ids + row]
            found += np.int64(high <= longs[column + row])
    elif operation == OP_LT:
        for row in range(count):
            out[found] = words[ids + row]
            found += np.int64(low < longs[column + row])
    elif operation == OP_GE:
        for row in range(count):
            out[found] = words[ids + row]
            found += np.int64(low >= longs[column + row])
    else:
        for row in range(count):
            out[found] = words[ids + row]
            found += np.int64(high > longs[column + row])
    return found
