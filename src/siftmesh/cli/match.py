"""`siftmesh match`: which of the subscriptions in a file do the events in a file meet?"""

from __future__ import annotations

import argparse
import json
from typing import Any

from siftmesh.cli.files import read_json, read_rows, written
from siftmesh.errors import ConfigError, EventError, SubscriptionError
from siftmesh.language.dialects import DIALECTS
from siftmesh.matcher import Matcher
from siftmesh.model.values import has_surrogate

__all__ = ["add_parser", "load_subscriptions", "read_schema", "run"]


def add_parser(commands: Any) -> None:
    """Add the command and its options to the command line."""
    parser = commands.add_parser(
        "match", help="match the events of a file against the subscriptions of a file"
    )
    parser.add_argument("subscriptions", help="JSON lines or Parquet with the fields id and filter")
    parser.add_argument("events", help="JSON lines or Parquet, one event a row; - for standard input")
    parser.add_argument("--out", help="write JSON lines here instead of standard output")
    parser.add_argument("--schema", help='a JSON file such as {"price": "float", "title": "string"}')
    parser.add_argument(
        "--dialect", choices=sorted(DIALECTS), default="sql", help="the language of the filters"
    )
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Write the ids that each event meets, one JSON object a line."""
    matcher = Matcher(schema=read_schema(arguments.schema))
    load_subscriptions(matcher, arguments.subscriptions, arguments.dialect)
    with written(arguments.out) as out:
        for number, row in enumerate(read_rows(arguments.events)):
            try:
                ids = matcher.match(row.values)
            except EventError as error:
                raise ConfigError(f"{row.place}: {error}") from None
            out.write(json.dumps({"event": number, "ids": ids}, ensure_ascii=False) + "\n")
    return 0


def read_schema(path: str | None) -> dict[str, str] | None:
    """The schema of a JSON file of attribute names and type names."""
    if path is None:
        return None
    schema = read_json(path)
    if not isinstance(schema, dict) or not all(isinstance(name, str) for name in schema.values()):
        raise ConfigError(f'{path}: expected attribute names and types, such as {{"price": "float"}}')
    return schema


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
