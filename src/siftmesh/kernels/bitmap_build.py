"""Building segments of bitmaps: the order of their terms, and their edges in order.

What may take long stops when it has done as much as it was asked to, and goes on from its `state` when called again.
"""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.bitmap import (
    BLOCK,
    E_DIM,
    E_END_COUNT,
    E_ENDS,
    E_HOLE_COUNT,
    E_HOLES,
    E_START_COUNT,
    E_STARTS,
    ENTRY,
    H_ENTRIES,
    HEADER,
    ID_MASK,
    NEGATED,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.jit import kernel

__all__ = [
    "HIGHEST",
    "LOWEST",
    "M_EDGES",
    "M_LIST",
    "REGION_SHIFT",
    "T_MULTI",
    "T_NEXT",
    "carry_terms",
    "gather_edges",
    "link_terms",
    "merge_edges",
    "merge_terms",
    "order_terms",
    "relocate",
    "split_bounds",
]

LOWEST = -(1 << 63)
HIGHEST = (1 << 63) - 1

# Orders of terms: above this bit whether their owner has several, and whether those are to verify.
REGION_SHIFT = 60
_NARROW = 56

# The state of merge_terms.
T_NEXT = 0  # the next slot
T_MULTI = 1  # first slot of the owners of several terms, or -1

# The state of merge_edges.
M_LIST = 0  # the next list
M_EDGES = 1  # how many edges are written


@kernel
def order_terms(starts: Longs, dims: Words, regions: Bytes, order: Longs) -> None:
    """Write numbers by which terms that bound the same dimensions stand together."""
    for term in range(order.size):
        first = starts[term]
        last = starts[term + 1]
        mask = np.int64(0)
        top = np.int64(0)
        second = np.int64(0)
        third = np.int64(0)
        for at in range(first, last):
            dim = np.int64(dims[at]) + 1
            if dim <= _NARROW:
                mask |= np.int64(1) << np.int64(_NARROW - dim)
            if dim > top:
                third = second
                second = top
                top = dim
            elif dim > second:
                third = second
                second = dim
            elif dim > third:
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
                number ^= number >> np.int64(shift)
                shift *= 2
        order[term] = number | (np.int64(regions[term]) << np.int64(REGION_SHIFT))


@kernel
def link_terms(codes: Words, slot_of: Longs, slots: int, multi: int, small: Words) -> None:
    """Write the codes of the slots, and the rings of the slots of each owner; an owner's terms are adjacent."""
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
def split_bounds(
    starts: Longs,
    dims: Words,
    lows: Longs,
    highs: Longs,
    negated: Bytes,
    slot_of: Longs,
    edge_dims: Words,
    edge_keys: Longs,
    edge_ids: Words,
) -> int:
    """Write the edges of bounds, starts from the front and ends from the back; returns the number of starts."""
    front = np.int64(0)
    back = np.int64(edge_keys.size)
    for term in range(starts.size - 1):
        for at in range(starts[term], starts[term + 1]):
            low = lows[at]
            high = highs[at]
            number = slot_of[term]
            # A negated bound without any value in it asks no more than presence.
            empty = low > high
            if negated[at] and not empty:
                number |= NEGATED
                has_start = high < HIGHEST
                start = high + 1 if has_start else high
                has_end = low > LOWEST
                end = low
            else:
                start = np.int64(LOWEST) if empty else low
                has_end = high < HIGHEST and not empty
                end = high + 1 if has_end else high
                # What asks for presence alone needs some edge to be known by.
                has_start = start > LOWEST or not has_end
            if has_start:
                edge_dims[front] = dims[at]
                edge_keys[front] = start
                edge_ids[front] = number
                front += 1
            if has_end:
                back -= 1
                edge_dims[back] = dims[at]
                edge_keys[back] = end
                edge_ids[back] = number
    return front


@kernel
def merge_terms(
    order_of: Longs,
    alive: Longs,
    heads: Longs,
    ends: Longs,
    remap: Words,
    origin: Words,
    order: Longs,
    state: Longs,
    limit: int,
) -> bool:
    """Give the live slots of several segments, each in order, new slots in order; whether that is finished."""
    for _ in range(limit):
        best = np.int64(-1)
        least = np.int64(0)
        for run in range(heads.size):
            at = heads[run]
            while at < ends[run] and not (alive[at >> 6] >> np.int64(at & 63)) & 1:
                remap[at] = -1
                at += 1
            heads[run] = at
            if at < ends[run] and (best < 0 or order_of[at] < least):
                best = np.int64(run)
                least = order_of[at]
        slot = state[T_NEXT]
        if best < 0 or (state[T_MULTI] < 0 and least >> np.int64(REGION_SHIFT)):
            if state[T_MULTI] < 0:
                slot = _fill_block(slot, origin)
                state[T_MULTI] = slot
            if best < 0:
                state[T_NEXT] = _fill_block(slot, origin)
                return True
        at = heads[best]
        heads[best] = at + 1
        remap[at] = slot
        origin[slot] = at
        order[slot] = least
        state[T_NEXT] = slot + 1
    return False


@kernel
def _fill_block(slot: int, origin: Words) -> int:
    last = (slot + BLOCK - 1) // BLOCK * BLOCK
    for place in range(slot, last):
        origin[place] = -1
    return last


@kernel
def carry_terms(
    origin: Words,
    remap: Words,
    codes: Words,
    leaders: Words,
    following: Words,
    small: Words,
    multi: int,
    first: int,
    last: int,
) -> None:
    """Write what is known of the terms of new slots, by what was known of them in their old ones."""
    slots = origin.size
    for slot in range(first, last):
        old = origin[slot]
        small[slot] = codes[old] if old >= 0 else 0
        if slot >= multi:
            small[slots + slot - multi] = remap[leaders[old]] - multi if old >= 0 else 0
            small[2 * slots - multi + slot - multi] = remap[following[old]] if old >= 0 else 0


@kernel
def gather_edges(
    head: Longs,
    keys: Longs,
    ids: Words,
    remap: Words,
    runs: Longs,
    counts: Longs,
    staged_keys: Longs,
    staged_ids: Words,
    first: int,
    limit: int,
) -> int:
    """Copy a segment's edges in order, with new ids and without the dead; returns the next entry.

    The starts of an entry go to the place runs[2 * entry], its ends to runs[2 * entry + 1].
    """
    number = np.int64(first)
    done = np.int64(0)
    while number < head[H_ENTRIES] and done < limit:
        entry = HEADER + number * ENTRY
        holes = head[entry + E_HOLES]
        hole_count = head[entry + E_HOLE_COUNT]
        for side in range(2):
            at = head[entry + (E_ENDS if side else E_STARTS)]
            last = at + head[entry + (E_END_COUNT if side else E_START_COUNT)]
            place = runs[2 * number + side]
            done += last - at + hole_count
            hole = np.int64(0)
            while at < last or hole < hole_count:
                # The holes stand in the order of their starts; behind them the order of their ends.
                which = hole
                if side and hole < hole_count:
                    which = np.int64(ids[holes + hole_count + hole])
                if hole == hole_count or (
                    at < last and keys[at] <= keys[holes + side * hole_count + which]
                ):
                    key = keys[at]
                    number_of = np.int64(ids[at])
                    at += 1
                else:
                    key = keys[holes + side * hole_count + which]
                    number_of = np.int64(ids[holes + which])
                    hole += 1
                slot = np.int64(remap[number_of & ID_MASK])
                if slot >= 0:
                    staged_keys[place] = key
                    staged_ids[place] = slot | (number_of & NEGATED)
                    place += 1
            counts[2 * number + side] = place - runs[2 * number + side]
        number += 1
    return number


@kernel
def merge_edges(
    dims: Longs,
    lists: Longs,
    runs: Longs,
    counts: Longs,
    staged_keys: Longs,
    staged_ids: Words,
    head: Longs,
    keys: Longs,
    ids: Words,
    state: Longs,
    limit: int,
) -> bool:
    """Merge the runs lists[l]..lists[l + 1] of each list l, two lists for a dimension; whether that is finished.

    The dimensions that have edges become the entries of `head`.
    """
    number = state[M_LIST]
    at = state[M_EDGES]
    enough = at + limit
    while number < lists.size - 1 and at < enough:
        begin = lists[number]
        end = lists[number + 1]
        start = at
        while True:
            best = np.int64(-1)
            least = np.int64(0)
            for run in range(begin, end):
                if counts[run] > 0 and (best < 0 or staged_keys[runs[run]] < least):
                    best = np.int64(run)
                    least = staged_keys[runs[run]]
            if best < 0:
                break
            keys[at] = least
            ids[at] = staged_ids[runs[best]]
            runs[best] += 1
            counts[best] -= 1
            at += 1
        entry = HEADER + head[H_ENTRIES] * ENTRY
        if number & 1 == 0:
            head[entry + E_DIM] = dims[number >> 1]
            head[entry + E_STARTS] = start
            head[entry + E_START_COUNT] = at - start
        else:
            head[entry + E_ENDS] = start
            head[entry + E_END_COUNT] = at - start
            head[H_ENTRIES] += np.int64(at > start or head[entry + E_START_COUNT] > 0)
        number += 1
    state[M_LIST] = number
    state[M_EDGES] = at
    return number == lists.size - 1


@kernel
def relocate(
    alive: Longs,
    remap: Words,
    base: int,
    codes: Words,
    uid: int,
    where: Longs,
    new_alive: Longs,
    first: int,
    last: int,
) -> int:
    """Let the directory name the new slots of some words of an old segment; returns how many live."""
    count = np.int64(0)
    for slot in range(first << 6, last << 6):
        if (alive[slot >> 6] >> np.int64(slot & 63)) & 1:
            new = np.int64(remap[base + slot])
            new_alive[new >> 6] |= np.int64(1) << np.int64(new & 63)
            code = np.int64(codes[new])
            where[code ^ (code >> 63)] = (np.int64(uid) << 32) | new
            count += 1
    return count
