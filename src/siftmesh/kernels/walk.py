"""The subscriptions that an event meets: along the chains of its atoms, row by row."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.atoms import find_string
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    A_HEAD,
    A_USES,
    ACCEPT,
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
    I_FALSE,
    I_TRUE,
    K_COUNT,
    K_NEXT,
    K_PROGRAM,
    L_GRAM,
    L_PREFIX,
    L_SUFFIX,
    N_EVENTS,
    N_LEAVES,
    N_MATCHES,
    N_PROBES,
    N_ROWS,
    N_SAMPLED,
    N_UNSURE,
    NULL,
    P_ENTRY,
    P_FLAGS,
    P_MULTIPLE,
    P_OF_ELEMENTS,
    P_OF_VALUES,
    P_SIMPLE,
    PARKED,
    PREFIX,
    RECORD,
    REJECT,
    S_FLAGS,
    S_LONGS,
    S_PRESENCE,
    SAMPLE,
    SEEN,
    SLOT,
    STRING,
    SUFFIX,
    T_PRESENT,
    T_USES,
    TIMED,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.programs import DOUBT, NO_ROW, run
from siftmesh.kernels.scans import NOT_SIMPLE, all_rows, scan_rows

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
    skipped: int,
    stamps: Words,
    stamp: int,
    out: Words,
    found: int,
    counters: Longs,
) -> int:
    """Write the matches among the rows that wait for an atom, but of programs with a flag that is skipped; those nobody is sure of as their complements."""
    chunk = np.int64(words[words[H_ATOMS] + RECORD * atom + A_HEAD])
    if chunk == 0:
        return found
    counters[N_PROBES] += 1
    while chunk:
        program = np.int64(words[chunk + K_PROGRAM])
        count = np.int64(words[chunk + K_COUNT])
        # One more: a row that does not match is written too, and then written over.
        if found + count >= len(out):
            return FULL
        counters[N_ROWS] += count
        at = np.int64(words[program + P_ENTRY])
        if words[program + P_FLAGS] & skipped:
            at = np.int64(REJECT)
        if at >= 0:
            at = run(words, longs, heap, text, cells, program, chunk, NO_ROW, at, counters)
        if at != REJECT and at != REJECT + DOUBT:
            found = _rows(
                words, longs, heap, text, cells, program, chunk, at, stamps, stamp, out, found, counters
            )
        chunk = np.int64(words[chunk + K_NEXT])
    return found


@kernel
def _rows(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    cells: Longs,
    program: int,
    chunk: int,
    start: int,
    stamps: Words,
    stamp: int,
    out: Words,
    found: int,
    counters: Longs,
) -> int:
    """Write the matches among the rows of a chunk, from the first instruction on that is not uniform."""
    doubt = start >= DOUBT - 2
    at = start - DOUBT if doubt else start
    multiple = words[program + P_FLAGS] & P_MULTIPLE
    if not multiple and not doubt:
        if at == ACCEPT:
            return all_rows(words, chunk, out, found)
        if words[program + P_FLAGS] & P_SIMPLE:
            yes = np.int64(words[program + at + I_TRUE])
            no = np.int64(words[program + at + I_FALSE])
            if yes >= 0:
                yes = run(words, longs, heap, text, cells, program, chunk, NO_ROW, yes, counters)
            if no >= 0:
                no = run(words, longs, heap, text, cells, program, chunk, NO_ROW, no, counters)
            after = scan_rows(words, longs, cells, program, chunk, at, yes, no, out, found)
            if after != NOT_SIMPLE:
                counters[N_LEAVES] += words[chunk + K_COUNT]
                return after
    for row in range(words[chunk + K_COUNT]):
        verdict = np.int64(at)
        if at >= 0:
            verdict = run(words, longs, heap, text, cells, program, chunk, row, at, counters)
        unsure = doubt or verdict > ACCEPT
        if verdict == REJECT or verdict == REJECT + DOUBT:
            continue
        sub = words[chunk + CHUNK + row]
        if multiple:
            if stamps[sub] == stamp:
                continue
            stamps[sub] = stamp
        if unsure:
            counters[N_UNSURE] += 1
            sub = ~sub
        out[found] = sub
        found += 1
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
                            words, longs, heap, text, cells, atom, 0, stamps, stamp, out, found, counters
                        )
                        if found < 0:
                            return found
            size += 1
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
    parked: bool,
    counters: Longs,
    seen: Longs,
) -> int:
    """Write the matches of an event whose values stand in a frame and in cells; where the next may be written.

    Parked rows are asked only if that is wanted.
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
            found = _chain(words, longs, heap, text, cells, told >> 8, P_OF_ELEMENTS, stamps, stamp, out, found, counters)
        elif tag == ARRAY:
            span = cells[CELL * slot + C_SPAN]
            element = span >> 32
            for cell in range(CELL * element, CELL * (element + (span & 0xFFFFFFFF)), CELL):
                if found >= 0 and cells[cell + C_TAG] >> 8:
                    atom = cells[cell + C_TAG] >> 8
                    found = _chain(
                        words, longs, heap, text, cells, atom, P_OF_VALUES, stamps, stamp, out, found, counters
                    )
        if found >= 0 and words[record + S_PRESENCE] and tag > NULL:
            atom = words[record + S_PRESENCE]
            found = _chain(words, longs, heap, text, cells, atom, 0, stamps, stamp, out, found, counters)
        if found >= 0 and flags & F_GRAMS and (tag == STRING or tag == TIMED):
            span = cells[CELL * slot + C_SPAN]
            found = _grams(
                words, longs, heap, text, cells, slot, span, stamps, stamp, out, found, counters
            )
        if found < 0:
            return found
    found = _chain(words, longs, heap, text, cells, ALWAYS, 0, stamps, stamp, out, found, counters)
    if found >= 0 and parked:
        found = _chain(words, longs, heap, text, cells, PARKED, 0, stamps, stamp, out, found, counters)
    if found >= 0:
        if stamp & (SAMPLE - 1) == 0:
            counters[N_SAMPLED] += 1
            _note(words, frame, first, last, cells, seen)
        counters[N_EVENTS] += 1
        counters[N_MATCHES] += found - before
    return found
