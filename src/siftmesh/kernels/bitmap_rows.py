"""Building segments of bitmaps: from the edges of the dimensions to their rows."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.bitmap_layout import (
    BLOCK,
    E_COUNT,
    E_DIM,
    E_EDGES,
    E_FIRSTS,
    E_LAST,
    E_LIST,
    E_OTHERS,
    E_ROWS,
    E_SIZE,
    E_STEP,
    ENTRY,
    H_DENSE,
    H_ENTRIES,
    HEADER,
    NUMBER,
    ON,
)
from siftmesh.kernels.bitmap_words import toggle
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import Longs, Words

__all__ = ["S_ENTRY", "S_LISTS", "S_ROW", "count_sparse", "fill_rows", "survey"]

# The state of fill_rows.
S_ENTRY = 0  # the next entry
S_ROW = 1  # its next row, or -1 before its bits are numbered
S_LISTS = 2  # how much of `small` is in use


@kernel
def survey(
    edges: Longs,
    sizes: Longs,
    ids: Words,
    marks: Words,
    blocks: Words,
    terms_of: Longs,
    blocks_of: Longs,
    first: int,
    limit: int,
) -> int:
    """Count for dimensions how many terms bound them, in how many blocks; returns the first that is not done.

    Marks stand for each slot and block, and none is greater than the number of the first dimension.
    """
    number = np.int64(first)
    done = np.int64(0)
    while number < sizes.size and done < limit:
        mark = number + 1
        for at in range(edges[number], edges[number] + sizes[number]):
            slot = np.int64(ids[at]) & NUMBER
            if marks[slot] != mark:
                marks[slot] = mark
                terms_of[number] += 1
                if blocks[slot // BLOCK] != mark:
                    blocks[slot // BLOCK] = mark
                    blocks_of[number] += 1
        done += sizes[number] + 8
        number += 1
    return number


@kernel
def count_sparse(head: Longs, ids: Words, marks: Words, counts: Words, first: int, limit: int) -> int:
    """Count in how many sparse entries each slot is; returns the first that is not done. Marks as above."""
    number = np.int64(first)
    done = np.int64(0)
    while number < head[H_ENTRIES] and done < limit:
        entry = HEADER + number * ENTRY
        mark = number + 1
        for at in range(head[entry + E_EDGES], head[entry + E_EDGES] + head[entry + E_COUNT]):
            slot = np.int64(ids[at]) & NUMBER
            if marks[slot] != mark:
                marks[slot] = mark
                counts[slot] += 1
        done += head[entry + E_COUNT] + 8
        number += 1
    return number


@kernel
def fill_rows(
    head: Longs,
    small: Words,
    ids: Words,
    rows: Longs,
    counts: Words,
    cursors: Words,
    bits: Words,
    state: Longs,
    limit: int,
) -> bool:
    """Number the bits of the entries and make their rows; whether that is finished.

    `counts` says for each slot in how many sparse entries it is, `cursors` is zero for each, and `bits` has
    room for each.
    """
    done = np.int64(0)
    while state[S_ENTRY] < head[H_ENTRIES]:
        number = state[S_ENTRY]
        entry = HEADER + number * ENTRY
        if state[S_ROW] < 0:
            if done >= limit:
                return False
            done += head[entry + E_COUNT] + 64
            if number < head[H_DENSE]:
                _number_blocks(head, small, ids, bits, entry, state)
            else:
                _number_slots(head, small, ids, counts, cursors, bits, entry, state)
            state[S_ROW] = 0
        while state[S_ROW] <= head[entry + E_LAST]:
            if done >= limit:
                return False
            if state[S_ROW] == 0:
                _fill_first_row(head, ids, rows, entry, number < head[H_DENSE])
                done += head[entry + E_COUNT]
            else:
                _fill_next_row(head, ids, rows, entry, state[S_ROW])
                done += head[entry + E_STEP]
            done += head[entry + E_SIZE] >> 2
            state[S_ROW] += 1
        state[S_ROW] = -1
        state[S_ENTRY] += 1
    return True


@kernel
def _number_blocks(head: Longs, small: Words, ids: Words, bits: Words, entry: int, state: Longs) -> None:
    """List the blocks of a dense dimension, and number the bits of its edges."""
    edges = head[entry + E_EDGES]
    last = edges + head[entry + E_COUNT]
    most = np.int64(0)
    for at in range(edges, last):
        most = max(most, (np.int64(ids[at]) & NUMBER) // BLOCK)
    bits[: most + 1] = -1
    for at in range(edges, last):
        bits[(np.int64(ids[at]) & NUMBER) // BLOCK] = 0
    members = state[S_LISTS]
    head[entry + E_LIST] = members
    count = np.int64(0)
    for block in range(most + 1):
        if bits[block] == 0:
            small[members + count] = block
            bits[block] = count
            count += 1
    state[S_LISTS] += count
    for at in range(edges, last):
        slot = np.int64(ids[at]) & NUMBER
        bit = np.int64(bits[slot // BLOCK]) * BLOCK + slot % BLOCK
        ids[at] = bit | (np.int64(ids[at]) & ~NUMBER)


@kernel
def _number_slots(
    head: Longs,
    small: Words,
    ids: Words,
    counts: Words,
    cursors: Words,
    bits: Words,
    entry: int,
    state: Longs,
) -> None:
    """List the slots of a sparse dimension, those that are looked at from here first, and number its edges.

    The cursor of a slot says where in `small` the next sparse dimension is to be written that it is in, less
    one.
    """
    edges = head[entry + E_EDGES]
    last = edges + head[entry + E_COUNT]
    members = state[S_LISTS]
    firsts = np.int64(0)
    for at in range(edges, last):
        slot = np.int64(ids[at]) & NUMBER
        if cursors[slot] == 0:
            # A mark until the place of its list is known.
            cursors[slot] = -1
            small[members + firsts] = slot
            bits[slot] = firsts
            firsts += 1
    count = firsts
    for at in range(edges, last):
        slot = np.int64(ids[at]) & NUMBER
        known = np.int64(bits[slot])
        if cursors[slot] > 0 and not (0 <= known < count and small[members + known] == slot):
            small[members + count] = slot
            bits[slot] = count
            count += 1
            small[cursors[slot] - 1] = head[entry + E_DIM]
            cursors[slot] += 1
    others = members + count
    place = others + firsts + 1
    for number in range(firsts):
        slot = np.int64(small[members + number])
        small[others + number] = place
        cursors[slot] = place + 1
        place += counts[slot] - 1
    small[others + firsts] = place
    head[entry + E_LIST] = members
    head[entry + E_FIRSTS] = firsts
    head[entry + E_OTHERS] = others
    state[S_LISTS] = place
    for at in range(edges, last):
        slot = np.int64(ids[at]) & NUMBER
        ids[at] = np.int64(bits[slot]) | (np.int64(ids[at]) & ~NUMBER)


@kernel
def _fill_first_row(head: Longs, ids: Words, rows: Longs, entry: int, dense: bool) -> None:
    """Make the row of what holds below all edges, and of a dense dimension that for events without it."""
    size = head[entry + E_SIZE]
    row = head[entry + E_ROWS]
    edges = head[entry + E_EDGES]
    last = edges + head[entry + E_COUNT]
    rows[row : row + size] = -1
    for at in range(last - 1, edges - 1, -1):
        number = np.int64(ids[at]) & NUMBER
        bit = np.int64(1) << (number & 63)
        # The last one that is looked at is the term's first edge.
        if ids[at] & ON:
            rows[row + (number >> 6)] &= ~bit
        else:
            rows[row + (number >> 6)] |= bit
    if dense:
        lacking = row + (head[entry + E_LAST] + 1) * size
        rows[lacking : lacking + size] = -1
        for at in range(edges, last):
            number = np.int64(ids[at]) & NUMBER
            rows[lacking + (number >> 6)] &= ~(np.int64(1) << (number & 63))


@kernel
def _fill_next_row(head: Longs, ids: Words, rows: Longs, entry: int, number: int) -> None:
    """Make a row from the one before."""
    size = head[entry + E_SIZE]
    step = head[entry + E_STEP]
    row = head[entry + E_ROWS] + number * size
    edges = head[entry + E_EDGES]
    made = rows[row : row + size]
    for word in range(size):
        made[word] = rows[row - size + word]
    for at in range(edges + (number - 1) * step, edges + number * step):
        toggle(made, ids, at)
