"""The dimensions of the bitmaps: what bounds are about, numbered."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.dims import DIM
from siftmesh.kernels.layout import Words

__all__ = ["Dims"]


class Dims:
    """Numbers (slot, tag, how) triples; they are never forgotten."""

    def __init__(self, table: Words | None = None) -> None:
        self._room = np.zeros(16 * DIM, np.int32) if table is None else np.array(table, np.int32)
        self._numbers: dict[tuple[int, int, int], int] = {}
        if table is not None:
            triples = self._room.reshape(-1, DIM).tolist()
            self._numbers = {(slot, tag, how): place for place, (slot, tag, how) in enumerate(triples)}
        self.table = self._room[: DIM * len(self._numbers)]

    def number(self, slot: int, tag: int, how: int) -> int:
        """The number of a dimension, a new one if need be."""
        key = (slot, tag, how)
        known = self._numbers.get(key)
        if known is not None:
            return known
        made = self._numbers[key] = len(self._numbers)
        if DIM * len(self._numbers) > len(self._room):
            longer = np.zeros(2 * DIM * len(self._numbers), np.int32)
            longer[: len(self._room)] = self._room
            self._room = longer
        self._room[DIM * made : DIM * made + DIM] = key
        self.table = self._room[: DIM * len(self._numbers)]
        return made

    def describe(self, number: int) -> tuple[int, int, int]:
        """The slot, tag and way of a dimension."""
        slot, tag, how = self.table[DIM * number : DIM * number + DIM].tolist()
        return slot, tag, how

    def __len__(self) -> int:
        return len(self._numbers)
