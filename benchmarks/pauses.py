"""How long a caller waits for an add, a replace or a remove, alone and while another thread matches.

A matcher holds many subscriptions. Filters are added, replaced and removed one at a time, all with constants
that it has never seen, first with nobody else there, then while a second thread hands batch after batch of
events to the same matcher. Times are by the clock on the wall. The filters are Trees: to read texts, nobody
has to wait for anybody.
"""

from __future__ import annotations

import argparse
import gc
import re
import time
from collections.abc import Callable, Iterable, Sequence
from math import inf
from threading import Event, Thread
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.matcher_workloads import make, range_tree
from benchmarks.peers.contender import BATCH, batches
from benchmarks.peers.own import fill
from benchmarks.records import Line, keep, names, number, options, positive
from siftmesh import Matcher, Tree
from siftmesh.filters import FilterReader
from siftmesh.workload import ranges, subscriptions
from siftmesh.workload.auction import AuctionModel

__all__ = ["main"]

WORKLOADS = ("mixed", "ranges")
ABOUT = ("workload", "size", "what", "beside")
BATCHES = 20  # different ones
# Operations that do not count, before the first that does.
FIRST = 50
NEW = 1_000_000_000  # the first id of those that are added

Seconds = NDArray[np.float64]


def main(arguments: Sequence[str] = ()) -> int:
    asked = _options(arguments)
    lines: list[Line] = []
    for workload in asked.workloads:
        lines += _measure(workload, asked)
    keep("pauses", arguments, asked.save, lines, ABOUT)
    return 0


def _measure(workload: str, asked: argparse.Namespace) -> list[Line]:
    case = make(workload, asked.size, BATCHES * BATCH, seed=asked.seed)
    matcher = Matcher()
    fill(matcher, case)
    events = batches(case.events)
    for batch in events:
        matcher.match_batch(batch)
    matcher.compact()
    texts = unheard(workload, 4 * asked.operations + 2 * FIRST, asked.seed + 1)
    read = range_tree if workload == "ranges" else FilterReader().read
    filters = [read(text) for text in texts]
    changes(matcher, filters[: 2 * FIRST], inf)
    half = 2 * FIRST + 2 * asked.operations
    # What this benchmark holds is not for the garbage collector to walk through.
    del case
    gc.collect()
    gc.freeze()
    took: dict[tuple[str, str], Seconds] = {}
    with Matching(matcher, events) as other:
        time.sleep(min(asked.seconds, 2.0))
    took["match_batch", "nothing"] = other.took()
    for what, seconds in changes(matcher, filters[2 * FIRST : half], asked.seconds).items():
        took[what, "nothing"] = seconds
    with Matching(matcher, events) as other:
        beside = changes(matcher, filters[half:], asked.seconds)
    took["match_batch", "changes"] = other.took()
    for what, seconds in beside.items():
        took[what, "match_batch"] = seconds
    gc.unfreeze()
    return _report(workload, asked.size, took)


def unheard(workload: str, count: int, seed: int) -> list[str]:
    """Filters like those of a workload, each with constants that no other has."""
    if workload == "ranges":
        table = ranges.texts(ranges.RangeModel(), count, seed)
    else:
        table = subscriptions.texts(subscriptions.mixed(count, seed, AuctionModel()))
    return [_own(text, place) for place, text in enumerate(table["filter"].to_pylist())]


_NAME = re.compile(r"((?:title|author) = '(?:[^']|'')*)'")
_NUMBER = re.compile(r"(?<=BETWEEN )[\d.]+|(?<=AND )[\d.]+|(?<=<= )[\d.]+")


def _own(text: str, place: int) -> str:
    """The same filter with other names, and with numbers of more digits than any number of a workload has."""
    digits = f"0001{place:07}"
    named = _NAME.sub(rf"\1, no. {place}'", text)
    return _NUMBER.sub(lambda found: found[0] + ("" if "." in found[0] else ".") + digits, named)


def changes(matcher: Matcher, filters: Sequence[Tree | str], seconds: float) -> dict[str, Seconds]:
    """Add half of the filters, let the other half take their places, remove them; what each call took.

    If adding or replacing takes more seconds than these, the rest is left out.
    """
    half = len(filters) // 2
    ids = range(NEW, NEW + half)
    added = _timed(matcher.add, zip(ids, filters[:half], strict=True), seconds)
    there = ids[: len(added)]
    replaced = _timed(matcher.replace, zip(there, filters[half : half + len(there)], strict=True), seconds)
    return {"add": added, "replace": replaced, "remove": _timed(matcher.remove, zip(there), inf)}


def _timed(work: Callable[..., object], arguments: Iterable[tuple[Any, ...]], seconds: float) -> Seconds:
    took = []
    end = time.perf_counter() + seconds
    for given in arguments:
        began = time.perf_counter()
        work(*given)
        took.append(time.perf_counter() - began)
        if began > end:
            break
    return np.array(took)


class Matching:
    """A thread that matches batches as long as the block goes on."""

    def __init__(self, matcher: Matcher, events: Sequence[pa.Table]) -> None:
        self._matcher, self._events = matcher, events
        self._took: list[float] = []
        self._error: BaseException | None = None
        self._over, self._begun = Event(), Event()
        self._thread = Thread(target=self._run, daemon=True)

    def __enter__(self) -> Matching:
        self._thread.start()
        self._begun.wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()
        if self._error is not None:
            raise self._error

    def took(self) -> Seconds:
        """The seconds of each batch."""
        return np.array(self._took)

    def _run(self) -> None:
        try:
            while not self._over.is_set():
                for batch in self._events:
                    began = time.perf_counter()
                    self._matcher.match_batch(batch)
                    self._took.append(time.perf_counter() - began)
                    self._begun.set()
        except BaseException as error:  # a fault of the other thread is a fault of the benchmark
            self._error = error
            self._begun.set()


def _report(workload: str, size: int, took: dict[tuple[str, str], Seconds]) -> list[Line]:
    print(f"\n{workload}: {size:,} subscriptions, microseconds a call (match_batch: {BATCH:,} events)")
    print(f"  {'':<12}{'beside':<12}{'calls':>9}{'mean':>10}{'99%':>11}{'longest':>11}{'mean x alone':>14}")
    lines = []
    for what, beside in sorted(took):
        seconds, alone = took[what, beside], took[what, "nothing"]
        mean, late, longest = (
            1e6 * each for each in (seconds.mean(), np.quantile(seconds, 0.99), seconds.max())
        )
        ratio = seconds.mean() / alone.mean()
        print(
            f"  {what:<12}{beside:<12}{len(seconds):>9,}{number(mean):>10}{number(late):>11}"
            f"{number(longest):>11}{number(ratio):>14}"
        )
        line = {"workload": workload, "size": size, "what": what, "beside": beside, "calls": len(seconds)}
        figures = {"mean_us": mean, "p99_us": late, "longest_us": longest, "mean_x_alone": ratio}
        lines.append(line | {name: float(f"{value:.4g}") for name, value in figures.items()})
    return lines


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    quick = "--quick" in arguments
    parser = options("pauses", __doc__)
    parser.add_argument("--workloads", type=names(WORKLOADS), default=list(WORKLOADS))
    parser.add_argument("--size", type=positive, default=2_000 if quick else 200_000, help="subscriptions")
    parser.add_argument(
        "--operations", type=positive, default=200 if quick else 20_000, help="adds, replaces and removes"
    )
    parser.add_argument(
        "--seconds", type=float, default=2.0 if quick else 30.0, help="for the adds, and for the replaces"
    )
    return parser.parse_args(arguments)
