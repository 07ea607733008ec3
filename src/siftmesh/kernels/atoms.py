"""The table of atoms: from a slot and a constant to a number, open addressing, exact.

An atom of a value has the value's key (for a WIDE number the number itself); one of a string or a pattern has
the span of its bytes in the heap.
"""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.bits import load64, mix
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    A_HEAD,
    A_SLOT,
    A_TAG,
    A_USES,
    H_ATOM_COUNT,
    H_ATOM_FREE,
    H_ATOM_LIVE,
    H_ATOM_ROOM,
    H_ATOMS,
    H_KEYS,
    H_TABLE,
    H_TABLE_MASK,
    H_TABLE_USED,
    PATTERN,
    PREFIX,
    RANGE,
    RECORD,
    STRING,
    TEXT,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.pools import free_bytes, free_longs, free_words, take_bytes, take_longs, take_words

__all__ = [
    "add_atom",
    "drop_atom",
    "find_string",
    "find_strings",
    "find_value",
    "grow_atoms",
    "grow_table",
    "hash_bytes",
    "same_bytes",
]

_GONE = -1


@kernel(forceinline=True)
def _last_bytes(text: Bytes, at: int, count: int) -> int:
    """Fewer than eight bytes as a number, without reading behind the array."""
    if at + 8 <= len(text):
        return load64(text, at) & ((np.int64(1) << np.int64(8 * count)) - 1)
    last = np.int64(0)
    for place in range(count):
        last |= np.int64(text[at + place]) << np.int64(8 * place)
    return last


@kernel(forceinline=True)
def hash_bytes(text: Bytes, start: int, length: int) -> int:
    """A hash of bytes."""
    state = np.int64(length) * np.int64(0x2127599BF4325C37)
    at = start
    end = start + length
    while at + 8 <= end:
        state = (state ^ load64(text, at)) * np.int64(-0x3B314601E57A13AD)
        state ^= (state >> 32) & 0xFFFFFFFF
        at += 8
    if at < end:
        state = (state ^ _last_bytes(text, at, end - at)) * np.int64(-0x3B314601E57A13AD)
    return mix(state)


@kernel(forceinline=True)
def same_bytes(one: Bytes, at: int, other: Bytes, there: int, length: int) -> bool:
    """Whether two stretches of bytes are equal."""
    done = 0
    while done + 8 <= length:
        if load64(one, at + done) != load64(other, there + done):
            return False
        done += 8
    if done == length:
        return True
    return _last_bytes(one, at + done, length - done) == _last_bytes(other, there + done, length - done)


@kernel(forceinline=True)
def _is_textual(tag: int) -> bool:
    return tag == STRING or tag == PATTERN or tag == TEXT or (tag >= PREFIX and tag < RANGE)


@kernel(forceinline=True)
def _spot(slot: int, tag: int, hashed: int) -> int:
    return mix(hashed ^ (np.int64(slot) << 40) ^ (np.int64(tag) << 34))


@kernel(forceinline=True)
def find_value(words: Words, longs: Longs, slot: int, tag: int, key: int) -> int:
    """The atom of a value that is no string, or 0."""
    mask = words[H_TABLE_MASK]
    table = words[H_TABLE]
    atoms = words[H_ATOMS]
    keys = words[H_KEYS]
    place = _spot(slot, tag, key) & mask
    while True:
        atom = words[table + place]
        if atom == 0:
            return 0
        if (
            atom != _GONE
            and longs[keys + atom] == key
            and words[atoms + RECORD * atom + A_SLOT] == slot
            and words[atoms + RECORD * atom + A_TAG] == tag
        ):
            return atom
        place = (place + 1) & mask


@kernel(forceinline=True)
def find_string(
    words: Words, longs: Longs, heap: Bytes, slot: int, tag: int, text: Bytes, start: int, length: int
) -> int:
    """The atom of a string (or of a pattern, by its tag), or 0."""
    mask = words[H_TABLE_MASK]
    table = words[H_TABLE]
    atoms = words[H_ATOMS]
    keys = words[H_KEYS]
    place = _spot(slot, tag, hash_bytes(text, start, length)) & mask
    while True:
        atom = words[table + place]
        if atom == 0:
            return 0
        if (
            atom != _GONE
            and words[atoms + RECORD * atom + A_SLOT] == slot
            and words[atoms + RECORD * atom + A_TAG] == tag
        ):
            span = longs[keys + atom]
            if span & 0xFFFFFFFF == length and same_bytes(heap, span >> 32, text, start, length):
                return atom
        place = (place + 1) & mask


@kernel
def find_strings(
    words: Words, longs: Longs, heap: Bytes, slot: int, text: Bytes, bounds: Longs, found: Longs
) -> None:
    """The atoms of many strings, laid end to end in `text` with `bounds` between them."""
    for row in range(len(found)):
        start = bounds[row]
        found[row] = find_string(words, longs, heap, slot, STRING, text, start, bounds[row + 1] - start)


@kernel
def add_atom(
    words: Words,
    longs: Longs,
    heap: Bytes,
    slot: int,
    tag: int,
    key: int,
    text: Bytes,
    start: int,
    length: int,
) -> int:
    """The atom of a constant with one use more, made if there is none.

    A string or pattern is given by its bytes, anything else by its key. There must be room for one more.
    """
    textual = _is_textual(tag)
    if textual:
        atom = find_string(words, longs, heap, slot, tag, text, start, length)
    else:
        atom = find_value(words, longs, slot, tag, key)
    atoms = words[H_ATOMS]
    if atom:
        words[atoms + RECORD * atom + A_USES] += 1
        return atom
    if textual:
        hashed = hash_bytes(text, start, length)
        at = take_bytes(words, heap, length)
        for place in range(length):
            heap[at + place] = text[start + place]
        key = (at << 32) | length
    else:
        hashed = key
    atom = words[H_ATOM_FREE]
    if atom:
        words[H_ATOM_FREE] = words[atoms + RECORD * atom + A_HEAD]
    else:
        atom = words[H_ATOM_COUNT]
        words[H_ATOM_COUNT] = atom + 1
    record = atoms + RECORD * atom
    words[record + A_HEAD] = 0
    words[record + A_SLOT] = slot
    words[record + A_TAG] = tag
    words[record + A_USES] = 1
    longs[words[H_KEYS] + atom] = key
    words[H_ATOM_LIVE] += 1
    _enter(words, atom, _spot(slot, tag, hashed))
    return atom


@kernel
def _enter(words: Words, atom: int, hashed: int) -> None:
    mask = words[H_TABLE_MASK]
    table = words[H_TABLE]
    place = hashed & mask
    while words[table + place] > 0:
        place = (place + 1) & mask
    if words[table + place] == 0:
        words[H_TABLE_USED] += 1
    words[table + place] = atom


@kernel
def drop_atom(words: Words, longs: Longs, heap: Bytes, atom: int) -> bool:
    """Take one use away; whether it was the last, and the atom is gone."""
    record = words[H_ATOMS] + RECORD * atom
    words[record + A_USES] -= 1
    if words[record + A_USES] > 0:
        return False
    place = _spot_of(words, longs, heap, atom) & words[H_TABLE_MASK]
    mask = words[H_TABLE_MASK]
    table = words[H_TABLE]
    while words[table + place] != atom:
        place = (place + 1) & mask
    if words[table + ((place + 1) & mask)] == 0:
        # Nobody who looks further than here would find anything.
        while words[table + place] == _GONE or words[table + place] == atom:
            words[table + place] = 0
            words[H_TABLE_USED] -= 1
            place = (place - 1) & mask
    else:
        words[table + place] = _GONE
    tag = words[record + A_TAG]
    if _is_textual(tag):
        span = longs[words[H_KEYS] + atom]
        free_bytes(words, heap, span >> 32, span & 0xFFFFFFFF)
    words[record + A_TAG] = 0
    words[H_ATOM_LIVE] -= 1
    words[record + A_HEAD] = words[H_ATOM_FREE]
    words[H_ATOM_FREE] = atom
    return True


@kernel
def _spot_of(words: Words, longs: Longs, heap: Bytes, atom: int) -> int:
    record = words[H_ATOMS] + RECORD * atom
    tag = words[record + A_TAG]
    key = longs[words[H_KEYS] + atom]
    if _is_textual(tag):
        key = hash_bytes(heap, key >> 32, key & 0xFFFFFFFF)
    return _spot(words[record + A_SLOT], tag, key)


@kernel
def grow_atoms(words: Words, longs: Longs, room: int) -> None:
    """Move the atoms' records to a block for `room` of them."""
    had = words[H_ATOM_ROOM]
    atoms = words[H_ATOMS]
    keys = words[H_KEYS]
    to = take_words(words, RECORD * room)
    there = take_longs(words, longs, room)
    # The atoms that stand for no constant are there from the start, and have no chains yet.
    for place in range(RECORD * words[H_ATOM_COUNT]):
        words[to + place] = words[atoms + place] if had else 0
    for place in range(words[H_ATOM_COUNT]):
        longs[there + place] = longs[keys + place] if had else 0
    words[H_ATOMS] = to
    words[H_KEYS] = there
    words[H_ATOM_ROOM] = room
    if had:
        free_words(words, atoms, RECORD * had)
        free_longs(words, longs, keys, had)


@kernel
def grow_table(words: Words, longs: Longs, heap: Bytes, size: int) -> None:
    """Enter all atoms into a new table of `size` places, a power of two."""
    had = words[H_TABLE]
    mask = words[H_TABLE_MASK]
    table = take_words(words, size)
    for place in range(size):
        words[table + place] = 0
    words[H_TABLE] = table
    words[H_TABLE_MASK] = size - 1
    words[H_TABLE_USED] = 0
    atoms = words[H_ATOMS]
    for atom in range(2, words[H_ATOM_COUNT]):
        if words[atoms + RECORD * atom + A_TAG]:
            _enter(words, atom, _spot_of(words, longs, heap, atom))
    if had:
        free_words(words, had, mask + 1)
