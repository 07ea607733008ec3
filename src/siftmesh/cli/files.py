"""Files: JSON read with the place of whatever is wrong, and results written all or nothing."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from siftmesh.errors import ConfigError

__all__ = ["is_stream", "json_object", "opened", "read_json", "replacing", "same_file", "writing", "written"]


def read_json(path: str) -> Any:
    """The one JSON value of a file (`-` for standard input)."""
    with opened(path) as (name, stream):
        return decoded(stream.read(), name, "give one JSON value")


@contextmanager
def opened(path: str) -> Iterator[tuple[str, IO[bytes]]]:
    """A file to read bytes from, and what to call it; `-` is standard input."""
    if path == "-":
        if sys.stdin is None:
            raise ConfigError("standard input is closed; give it something to read, or name a file")
        yield "standard input", sys.stdin.buffer
        return
    try:
        stream = Path(path).open("rb")  # noqa: SIM115 - the `with` below must not see what its body raises
    except (OSError, ValueError) as error:
        # A name can also hold what no name may hold, such as a zero byte.
        why = getattr(error, "strerror", None) or error
        raise ConfigError(f"{path}: cannot be read: {why}; give the path of a file") from None
    with stream:
        yield path, stream


def json_object(line: bytes, place: str) -> dict[str, Any]:
    """The JSON object on a line, or a refusal that begins with the place."""
    values = decoded(line.rstrip(b"\r\n"), place, "give one JSON object a line")
    if not isinstance(values, dict):
        raise ConfigError(f"{place}: expected a JSON object, one for each line")
    return values


def decoded(data: bytes | str, place: str, remedy: str) -> Any:
    """A JSON value, or a refusal that says where it is none and what to do."""
    from siftmesh.language.dialects.document import decode_json

    try:
        return decode_json(data if isinstance(data, str) else data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{place}: not UTF-8 at byte {error.start + 1}; give JSON, or a name that ends in .parquet"
        ) from None
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
        raise ConfigError(f"{place}: not JSON at {where}: {error.msg}; {remedy}") from None
    except ValueError as error:
        raise ConfigError(f"{place}: not JSON: {error}; {remedy}") from None
    except RecursionError:
        raise ConfigError(f"{place}: nested too deeply to be read; give flatter JSON") from None


# ---- writing


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
def writing(path: str) -> Iterator[IO[bytes]]:
    """The same for a path that a user gave: what cannot be written is refused in a line."""
    try:
        if not Path(path).name:
            raise ConfigError(f"{path!r} is not the name of a file; choose another --out")
        with replacing(Path(path)) as file:
            yield file
    except BrokenPipeError:
        # Whoever read the other end has seen enough; that is the program's to end, not an error of ours.
        raise
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}; choose another --out") from None


@contextmanager
def written(path: str | None) -> Iterator[IO[str]]:
    """Standard output, or a text file that appears only when all of it is written."""
    if path is None or path == "-":
        yield sys.stdout
        return
    with writing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", newline="\n")
        yield text
        text.flush()
        text.detach()


def is_stream(path: str | None) -> bool:
    """Whether what is written there cannot be taken back: standard output, a device or a pipe."""
    return path is None or path == "-" or (os.path.exists(path) and not os.path.isfile(path))


def same_file(path: str, other: str) -> bool:
    """Whether two paths are one file, or would be."""
    if "-" in (path, other):
        return False
    with suppress(OSError, ValueError):
        if is_stream(path):
            return False
        if os.path.realpath(path) == os.path.realpath(other):
            return True
        return os.path.samefile(path, other)
    return False
