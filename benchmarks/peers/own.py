"""Siftmesh's own matchers, and its default engine with the choice of an index taken out of its hands."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.matcher_workloads import Case
from benchmarks.peers.contender import BATCH, Contender, Ints, Unavailable, batches, mappings, pairs_of_lists
from siftmesh import Matcher
from siftmesh.filters import FilterReader
from siftmesh.logic.normalise import normalise
from siftmesh.tables import columns_of

__all__ = [
    "adaptive",
    "adaptive_dicts",
    "bitmaps_first",
    "chains_only",
    "counting",
    "engine",
    "fill",
    "scan",
    "total",
]

# Small steps of what an engine puts off that are done after each batch; as many as `Matcher` does.
_STEPS = 64


def fill(matcher: Matcher, case: Case) -> None:
    """Register a case: by templates where there are some, the others as Trees."""
    for group in case.groups:
        matcher.add_many(group.template, group.parameters, id="id")
    for number, tree in case.text_trees:
        matcher.add(number, tree)


def total(held: Mapping[str, Any]) -> int:
    """All bytes of what `stats()` says, however deep."""
    return sum(total(part) if isinstance(part, Mapping) else int(part) for part in held.values())


class Own(Contender):
    """A `Matcher` that is filled by templates where there are some, and hears one mapping at a time."""

    remark = "one event at a time, as a dict"

    def __init__(self, case: Case, index: str) -> None:
        self._matcher = Matcher(index=index)
        fill(self._matcher, case)

    def prepare(self, events: pa.Table) -> Any:
        return mappings(events)

    def run(self, prepared: Any) -> Any:
        match = self._matcher.match
        return [match(event) for event in prepared]

    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        return pairs_of_lists(found)

    def settle(self) -> None:
        self._matcher.compact()

    def memory(self) -> int | None:
        held = self._matcher.stats()
        # The others keep Trees as Python objects, which nobody but the process can count.
        return total(held["memory"]) + total(held["ids"]) if held["index"] == "adaptive" else None


class OwnBatches(Own):
    """The same, hearing Arrow tables and answering with list arrays of ids."""

    remark = "Arrow tables of 1,000 events, to Arrow"
    batched = True

    def prepare(self, events: pa.Table) -> Any:
        return batches(events)

    def run(self, prepared: Any) -> Any:
        return [self._matcher.match_batch(batch).to_arrow() for batch in prepared]

    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        empty = np.empty(0, dtype=np.int64)
        lengths = np.concatenate([empty, *(part.value_lengths() for part in found)])
        return np.repeat(np.arange(len(lengths)), lengths), np.concatenate(
            [empty, *(part.flatten() for part in found)]
        )


class OwnEngine(Contender):
    """The default engine by itself; `often` says which subscriptions it gives to the bitmaps.

    They are those that otherwise would be looked at for more than this share of the events.
    """

    remark = "the engine alone, from Arrow tables to numbers"
    batched = True

    def __init__(self, case: Case, **options: float) -> None:
        from siftmesh.matching.adaptive import AdaptiveEngine

        try:
            self._engine = AdaptiveEngine(**options)
        except TypeError:
            raise Unavailable("this engine's choice cannot be made by hand") from None
        reader = FilterReader()
        for group in case.groups:
            template = reader.template(group.template)
            columns = columns_of(group.parameters, template.parameters, "id")
            if columns is None:
                raise Unavailable("the parameters are in no Arrow table")
            numbers = array("i", columns[0].to_pylist())
            self._engine.insert_rows(numbers, template, columns[1])
        for number, tree in case.text_trees:
            self._engine.insert(number, normalise(tree))

    def prepare(self, events: pa.Table) -> Any:
        return batches(events)

    def run(self, prepared: Any) -> Any:
        found = []
        for batch in prepared:
            bounds, numbers = self._engine.find_batch(batch)
            found.append((np.repeat(np.arange(batch.num_rows), np.diff(bounds)), numbers))
            self._engine.tend(_STEPS)
        return found

    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        rows = [part + number * BATCH for number, (part, _) in enumerate(found)]
        empty = np.empty(0, dtype=np.int64)
        return np.concatenate([empty, *rows]), np.concatenate([empty, *(numbers for _, numbers in found)])

    def settle(self) -> None:
        self._engine.compact()

    def memory(self) -> int | None:
        return total(self._engine.memory())


adaptive = partial(OwnBatches, index="adaptive")
adaptive_dicts = partial(Own, index="adaptive")
counting = partial(OwnBatches, index="counting")
scan = partial(Own, index="scan")
engine = OwnEngine
chains_only = partial(OwnEngine, often=1.0)
bitmaps_first = partial(OwnEngine, often=0.0)
