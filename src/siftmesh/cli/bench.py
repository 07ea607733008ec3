"""`siftmesh bench`: how fast the matchers are on this machine, each as a ratio to evaluating every filter."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from siftmesh.cli.match import until_fault
from siftmesh.cli.progress import progress
from siftmesh.cli.settings import add_settings, check_number, read_limits, read_schema
from siftmesh.cli.sources import Batch, Row, read_events
from siftmesh.cli.subscriptions import INDEXES, add_rows, is_index, subscription_rows
from siftmesh.errors import ConfigError, EventError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from siftmesh.matcher import Matcher

__all__ = ["add_parser", "run"]

# Subscriptions of a first matcher, so that what is needed is loaded or compiled before the clock runs.
_FEW = 64
# As many subscriptions or events as anybody can wait for.
_MOST = 100_000_000
# Events that are turned into dicts to be matched one by one.
_SINGLES = 2_000


class Work(NamedTuple):
    """Subscriptions to fill a matcher with, all or so many of each kind, and events in batches."""

    name: str
    fill: Callable[[Matcher, int | None], None]
    batches: list[Batch]

    @property
    def events(self) -> int:
        """How many events there are."""
        return sum(len(batch.events) for batch in self.batches)


class Rate(NamedTuple):
    """How many events were matched in how many seconds."""

    events: int
    seconds: float

    @property
    def per_second(self) -> float:
        """Events a second."""
        return self.events / max(self.seconds, 1e-9)


class Measured(NamedTuple):
    """What was found out about one matcher."""

    name: str
    subscriptions: int
    build: float
    memory: int
    batches: Rate
    singles: Rate
    # The matches of each of the first events.
    counts: NDArray[Any]


def add_parser(commands: Any) -> None:
    """Add the command and its options to the command line."""
    parser = commands.add_parser(
        "bench",
        help="measure the matchers on this machine",
        description="Build each matcher from the same subscriptions and match the same events, for a second"
        " each way; scan, which evaluates every filter, is what the others are compared with."
        " Without files a workload is generated.",
    )
    parser.add_argument(
        "files",
        nargs="*",
        metavar="SUBSCRIPTIONS EVENTS",
        help="files as `siftmesh match` takes them, except for index files",
    )
    parser.add_argument(
        "--workload",
        choices=("auctions", "ranges"),
        default="auctions",
        help="what to generate without files (default auctions)",
    )
    parser.add_argument(
        "--subscriptions", type=int, metavar="N", help="how many to generate (default 10,000)"
    )
    parser.add_argument(
        "--events", type=int, metavar="N", default=20_000, help="how many at most (default 20,000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="another seed gives another workload (default 1)")
    parser.add_argument(
        "--index", action="append", choices=INDEXES, help="only this one beside scan; can be repeated"
    )
    parser.add_argument(
        "--seconds", type=float, default=1.0, help="for each figure, at most about so many (default 1)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON, a line for each matcher")
    add_settings(parser)
    parser.set_defaults(run=run, late="files")


def run(arguments: argparse.Namespace) -> int:
    """Measure and print; the exit code is 1 if two matchers did not find the same."""
    _check(arguments)
    work = _from_files(arguments) if arguments.files else _generated(arguments)
    if not work.events:
        raise ConfigError("there are no events to measure with; give some")
    asked = arguments.index or INDEXES
    found = []
    # Scan is the last, as it takes the longest, and the others are compared with it.
    for index in [index for index in INDEXES if index in asked and index != "scan"] + ["scan"]:
        with progress(f"measuring {index}", None):
            found.append(_measure(arguments, index, work))
    if arguments.json:
        _show_json(work, found)
    else:
        _show_table(work, found)
    return _compare(found)


# ---- what to measure with


def _check(arguments: argparse.Namespace) -> None:
    check_number("--events", arguments.events, 1, _MOST)
    check_number("--seconds", arguments.seconds, 0)
    if not arguments.files:
        asked = 1 if arguments.subscriptions is None else arguments.subscriptions
        check_number("--subscriptions", asked, 1, _MOST)
        check_number("--seed", arguments.seed, 0)
        return
    if len(arguments.files) != 2:
        raise ConfigError("expected two files, SUBSCRIPTIONS and EVENTS, or none for a generated workload")
    if arguments.subscriptions is not None:
        raise ConfigError("all subscriptions of a file are taken; leave out --subscriptions")
    if arguments.files == ["-", "-"]:
        raise ConfigError("standard input cannot be both the subscriptions and the events; name a file")
    if is_index(arguments.files[0]):
        raise ConfigError(f"{arguments.files[0]} is an index file already; give the subscriptions")


def _from_files(arguments: argparse.Namespace) -> Work:
    subscriptions, events = arguments.files
    read = _new(arguments, "scan")
    with progress("subscriptions", None) as advance:
        add_rows(read, subscription_rows(subscriptions), arguments.dialect, advance)
    if not len(read):
        raise ConfigError(f"{subscriptions}: there are no subscriptions to measure with; give some")
    _, batches = read_events(events, read_schema(arguments))
    return Work(subscriptions, _filling(read), list(_first(batches, arguments.events)))


def _filling(read: Matcher) -> Callable[[Matcher, int | None], None]:
    """Adds the subscriptions of one matcher to others: indexes are measured, not how text is read."""
    trees = [(subscription, read[subscription]) for subscription in read]

    def fill(matcher: Matcher, most: int | None) -> None:
        for subscription, tree in trees[:most]:
            matcher.add(subscription, tree)

    return fill


def _first(batches: Iterator[Batch], most: int) -> Iterator[Batch]:
    for batch in batches:
        yield Batch(batch.events[:most], batch.place)
        most -= len(batch.events)
        if most <= 0:
            return


def _generated(arguments: argparse.Namespace) -> Work:
    from siftmesh.workload import auction, ranges, subscriptions

    count = arguments.subscriptions or 10_000
    if arguments.workload == "ranges":
        model = ranges.RangeModel()
        read = _new(arguments, "scan")
        with progress("subscriptions", count) as advance:
            texts = ranges.texts(model, count, arguments.seed)
            rows = (Row(str(number), row) for number, row in enumerate(texts.to_pylist()))
            add_rows(read, rows, advance=advance)
        made = ranges.events(model, arguments.events, arguments.seed)
        return Work(arguments.workload, _filling(read), [Batch(batch, str) for batch in made])
    books = auction.AuctionModel()
    parts = subscriptions.mixed(count, arguments.seed, books)
    made = auction.events(books, arguments.events, arguments.seed)

    def fill(matcher: Matcher, most: int | None) -> None:
        for part in parts:
            matcher.add_many(part.template, part.parameters.slice(0, most))

    return Work(arguments.workload, fill, [Batch(batch, str) for batch in made])


def _new(arguments: argparse.Namespace, index: str) -> Matcher:
    from siftmesh.matcher import Matcher

    return Matcher(read_schema(arguments), read_limits(arguments), index)


# ---- measuring


def _measure(arguments: argparse.Namespace, index: str, work: Work) -> Measured:
    few = _new(arguments, index)
    work.fill(few, _FEW)
    try:
        few.match_batch(work.batches[0].events[:1])
    except EventError:
        _refuse_event(few, work)
        raise
    matcher = _new(arguments, index)
    began = time.perf_counter()
    work.fill(matcher, None)
    build = time.perf_counter() - began
    try:
        size = _warm(matcher, work, arguments.seconds)
        batches, counts = _in_batches(matcher, work, size, arguments.seconds)
        singles = _one_by_one(matcher, work, arguments.seconds)
    except EventError:
        _refuse_event(matcher, work)
        raise
    memory = sum(matcher.stats()["memory"].values())
    return Measured(index, len(matcher), build, memory, batches, singles, counts)


def _warm(matcher: Matcher, work: Work, seconds: float) -> int:
    """Match some events, and say how many of them fill a part of the seconds."""
    size = 1
    events = work.batches[0].events
    matcher.match_batch(events[:1])  # what is done at first use only shall not count
    while True:
        began = time.perf_counter()
        matcher.match_batch(events[:size])
        if time.perf_counter() - began > seconds / 20 or size >= len(events):
            return size
        size *= 2


def _in_batches(matcher: Matcher, work: Work, size: int, seconds: float) -> tuple[Rate, NDArray[Any]]:
    """All events over and over, until the seconds are over."""
    import numpy as np

    done, spent = 0, 0.0
    counts = []
    while True:
        for batch in work.batches:
            for first in range(0, len(batch.events), size):
                part = batch.events[first : first + size]
                began = time.perf_counter()
                found = matcher.match_batch(part)
                spent += time.perf_counter() - began
                if done < work.events:
                    counts.append(np.bincount(found.pairs()[0], minlength=len(part)))
                done += len(part)
                if spent > seconds:
                    return Rate(done, spent), np.concatenate(counts)


def _one_by_one(matcher: Matcher, work: Work, seconds: float) -> Rate:
    from siftmesh.tables import rows

    events = list(rows(work.batches[0].events[:_SINGLES]))
    done = 0
    began = time.perf_counter()
    while True:
        for event in events:
            matcher.match(event)
            done += 1
            spent = time.perf_counter() - began
            if spent > seconds:
                return Rate(done, spent)


def _refuse_event(matcher: Matcher, work: Work) -> None:
    for batch in work.batches:
        found, fault = until_fault(matcher, batch.events)
        if fault is not None:
            raise ConfigError(f"{batch.place(len(found))}: {fault}") from None


# ---- showing


def _show_table(work: Work, found: Sequence[Measured]) -> None:
    scan = found[-1]
    longest = max((one.counts for one in found), key=len)
    print(
        f"{scan.subscriptions:,} subscriptions ({work.name}), {work.events:,} events,"
        f" {longest.mean():,.2f} matches an event; {_machine()}\n"
    )
    print("                    bytes per     events a second      events a second")
    print("index      build  subscription  in batches  to scan  one by one  to scan")
    for one in found:
        print(
            f"{one.name:<9}{one.build:6.2f} s{one.memory / one.subscriptions:14,.0f}"
            f"{one.batches.per_second:12,.0f}{_ratio(one.batches, scan.batches):>9}"
            f"{one.singles.per_second:12,.0f}{_ratio(one.singles, scan.singles):>9}"
        )


def _show_json(work: Work, found: Sequence[Measured]) -> None:
    scan = found[-1]
    for one in found:
        line: dict[str, Any] = {
            "index": one.name,
            "workload": work.name,
            "subscriptions": one.subscriptions,
            "events": work.events,
            "build_seconds": one.build,
            "index_bytes": one.memory,
            "bytes_per_subscription": one.memory / one.subscriptions,
            "matches_per_event": float(one.counts.mean()),
            "matches_counted_on_events": len(one.counts),
        }
        for name, rate, base in (
            ("batches", one.batches, scan.batches),
            ("singles", one.singles, scan.singles),
        ):
            line[name] = {
                "events": rate.events,
                "seconds": rate.seconds,
                "events_per_second": rate.per_second,
                "ratio_to_scan": rate.per_second / base.per_second,
            }
        print(json.dumps({**line, "machine": _machine()}))


def _ratio(rate: Rate, base: Rate) -> str:
    ratio = rate.per_second / base.per_second
    return f"{ratio:,.0f} x" if ratio >= 10 else f"{ratio:.1f} x"


def _machine() -> str:
    return f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} processors"


def _compare(found: Sequence[Measured]) -> int:
    """1 if two matchers found another number of subscriptions for an event that both have seen."""
    scan = found[-1]
    for one in found[:-1]:
        both = min(len(one.counts), len(scan.counts))
        wrong = (one.counts[:both] != scan.counts[:both]).nonzero()[0]
        if len(wrong):
            print(
                f"siftmesh: {one.name} finds {one.counts[wrong[0]]} subscriptions for event {wrong[0]},"
                f" scan {scan.counts[wrong[0]]}; please report this, with the files",
                file=sys.stderr,
            )
            return 1
    return 0
