"""Which conjunctions of ranges an event meets: rows of bits that are AND-ed, and edges that clear single bits.

A segment is up to some hundred thousand *terms* in *slots*. In each dimension that its terms bound, the keys are
cut into *buckets*, and each bucket has a row with the bit of every term that may hold there. Where a term begins
or ceases to hold inside a bucket stands an *edge*: its key and the term. Rows leave out blocks of BLOCK terms of
which none bounds the dimension. Arrays of a segment:

head (int64)   the H_ numbers, then ENTRY numbers for each dimension, then the buckets' first keys
small (int32)  codes of the slots; leader and next slot of those from H_MULTI on; lists of blocks and of places
keys (int64), ids (int32)  for each dimension the starts, the ends and the holes, each in the order of the keys
rows, alive (int64)  words of 64 bits

A start at key k holds from k on, an end at key k holds before k. A negated bound is an end followed by a start; if
both lie within one bucket they are kept together, as a *hole*: its start and, as many places behind, its end.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic
from numpy.typing import NDArray

from siftmesh.kernels.jit import kernel

__all__ = [
    "BLOCK",
    "BLOCK_WORDS",
    "ENTRY",
    "E_BLOCKS",
    "E_BLOCK_COUNT",
    "E_BOUNDARIES",
    "E_BUCKETS",
    "E_DIM",
    "E_ENDS",
    "E_END_COUNT",
    "E_HOLES",
    "E_HOLE_COUNT",
    "E_PLACES",
    "E_ROWS",
    "E_STARTS",
    "E_START_COUNT",
    "HEADER",
    "H_ENTRIES",
    "H_MULTI",
    "H_SLOTS",
    "ID_MASK",
    "NEGATED",
    "NO_ROWS",
    "SLACK",
    "WORK_BOUNDS",
    "WORK_EDGES",
    "WORK_WORDS",
    "clear_owner",
    "match_open",
    "match_segment",
    "not_above",
    "weave",
]

Longs = NDArray[np.int64]
Words = NDArray[np.int32]
Bytes = NDArray[np.uint8]

BLOCK = 512
BLOCK_WORDS = 8

H_SLOTS = 0  # a multiple of BLOCK
H_MULTI = 1  # first slot of terms whose owner has more of them, a multiple of BLOCK; those to verify come last
H_ENTRIES = 2
HEADER = 3

E_DIM = 0
E_BUCKETS = 1
E_ROWS = 2  # place of the first row; behind the rows of the buckets stands that for events without the dimension
E_BLOCKS = 3  # place in `small` of the numbers of the blocks that the rows hold
E_BLOCK_COUNT = 4
E_BOUNDARIES = 5  # place in `head` of the first keys of all buckets but the first
E_PLACES = 6  # place in `small` where the buckets' starts begin; then the same of ends, and of holes
E_STARTS = 7
E_START_COUNT = 8
E_ENDS = 9
E_END_COUNT = 10
E_HOLES = 11
E_HOLE_COUNT = 12
ENTRY = 13

NO_ROWS = -1

# Ids of edges are slots, with a mark for those of negated bounds.
NEGATED = 1 << 30
ID_MASK = NEGATED - 1

# Places behind what is written that a kernel may write over.
SLACK = 64

# What `work` counts: words AND-ed, edges looked at, bounds tested one by one.
WORK_WORDS = 0
WORK_EDGES = 1
WORK_BOUNDS = 2


def _trailing_slowly(word: int) -> int:
    bits = int(word)
    return (bits & -bits).bit_length() - 1 if bits else 64


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _trailing(typingctx: Any, word: Any) -> Any:  # noqa: ARG001 - numba wants this argument
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), generate


# How many zeros stand below the lowest one; 64 of a word without any.
trailing = _trailing_slowly if config.DISABLE_JIT else _trailing


def _and_block_slowly(target: Longs, at: int, rows: Longs, place: int) -> None:
    target[at : at + BLOCK_WORDS] &= rows[place : place + BLOCK_WORDS]


@intrinsic  # type: ignore[untyped-decorator]  # numba has no types
def _and_block(typingctx: Any, target: Any, at: Any, rows: Any, place: Any) -> Any:  # noqa: ARG001 - see above
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        vector = ir.VectorType(ir.IntType(64), BLOCK_WORDS).as_pointer()

        def address(array: int, index: int) -> Any:
            view = context.make_array(signature.args[array])(context, builder, arguments[array])
            return builder.bitcast(builder.gep(view.data, [arguments[index]]), vector)

        left = address(0, 1)
        ours = builder.load(left)
        theirs = builder.load(address(2, 3))
        ours.align = 8
        theirs.align = 8
        builder.store(builder.and_(ours, theirs), left).align = 8
        return context.get_dummy_value()

    return types.void(target, types.int64, rows, types.int64), generate


# AND a block of one array into a block of another; written out, so that no check for overlaps stands in the loop.
and_block = _and_block_slowly if config.DISABLE_JIT else _and_block


@kernel
def not_above(array: Longs, first: int, count: int, value: int) -> int:
    """How many of so many ascending numbers from a place on are at most a value."""
    base = np.int64(first)
    left = np.int64(count)
    while left > 0:
        half = (left + 1) >> 1
        # A choice of numbers and not of ways: the processor cannot foresee it.
        base += half if array[base + half - 1] <= value else 0
        left -= half
    return base - first


@kernel
def _clear(bits: Longs, number: int) -> None:
    bits[number >> 6] &= ~(np.int64(1) << np.int64(number & 63))


@kernel
def _restore(bits: Longs, saved: Longs, number: int) -> None:
    bits[number >> 6] |= saved[number >> 6] & (np.int64(1) << np.int64(number & 63))


@kernel
def _lack(head: Longs, small: Words, ids: Words, rows: Longs, entry: int, bits: Longs, work: Longs) -> None:
    """Clear the terms that bound a dimension which the event has not."""
    buckets = head[entry + E_BUCKETS]
    if head[entry + E_ROWS] != NO_ROWS:
        _and_row(head, small, rows, entry, buckets, bits, work)
        return
    first = head[entry + E_STARTS]
    last = head[entry + E_HOLES] + head[entry + E_HOLE_COUNT]
    for at in range(first, last):
        _clear(bits, np.int64(ids[at]) & ID_MASK)
    work[WORK_EDGES] += last - first


@kernel
def _and_row(
    head: Longs, small: Words, rows: Longs, entry: int, bucket: int, bits: Longs, work: Longs
) -> None:
    count = head[entry + E_BLOCK_COUNT]
    blocks = head[entry + E_BLOCKS]
    row = head[entry + E_ROWS] + bucket * count * BLOCK_WORDS
    for at in range(count):
        and_block(bits, np.int64(small[blocks + at]) * BLOCK_WORDS, rows, row + at * BLOCK_WORDS)
    work[WORK_WORDS] += count * BLOCK_WORDS


@kernel
def _narrow(
    head: Longs,
    small: Words,
    keys: Longs,
    ids: Words,
    rows: Longs,
    entry: int,
    low: int,
    high: int,
    bits: Longs,
    saved: Longs,
    work: Longs,
) -> None:
    """Clear the terms that the event's value in a dimension falsifies."""
    buckets = head[entry + E_BUCKETS]
    bucket = not_above(head, head[entry + E_BOUNDARIES], buckets - 1, low)
    if low != high:
        for word in range(bits.size):
            saved[word] = bits[word]
    if head[entry + E_ROWS] != NO_ROWS:
        _and_row(head, small, rows, entry, bucket, bits, work)
    place = head[entry + E_PLACES] + bucket
    first = head[entry + E_STARTS] + small[place]
    last = head[entry + E_STARTS] + small[place + 1] - 1
    at = last
    while at >= first and keys[at] > low:
        _clear(bits, np.int64(ids[at]) & ID_MASK)
        at -= 1
    looked = last - at
    place += buckets + 1
    first = head[entry + E_ENDS] + small[place]
    last = head[entry + E_ENDS] + small[place + 1]
    at = first
    while at < last and keys[at] <= high:
        _clear(bits, np.int64(ids[at]) & ID_MASK)
        at += 1
    looked += at - first
    place += buckets + 1
    count = head[entry + E_HOLE_COUNT]
    first = head[entry + E_HOLES] + small[place]
    last = head[entry + E_HOLES] + small[place + 1]
    for at in range(first, last):
        outside = np.int64((low < keys[at + count]) | (high >= keys[at]))
        number = np.int64(ids[at]) & ID_MASK
        bits[number >> 6] &= ~(np.int64(1 - outside) << np.int64(number & 63))
    work[WORK_EDGES] += looked + last - first
    if low != high:
        _restore_between(head, keys, ids, entry, high, bits, saved)


@kernel
def _restore_between(
    head: Longs, keys: Longs, ids: Words, entry: int, high: int, bits: Longs, saved: Longs
) -> None:
    """A value just below a key: negated bounds that exclude from this key on, or up to the key before, hold."""
    first = head[entry + E_STARTS]
    last = first + not_above(keys, first, head[entry + E_START_COUNT], high)
    for _ in range(2):
        at = last - 1
        while at >= first and keys[at] == high:
            if ids[at] & NEGATED:
                _restore(bits, saved, np.int64(ids[at]) & ID_MASK)
            at -= 1
        first = head[entry + E_ENDS]
        last = first + not_above(keys, first, head[entry + E_END_COUNT], high)


@kernel
def _emit(head: Longs, small: Words, bits: Longs, seen: Longs, out: Words, filled: int) -> int:
    """Append the codes of the slots whose bit is set, each owner once; returns how many there are then."""
    slots = head[H_SLOTS]
    multi = head[H_MULTI]
    count = np.int64(filled)
    for word in range(multi >> 6):
        left = bits[word]
        base = word << 6
        # Most words have at most two bits: write two and count those that there are, rather than branch.
        number = trailing(left)
        out[count] = small[base + number]
        count += np.int64(left != 0)
        left &= ~(np.int64(1) << np.int64(number & 63))
        number = trailing(left)
        out[count] = small[base + number]
        count += np.int64(left != 0)
        left &= ~(np.int64(1) << np.int64(number & 63))
        while left != 0:
            number = trailing(left)
            out[count] = small[base + number]
            count += 1
            left &= ~(np.int64(1) << np.int64(number))
    if multi == slots:
        return count
    for word in range((slots - multi) >> 6):
        seen[word] = 0
    for word in range(multi >> 6, slots >> 6):
        left = bits[word]
        while left != 0:
            number = trailing(left)
            left &= ~(np.int64(1) << np.int64(number))
            slot = (word << 6) + number
            leader = np.int64(small[slots + slot - multi])
            known = seen[leader >> 6]
            out[count] = small[slot]
            count += 1 - ((known >> np.int64(leader & 63)) & 1)
            seen[leader >> 6] = known | (np.int64(1) << np.int64(leader & 63))
    return count


@kernel
def match_segment(
    head: Longs,
    small: Words,
    keys: Longs,
    ids: Words,
    rows: Longs,
    alive: Longs,
    present: Bytes,
    lows: Longs,
    highs: Longs,
    width: int,
    event: int,
    scratch: Longs,
    out: Words,
    bounds: Longs,
    work: Longs,
) -> int:
    """Append the codes of the terms that events meet, from an event on; returns the first that found no room.

    The events' values stand one event after another, `width` for each. `bounds[event]` says how much of `out` is
    in use at the start, and then for each event how much was after it.
    """
    slots = head[H_SLOTS]
    size = slots >> 6
    bits = scratch[:size]
    saved = scratch[size : 2 * size]
    seen = scratch[2 * size : 3 * size]
    while event < bounds.size - 1:
        if out.size - bounds[event] < slots + SLACK:
            return event
        for word in range(size):
            bits[word] = alive[word]
        first = event * width
        for number in range(head[H_ENTRIES]):
            entry = HEADER + number * ENTRY
            dim = head[entry + E_DIM]
            if dim < width and present[first + dim]:
                low = lows[first + dim]
                _narrow(head, small, keys, ids, rows, entry, low, highs[first + dim], bits, saved, work)
            else:
                _lack(head, small, ids, rows, entry, bits, work)
        bounds[event + 1] = _emit(head, small, bits, seen, out, bounds[event])
        event += 1
    return event


@kernel
def match_open(
    starts: Longs,
    dims: Words,
    lows_of: Longs,
    highs_of: Longs,
    negated: Bytes,
    codes: Words,
    dead: Bytes,
    count: int,
    present: Bytes,
    lows: Longs,
    highs: Longs,
    width: int,
    event: int,
    out: Words,
    bounds: Longs,
    work: Longs,
) -> int:
    """Append the codes of terms that are tested one by one, those of an owner side by side; else as above."""
    tested = np.int64(0)
    while event < bounds.size - 1:
        filled = bounds[event]
        if out.size - filled < count:
            return event
        first = event * width
        last = np.int64(-1)
        for term in range(count):
            code = np.int64(codes[term])
            owner = code ^ (code >> 63)
            if dead[term] or owner == last:
                continue
            met = True
            for at in range(starts[term], starts[term + 1]):
                tested += 1
                dim = np.int64(dims[at])
                if dim >= width or not present[first + dim]:
                    met = False
                    break
                low = lows[first + dim]
                high = highs[first + dim]
                if (low >= lows_of[at] and high <= highs_of[at]) == (negated[at] != 0):
                    met = False
                    break
            if met:
                out[filled] = code
                filled += 1
                last = owner
        event += 1
        bounds[event] = filled
    work[WORK_BOUNDS] += tested
    return event


@kernel
def weave(parts: Words, places: Longs, bounds: Longs, out: Words) -> None:
    """Put together what several segments found: places[part, event] says where in `parts` that begins."""
    filled = np.int64(0)
    for event in range(bounds.size - 1):
        for part in range(places.shape[0]):
            for at in range(places[part, event], places[part, event + 1]):
                out[filled] = parts[at]
                filled += 1
        bounds[event + 1] = filled


@kernel
def clear_owner(head: Longs, small: Words, alive: Longs, slot: int) -> int:
    """Clear the bits of all terms of an owner of which one slot is known; returns how many were set."""
    slots = head[H_SLOTS]
    multi = head[H_MULTI]
    count = np.int64(0)
    at = np.int64(slot)
    while True:
        count += (alive[at >> 6] >> np.int64(at & 63)) & 1
        _clear(alive, at)
        if at < multi:
            return count
        at = np.int64(small[2 * slots - multi + at - multi])
        if at == slot:
            return count
