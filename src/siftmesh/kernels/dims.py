"""From the cells of an event to its places in the dimensions of the bitmaps."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    C_HIGH,
    C_LOW,
    C_TAG,
    CELL,
    NULL,
    STRING,
    TIMED,
    TIMESTAMP,
    Bytes,
    Longs,
    Words,
)

__all__ = ["DIM", "D_HOW", "D_SLOT", "D_TAG", "HOW_ATOM", "HOW_KEY", "HOW_PRESENCE", "fill_dims"]

# ---- a dimension: DIM words

DIM = 3
D_SLOT = 0
D_TAG = 1
D_HOW = 2

HOW_KEY = 0  # by the key of a value of this tag
HOW_ATOM = 1  # by the atom of a value of this tag
HOW_PRESENCE = 2  # whatever value it is, at 0


@kernel
def fill_dims(cells: Longs, dims: Words, present: Bytes, lows: Longs, highs: Longs, at: int) -> None:
    """Write an event's places from `at` on: a key twice, or the two between which a whole number lies."""
    count = len(dims) // DIM
    for number in range(count):
        cell = CELL * np.int64(dims[DIM * number + D_SLOT])
        told = cells[cell + C_TAG]
        found = told & 255
        tag = dims[DIM * number + D_TAG]
        how = dims[DIM * number + D_HOW]
        low = np.int64(0)
        high = np.int64(0)
        if how == HOW_PRESENCE:
            there = found > NULL
        else:
            there = found == tag or (found == TIMED and (tag == STRING or tag == TIMESTAMP))
            if how == HOW_ATOM:
                low = told >> 8
                high = low
            elif there:
                low = cells[cell + C_LOW]
                high = cells[cell + C_HIGH]
        present[at + number] = there
        lows[at + number] = low
        highs[at + number] = high
