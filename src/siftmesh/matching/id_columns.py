"""Ids as arrays and back: columns where all are ints or all are strings, and strings as Python has them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.ids import gather_texts

__all__ = ["IntIds", "OneText", "Remembered", "Texts", "arrow_texts", "int_column", "text_column"]

# Ids that are remembered as Python objects, for subscriptions that match again and again.
_REMEMBERED = 4_096
_INTS = frozenset(["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32"])
_TEXTS = frozenset(["string", "large_string", "string_view"])


class Texts:
    """Strings one after the other: that of row i is from bounds[i] to bounds[i + 1] of the text."""

    __slots__ = ("bounds", "text")

    def __init__(self, bounds: NDArray[np.int64], text: NDArray[np.uint8]) -> None:
        self.bounds = bounds
        self.text = text

    def __len__(self) -> int:
        return len(self.bounds) - 1


class OneText:
    """Where a single string is written for kernels to read."""

    __slots__ = ("_view", "text")

    def __init__(self) -> None:
        self._make(256)

    def write(self, text: str) -> int | None:
        """Write a string; its length in bytes, or None if it is no Unicode text."""
        try:
            encoded = text.encode()
        except UnicodeEncodeError:
            return None
        length = len(encoded)
        if length > len(self.text):
            self._make(2 * length)
        self._view[:length] = encoded
        return length

    def _make(self, length: int) -> None:
        self.text = np.zeros(length, np.uint8)
        self._view = self.text.data


def int_column(column: Any) -> NDArray[np.int64] | None:
    """An Arrow array or a list of ints of 64 bits; None of anything else."""
    if hasattr(column, "to_pylist"):
        if str(column.type) not in _INTS or column.null_count:
            return None
        return np.array(column.to_numpy(zero_copy_only=False), np.int64)
    if not isinstance(column, (list, tuple, range)) or set(map(type, column)) != {int}:
        return None
    try:
        return np.array(column, np.int64)
    except OverflowError:
        return None


def text_column(column: Any) -> Texts | None:
    """An Arrow array or a list of strings; None of anything else, and where one is no Unicode text."""
    if hasattr(column, "to_pylist"):
        from siftmesh.matching.columns import is_unicode

        fit = str(column.type) in _TEXTS and not column.null_count and is_unicode(column)
        return _arrow_texts(column) if fit else None
    if not isinstance(column, (list, tuple)) or set(map(type, column)) != {str}:
        return None
    try:
        encoded = [one.encode() for one in column]
    except UnicodeEncodeError:
        return None
    bounds = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(one) for one in encoded], out=bounds[1:])
    return Texts(bounds, _writable(b"".join(encoded)))


def _arrow_texts(column: Any) -> Texts:
    import pyarrow

    column = column.cast(pyarrow.large_string())
    _, offsets, data = column.buffers()
    if offsets is None:
        return Texts(np.zeros(1, np.int64), _writable(b""))
    bounds = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1].copy()
    text = b"" if data is None else data.slice(bounds[0], bounds[-1] - bounds[0])
    return Texts(bounds - bounds[0], _writable(text))


def _writable(data: Any) -> NDArray[np.uint8]:
    # Kernels are compiled for arrays that can be written to; others would be compiled for a second time.
    return np.frombuffer(data, np.uint8).copy() if len(data) else np.zeros(0, np.uint8)


def arrow_texts(words: NDArray[np.int64], heap: NDArray[np.uint8], numbers: NDArray[np.int32]) -> Any:
    """The strings of numbers as an Arrow array."""
    import pyarrow

    bounds = np.zeros(len(numbers) + 1, np.int64)
    np.cumsum(words[numbers] & 0xFFFFFFFF, out=bounds[1:])
    text = np.zeros(int(bounds[-1]), np.uint8)
    gather_texts(words, heap, numbers, bounds, text)
    if bounds[-1] >= 2**31:
        buffers = pyarrow.py_buffer(bounds), pyarrow.py_buffer(text)
        return pyarrow.LargeStringArray.from_buffers(len(numbers), *buffers)
    buffers = pyarrow.py_buffer(bounds.astype(np.int32)), pyarrow.py_buffer(text)
    return pyarrow.StringArray.from_buffers(len(numbers), *buffers)


class IntIds:
    """Ids that are all ints, by number: for Python to read, and where kernels find them."""

    __slots__ = ("_view", "address")

    def __init__(self, words: NDArray[np.int64]) -> None:
        self.address = int(words.ctypes.data)
        self._view = words.data

    def of(self, numbers: Iterable[int]) -> list[int]:
        """The ids of numbers."""
        view = self._view
        return [view[number] for number in numbers]


class Remembered(dict[int, Hashable]):
    """Ids by number as they were read, for a while."""

    def __init__(self, read: Callable[[int], Hashable]) -> None:
        super().__init__()
        self._read = read

    def __missing__(self, number: int) -> Hashable:
        found = self._read(number)
        if len(self) >= _REMEMBERED:
            self.clear()
        self[number] = found
        return found
