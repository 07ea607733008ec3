"""Segments of bitmaps: how they are built from terms, and merged in bounded steps."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.bitmap import (
    BLOCK,
    E_DIM,
    E_END_COUNT,
    E_ENDS,
    E_HOLE_COUNT,
    E_START_COUNT,
    E_STARTS,
    ENTRY,
    H_ENTRIES,
    H_MULTI,
    H_SLOTS,
    HEADER,
    Bytes,
    Longs,
    Words,
    clear_owner,
)
from siftmesh.kernels.bitmap_build import (
    M_EDGES,
    T_MULTI,
    T_NEXT,
    carry_terms,
    gather_edges,
    link_terms,
    merge_edges,
    merge_terms,
    order_terms,
    relocate,
    split_bounds,
)
from siftmesh.kernels.bitmap_rows import (
    MOST_ROW_BYTES,
    S_BOUNDARIES,
    S_BUCKET,
    S_PLACES,
    S_ROWS,
    index_dims,
)

__all__ = ["SEGMENT_ARRAYS", "STEP", "Merge", "Segment", "Terms", "build"]

# How much is done in one step of a merge, in edges looked at: less than half a millisecond.
STEP = 1 << 16
_ALL = 1 << 62
SEGMENT_ARRAYS = ("head", "small", "keys", "ids", "rows", "order", "alive")


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
    # How many slots hold terms that were not removed, and how many held one at first.
    live: int
    built: int

    @property
    def slots(self) -> int:
        return self.order.size

    def arrays(self) -> dict[str, NDArray[np.generic]]:
        return {name: getattr(self, name) for name in SEGMENT_ARRAYS}

    def remove(self, slot: int) -> None:
        """Clear the terms of the owner to whom a slot belongs."""
        self.live -= clear_owner(self.head, self.small, self.alive, slot)


@dataclass(frozen=True, slots=True)
class Terms:
    """Terms in a row: term t has the bounds starts[t] to starts[t + 1]; codes are owners, or ~owner to verify.

    The terms of one owner are adjacent, those to verify behind the others; none of them is never met.
    """

    codes: Words
    starts: Longs
    dims: Words
    lows: Longs
    highs: Longs
    negated: Bytes

    @property
    def owners(self) -> Words:
        return self.codes ^ (self.codes >> 31)

    def part(self, first: int, last: int) -> Terms:
        """Some adjacent ones of them."""
        bounds = slice(self.starts[first], self.starts[last])
        return Terms(
            self.codes[first:last],
            self.starts[first : last + 1] - self.starts[first],
            self.dims[bounds],
            self.lows[bounds],
            self.highs[bounds],
            self.negated[bounds],
        )

    def chosen(self, which: NDArray[np.bool_]) -> Terms:
        """Those for which there is a true."""
        return self.ordered(np.flatnonzero(which))

    def ordered(self, order: NDArray[np.int64]) -> Terms:
        """Those of these numbers, in this order."""
        counts = np.diff(self.starts)[order]
        starts = np.zeros(order.size + 1, np.int64)
        np.cumsum(counts, out=starts[1:])
        bounds = np.arange(starts[-1]) + np.repeat(self.starts[order] - starts[:-1], counts)
        return Terms(
            self.codes[order],
            starts,
            self.dims[bounds],
            self.lows[bounds],
            self.highs[bounds],
            self.negated[bounds],
        )


def build(terms: Terms, uid: int, where: Longs) -> Segment:
    """Make a segment of terms, and write in the directory where they are."""
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
    multi = _blocks(singles) * BLOCK
    slots = multi + _blocks(count - singles) * BLOCK
    slot_of = np.empty(count, np.int64)
    slot_of[rank] = np.arange(count)
    slot_of[regions > 0] += multi - singles
    order = np.zeros(slots, np.int64)
    order[slot_of] = order_of
    alive = np.zeros(slots >> 6, np.int64)
    filled = np.zeros(slots, np.uint8)
    filled[slot_of] = 1
    alive = np.packbits(filled, bitorder="little").view(np.int64)
    where[owners] = (uid << 32) | slot_of
    dims, sizes, keys, ids = _edges(terms, slot_of)
    head, small, rows = _room(len(dims), slots, multi, len(keys))
    entries = _entries(head, len(dims))
    places = np.concatenate([[0], np.cumsum(sizes.ravel())])[:-1].reshape(-1, 2)
    entries[:, E_DIM] = dims
    entries[:, [E_STARTS, E_ENDS]] = places
    entries[:, [E_START_COUNT, E_END_COUNT]] = sizes
    head[H_ENTRIES] = len(dims)
    link_terms(terms.codes, slot_of, slots, multi, small)
    state = _state(len(dims), slots, multi)
    places_of = np.zeros(slots // BLOCK, np.int32)
    index_dims(head, small, keys, ids, rows, places_of, np.zeros(slots, np.int32), state, _ALL)
    _trim(head, small, rows, state)
    return Segment(uid, head, small, keys, ids, rows, order, alive, count, count)


def _blocks(count: int) -> int:
    return -(-count // BLOCK)


def _edges(terms: Terms, slot_of: Longs) -> tuple[Longs, Longs, Longs, Words]:
    """The dimensions, for each how many starts and ends, and these in order."""
    most = 2 * terms.dims.size
    edge_dims = np.empty(most, np.int32)
    edge_keys = np.empty(most, np.int64)
    edge_ids = np.empty(most, np.int32)
    arrays = (terms.dims, terms.lows, terms.highs, terms.negated)
    starts = split_bounds(terms.starts, *arrays, slot_of, edge_dims, edge_keys, edge_ids)
    unused = edge_dims.size - _written(terms, starts)
    dims = np.unique(terms.dims).astype(np.int64)
    # The ends are those at the back; between them and the starts nothing is written.
    used = np.r_[0:starts, starts + unused : most]
    numbers = 2 * np.searchsorted(dims, edge_dims[used])
    numbers[starts:] += 1
    sizes = np.bincount(numbers, minlength=2 * len(dims)).reshape(-1, 2)
    by_key = np.argsort(edge_keys[used])
    small = numbers[by_key].astype(np.uint16 if 2 * len(dims) < 1 << 16 else np.int64)
    order = used[by_key[np.argsort(small, kind="stable")]]
    return dims, sizes, edge_keys[order], edge_ids[order]


def _written(terms: Terms, starts: int) -> int:
    """How many edges there are, of which so many are starts."""
    empty = terms.lows > terms.highs
    negated = (terms.negated != 0) & ~empty
    ends = np.where(negated, terms.lows > np.iinfo(np.int64).min, terms.highs < np.iinfo(np.int64).max)
    return starts + int((ends & ~empty).sum())


def _room(dims: int, slots: int, multi: int, edges: int) -> tuple[Longs, Words, Longs]:
    """Arrays that are long enough, whatever buckets are chosen; what is not used of them is never touched."""
    words = MOST_ROW_BYTES * (edges + dims) // 16
    head = np.zeros(HEADER + dims * ENTRY + words // 8 + 1, np.int64)
    head[H_SLOTS] = slots
    head[H_MULTI] = multi
    small = np.zeros(3 * slots - 2 * multi + 6 * dims + words // 2 + 1, np.int32)
    return head, small, np.empty(words, np.int64)


def _entries(head: Longs, count: int) -> Longs:
    return head[HEADER : HEADER + count * ENTRY].reshape(-1, ENTRY)


def _state(dims: int, slots: int, multi: int) -> Longs:
    state = np.zeros(5, np.int64)
    state[S_BUCKET] = -1
    state[S_PLACES] = 3 * slots - 2 * multi
    state[S_BOUNDARIES] = HEADER + dims * ENTRY
    return state


def _trim(head: Longs, small: Words, rows: Longs, state: Longs) -> None:
    """Give back what was not used. Only views that are gone refer to these arrays."""
    head.resize(int(state[S_BOUNDARIES]), refcheck=False)
    # One more: the code after the last slot is read, not used.
    small.resize(int(state[S_PLACES]) + 1, refcheck=False)
    rows.resize(int(state[S_ROWS]), refcheck=False)


@dataclass(slots=True)
class Merge:
    """One segment made of several, a step at a time; they serve until it is done.

    Removals go on meanwhile. Near the end the directory comes to name the new slots, and from then on a removal
    has to clear the terms in the new segment and in the old one.
    """

    uid: int
    sources: Sequence[Segment]
    where: Longs
    bases: list[int] = field(default_factory=list)
    origin: Words = field(default_factory=lambda: np.empty(0, np.int32))
    made: Segment | None = None

    def remove(self, slot: int) -> None:
        """Clear the terms of an owner of which the directory names the new slot."""
        if self.made is None:
            raise ValueError("nothing is made yet")
        old = int(self.origin[slot])
        source = bisect_right(self.bases, old) - 1
        self.made.remove(slot)
        self.sources[source].remove(old - self.bases[source])

    def steps(self) -> Generator[int]:
        """Merge; each step says how much it did, and the last one leaves the segment in `made`."""
        self.bases = [0, *np.cumsum([source.slots for source in self.sources]).tolist()]
        total = self.bases.pop()
        remap = np.full(total, -1, np.int32)
        live = sum(source.live for source in self.sources)
        origin = np.full((_blocks(live) + 1) * BLOCK, -1, np.int32)
        order = np.zeros(origin.size, np.int64)
        heads = np.array(self.bases)
        ends = heads + [source.slots for source in self.sources]
        order_of = np.concatenate([source.order for source in self.sources])
        alive = np.concatenate([source.alive for source in self.sources])
        terms = np.array([0, -1])
        yield total >> 3
        while not merge_terms(order_of, alive, heads, ends, remap, origin, order, terms, STEP >> 3):
            yield STEP
        slots = int(terms[T_NEXT])
        multi = int(terms[T_MULTI])
        self.origin = origin = origin[:slots]
        del order_of, alive
        yield STEP >> 2

        staged = _Staged(self.sources)
        for number, source in enumerate(self.sources):
            yield from staged.gather(number, source, remap[self.bases[number] :])
        edges = int(staged.counts.sum())
        head, small, rows = _room(len(staged.dims), slots, multi, edges)
        keys = np.empty(edges, np.int64)
        ids = np.empty(edges, np.int32)
        yield from staged.merge(head, keys, ids)
        del staged

        yield from self._carry(remap, small, multi)
        entries = int(head[H_ENTRIES])
        state = _state(entries, slots, multi)
        places = np.zeros(slots // BLOCK, np.int32)
        marks = np.zeros(slots, np.int32)
        while not index_dims(head, small, keys, ids, rows, places, marks, state, STEP):
            yield STEP
        _trim(head, small, rows, state)
        del marks

        made = Segment(
            self.uid, head, small, keys, ids, rows, order[:slots].copy(), np.zeros(slots >> 6, np.int64), 0, 0
        )
        self.made = made
        for number, source in enumerate(self.sources):
            for word in range(0, source.alive.size, STEP >> 7):
                last = min(word + (STEP >> 7), source.alive.size)
                base = self.bases[number]
                moved = relocate(
                    source.alive, remap, base, small, self.uid, self.where, made.alive, word, last
                )
                made.live += moved
                made.built += moved
                yield STEP >> 2

    def _carry(self, remap: Words, small: Words, multi: int) -> Generator[int]:
        codes = np.concatenate([source.small[: source.slots] for source in self.sources])
        leaders = np.zeros(codes.size, np.int32)
        following = np.zeros(codes.size, np.int32)
        for base, source in zip(self.bases, self.sources, strict=True):
            first = int(source.head[H_MULTI])
            several = source.slots - first
            place = slice(base + first, base + source.slots)
            leaders[place] = source.small[source.slots : source.slots + several] + (base + first)
            following[place] = source.small[source.slots + several : source.slots + 2 * several] + base
        yield codes.size >> 3
        for slot in range(0, self.origin.size, STEP >> 1):
            last = min(slot + (STEP >> 1), self.origin.size)
            carry_terms(self.origin, remap, codes, leaders, following, small, multi, slot, last)
            yield STEP


class _Staged:
    """Edges of several segments on their way into one: for each dimension, side and segment a run in order."""

    def __init__(self, sources: Sequence[Segment]) -> None:
        tables = [_entries(source.head, int(source.head[H_ENTRIES])) for source in sources]
        every = np.concatenate([table[:, E_DIM] for table in tables])
        part = np.repeat(np.arange(len(tables)), [len(table) for table in tables])
        holes = np.concatenate([table[:, E_HOLE_COUNT] for table in tables])
        sizes = np.concatenate([table[:, [E_START_COUNT, E_END_COUNT]] for table in tables]) + holes[:, None]
        self.dims, numbers = np.unique(every, return_inverse=True)
        # A run for each entry and side, in the order of dimension, side and segment.
        lists = np.stack([2 * numbers, 2 * numbers + 1], 1).ravel()
        order = np.argsort(lists, kind="stable")
        firsts = np.zeros(order.size + 1, np.int64)
        np.cumsum(sizes.ravel()[order], out=firsts[1:])
        self.lists = np.searchsorted(lists[order], np.arange(2 * len(self.dims) + 1))
        self.runs = firsts[:-1]
        self.counts = np.zeros(order.size, np.int64)
        self.keys = np.empty(int(firsts[-1]), np.int64)
        self.ids = np.empty(int(firsts[-1]), np.int32)
        # Where in that order the runs of each segment's entries are.
        back = np.empty(order.size, np.int64)
        back[order] = np.arange(order.size)
        self.places = [back[np.repeat(part == number, 2)] for number in range(len(tables))]

    def gather(self, number: int, source: Segment, remap: Words) -> Generator[int]:
        places = self.places[number]
        runs = self.runs[places]
        counts = np.zeros(places.size, np.int64)
        entry = 0
        while entry < source.head[H_ENTRIES]:
            entry = gather_edges(
                source.head, source.keys, source.ids, remap, runs, counts, self.keys, self.ids, entry, STEP >> 1
            )
            yield STEP
        self.counts[places] = counts

    def merge(self, head: Longs, keys: Longs, ids: Words) -> Generator[int]:
        state = np.zeros(2, np.int64)
        while not merge_edges(
            self.dims, self.lists, self.runs, self.counts, self.keys, self.ids, head, keys, ids, state, STEP >> 2
        ):
            yield STEP
        yield int(state[M_EDGES]) & (STEP - 1)
