"""Rows of constants into chunks and out of them: what adding and removing a subscription comes down to."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.atoms import add_atom, drop_atom
from siftmesh.kernels.bits import bits_of
from siftmesh.kernels.cells import key_of_double, whole_is_double
from siftmesh.kernels.chunks import drop_row, enter_row, row_of
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    A_SLOT,
    A_USES,
    ALWAYS,
    CHUNK,
    COLUMN_LIST,
    E_ACCESS,
    E_COLUMN,
    E_FROM,
    E_SLOT,
    E_TAG,
    E_WHAT,
    ENTRY,
    F_GRAMS,
    F_SCALARS,
    F_STRINGS,
    F_TIMES,
    FIRST_ATOM,
    FLOAT,
    H_ATOM_LIVE,
    H_ATOMS,
    H_ROWS,
    H_SLOTS,
    H_WHERE,
    INSTRUCTION,
    INT,
    K_ATOM,
    K_PROGRAM,
    K_ROOM,
    L_GRAM,
    L_PREFIX,
    L_SUFFIX,
    NUMBER,
    OPAQUE,
    P_LENGTH,
    P_LONGS,
    P_RECIPE,
    P_ROWS,
    P_WORDS,
    PARKED,
    PREFIX,
    PRESENCE,
    PROGRAM,
    R_ATOM,
    R_KEY,
    R_LIST,
    R_PRESENCE,
    RECORD,
    S_ATOMS,
    S_FLAGS,
    S_LONGS,
    S_PRESENCE,
    SLOT,
    STRING,
    SUFFIX,
    TIMESTAMP,
    WIDE,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.pools import free_longs, free_words, take_longs, take_words

__all__ = ["add_row", "hold_constant", "release_constant", "remove_row"]


@kernel
def _key(kind: int, raw: int) -> int:
    if kind == INT:
        return key_of_double(bits_of(np.float64(raw)))
    return key_of_double(raw) if kind == FLOAT else raw


@kernel
def _atom(
    words: Words, longs: Longs, heap: Bytes, text: Bytes, slot: int, asked: int, kind: int, raw: int
) -> int:
    """The atom of a constant, with one use more; the slot learns what to look up for it."""
    record = words[H_SLOTS] + SLOT * slot
    live = words[H_ATOM_LIVE]
    atom = _atom_of(words, longs, heap, text, slot, asked, kind, raw)
    words[record + S_ATOMS] += words[H_ATOM_LIVE] - live
    return atom


@kernel
def _atom_of(
    words: Words, longs: Longs, heap: Bytes, text: Bytes, slot: int, asked: int, kind: int, raw: int
) -> int:
    record = words[H_SLOTS] + SLOT * slot
    if kind == STRING or kind == OPAQUE:
        tag = STRING if asked < 0 else asked
        start = raw >> 32
        length = raw & 0xFFFFFFFF
        if tag == STRING:
            words[record + S_FLAGS] |= F_STRINGS
        elif tag >= PREFIX:
            words[record + S_FLAGS] |= F_GRAMS
            which = L_PREFIX if tag == PREFIX else L_SUFFIX if tag == SUFFIX else L_GRAM
            longs[words[record + S_LONGS] + which] |= np.int64(1) << length
        return add_atom(words, longs, heap, slot, tag, 0, text, start, length)
    words[record + S_FLAGS] |= F_SCALARS
    if kind == INT and not whole_is_double(raw):
        return add_atom(words, longs, heap, slot, WIDE, raw, text, 0, 0)
    tag = NUMBER if kind == INT or kind == FLOAT else kind
    return add_atom(words, longs, heap, slot, tag, _key(kind, raw), text, 0, 0)


@kernel
def _presence(words: Words, longs: Longs, heap: Bytes, text: Bytes, slot: int) -> int:
    atom = add_atom(words, longs, heap, slot, PRESENCE, 0, text, 0, 0)
    words[words[H_SLOTS] + SLOT * slot + S_PRESENCE] = atom
    return atom


@kernel
def _list(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    frame: Longs,
    slot: int,
    raw: int,
    kept: bool,
    made: Longs,
    waits: int,
) -> int:
    """The place of a list of atoms, in order, if it is kept; the atoms also behind `waits` in `made`."""
    first = raw >> 32
    count = raw & 0xFFFFFFFF
    for number in range(count):
        at = 2 * (first + number)
        atom = _atom(words, longs, heap, text, slot, -1, frame[at] >> 32, frame[at + 1])
        # Sorted by insertion: lists come in the order of their values, and so mostly in that of their atoms.
        place = waits + number
        while place > waits and made[place - 1] > atom:
            made[place] = made[place - 1]
            place -= 1
        made[place] = atom
    if not kept:
        return 0
    block = take_words(words, 1 + count)
    words[block] = count
    for number in range(count):
        words[block + 1 + number] = made[waits + number]
    return block


@kernel
def add_row(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    frame: Longs,
    program: int,
    sub: int,
    made: Longs,
) -> int:
    """Take a subscription in: a row of its program for each atom that it waits for; how many rows.

    `made` has room for the columns and for all atoms that the row waits for. The pools have room.
    """
    columns = words[program + P_WORDS]
    waits = columns + words[program + P_LONGS]
    entry = program + PROGRAM + INSTRUCTION * words[program + P_LENGTH] + columns
    for _ in range(words[program + P_RECIPE]):
        what = words[entry + E_WHAT]
        slot = words[entry + E_SLOT]
        column = words[entry + E_COLUMN]
        access = words[entry + E_ACCESS]
        at = 2 * words[entry + E_FROM]
        if what == R_KEY:
            if words[entry + E_TAG] == TIMESTAMP:
                made[columns + column] = frame[at + 1]
                words[words[H_SLOTS] + SLOT * slot + S_FLAGS] |= F_TIMES
            else:
                made[columns + column] = _key(frame[at] >> 32, frame[at + 1])
        elif what == R_LIST:
            block = _list(
                words, longs, heap, text, frame, slot, frame[at + 1], column >= 0, made, waits
            )
            if column >= 0:
                made[column] = block
            if access:
                if column >= 0:
                    # The list and the rows each hold a use of their own.
                    for number in range(frame[at + 1] & 0xFFFFFFFF):
                        _use(words, made[waits + number])
                waits += frame[at + 1] & 0xFFFFFFFF
        else:
            if what == R_ATOM:
                asked = words[entry + E_TAG]
                atom = _atom(words, longs, heap, text, slot, asked, frame[at] >> 32, frame[at + 1])
            elif what == R_PRESENCE:
                atom = _presence(words, longs, heap, text, slot)
            else:
                atom = ALWAYS
            if column >= 0:
                made[column] = atom
            if access:
                if column >= 0:
                    _use(words, atom)
                made[waits] = atom
                waits += 1
        entry += ENTRY
    first = columns + words[program + P_LONGS]
    if waits == first:
        made[waits] = PARKED
        waits += 1
    return _enter(words, longs, program, sub, made, first, waits)


@kernel
def hold_constant(
    words: Words, longs: Longs, heap: Bytes, text: Bytes, frame: Longs, what: int, slot: int, asked: int, made: Longs
) -> int:
    """Keep the only constant of a frame for a program: its atom, the place of its list, or that of its key."""
    kind = frame[0] >> 32
    raw = frame[1]
    if what == R_ATOM:
        return _atom(words, longs, heap, text, slot, asked, kind, raw)
    if what == R_LIST:
        return _list(words, longs, heap, text, frame, slot, raw, True, made, 0)
    place = take_longs(words, longs, 1)
    if asked == TIMESTAMP:
        words[words[H_SLOTS] + SLOT * slot + S_FLAGS] |= F_TIMES
        longs[place] = raw
    else:
        longs[place] = _key(kind, raw)
    return place


@kernel
def release_constant(words: Words, longs: Longs, heap: Bytes, what: int, place: int) -> None:
    """Give back what a program has kept."""
    if what == R_ATOM:
        _release(words, longs, heap, place)
    elif what == R_LIST:
        _release_list(words, longs, heap, place)
    else:
        free_longs(words, longs, place, 1)


@kernel
def _release_list(words: Words, longs: Longs, heap: Bytes, place: int) -> None:
    for number in range(1, words[place] + 1):
        _release(words, longs, heap, words[place + number])
    free_words(words, place, 1 + words[place])


@kernel
def _release(words: Words, longs: Longs, heap: Bytes, atom: int) -> None:
    """Take a use of an atom away, and the atom if that was the last."""
    record = words[H_SLOTS] + SLOT * words[words[H_ATOMS] + RECORD * atom + A_SLOT]
    if drop_atom(words, longs, heap, atom):
        if words[record + S_PRESENCE] == atom:
            words[record + S_PRESENCE] = 0
        else:
            words[record + S_ATOMS] -= 1


@kernel
def _use(words: Words, atom: int) -> None:
    words[words[H_ATOMS] + RECORD * atom + A_USES] += 1


@kernel
def _enter(words: Words, longs: Longs, program: int, sub: int, made: Longs, first: int, last: int) -> int:
    count = last - first
    words[program + P_ROWS] += count
    words[H_ROWS] += count
    where = words[H_WHERE] + sub
    if count == 1:
        words[where] = enter_row(words, longs, made[first], program, sub, made)
        return 1
    block = take_words(words, 1 + count)
    words[block] = count
    for number in range(1, count + 1):
        words[block + number] = 0
    # The directory is told first: a chunk that grows for a later row has to be found in it.
    words[where] = -block
    for number in range(count):
        chunk = enter_row(words, longs, made[first + number], program, sub, made)
        words[block + 1 + number] = chunk
    return count


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
            _release_list(words, longs, heap, held)
        else:
            _release(words, longs, heap, held)
    count = 1 if place > 0 else words[-place]
    for number in range(1, count + 1):
        if place < 0:
            chunk = words[number - place]
            row = row_of(words, chunk, sub)
        atom = words[chunk + K_ATOM]
        drop_row(words, longs, chunk, row)
        if atom >= FIRST_ATOM:
            _release(words, longs, heap, atom)
    if place < 0:
        free_words(words, -place, 1 + count)
    words[where] = 0
    words[program + P_ROWS] -= count
    words[H_ROWS] -= count
    return program
