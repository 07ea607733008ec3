"""Arrays for kernels, with noise before and behind: who reads past the end finds something else each time."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["SENTINEL", "amid_noise", "fenced", "is_fenced"]

_NOISE = 24
# What no kernel writes by chance.
SENTINEL = -0x5EED_5EED_5EED


def amid_noise(data: bytes, rng: random.Random) -> NDArray[np.uint8]:
    """Bytes as a view of a longer array of random bytes."""
    array = np.frombuffer(rng.randbytes(_NOISE) + data + rng.randbytes(_NOISE), np.uint8).copy()
    return array[_NOISE : _NOISE + len(data)]


def fenced(length: int, kind: Any = np.int64) -> NDArray[Any]:
    """Room for so many numbers, with sentinels behind that `is_fenced` looks at."""
    array = np.full(length + _NOISE, SENTINEL % 2**31 if kind is np.int32 else SENTINEL, kind)
    array[:length] = 0
    return array[:length]


def is_fenced(array: NDArray[Any]) -> bool:
    """Whether nobody has written behind the array."""
    whole = array.base
    assert isinstance(whole, np.ndarray)
    return len(set(whole[len(array) :].tolist())) == 1
