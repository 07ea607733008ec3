"""Programs: the tree of a filter as leaves with jumps between them, run over a row of constants."""

from __future__ import annotations

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
    INSTRUCTION,
    K_LONGS,
    K_ROOM,
    M_HERE,
    M_WORD_COLUMN,
    N_LEAVES,
    NO,
    OP_NOT_SOME,
    OP_SOME,
    P_ENTRY,
    P_GUARDS,
    PROGRAM,
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
from siftmesh.kernels.leaves import leaf

__all__ = ["guarded", "run"]


@kernel
def _operand(words: Words, longs: Longs, chunk: int, row: int, mode: int, operand: int) -> int:
    if mode == M_HERE:
        return operand
    room = words[chunk + K_ROOM]
    if mode == M_WORD_COLUMN:
        return words[chunk + CHUNK + room * (1 + operand) + row]
    return longs[words[chunk + K_LONGS] + room * operand + row]


@kernel
def guarded(
    words: Words, longs: Longs, heap: Bytes, text: Bytes, cells: Longs, program: int, counters: Longs
) -> bool:
    """Whether all leaves that are the same for all rows of the program, and must hold, may hold."""
    at = program + PROGRAM
    for _ in range(words[program + P_GUARDS]):
        counters[N_LEAVES] += 1
        what = words[at + I_WHAT]
        found = leaf(
            words,
            longs,
            heap,
            text,
            cells,
            CELL * words[at + I_SLOT],
            what & 255,
            (what >> 8) & 255,
            words[at + I_OPERAND],
        )
        if found == NO:
            return False
        at += INSTRUCTION
    return True


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
    counters: Longs,
) -> int:
    """YES if a row's subscription matches, NO if not, UNSURE if it does provided that some leaf does."""
    at = words[program + P_ENTRY]
    result = YES
    while at >= 0:
        counters[N_LEAVES] += 1
        place = program + at
        what = words[place + I_WHAT]
        operation = what & 255
        if operation == OP_SOME or operation == OP_NOT_SOME:
            block = program + words[place + I_OPERAND]
            found = _some(words, longs, heap, text, cells, block, chunk, row, operation)
        else:
            operand = _operand(words, longs, chunk, row, what >> 16, words[place + I_OPERAND])
            found = leaf(
                words,
                longs,
                heap,
                text,
                cells,
                CELL * words[place + I_SLOT],
                operation,
                (what >> 8) & 255,
                operand,
            )
        if found == NO:
            at = words[place + I_FALSE]
        else:
            if found == UNSURE:
                result = UNSURE
            at = words[place + I_TRUE]
    return result if at == -1 else NO


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
            told = leaf(
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
