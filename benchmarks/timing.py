"""Time per item, best of several rounds; contenders take turns, so that noise hits them alike."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

__all__ = ["SHORT", "per_item", "undisturbed"]

# Seconds of a turn that is short.
SHORT = 0.5


def per_item(
    contenders: Mapping[str, Callable[[], object]],
    items: int,
    rounds: int = 7,
    clock: Callable[[], float] = time.process_time,
    warm: bool = False,
) -> dict[str, float]:
    """Seconds (of CPU time, unless another clock is given) that each contender needs per item.

    A call handles `items` of them. When `warm`, one that is short is made once more beforehand: else it would
    mostly measure how what another contender left in the processor's caches is driven out.
    """
    best = dict.fromkeys(contenders, float("inf"))
    for _ in range(rounds):
        for name, work in contenders.items():
            with undisturbed():
                if warm and best[name] * items < SHORT:
                    work()
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
