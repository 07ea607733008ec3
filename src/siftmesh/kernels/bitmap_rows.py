"""Building segments of bitmaps: from the edges of a dimension to its buckets and their rows."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.bitmap import (
    BLOCK,
    BLOCK_WORDS,
    E_BLOCK_COUNT,
    E_BLOCKS,
    E_BOUNDARIES,
    E_BUCKETS,
    E_END_COUNT,
    E_ENDS,
    E_HOLE_COUNT,
    E_HOLES,
    E_PLACES,
    E_ROWS,
    E_START_COUNT,
    E_STARTS,
    ENTRY,
    H_ENTRIES,
    HEADER,
    ID_MASK,
    NEGATED,
    NO_ROWS,
    Longs,
    Words,
    not_above,
)
from siftmesh.kernels.jit import kernel

__all__ = ["MOST_ROW_BYTES", "S_BOUNDARIES", "S_BUCKET", "S_ENTRY", "S_PLACES", "S_ROWS", "index_dims"]

# The rows of a dimension take at most so many bytes for each of its bounds; the edges of a bound take 24.
MOST_ROW_BYTES = 36
# With fewer buckets than this, clearing bits one by one costs less than rows.
_FEWEST_BUCKETS = 4
# Marks an edge of a hole while the holes of a dimension are sought.
_HOLE = 1 << 29
_LOWEST = -(1 << 63)

# The state of index_dims.
S_ENTRY = 0
S_BUCKET = 1  # the next row, or -1 before the entry is prepared
S_ROWS = 2  # how much of `rows` is in use
S_PLACES = 3  # ... of `small`
S_BOUNDARIES = 4  # ... of `head`


@kernel
def index_dims(
    head: Longs,
    small: Words,
    keys: Longs,
    ids: Words,
    rows: Longs,
    places: Words,
    marks: Words,
    state: Longs,
    limit: int,
) -> bool:
    """Make the buckets and rows of the dimensions; whether that is finished.

    `places` has room for each block, `marks` is zero for each slot. `limit` is in edges looked at.
    """
    done = np.int64(0)
    while state[S_ENTRY] < head[H_ENTRIES]:
        if done >= limit:
            return False
        entry = HEADER + state[S_ENTRY] * ENTRY
        if state[S_BUCKET] < 0:
            done += 4 * (head[entry + E_START_COUNT] + head[entry + E_END_COUNT])
            _divide(head, small, keys, ids, places, marks, entry, state)
            state[S_BUCKET] = 0
            if head[entry + E_ROWS] == NO_ROWS:
                state[S_BUCKET] = -1
                state[S_ENTRY] += 1
            continue
        _number_blocks(head, small, places, entry)
        bucket = state[S_BUCKET]
        buckets = head[entry + E_BUCKETS]
        while bucket < buckets and done < limit:
            done += _fill_row(head, small, ids, rows, places, entry, bucket)
            bucket += 1
        state[S_BUCKET] = bucket
        if bucket == buckets:
            state[S_BUCKET] = -1
            state[S_ENTRY] += 1
    return True


@kernel
def _divide(
    head: Longs, small: Words, keys: Longs, ids: Words, places: Words, marks: Words, entry: int, state: Longs
) -> None:
    """Choose the buckets of a dimension, take its holes out of the edges, and find the edges of each bucket."""
    starts = head[entry + E_STARTS]
    start_count = head[entry + E_START_COUNT]
    ends = head[entry + E_ENDS]
    end_count = head[entry + E_END_COUNT]
    edges = start_count + end_count
    places[:] = 0
    negated = np.int64(0)
    for at in range(starts, starts + edges):
        number = np.int64(ids[at])
        places[(number & ID_MASK) // BLOCK] = 1
        negated |= number & NEGATED
    blocks = np.int64(0)
    for block in range(places.size):
        blocks += places[block]
    # One row more than buckets, and one bucket more than steps.
    most = MOST_ROW_BYTES * ((edges + 1) // 2) // (blocks * BLOCK_WORDS * 8) - 2
    boundaries = state[S_BOUNDARIES]
    buckets = np.int64(1)
    if most >= _FEWEST_BUCKETS:
        step = (edges + most - 1) // most
        buckets = _choose(head, keys, starts, start_count, ends, end_count, step, boundaries)
    head[entry + E_BUCKETS] = buckets
    head[entry + E_BOUNDARIES] = boundaries
    state[S_BOUNDARIES] = boundaries + buckets - 1
    head[entry + E_ROWS] = NO_ROWS
    head[entry + E_BLOCK_COUNT] = 0
    head[entry + E_BLOCKS] = state[S_PLACES]
    if buckets > 1:
        head[entry + E_ROWS] = state[S_ROWS]
        head[entry + E_BLOCK_COUNT] = blocks
        state[S_ROWS] += (buckets + 1) * blocks * BLOCK_WORDS
        for block in range(places.size):
            if places[block]:
                small[state[S_PLACES]] = block
                state[S_PLACES] += 1
    head[entry + E_PLACES] = state[S_PLACES]
    state[S_PLACES] += 3 * (buckets + 1)
    head[entry + E_HOLES] = starts + edges
    head[entry + E_HOLE_COUNT] = 0
    _find_places(head, small, keys, entry)
    if negated:
        holes = _mark_holes(head, small, keys, ids, marks, entry)
        if holes:
            _take_holes_out(head, keys, ids, marks, entry, holes)
            _find_places(head, small, keys, entry)


@kernel
def _choose(
    head: Longs, keys: Longs, starts: int, start_count: int, ends: int, end_count: int, step: int, place: int
) -> int:
    """Write every so manieth key as the first one of a bucket; returns how many buckets there are."""
    at = np.int64(step)
    other = np.int64(step)
    buckets = np.int64(1)
    last = np.int64(_LOWEST)
    while at < start_count or other < end_count:
        if other >= end_count or (at < start_count and keys[starts + at] <= keys[ends + other]):
            key = keys[starts + at]
            at += step
        else:
            key = keys[ends + other]
            other += step
        if key > last:
            head[place + buckets - 1] = key
            buckets += 1
            last = key
    return buckets


@kernel
def _find_places(head: Longs, small: Words, keys: Longs, entry: int) -> None:
    """Write where the edges of each bucket begin.

    A start at the first key of a bucket is one of this bucket, and an end is one of the bucket before: neither
    has ever to be looked at.
    """
    buckets = head[entry + E_BUCKETS]
    for side in range(3):
        place = head[entry + E_PLACES] + side * (buckets + 1)
        first = head[entry + E_STARTS + 2 * side]
        count = head[entry + E_STARTS + 2 * side + 1]
        small[place] = 0
        small[place + buckets] = count
        for bucket in range(1, buckets):
            key = head[head[entry + E_BOUNDARIES] + bucket - 1]
            small[place + bucket] = not_above(keys, first, count, key if side == 1 else key - 1)


@kernel
def _mark_holes(head: Longs, small: Words, keys: Longs, ids: Words, marks: Words, entry: int) -> int:
    """Mark the edges of negated bounds whose end and start lie in one bucket; returns how many bounds these are."""
    buckets = head[entry + E_BUCKETS]
    places = head[entry + E_PLACES]
    starts = head[entry + E_STARTS]
    ends = head[entry + E_ENDS]
    holes = np.int64(0)
    for bucket in range(buckets):
        first = ends + small[places + buckets + 1 + bucket]
        last = ends + small[places + buckets + 1 + bucket + 1]
        for at in range(first, last):
            if ids[at] & NEGATED:
                marks[ids[at] & ID_MASK] = at + 1
        for at in range(starts + small[places + bucket], starts + small[places + bucket + 1]):
            if ids[at] & NEGATED:
                end = np.int64(marks[ids[at] & ID_MASK]) - 1
                # Marks of earlier buckets are still there.
                if first <= end < last:
                    ids[at] |= _HOLE
                    ids[end] |= _HOLE
                    holes += 1
    for at in range(ends, ends + head[entry + E_END_COUNT]):
        marks[ids[at] & (_HOLE - 1)] = 0
    return holes


@kernel(_nrt=True)
def _take_holes_out(head: Longs, keys: Longs, ids: Words, marks: Words, entry: int, holes: int) -> None:
    starts = head[entry + E_STARTS]
    first_end = head[entry + E_ENDS]
    last_end = first_end + head[entry + E_END_COUNT]
    from_keys = np.empty(holes, np.int64)
    to_keys = np.empty(holes, np.int64)
    numbers = np.empty(holes, np.int32)
    by_end = np.empty(holes, np.int32)
    found = np.int64(0)
    place = np.int64(starts)
    for at in range(starts, first_end):
        number = np.int64(ids[at])
        if number & _HOLE:
            number &= ~_HOLE
            from_keys[found] = keys[at]
            numbers[found] = number
            marks[number & ID_MASK] = found
            found += 1
        else:
            keys[place] = keys[at]
            ids[place] = number
            place += 1
    head[entry + E_START_COUNT] = place - starts
    head[entry + E_ENDS] = place
    found = np.int64(0)
    for at in range(first_end, last_end):
        number = np.int64(ids[at])
        if number & _HOLE:
            hole = marks[number & ~_HOLE & ID_MASK]
            marks[number & ~_HOLE & ID_MASK] = 0
            to_keys[hole] = keys[at]
            by_end[found] = hole
            found += 1
        else:
            keys[place] = keys[at]
            ids[place] = number
            place += 1
    head[entry + E_END_COUNT] = place - head[entry + E_ENDS]
    head[entry + E_HOLES] = place
    head[entry + E_HOLE_COUNT] = holes
    for hole in range(holes):
        keys[place + hole] = from_keys[hole]
        ids[place + hole] = numbers[hole]
        keys[place + holes + hole] = to_keys[hole]
        ids[place + holes + hole] = by_end[hole]


@kernel
def _number_blocks(head: Longs, small: Words, places: Words, entry: int) -> None:
    """Write for each block of the rows which one of them it is."""
    blocks = head[entry + E_BLOCKS]
    for number in range(head[entry + E_BLOCK_COUNT]):
        places[small[blocks + number]] = number


@kernel
def _word(places: Words, number: int) -> int:
    """The word of a slot in a row."""
    slot = number & ID_MASK
    return np.int64(places[slot // BLOCK]) * BLOCK_WORDS + ((slot // 64) % BLOCK_WORDS)


@kernel
def _bit(number: int) -> int:
    return np.int64(1) << np.int64(number & 63)


@kernel
def _fill_row(
    head: Longs, small: Words, ids: Words, rows: Longs, places: Words, entry: int, bucket: int
) -> int:
    """Make the row of a bucket from that of the bucket before; returns how much that was to do."""
    size = head[entry + E_BLOCK_COUNT] * BLOCK_WORDS
    row = head[entry + E_ROWS] + bucket * size
    place = head[entry + E_PLACES] + bucket
    starts = head[entry + E_STARTS]
    ends = head[entry + E_ENDS]
    behind = head[entry + E_BUCKETS] + 1
    done = size >> 3
    if bucket == 0:
        done += _fill_first_rows(head, ids, rows, places, entry, size)
    else:
        for at in range(row, row + size):
            rows[at] = rows[at - size]
        first = small[place + behind - 1]
        last = small[place + behind]
        for at in range(ends + first, ends + last):
            rows[row + _word(places, ids[at])] &= ~_bit(ids[at])
        done += last - first
    for at in range(starts + small[place], starts + small[place + 1]):
        rows[row + _word(places, ids[at])] |= _bit(ids[at])
    return done + small[place + 1] - small[place]


@kernel
def _fill_first_rows(head: Longs, ids: Words, rows: Longs, places: Words, entry: int, size: int) -> int:
    """Make the row for events without the dimension, and what holds below all keys."""
    row = head[entry + E_ROWS]
    lacking = row + head[entry + E_BUCKETS] * size
    starts = head[entry + E_STARTS]
    ends = head[entry + E_ENDS]
    holes = head[entry + E_HOLES]
    last = holes + head[entry + E_HOLE_COUNT]
    rows[lacking : lacking + size] = -1
    for at in range(starts, last):
        rows[lacking + _word(places, ids[at])] &= ~_bit(ids[at])
    for word in range(size):
        rows[row + word] = rows[lacking + word]
    for at in range(ends, last):
        rows[row + _word(places, ids[at])] |= _bit(ids[at])
    for at in range(starts, ends):
        # What starts holds before only if it is negated, and has an end.
        if not ids[at] & NEGATED:
            rows[row + _word(places, ids[at])] &= ~_bit(ids[at])
    return last - starts
