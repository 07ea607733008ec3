"""Where subscriptions and events come from: rows one by one, or events in batches, each with its place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from siftmesh.cli.files import json_object, opened
from siftmesh.cli.tables import (
    csv_types,
    is_csv,
    is_parquet,
    is_table,
    parquet_batches,
    parquet_rows,
    read_table,
)
from siftmesh.errors import ConfigError, EventError

if TYPE_CHECKING:
    import pyarrow as pa

    from siftmesh.model.schema import Schema

__all__ = ["Batch", "Row", "place_in", "read_events", "read_rows"]

# Of a file this much is read at once; of a pipe as much as has come, so that nobody waits for its end.
_CHUNK = 1 << 20


class Row(NamedTuple):
    """One row of a file and where it stands."""

    place: str
    values: Mapping[str, Any]


class Batch(NamedTuple):
    """Some events, a record batch of Arrow or a list of mappings, and where each stands."""

    events: Any
    place: Callable[[int], str]


def place_in(path: str, row: int) -> str:
    """What to call a row of a table, counted from 0; the first row of CSV is that of the names."""
    return f"{path} row {row + 2 if is_csv(path) else row + 1}"


def read_rows(path: str, types: Mapping[str, pa.DataType] | None = None) -> Iterator[Row]:
    """The rows of a file of JSON lines (`-` for standard input), Parquet or CSV."""
    if not is_table(path):
        with opened(path) as (name, stream):
            for places, objects in _json_lines(name, stream):
                yield from map(Row, places, objects)
        return
    from siftmesh.tables import rows

    number = 0
    for batch in _batches(path, types):
        try:
            listed = rows(batch)
        except EventError as error:
            raise ConfigError(f"{path}: {error}") from None
        for values in listed:
            yield Row(place_in(path, number), values)
            number += 1


def read_events(path: str, schema: Schema | None = None) -> tuple[int | None, Iterator[Batch]]:
    """How many events there are, if a glance at the file tells, and the events in batches."""
    if is_parquet(path):
        return parquet_rows(path), _table_events(path, parquet_batches(path))
    if is_csv(path):
        table = read_table(path, csv_types(schema))
        return table.num_rows, _table_events(path, iter(table.to_batches()))
    return None, _json_events(path)


def _batches(path: str, types: Mapping[str, pa.DataType] | None) -> Iterator[pa.RecordBatch]:
    if is_parquet(path):
        return parquet_batches(path)
    return iter(read_table(path, types).to_batches())


def _table_events(path: str, batches: Iterator[pa.RecordBatch]) -> Iterator[Batch]:
    first = 0
    for batch in batches:
        yield Batch(batch, partial(_place_from, path, first))
        first += batch.num_rows


def _place_from(path: str, first: int, row: int) -> str:
    return place_in(path, first + row)


def _json_events(path: str) -> Iterator[Batch]:
    with opened(path) as (name, stream):
        for places, values in _json_lines(name, stream):
            yield Batch(values, places.__getitem__)


def _json_lines(name: str, stream: IO[bytes]) -> Iterator[tuple[Sequence[str], list[dict[str, Any]]]]:
    """Objects of lines that have come, again and again; those before a faulty one come before its fault."""
    number = 0
    for lines in _lines(name, stream):
        places: list[str] = []
        values: list[dict[str, Any]] = []
        for line in lines:
            number += 1
            if not line or line.isspace():
                continue
            place = f"{name}:{number}"
            try:
                values.append(json_object(line, place))
            except ConfigError:
                if values:
                    yield places, values
                raise
            places.append(place)
        if values:
            yield places, values


def _lines(name: str, stream: IO[bytes]) -> Iterator[list[bytes]]:
    """Whole lines, as many as can be read without waiting for more."""
    begun: list[bytes] = []
    while True:
        try:
            chunk: bytes = stream.read1(_CHUNK)  # type: ignore[attr-defined]  # of all buffered binary files
        except OSError as error:
            raise ConfigError(f"{name}: cannot be read: {error.strerror}; give the path of a file") from None
        if not chunk:
            break
        head, newline, rest = chunk.rpartition(b"\n")
        if newline:
            yield b"".join([*begun, head]).split(b"\n")
            begun = []
        begun.append(rest)
    last = b"".join(begun)
    if last:
        yield [last]
