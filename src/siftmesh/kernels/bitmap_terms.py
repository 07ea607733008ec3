"""From terms to the slots and edges of a segment.

A term is a row of bounds, starts[t] to starts[t + 1]: a dimension, the lowest and the highest key, and flags.
Several bounds of one dimension have to hold together.
"""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.bitmap_layout import ABOVE, BELOW, EARLY, HIGHEST, LOWEST, NEGATED, ON
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import Bytes, Longs, Words

__all__ = ["REGION_SHIFT", "link_terms", "never_met", "order_terms", "split_terms"]

# Orders of terms: above this bit whether their owner has several, and whether those are to verify.
REGION_SHIFT = 60
_NARROW = 56


@kernel
def order_terms(starts: Longs, dims: Words, regions: Bytes, order: Longs) -> None:
    """Write numbers by which terms that bound the same dimensions stand together."""
    for term in range(order.size):
        mask = np.int64(0)
        top = np.int64(0)
        second = np.int64(0)
        third = np.int64(0)
        for at in range(starts[term], starts[term + 1]):
            dim = np.int64(dims[at]) + 1
            if dim <= _NARROW:
                mask |= np.int64(1) << (_NARROW - dim)
            if dim > top:
                third = second
                second = top
                top = dim
            elif second < dim < top:
                third = second
                second = dim
            elif third < dim < second:
                third = dim
        if top > _NARROW:
            # Dimensions that came late are rare ones: their terms stand together whatever else they bound.
            cap = np.int64((1 << 19) - 1)
            number = (np.int64(1) << 59) | (min(top, cap) << 38) | (min(second, cap) << 19) | min(third, cap)
        else:
            # The place in the Gray code: of neighbours, few dimensions differ.
            number = mask
            shift = 1
            while shift < _NARROW:
                number ^= number >> shift
                shift *= 2
        order[term] = number | (np.int64(regions[term]) << REGION_SHIFT)


@kernel
def link_terms(codes: Words, slot_of: Longs, slots: int, multi: int, small: Words) -> None:
    """Write the codes of the slots, and the rings of each owner's; an owner's terms are adjacent."""
    count = codes.size
    first = np.int64(0)
    while first < count:
        owner = codes[first] ^ (codes[first] >> 31)
        last = first + 1
        while last < count and codes[last] ^ (codes[last] >> 31) == owner:
            last += 1
        for term in range(first, last):
            slot = slot_of[term]
            small[slot] = codes[term]
            if last - first > 1:
                small[slots + slot - multi] = slot_of[first] - multi
                small[2 * slots - multi + slot - multi] = slot_of[term + 1 if term + 1 < last else first]
        first = last


@kernel
def _by_dim(dims: Words, first: int, last: int, order: Longs) -> None:
    """Write the places of bounds in the order of their dimensions."""
    count = last - first
    for at in range(count):
        order[at] = first + at
    gap = count >> 1
    while gap > 0:
        for at in range(gap, count):
            moved = order[at]
            place = at
            while place >= gap and dims[order[place - gap]] > dims[moved]:
                order[place] = order[place - gap]
                place -= gap
            order[place] = moved
        gap >>= 1


@kernel
def _edges_of(low: int, high: int, flags: int, edges: Longs, places: Words, count: int) -> tuple[int, bool]:
    """Append the edges of a bound, key and marks; returns how many there are then, and what holds below."""
    negated = flags & NEGATED != 0
    gap = flags & ABOVE != 0 and flags & BELOW != 0
    if low > high and not (gap and low - 1 == high):
        return count, negated
    if low > LOWEST:
        edges[count] = low
        places[count] = (EARLY if flags & ABOVE else 0) | (0 if negated else ON)
        count += 1
    if high < HIGHEST:
        edges[count] = high + 1
        places[count] = (0 if flags & BELOW else EARLY) | (ON if negated else 0)
        count += 1
    return count, (low == LOWEST) != negated


@kernel
def _behind(key: int, marks: int, other: int, other_marks: int) -> bool:
    """Whether the first of two edges has its place behind the second."""
    return key > other or (key == other and (marks & EARLY) < (other_marks & EARLY))


@kernel
def _edges_of_dim(
    lows: Longs, highs: Longs, flags: Bytes, order: Longs, first: int, last: int, edges: Longs, marks: Words
) -> int:
    """Write a term's edges in one dimension; returns how many, or -1 if its bounds exclude each other."""
    count = np.int64(0)
    held = np.int64(0)
    for at in range(first, last):
        bound = order[at]
        count, holds = _edges_of(lows[bound], highs[bound], flags[bound], edges, marks, count)
        held += holds
    asked = last - first
    if asked == 1:
        if count == 0 and not held:
            return np.int64(-1)
    else:
        gap = count >> 1
        while gap > 0:
            for at in range(gap, count):
                key = edges[at]
                mark = marks[at]
                place = at
                while place >= gap and _behind(edges[place - gap], marks[place - gap], key, mark):
                    edges[place] = edges[place - gap]
                    marks[place] = marks[place - gap]
                    place -= gap
                edges[place] = key
                marks[place] = mark
            gap >>= 1
        ever = held == asked
        kept = np.int64(0)
        at = np.int64(0)
        while at < count:
            key = edges[at]
            early = marks[at] & EARLY
            before = held == asked
            while at < count and edges[at] == key and marks[at] & EARLY == early:
                held += 1 if marks[at] & ON else -1
                at += 1
            if before != (held == asked):
                edges[kept] = key
                marks[kept] = early | (0 if before else ON)
                kept += 1
                ever = True
        if not ever:
            return np.int64(-1)
        count = kept
    if count == 0:
        # What asks for presence alone needs some edge to be known by.
        edges[0] = LOWEST
        marks[0] = ON
        count += 1
    return count


@kernel
def never_met(
    starts: Longs,
    dims: Words,
    lows: Longs,
    highs: Longs,
    flags: Bytes,
    never: Bytes,
    order: Longs,
    edges: Longs,
    marks: Words,
) -> None:
    """Write for each term whether its bounds contradict each other.

    The last arrays are room to work in: `order` for the bounds of a term, the others for twice as many.
    """
    for term in range(never.size):
        count = starts[term + 1] - starts[term]
        never[term] = 0
        _by_dim(dims, starts[term], starts[term + 1], order)
        first = np.int64(0)
        while first < count:
            last = first + 1
            while last < count and dims[order[last]] == dims[order[first]]:
                last += 1
            if _edges_of_dim(lows, highs, flags, order, first, last, edges, marks) < 0:
                never[term] = 1
                break
            first = last


@kernel
def split_terms(
    starts: Longs,
    dims: Words,
    lows: Longs,
    highs: Longs,
    flags: Bytes,
    slot_of: Longs,
    edge_dims: Words,
    edge_keys: Longs,
    edge_ids: Words,
    order: Longs,
    edges: Longs,
    marks: Words,
) -> int:
    """Write the edges of terms that may be met, at most two for a bound; returns how many. Room as above."""
    written = np.int64(0)
    for term in range(starts.size - 1):
        count = starts[term + 1] - starts[term]
        _by_dim(dims, starts[term], starts[term + 1], order)
        first = np.int64(0)
        while first < count:
            last = first + 1
            while last < count and dims[order[last]] == dims[order[first]]:
                last += 1
            found = _edges_of_dim(lows, highs, flags, order, first, last, edges, marks)
            for at in range(found):
                edge_dims[written] = dims[order[first]]
                edge_keys[written] = edges[at]
                edge_ids[written] = slot_of[term] | marks[at]
                written += 1
            first = last
    return written
