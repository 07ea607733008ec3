"""The subscriptions that an event meets: along the chains of its atoms, row by row."""

from __future__ import annotations

from siftmesh.kernels.atoms import find_string
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    A_HEAD,
    ALWAYS,
    ARRAY,
    C_SPAN,
    C_TAG,
    CELL,
    CHUNK,
    F_CHAINS,
    F_GRAMS,
    GRAM,
    H_ATOMS,
    H_SLOTS,
    K_COUNT,
    K_NEXT,
    K_PROGRAM,
    L_GRAM,
    L_PREFIX,
    L_SUFFIX,
    N_MATCHES,
    N_PROBES,
    N_ROWS,
    NO,
    NULL,
    P_ENTRY,
    P_FLAGS,
    P_GUARDS,
    P_MULTIPLE,
    PREFIX,
    RECORD,
    REJECT,
    S_FLAGS,
    S_LONGS,
    S_PRESENCE,
    SLOT,
    STRING,
    SUFFIX,
    TIMED,
    UNSURE,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.programs import guarded, run

__all__ = ["FULL", "walk_event"]

# What comes back instead of a count when there is no room for all matches.
FULL = -1


@kernel
def _chain(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    cells: Longs,
    atom: int,
    stamps: Words,
    stamp: int,
    out: Words,
    found: int,
    counters: Longs,
) -> int:
    """Write the matches among the rows that wait for an atom, those nobody is sure of as their complements."""
    chunk = words[words[H_ATOMS] + RECORD * atom + A_HEAD]
    if chunk == 0:
        return found
    counters[N_PROBES] += 1
    while chunk:
        program = words[chunk + K_PROGRAM]
        following = words[chunk + K_NEXT]
        count = words[chunk + K_COUNT]
        if found + count > len(out):
            return FULL
        counters[N_ROWS] += count
        entry = words[program + P_ENTRY]
        if entry == REJECT or (
            words[program + P_GUARDS] and not guarded(words, longs, heap, text, cells, program, counters)
        ):
            chunk = following
            continue
        multiple = words[program + P_FLAGS] & P_MULTIPLE
        for row in range(count):
            verdict = 1
            if entry >= 0:
                verdict = run(words, longs, heap, text, cells, program, chunk, row, counters)
                if verdict == NO:
                    continue
            sub = words[chunk + CHUNK + row]
            if multiple:
                if stamps[sub] == stamp:
                    continue
                stamps[sub] = stamp
            out[found] = ~sub if verdict == UNSURE else sub
            found += 1
        chunk = following
    return found


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
                for at in range(first, last + 1):
                    atom = find_string(words, longs, heap, slot, tag, text, at, size)
                    if atom:
                        found = _chain(
                            words, longs, heap, text, cells, atom, stamps, stamp, out, found, counters
                        )
                        if found < 0:
                            return found
            size += 1
    return found


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
) -> int:
    """Write the matches of an event, whose values stand in a frame and in cells; where the next may be written.

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
        if told >> 8:
            found = _chain(words, longs, heap, text, cells, told >> 8, stamps, stamp, out, found, counters)
        elif tag == ARRAY:
            span = cells[CELL * slot + C_SPAN]
            element = span >> 32
            for cell in range(CELL * element, CELL * (element + (span & 0xFFFFFFFF)), CELL):
                if found >= 0 and cells[cell + C_TAG] >> 8:
                    atom = cells[cell + C_TAG] >> 8
                    found = _chain(words, longs, heap, text, cells, atom, stamps, stamp, out, found, counters)
        if found >= 0 and words[record + S_PRESENCE] and tag > NULL:
            atom = words[record + S_PRESENCE]
            found = _chain(words, longs, heap, text, cells, atom, stamps, stamp, out, found, counters)
        if found >= 0 and flags & F_GRAMS and (tag == STRING or tag == TIMED):
            span = cells[CELL * slot + C_SPAN]
            found = _grams(
                words, longs, heap, text, cells, slot, span, stamps, stamp, out, found, counters
            )
        if found < 0:
            return found
    found = _chain(words, longs, heap, text, cells, ALWAYS, stamps, stamp, out, found, counters)
    if found >= 0:
        counters[N_MATCHES] += found - before
    return found
