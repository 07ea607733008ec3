"""Which subscriptions end when: a heap whose entries know their places, so that none is ever left behind."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from sys import getsizeof
from typing import TYPE_CHECKING, Any

from siftmesh.matching.listed import part_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Expiry"]

_NOWHERE = -1
_NEVER = float("inf")


class Expiry:
    """Moments by number of subscription, earliest first; what a moment is a caller's clock decides."""

    def __init__(self) -> None:
        # A binary heap of numbers, and by number its place in the heap and its moment.
        self._heap = array("i")
        self._places = array("i")
        self._moments = array("d")

    def __len__(self) -> int:
        return len(self._heap)

    def set(self, number: int, moment: float) -> None:
        """Let a subscription end at a moment, whatever was said of it before."""
        self.forget(number)
        self._make_room(number)
        self._moments[number] = moment
        self._heap.append(number)
        self._up(len(self._heap) - 1, number)

    def set_many(self, numbers: Sequence[int], moment: float) -> None:
        """Let subscriptions that have no end yet end at one moment."""
        for number in numbers:
            self.set(number, moment)

    def forget(self, number: int) -> None:
        """Let a subscription have no end."""
        if number >= len(self._places) or self._places[number] == _NOWHERE:
            return
        place = self._places[number]
        self._places[number] = _NOWHERE
        self._moments[number] = _NEVER
        last = self._heap.pop()
        if last != number:
            if place and self._moments[last] < self._moments[self._heap[(place - 1) // 2]]:
                self._up(place, last)
            else:
                self._down(place, last)

    def moment(self, number: int) -> float:
        """When a subscription ends; infinity is never."""
        return self._moments[number] if number < len(self._moments) else _NEVER

    def first(self) -> float:
        """When the next of all ends."""
        return self._moments[self._heap[0]] if self._heap else _NEVER

    def ended(self, now: float, most: int) -> list[int]:
        """Forget what ends now or has ended, at most so many; their numbers."""
        found: list[int] = []
        while len(found) < most and self._heap and self._moments[self._heap[0]] <= now:
            found.append(self._heap[0])
            self.forget(self._heap[0])
        return found

    def living(self, numbers: Iterable[int], now: float) -> list[int]:
        """Those of the numbers that have not ended."""
        moments, known = self._moments, len(self._moments)
        return [number for number in numbers if number >= known or moments[number] > now]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The numbers that have an end, and when, as arrays."""
        import numpy as np

        moments = [self._moments[number] for number in self._heap]
        return {"ends.numbers": np.array(self._heap, np.int32), "ends.moments": np.array(moments, np.float64)}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Expiry | None:
        """What these are of; None if there are none."""
        ends = part_of(arrays, "ends")
        if not ends:
            return None
        made = cls()
        for number, moment in zip(ends["numbers"].tolist(), ends["moments"].tolist(), strict=True):
            made.set(number, moment)
        return made

    def memory(self) -> int:
        """Bytes of what is held."""
        return getsizeof(self._heap) + getsizeof(self._places) + getsizeof(self._moments)

    def _make_room(self, number: int) -> None:
        if number >= len(self._places):
            more = number + 1 + number // 2 - len(self._places)
            self._places.extend(array("i", [_NOWHERE]) * more)
            self._moments.extend(array("d", [_NEVER]) * more)

    def _up(self, place: int, number: int) -> None:
        """Let a number rise from a place to where it belongs."""
        heap, places, moments = self._heap, self._places, self._moments
        moment = moments[number]
        while place:
            above = (place - 1) // 2
            other = heap[above]
            if moments[other] <= moment:
                break
            heap[place] = other
            places[other] = place
            place = above
        heap[place] = number
        places[number] = place

    def _down(self, place: int, number: int) -> None:
        """Let a number sink from a place to where it belongs."""
        heap, places, moments = self._heap, self._places, self._moments
        moment = moments[number]
        end = len(heap)
        while (below := 2 * place + 1) < end:
            if below + 1 < end and moments[heap[below + 1]] < moments[heap[below]]:
                below += 1
            other = heap[below]
            if moment <= moments[other]:
                break
            heap[place] = other
            places[other] = place
            place = below
        heap[place] = number
        places[number] = place
