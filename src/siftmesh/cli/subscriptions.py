"""Subscriptions from files: texts row by row, a template with a table of parameters, or an index file."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from siftmesh.cli.files import is_stream
from siftmesh.cli.progress import progress
from siftmesh.cli.settings import read_limits, read_schema, said
from siftmesh.cli.sources import Row, place_in, read_rows
from siftmesh.cli.tables import is_csv, is_table, read_table
from siftmesh.errors import ConfigError, DamagedData, SubscriptionError

if TYPE_CHECKING:
    import pyarrow as pa

    from siftmesh.matcher import Matcher

__all__ = ["add_rows", "add_source", "is_index", "read_matcher", "subscription_rows"]

INDEXES = ("adaptive", "counting", "scan")
# What an index file begins with.
_MAGIC = b"SIFTMESH"
# An error of one row of many says which, counted from 0.
_IN_ROW = re.compile(r"row (\d+): (.*)", re.DOTALL)


def add_source(parser: argparse.ArgumentParser) -> None:
    """Add the subscriptions and how they are read to a command."""
    parser.add_argument(
        "subscriptions",
        metavar="SUBSCRIPTIONS",
        help="JSON lines, Parquet or CSV with id and filter, or an index file that --save-index wrote;"
        " - for standard input",
    )
    parser.add_argument(
        "--template",
        metavar="FILTER",
        help="SUBSCRIPTIONS is a table of the :parameters of this filter, a row for each subscription",
    )
    parser.add_argument("--id", metavar="NAME", help="the column of the ids beside a --template (default id)")
    parser.add_argument("--index", choices=INDEXES, help="how subscriptions are looked up")


def read_matcher(arguments: argparse.Namespace) -> Matcher:
    """A matcher with the subscriptions that the arguments name; the first that is wrong is refused."""
    from siftmesh.matcher import Matcher
    from siftmesh.matching.api import DEFAULT_INDEX

    path = arguments.subscriptions
    if arguments.template is None and arguments.id is not None:
        raise ConfigError("--id names a column beside a --template; leave it out")
    if is_index(path):
        return _load(path, arguments)
    matcher = Matcher(read_schema(arguments), read_limits(arguments), arguments.index or DEFAULT_INDEX)
    if arguments.index != "scan":
        _tell_of_compiling()
    if arguments.template is not None:
        if arguments.dialect != "sql":
            raise ConfigError(f"a --template is in the dialect sql, not {arguments.dialect}")
        _add_table(matcher, arguments.template, path, arguments.id or "id")
    else:
        with progress("subscriptions", None) as advance:
            add_rows(matcher, subscription_rows(path), arguments.dialect, advance)
    if not len(matcher):
        print(f"siftmesh: {path}: there are no subscriptions, so nothing can match", file=sys.stderr)
    return matcher


def _tell_of_compiling() -> None:
    """Say why nothing seems to happen where nothing was compiled before."""
    from siftmesh.kernels.jit import is_cold

    if is_cold():
        print(
            "siftmesh: compiling for the first time, about a minute; it is kept", file=sys.stderr, flush=True
        )


def is_index(path: str) -> bool:
    """Whether a file begins as index files do; what cannot be read twice, such as a pipe, is none."""
    if is_stream(path):
        return False
    try:
        with Path(path).open("rb") as file:
            return file.read(len(_MAGIC)) == _MAGIC
    except (OSError, ValueError):
        return False


def subscription_rows(path: str) -> Iterable[Row]:
    """The rows of a file of subscriptions."""
    if not is_csv(path):
        return read_rows(path)
    import pyarrow as pa

    texts = {"filter": pa.string(), "dialect": pa.string()}
    ids = read_table(path, texts)
    if "id" in ids.schema.names and not pa.types.is_integer(ids.schema.field("id").type):
        texts["id"] = pa.string()  # not 1.5 or true, which are no ids
    return read_rows(path, texts)


def add_rows(matcher: Matcher, rows: Iterable[Row], dialect: str = "sql", advance: Any = None) -> None:
    """Add the subscription of each row, or refuse the first that is wrong with its place."""
    for place, values in rows:
        missing = [field for field in ("id", "filter") if field not in values]
        if missing:
            raise ConfigError(
                f"{place}: no field {missing[0]!r}; a subscription has the fields id and filter"
            )
        _check_id(place, values["id"])
        language = values.get("dialect")
        if language is not None and not isinstance(language, str):
            raise ConfigError(f"{place}: the dialect is no string; give the name of one, such as sql")
        try:
            matcher.add(values["id"], values["filter"], dialect=language or dialect)
        except SubscriptionError as error:
            raise ConfigError(f"{place}: {said(error)}") from None
        except ConfigError as error:
            raise ConfigError(f"{place}: {error}") from None
        if advance is not None:
            advance(1)


def _add_table(matcher: Matcher, source: str, path: str, id: str) -> None:
    try:
        template = matcher.template(source)
    except SubscriptionError as error:
        raise ConfigError(f"--template: {said(error)}") from None
    listed: list[Row] = []
    if is_table(path):
        table: Any = read_table(path)
        if id in table.schema.names:
            table = table.set_column(table.schema.names.index(id), id, _ids(path, id, table.column(id)))
    else:
        listed = list(read_rows(path))
        for place, values in listed:
            for name in (id, *template.parameters):
                if name not in values:
                    raise ConfigError(f"{place}: no field {name!r}; a row has an id and all parameters")
            _check_id(place, values[id])
        table = [row.values for row in listed]
    try:
        matcher.add_many(template, table, id=id)
    except SubscriptionError as error:
        raise ConfigError(_placed(path, listed, error)) from None


def _placed(path: str, listed: list[Row], error: SubscriptionError) -> str:
    """A refusal with the place of the row that it is about."""
    line = said(error)
    found = _IN_ROW.fullmatch(line)
    if found is None:
        return f"{path}: {line}"
    row = int(found[1])
    return f"{listed[row].place if listed else place_in(path, row)}: {found[2]}"


def _ids(path: str, id: str, column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column of ids, which are integers or texts; of CSV other numbers stay text."""
    import pyarrow as pa

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if is_csv(path) and not pa.types.is_integer(kind) and not pa.types.is_string(kind):
        column = read_table(path, {id: pa.string()}).column(id)
    elif not any(test(kind) for test in (pa.types.is_integer, pa.types.is_string, pa.types.is_large_string)):
        raise ConfigError(f"{path}: the ids in column {id!r} are {kind}; give integers or strings")
    if column.null_count:
        row = column.is_null().index(True).as_py()
        raise ConfigError(f"{place_in(path, row)}: the id is neither a string nor an integer")
    return column


def _check_id(place: str, subscription: object) -> None:
    from siftmesh.model.values import has_surrogate

    if not isinstance(subscription, (str, int)) or isinstance(subscription, bool):
        raise ConfigError(f"{place}: the id is neither a string nor an integer")
    if isinstance(subscription, str) and has_surrogate(subscription):
        raise ConfigError(f"{place}: the id holds a lone surrogate, which cannot be written")


def _load(path: str, arguments: argparse.Namespace) -> Matcher:
    from siftmesh.matcher import Matcher

    given = {
        "--template": arguments.template is not None,
        "--index": arguments.index is not None,
        "--limit": bool(arguments.limit),
        "--dialect": arguments.dialect != "sql",
    }
    for option, is_given in given.items():
        if is_given:
            raise ConfigError(
                f"{path} is an index file, whose subscriptions are read already; leave out {option}"
            )
    try:
        return Matcher.load(path)
    except DamagedData as error:
        raise ConfigError(f"{error}; write it again with --save-index") from None
