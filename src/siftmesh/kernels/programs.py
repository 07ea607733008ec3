"""Programs: the tree of a filter as leaves with jumps between them, run over a row of constants.

A leaf whose constant is the same for all rows of a program is *uniform*: of one event it is asked once for a
whole chunk of rows, and what is left after it, often a single comparison with a column, is all that each row
costs.
"""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    ARRAY,
    C_SPAN,
    C_TAG,
    CELL,
    CHUNK,
    I_FALSE,
    I_OPERAND,
    I_SLOT,
    I_TRUE,
    I_WHAT,
    K_LONGS,
    K_ROOM,
    M_HERE,
    M_LONG_COLUMN,
    M_LONG_HERE,
    M_WORD_COLUMN,
    N_LEAVES,
    NO,
    OP_NOT_SOME,
    OP_SOME,
    Q_ARRAYS,
    Q_TERMS,
    QUANTIFIER,
    TERM,
    UNSURE,
    YES,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.leaves import leaf, leaf_apart

__all__ = ["DOUBT", "NO_ROW", "run"]

# Asked of no row: the leaves are evaluated up to the first that is not uniform.
NO_ROW = -1
# Added to the answer where some leaf on the way was one that nobody here can tell.
DOUBT = 1 << 40


@kernel(forceinline=True)
def _operand(words: Words, longs: Longs, chunk: int, row: int, mode: int, operand: int) -> int:
    if mode == M_HERE:
        return operand
    if mode == M_LONG_HERE:
        return longs[operand]
    room = words[chunk + K_ROOM]
    if mode == M_WORD_COLUMN:
        return words[chunk + CHUNK + room * (1 + operand) + row]
    return longs[words[chunk + K_LONGS] + room * operand + row]


@kernel
def run(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    cells: Longs,
    program: int,
    chunk: int,
    row: int,
    start: int,
    counters: Longs,
) -> int:
    """Go on from an instruction: ACCEPT or REJECT, or without a row the first instruction that needs one.

    With DOUBT added, it holds provided that leaves which nobody here can tell do.
    """
    at = np.int64(start)
    doubt = np.int64(0)
    while at >= 0:
        place = program + at
        what = np.int64(words[place + I_WHAT])
        operation = what & 255
        mode = what >> 16
        quantified = operation == OP_SOME or operation == OP_NOT_SOME
        if row < 0 and (quantified or mode == M_WORD_COLUMN or mode == M_LONG_COLUMN):
            break
        counters[N_LEAVES] += 1
        if quantified:
            block = program + words[place + I_OPERAND]
            found = _some(words, longs, heap, text, cells, block, chunk, row, operation)
        else:
            operand = _operand(words, longs, chunk, row, mode, words[place + I_OPERAND])
            found = leaf(
                words,
                longs,
                heap,
                text,
                cells,
                CELL * np.int64(words[place + I_SLOT]),
                operation,
                (what >> 8) & 255,
                operand,
            )
        if found == NO:
            at = np.int64(words[place + I_FALSE])
        else:
            if found == UNSURE:
                doubt = np.int64(DOUBT)
            at = np.int64(words[place + I_TRUE])
    return at + doubt


@kernel
def _some(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    cells: Longs,
    block: int,
    chunk: int,
    row: int,
    operation: int,
) -> int:
    """SOME is true where all terms hold at one index; its opposite where at every index one term is false."""
    arrays = words[block + Q_ARRAYS]
    length = -1
    for number in range(arrays):
        cell = CELL * words[block + QUANTIFIER + number]
        if cells[cell + C_TAG] & 255 != ARRAY:
            return NO
        size = cells[cell + C_SPAN] & 0xFFFFFFFF
        if length >= 0 and size != length:
            return NO
        length = size
    # A term is false exactly where its opposite is true.
    flip = 0 if operation == OP_SOME else 1
    unsure = False
    for index in range(length):
        found = YES if flip == 0 else NO
        for number in range(words[block + Q_TERMS]):
            term = block + QUANTIFIER + arrays + TERM * number
            what = words[term + 1]
            operand = _operand(words, longs, chunk, row, what >> 16, words[term + 2])
            element = (cells[CELL * words[term] + C_SPAN] >> 32) + index
            told = leaf_apart(
                words,
                longs,
                heap,
                text,
                cells,
                CELL * element,
                (what & 255) ^ flip,
                (what >> 8) & 255,
                operand,
            )
            if told == UNSURE:
                found = UNSURE
            elif flip == 0 and told == NO:
                found = NO
                break
            elif flip == 1 and told == YES:
                found = YES
                break
        if found == UNSURE:
            unsure = True
        elif flip == 0 and found == YES:
            return YES
        elif flip == 1 and found == NO:
            return NO
    if unsure:
        return UNSURE
    return YES if flip == 1 else NO
