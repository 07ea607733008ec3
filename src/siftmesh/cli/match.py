"""`siftmesh match`: which of the subscriptions in a file do the events in a file meet?"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from siftmesh.cli.files import is_stream, opened, same_file
from siftmesh.cli.progress import progress, summary
from siftmesh.cli.results import FORMATS, Results, format_of, results
from siftmesh.cli.settings import add_settings, read_schema
from siftmesh.cli.sources import Batch, read_events
from siftmesh.cli.subscriptions import add_source, read_matcher
from siftmesh.errors import ConfigError, EventError

if TYPE_CHECKING:
    from siftmesh.matcher import Matcher
    from siftmesh.matching.api import Matches

__all__ = ["add_parser", "run", "until_fault"]

# Events that are matched between two looks at the clock, which should be about so many seconds apart.
_FEWEST, _MOST = 64, 65_536
_SECONDS = 0.2


def add_parser(commands: Any) -> None:
    """Add the command and its options to the command line."""
    parser = commands.add_parser(
        "match",
        help="match the events of a file against the subscriptions of a file",
        description="Print, for each event, the ids of the subscriptions that it meets. Names that end in"
        " .parquet, .csv or .tsv are read as such, others as JSON lines.",
        epilog="Standard output is a stream: what was printed before a faulty event stays printed. --out and"
        " --save-index are all or nothing.",
    )
    add_source(parser)
    parser.add_argument(
        "events",
        metavar="EVENTS",
        nargs="?",
        help="JSON lines, Parquet or CSV, one event a row; - for standard input; none to --save-index only",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        choices=FORMATS,
        help="default table; jsonl with --out, or parquet if its name ends so",
    )
    output.add_argument("--pairs", action="store_true", help="a row for each match, not for each event")
    output.add_argument(
        "--out", metavar="FILE", help="write to this file, which appears only if all went well"
    )
    output.add_argument(
        "--save-index", metavar="FILE", help="keep the subscriptions as an index file, which opens at once"
    )
    add_settings(parser)
    parser.set_defaults(run=run, late="events")


def run(arguments: argparse.Namespace) -> int:
    """Write what each event meets."""
    _check_files(arguments)
    form = format_of(arguments.format, arguments.out)
    matcher = read_matcher(arguments)
    if arguments.events is None:
        _save(matcher, arguments.save_index)
        return 0
    total, batches = read_events(arguments.events, read_schema(arguments))
    tally = _Tally()
    # On one terminal the bar would stand between the lines of the table.
    hidden = is_stream(arguments.out) and sys.stdout.isatty()
    with results(form, arguments.out, matcher, pairs=arguments.pairs) as out:
        with progress("events", total, hidden=hidden) as advance:
            try:
                for count in _match(matcher, batches, out, tally):
                    advance(count)
            except ConfigError as error:
                raise ConfigError(f"{error}{_kept(arguments.out, tally.events)}") from None
        if arguments.save_index is not None:
            _save(matcher, arguments.save_index)
    summary(tally.line(len(matcher)))
    return 0


class _Tally:
    """What was done so far."""

    def __init__(self) -> None:
        self.events = self.matches = 0
        self._began = time.perf_counter()

    def line(self, subscriptions: int) -> str:
        """All of it in a line."""
        seconds = max(time.perf_counter() - self._began, 1e-9)
        return (
            f"events {self.events:,}, subscriptions {subscriptions:,}, matches {self.matches:,},"
            f" {seconds:.1f} s, {self.events / seconds:,.0f} events/s"
        )


def _match(matcher: Matcher, batches: Iterator[Batch], out: Results, tally: _Tally) -> Iterator[int]:
    """Match and write all events, and say now and then how many they were."""
    size = _FEWEST
    for batch in batches:
        first, end = 0, len(batch.events)
        while first < end:
            part = batch.events[first : first + size]
            began = time.perf_counter()
            try:
                found, fault = matcher.match_batch(part), None
            except EventError:
                found, fault = until_fault(matcher, part)
            out.write(tally.events, found)
            tally.events += len(found)
            tally.matches += len(found.pairs()[1])
            if fault is not None:
                raise ConfigError(f"{batch.place(first + len(found))}: {fault}")
            yield len(found)
            first += len(found)
            seconds = time.perf_counter() - began
            if seconds < _SECONDS / 2:
                size = min(_MOST, size * 2)
            elif seconds > _SECONDS * 2:
                size = max(_FEWEST, size // 2)


def until_fault(matcher: Matcher, part: Any) -> tuple[Matches, EventError | None]:
    """The matches of the events before the first that is refused, and what is said of that one.

    A fault in a column of many events does not tell its row, so the rows are halved until it is found.
    """
    good, bad = 0, len(part)
    while good + 1 < bad:
        middle = (good + bad) // 2
        try:
            matcher.match_batch(part[good:middle])
            good = middle
        except EventError:
            bad = middle
    found = matcher.match_batch(part[:good])
    try:
        matcher.match_batch(part[good:bad])
    except EventError as error:
        return found, EventError(error.what, place=error.place, expected=error.expected)
    return found, None


def _check_files(arguments: argparse.Namespace) -> None:
    subscriptions, events = arguments.subscriptions, arguments.events
    if events is None and arguments.save_index is None:
        raise ConfigError(
            "no EVENTS to match; name a file, - for standard input, or an index to --save-index"
        )
    if events is None and (arguments.out or arguments.format or arguments.pairs):
        raise ConfigError("without EVENTS nothing is matched; leave out --out, --format and --pairs")
    if subscriptions == events == "-":
        raise ConfigError("standard input cannot be both the subscriptions and the events; name a file")
    if events is not None and events != "-" and not is_stream(events):
        with opened(events):
            pass  # before anything is printed
    if arguments.save_index is not None and is_stream(arguments.save_index):
        raise ConfigError(f"{arguments.save_index} is no file; choose another --save-index")
    for option, path in (("--out", arguments.out), ("--save-index", arguments.save_index)):
        if path is None:
            continue
        if any(same_file(path, given) for given in (subscriptions, events) if given is not None):
            raise ConfigError(f"{path}: would be written over while it is read; choose another {option}")
    if (arguments.out and arguments.save_index) and same_file(arguments.out, arguments.save_index):
        raise ConfigError(f"{arguments.out}: cannot be both; choose another --save-index")


def _save(matcher: Matcher, path: str) -> None:
    try:
        matcher.save(path)
    except ConfigError as error:
        raise ConfigError(f"{error}; choose another --save-index") from None


def _kept(out: str | None, events: int) -> str:
    """What is to be said of lines that cannot be taken back."""
    if not is_stream(out):
        return ""
    return (
        f"; {events:,} event{'s' if events != 1 else ''} before it {'were' if events != 1 else 'was'} written"
    )
