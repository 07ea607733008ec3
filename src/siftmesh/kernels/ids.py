"""Ids by number and numbers by id: ints and strings in arrays, found through open addressing.

By number there is a word and a kind. The word of an int is the int; that of a string is where its bytes are:
in the upper half the place in the heap in units of eight bytes, in the lower half the length. A table holds
numbers plus one at places that hashes of the ids say, 0 where there is none.

A table that gets full is not copied at once: from then on there are two, and whoever enters something moves a
few places of the old one. What was moved or forgotten there leaves GONE behind, so that what stands
after it is still found; the new one closes its gaps.
"""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.atoms import hash_bytes, same_bytes
from siftmesh.kernels.bits import mix
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import Bytes, Longs, Words
from siftmesh.kernels.memory import bytes_of

__all__ = [
    "ALIVE",
    "CLASSES",
    "DONE",
    "HEADS",
    "HEAP_USED",
    "INT",
    "LOST",
    "MOVED",
    "STATE",
    "TEXT",
    "enter_ints",
    "enter_texts",
    "find_encoded",
    "find_int",
    "find_text",
    "forget",
    "forget_int",
    "forget_text",
    "gather_texts",
    "keep_elsewhere",
    "move_table",
    "pack_heap",
]

# Kinds of ids; one that is in use says so with a bit. What is 0 has no word of its own.
INT, TEXT, ALIVE = 1, 2, 4
_KIND = 3
# The state: how far the old table is moved, bytes of the heap in use, bytes in no list of free ones, and the
# heads of lists of free stretches by their length in units, each plus one.
MOVED, HEAP_USED, LOST, HEADS = 0, 1, 2, 3
CLASSES = 128
STATE = HEADS + CLASSES + 1
DONE = -1
_GONE = -1
_STEPS = 8
_UNIT = 8


@kernel
def _home(words: Longs, kinds: Bytes, heap: Bytes, number: int) -> int:
    """The hash of the id of a number."""
    word = words[number]
    if kinds[number] & _KIND == INT:
        return int(mix(word))
    return int(hash_bytes(heap, (word >> 32) * _UNIT, word & 0xFFFFFFFF))


@kernel
def find_int(table: Words, words: Longs, kinds: Bytes, value: int) -> int:
    """The number of an int in one table, or -1."""
    mask = len(table) - 1
    if mask < 0:
        return -1
    place = mix(value) & mask
    while table[place] != 0:
        number = table[place] - 1
        if number >= 0 and words[number] == value and kinds[number] & _KIND == INT:
            return int(number)
        place = (place + 1) & mask
    return -1


@kernel
def find_text(
    table: Words, words: Longs, kinds: Bytes, heap: Bytes, text: Bytes, start: int, length: int
) -> int:
    """The number of a string in one table, or -1."""
    mask = len(table) - 1
    if mask < 0:
        return -1
    place = hash_bytes(text, start, length) & mask
    while table[place] != 0:
        number = table[place] - 1
        if number >= 0 and kinds[number] & _KIND == TEXT:
            word = words[number]
            if word & 0xFFFFFFFF == length and same_bytes(heap, (word >> 32) * _UNIT, text, start, length):
                return int(number)
        place = (place + 1) & mask
    return -1


@kernel
def find_encoded(table: Words, words: Longs, kinds: Bytes, heap: Bytes, encoded: bytes, length: int) -> int:
    """The number of a string that is the first bytes of some, of which there are eight more, or -1."""
    return find_text(table, words, kinds, heap, bytes_of(encoded), 0, length)


@kernel
def _put(table: Words, hashed: int, number: int) -> None:
    mask = len(table) - 1
    place = hashed & mask
    while table[place] != 0:
        place = (place + 1) & mask
    table[place] = number + 1


@kernel
def move_table(
    table: Words, old: Words, words: Longs, kinds: Bytes, heap: Bytes, state: Longs, steps: int
) -> None:
    """Move some more places of the old table to the new one."""
    start = state[MOVED]
    end = min(start + steps, len(old))
    for place in range(start, end):
        number = old[place] - 1
        if number >= 0:
            _put(table, _home(words, kinds, heap, number), number)
            old[place] = _GONE
    state[MOVED] = end


@kernel
def _take_out(table: Words, old: Words, words: Longs, kinds: Bytes, heap: Bytes, number: int) -> None:
    """Take a number from whichever table it is in."""
    hashed = _home(words, kinds, heap, number)
    mask = len(table) - 1
    place = hashed & mask
    while table[place] != 0 and table[place] != number + 1:
        place = (place + 1) & mask
    if table[place] == 0:
        mask = len(old) - 1
        place = hashed & mask
        while old[place] != number + 1:
            place = (place + 1) & mask
        old[place] = _GONE
        return
    # What follows without a gap moves up, unless it stands before its home then.
    gap = place
    place = (place + 1) & mask
    while table[place] != 0:
        home = _home(words, kinds, heap, table[place] - 1) & mask
        if (place - home) & mask >= (place - gap) & mask:
            table[gap] = table[place]
            gap = place
        place = (place + 1) & mask
    table[gap] = 0


@kernel
def _free_text(words: Longs, kinds: Bytes, heap: Bytes, state: Longs, number: int) -> None:
    """Give back the bytes of a string that the number stood for last, if it was one."""
    if kinds[number] & _KIND != TEXT:
        return
    place = words[number] >> 32
    units = ((words[number] & 0xFFFFFFFF) + _UNIT - 1) // _UNIT
    if units > CLASSES:
        state[LOST] += units * _UNIT
    elif units > 0:
        following = state[HEADS + units]
        for byte in range(_UNIT):
            heap[place * _UNIT + byte] = (following >> (8 * byte)) & 255
        state[HEADS + units] = place + 1


@kernel
def _keep_text(heap: Bytes, state: Longs, text: Bytes, start: int, length: int) -> int:
    """Copy a string to the heap, which has room for it; its word."""
    units = (length + _UNIT - 1) // _UNIT
    if 0 < units <= CLASSES and state[HEADS + units] != 0:
        place = state[HEADS + units] - 1
        following = np.int64(0)
        for byte in range(_UNIT):
            following |= np.int64(heap[place * _UNIT + byte]) << np.int64(8 * byte)
        state[HEADS + units] = following
    else:
        place = state[HEAP_USED] // _UNIT
        state[HEAP_USED] += units * _UNIT
    for byte in range(length):
        heap[place * _UNIT + byte] = text[start + byte]
    return int((np.int64(place) << np.int64(32)) | np.int64(length))


@kernel
def enter_ints(
    table: Words,
    old: Words,
    words: Longs,
    kinds: Bytes,
    heap: Bytes,
    state: Longs,
    numbers: Words,
    values: Longs,
    count: int,
) -> int:
    """Give new ints numbers that are not in use; DONE, or the row of one that is no new one, and none has."""
    for row in range(count):
        number = numbers[row]
        value = values[row]
        if find_int(table, words, kinds, value) >= 0 or find_int(old, words, kinds, value) >= 0:
            _undo(table, old, words, kinds, heap, state, numbers, row)
            return row
        _free_text(words, kinds, heap, state, number)
        words[number] = value
        kinds[number] = INT | ALIVE
        _put(table, mix(value), number)
        if state[MOVED] < len(old):
            move_table(table, old, words, kinds, heap, state, _STEPS)
    return DONE


@kernel
def enter_texts(
    table: Words,
    old: Words,
    words: Longs,
    kinds: Bytes,
    heap: Bytes,
    state: Longs,
    numbers: Words,
    bounds: Longs,
    text: Bytes,
    count: int,
) -> int:
    """The same for strings, of which that of row i is from bounds[i] to bounds[i + 1] of text."""
    for row in range(count):
        number = numbers[row]
        start = bounds[row]
        length = bounds[row + 1] - start
        if (
            find_text(table, words, kinds, heap, text, start, length) >= 0
            or find_text(old, words, kinds, heap, text, start, length) >= 0
        ):
            _undo(table, old, words, kinds, heap, state, numbers, row)
            return row
        _free_text(words, kinds, heap, state, number)
        words[number] = _keep_text(heap, state, text, start, length)
        kinds[number] = TEXT | ALIVE
        _put(table, hash_bytes(text, start, length), number)
        if state[MOVED] < len(old):
            move_table(table, old, words, kinds, heap, state, _STEPS)
    return DONE


@kernel
def _undo(
    table: Words,
    old: Words,
    words: Longs,
    kinds: Bytes,
    heap: Bytes,
    state: Longs,
    numbers: Words,
    rows: int,
) -> None:
    for row in range(rows):
        _take_out(table, old, words, kinds, heap, numbers[row])
        _free_text(words, kinds, heap, state, numbers[row])
        kinds[numbers[row]] = 0


@kernel
def forget(table: Words, old: Words, words: Longs, kinds: Bytes, heap: Bytes, number: int) -> None:
    """Find the id of a number no more; what it was can still be read until the number stands for another."""
    _take_out(table, old, words, kinds, heap, number)
    kinds[number] &= _KIND


@kernel
def forget_int(table: Words, old: Words, words: Longs, kinds: Bytes, heap: Bytes, value: int) -> int:
    """`forget` the number of an int; it, or -1 if there is none."""
    number = find_int(table, words, kinds, value)
    if number < 0:
        number = find_int(old, words, kinds, value)
    if number >= 0:
        forget(table, old, words, kinds, heap, number)
    return int(number)


@kernel
def forget_text(
    table: Words, old: Words, words: Longs, kinds: Bytes, heap: Bytes, text: Bytes, length: int
) -> int:
    """`forget` the number of a string; it, or -1 if there is none."""
    number = find_text(table, words, kinds, heap, text, 0, length)
    if number < 0:
        number = find_text(old, words, kinds, heap, text, 0, length)
    if number >= 0:
        forget(table, old, words, kinds, heap, number)
    return int(number)


@kernel
def keep_elsewhere(words: Longs, kinds: Bytes, heap: Bytes, state: Longs, number: int) -> None:
    """Let a number stand for an id that is kept elsewhere."""
    _free_text(words, kinds, heap, state, number)
    words[number] = 0
    kinds[number] = ALIVE


@kernel
def gather_texts(words: Longs, heap: Bytes, numbers: Words, bounds: Longs, text: Bytes) -> None:
    """Copy the strings of numbers one after the other, to where the bounds say."""
    for row in range(len(numbers)):
        place = (words[numbers[row]] >> 32) * _UNIT
        start = bounds[row]
        for byte in range(bounds[row + 1] - start):
            text[start + byte] = heap[place + byte]


@kernel
def pack_heap(words: Longs, kinds: Bytes, heap: Bytes, to: Bytes) -> int:
    """Copy all strings to another heap without gaps, and say how much of it is in use."""
    used = 0
    for number in range(len(words)):
        if kinds[number] & _KIND != TEXT:
            continue
        place = (words[number] >> 32) * _UNIT
        length = words[number] & 0xFFFFFFFF
        for byte in range(length):
            to[used + byte] = heap[place + byte]
        words[number] = (np.int64(used // _UNIT) << np.int64(32)) | np.int64(length)
        used += (length + _UNIT - 1) // _UNIT * _UNIT
    return used
