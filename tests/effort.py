"""How hard the tests try: their own numbers in a usual run, many times more in a soak.

`make soak` sets `HYPOTHESIS_PROFILE=soak`. `SOAK_SCALE` shortens or lengthens it: 1 is the whole of it, 0.02
about as much as a usual run does.
"""

from __future__ import annotations

import os

from hypothesis import settings

__all__ = ["PROFILE", "SOAKING", "effort", "examples"]

PROFILE = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default")
SOAKING = PROFILE == "soak"
SCALE = float(os.environ.get("SOAK_SCALE") or 1)
TIMES, FEWEST = 50, 5_000
# Kernels that are not compiled are Python, and take a hundred times as long.
INTERPRETED = os.environ.get("NUMBA_DISABLE_JIT", "0") != "0"


def effort(usual: int, soak: int | None = None) -> int:
    """How many times to try, where a usual run tries so many times; `soak` says it outright."""
    if not SOAKING:
        return max(1, usual // 5) if INTERPRETED else usual
    whole = max(TIMES * usual, FEWEST) if soak is None else soak
    return max(1, round(whole * SCALE))


def examples(usual: int) -> settings:
    """For a test with a number of examples of its own; as a fixed `max_examples` it would defeat the soak."""
    return settings(max_examples=effort(usual))
