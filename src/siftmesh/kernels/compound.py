"""Atoms of more than one fact: a value lies in a stretch of keys, or an event has two atoms at once.

A range from one key to another is covered by at most two *blocks*: stretches of 2**level keys that begin at a
multiple of that, for the lowest level whose blocks are as long as the range. An event's value lies in one
block of each level, so a look-up for each level in use finds all ranges that may hold it, and none that is
far away.
"""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.atoms import add_atom
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    F_RANGES,
    H_PAIR_COUNT,
    H_PAIRS,
    H_SLOTS,
    L_RANGES,
    MOST_PAIRINGS,
    PAIR,
    PAIRING,
    RANGE,
    S_FLAGS,
    S_LONGS,
    SLOT,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.pools import take_words

__all__ = ["block_of", "level_of", "take_pair", "take_range"]

_HIGHEST_LEVEL = 63


@kernel
def level_of(low: int, high: int) -> int:
    """The level of which two blocks cover a range at most; levels go in steps of two, to have fewer."""
    width = high - low
    if width < 0:
        return _HIGHEST_LEVEL
    level = 1
    while level < _HIGHEST_LEVEL and width >> level:
        level += 2
    return level


@kernel(forceinline=True)
def block_of(key: int, level: int) -> int:
    """The number of the block in which a key lies."""
    return key >> level


@kernel
def take_range(
    words: Words, longs: Longs, heap: Bytes, text: Bytes, slot: int, low: int, high: int, made: Longs, at: int
) -> int:
    """Write the atoms of the blocks of a range from `at` on, each with one use more; how many.

    None if it is empty.
    """
    if low > high:
        return 0
    level = level_of(low, high)
    record = words[H_SLOTS] + SLOT * slot
    words[record + S_FLAGS] |= F_RANGES
    longs[words[record + S_LONGS] + L_RANGES] |= np.int64(1) << level
    first = block_of(low, level)
    last = block_of(high, level)
    made[at] = add_atom(words, longs, heap, slot, RANGE + level, first, text, 0, 0)
    if first == last:
        return 1
    made[at + 1] = add_atom(words, longs, heap, slot, RANGE + level, last, text, 0, 0)
    return 2


@kernel
def take_pair(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    slot: int,
    one: int,
    other_slot: int,
    level: int,
    other: int,
) -> int:
    """The atom of having two atoms at once, with one use more; it keeps a use of each of the two.

    The other is that of a value (NO_LEVEL) or of a block of a level. 0, and nothing is changed, if that would
    be one way too many in which events are looked at in pairs.
    """
    place = words[H_PAIRS]
    if place == 0:
        place = take_words(words, PAIRING * MOST_PAIRINGS)
        words[H_PAIRS] = place
    known = False
    for number in range(words[H_PAIR_COUNT]):
        at = place + PAIRING * number
        if words[at] == slot and words[at + 1] == other_slot and words[at + 2] == level:
            known = True
    if not known:
        if words[H_PAIR_COUNT] == MOST_PAIRINGS:
            return 0
        at = place + PAIRING * words[H_PAIR_COUNT]
        words[at] = slot
        words[at + 1] = other_slot
        words[at + 2] = level
        words[H_PAIR_COUNT] += 1
    return add_atom(words, longs, heap, slot, PAIR, (np.int64(one) << 32) | other, text, 0, 0)
