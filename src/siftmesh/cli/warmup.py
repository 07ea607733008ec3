"""`siftmesh warmup`: compile all kernels now, so that no first event waits, and say where they are kept."""

from __future__ import annotations

import argparse
import time
from typing import Any

__all__ = ["add_parser", "warmup"]


def add_parser(commands: Any) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "warmup", help="compile what events are matched with, once for this version and processor"
    )
    parser.add_argument("--quiet", action="store_true", help="print one line in the end, not one for each")
    parser.set_defaults(run=warmup)


def warmup(arguments: argparse.Namespace) -> int:
    """Compile each kernel that is not kept from before, with a line for each."""
    # The compiler takes longer to import than all other commands need.
    from siftmesh.kernels.jit import cache_folder
    from siftmesh.kernels.warmup import ENTRY_POINTS, compile_all

    began = last = time.perf_counter()
    done = new = 0

    def progress(name: str, compiled: bool) -> None:
        nonlocal last, done, new
        now = time.perf_counter()
        done, new = done + 1, new + compiled
        if not arguments.quiet:
            how = f"{now - last:6.1f} s" if compiled else "    kept"
            print(f"{done:3}/{len(ENTRY_POINTS)}  {how}  {name}", flush=True)
        last = now

    compile_all(progress)
    if not done:
        print("numba is told not to compile (NUMBA_DISABLE_JIT); nothing to do")
        return 0
    where = cache_folder()
    seconds = time.perf_counter() - began
    kept = f"kept in {where}" if where else "kept nowhere: no folder is writable"
    print(f"{done} kernels, {new} of them compiled, in {seconds:.1f} s; {kept}")
    return 0
