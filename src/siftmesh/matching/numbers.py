"""Small numbers that stand for subscriptions: given out, given back, and not used again while somebody minds.

Matches hold numbers, and turn them into ids only when they are asked to. So the number of a subscription that
was removed must not stand for another as long as matches are alive that may have found the first. Whoever
holds a `Pin` keeps all numbers given back from then on from being used again.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable
from itertools import count
from math import inf
from sys import getsizeof
from weakref import ref

__all__ = ["Numbers", "Pin"]

# How many groups of waiting numbers are looked at when a number is taken.
_STEPS = 4


class Pin:
    """Keeps numbers that are given back from being used again, for as long as it lives."""

    __slots__ = ("__weakref__",)


class Numbers:
    """Dense numbers from 0 on."""

    def __init__(self) -> None:
        # One more than the greatest number ever given out.
        self.room = 0
        self._free = array("i")
        # Pins that are alive by their serial number, oldest first. Threads that pin at the same time may come
        # in another order, but nothing is given back meanwhile.
        self._pins: dict[int, ref[Pin]] = {}
        self._serials = count()
        # What was given back while there were pins, in groups with a serial number after theirs.
        self._waiting: deque[tuple[int, array[int]]] = deque()
        # Whether there is a pin that does not mind the last group.
        self._pinned_since = False

    @classmethod
    def of(cls, room: int, free: Iterable[int]) -> Numbers:
        """Numbers up to `room`, of which some are not in use."""
        made = cls()
        made.room = room
        made._free.extend(free)
        return made

    def take(self) -> int:
        """A number that is not in use."""
        if self._waiting:
            self._release(_STEPS)
        if self._free:
            return self._free.pop()
        self.room += 1
        return self.room - 1

    def take_many(self, count: int) -> array[int]:
        """So many numbers that are not in use."""
        self._release(len(self._waiting))
        reused = min(count, len(self._free))
        taken = self._free[len(self._free) - reused :]
        del self._free[len(self._free) - reused :]
        taken.extend(range(self.room, self.room + count - reused))
        self.room += count - reused
        return taken

    def give_back(self, number: int) -> bool:
        """Let a number be used again; whether that has to wait, so that what it stood for must be kept."""
        if not self._pins:
            self._free.append(number)
            return False
        if self._pinned_since or not self._waiting:
            self._pinned_since = False
            self._waiting.append((next(self._serials), array("i")))
        self._waiting[-1][1].append(number)
        return True

    def give_back_many(self, numbers: array[int]) -> None:
        """The same for numbers that nobody has seen yet."""
        self._free.extend(numbers)

    def pin(self) -> Pin:
        """Keep from now on what is given back."""
        pin, serial = Pin(), next(self._serials)
        self._pins[serial] = ref(pin, _forgetting(self._pins, serial))
        self._pinned_since = True
        return pin

    def waiting(self) -> list[int]:
        """The numbers that were given back and cannot be used again yet."""
        return [number for _, numbers in self._waiting for number in numbers]

    def free(self) -> array[int]:
        """The numbers that can be used again, those that wait for pins included."""
        return self._free + array("i", self.waiting())

    def memory(self) -> int:
        """Bytes of what is held."""
        return getsizeof(self._free) + sum(getsizeof(numbers) for _, numbers in self._waiting)

    def _release(self, steps: int) -> None:
        """Free numbers that no living pin is older than, a few groups of them."""
        for _ in range(steps):
            if not self._waiting or self._oldest() < self._waiting[0][0]:
                return
            self._free.extend(self._waiting.popleft()[1])

    def _oldest(self) -> float:
        """The serial number of the oldest pin alive."""
        try:
            return next(iter(self._pins), inf)
        except RuntimeError:
            return -1  # a pin died this very moment; there is another time


def _forgetting(pins: dict[int, ref[Pin]], serial: int) -> Callable[[ref[Pin]], object]:
    # It holds the dict and not the object: what is pinned need not be kept alive by its pins.
    return lambda _: pins.pop(serial, None)
