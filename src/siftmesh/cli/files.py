"""Files of events and subscriptions: read row by row, faults with their place; written all or nothing."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from siftmesh.errors import ConfigError, EventError
from siftmesh.language.dialects.document import decode_json

__all__ = ["Row", "read_json", "read_rows", "replacing", "written"]

# What to do about a file that is not JSON.
_ONE_OBJECT = "give one JSON object a line"
_ONE_VALUE = "give one JSON value"


class Row:
    """One row of a file and where it stands."""

    __slots__ = ("place", "values")

    def __init__(self, place: str, values: Mapping[str, Any]) -> None:
        self.place = place
        self.values = values


def read_rows(path: str) -> Iterator[Row]:
    """The rows of a JSON lines file (`-` for standard input) or a Parquet file."""
    if path.endswith(".parquet"):
        yield from _parquet_rows(path)
    elif path == "-":
        yield from _json_rows("standard input", sys.stdin.buffer)
    else:
        with _opened(path) as lines:
            yield from _json_rows(path, lines)


def read_json(path: str) -> Any:
    """The one JSON value of a file (`-` for standard input)."""
    if path == "-":
        return _decoded(sys.stdin.buffer.read(), "standard input", _ONE_VALUE)
    with _opened(path) as stream:
        return _decoded(stream.read(), path, _ONE_VALUE)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """A file that takes its name only when it is complete; whoever reads sees the old one or the new one.

    What is there and is no ordinary file (a device, a pipe) is written to as it stands.
    """
    path = Path(os.path.realpath(path))
    if path.exists() and not path.is_file():
        with path.open("wb") as file:
            yield file
        return
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        with unfinished.open("wb") as file:
            if path.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(path.stat().st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(path)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


@contextmanager
def written(path: str | None) -> Iterator[IO[str]]:
    """Standard output, or a text file that appears only when all of it is written."""
    if path is None or path == "-":
        yield sys.stdout
        return
    if not Path(path).name:
        raise ConfigError(f"{path!r} is not the name of a file; choose another --out")
    try:
        with replacing(Path(path)) as file:
            text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
            yield text
            text.flush()
            text.detach()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}; choose another --out") from None


@contextmanager
def _opened(path: str) -> Iterator[IO[bytes]]:
    try:
        with Path(path).open("rb") as stream:
            yield stream
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror}; give the path of a file") from None


def _json_rows(name: str, lines: IO[bytes]) -> Iterator[Row]:
    for number, line in enumerate(lines, start=1):
        if line.strip():
            place = f"{name}:{number}"
            values = _decoded(line.rstrip(b"\r\n"), place, _ONE_OBJECT)
            if not isinstance(values, dict):
                raise ConfigError(f"{place}: expected a JSON object, one for each line")
            yield Row(place, values)


def _decoded(data: bytes, place: str, remedy: str) -> Any:
    try:
        return decode_json(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{place}: not UTF-8 at byte {error.start + 1}; give JSON, or a name ending in .parquet"
        ) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
        raise ConfigError(f"{place}: not JSON at {where}: {error.msg}; {remedy}") from None
    except ValueError as error:
        raise ConfigError(f"{place}: not JSON: {error}; {remedy}") from None
    except RecursionError:
        raise ConfigError(f"{place}: nested too deeply to be read; give flatter JSON") from None


def _parquet_rows(path: str) -> Iterator[Row]:
    import pyarrow
    from pyarrow import parquet

    from siftmesh.tables import rows

    number = 0
    try:
        with parquet.ParquetFile(path) as file:
            for batch in file.iter_batches():
                for values in rows(batch):
                    number += 1
                    yield Row(f"{path} row {number}", values)
    except EventError as error:
        raise ConfigError(f"{path}: {error}") from None
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        first = str(error).partition("\n")[0]
        raise ConfigError(
            f"{path}: cannot be read as Parquet: {first}; give a Parquet or JSON lines file"
        ) from None
