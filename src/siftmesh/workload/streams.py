"""Numbered random columns: the same seed gives the same numbers, whichever part of a column is asked for.

A column is cut into blocks of 65,536 values and every block of every column has a random stream of its own,
keyed by the seed, the column's name and the block's number. So row 1,000,000 can be made without the rows
before it, workers can each make a share, and a column that is added later leaves the others as they were.

Only uniform doubles are drawn; every other distribution is computed from them. They are the part of numpy's
generators that does not change between its versions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from siftmesh.errors import ConfigError

__all__ = ["BLOCK", "block", "check_count", "pick", "slices", "span", "thresholds", "uniforms"]

BLOCK = 65_536

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def check_count(name: str, value: int, least: int = 0) -> None:
    """Refuse a number of rows, or a seed, that cannot be meant."""
    if value < least:
        raise ConfigError(f"{name} is {value} (expected at least {least})")


def block(seed: int, column: str, number: int) -> Floats:
    """One whole block of a column: `BLOCK` doubles in [0, 1)."""
    check_count("seed", seed)
    # The key is a number made from the name, not from Python's hash(), which differs from run to run.
    key = np.random.SeedSequence(seed, spawn_key=(crc32(column.encode()), number))
    return np.random.Generator(np.random.PCG64(key)).random(BLOCK)


def uniforms(seed: int, column: str, count: int, first: int = 0) -> Floats:
    """The values number `first` to `first + count` of a column."""
    pieces = slices(first, count, BLOCK)
    return np.concatenate([np.empty(0), *(block(seed, column, number)[i:j] for number, i, j in pieces)])


def slices(first: int, count: int, at_most: int) -> Iterator[tuple[int, int, int]]:
    """Rows `first` .. `first + count` as pieces (block, start, end) of `at_most` rows, none across blocks."""
    check_count("first", first)
    check_count("count", count)
    check_count("batch_rows", at_most, least=1)
    row, last = first, first + count
    while row < last:
        number, start = divmod(row, BLOCK)
        end = min(BLOCK, start + at_most, start + last - row)
        yield number, start, end
        row += end - start


def span(uniform: Floats, count: int | Ints) -> Ints:
    """Whole numbers 0 .. count-1, evenly."""
    return (uniform * count).astype(np.int64)


def thresholds(shares: Sequence[float] | Floats) -> Floats:
    """The inner borders that cut [0, 1) in pieces as large as `shares`."""
    return np.cumsum(np.asarray(shares, dtype=np.float64))[:-1]


def pick(uniform: Floats, shares: Sequence[float]) -> Ints:
    """Positions in `shares`, each as often as its share says."""
    return np.searchsorted(thresholds(shares), uniform, side="right")
