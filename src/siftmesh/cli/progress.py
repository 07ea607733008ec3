"""A line of progress on the terminal, and silence when nobody is looking at one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress"]

_BAR = 24


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """Count towards `total` on standard error; call the yielded function with each number done."""
    done, began, drawn = 0, time.monotonic(), 0.0
    shown = sys.stderr.isatty()

    def advance(more: int) -> None:
        nonlocal done, drawn
        done += more
        now = time.monotonic()
        if shown and (now - drawn > 0.1 or done >= total):
            drawn = now
            filled = _BAR * min(done, total) // max(1, total)
            bar = "#" * filled + "." * (_BAR - filled)
            rate = done / max(now - began, 1e-9)
            print(f"\r{what} [{bar}] {done:,}/{total:,}  {rate:,.0f}/s ", end="", file=sys.stderr, flush=True)

    yield advance
    if shown:
        print("\r\033[K", end="", file=sys.stderr, flush=True)  # clear the line
