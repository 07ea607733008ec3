"""One segment of bitmaps made of several, in steps so short that each change can do some of them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Generator, Sequence

import numpy as np

from siftmesh.kernels.bitmap_build import (
    M_EDGES,
    T_MULTI,
    T_NEXT,
    carry_terms,
    gather_edges,
    merge_edges,
    merge_terms,
    relocate,
)
from siftmesh.kernels.bitmap_layout import BLOCK, E_COUNT, E_DIM, H_MULTI
from siftmesh.kernels.layout import Longs, Words
from siftmesh.matching.bitmap_segments import STEP, Segment, assemble, blocks_for, entries_of

__all__ = ["Merge"]


class Merge:
    """One segment made of several, a step at a time; they serve until it is done.

    Removals go on meanwhile. Near the end the directory comes to name the new slots, and from then on a
    removal has to clear the terms in the new segment and in the old one.
    """

    def __init__(self, uid: int, sources: Sequence[Segment], where: Longs) -> None:
        self.uid = uid
        self.sources = sources
        self.slots = sum(source.slots for source in sources)
        # What is there when the last step is done, if anything lives.
        self.made: Segment | None = None
        # Each says how much it did.
        self.steps = self._steps()
        self._where = where
        self._bases: list[int] = []
        self._origin: Words = np.empty(0, np.int32)

    def remove(self, slot: int) -> None:
        """Clear the terms of an owner of which the directory names the new slot."""
        if self.made is None:
            raise ValueError("nothing is made yet")
        old = int(self._origin[slot])
        source = bisect_right(self._bases, old) - 1
        self.made.remove(slot)
        self.sources[source].remove(old - self._bases[source])

    def _steps(self) -> Generator[int, None, None]:
        self._bases = [0, *np.cumsum([source.slots for source in self.sources]).tolist()]
        total = self._bases.pop()
        remap = np.full(total, -1, np.int32)
        live = sum(source.live for source in self.sources)
        origin = np.full((blocks_for(live) + 1) * BLOCK, -1, np.int32)
        order = np.zeros(origin.size, np.int64)
        heads = np.array(self._bases)
        ends = heads + [source.slots for source in self.sources]
        order_of = np.concatenate([source.order for source in self.sources])
        alive = np.concatenate([source.alive for source in self.sources])
        terms = np.array([0, -1])
        yield total >> 3
        while not merge_terms(order_of, alive, heads, ends, remap, origin, order, terms, STEP >> 3):
            yield STEP
        slots = int(terms[T_NEXT])
        multi = int(terms[T_MULTI])
        self._origin = origin = origin[:slots]
        del order_of, alive
        yield STEP >> 2

        staged = _Staged(self.sources)
        for number, source in enumerate(self.sources):
            yield from staged.gather(number, source, remap[self._bases[number] :])
        dims, sizes, keys, ids = yield from staged.merge()
        del staged
        head, small, rows, fringe = yield from assemble(dims, sizes, ids, slots, multi)
        yield from self._carry(remap, small, multi)

        made = Segment(
            self.uid,
            head,
            small,
            keys,
            ids,
            rows,
            order[:slots].copy(),
            np.zeros(slots >> 6, np.int64),
            fringe,
            0,
            0,
        )
        self.made = made
        for base, source in zip(self._bases, self.sources, strict=True):
            for word in range(0, source.alive.size, STEP >> 7):
                last = min(word + (STEP >> 7), source.alive.size)
                moved = relocate(
                    source.alive, remap, base, small, self.uid, self._where, made.alive, word, last
                )
                made.live += moved
                made.built += moved
                yield STEP >> 2

    def _carry(self, remap: Words, small: Words, multi: int) -> Generator[int, None, None]:
        """Write the codes and the rings of the terms."""
        codes = np.concatenate([source.small[: source.slots] for source in self.sources])
        leaders = np.zeros(codes.size, np.int32)
        following = np.zeros(codes.size, np.int32)
        for base, source in zip(self._bases, self.sources, strict=True):
            first = int(source.head[H_MULTI])
            several = source.slots - first
            place = slice(base + first, base + source.slots)
            leaders[place] = source.small[source.slots : source.slots + several] + (base + first)
            following[place] = source.small[source.slots + several : source.slots + 2 * several] + base
        yield codes.size >> 3
        for slot in range(0, self._origin.size, STEP >> 1):
            last = min(slot + (STEP >> 1), self._origin.size)
            carry_terms(self._origin, remap, codes, leaders, following, small, multi, slot, last)
            yield STEP


class _Staged:
    """Edges of several segments on their way into one: for each dimension and segment a run in order."""

    def __init__(self, sources: Sequence[Segment]) -> None:
        tables = [entries_of(source.head) for source in sources]
        every = np.concatenate([table[:, E_DIM] for table in tables])
        sizes = np.concatenate([table[:, E_COUNT] for table in tables])
        self.dims, numbers = np.unique(every, return_inverse=True)
        # Runs in the order of their dimensions.
        order = np.argsort(numbers, kind="stable")
        self.lists = np.searchsorted(numbers[order], np.arange(len(self.dims) + 1))
        self.runs = np.empty(order.size, np.int64)
        self.runs[order] = np.cumsum(sizes[order]) - sizes[order]
        self.counts = np.zeros(order.size, np.int64)
        self.order = order
        self.parts = np.concatenate([[0], np.cumsum([len(table) for table in tables])])
        self.keys = np.empty(int(sizes.sum()), np.int64)
        self.ids = np.empty(int(sizes.sum()), np.int32)

    def gather(self, number: int, source: Segment, remap: Words) -> Generator[int, None, None]:
        part = slice(self.parts[number], self.parts[number + 1])
        runs = self.runs[part]
        counts = self.counts[part]
        state = np.zeros(2, np.int64)
        columns = (source.head, source.small, source.keys, source.ids)
        while not gather_edges(*columns, remap, runs, counts, self.keys, self.ids, state, STEP >> 1):
            yield STEP
        yield STEP >> 2

    def merge(self) -> Generator[int, None, tuple[Longs, Longs, Longs, Words]]:
        """The dimensions that still have edges, how many each has, and the edges in order."""
        runs = self.runs[self.order]
        counts = self.counts[self.order]
        total = int(counts.sum())
        keys = np.empty(total, np.int64)
        ids = np.empty(total, np.int32)
        sizes = np.zeros(len(self.dims), np.int64)
        state = np.zeros(2, np.int64)
        while not merge_edges(
            self.lists, runs, counts, self.keys, self.ids, keys, ids, sizes, state, STEP >> 2
        ):
            yield STEP
        yield int(state[M_EDGES]) & (STEP - 1)
        kept = sizes > 0
        return self.dims[kept], sizes[kept], keys, ids
