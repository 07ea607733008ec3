"""The subscriptions that an event meets: along the chains of all that it has, row by row."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.atoms import find_string, find_value
from siftmesh.kernels.compound import block_of
from siftmesh.kernels.follow import follow
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    A_USES,
    ALWAYS,
    ARRAY,
    C_HIGH,
    C_LOW,
    C_SPAN,
    C_TAG,
    CELL,
    F_CHAINS,
    F_GRAMS,
    F_RANGES,
    GRAM,
    H_ATOMS,
    H_PAIR_COUNT,
    H_PAIRS,
    H_SLOTS,
    KEYS,
    L_GRAM,
    L_PREFIX,
    L_RANGES,
    L_SUFFIX,
    N_EVENTS,
    N_MATCHES,
    N_SAMPLED,
    NO_LEVEL,
    NULL,
    NUMBER,
    P_OF_ELEMENTS,
    P_OF_VALUES,
    PAIR,
    PAIRING,
    PREFIX,
    RANGE,
    RECORD,
    S_FLAGS,
    S_LONGS,
    S_PRESENCE,
    SAMPLE,
    SEEN,
    SLOT,
    STRING,
    SUFFIX,
    T_COUNT,
    T_KEYS,
    T_PRESENT,
    T_TEXTS,
    T_USES,
    TIMED,
    TIMESTAMP,
    Bytes,
    Longs,
    Words,
)

__all__ = ["walk_event"]


@kernel
def _grams(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    cells: Longs,
    slot: int,
    span: int,
    stamps: Words,
    stamp: int,
    out: Words,
    found: int,
    counters: Longs,
    seen: Longs,
) -> int:
    """Follow the chains of what a string begins with, ends with and contains."""
    start = span >> 32
    length = span & 0xFFFFFFFF
    lengths = words[words[H_SLOTS] + SLOT * slot + S_LONGS]
    for which in range(3):
        waited = longs[lengths + which]
        size = 0
        while waited >> size:
            asked = (waited >> size) & 1
            if asked and size <= length:
                tag = PREFIX if which == L_PREFIX else SUFFIX if which == L_SUFFIX else GRAM
                first = start + length - size if which == L_SUFFIX else start
                last = start + length - size if which == L_GRAM else first
                before = np.int64(0)
                for at in range(first, last + 1):
                    atom = find_string(words, longs, heap, slot, tag, text, at, size)
                    # What repeats itself is followed once.
                    if atom and atom != before:
                        before = atom
                        if stamp & (SAMPLE - 1) == 0:
                            seen[SEEN * slot + T_TEXTS] += words[words[H_ATOMS] + RECORD * atom + A_USES]
                        found = follow(
                            words, longs, heap, text, cells, atom, 0, stamps, stamp, out, found, counters
                        )
                        if found < 0:
                            return found
            size += 1
    return found


@kernel
def _blocks(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    cells: Longs,
    slot: int,
    stamps: Words,
    stamp: int,
    out: Words,
    found: int,
    counters: Longs,
) -> int:
    """Follow the chains of the blocks in which a value lies; one of each level, two if it is between keys."""
    levels = longs[words[words[H_SLOTS] + SLOT * slot + S_LONGS] + L_RANGES]
    low = cells[CELL * slot + C_LOW]
    high = cells[CELL * slot + C_HIGH]
    level = 0
    while level < 64 and levels >> level:
        if (levels >> level) & 1:
            first = block_of(low, level)
            last = block_of(high, level)
            atom = find_value(words, longs, slot, RANGE + level, first)
            if atom:
                found = follow(words, longs, heap, text, cells, atom, 0, stamps, stamp, out, found, counters)
            if found >= 0 and first != last:
                atom = find_value(words, longs, slot, RANGE + level, last)
                if atom:
                    found = follow(
                        words, longs, heap, text, cells, atom, 0, stamps, stamp, out, found, counters
                    )
            if found < 0:
                return found
        level += 1
    return found


@kernel
def _pairs(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    cells: Longs,
    stamps: Words,
    stamp: int,
    out: Words,
    found: int,
    counters: Longs,
) -> int:
    """Follow the chains of pairs of what an event has."""
    for number in range(words[H_PAIR_COUNT]):
        place = words[H_PAIRS] + PAIRING * number
        slot = np.int64(words[place])
        one = cells[CELL * slot + C_TAG] >> 8
        if one == 0:
            continue
        other_slot = np.int64(words[place + 1])
        level = np.int64(words[place + 2])
        other_cell = CELL * other_slot
        if level == NO_LEVEL:
            other = cells[other_cell + C_TAG] >> 8
            if other:
                atom = find_value(words, longs, slot, PAIR, (one << 32) | other)
                if atom:
                    found = follow(
                        words, longs, heap, text, cells, atom, 0, stamps, stamp, out, found, counters
                    )
        else:
            tag = cells[other_cell + C_TAG] & 255
            if tag != NUMBER and tag != TIMESTAMP and tag != TIMED:
                continue
            block = block_of(cells[other_cell + C_LOW], level)
            last = block_of(cells[other_cell + C_HIGH], level)
            while block <= last and found >= 0:
                other = find_value(words, longs, other_slot, RANGE + level, block)
                atom = np.int64(0)
                if other:
                    atom = find_value(words, longs, slot, PAIR, (one << 32) | other)
                if atom:
                    found = follow(
                        words, longs, heap, text, cells, atom, 0, stamps, stamp, out, found, counters
                    )
                block += 1
        if found < 0:
            return found
    return found


@kernel
def _note(words: Words, frame: Longs, first: int, last: int, cells: Longs, seen: Longs) -> None:
    """Note what an event has: attributes, and how much its values are asked for."""
    for place in range(first, last):
        slot = frame[2 * place] & 0xFFFFFFFF
        told = cells[CELL * slot + C_TAG]
        if told & 255 > NULL:
            seen[SEEN * slot + T_PRESENT] += 1
            if told >> 8:
                seen[SEEN * slot + T_USES] += words[words[H_ATOMS] + RECORD * (told >> 8) + A_USES]
            tag = told & 255
            if tag == NUMBER or tag == TIMESTAMP or tag == TIMED:
                count = seen[SEEN * slot + T_COUNT]
                seen[SEEN * slot + T_KEYS + count % KEYS] = cells[CELL * slot + C_LOW]
                seen[SEEN * slot + T_COUNT] = count + 1


@kernel
def walk_event(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    frame: Longs,
    first: int,
    last: int,
    cells: Longs,
    stamps: Words,
    stamp: int,
    out: Words,
    found: int,
    counters: Longs,
    seen: Longs,
) -> int:
    """Write the matches of an event whose values stand in a frame and in cells; where the next may go.

    FULL where there is no room: then the whole event is to be done again, with another stamp.
    """
    before = found
    slots = words[H_SLOTS]
    for place in range(first, last):
        slot = frame[2 * place] & 0xFFFFFFFF
        record = slots + SLOT * slot
        flags = words[record + S_FLAGS]
        if flags & F_CHAINS == 0:
            continue
        told = cells[CELL * slot + C_TAG]
        tag = told & 255
        atom = told >> 8
        if atom:
            found = follow(
                words, longs, heap, text, cells, atom, P_OF_ELEMENTS, stamps, stamp, out, found, counters
            )
        elif tag == ARRAY:
            span = cells[CELL * slot + C_SPAN]
            element = span >> 32
            for cell in range(CELL * element, CELL * (element + (span & 0xFFFFFFFF)), CELL):
                atom = cells[cell + C_TAG] >> 8
                if found >= 0 and atom:
                    found = follow(
                        words, longs, heap, text, cells,
                        atom, P_OF_VALUES, stamps, stamp, out, found, counters,
                    )  # fmt: skip
        if found >= 0 and words[record + S_PRESENCE] and tag > NULL:
            atom = words[record + S_PRESENCE]
            found = follow(words, longs, heap, text, cells, atom, 0, stamps, stamp, out, found, counters)
        if found >= 0 and flags & F_GRAMS and (tag == STRING or tag == TIMED):
            span = cells[CELL * slot + C_SPAN]
            found = _grams(
                words, longs, heap, text, cells, slot, span, stamps, stamp, out, found, counters, seen
            )
        if found >= 0 and flags & F_RANGES and (tag == NUMBER or tag == TIMESTAMP or tag == TIMED):
            found = _blocks(words, longs, heap, text, cells, slot, stamps, stamp, out, found, counters)
        if found < 0:
            return found
    if words[H_PAIR_COUNT]:
        found = _pairs(words, longs, heap, text, cells, stamps, stamp, out, found, counters)
        if found < 0:
            return found
    found = follow(words, longs, heap, text, cells, ALWAYS, 0, stamps, stamp, out, found, counters)
    if found >= 0:
        if stamp & (SAMPLE - 1) == 0:
            counters[N_SAMPLED] += 1
            _note(words, frame, first, last, cells, seen)
        counters[N_EVENTS] += 1
        counters[N_MATCHES] += found - before
    return found
