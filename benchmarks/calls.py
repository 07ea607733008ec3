"""What it costs to hand arrays to compiled code, and what the matcher saves by doing that in its own way.

Arrays as arguments are unpacked and checked at each call; the matcher hands over one address, behind which
all of them are found. And compiled code counts who refers to an array, by an atomic operation whenever a
function is called with one; the matcher's code does not. To see what that is worth, the matcher is compiled
once more with counts, which takes some minutes, and both match the same events, in processes of their own.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence

import numba
import numpy as np

from benchmarks.matcher_workloads import WORKLOADS, make
from benchmarks.peers.contender import batches, mappings
from benchmarks.peers.own import fill
from benchmarks.records import ROOT, Line, keep, names, number, options, positive
from benchmarks.timing import per_item
from siftmesh import Matcher
from siftmesh.kernels.memory import longs_at

__all__ = ["main"]

ABOUT = ("what", "way", "workload", "size")
# As many as the matcher's kernels take.
ARRAYS = 14
CALLS = 20_000
# It has to be said before any other module of the kernels is imported.
_CHILD = """
import sys
from siftmesh.kernels import jit
jit._OPTIONS["_nrt"] = {counts}
from benchmarks.calls import child
child(*sys.argv[1:])
"""


def main(arguments: Sequence[str] = ()) -> int:
    asked = _options(arguments)
    lines = _arguments(asked.rounds)
    if not asked.quick:
        for workload in asked.workloads:
            lines += _counted(workload, asked)
    keep("calls", arguments, asked.save, lines, ABOUT)
    return 0


# ---- arrays as arguments, or an address


def _arguments(rounds: int) -> list[Line]:
    arrays = [np.arange(8) + place for place in range(ARRAYS)]
    addresses = np.array([array.ctypes.data for array in arrays])
    address = int(addresses.ctypes.data)

    names_of = ", ".join(f"a{place}" for place in range(ARRAYS))
    sum_of = " + ".join(f"a{place}[1]" for place in range(ARRAYS))
    of_arrays = numba.njit(eval(f"lambda {names_of}: {sum_of}"))
    of_nothing = numba.njit(lambda: 0)
    of_address = numba.njit(_of_address)
    if of_arrays(*arrays) != of_address(address):
        raise AssertionError("the two read different arrays")
    of_nothing()
    each = per_item(
        {
            f"{ARRAYS} arrays": lambda: [of_arrays(*arrays) for _ in range(CALLS)],
            "an address": lambda: [of_address(address) for _ in range(CALLS)],
            "nothing": lambda: [of_nothing() for _ in range(CALLS)],
        },
        CALLS,
        rounds,
    )
    print("\na call of compiled code that is handed")
    return [_told("call", way, seconds, each["an address"]) for way, seconds in each.items()]


def _of_address(place: int) -> int:
    found = 0
    listed = longs_at(place, ARRAYS)
    for one in range(ARRAYS):
        found += longs_at(listed[one], 8)[1]
    return found


# ---- the matcher with and without counts


def _counted(workload: str, asked: argparse.Namespace) -> list[Line]:
    lines: list[Line] = []
    ways = {"without counts": False, "with counts": True}
    with tempfile.TemporaryDirectory() as folder:
        found = {way: _run(counts, folder, workload, asked) for way, counts in ways.items()}
    for what in ("batch", "dict"):
        print(f"\nan event, {'in a batch' if what == 'batch' else 'as a dict'}: {workload}, {asked.size:,}")
        for way in ways:
            about = {"workload": workload, "size": asked.size}
            lines.append(_told(what, way, found[way][what], found["without counts"][what]) | about)
    return lines


def _run(counts: bool, folder: str, workload: str, asked: argparse.Namespace) -> dict[str, float]:
    """Seconds an event, in a process whose matcher is compiled with or without counts."""
    command = [sys.executable, "-c", _CHILD.format(counts=counts), workload]
    command += [str(value) for value in (asked.size, asked.events, asked.rounds, asked.seed)]
    # Code that counts must not get among the other.
    kept = {"SIFTMESH_CACHE_DIR": folder} if counts else {}
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | kept, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    told: dict[str, float] = json.loads(done.stdout)
    return told


def child(workload: str, size: str, events: str, rounds: str, seed: str) -> None:
    """Match in this process, and say how many seconds an event took."""
    case = make(workload, int(size), int(events), seed=int(seed))
    matcher = Matcher()
    fill(matcher, case)
    tables, dicts = batches(case.events), mappings(case.events)
    works = {
        "batch": lambda: [matcher.match_batch(table) for table in tables],
        "dict": lambda: [matcher.match(event) for event in dicts],
    }
    for work in works.values():
        work()
    matcher.compact()
    print(json.dumps(per_item(works, case.events.num_rows, int(rounds), clock=time.process_time)))


def _told(what: str, way: str, seconds: float, beside: float) -> Line:
    print(f"  {way:<20}{number(1e6 * seconds):>10} us{number(seconds / beside):>10} x")
    return {
        "what": what,
        "way": way,
        "us": float(f"{1e6 * seconds:.4g}"),
        "x": float(f"{seconds / beside:.4g}"),
    }


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = options("calls", __doc__)
    parser.add_argument("--workloads", type=names(WORKLOADS), default=["mixed"])
    parser.add_argument("--size", type=positive, default=20_000, help="subscriptions")
    parser.add_argument("--events", type=positive, default=5_000)
    parser.add_argument("--rounds", type=positive, default=2 if "--quick" in arguments else 5)
    return parser.parse_args(arguments)
