"""Rows of constants into chunks and out of them: what adding and removing a subscription comes down to."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.chunks import drop_row, enter_row, row_of
from siftmesh.kernels.compound import take_pair, take_range
from siftmesh.kernels.constants import (
    release_atom,
    release_list,
    take_atom,
    take_key,
    take_list,
    take_presence,
    use_atom,
)
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    A_TAG,
    ABOVE,
    ALWAYS,
    ARRAY,
    BELOW,
    CHUNK,
    COLUMN_LIST,
    E_ACCESS,
    E_COLUMN,
    E_FROM,
    E_SLOT,
    E_TAG,
    E_WHAT,
    ENTRY,
    FIRST_ATOM,
    H_ATOM_COUNT,
    H_ATOM_ROOM,
    H_ATOMS,
    H_HEAP,
    H_LONGS,
    H_ROWS,
    H_TABLE_MASK,
    H_TABLE_USED,
    H_WHERE,
    H_WHERE_ROOM,
    H_WORDS,
    INSTRUCTION,
    K_ATOM,
    K_PROGRAM,
    K_ROOM,
    MOST_PAIRINGS,
    MOST_ROWS,
    NO_LEVEL,
    P_LENGTH,
    P_LONGS,
    P_RECIPE,
    P_ROWS,
    P_WORDS,
    PAIRING,
    PARKED,
    PROGRAM,
    R_ATOM,
    R_KEY,
    R_LIST,
    R_PAIR,
    R_PRESENCE,
    R_RANGE,
    RANGE,
    RECORD,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.pools import free_words, take_words

__all__ = ["DONE", "FRAME_TOO_SHORT", "LACKS_ROOM", "add_row", "enter_rows", "remove_row"]

# What comes of an add; a positive number is one more than the rows that are in: the others need longer pools.
DONE = 0
# Nothing is changed yet: the pools must be made longer, or the frame and `made` must.
LACKS_ROOM = -1
FRAME_TOO_SHORT = -2


@kernel
def _take_constants(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    frame: Longs,
    program: int,
    made: Longs,
) -> int:
    """Write the columns of a row into `made`, and behind them the atoms that it waits for; how many."""
    columns = np.int64(words[program + P_WORDS])
    first = columns + words[program + P_LONGS]
    waits = np.int64(first)
    entry = program + PROGRAM + INSTRUCTION * words[program + P_LENGTH] + columns
    last = entry + ENTRY * words[program + P_RECIPE]
    while entry < last:
        what = words[entry + E_WHAT]
        slot = words[entry + E_SLOT]
        column = words[entry + E_COLUMN]
        access = words[entry + E_ACCESS]
        at = 2 * words[entry + E_FROM]
        if what == R_KEY:
            tag = words[entry + E_TAG]
            made[columns + column] = take_key(words, slot, tag, frame[at] >> 32, frame[at + 1])
        elif what == R_LIST:
            block = take_list(words, longs, heap, text, frame, slot, frame[at + 1], column >= 0, made, waits)
            if column >= 0:
                made[column] = block
            if access:
                if column >= 0:
                    # The list and the rows each hold a use of their own.
                    for number in range(frame[at + 1] & 0xFFFFFFFF):
                        use_atom(words, made[waits + number])
                waits += frame[at + 1] & 0xFFFFFFFF
        elif what == R_RANGE:
            waits += _take_range(words, longs, heap, text, frame, entry, made, waits)
        elif what == R_PAIR:
            atom = take_atom(words, longs, heap, text, slot, -1, frame[at] >> 32, frame[at + 1])
            entry += ENTRY
            waits += _take_pairs(words, longs, heap, text, frame, slot, atom, entry, made, waits)
        else:
            if what == R_ATOM:
                asked = words[entry + E_TAG]
                atom = take_atom(words, longs, heap, text, slot, asked, frame[at] >> 32, frame[at + 1])
            elif what == R_PRESENCE:
                atom = take_presence(words, longs, heap, text, slot)
            else:
                atom = np.int64(ALWAYS)
            if column >= 0:
                made[column] = atom
            if access:
                if column >= 0:
                    use_atom(words, atom)
                made[waits] = atom
                waits += 1
        entry += ENTRY
    if waits == first:
        made[waits] = PARKED
        waits += 1
    return waits - first


@kernel
def _take_range(
    words: Words, longs: Longs, heap: Bytes, text: Bytes, frame: Longs, entry: int, made: Longs, waits: int
) -> int:
    slot = words[entry + E_SLOT]
    tag = words[entry + E_TAG]
    from_low = 2 * words[entry + E_FROM]
    from_high = 2 * words[entry + E_COLUMN]
    low = take_key(words, slot, tag, frame[from_low] >> 32, frame[from_low + 1])
    high = take_key(words, slot, tag, frame[from_high] >> 32, frame[from_high + 1])
    if words[entry + E_ACCESS] & ABOVE:
        low += 1
    if words[entry + E_ACCESS] & BELOW:
        high -= 1
    return take_range(words, longs, heap, text, slot, low, high, made, waits)


@kernel
def _take_pairs(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    frame: Longs,
    slot: int,
    atom: int,
    entry: int,
    made: Longs,
    waits: int,
) -> int:
    """The pairs of an atom with what an entry says: a value, or the blocks of a range.

    Where no more can be paired the row waits for the first alone: it is asked for all that is left anyway.
    """
    other_slot = words[entry + E_SLOT]
    if words[entry + E_WHAT] == R_ATOM:
        at = 2 * words[entry + E_FROM]
        other = take_atom(words, longs, heap, text, other_slot, -1, frame[at] >> 32, frame[at + 1])
        pair = take_pair(words, longs, heap, text, slot, atom, other_slot, NO_LEVEL, other)
        if pair == 0:
            release_atom(words, longs, heap, other)
            pair = atom
        made[waits] = pair
        return 1
    count = _take_range(words, longs, heap, text, frame, entry, made, waits)
    if count == 0:
        release_atom(words, longs, heap, atom)
    if count == 2:
        use_atom(words, atom)
    for number in range(waits, waits + count):
        other = made[number]
        level = words[words[H_ATOMS] + RECORD * other + A_TAG] - RANGE
        pair = take_pair(words, longs, heap, text, slot, atom, other_slot, level, other)
        if pair == 0:
            release_atom(words, longs, heap, other)
            pair = atom
        made[number] = pair
    return count


@kernel
def _lacks(words: Words, heap: Bytes, frame: Longs, count: int, program: int, sub: int, text: int) -> bool:
    """Whether the pools may be too short for the constants of a row."""
    items = np.int64(count)
    for number in range(count):
        if frame[2 * number] >> 32 == ARRAY:
            items += frame[2 * number + 1] & 0xFFFFFFFF
    items += 6 * words[program + P_RECIPE]
    return (
        sub >= words[H_WHERE_ROOM]
        or words[H_ATOM_COUNT] + items > words[H_ATOM_ROOM]
        or 4 * (words[H_TABLE_USED] + items) > 3 * np.int64(words[H_TABLE_MASK])
        # Lists and the block of places, each rounded up by at most a quarter and eight.
        or words[H_WORDS] + 3 * items + 16 * count + 2 * PAIRING * MOST_PAIRINGS > len(words)
        or 8 * np.int64(words[H_HEAP]) + text + (text >> 2) + 32 * items + 64 > len(heap)
    )


@kernel
def add_row(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    frame: Longs,
    count: int,
    program: int,
    sub: int,
    made: Longs,
    size: int,
) -> int:
    """Take a subscription in of which the frame has `count` constants with `size` bytes of strings."""
    if _lacks(words, heap, frame, count, program, sub, size):
        return LACKS_ROOM
    if len(made) < len(frame) // 2 + 3 * words[program + P_RECIPE] + 8:
        return FRAME_TOO_SHORT
    waits = _take_constants(words, longs, heap, text, frame, program, made)
    words[program + P_ROWS] += waits
    words[H_ROWS] += waits
    where = words[H_WHERE] + sub
    words[where] = 0
    if waits > 1:
        block = take_words(words, 1 + waits)
        words[block] = waits
        for number in range(1, waits + 1):
            words[block + number] = 0
        # The directory is told first: a chunk that grows for a later row has to be found in it.
        words[where] = -block
    return enter_rows(words, longs, program, sub, made, 0)


@kernel
def enter_rows(words: Words, longs: Longs, program: int, sub: int, made: Longs, entered: int) -> int:
    """Write the rows of a subscription from a number on; one more than are in, or DONE if all are."""
    columns = np.int64(words[program + P_WORDS])
    wide = np.int64(words[program + P_LONGS])
    first = columns + wide
    where = words[H_WHERE] + sub
    count = words[-words[where]] if words[where] < 0 else 1
    most = MOST_ROWS + MOST_ROWS // 4
    for number in range(entered, count):
        full = words[H_WORDS] + most * (1 + columns) + 64 > len(words)
        if full or words[H_LONGS] + most * wide + 64 > len(longs):
            return 1 + number
        chunk = enter_row(words, longs, made[first + number], program, sub, made)
        if count == 1:
            words[where] = chunk
        else:
            words[1 + number - words[where]] = chunk
    return DONE


@kernel
def remove_row(words: Words, longs: Longs, heap: Bytes, sub: int) -> int:
    """Take a subscription out, with all that only it used; its program."""
    where = words[H_WHERE] + sub
    place = words[where]
    chunk = place if place > 0 else words[1 - place]
    program = words[chunk + K_PROGRAM]
    columns = words[program + P_WORDS]
    kinds = program + PROGRAM + INSTRUCTION * words[program + P_LENGTH]
    room = words[chunk + K_ROOM]
    row = row_of(words, chunk, sub)
    for column in range(columns):
        held = words[chunk + CHUNK + room * (1 + column) + row]
        if words[kinds + column] == COLUMN_LIST:
            release_list(words, longs, heap, held)
        else:
            release_atom(words, longs, heap, held)
    count = 1 if place > 0 else words[-place]
    for number in range(1, count + 1):
        if place < 0:
            chunk = words[number - place]
            row = row_of(words, chunk, sub)
        atom = words[chunk + K_ATOM]
        drop_row(words, longs, chunk, row)
        if atom >= FIRST_ATOM:
            release_atom(words, longs, heap, atom)
    if place < 0:
        free_words(words, -place, 1 + count)
    words[where] = 0
    words[program + P_ROWS] -= count
    words[H_ROWS] -= count
    return program
