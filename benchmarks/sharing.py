"""One index file and several worker processes: what saving and loading take, and how much memory is shared.

Workers load the file, match, and say what the mapping of the file takes in each of them. The proportional
size (PSS) divides a page by the number of those who share it: where all is shared, they hold the file once.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import pyarrow as pa

from benchmarks.matcher_workloads import make
from benchmarks.peers.contender import batches
from benchmarks.peers.own import fill
from benchmarks.records import ROOT, Line, keep, names, options, positive
from benchmarks.timing import per_item, undisturbed
from siftmesh import Matcher

__all__ = ["main"]

WORKLOADS = ("mixed", "ranges")
ABOUT = ("workload", "size", "workers")
PROC = Path("/proc/self")
KB = 1024


def main(arguments: Sequence[str] = ()) -> int:
    asked = _options(arguments)
    lines = [_measure(workload, asked) for workload in asked.workloads]
    keep("sharing", arguments, asked.save, lines, ABOUT)
    return 0


def _measure(workload: str, asked: argparse.Namespace) -> Line:
    fill(Matcher(), make(workload, 100, 1))  # loads what is compiled
    case = make(workload, asked.size, asked.events, seed=asked.seed)
    matcher = Matcher()
    built = _seconds(lambda: fill(matcher, case))
    events = batches(case.events)
    _match(matcher, events)
    matcher.compact()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder).resolve() / f"{workload}.index"
        saved = median(_seconds(lambda: matcher.save(path)) for _ in range(asked.rounds))
        size = path.stat().st_size
        loaded = median(_seconds(lambda: Matcher.load(path)) for _ in range(asked.rounds))
        ratio = _speed(matcher, path, events, asked.rounds)
        print(f"\n{workload}: {asked.size:,} subscriptions, a file of {size / 1e6:,.1f} MB")
        print(
            f"  save {saved:.3f} s, load {loaded:.4f} s, {built / loaded:,.0f} times as fast as to build it"
        )
        print(f"  the mapped one matches {ratio:.2f} x as fast as the one in memory")
        line = {"workload": workload, "size": asked.size, "workers": asked.workers, "file_bytes": size}
        figures = {"save_seconds": saved, "load_seconds": loaded, "x_build": built / loaded}
        figures["mapped_x_in_memory"] = ratio
        # This process must not be among those who share.
        gc.collect()
        if (PROC / "smaps_rollup").is_file():
            line |= _print_workers(_workers(path, workload, asked), size)
        else:
            print("  what workers share is not known: this system has no /proc/self/smaps_rollup")
    return line | {name: float(f"{value:.4g}") for name, value in figures.items()}


def _print_workers(told: Sequence[dict[str, Any]], size: int) -> Line:
    print(f"  workers, MB    {'file mapped':>12}{'of it shared':>14}{'own copies':>12}{'process':>10}")
    for number, one in enumerate(told, 1):
        index, process = one["index"], one["process"]
        shared = index["Rss"] - index["Private_Dirty"] - index["Private_Clean"]
        shown = [each / 1e6 for each in (index["Rss"], shared, index["Private_Dirty"], process["Pss"])]
        print(f"  {number:>10}     {shown[0]:>12.1f}{shown[1]:>14.1f}{shown[2]:>12.1f}{shown[3]:>10.1f}")
    together = sum(one["index"]["Pss"] for one in told)
    print(f"  together they hold {together / size:.2f} x the file; without sharing it would be {len(told)} x")
    return {
        "together_bytes": together,
        "together_x_file": float(f"{together / size:.4g}"),
        "index": [one["index"] for one in told],
        "process": [one["process"] for one in told],
        "first_match_seconds": [one["seconds"] for one in told],
    }


def _speed(matcher: Matcher, path: Path, events: Sequence[pa.Table], rounds: int) -> float:
    """How fast the matcher of a file matches, as a multiple of one in memory; it is gone afterwards."""
    mapped = Matcher.load(path)
    _match(mapped, events)
    both = {"in memory": lambda: _match(matcher, events), "mapped": lambda: _match(mapped, events)}
    each = per_item(both, 1, rounds)
    return each["in memory"] / each["mapped"]


def _seconds(work: Callable[[], object]) -> float:
    with undisturbed():
        began = time.perf_counter()
        work()
        return time.perf_counter() - began


def _match(matcher: Matcher, events: Sequence[pa.Table]) -> None:
    for batch in events:
        matcher.match_batch(batch)


# ---- workers


def _workers(path: Path, workload: str, asked: argparse.Namespace) -> list[dict[str, Any]]:
    """What each of several processes says that have all loaded the file and matched the same events."""
    command = [
        sys.executable,
        "-m",
        "benchmarks.sharing",
        str(path),
        workload,
        str(asked.events),
        str(asked.seed),
    ]
    with _all_running(command, asked.workers) as running:
        told = []
        for each in running:
            _line(each)
        for each in running:  # only now have all of them matched
            each.stdin.write("\n")
            each.stdin.flush()
            told.append(json.loads(_line(each)))
    return told


@contextmanager
def _all_running(command: Sequence[str], count: int) -> Iterator[list[Any]]:
    pipe = subprocess.PIPE
    running = [subprocess.Popen(command, cwd=ROOT, stdin=pipe, stdout=pipe, text=True) for _ in range(count)]
    try:
        yield running
    finally:
        for each in running:
            each.communicate()


def _line(worker: Any) -> str:
    line: str = worker.stdout.readline()
    if not line:
        raise RuntimeError(f"a worker has ended with code {worker.wait()}")
    return line


def worker(path: str, workload: str, events: str, seed: str) -> None:
    """Load, match, say so; when there is an answer, say what that takes; end with the other side."""
    began = time.perf_counter()
    matcher = Matcher.load(path)
    parts = batches(make(workload, 1, int(events), seed=int(seed)).events)
    matcher.match_batch(parts[0])
    seconds = round(time.perf_counter() - began, 4)
    _match(matcher, parts)
    print("ready", flush=True)
    sys.stdin.readline()
    process = sizes((PROC / "smaps_rollup").read_text(encoding="ascii"), "[rollup]")
    index = sizes((PROC / "smaps").read_text(encoding="utf-8"), path)
    print(json.dumps({"index": index, "process": process, "seconds": seconds}), flush=True)
    sys.stdin.readline()  # who ends no longer shares


def sizes(smaps: str, name: str) -> dict[str, int]:
    """The bytes of all mappings of a name, by the kernel's own words."""
    found = dict.fromkeys(("Rss", "Pss", "Shared_Clean", "Private_Clean", "Private_Dirty"), 0)
    inside = False
    for line in smaps.splitlines():
        first, _, rest = line.partition(" ")
        if not first.endswith(":"):
            inside = line.endswith(f" {name}")
        elif inside and first[:-1] in found:
            found[first[:-1]] += int(rest.split()[0]) * KB
    return found


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    quick = "--quick" in arguments
    parser = options("sharing", __doc__)
    parser.add_argument("--workloads", type=names(WORKLOADS), default=list(WORKLOADS))
    parser.add_argument("--size", type=positive, default=2_000 if quick else 200_000, help="subscriptions")
    parser.add_argument("--events", type=positive, default=1_000 if quick else 10_000)
    parser.add_argument("--workers", type=positive, default=2 if quick else 4)
    parser.add_argument("--rounds", type=positive, default=2 if quick else 5)
    return parser.parse_args(arguments)


if __name__ == "__main__":
    worker(*sys.argv[1:])
