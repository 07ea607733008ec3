"""CPU time per item, best of several rounds; contenders take turns, so that noise hits them alike."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping

__all__ = ["per_item"]


def per_item(contenders: Mapping[str, Callable[[], object]], items: int, rounds: int = 7) -> dict[str, float]:
    """Seconds of CPU time that each contender needs per item; a call handles `items` of them."""
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, work in contenders.items():
            gc.collect()
            gc.disable()
            try:
                began = time.process_time()
                work()
                best[name] = min(best[name], (time.process_time() - began) / items)
            finally:
                gc.enable()
    return best
