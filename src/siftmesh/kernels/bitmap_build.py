"""Merging segments of bitmaps: the new order of their terms, and their edges in one order.

What may take long stops when it has done as much as it was asked to, and goes on from its `state` when called
again.
"""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.bitmap_layout import (
    BLOCK,
    E_COUNT,
    E_EDGES,
    E_LIST,
    EARLY,
    ENTRY,
    H_DENSE,
    H_ENTRIES,
    HEADER,
    NUMBER,
)
from siftmesh.kernels.bitmap_terms import REGION_SHIFT
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import Longs, Words

__all__ = [
    "G_EDGE",
    "G_ENTRY",
    "M_EDGES",
    "M_LIST",
    "T_MULTI",
    "T_NEXT",
    "carry_terms",
    "gather_edges",
    "merge_edges",
    "merge_terms",
    "relocate",
    "settle_ties",
]

# The state of merge_terms.
T_NEXT = 0  # the next slot
T_MULTI = 1  # first slot of the owners of several terms, or -1

# The state of gather_edges.
G_ENTRY = 0  # the next entry
G_EDGE = 1  # the next one of its edges

# The state of merge_edges.
M_LIST = 0  # the next list
M_EDGES = 1  # how many edges are written


@kernel
def settle_ties(sizes: Longs, keys: Longs, ids: Words) -> None:
    """Put the early edges first at each key; so many edges of each dimension are in the order of keys."""
    begin = np.int64(0)
    behind = np.int64(0)
    for number in range(sizes.size):
        behind += sizes[number]
        while begin < behind:
            end = begin + 1
            while end < behind and keys[end] == keys[begin]:
                end += 1
            place = begin
            for at in range(begin, end):
                if ids[at] & EARLY:
                    ids[at], ids[place] = ids[place], ids[at]
                    place += 1
            begin = end


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
    """Give the live slots of segments, each in order, new slots in one order; whether that is finished."""
    for _ in range(limit):
        best = np.int64(-1)
        least = np.int64(0)
        for run in range(heads.size):
            at = heads[run]
            while at < ends[run] and not (alive[at >> 6] >> (at & 63)) & 1:
                remap[at] = -1
                at += 1
            heads[run] = at
            if at < ends[run] and (best < 0 or order_of[at] < least):
                best = np.int64(run)
                least = order_of[at]
        slot = state[T_NEXT]
        if best < 0 or (state[T_MULTI] < 0 and least >> REGION_SHIFT):
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
    small: Words,
    keys: Longs,
    ids: Words,
    remap: Words,
    runs: Longs,
    counts: Longs,
    staged_keys: Longs,
    staged_ids: Words,
    state: Longs,
    limit: int,
) -> bool:
    """Copy a segment's edges in order, with new slots and without the dead; whether that is finished.

    Those of an entry go to the place runs[entry] and behind it, and counts[entry] says how many went there.
    """
    number = state[G_ENTRY]
    edge = state[G_EDGE]
    done = np.int64(0)
    while number < head[H_ENTRIES] and done < limit:
        entry = HEADER + number * ENTRY
        first = head[entry + E_EDGES]
        members = head[entry + E_LIST]
        dense = number < head[H_DENSE]
        last = min(head[entry + E_COUNT], edge + limit - done)
        place = runs[number] + counts[number]
        # An entry costs something even if it has hardly any edges.
        done += last - edge + 8
        for at in range(first + edge, first + last):
            bit = np.int64(ids[at]) & NUMBER
            if dense:
                slot = np.int64(small[members + bit // BLOCK]) * BLOCK + bit % BLOCK
            else:
                slot = np.int64(small[members + bit])
            new = np.int64(remap[slot])
            if new >= 0:
                staged_keys[place] = keys[at]
                staged_ids[place] = new | (np.int64(ids[at]) & ~NUMBER)
                place += 1
        counts[number] = place - runs[number]
        edge = last
        if last == head[entry + E_COUNT]:
            number += 1
            edge = np.int64(0)
    state[G_ENTRY] = number
    state[G_EDGE] = edge
    return number == head[H_ENTRIES]


@kernel
def merge_edges(
    lists: Longs,
    runs: Longs,
    counts: Longs,
    staged_keys: Longs,
    staged_ids: Words,
    keys: Longs,
    ids: Words,
    sizes: Longs,
    state: Longs,
    limit: int,
) -> bool:
    """Merge the runs lists[l]..lists[l + 1] of each list l; whether that is finished.

    `sizes` comes to say how many edges each list has; `runs` and `counts` are used up.
    """
    number = state[M_LIST]
    at = state[M_EDGES]
    done = np.int64(0)
    while number < lists.size - 1:
        start = at
        finished = False
        while done < limit:
            best = np.int64(-1)
            least = np.int64(0)
            for run in range(lists[number], lists[number + 1]):
                if counts[run] == 0:
                    continue
                key = staged_keys[runs[run]]
                # Of edges at the same key the early ones come first.
                if best < 0 or key < least or (key == least and staged_ids[runs[run]] & EARLY):
                    best = np.int64(run)
                    least = key
            done += 1
            if best < 0:
                finished = True
                break
            keys[at] = least
            ids[at] = staged_ids[runs[best]]
            runs[best] += 1
            counts[best] -= 1
            at += 1
        sizes[number] += at - start
        if not finished:
            break
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
        if (alive[slot >> 6] >> (slot & 63)) & 1:
            new = np.int64(remap[base + slot])
            new_alive[new >> 6] |= np.int64(1) << (new & 63)
            code = np.int64(codes[new])
            where[code ^ (code >> 63)] = (np.int64(uid) << 32) | new
            count += 1
    return count
