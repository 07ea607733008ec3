"""The default matcher: each subscription stands where events that cannot meet it never look."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any

from siftmesh.kernels.entry import match_event
from siftmesh.kernels.events import STRANGE
from siftmesh.kernels.unpack import NO_ROOM
from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import Tree
from siftmesh.matching.clusters import ClusterIndex
from siftmesh.matching.ids import Ids
from siftmesh.matching.packing import pack_event, pack_plain
from siftmesh.matching.scratch import Scratch
from siftmesh.model.event import Event

__all__ = ["AdaptiveMatcher"]


class AdaptiveMatcher:
    """Finds the subscriptions that an event meets by what it has, not by asking each."""

    def __init__(self) -> None:
        self._ids = Ids()
        self._clusters = ClusterIndex()
        self._scratches: list[Scratch] = []

    def add(self, subscription: Hashable, tree: Tree) -> None:
        """Register a tree under an id that is not taken."""
        number = self._ids.take(subscription)
        try:
            self._clusters.add(number, tree)
        except BaseException:
            self._ids.give_back(subscription)
            raise

    def remove(self, subscription: Hashable) -> None:
        """Forget a subscription."""
        number = self._ids[subscription]
        self._clusters.remove(number)
        self._ids.give_back(subscription)

    def match(self, event: Mapping[str, Any] | Event) -> list[Hashable]:
        """The ids of all subscriptions that the event meets."""
        packed = pack_plain(event)
        if packed is None:
            event = event if isinstance(event, Event) else Event.of(event)
            if event.closed:
                event.refuse_paths_into_arrays(self._clusters.pools.slots)
            packed = pack_event(event, self._clusters.pools.slots)
            numbers = self._match(packed, False)
        else:
            numbers = self._match(packed, True)
        listed = self._ids.listed
        try:
            if numbers and min(numbers) < 0:
                numbers = self._verified(numbers, event)
        finally:
            pass
        return [listed[number] for number in numbers]

    def _match(self, packed: bytes, named: bool) -> list[int]:
        try:
            scratch = self._scratches.pop()
        except IndexError:
            scratch = Scratch()
        scratch.fit(self._clusters.pools, len(self._ids.listed))
        found = match_event(scratch.address, packed, named)
        while found < 0:
            if found == NO_ROOM:
                scratch.longer_frame()
            elif found == STRANGE:
                raise TypeError("strange")
            else:
                scratch.longer_out()
            scratch.fit(self._clusters.pools, len(self._ids.listed))
            found = match_event(scratch.address, packed, named)
        numbers: list[int] = scratch.out[:found].tolist()
        self._scratches.append(scratch)
        return numbers

    def _verified(self, numbers: list[int], event: Any) -> list[int]:
        """Only those that match for sure, with the others asked again one by one."""
        read = event if isinstance(event, Event) else Event.of(event)
        return [
            number if number >= 0 else ~number
            for number in numbers
            if number >= 0 or holds(self._clusters.tree(~number), read)
        ]

    def __getitem__(self, subscription: Hashable) -> Tree:
        return self._clusters.tree(self._ids[subscription])

    def __contains__(self, subscription: object) -> bool:
        return subscription in self._ids

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)
