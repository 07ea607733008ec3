"""One chain: the rows that wait for an atom, chunk by chunk, asked as little as can be."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    A_HEAD,
    ACCEPT,
    CHUNK,
    H_ATOMS,
    I_FALSE,
    I_TRUE,
    K_COUNT,
    K_LONGS,
    K_NEXT,
    K_PROGRAM,
    N_LEAVES,
    N_PROBES,
    N_ROWS,
    N_UNSURE,
    P_ENTRY,
    P_FLAGS,
    P_MULTIPLE,
    P_SIMPLE,
    RECORD,
    REJECT,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.prefetch import fetch
from siftmesh.kernels.programs import DOUBT, NO_ROW, run
from siftmesh.kernels.scans import NOT_SIMPLE, all_rows, scan_rows

__all__ = ["FULL", "follow"]

# What comes back instead of a count when there is no room for all matches.
FULL = -1


@kernel
def follow(
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
    """Write the matches among the rows that wait for an atom; those nobody is sure of as their complements.

    Rows of programs with a flag that is skipped are no matches.
    """
    chunk = np.int64(words[words[H_ATOMS] + RECORD * atom + A_HEAD])
    if chunk == 0:
        return found
    counters[N_PROBES] += 1
    following = np.int64(words[chunk + K_NEXT])
    while chunk:
        # Chunks, programs and constants lie anywhere: the next are asked for while these are looked at.
        after = np.int64(0)
        if following:
            after = np.int64(words[following + K_NEXT])
            fetch(words, after)
            fetch(words, np.int64(words[following + K_PROGRAM]))
            fetch(longs, np.int64(words[following + K_LONGS]))
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
            # A single row is asked at once; of several it is found out first what they have in common.
            single = count == 1 and not words[program + P_FLAGS] & P_MULTIPLE
            row = np.int64(0) if single else np.int64(NO_ROW)
            at = run(words, longs, heap, text, cells, program, chunk, row, at, counters)
        if at != REJECT and at != REJECT + DOUBT:
            found = _rows(
                words, longs, heap, text, cells, program, chunk, at, stamps, stamp, out, found, counters
            )
        chunk = following
        following = after
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
        sub = words[chunk + CHUNK + row]
        if multiple:
            # Asked once for an event, however many chains lead here.
            if stamps[sub] == stamp:
                continue
            stamps[sub] = stamp
        verdict = np.int64(at)
        if at >= 0:
            verdict = run(words, longs, heap, text, cells, program, chunk, row, at, counters)
        unsure = doubt or verdict > ACCEPT
        if verdict == REJECT or verdict == REJECT + DOUBT:
            continue
        if unsure:
            counters[N_UNSURE] += 1
            sub = ~sub
        out[found] = sub
        found += 1
    return found
