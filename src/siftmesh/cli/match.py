"""`siftmesh match`: which of the subscriptions in a file do the events in a file meet?"""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from siftmesh.cli.files import read_rows, written
from siftmesh.cli.settings import add_settings, read_limits, read_schema
from siftmesh.errors import ConfigError, EventError, SubscriptionError
from siftmesh.matcher import Matcher
from siftmesh.model.values import has_surrogate

__all__ = ["add_parser", "load_subscriptions", "run"]


def add_parser(commands: Any) -> None:
    """Add the command and its options to the command line."""
    parser = commands.add_parser(
        "match",
        help="match the events of a file against the subscriptions of a file",
        description="Print, for each event, the ids of the subscriptions that it meets, as JSON lines. "
        "Standard output is a stream: what was printed before a faulty event stays printed.",
    )
    parser.add_argument("subscriptions", help="JSON lines or Parquet with the fields id and filter")
    parser.add_argument("events", help="JSON lines or Parquet, one event a row; - for standard input")
    parser.add_argument("--out", help="write JSON lines to this file, which appears only if all went well")
    add_settings(parser)
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the ids that each event meets, one JSON object a line."""
    _check_files(arguments)
    matcher = Matcher(schema=read_schema(arguments), limits=read_limits(arguments))
    load_subscriptions(matcher, arguments.subscriptions, arguments.dialect)
    with written(arguments.out) as out:
        for number, row in enumerate(read_rows(arguments.events)):
            try:
                ids = matcher.match(row.values)
            except EventError as error:
                raise ConfigError(f"{row.place}: {error}") from None
            out.write(json.dumps({"event": number, "ids": ids}, ensure_ascii=False) + "\n")
    return 0


def _check_files(arguments: argparse.Namespace) -> None:
    inputs = [arguments.subscriptions, arguments.events]
    if inputs == ["-", "-"]:
        raise ConfigError("standard input cannot be both the subscriptions and the events; name a file")
    if arguments.out is not None and os.path.realpath(arguments.out) in map(os.path.realpath, inputs):
        raise ConfigError(f"{arguments.out}: would be written over while it is read; choose another --out")


def load_subscriptions(matcher: Matcher, path: str, dialect: str = "sql") -> None:
    """Add all subscriptions of a file, or refuse the first that is wrong with its place."""
    for row in read_rows(path):
        missing = [field for field in ("id", "filter") if field not in row.values]
        if missing:
            raise ConfigError(
                f"{row.place}: no field {missing[0]!r}; a subscription has the fields id and filter"
            )
        subscription = row.values["id"]
        if not isinstance(subscription, (str, int)) or isinstance(subscription, bool):
            raise ConfigError(f"{row.place}: the id is neither a string nor an integer")
        if isinstance(subscription, str) and has_surrogate(subscription):
            raise ConfigError(f"{row.place}: the id holds a lone surrogate, which cannot be written")
        try:
            matcher.add(subscription, row.values["filter"], dialect=dialect)
        except SubscriptionError as error:
            raise ConfigError(f"{row.place}: {error.in_one_line()}") from None
