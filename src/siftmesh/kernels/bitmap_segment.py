"""Which terms of a segment of bitmaps an event meets: the rows of its values, AND-ed.

Most of the time goes into waiting for memory. So an event's places in all dimensions are sought side by side,
and what will be read is asked for early.
"""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.bitmap_emit import emit
from siftmesh.kernels.bitmap_layout import (
    BLOCK_WORDS,
    E_COUNT,
    E_DIM,
    E_EDGES,
    E_FIRSTS,
    E_LAST,
    E_LENGTH,
    E_LIST,
    E_OTHERS,
    E_ROWS,
    E_SIZE,
    E_STEP,
    EARLY,
    ENTRY,
    H_DENSE,
    H_DIMS,
    H_ENTRIES,
    H_SLOTS,
    HEADER,
    SLACK,
    WORK_EDGES,
    WORK_WORDS,
)
from siftmesh.kernels.bitmap_words import (
    and_block,
    change_and_block,
    fetch,
    toggle,
    trailing,
    without_lowest,
    word_at,
)
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import Bytes, Longs, Words

__all__ = ["PLAN", "match_segment", "not_above"]

# What is to be done in a dense dimension that the event has, PLAN longs for each.
PLAN = 8
_ENTRY = 0  # place of its entry
_LOW = 1  # the value
_HIGH = 2
_PLACE = 3  # the first edge that it may not have passed
_LEFT = 4  # how many edges that may be true of; then where the changes begin
_END = 5  # ... and end
_ROW = 6  # place of the row

# Lines of the cache.
_LINE_WORDS = 8
_LINE_IDS = 16
_LINES_AHEAD = 4


@kernel(forceinline=True)
def not_above(array: Longs, first: int, count: int, value: int) -> int:
    """How many of so many ascending numbers from a place on are at most a value."""
    base = np.int64(first)
    left = np.int64(count)
    while left > 0:
        half = (left + 1) >> 1
        # A choice of numbers and not of ways: the processor cannot foresee it.
        base += half if word_at(array, base + half - 1) <= value else 0
        left -= half
    return base - first


@kernel(forceinline=True)
def _early(keys: Longs, ids: Words, first: int, count: int, high: int) -> int:
    """How many edges a value has passed of those behind the key below it, if `high` is the key above it."""
    left = not_above(keys, first, count, high)
    base = np.int64(first)
    # Of those at the key above the early ones come first.
    while left > 0:
        half = (left + 1) >> 1
        base += half if word_at(ids, base + half - 1) & EARLY else 0
        left -= half
    return base - first


@kernel(forceinline=True)
def _plan(
    head: Longs, present: Bytes, lows: Longs, highs: Longs, width: int, first: int, plan: Longs
) -> tuple[int, int]:
    """Note the dense dimensions that an event has; returns how many, and how many edges one has at most."""
    count = np.int64(0)
    most = np.int64(0)
    for number in range(head[H_DENSE]):
        entry = HEADER + number * ENTRY
        dim = head[entry + E_DIM]
        if dim < width and present[first + dim]:
            place = count * PLAN
            plan[place + _ENTRY] = entry
            plan[place + _LOW] = lows[first + dim]
            plan[place + _HIGH] = highs[first + dim]
            plan[place + _PLACE] = head[entry + E_EDGES]
            plan[place + _LEFT] = head[entry + E_COUNT]
            most = max(most, head[entry + E_COUNT])
            count += 1
    return count, most


@kernel(forceinline=True)
def _seek(keys: Longs, plan: Longs, count: int, most: int) -> None:
    """Find the places of all planned dimensions, so that they wait for memory together."""
    last = keys.size - 1
    while most > 0:
        for place in range(0, count * PLAN, PLAN):
            half = (word_at(plan, place + _LEFT) + 1) >> 1
            base = word_at(plan, place + _PLACE)
            # Where nothing is left, any place will do that is one.
            at = min(base + half - (1 if half > 0 else 0), last)
            plan[place + _PLACE] = base + (half if word_at(keys, at) <= word_at(plan, place + _LOW) else 0)
            plan[place + _LEFT] -= half
        most >>= 1


@kernel(forceinline=True)
def _choose_rows(head: Longs, keys: Longs, ids: Words, rows: Longs, plan: Longs, count: int) -> None:
    """Choose the rows nearest to the places, and ask for the beginnings of what is to be read."""
    for place in range(0, count * PLAN, PLAN):
        entry = plan[place + _ENTRY]
        first = head[entry + E_EDGES]
        at = plan[place + _PLACE] - first
        if plan[place + _LOW] != plan[place + _HIGH]:
            at += _early(keys, ids, first + at, head[entry + E_COUNT] - at, plan[place + _HIGH])
        step = head[entry + E_STEP]
        number = min((at + (step >> 1)) // step, head[entry + E_LAST])
        near = number * step
        row = head[entry + E_ROWS] + number * head[entry + E_SIZE]
        begin = first + min(at, near)
        plan[place + _LEFT] = begin
        plan[place + _END] = first + max(at, near)
        plan[place + _ROW] = row
        for line in range(_LINES_AHEAD):
            fetch(ids, begin + line * _LINE_IDS)
            fetch(rows, row + line * _LINE_WORDS)


@kernel(forceinline=True)
def _narrow_dense(
    head: Longs,
    small: Words,
    ids: Words,
    rows: Longs,
    plan: Longs,
    count: int,
    changes: Longs,
    bits: Longs,
    work: Longs,
) -> None:
    """Clear the terms that do not hold at the values of the planned dimensions."""
    for place in range(0, count * PLAN, PLAN):
        entry = plan[place + _ENTRY]
        row = plan[place + _ROW]
        size = head[entry + E_SIZE]
        if place + PLAN < count * PLAN:
            for at in range(plan[place + PLAN + _LEFT], plan[place + PLAN + _END], _LINE_IDS):
                fetch(ids, at)
        for at in range(row, row + size, _LINE_WORDS):
            fetch(rows, at)
        begin = plan[place + _LEFT]
        end = plan[place + _END]
        for at in range(begin, end):
            toggle(changes, ids, at)
        blocks = head[entry + E_LIST]
        for at in range(head[entry + E_LENGTH]):
            target = word_at(small, blocks + at) * BLOCK_WORDS
            change_and_block(bits, target, rows, row + at * BLOCK_WORDS, changes, at * BLOCK_WORDS)
        work[WORK_EDGES] += end - begin
        work[WORK_WORDS] += size


@kernel(forceinline=True)
def _lack_dense(
    head: Longs, small: Words, rows: Longs, present: Bytes, width: int, first: int, bits: Longs, work: Longs
) -> None:
    """Clear the terms that bound dense dimensions which the event has not."""
    for number in range(head[H_DENSE]):
        entry = HEADER + number * ENTRY
        dim = head[entry + E_DIM]
        if dim < width and present[first + dim]:
            continue
        blocks = head[entry + E_LIST]
        size = head[entry + E_SIZE]
        row = head[entry + E_ROWS] + (head[entry + E_LAST] + 1) * size
        for at in range(head[entry + E_LENGTH]):
            and_block(bits, word_at(small, blocks + at) * BLOCK_WORDS, rows, row + at * BLOCK_WORDS)
        work[WORK_WORDS] += size


@kernel(forceinline=True)
def _ones(count: int) -> int:
    """A word of which so many of the lower bits are set, none for less than one and all for more than 63."""
    if count <= 0:
        return np.int64(0)
    if count >= 64:
        return np.int64(-1)
    return ~(np.int64(-1) << np.int64(count))


@kernel(forceinline=True)
def _narrow_sparse(
    head: Longs,
    small: Words,
    keys: Longs,
    ids: Words,
    rows: Longs,
    alive: Longs,
    present: Bytes,
    low: int,
    high: int,
    width: int,
    first: int,
    entry: int,
    changes: Longs,
    bits: Longs,
    work: Longs,
) -> None:
    """Set the terms that are looked at from a sparse dimension and may hold, clear the others that do not."""
    edges = head[entry + E_EDGES]
    count = head[entry + E_COUNT]
    at = not_above(keys, edges, count, low)
    if low != high:
        at += _early(keys, ids, edges + at, count - at, high)
    step = head[entry + E_STEP]
    number = min((at + (step >> 1)) // step, head[entry + E_LAST])
    size = head[entry + E_SIZE]
    row = head[entry + E_ROWS] + number * size
    for edge in range(edges + min(at, number * step), edges + max(at, number * step)):
        toggle(changes, ids, edge)
    slots = head[entry + E_LIST]
    count = head[entry + E_LENGTH]
    firsts = head[entry + E_FIRSTS]
    others = head[entry + E_OTHERS]
    for word in range(size):
        state = rows[row + word] ^ changes[word]
        changes[word] = 0
        base = word << 6
        left = state & _ones(firsts - base)
        while left != 0:
            member = base + trailing(left)
            left = without_lowest(left)
            slot = word_at(small, slots + member)
            bit = alive[slot >> 6] & (np.int64(1) << (slot & 63))
            for place in range(small[others + member], small[others + member + 1]):
                dim = word_at(small, place)
                if dim >= width or not present[first + dim]:
                    bit = np.int64(0)
                    break
            bits[slot >> 6] |= bit
        left = ~state & _ones(count - base) & ~_ones(firsts - base)
        while left != 0:
            slot = word_at(small, slots + base + trailing(left))
            left = without_lowest(left)
            bits[slot >> 6] &= ~(np.int64(1) << (slot & 63))
    work[WORK_EDGES] += count
    work[WORK_WORDS] += size


@kernel
def match_segment(
    head: Longs,
    small: Words,
    keys: Longs,
    ids: Words,
    rows: Longs,
    alive: Longs,
    fringe: Longs,
    present: Bytes,
    lows: Longs,
    highs: Longs,
    width: int,
    event: int,
    changes: Longs,
    bits: Longs,
    seen: Longs,
    plan: Longs,
    out: Words,
    bounds: Longs,
    work: Longs,
) -> int:
    """Append the codes of the terms that events meet, from an event on; returns the first that found no room.

    The events' values stand one event after another, `width` for each. `bounds[event]` says how much of `out`
    is in use at the start, and then for each event how much was after it. `changes` is zero, and is zero
    afterwards.
    """
    slots = head[H_SLOTS]
    size = slots >> 6
    dense = head[H_DENSE]
    sparse = head[H_ENTRIES] - dense
    dims = head[H_DIMS]
    while event < bounds.size - 1:
        if out.size - bounds[event] < slots + SLACK:
            return event
        first = event * width
        count, most = _plan(head, present, lows, highs, width, first, plan)
        _seek(keys, plan, count, most)
        _choose_rows(head, keys, ids, rows, plan, count)
        if sparse:
            for word in range(size):
                bits[word] = alive[word] & ~fringe[word]
        else:
            for word in range(size):
                bits[word] = alive[word]
        for number in range(sparse):
            dim = word_at(small, dims + number)
            if dim < width and present[first + dim]:
                entry = HEADER + (dense + number) * ENTRY
                low = lows[first + dim]
                high = highs[first + dim]
                _narrow_sparse(
                    head, small, keys, ids, rows, alive, present, low, high, width, first, entry, changes,
                    bits, work,
                )  # fmt: skip
        if count < dense:
            _lack_dense(head, small, rows, present, width, first, bits, work)
        _narrow_dense(head, small, ids, rows, plan, count, changes, bits, work)
        bounds[event + 1] = emit(head, small, bits, seen, out, bounds[event])
        event += 1
    return event
