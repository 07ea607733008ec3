"""Time per item, best of several rounds; contenders take turns, so that noise hits them alike."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

__all__ = ["per_item", "undisturbed"]


def per_item(
    contenders: Mapping[str, Callable[[], object]],
    items: int,
    rounds: int = 7,
    clock: Callable[[], float] = time.process_time,
) -> dict[str, float]:
    """Seconds (of CPU time, unless another clock is given) that each contender needs per item.

    A call handles `items` of them.
    """
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, work in contenders.items():
            with undisturbed():
                began = clock()
                work()
                best[name] = min(best[name], (clock() - began) / items)
    return best


@contextmanager
def undisturbed() -> Iterator[None]:
    """Without the garbage collector, which has its turn before."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
