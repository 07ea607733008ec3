"""The matches of many events: numbers at first, ids when they are asked for."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from operator import index
from typing import TYPE_CHECKING, Any, overload

from siftmesh.matching.ids import IdTable
from siftmesh.matching.numbers import Pin
from siftmesh.matching.work import WorkCounters

if TYPE_CHECKING:
    from siftmesh.matching.engine import Longs, Words

__all__ = ["Matches"]

_MOST_OF_A_LIST = 2**31 - 1


class Matches:
    """Which subscriptions each of many events meets.

    As a sequence it has an item for each event, the list of ids. What is found later, added or removed does
    not change it. The order of the ids of an event is not promised.
    """

    __slots__ = ("_bounds", "_ids", "_numbers", "_pin", "_work")

    def __init__(self, bounds: Longs, numbers: Words, ids: IdTable, pin: Pin, work: WorkCounters) -> None:
        self._bounds = bounds
        self._numbers = numbers
        self._ids = ids
        # While it lives, no number stands for another subscription than it did.
        self._pin = pin
        self._work = work

    def __len__(self) -> int:
        """How many events were asked about."""
        return len(self._bounds) - 1

    def ids(self, row: int) -> list[Hashable]:
        """The ids of all subscriptions that the event of a row meets."""
        row = index(row)
        if not -len(self) <= row < len(self):
            raise IndexError(f"there is no row {row} of {len(self)}")
        row %= len(self)
        return self._ids.of(self._numbers[self._bounds[row] : self._bounds[row + 1]].tolist())

    @overload
    def __getitem__(self, row: int) -> list[Hashable]: ...
    @overload
    def __getitem__(self, row: slice) -> list[list[Hashable]]: ...
    def __getitem__(self, row: int | slice) -> list[Hashable] | list[list[Hashable]]:
        """The ids of one event, or of several."""
        if isinstance(row, slice):
            return [self.ids(one) for one in range(*row.indices(len(self)))]
        return self.ids(row)

    def __iter__(self) -> Iterator[list[Hashable]]:
        """The ids of each event in turn."""
        return map(self.ids, range(len(self)))

    def pairs(self) -> tuple[Longs, Words]:
        """Rows of events and numbers of subscriptions, a pair for each match, as two arrays.

        A number is dense and small; it stands for one subscription as long as this object lives.
        """
        import numpy as np

        rows = np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self._bounds))
        return rows, self._numbers

    def to_arrow(self) -> Any:
        """For each event the list of ids, as an Arrow list array: of int64, or of strings.

        If the subscriptions have ids of several kinds, or of others than these, it is a ConfigError.
        """
        import pyarrow

        ids = self._ids.to_arrow(self._numbers)
        if len(ids) > _MOST_OF_A_LIST:
            return pyarrow.LargeListArray.from_arrays(self._bounds, ids)
        return pyarrow.ListArray.from_arrays(self._bounds.astype("int32"), ids)

    @property
    def work(self) -> WorkCounters:
        """What it took to find them; what other threads asked at the same time is counted with it."""
        return self._work

    def __repr__(self) -> str:
        return f"Matches(events={len(self)}, matches={len(self._numbers)})"


def joined(parts: Sequence[tuple[Longs, Words]]) -> tuple[Longs, Words]:
    """The bounds and numbers of batches one after the other."""
    import numpy as np

    if len(parts) == 1:
        return parts[0]
    if not parts:
        return np.zeros(1, np.int64), np.zeros(0, np.int32)
    ends = np.cumsum([0, *(bounds[-1] for bounds, _ in parts)])
    bounds = [np.zeros(1, np.int64), *(part[1:] + end for (part, _), end in zip(parts, ends, strict=False))]
    return np.concatenate(bounds), np.concatenate([numbers for _, numbers in parts])
