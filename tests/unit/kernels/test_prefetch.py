"""To ask memory early changes nothing but the time."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from siftmesh.kernels.prefetch import fetch
from tests.effort import INTERPRETED


@numba.njit
def fetched(array: Any, at: int) -> int:
    fetch(array, at)
    return array[at]


@numba.njit
def only_fetched(array: Any, at: int) -> None:
    fetch(array, at)


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.uint8])
def test_nothing_is_changed(dtype: Any) -> None:
    array = np.arange(100).astype(dtype)
    before = array.copy()
    for at in (0, 1, 50, 99):
        assert fetched(array, at) == at
        assert only_fetched(array, at) is None
    assert (array == before).all()
    # A part of a longer array.
    assert fetched(array[3:], 4) == 7


def asked(of: Any) -> list[str]:
    """The calls by which compiled code asks early."""
    lines = [line for code in of.inspect_llvm().values() for line in code.splitlines()]
    return [line for line in lines if "call" in line and "llvm.prefetch" in line]


@pytest.mark.skipif(INTERPRETED, reason="nothing is compiled")
def test_compiled_code_asks() -> None:
    only_fetched(np.zeros(9, np.int64), 5)
    calls = asked(only_fetched)
    # To read, kept in all caches, data.
    assert calls
    assert all("i32 0, i32 3, i32 1" in line for line in calls)
