"""Chunks: rows of one program that wait for one atom, in a chain for each atom."""

from __future__ import annotations

from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    A_HEAD,
    A_SLOT,
    CHUNK,
    F_CHAINS,
    FIRST_ATOM,
    H_ATOMS,
    H_SLOTS,
    H_WHERE,
    K_ATOM,
    K_BACK,
    K_COUNT,
    K_LONGS,
    K_NEXT,
    K_PROGRAM,
    K_ROOM,
    LOOK_AHEAD,
    MOST_ROWS,
    P_LONGS,
    P_WORDS,
    RECORD,
    S_FLAGS,
    SLOT,
    Longs,
    Words,
)
from siftmesh.kernels.pools import free_longs, free_words, take_longs, take_words

__all__ = ["drop_row", "enter_row", "row_of"]


@kernel
def _next_room(room: int) -> int:
    """1, 2, 3, 4, 6, 8, 12, 16, ...: little is left unused, and little is moved."""
    if room < 4:
        return room + 1
    return room + room // 2 if room & (room - 1) == 0 else room // 3 * 4


@kernel
def _make_chunk(words: Words, longs: Longs, program: int, atom: int, room: int) -> int:
    chunk = take_words(words, CHUNK + room * (1 + words[program + P_WORDS]))
    words[chunk + K_PROGRAM] = program
    words[chunk + K_COUNT] = 0
    words[chunk + K_ROOM] = room
    words[chunk + K_ATOM] = atom
    columns = words[program + P_LONGS]
    words[chunk + K_LONGS] = take_longs(words, longs, room * columns) if columns else 0
    return chunk


@kernel
def _free_chunk(words: Words, longs: Longs, chunk: int) -> None:
    program = words[chunk + K_PROGRAM]
    room = words[chunk + K_ROOM]
    if words[program + P_LONGS]:
        free_longs(words, longs, words[chunk + K_LONGS], room * words[program + P_LONGS])
    free_words(words, chunk, CHUNK + room * (1 + words[program + P_WORDS]))


@kernel
def _move(words: Words, sub: int, chunk: int, to: int) -> None:
    """Tell the directory that a chunk of a subscription is elsewhere now."""
    at = words[H_WHERE] + sub
    if words[at] == chunk:
        words[at] = to
        return
    place = -words[at]
    for number in range(1, words[place] + 1):
        if words[place + number] == chunk:
            words[place + number] = to


@kernel
def _grow_chunk(words: Words, longs: Longs, chunk: int) -> int:
    """The same chunk with room for more rows, in the same place of its chain."""
    program = words[chunk + K_PROGRAM]
    atom = words[chunk + K_ATOM]
    had = words[chunk + K_ROOM]
    room = _next_room(had)
    made = _make_chunk(words, longs, program, atom, room)
    count = words[chunk + K_COUNT]
    words[made + K_COUNT] = count
    for column in range(1 + words[program + P_WORDS]):
        for row in range(count):
            words[made + CHUNK + room * column + row] = words[chunk + CHUNK + had * column + row]
    for column in range(words[program + P_LONGS]):
        for row in range(count):
            longs[words[made + K_LONGS] + room * column + row] = longs[
                words[chunk + K_LONGS] + had * column + row
            ]
    for row in range(count):
        _move(words, words[made + CHUNK + row], chunk, made)
    following = words[chunk + K_NEXT]
    before = words[chunk + K_BACK]
    words[made + K_NEXT] = following
    words[made + K_BACK] = before
    if following:
        words[following + K_BACK] = made
    if before:
        words[before + K_NEXT] = made
    else:
        words[words[H_ATOMS] + RECORD * atom + A_HEAD] = made
    _free_chunk(words, longs, chunk)
    return made


@kernel
def _open_chunk(words: Words, longs: Longs, atom: int, program: int) -> int:
    """A chunk of a program in the chain of an atom, with room for one more row."""
    record = words[H_ATOMS] + RECORD * atom
    chunk = words[record + A_HEAD]
    for _ in range(LOOK_AHEAD):
        if chunk == 0:
            break
        if words[chunk + K_PROGRAM] == program and words[chunk + K_COUNT] < MOST_ROWS:
            if words[chunk + K_COUNT] < words[chunk + K_ROOM]:
                return chunk
            return _grow_chunk(words, longs, chunk)
        chunk = words[chunk + K_NEXT]
    made = _make_chunk(words, longs, program, atom, 1)
    first = words[record + A_HEAD]
    words[made + K_NEXT] = first
    words[made + K_BACK] = 0
    if first:
        words[first + K_BACK] = made
    words[record + A_HEAD] = made
    if atom >= FIRST_ATOM:
        words[words[H_SLOTS] + SLOT * words[record + A_SLOT] + S_FLAGS] |= F_CHAINS
    return made


@kernel
def enter_row(words: Words, longs: Longs, atom: int, program: int, sub: int, made: Longs) -> int:
    """Write a row (its columns of words, then those of longs) into the chain of an atom; its chunk."""
    chunk = _open_chunk(words, longs, atom, program)
    row = words[chunk + K_COUNT]
    room = words[chunk + K_ROOM]
    words[chunk + CHUNK + row] = sub
    columns = words[program + P_WORDS]
    for column in range(columns):
        words[chunk + CHUNK + room * (1 + column) + row] = made[column]
    for column in range(words[program + P_LONGS]):
        longs[words[chunk + K_LONGS] + room * column + row] = made[columns + column]
    words[chunk + K_COUNT] = row + 1
    return chunk


@kernel
def row_of(words: Words, chunk: int, sub: int) -> int:
    """Which row of a chunk is a subscription's."""
    row = 0
    while words[chunk + CHUNK + row] != sub:
        row += 1
    return row


@kernel
def drop_row(words: Words, longs: Longs, chunk: int, row: int) -> None:
    """Take a row out of its chunk, and the chunk out of its chain if it was the last."""
    last = words[chunk + K_COUNT] - 1
    words[chunk + K_COUNT] = last
    program = words[chunk + K_PROGRAM]
    room = words[chunk + K_ROOM]
    if last > 0:
        for column in range(1 + words[program + P_WORDS]):
            at = chunk + CHUNK + room * column
            words[at + row] = words[at + last]
        for column in range(words[program + P_LONGS]):
            place = words[chunk + K_LONGS] + room * column
            longs[place + row] = longs[place + last]
        return
    following = words[chunk + K_NEXT]
    before = words[chunk + K_BACK]
    if following:
        words[following + K_BACK] = before
    if before:
        words[before + K_NEXT] = following
    else:
        words[words[H_ATOMS] + RECORD * words[chunk + K_ATOM] + A_HEAD] = following
    _free_chunk(words, longs, chunk)
