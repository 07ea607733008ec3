"""The arrays in which ids are kept, and their room: made longer as ids come, packed when it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.ids import HEAP_USED, MOVED, STATE, move_table, pack_heap
from siftmesh.matching.id_columns import IntIds

__all__ = ["IdArrays"]

_FULL = 1.5  # places that a table has at least for each number in it


class IdArrays:
    """Words, kinds and a heap by number, and tables that find a number; `kernels.ids` says what they hold."""

    def __init__(self) -> None:
        # By number; replaced together by longer ones, so that who holds them has what belongs together.
        self._replace(np.zeros(16, np.int64), np.zeros(16, np.uint8), np.zeros(64, np.uint8))
        self._table = np.zeros(64, np.int32)
        self._old = np.zeros(0, np.int32)
        self._state = np.zeros(STATE, np.int64)

    def _tables(self) -> tuple[Any, Any, Any, Any, Any]:
        return self._table, self._old, self._words, self._kinds, self._heap

    def _reserve(self, had: int, more: int) -> None:
        """See that the table, in which so many numbers are, has room for so many more."""
        if len(self._old) and self._state[MOVED] == len(self._old):
            self._old = np.zeros(0, np.int32)
        needed = had + more
        if needed * _FULL <= len(self._table):
            return
        self._finish_moving()
        size = 64
        while size < needed * _FULL:
            size *= 2
        self._old = self._table
        self._table = np.zeros(size, np.int32)
        self._state[MOVED] = 0
        if more > 1:
            self._finish_moving()

    def _finish_moving(self) -> None:
        if len(self._old):
            move_table(*self._tables(), self._state, len(self._old))
            self._old = np.zeros(0, np.int32)

    def _pack(self, unused: NDArray[np.bool_]) -> None:
        """Forget numbers for good, and leave no gaps between strings."""
        self._finish_moving()
        words, kinds = self._words.copy(), self._kinds.copy()
        kinds[unused] = 0
        heap = np.zeros(max(64, int(self._state[HEAP_USED])), np.uint8)
        used = int(pack_heap(words, kinds, self._heap, heap))
        self._state[HEAP_USED:] = 0
        self._state[HEAP_USED] = used
        self._replace(words, kinds, heap[: used + 64].copy())

    def _fit(self, room: int) -> None:
        if room > len(self._words):
            length = max(room, len(self._words) * 3 // 2)
            self._replace(_longer(self._words, length), _longer(self._kinds, length), self._heap)

    def _fit_heap(self, more: int) -> None:
        needed = int(self._state[HEAP_USED]) + more
        if needed > len(self._heap):
            heap = _longer(self._heap, max(needed, len(self._heap) * 3 // 2))
            self._replace(self._words, self._kinds, heap)

    def _replace(self, words: NDArray[np.int64], kinds: NDArray[np.uint8], heap: NDArray[np.uint8]) -> None:
        self._words, self._kinds, self._heap = words, kinds, heap
        self._arrays = words, kinds, heap
        self._ints = IntIds(words)
        self._views = words.data, kinds.data, heap.data


def _longer(array: NDArray[Any], length: int) -> NDArray[Any]:
    # A new array: who reads ids of matches found earlier may still look at the other.
    longer = np.zeros(length, array.dtype)
    longer[: len(array)] = array
    return longer
