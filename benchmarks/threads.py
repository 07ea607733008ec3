"""How much more two threads match than one, with the same matcher, by the clock on the wall.

Beside it stands what the machine allows: two threads that hash bytes, which share nothing and never hold the
interpreter's lock.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from threading import Thread

from benchmarks.matcher_workloads import make
from benchmarks.peers.contender import batches
from benchmarks.peers.own import fill
from benchmarks.records import Line, keep, names, number, options, positive
from benchmarks.timing import per_item
from siftmesh import Matcher

__all__ = ["main"]

WORKLOADS = ("mixed", "ranges")
ABOUT = ("workload", "size", "threads")
HASHED = bytes(1 << 20)


def main(arguments: Sequence[str] = ()) -> int:
    asked = _options(arguments)
    lines: list[Line] = []
    for workload in asked.workloads:
        lines += _measure(workload, asked)
    keep("threads", arguments, asked.save, lines, ABOUT)
    return 0


def _measure(workload: str, asked: argparse.Namespace) -> list[Line]:
    case = make(workload, asked.size, asked.events, seed=asked.seed)
    matcher = Matcher()
    fill(matcher, case)
    parts = batches(case.events, asked.batch)

    def match() -> None:
        for part in parts:
            matcher.match_batch(part)

    match()
    matcher.compact()
    turns = _turns(match, asked.turn)
    hashes = _turns(lambda: sha256(HASHED), asked.turn)
    contenders = {
        (what, threads): partial(_together, work, threads, repeats)
        for what, work, repeats in (("match_batch", match, turns), ("sha256", lambda: sha256(HASHED), hashes))
        for threads in asked.threads
    }
    best = per_item(contenders, 1, asked.rounds, clock=time.perf_counter)
    print(f"\n{workload}: {asked.size:,} subscriptions, batches of {asked.batch:,} events")
    print(f"  {'threads':<10}{'events/s':>14}{'x 1 thread':>12}{'sha256 x 1 thread':>20}")
    lines = []
    for threads in asked.threads:
        # So much more is done in the same time: each thread does everything once.
        gain, allowed = (
            threads / asked.threads[0] * best[what, asked.threads[0]] / best[what, threads]
            for what in ("match_batch", "sha256")
        )
        rate = threads * turns * case.events.num_rows / best["match_batch", threads]
        print(f"  {threads:<10}{number(rate):>14}{number(gain):>12}{number(allowed):>20}")
        line = {"workload": workload, "size": asked.size, "batch": asked.batch, "threads": threads}
        figures = {"events_per_second": rate, "x_one_thread": gain, "sha256_x_one_thread": allowed}
        lines.append(line | {name: float(f"{value:.4g}") for name, value in figures.items()})
    return lines


def _turns(work: Callable[[], object], seconds: float) -> int:
    """How often to do it for a turn of so many seconds."""
    began = time.perf_counter()
    work()
    return max(1, round(seconds / max(time.perf_counter() - began, 1e-9)))


def _together(work: Callable[[], object], threads: int, repeats: int) -> None:
    """Do it so often in each of so many threads."""
    faults: list[BaseException] = []

    def repeat() -> None:
        try:
            for _ in range(repeats):
                work()
        except BaseException as error:  # a fault of a thread is a fault of the benchmark
            faults.append(error)

    running = [Thread(target=repeat) for _ in range(threads)]
    for thread in running:
        thread.start()
    for thread in running:
        thread.join()
    for fault in faults:
        raise fault


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    quick = "--quick" in arguments
    parser = options("threads", __doc__)
    parser.add_argument("--workloads", type=names(WORKLOADS), default=list(WORKLOADS))
    parser.add_argument("--size", type=positive, default=2_000 if quick else 200_000, help="subscriptions")
    parser.add_argument("--events", type=positive, default=2_000 if quick else 20_000)
    parser.add_argument("--batch", type=positive, default=10_000, help="events in a batch")
    parser.add_argument("--threads", type=_threads, default=[1, 2], help="1,2 unless others are named")
    parser.add_argument("--turn", type=float, default=0.1 if quick else 1.0, help="seconds of a turn")
    parser.add_argument("--rounds", type=positive, default=2 if quick else 7)
    return parser.parse_args(arguments)


def _threads(text: str) -> list[int]:
    found = [positive(part) for part in text.split(",")]
    if found[0] != 1:
        raise argparse.ArgumentTypeError("the first is 1, with which the others are compared")
    return found
