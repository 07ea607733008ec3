"""Kernels count in 64 bits and mean to wrap around; uncompiled, numpy would warn of it each time."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def _wrap_around() -> Iterator[None]:
    with np.errstate(over="ignore"):
        yield
