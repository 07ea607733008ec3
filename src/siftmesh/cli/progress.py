"""A line of progress on the terminal, and silence when nobody is looking at one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress", "summary"]

_BAR = 24


@contextmanager
def progress(what: str, total: int | None, *, hidden: bool = False) -> Iterator[Callable[[int], None]]:
    """Count on standard error, towards `total` if it is known; call what is given with each number done.

    Nothing is drawn where `hidden`, as when what is counted is printed on the same terminal.
    """
    done, began, drawn = 0, time.monotonic(), 0.0
    shown = sys.stderr.isatty() and not hidden

    def advance(more: int) -> None:
        nonlocal done, drawn
        done += more
        now = time.monotonic()
        if shown and (now - drawn > 0.1 or done == total):
            drawn = now
            rate = done / max(now - began, 1e-9)
            print(f"\r{what} {_state(done, total)}  {rate:,.0f}/s ", end="", file=sys.stderr, flush=True)

    if shown:
        print(f"\r{what} {_state(0, total)} ", end="", file=sys.stderr, flush=True)
    try:
        yield advance
    finally:
        if shown:
            print("\r\033[K", end="", file=sys.stderr, flush=True)  # clear the line


def summary(line: str) -> None:
    """Say in the end what was done, if somebody is looking."""
    if sys.stderr.isatty():
        print(line, file=sys.stderr, flush=True)


def _state(done: int, total: int | None) -> str:
    if total is None:
        return f"{done:,}"
    filled = _BAR * min(done, total) // max(1, total)
    bar = "#" * filled + "." * (_BAR - filled)
    return f"[{bar}] {done:,}/{total:,}"
