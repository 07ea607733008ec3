"""Predicates asked of many events at once, and profiles of what was seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from siftmesh.errors import ConfigError, EventError
from siftmesh.logic.columns import Columns
from siftmesh.logic.profile import Profile
from siftmesh.logic.sample import EVENTS, Sample
from siftmesh.logic.tree import Leaf, Tree, attributes
from siftmesh.logic.verdicts import Bools, Words, packed, unpacked, verdict
from siftmesh.model.event import Event
from siftmesh.model.rows import is_arrow, rows

__all__ = ["Events", "Verdicts", "evaluate_predicates", "observe"]

# Mappings or Events; an Arrow table or record batch; a pandas frame.
Events = Iterable[Mapping[str, Any] | Event] | Any


class Verdicts(msgspec.Struct, frozen=True, eq=False):
    """Of which events each predicate is true, and of which unknown: a row of bits for each predicate.

    Bit i of word j speaks of event 64 j + i. Where neither bit is set, the predicate is false.
    """

    events: int
    true: Words
    unknown: Words

    def truths(self) -> Bools:
        """The same as bools: an array of predicates by events."""
        return unpacked(self.true, self.events)

    def unknowns(self) -> Bools:
        """Where it is unknown, as bools."""
        return unpacked(self.unknown, self.events)


def evaluate_predicates(predicates: Sequence[Tree], events: Events) -> Verdicts:
    """What each predicate (or any tree) says of each event, as `logic.evaluate.truth` says it one by one.

    Only the attributes that are asked about are looked at.
    """
    used = sorted(set(chain.from_iterable(map(attributes, predicates))))
    columns = _columns(events, used)
    columns.refuse_paths_into_arrays(used)
    words = -(-columns.size // 64)
    true = np.zeros((len(predicates), words), dtype=np.uint64)
    unknown = np.zeros((len(predicates), words), dtype=np.uint64)
    for row, predicate in enumerate(predicates):
        found = verdict(predicate, columns)
        true[row], unknown[row] = packed(found.true), packed(found.unknown)
    return Verdicts(columns.size, true, unknown)


def observe(
    events: Events,
    predicates: Iterable[Leaf] = (),
    *,
    keys: Sequence[Any] | NDArray[Any] | None = None,
    start: int = 0,
    sample: int = EVENTS,
) -> Profile:
    """The profile of events, read once: counters of the predicates, every attribute, and a sample.

    Which events are sampled depends on their keys alone, one for each: ids or offsets. Without keys these are
    the positions in the stream, in which the first of these events has the position `start`. If each event
    has the same key however the stream is divided, the parts' profiles merge into one and the same sample.
    """
    wanted = list(predicates)
    columns = _columns(events, None)
    columns.refuse_paths_into_arrays(set(chain.from_iterable(map(attributes, wanted))))
    if keys is not None:
        if hasattr(keys, "to_pylist"):  # an Arrow array
            keys = keys.to_pylist()
        if len(keys) != columns.size:
            raise ConfigError(f"there are {len(keys)} keys for {columns.size} events")
    if sample < 0:
        raise ConfigError(f"a sample of {sample} events; expected a whole number, at least 0")
    return Profile.of(columns, wanted, keys, start, Sample(sample))


def _columns(events: Events, names: Iterable[str] | None) -> Columns:
    if is_arrow(events):
        from siftmesh.matching.arrow_columns import columns_of_arrow

        return columns_of_arrow(events, names)
    read = []
    each: Iterable[Any] = rows(events)
    for row, event in enumerate(each):
        try:
            read.append(event if isinstance(event, Event) else Event.of(event))
        except EventError as error:
            raise error.in_row(row) from None
    return Columns.of(read, names)
