"""Two results for the same events as one."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.layout import Longs, Words

__all__ = ["woven"]


def woven(bounds: Longs, numbers: Words, ends: Longs, others: Words) -> tuple[Longs, Words]:
    """Of each event the numbers of the first result, then those of the second."""
    if not len(numbers):
        return ends, others
    if not len(others):
        return bounds, numbers
    both = bounds + ends
    made = np.empty(len(numbers) + len(others), np.int32)
    # Where the numbers of each event move to, said for every number.
    made[np.arange(len(numbers)) + np.repeat(ends[:-1], np.diff(bounds))] = numbers
    made[np.arange(len(others)) + np.repeat(bounds[1:], np.diff(ends))] = others
    return both, made
