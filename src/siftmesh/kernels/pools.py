"""Blocks of the pools: from a chain of free ones of their size class, from a spare big one, or from the end.

A kernel never makes a pool longer. Who calls one that may take blocks makes sure beforehand that there is
room, so that a change is made whole or not begun.
"""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    H_FREE_HEAP,
    H_FREE_LONGS,
    H_FREE_WORDS,
    H_HEAP,
    H_LONGS,
    H_SPARE_LONGS,
    H_SPARE_LONGS_END,
    H_SPARE_WORDS,
    H_SPARE_WORDS_END,
    H_WORDS,
    Bytes,
    Longs,
    Words,
)

__all__ = [
    "free_bytes",
    "free_longs",
    "free_words",
    "room_of_class",
    "size_class",
    "take_bytes",
    "take_longs",
    "take_words",
]

# Blocks from this size on (tables that have grown) are cut up when they come back.
_BIG = 1 << 12


@kernel
def size_class(size: int) -> int:
    """The smallest class whose blocks hold so many: four classes from each power of two to the next."""
    if size <= 4:
        return max(size - 1, 0)
    top = 2
    while (size - 1) >> (top + 1):
        top += 1
    # size - 1 is in [2**top, 2**(top+1)); its two bits below the highest choose the quarter.
    return 4 * (top - 1) + (((size - 1) >> (top - 2)) & 3)


@kernel
def room_of_class(number: int) -> int:
    """How many a block of a class holds."""
    if number < 4:
        return number + 1
    top = number // 4 + 1
    return (5 + number % 4) << (top - 2)


@kernel
def take_words(words: Words, size: int) -> int:
    """A block of words; what it holds is left over from before."""
    number = size_class(size)
    free = words[H_FREE_WORDS + number]
    if free:
        words[H_FREE_WORDS + number] = words[free]
        return free
    room = room_of_class(number)
    if words[H_SPARE_WORDS_END] - words[H_SPARE_WORDS] >= room:
        place = words[H_SPARE_WORDS]
        words[H_SPARE_WORDS] = place + room
        return place
    place = words[H_WORDS]
    words[H_WORDS] = place + room
    return place


@kernel
def free_words(words: Words, place: int, size: int) -> None:
    """Give a block of words back."""
    if size >= _BIG and size > words[H_SPARE_WORDS_END] - words[H_SPARE_WORDS]:
        # What is left of the spare one before is forgotten: less than an eighth of what tables have grown.
        words[H_SPARE_WORDS] = place
        words[H_SPARE_WORDS_END] = place + room_of_class(size_class(size))
        return
    number = size_class(size)
    words[place] = words[H_FREE_WORDS + number]
    words[H_FREE_WORDS + number] = place


@kernel
def take_longs(words: Words, longs: Longs, size: int) -> int:
    """A block of longs."""
    number = size_class(size)
    free = words[H_FREE_LONGS + number]
    if free:
        words[H_FREE_LONGS + number] = longs[free]
        return free
    room = room_of_class(number)
    if words[H_SPARE_LONGS_END] - words[H_SPARE_LONGS] >= room:
        place = words[H_SPARE_LONGS]
        words[H_SPARE_LONGS] = place + room
        return place
    place = words[H_LONGS]
    words[H_LONGS] = place + room
    return place


@kernel
def free_longs(words: Words, longs: Longs, place: int, size: int) -> None:
    """Give a block of longs back."""
    if size >= _BIG and size > words[H_SPARE_LONGS_END] - words[H_SPARE_LONGS]:
        words[H_SPARE_LONGS] = place
        words[H_SPARE_LONGS_END] = place + room_of_class(size_class(size))
        return
    number = size_class(size)
    longs[place] = words[H_FREE_LONGS + number]
    words[H_FREE_LONGS + number] = place


@kernel
def take_bytes(words: Words, heap: Bytes, length: int) -> int:
    """The place of a block for so many bytes and the seven behind them that are read along with the last."""
    number = size_class((length + 14) >> 3)
    free = np.int64(words[H_FREE_HEAP + number])
    if free:
        at = free << 3
        words[H_FREE_HEAP + number] = (
            np.int64(heap[at])
            | (np.int64(heap[at + 1]) << 8)
            | (np.int64(heap[at + 2]) << 16)
            | (np.int64(heap[at + 3]) << 24)
        )
        return at
    place = np.int64(words[H_HEAP])
    words[H_HEAP] = place + room_of_class(number)
    return place << 3


@kernel
def free_bytes(words: Words, heap: Bytes, at: int, length: int) -> None:
    """Give a block of bytes back."""
    number = size_class((length + 14) >> 3)
    following = words[H_FREE_HEAP + number]
    for place in range(4):
        heap[at + place] = (following >> (8 * place)) & 255
    words[H_FREE_HEAP + number] = at >> 3
