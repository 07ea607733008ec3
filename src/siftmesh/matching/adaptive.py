"""The default engine: each subscription stands where events that cannot meet it never look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from siftmesh.errors import EventError
from siftmesh.kernels.atoms import find_strings
from siftmesh.kernels.entry import DOUBT, match_event, verify_event
from siftmesh.kernels.events import STRANGE, match_columns, verify_columns
from siftmesh.kernels.layout import (
    F_TIMES,
    H_SLOTS,
    N_VERIFIED,
    S_FLAGS,
    SLOT,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.unpack import NO_ROOM
from siftmesh.logic.evaluate import holds
from siftmesh.logic.profile import Profile
from siftmesh.logic.template import Template
from siftmesh.logic.tree import Tree
from siftmesh.matching.bitmaps import BitmapIndex
from siftmesh.matching.bulk import plan_of
from siftmesh.matching.clusters import ClusterIndex
from siftmesh.matching.columns import encode_columns
from siftmesh.matching.dims import Dims
from siftmesh.matching.engine import bound_rows, find_one_by_one, insert_one_by_one
from siftmesh.matching.favourites import Favourites
from siftmesh.matching.id_columns import IntIds
from siftmesh.matching.kept import KeptTrees
from siftmesh.matching.listed import part_of
from siftmesh.matching.matches import joined
from siftmesh.matching.packing import pack_event, pack_plain
from siftmesh.matching.places import OFTEN, Places
from siftmesh.matching.planner import Planner
from siftmesh.matching.scratch import Scratch, Scratches
from siftmesh.matching.work import WorkCounters
from siftmesh.matching.woven import woven
from siftmesh.model.event import Event
from siftmesh.model.rows import is_arrow, rows

__all__ = ["AdaptiveEngine"]

# Rows of a batch that are matched at a time: what they write stays in the processor's cache.
_BLOCK = 2048
# Fewer rows than this are bound one by one.
_MANY = 16
# After so many changes it is looked whether there is something to do.
_INSTALMENT = 32


class AdaptiveEngine:
    """Finds the subscriptions that an event meets by what it has, not by asking each."""

    parallel = True

    def __init__(self, often: float = OFTEN) -> None:
        """`often`: by which share of the events a subscription may be looked at outside the bitmaps."""
        self.clusters = ClusterIndex()
        self.bitmaps = BitmapIndex()
        self.places = Places(self.clusters, often=often)
        self._favourites: Favourites | None = None
        # One more than the greatest number in use.
        self._room = 0
        self._scratches = Scratches(self._fit)
        self._planner = Planner(self.clusters, self.places, self._move)
        # Changes since it was last asked whether something is owed.
        self._changes = 0

    # ---- subscriptions

    def insert(self, number: int, tree: Tree) -> None:
        """Take a tree in under a number that is not in use."""
        self._scratches.moves += 1
        self._room = max(self._room, number + 1)
        self._place(number, tree)
        if self._favourites is not None:
            self._favourites.inserted()
        self._pay()

    def insert_rows(self, numbers: Sequence[int], template: Template, columns: Mapping[str, Any]) -> None:
        """Take in a template bound to rows of Arrow columns, all or none."""
        self._scratches.moves += 1
        plan = plan_of(template, columns) if len(numbers) >= _MANY else None
        if plan is None or not self.places.insert_rows(numbers, plan, columns):
            insert_one_by_one(self, numbers, bound_rows(template, columns, len(numbers)))
        elif len(numbers):
            self._room = max(self._room, max(numbers) + 1)
            if self._favourites is not None:
                self._favourites.inserted()

    def delete(self, number: int) -> None:
        """Forget a subscription."""
        self._delete(number)
        if self._favourites is not None:
            self._favourites.deleted(number)
        self._pay()

    def _delete(self, number: int) -> None:
        self._scratches.moves += 1
        if self.places.remove(number):
            self.bitmaps.remove(number)

    def _move(self, number: int) -> None:
        """Put a subscription where it would be put today."""
        tree = self.tree(number)
        self._delete(number)
        self._place(number, tree)

    def _place(self, number: int, tree: Tree) -> None:
        terms = self.places.insert(number, tree)
        if terms is not None:
            self.bitmaps.add(number, terms)

    def _pay(self) -> None:
        """Each change does a little of what is owed."""
        self._changes += 1
        if self._changes >= _INSTALMENT:
            self._changes = 0
            self.tend(2 * _INSTALMENT)

    def tree(self, number: int) -> Tree:
        """The tree of a subscription, in normal form."""
        return self.places.tree(number)

    def compact(self) -> None:
        """Pay at once what was put off."""
        self._scratches.moves += 1
        self._planner.finish(self._scratches.all)
        self.bitmaps.compact()

    def tend(self, steps: int) -> bool:
        """Pay some of what was put off; whether more is owed."""
        if self.owes():
            self._scratches.moves += 1
            self._planner.tend(steps, self._scratches.all)
        return self.owes()

    def owes(self) -> bool:
        """Whether `tend` would do something."""
        return self._planner.owes(self._scratches.all)

    def settle(self, steps: int) -> bool:
        """Do so many steps of what a file has no place for; whether it is done, and arrays change nothing."""
        return self.bitmaps.settle(steps)

    def use(self, profile: Profile | None) -> None:
        """Plan by a profile where it knows something."""
        self.clusters.estimates.use(profile)

    # ---- one event

    def find(self, event: Mapping[str, Any] | Event) -> list[int]:
        """The numbers of all subscriptions that an event meets."""
        return self.find_ids(event, None)

    def find_ids(self, event: Mapping[str, Any] | Event, ids: IntIds | None) -> list[int]:
        """The ids of all subscriptions that an event meets, or without any their numbers."""
        packed = pack_plain(event)
        named = packed is not None
        if packed is None:
            event, packed = self._packed(event)
        scratches = self._scratches
        scratch = scratches.borrow()
        address, id_of = scratch.address, 0 if ids is None else ids.address
        found = match_event(address, packed, named, id_of)
        while found < 0:
            if found == NO_ROOM:
                scratch.longer_frame()
            elif found == STRANGE:
                # A name or number that no event may have, or one that only the slow way reads.
                scratches.spare.append(scratch)
                return self.find_ids(event if isinstance(event, Event) else Event.of(event), ids)
            else:
                scratch.longer_out()
            scratches.fit(scratch)
            found = match_event(address, packed, named, id_of)
        some: list[int] = []
        if found >= DOUBT:
            some, found = self._verified(scratch.out[: found - DOUBT].tolist(), event, scratch), 0
        if len(self.bitmaps):
            some += self._of_bitmaps(event, packed, named, scratch)
        certain: list[int] = (scratch.out if ids is None else scratch.named)[:found].tolist()
        scratches.spare.append(scratch)
        return certain + (some if ids is None else ids.of(some)) if some else certain

    def find_links(self, event: Mapping[str, Any] | Event, link_of: Words, _links: int) -> list[int]:
        """The numbers of the links that have some subscription that an event meets."""
        if self._favourites is None:
            self._favourites = Favourites(self, AdaptiveEngine)
        return self._favourites.find(event, link_of)

    def _packed(self, event: Mapping[str, Any] | Event) -> tuple[Event, bytes]:
        read = event if isinstance(event, Event) else Event.of(event)
        if read.closed:
            read.refuse_paths_into_arrays(self.places.paths())
        return read, pack_event(read, self.clusters.pools.slots)

    def _of_bitmaps(self, event: Any, packed: bytes, named: bool, scratch: Scratch) -> list[int]:
        codes = self.bitmaps.match_one(scratch.present, scratch.lows, scratch.highs, scratch.work)
        if len(codes) and codes.min() < 0:
            codes = codes[: verify_event(scratch.address, packed, named, codes)]
        scratch.found += len(codes)
        if len(codes) and codes.min() < 0:
            return self._verified(codes.tolist(), event, scratch)
        numbers: list[int] = codes.tolist()
        return numbers

    def _verified(self, codes: list[int], event: Any, scratch: Scratch) -> list[int]:
        """Only those that are met, with the unsure ones asked again one by one."""
        read = event if isinstance(event, Event) else Event.of(event)
        unsure = [~code for code in codes if code < 0]
        scratch.counters[N_VERIFIED] += len(unsure)
        met = [number for number in unsure if holds(self.tree(number), read)]
        scratch.found += len(met) - len(unsure)
        return [code for code in codes if code >= 0] + met

    # ---- many events

    def find_batch(self, events: Any) -> tuple[Longs, Words]:
        """The same of many events, as bounds and numbers."""
        if not is_arrow(events):
            return find_one_by_one(self.find, events)
        batches = [events] if isinstance(events, pa.RecordBatch) else events.to_batches()
        parts: list[tuple[Longs, Words]] = []
        before = 0
        for batch in batches:
            for first in range(0, batch.num_rows, _BLOCK):
                block = batch.slice(first, _BLOCK)
                parts.append(self._find_block(block, before))
                before += block.num_rows
        return joined(parts) if parts else find_one_by_one(self.find, events)

    def _find_block(self, batch: pa.RecordBatch, before: int) -> tuple[Longs, Words]:
        encoded = encode_columns(batch, self.clusters.pools.slots, self._atoms)
        if encoded is None:
            try:
                return find_one_by_one(self.find, batch)
            except EventError as error:
                if error.row is None:
                    raise
                raise error.in_row(before + error.row) from None
        arrays = encoded.arrays()
        count = batch.num_rows
        scratch = self._scratches.borrow()
        dims = self.places.dims.table
        if len(scratch.frame) < len(arrays[0]):
            scratch.longer_frame(len(arrays[0]))
            scratch.fit(self.clusters.pools, self._room, dims)
        places = scratch.places(count, len(self.places.dims))
        bounds = np.zeros(count + 1, np.int64)
        stamp = scratch.stamps_for(count)
        row = 0
        parts: list[Words] = []
        while row < count:
            pools = self.clusters.pools
            base = int(bounds[row])
            bounds[row] = 0
            after = int(
                match_columns(
                    pools.words, pools.longs, pools.heap, arrays[3], arrays[0], arrays[1], arrays[2],
                    row, count, scratch.frame, scratch.cells, scratch.stamps, stamp, bounds, scratch.out,
                    scratch.counters, scratch.seen, dims, *places,
                )
            )  # fmt: skip
            reached = after if after >= 0 else ~after
            parts.append(scratch.out[: bounds[reached]].copy())
            bounds[row : reached + 1] += base
            row = reached
            if after < 0:
                scratch.longer_frame(len(arrays[1]))
                scratch.fit(pools, self._room, dims)
            elif after < count:
                scratch.longer_out()
                stamp = scratch.stamps_for(count)
        numbers = parts[0] if len(parts) == 1 else np.concatenate(parts)
        if self.bitmaps:
            bounds, numbers = self._with_bitmaps(bounds, numbers, arrays, places, scratch)
        if len(numbers) and numbers.min() < 0:
            bounds, numbers = self._batch_verified(bounds, numbers, batch, scratch)
        self._scratches.spare.append(scratch)
        return bounds, numbers

    def _with_bitmaps(
        self,
        bounds: Longs,
        numbers: Words,
        arrays: tuple[Longs, Longs, Bytes, Bytes],
        places: Any,
        scratch: Scratch,
    ) -> tuple[Longs, Words]:
        """The matches of the rows together with those that the bitmaps find."""
        shape = (len(bounds) - 1, len(self.places.dims))
        present, lows, highs = (place.reshape(shape) for place in places)
        ends, codes = self.bitmaps.match(present, lows, highs, scratch.work)
        if len(codes) and codes.min() < 0:
            pools = self.clusters.pools
            verify_columns(
                pools.words, pools.longs, pools.heap, arrays[3], arrays[0], arrays[1], arrays[2],
                scratch.frame, scratch.cells, ends, codes, scratch.counters,
            )  # fmt: skip
            codes = codes[: ends[-1]]
        scratch.found += len(codes)
        return woven(bounds, numbers, ends, codes)

    def _batch_verified(
        self, bounds: Longs, numbers: Words, batch: pa.RecordBatch, scratch: Scratch
    ) -> tuple[Longs, Words]:
        found = [numbers[bounds[row] : bounds[row + 1]].tolist() for row in range(len(bounds) - 1)]
        for row, codes in enumerate(found):
            if codes and min(codes) < 0:
                event = next(iter(rows(batch.slice(row, 1))))
                found[row] = self._verified(codes, event, scratch)
        bounds = np.zeros(len(found) + 1, np.int64)
        np.cumsum([len(codes) for codes in found], out=bounds[1:])
        return bounds, np.array([number for codes in found for number in codes], np.int32)

    def _atoms(self, slot: int, text: Bytes, bounds: Longs) -> Longs | None:
        """The atoms of strings; none for an attribute whose strings are read as moments too."""
        pools = self.clusters.pools
        if pools.words[pools.words[H_SLOTS] + SLOT * slot + S_FLAGS] & F_TIMES:
            return None
        found = np.zeros(len(bounds) - 1, np.int64)
        find_strings(pools.words, pools.longs, pools.heap, slot, text, bounds, found)
        return found

    def _fit(self, scratch: Scratch) -> None:
        scratch.fit(self.clusters.pools, self._room, self.places.dims.table)

    # ---- files

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All there is, as arrays by name."""
        held = {f"clusters.{name}": array for name, array in self.clusters.to_arrays().items()}
        held |= {f"bitmaps.{name}": array for name, array in self.bitmaps.arrays().items()}
        held |= {f"kept.{name}": array for name, array in self.places.kept.to_arrays().items()}
        paths = msgspec.msgpack.encode(dict(self.places.kept_paths))
        held["paths"] = np.frombuffer(paths, np.uint8)
        return held | {"dims": self.places.dims.table, "room": np.array([self._room])}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> AdaptiveEngine:
        """What these are the arrays of; it changes them."""
        made = cls()
        made.clusters = ClusterIndex.from_arrays(part_of(arrays, "clusters"))
        made.bitmaps = BitmapIndex.from_arrays(part_of(arrays, "bitmaps"))
        paths = msgspec.msgpack.decode(arrays["paths"].tobytes(), type=dict[str, int])
        kept = KeptTrees.from_arrays(part_of(arrays, "kept"))
        made.places = Places(made.clusters, Dims(arrays["dims"]), kept, paths)
        made._planner = Planner(made.clusters, made.places, made._move)
        made._room = int(arrays["room"][0])
        return made

    # ---- reports

    def access(self, number: int) -> str:
        """What a subscription waits for, in words."""
        return self.places.access(number)

    def reached(self, number: int, event: Event) -> bool:
        """Whether the index looks at a subscription for an event."""
        if number not in self.bitmaps:
            return self.places.reached(number, event)
        # Its own, so that looking is not counted as work.
        scratch = Scratch()
        slots = self.clusters.pools.slots
        scratch.fit(self.clusters.pools, self._room, self.places.dims.table)
        while match_event(scratch.address, pack_event(event, slots), False, 0) == NO_ROOM:
            scratch.longer_frame()
            scratch.fit(self.clusters.pools, self._room, self.places.dims.table)
        codes = self.bitmaps.match_one(scratch.present, scratch.lows, scratch.highs, scratch.work)
        return number in (codes ^ (codes >> 31)).tolist()

    @property
    def work(self) -> WorkCounters:
        """All work since the engine was made."""
        return self._scratches.done()

    def memory(self) -> dict[str, int]:
        """Bytes by structure."""
        held = self.clusters.pools.memory() | self.places.kept.memory()
        return held | {f"bitmap {name}": size for name, size in self.bitmaps.memory().items()}

    def hottest(self, count: int) -> list[tuple[str, int]]:
        """What most subscriptions wait for, and how many do."""
        return self.places.hottest(count)

    def dearest(self, count: int) -> list[tuple[int, int]]:
        """The subscriptions that cost most, and how much."""
        return self.places.dearest(count)
