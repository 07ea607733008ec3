"""From the bits of a segment to the codes of its terms, each owner once."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.bitmap_layout import BLOCK_WORDS, H_MULTI, H_SLOTS
from siftmesh.kernels.bitmap_words import any_of_block, population, put, trailing, without_lowest, word_at
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import Longs, Words

__all__ = ["clear_owner", "emit", "places_of"]


@kernel(forceinline=True)
def places_of(bits: Longs, first: int, last: int, words: Longs, out: Words, filled: int) -> int:
    """Append the numbers of the bits that are set in whole blocks of words; returns how many there are then.

    `words` is room for as many words. What is behind the last number may be written over, as far as SLACK.
    """
    count = np.int64(0)
    for block in range(first, last, BLOCK_WORDS):
        if any_of_block(bits, block):
            for word in range(block, block + BLOCK_WORDS):
                put(words, count, word)
                count += np.int64(word_at(bits, word) != 0)
    for at in range(count):
        word = word_at(words, at)
        base = word << 6
        left = word_at(bits, word)
        behind = filled + population(left)
        # Most words have at most four bits. To write four, and count those that there are, is quicker than to
        # branch, which the processor cannot foresee.
        put(out, filled, base + trailing(left))
        left = without_lowest(left)
        put(out, filled + 1, base + trailing(left))
        left = without_lowest(left)
        put(out, filled + 2, base + trailing(left))
        left = without_lowest(left)
        put(out, filled + 3, base + trailing(left))
        left = without_lowest(left)
        filled += 4
        while left != 0:
            put(out, filled, base + trailing(left))
            left = without_lowest(left)
            filled += 1
        filled = behind
    return filled


@kernel(forceinline=True)
def emit(head: Longs, small: Words, bits: Longs, seen: Longs, out: Words, filled: int) -> int:
    """Append the codes of the slots whose bit is set, each owner once; returns how many there are then."""
    slots = head[H_SLOTS]
    multi = head[H_MULTI]
    last = places_of(bits, 0, multi >> 6, seen, out, filled)
    for at in range(filled, last):
        put(out, at, word_at(small, word_at(out, at)))
    if multi == slots:
        return last
    end = places_of(bits, multi >> 6, slots >> 6, seen, out, last)
    for word in range((slots - multi) >> 6):
        seen[word] = 0
    count = last
    for at in range(last, end):
        slot = word_at(out, at)
        leader = word_at(small, slots + slot - multi)
        known = word_at(seen, leader >> 6)
        put(out, count, word_at(small, slot))
        count += 1 - ((known >> (leader & 63)) & 1)
        put(seen, leader >> 6, known | (np.int64(1) << (leader & 63)))
    return count


@kernel
def clear_owner(head: Longs, small: Words, alive: Longs, slot: int) -> int:
    """Clear the bits of all terms of an owner of which one slot is known; returns how many were set."""
    slots = head[H_SLOTS]
    multi = head[H_MULTI]
    count = np.int64(0)
    at = np.int64(slot)
    while True:
        count += (alive[at >> 6] >> (at & 63)) & 1
        alive[at >> 6] &= ~(np.int64(1) << (at & 63))
        if at < multi:
            return count
        at = np.int64(small[2 * slots - multi + at - multi])
        if at == slot:
            return count
