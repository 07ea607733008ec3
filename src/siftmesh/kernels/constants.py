"""Constants of filters in the pools: atoms, lists of atoms and keys, each with its uses counted."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.atoms import add_atom, drop_atom, find_string
from siftmesh.kernels.bits import bits_of
from siftmesh.kernels.cells import key_of_double, whole_is_double
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    A_SLOT,
    A_TAG,
    A_USES,
    F_GRAMS,
    F_SCALARS,
    F_STRINGS,
    F_TIMES,
    FLOAT,
    GRAM,
    H_ATOM_LIVE,
    H_ATOMS,
    H_KEYS,
    H_SLOTS,
    INT,
    L_GRAM,
    L_PREFIX,
    L_SUFFIX,
    LONG_GRAM,
    MOST_GRAM,
    NUMBER,
    OPAQUE,
    PAIR,
    PREFIX,
    PRESENCE,
    R_ATOM,
    R_LIST,
    RANGE,
    RECORD,
    S_ATOMS,
    S_FLAGS,
    S_LONGS,
    S_PRESENCE,
    S_TEXTS,
    S_USES,
    SHORT_GRAM,
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

__all__ = [
    "hold_constant",
    "key_of",
    "release_atom",
    "release_constant",
    "release_list",
    "take_atom",
    "take_key",
    "take_list",
    "take_presence",
    "use_atom",
]


@kernel
def key_of(kind: int, raw: int) -> int:
    """A number, bool or moment as a key in order."""
    if kind == INT:
        return key_of_double(bits_of(np.float64(raw)))
    return key_of_double(raw) if kind == FLOAT else raw


@kernel
def take_atom(
    words: Words, longs: Longs, heap: Bytes, text: Bytes, slot: int, asked: int, kind: int, raw: int
) -> int:
    """The atom of a constant, with one use more; the slot learns what to look up for it."""
    record = words[H_SLOTS] + SLOT * slot
    live = words[H_ATOM_LIVE]
    atom = _atom_of(words, longs, heap, text, slot, asked, kind, raw)
    if asked < PREFIX:
        words[record + S_ATOMS] += words[H_ATOM_LIVE] - live
        words[record + S_USES] += 1
    return atom


@kernel
def _rarest(
    words: Words, longs: Longs, heap: Bytes, text: Bytes, slot: int, start: int, length: int
) -> tuple[int, int]:
    """The stretch of a text that fewest others wait for, of those as long as grams are."""
    size = np.int64(LONG_GRAM) if length >= LONG_GRAM else min(np.int64(length), np.int64(SHORT_GRAM))
    count = np.int64(length) - size + 1
    middle = (count - 1) // 2
    best = np.int64(start) + middle
    least = np.int64(1) << 40
    # From the middle outwards: what joins two words is rarer than either.
    for number in range(min(count, np.int64(MOST_GRAM))):
        step = (number + 1) // 2
        at = middle + (step if number & 1 else -step)
        if at < 0 or at >= count:
            continue
        atom = find_string(words, longs, heap, slot, GRAM, text, start + at, size)
        uses = np.int64(words[words[H_ATOMS] + RECORD * atom + A_USES]) if atom else np.int64(0)
        if uses < least:
            least = uses
            best = np.int64(start) + at
    return best, size


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
            words[record + S_TEXTS] += 1
            if tag == GRAM:
                start, length = _rarest(words, longs, heap, text, slot, start, length)
            which = L_PREFIX if tag == PREFIX else L_SUFFIX if tag == SUFFIX else L_GRAM
            longs[words[record + S_LONGS] + which] |= np.int64(1) << length
        return add_atom(words, longs, heap, slot, tag, 0, text, start, length)
    words[record + S_FLAGS] |= F_SCALARS
    if kind == INT and not whole_is_double(raw):
        return add_atom(words, longs, heap, slot, WIDE, raw, text, 0, 0)
    tag = NUMBER if kind == INT or kind == FLOAT else kind
    return add_atom(words, longs, heap, slot, tag, key_of(kind, raw), text, 0, 0)


@kernel
def take_key(words: Words, slot: int, tag: int, kind: int, raw: int) -> int:
    """A constant as a key in order; the slot learns that it is compared with moments, if it is."""
    if tag == TIMESTAMP:
        words[words[H_SLOTS] + SLOT * slot + S_FLAGS] |= F_TIMES
        return raw
    return key_of(kind, raw)


@kernel
def take_presence(words: Words, longs: Longs, heap: Bytes, text: Bytes, slot: int) -> int:
    """The atom of a slot's having any value, with one use more."""
    atom = add_atom(words, longs, heap, slot, PRESENCE, 0, text, 0, 0)
    words[words[H_SLOTS] + SLOT * slot + S_PRESENCE] = atom
    return atom


@kernel
def take_list(
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
        atom = take_atom(words, longs, heap, text, slot, -1, frame[at] >> 32, frame[at + 1])
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
def hold_constant(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    frame: Longs,
    what: int,
    slot: int,
    asked: int,
    made: Longs,
) -> int:
    """Keep the only constant of a frame for a program: its atom, or the place of its list or its key."""
    kind = frame[0] >> 32
    raw = frame[1]
    if what == R_ATOM:
        return take_atom(words, longs, heap, text, slot, asked, kind, raw)
    if what == R_LIST:
        return take_list(words, longs, heap, text, frame, slot, raw, True, made, 0)
    place = take_longs(words, longs, 1)
    longs[place] = take_key(words, slot, asked, kind, raw)
    return place


@kernel
def release_constant(words: Words, longs: Longs, heap: Bytes, what: int, place: int) -> None:
    """Give back what a program has kept."""
    if what == R_ATOM:
        release_atom(words, longs, heap, place)
    elif what == R_LIST:
        release_list(words, longs, heap, place)
    else:
        free_longs(words, longs, place, 1)


@kernel
def release_list(words: Words, longs: Longs, heap: Bytes, place: int) -> None:
    """Give a list of atoms back, and a use of each."""
    for number in range(1, words[place] + 1):
        release_atom(words, longs, heap, words[place + number])
    free_words(words, place, 1 + words[place])


@kernel
def release_atom(words: Words, longs: Longs, heap: Bytes, atom: int) -> None:
    """Take a use of an atom away, and the atom if that was the last."""
    if words[words[H_ATOMS] + RECORD * atom + A_TAG] == PAIR:
        # Each use of a pair is one of both of its atoms too.
        key = longs[words[H_KEYS] + atom]
        _release_one(words, longs, heap, key >> 32)
        _release_one(words, longs, heap, key & 0xFFFFFFFF)
    _release_one(words, longs, heap, atom)


@kernel
def _release_one(words: Words, longs: Longs, heap: Bytes, atom: int) -> None:
    tag = words[words[H_ATOMS] + RECORD * atom + A_TAG]
    record = words[H_SLOTS] + SLOT * words[words[H_ATOMS] + RECORD * atom + A_SLOT]
    gone = drop_atom(words, longs, heap, atom)
    if tag == PRESENCE:
        if gone:
            words[record + S_PRESENCE] = 0
    elif PREFIX <= tag < RANGE:
        words[record + S_TEXTS] -= 1
    elif tag < RANGE:
        words[record + S_USES] -= 1
        if gone:
            words[record + S_ATOMS] -= 1


@kernel
def use_atom(words: Words, atom: int) -> None:
    """One use more of an atom that is in use."""
    record = words[H_ATOMS] + RECORD * atom
    words[record + A_USES] += 1
    if words[record + A_TAG] < PRESENCE:
        words[words[H_SLOTS] + SLOT * words[record + A_SLOT] + S_USES] += 1
