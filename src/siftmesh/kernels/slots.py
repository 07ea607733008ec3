"""Slots: attributes by number, and the table in which their names are looked up."""

from __future__ import annotations

from siftmesh.kernels.atoms import hash_bytes, same_bytes
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    H_NAMES,
    H_NAMES_MASK,
    H_NAMES_USED,
    H_SLOT_COUNT,
    H_SLOT_ROOM,
    H_SLOTS,
    L_NAME,
    LENGTHS,
    S_ATOMS,
    S_FLAGS,
    S_LONGS,
    S_PRESENCE,
    S_TEXTS,
    S_USES,
    SLOT,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.pools import free_words, take_bytes, take_longs, take_words

__all__ = ["add_slot", "find_slot", "grow_slots"]


@kernel(forceinline=True)
def find_slot(words: Words, longs: Longs, heap: Bytes, text: Bytes, start: int, length: int) -> int:
    """The slot of an attribute by its name, or -1."""
    mask = words[H_NAMES_MASK]
    table = words[H_NAMES]
    slots = words[H_SLOTS]
    place = hash_bytes(text, start, length) & mask
    while True:
        slot = words[table + place] - 1
        if slot < 0:
            return -1
        span = longs[words[slots + SLOT * slot + S_LONGS] + L_NAME]
        if span & 0xFFFFFFFF == length and same_bytes(heap, span >> 32, text, start, length):
            return slot
        place = (place + 1) & mask


@kernel
def add_slot(words: Words, longs: Longs, heap: Bytes, text: Bytes, length: int, named: bool) -> int:
    """A new slot for an attribute; if it is `named`, events name it by the first `length` bytes of text."""
    slot = words[H_SLOT_COUNT]
    words[H_SLOT_COUNT] = slot + 1
    record = words[H_SLOTS] + SLOT * slot
    words[record + S_FLAGS] = 0
    words[record + S_PRESENCE] = 0
    words[record + S_ATOMS] = 0
    words[record + S_USES] = 0
    words[record + S_TEXTS] = 0
    place = take_longs(words, longs, LENGTHS)
    words[record + S_LONGS] = place
    for number in range(LENGTHS):
        longs[place + number] = 0
    if named:
        at = take_bytes(words, heap, length)
        for number in range(length):
            heap[at + number] = text[number]
        longs[place + L_NAME] = (at << 32) | length
        _enter(words, longs, heap, slot)
        words[H_NAMES_USED] += 1
    return slot


@kernel
def _enter(words: Words, longs: Longs, heap: Bytes, slot: int) -> None:
    mask = words[H_NAMES_MASK]
    table = words[H_NAMES]
    span = longs[words[words[H_SLOTS] + SLOT * slot + S_LONGS] + L_NAME]
    place = hash_bytes(heap, span >> 32, span & 0xFFFFFFFF) & mask
    while words[table + place]:
        place = (place + 1) & mask
    words[table + place] = slot + 1


@kernel
def grow_slots(words: Words, longs: Longs, heap: Bytes, room: int) -> None:
    """Room for so many slots (a power of two), and a table of names twice as large."""
    had = words[H_SLOT_ROOM]
    slots = words[H_SLOTS]
    to = take_words(words, SLOT * room)
    for place in range(SLOT * words[H_SLOT_COUNT]):
        words[to + place] = words[slots + place]
    words[H_SLOTS] = to
    words[H_SLOT_ROOM] = room
    table = words[H_NAMES]
    if had:
        free_words(words, slots, SLOT * had)
        free_words(words, table, words[H_NAMES_MASK] + 1)
    table = take_words(words, 2 * room)
    for place in range(2 * room):
        words[table + place] = 0
    words[H_NAMES] = table
    words[H_NAMES_MASK] = 2 * room - 1
    for slot in range(words[H_SLOT_COUNT]):
        if longs[words[to + SLOT * slot + S_LONGS] + L_NAME]:
            _enter(words, longs, heap, slot)
