"""The second step of the counting matcher: who holds which predicates, and how many are needed.

Predicates and subscriptions are dense numbers here; `kernels.counting` says what the arrays hold. Entering
and leaving take time in proportion to the size of a subscription, and there is no delta that would have to be
merged. What takes longer now and then is a full array, or a predicate's full block, that is made longer.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from sys import getsizeof
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from siftmesh.matching.flatten import NEVER

__all__ = ["Association"]

# Counts beyond do not fit their byte; as many fulfilled predicates are necessary all the same.
_GREATEST_MINIMUM = 255
# Fewer fulfilled predicates than this are gathered before they are counted: a call costs more than copying.
_FEW = 4_096

Words = NDArray[np.int32]
Shape = tuple[int, ...]


@cache
def _kernels() -> ModuleType:
    # The compiler takes longer to import than all the rest together.
    from siftmesh.kernels import counting

    return counting


def _longer(array: NDArray[np.generic], length: int) -> None:
    """Make an array of which nobody holds a view longer in place, its new part zeros."""
    if len(array) < length:
        array.resize(max(length, len(array) * 3 // 2), refcheck=False)


class Association:
    """The predicate subscription association table, the minimum counts and the trees of subscriptions."""

    def __init__(self) -> None:
        # By predicate.
        self._heads = np.zeros(16, dtype=np.int32)
        self._rooms = np.zeros(8, dtype=np.int32)
        self._truth = np.zeros(1, dtype=np.uint8)
        self._entries: Words | None = None
        # By subscription; of what is never a candidate the minimum is 0.
        self._minimum = np.zeros(8, dtype=np.uint8)
        self._left = np.zeros(8, dtype=np.uint8)
        self._programs = np.zeros(16, dtype=np.int32)
        # Each found once, and one place for what is written but does not stay.
        self._candidates = np.zeros(9, dtype=np.int32)
        self._matched = np.zeros(9, dtype=np.int32)
        # By leaf of a subscription.
        self._operands = np.zeros(32, dtype=np.int32)
        self._places = np.zeros(32, dtype=np.int32)
        self._used = 0
        self._gaps: dict[int, list[int]] = {}
        # Shapes, shared by all subscriptions that have them, and what is left of those that nobody has.
        self._shapes = np.zeros(16, dtype=np.int32)
        self._shapes_used = 0
        self._shape_gaps: dict[int, list[int]] = {}
        self._shape_places: dict[Shape, int] = {}
        self._shape_uses: dict[int, int] = {}
        self._work = np.zeros(8, dtype=np.int64)
        self._found = 0

    def enter(self, subscription: int, predicates: Sequence[int], shape: Shape, minimum: int) -> None:
        """Take in a subscription: the numbers of its leaves' predicates, its jumps and its minimum count."""
        kernels = _kernels()
        if self._entries is None:
            self._entries = kernels.empty_pool()
        self._make_room(subscription, max(predicates, default=0))
        count = len(predicates)
        start = self._take_operands(count)
        self._operands[start : start + count] = predicates
        entered = 0
        while True:
            entered = kernels.link(
                *(subscription, start, entered, count),
                *(self._operands, self._places, self._heads, self._rooms, self._entries),
            )
            if entered == count:
                break
            # Room for the longest of all lists, once more: then at least one leaf further.
            longest = int(self._heads[2 * predicates[entered]])
            _longer(self._entries, len(self._entries) + 2 * longest + 8)
        self._programs[2 * subscription] = start
        self._programs[2 * subscription + 1] = self._take_shape(shape, minimum)
        self._minimum[subscription] = 0 if minimum >= NEVER else min(minimum, _GREATEST_MINIMUM)

    def leave(self, subscription: int) -> list[int]:
        """Let a subscription go; the predicates that nobody holds any more."""
        place = int(self._programs[2 * subscription + 1])
        count = int(self._shapes[place])
        gone = np.empty(max(count, 1), dtype=np.int32)
        dropped = _kernels().unlink(
            *(subscription, self._programs, count, self._operands, self._places),
            *(self._heads, self._rooms, self._entries, gone),
        )
        self._minimum[subscription] = 0
        if count:
            self._gaps.setdefault(count, []).append(int(self._programs[2 * subscription]))
        self._drop_shape(place, count)
        found: list[int] = gone[:dropped].tolist()
        return found

    def match(self, fulfilled: list[Words]) -> Words:
        """The subscriptions that are true where exactly these predicates are; valid until the next call."""
        if self._entries is None or not fulfilled:
            self._found = 0
            return self._matched[:0]
        kernels = _kernels()
        np.copyto(self._left, self._minimum)
        self._truth.fill(0)
        if len(fulfilled) > 1 and sum(map(len, fulfilled)) < _FEW:
            fulfilled = [np.concatenate(fulfilled)]
        found = 0
        for numbers in fulfilled:
            found = kernels.count_hits(
                *(numbers, self._heads, self._entries, self._left, self._truth),
                *(self._candidates, found, self._work),
            )
        matches = kernels.decide(
            *(self._candidates, found, self._programs, self._operands, self._shapes),
            *(self._truth, self._matched, self._work),
        )
        self._found = found
        return self._matched[:matches]

    @property
    def candidates(self) -> int:
        """How many subscriptions reached their minimum count in the last match."""
        return self._found

    @property
    def counted(self) -> tuple[int, int, int]:
        """Hits counted, trees evaluated and leaves of them tested, in all matches so far."""
        increments, trees, tests = self._work[:3].tolist()
        return increments, trees, tests

    def memory(self) -> dict[str, int]:
        """Bytes by structure."""
        entries = 0 if self._entries is None else self._entries.nbytes
        shapes = self._shapes.nbytes + getsizeof(self._shape_places) + getsizeof(self._shape_uses)
        shapes += sum(map(getsizeof, self._shape_places))
        return {
            "association table": self._heads.nbytes + self._rooms.nbytes + entries,
            "places in the association table": self._places.nbytes,
            "minimum counts": self._minimum.nbytes,
            "hit counts": self._left.nbytes,
            "subscription trees": self._programs.nbytes + self._operands.nbytes,
            "shapes of trees": shapes,
            "fulfilled predicates": self._truth.nbytes,
            "candidates and matches": self._candidates.nbytes + self._matched.nbytes,
        }

    def _make_room(self, subscription: int, predicate: int) -> None:
        if predicate >= len(self._rooms):
            _longer(self._rooms, predicate + 1)
            _longer(self._heads, 2 * len(self._rooms))
            _longer(self._truth, len(self._rooms) // 8 + 1)
        if subscription >= len(self._minimum):
            _longer(self._minimum, subscription + 1)
            room = len(self._minimum)
            _longer(self._left, room)
            _longer(self._programs, 2 * room)
            _longer(self._candidates, room + 1)
            _longer(self._matched, room + 1)
            # np.copyto needs one length.
            self._left.resize(room, refcheck=False)

    def _take_operands(self, count: int) -> int:
        gaps = self._gaps.get(count)
        if gaps:
            return gaps.pop()
        start = self._used
        self._used = start + count
        if self._used > len(self._operands):
            _longer(self._operands, self._used)
            _longer(self._places, len(self._operands))
        return start

    def _take_shape(self, shape: Shape, minimum: int) -> int:
        if minimum > _GREATEST_MINIMUM:
            # The count is not exact, so the tree has to be looked at: it begins with its first leaf.
            shape = (shape[0], max(shape[1], 0), *shape[2:])
        place = self._shape_places.get(shape)
        if place is not None:
            self._shape_uses[place] += 1
            return place
        gaps = self._shape_gaps.get(len(shape))
        if gaps:
            place = gaps.pop()
        else:
            place = self._shapes_used
            self._shapes_used = place + len(shape)
            _longer(self._shapes, self._shapes_used)
        self._shapes[place : place + len(shape)] = shape
        self._shape_places[shape] = place
        self._shape_uses[place] = 1
        return place

    def _drop_shape(self, place: int, count: int) -> None:
        self._shape_uses[place] -= 1
        if self._shape_uses[place] == 0:
            del self._shape_uses[place]
            length = 2 + 2 * count
            del self._shape_places[tuple(self._shapes[place : place + length].tolist())]
            self._shape_gaps.setdefault(length, []).append(place)
