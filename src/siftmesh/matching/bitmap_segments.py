"""Segments of bitmaps, and how they are built from terms."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.bitmap_build import settle_ties
from siftmesh.kernels.bitmap_emit import clear_owner
from siftmesh.kernels.bitmap_layout import (
    BLOCK,
    BLOCK_WORDS,
    E_COUNT,
    E_DIM,
    E_EDGES,
    E_LAST,
    E_LENGTH,
    E_ROWS,
    E_SIZE,
    E_STEP,
    ENTRY,
    H_DENSE,
    H_DIMS,
    H_ENTRIES,
    H_MULTI,
    H_SLOTS,
    HEADER,
)
from siftmesh.kernels.bitmap_rows import S_LISTS, S_ROW, count_sparse, fill_rows, survey
from siftmesh.kernels.bitmap_terms import link_terms, order_terms, split_terms
from siftmesh.kernels.layout import Longs, Words
from siftmesh.matching.bitmap_terms import Terms

__all__ = ["SEGMENT_ARRAYS", "STEP", "Segment", "aligned", "assemble", "blocks_for", "build", "entries_of"]

# How much is done in one step of a merge, in edges looked at: less than half a millisecond.
STEP = 1 << 16
_ALL = 1 << 62
SEGMENT_ARRAYS = ("head", "small", "keys", "ids", "rows", "order", "alive", "fringe")

# A dimension is dense if so many terms for each of the blocks that have any bound it, and this part of all
# terms.
_LEAST_IN_BLOCK = 16
_LEAST_SHARE = 8  # as a shift
# The rows of a dense dimension take about so many bytes for each term; the edges of a term take 24.
_ROW_BYTES = 14
_LEAST_STEP = 16
# Rows of a sparse dimension, which are short.
_SPARSE_ROWS = 64
_LEAST_SPARSE_STEP = 64


@dataclass(slots=True)
class Segment:
    """Terms that are matched together; only `alive` changes once it is built."""

    uid: int
    head: Longs
    small: Words
    keys: Longs
    ids: Words
    rows: Longs
    order: Longs
    alive: Longs
    fringe: Longs
    # How many slots hold terms that were not removed, and how many held one at first.
    live: int
    built: int
    # By which kernels find the arrays.
    addresses: Longs = field(init=False)
    _multi: int = field(init=False)
    _octets: memoryview = field(init=False)

    def __post_init__(self) -> None:
        self._multi = int(self.head[H_MULTI])
        # Single numbers are read and written faster than in an array.
        self._octets = self.alive.data.cast("B")
        arrays = (self.head, self.small, self.keys, self.ids, self.rows, self.alive, self.fringe)
        self.addresses = np.array([number for array in arrays for number in (array.ctypes.data, array.size)])

    @property
    def slots(self) -> int:
        return self.order.size

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        return {name: getattr(self, name) for name in SEGMENT_ARRAYS}

    def remove(self, slot: int) -> None:
        """Clear the terms of the owner to whom a slot belongs."""
        if slot >= self._multi:
            self.live -= clear_owner(self.head, self.small, self.alive, slot)
            return
        octet = self._octets[slot >> 3]
        bit = 1 << (slot & 7)
        if octet & bit:
            self._octets[slot >> 3] = octet ^ bit
            self.live -= 1


def build(terms: Terms, uid: int, where: Longs) -> Segment:
    """Make a segment of terms that may be met, and write in the directory where they are."""
    owners = terms.owners
    count = owners.size
    same = owners[1:] == owners[:-1]
    regions = np.zeros(count, np.uint8)
    regions[1:] |= same
    regions[:-1] |= same
    regions[(regions > 0) & (terms.codes < 0)] = 2
    order_of = np.empty(count, np.int64)
    order_terms(terms.starts, terms.dims, regions, order_of)
    rank = np.argsort(order_of, kind="stable")
    singles = int((regions == 0).sum())
    multi = blocks_for(singles) * BLOCK
    slots = multi + blocks_for(count - singles) * BLOCK
    slot_of = np.empty(count, np.int64)
    slot_of[rank] = np.arange(count)
    slot_of[regions > 0] += multi - singles
    order = np.zeros(slots, np.int64)
    order[slot_of] = order_of
    filled = np.zeros(slots, np.uint8)
    filled[slot_of] = 1
    alive = np.packbits(filled, bitorder="little").view(np.int64)
    where[owners] = (uid << 32) | slot_of
    dims, sizes, keys, ids = _edges(terms, slot_of)
    steps = assemble(dims, sizes, ids, slots, multi, _ALL)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            head, small, rows, fringe = done.value
            break
    link_terms(terms.codes, slot_of, slots, multi, small)
    return Segment(uid, head, small, keys, ids, rows, order, alive, fringe, count, count)


def blocks_for(count: int) -> int:
    """How many blocks so many slots take."""
    return -(-count // BLOCK)


def entries_of(head: Longs) -> Longs:
    """The numbers of each dimension of a segment, one row for each."""
    return head[HEADER : HEADER + int(head[H_ENTRIES]) * ENTRY].reshape(-1, ENTRY)


def _edges(terms: Terms, slot_of: Longs) -> tuple[Longs, Longs, Longs, Words]:
    """The dimensions, how many edges each has, and the edges in order."""
    most = 2 * terms.dims.size
    edge_dims = np.empty(most, np.int32)
    edge_keys = np.empty(most, np.int64)
    edge_ids = np.empty(most, np.int32)
    count = split_terms(*terms.columns(), slot_of, edge_dims, edge_keys, edge_ids, *terms.room())
    dims = np.unique(terms.dims).astype(np.int64)
    numbers = np.searchsorted(dims, edge_dims[:count])
    sizes = np.bincount(numbers, minlength=len(dims)).astype(np.int64)
    by_key = np.argsort(edge_keys[:count])
    # Sixteen bits are sorted by counting.
    small = numbers[by_key].astype(np.uint16 if len(dims) <= 1 << 16 else np.int64)
    order = by_key[np.argsort(small, kind="stable")]
    keys, ids = edge_keys[order], edge_ids[order]
    settle_ties(sizes, keys, ids)
    return dims, sizes, keys, ids


def assemble(
    dims: Longs, sizes: Longs, ids: Words, slots: int, multi: int, step: int = STEP
) -> Generator[int, None, tuple[Longs, Words, Longs, Longs]]:
    """Make head, small, rows and fringe of a segment, a step at a time; each says how much it did.

    The ids of the edges name slots at first, and bits of their dimension's rows in the end. Codes and rings
    of the terms are still to be written.
    """
    firsts = np.cumsum(sizes) - sizes
    terms = np.zeros(len(dims), np.int64)
    blocks = np.zeros(len(dims), np.int64)
    marks = np.zeros(slots, np.int32)
    marked = np.zeros(slots // BLOCK, np.int32)
    at = 0
    while (at := survey(firsts, sizes, ids, marks, marked, terms, blocks, at, step)) < len(dims):
        yield step
    dense = (terms >= _LEAST_IN_BLOCK * blocks) & (terms >= slots >> _LEAST_SHARE)
    # The rarer a sparse dimension is, the fewer terms are looked at from it in vain.
    order = np.lexsort((np.where(dense, 0, terms), ~dense))
    sizes, terms, blocks, dense = sizes[order], terms[order], blocks[order], dense[order]
    count = int(dense.sum())

    head = np.zeros(HEADER + len(dims) * ENTRY, np.int64)
    head[H_SLOTS] = slots
    head[H_MULTI] = multi
    head[H_DENSE] = count
    head[H_ENTRIES] = len(dims)
    head[H_DIMS] = lists = 3 * slots - 2 * multi
    entries = entries_of(head)
    wanted = np.maximum(_ROW_BYTES * terms // (blocks * (8 * BLOCK_WORDS)) - 1, 1)
    steps = np.where(
        dense,
        np.maximum(-(-sizes // wanted), _LEAST_STEP),
        np.maximum(-(-sizes // _SPARSE_ROWS), _LEAST_SPARSE_STEP),
    )
    row_words = np.where(dense, blocks * BLOCK_WORDS, (terms + 63) >> 6)
    words = (sizes // steps + 1 + dense) * row_words
    entries[:, E_DIM] = dims[order]
    entries[:, E_EDGES] = firsts[order]
    entries[:, E_COUNT] = sizes
    entries[:, E_STEP] = steps
    entries[:, E_LAST] = sizes // steps
    entries[:, E_ROWS] = np.cumsum(words) - words
    entries[:, E_SIZE] = row_words
    entries[:, E_LENGTH] = np.where(dense, blocks, terms)
    sparse = len(dims) - count
    # One more: the code after the last slot is read, not used.
    room = lists + 2 * sparse + int(blocks[:count].sum()) + 2 * int(terms[count:].sum()) + 1
    small = np.zeros(room, np.int32)
    small[lists : lists + sparse] = entries[count:, E_DIM]
    rows = aligned(int(words.sum()))

    counts = np.zeros(slots, np.int32)
    if sparse:
        marks[:] = 0
        at = count
        while (at := count_sparse(head, ids, marks, counts, at, step)) < len(dims):
            yield step
    fringe = np.packbits(counts > 0, bitorder="little").view(np.int64)
    state = np.zeros(3, np.int64)
    state[S_ROW] = -1
    state[S_LISTS] = lists + sparse
    cursors = np.zeros(slots, np.int32)
    while not fill_rows(head, small, ids, rows, counts, cursors, marks, state, step):
        yield step
    return head, small, rows, fringe


def aligned(size: int) -> Longs:
    """Room for so many words that begins where a line of the processor's cache begins."""
    room = np.empty(size + 7, np.int64)
    skipped = (-room.ctypes.data % 64) // 8
    return room[skipped : skipped + size]
