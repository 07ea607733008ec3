"""All parts of an index of bitmaps, asked in one call: its segments, and the terms that are not in one yet.

The arrays are named by their addresses, since to hand over some dozens of them takes longer than a small
index does.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.bitmap_layout import H_SLOTS, SLACK, WORK_BOUNDS, WORK_EDGES, WORK_WORDS
from siftmesh.kernels.bitmap_open import match_open
from siftmesh.kernels.bitmap_segment import match_segment
from siftmesh.kernels.bitmap_words import copy
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import Bytes, Longs, Words
from siftmesh.kernels.memory import bytes_at, longs_at, words_at

__all__ = [
    "OPEN",
    "OPEN_COUNT",
    "PART",
    "STATE",
    "S_EVENT",
    "S_PART",
    "S_WORDS",
    "WORK_BOUNDS",
    "WORK_EDGES",
    "WORK_WORDS",
    "match_parts",
    "weave",
]

# A segment: the addresses of head, small, keys, ids, rows, alive and fringe, each with the length behind it.
PART = 14
# The open terms: the same of starts, dims, lows, highs, flags, codes and dead, then how many there are.
OPEN = 15
OPEN_COUNT = 14

# How far match_parts is, and how many words the bits of the biggest segment are.
S_PART = 0
S_EVENT = 1
S_WORDS = 2
STATE = 3


@kernel
def match_parts(
    parts: Longs,
    opened: Longs,
    present: Bytes,
    lows: Longs,
    highs: Longs,
    width: int,
    scratch: Longs,
    out: Words,
    places: NDArray[np.int64],
    state: Longs,
    work: Longs,
) -> int:
    """Write the codes of the terms that events meet; returns 0, or how much longer `out` has to be to go on.

    places[part, event] comes to say where in `out` that begins; the part behind the segments is the open
    terms, and the last place is the end of all. `scratch` is three times the words of the biggest segment, of
    which the first third is zero and stays so, and PLAN for each of its dense dimensions.
    """
    words = state[S_WORDS]
    changes = scratch[:words]
    bits = scratch[words : 2 * words]
    seen = scratch[2 * words : 3 * words]
    plan = scratch[3 * words :]
    segments = parts.size // PART
    while state[S_PART] < segments:
        at = state[S_PART] * PART
        bounds = places[state[S_PART]]
        head = longs_at(parts[at], parts[at + 1])
        event = match_segment(
            head,
            words_at(parts[at + 2], parts[at + 3]),
            longs_at(parts[at + 4], parts[at + 5]),
            words_at(parts[at + 6], parts[at + 7]),
            longs_at(parts[at + 8], parts[at + 9]),
            longs_at(parts[at + 10], parts[at + 11]),
            longs_at(parts[at + 12], parts[at + 13]),
            present,
            lows,
            highs,
            width,
            state[S_EVENT],
            changes,
            bits,
            seen,
            plan,
            out,
            bounds,
            work,
        )
        if event < bounds.size - 1:
            state[S_EVENT] = event
            return head[H_SLOTS] + SLACK
        state[S_PART] += 1
        state[S_EVENT] = 0
        places[state[S_PART], 0] = bounds[event]
    bounds = places[segments]
    count = opened[OPEN_COUNT]
    event = match_open(
        longs_at(opened[0], opened[1]),
        words_at(opened[2], opened[3]),
        longs_at(opened[4], opened[5]),
        longs_at(opened[6], opened[7]),
        bytes_at(opened[8], opened[9]),
        words_at(opened[10], opened[11]),
        bytes_at(opened[12], opened[13]),
        count,
        present,
        lows,
        highs,
        width,
        state[S_EVENT],
        out,
        bounds,
        work,
    )
    state[S_EVENT] = event
    return count if event < bounds.size - 1 else 0


@kernel
def weave(parts: Words, places: NDArray[np.int64], bounds: Longs, out: Words, filled: int) -> None:
    """Append for each event what the parts found: places[part, event] says where in `parts` that begins."""
    bounds[0] = filled
    for event in range(bounds.size - 1):
        for part in range(places.shape[0]):
            first = places[part, event]
            count = places[part, event + 1] - first
            copy(out, filled, parts, first, count)
            filled += count
        bounds[event + 1] = filled
