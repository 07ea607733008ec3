"""Siftmesh's own matchers."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import pyarrow as pa

from benchmarks.matcher_workloads import Case
from benchmarks.peers.contender import Contender, Ints, Unavailable, batches, mappings, pairs_of_lists
from siftmesh import Matcher

__all__ = ["adaptive", "adaptive_dicts", "counting", "scan"]


class Own(Contender):
    """A `Matcher` that is filled by templates where there are some, and hears one mapping at a time."""

    remark = "one event at a time, as a dict"

    def __init__(self, case: Case, index: str) -> None:
        self._matcher = _matcher(index)
        for group in case.groups:
            self._matcher.add_many(group.template, group.parameters, id="id")
        for number, tree in case.text_trees:
            self._matcher.add(number, tree)

    def prepare(self, events: pa.Table) -> Any:
        return mappings(events)

    def run(self, prepared: Any) -> Any:
        match = self._matcher.match
        return [match(event) for event in prepared]

    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        return pairs_of_lists(found)

    def memory(self) -> int | None:
        stats = getattr(self._matcher, "stats", None)
        held = stats()["memory"] if stats is not None else None
        return _total(held) if isinstance(held, Mapping) else None


class OwnBatches(Own):
    """The same, hearing Arrow tables."""

    remark = "Arrow tables of 1,000 events"
    batched = True

    def __init__(self, case: Case, index: str) -> None:
        if not hasattr(Matcher, "match_batch"):
            raise Unavailable("Matcher has no match_batch")
        super().__init__(case, index)

    def prepare(self, events: pa.Table) -> Any:
        return batches(events)

    def run(self, prepared: Any) -> Any:
        found = []
        for batch in prepared:
            matches = self._matcher.match_batch(batch)
            matches.pairs()
            found.append((matches, batch.num_rows))
        return found

    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        return pairs_of_lists([matches.ids(row) for matches, rows in found for row in range(rows)])


def _matcher(index: str) -> Any:
    """A Matcher with this index; Any, because not every version takes the argument."""
    made: Any = Matcher
    try:
        return made(index=index)
    except TypeError:
        if index == "scan":
            return made()
        raise Unavailable(f"Matcher takes no index={index!r}") from None


def _total(held: Mapping[str, Any]) -> int:
    return sum(_total(part) if isinstance(part, Mapping) else int(part) for part in held.values())


adaptive = partial(OwnBatches, index="adaptive")
adaptive_dicts = partial(Own, index="adaptive")
counting = partial(OwnBatches, index="counting")
scan = partial(Own, index="scan")
