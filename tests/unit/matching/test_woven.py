"""Two results for the same events, put together event by event."""

from __future__ import annotations

import random

import numpy as np
import pytest

from siftmesh.matching.woven import woven
from tests.effort import effort


def result(listed: list[list[int]]) -> tuple[np.ndarray, np.ndarray]:
    bounds = np.zeros(len(listed) + 1, np.int64)
    np.cumsum([len(numbers) for numbers in listed], out=bounds[1:])
    return bounds, np.array([number for numbers in listed for number in numbers], np.int32)


@pytest.mark.parametrize(("left", "right"), [(0, 0), (0, 3), (3, 0), (3, 3), (1, 40)])
def test_of_each_event_the_first_then_the_second(left: int, right: int, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(30)):
        events = rng.randrange(6)
        one = [[rng.randrange(100) for _ in range(rng.randint(0, left))] for _ in range(events)]
        other = [[rng.randrange(-100, 0) for _ in range(rng.randint(0, right))] for _ in range(events)]
        bounds, numbers = woven(*result(one), *result(other))
        expected_bounds, expected = result([a + b for a, b in zip(one, other, strict=True)])
        assert bounds.tolist() == expected_bounds.tolist()
        assert numbers.tolist() == expected.tolist()
        assert (bounds.dtype, numbers.dtype) == (np.int64, np.int32)
