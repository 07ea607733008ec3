"""One file for an index: arrays behind a header, checked when it is opened, and mapped rather than read.

The layout: MAGIC, the length of the header and its checksum (8 bytes each, little-endian), the header as
JSON, then each array at a multiple of 64 bytes. The header names every array with its type, length, place and
checksum. Checksums find damage. They do not find malice: open only files of people whom you would let run
programs.
"""

from __future__ import annotations

import mmap
import os
import stat
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from zlib import crc32

import msgspec
import numpy as np
from numpy.typing import NDArray

from siftmesh.errors import ConfigError, DamagedData

__all__ = ["VERSION", "load", "save"]

MAGIC = b"SIFTMESH"
# Of the layout, and of what the arrays mean to the kernels.
VERSION = 1
_LINE = 64
_START = len(MAGIC) + 16
# Kinds of numbers that arrays have.
_TYPES = {"i": np.int32, "q": np.int64, "B": np.uint8, "d": np.float64}
_LETTERS = {np.dtype(kind): letter for letter, kind in _TYPES.items()}


class _Array(msgspec.Struct, array_like=True):
    name: str
    type: str
    length: int
    place: int
    checksum: int


class _Header(msgspec.Struct):
    version: int
    byteorder: str
    size: int
    arrays: list[_Array]
    meta: dict[str, Any]


def save(path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], meta: Mapping[str, Any]) -> None:
    """Write arrays and what JSON can hold to a file, which takes its name when it is complete."""
    flat = {name: np.ascontiguousarray(array).ravel() for name, array in arrays.items()}
    listed = []
    place = 0
    for name, array in flat.items():
        place = -(-place // _LINE) * _LINE
        listed.append(_Array(name, _LETTERS[array.dtype], array.size, place, crc32(array.data.cast("B"))))
        place += array.nbytes
    # Places count from behind the header, which is filled up to a whole line.
    header = msgspec.json.encode(_Header(VERSION, sys.byteorder, place, listed, dict(meta)))
    header += b" " * (-(_START + len(header)) % _LINE)
    given = _path(path)
    # What a link leads to is replaced, not the link.
    target = Path(os.path.realpath(given))
    if target.exists() and not target.is_file():
        raise ConfigError(f"{given}: cannot be written: it is no file")
    unfinished = target.with_name(f".{target.name}.{os.urandom(6).hex()}.unfinished")
    try:
        with unfinished.open("wb") as file:
            if target.exists():
                # Who was kept from reading the one before is kept from reading this one.
                os.fchmod(file.fileno(), stat.S_IMODE(target.stat().st_mode))
            file.write(
                MAGIC + len(header).to_bytes(8, "little") + crc32(header).to_bytes(8, "little") + header
            )
            first = file.tell()
            for entry, array in zip(listed, flat.values(), strict=True):
                file.seek(first + entry.place)
                file.write(array.data.cast("B"))
            file.truncate(first + place)
            file.flush()
            os.fsync(file.fileno())
        unfinished.replace(target)
    except OSError as error:
        with suppress(OSError):
            unfinished.unlink()
        raise ConfigError(f"{given}: cannot be written: {error.strerror}") from None
    except BaseException:
        with suppress(OSError):
            unfinished.unlink()
        raise


def load(path: str | os.PathLike[str]) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """The arrays and the rest of a file. Processes that load one file share its memory.

    Arrays may be written to; that changes a copy of the page, and never the file.
    """
    target = _path(path)
    try:
        with target.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size < _START:
                raise DamagedData(f"{target}: this is no index of Siftmesh: it has only {size} bytes")
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
    except OSError as error:
        raise ConfigError(f"{target}: cannot be read: {error.strerror}") from None
    header, first = _header(target, mapped)
    if first + header.size > len(mapped):
        raise DamagedData(
            f"{target}: the file is cut off: it has {len(mapped)} bytes of {first + header.size}"
        )
    arrays = {}
    for entry in header.arrays:
        kind = _TYPES.get(entry.type)
        inside = kind is not None and 0 <= entry.length * np.dtype(kind).itemsize <= header.size - entry.place
        if not inside or entry.place < 0:
            raise DamagedData(f"{target}: the header is damaged")
        array = np.frombuffer(mapped, kind, entry.length, first + entry.place)
        if crc32(array.data.cast("B")) != entry.checksum:
            raise DamagedData(f"{target}: {entry.name} is damaged: its checksum is another")
        arrays[entry.name] = array
    return arrays, header.meta


def _header(target: Path, mapped: mmap.mmap) -> tuple[_Header, int]:
    if mapped[: len(MAGIC)] != MAGIC:
        raise DamagedData(f"{target}: this is no index of Siftmesh: it begins with {mapped[:8]!r}")
    length = int.from_bytes(mapped[8:16], "little")
    text = mapped[_START : _START + min(length, len(mapped))]
    if len(text) < length or crc32(text) != int.from_bytes(mapped[16:24], "little"):
        raise DamagedData(f"{target}: the header is damaged")
    try:
        found = msgspec.json.decode(text)
        version = found.get("version") if isinstance(found, dict) else None
        if version != VERSION:
            raise DamagedData(f"{target}: the index has version {version}, known is version {VERSION}")
        header = msgspec.convert(found, _Header)
    except msgspec.MsgspecError:
        raise DamagedData(f"{target}: the header is damaged") from None
    if header.byteorder != sys.byteorder:
        raise DamagedData(
            f"{target}: the numbers are {header.byteorder}-endian, here they are {sys.byteorder}"
        )
    return header, _START + length


def _path(path: Any) -> Path:
    """A path that a file may have."""
    try:
        made = Path(path)
        os.fsencode(made)
    except (TypeError, UnicodeError):
        raise ConfigError(f"{path!r} is no path; give the name of a file") from None
    if not made.name or "\0" in str(made):
        raise ConfigError(f"{path!r} is no path; give the name of a file")
    return made
