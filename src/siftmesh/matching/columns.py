"""Batches of Arrow as kernels read them: columns that somebody asks about, side by side in three arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from siftmesh.kernels.events import (
    B_ATOMS,
    B_ENTRIES,
    B_KIND,
    B_LISTS,
    B_LISTS_VALID,
    B_SLOT,
    B_VALID,
    B_VALUES,
    COLUMN,
    V_MISSING,
    V_NULL,
    V_THERE,
)
from siftmesh.kernels.layout import BOOL, FLOAT, INT, NULL, OPAQUE, STRING, TIMESTAMP, Bytes, Longs
from siftmesh.model.event import MAX_DEPTH
from siftmesh.model.path import quote
from siftmesh.model.rows import without_nanoseconds
from siftmesh.model.values import FIRST_MICROSECOND, LAST_MICROSECOND

__all__ = ["Columns", "encode_columns", "is_unicode"]

_DAY = 86_400_000_000
_LARGEST = 2**63 - 1

# The atoms of strings laid end to end, with bounds between them; None if it does not pay to know them.
FindStrings = Callable[[int, Bytes, Longs], Longs | None]


class Strange(Exception):
    """A column whose values have to be read one by one."""


class Columns:
    """Columns of a batch: what each is (COLUMN longs), numbers, bytes of validity, and text."""

    def __init__(self) -> None:
        self.columns: list[int] = []
        self._raws: list[NDArray[np.int64]] = []
        self._valid: list[NDArray[np.uint8]] = []
        self._text: list[NDArray[np.uint8]] = []
        self._sizes = [0, 0, 0]

    def arrays(self) -> tuple[Longs, Longs, Bytes, Bytes]:
        """The columns, the numbers, the validity and the text, each as one array."""
        return (
            np.array(self.columns, np.int64),
            _joined(self._raws, np.int64),
            _joined(self._valid, np.uint8),
            # Kernels may look at the seven bytes behind a string.
            _joined([*self._text, np.zeros(8, np.uint8)], np.uint8),
        )

    def raws(self, values: NDArray[Any]) -> int:
        self._raws.append(values.astype(np.int64, copy=False))
        return self._grown(0, len(values))

    def valid(self, values: NDArray[np.uint8]) -> int:
        self._valid.append(values)
        return self._grown(1, len(values))

    def text(self, values: NDArray[np.uint8]) -> int:
        self._text.append(values)
        return self._grown(2, len(values))

    def _grown(self, which: int, more: int) -> int:
        before = self._sizes[which]
        self._sizes[which] += more
        return before


def _joined(parts: list[NDArray[Any]], dtype: Any) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype)


def encode_columns(batch: pa.RecordBatch, slots: Mapping[str, int], find: FindStrings) -> Columns | None:
    """The columns of a batch that have slots; None if some column has to be read value by value."""
    if len(set(batch.schema.names)) < len(batch.schema.names):
        return None
    made = Columns()
    try:
        for name, array in zip(batch.schema.names, batch.columns, strict=True):
            for attribute, column, there in _flat(quote(name), array, None, MAX_DEPTH):
                _encode(column, slots.get(attribute, -1), there, made, find)
    except Strange:
        return None
    return made


def _flat(
    name: str, array: pa.Array, there: NDArray[np.uint8] | None, depth: int
) -> Iterator[tuple[str, Any, Any]]:
    """A column and, of objects, all that is in them; with the validity that its objects leave it."""
    yield name, array, there
    if not pa.types.is_struct(array.type):
        return
    names = [field.name for field in array.type]
    if depth == 1 or len(set(names)) < len(names):
        raise Strange
    inner = there
    if array.null_count:
        inner = np.full(len(array), V_THERE, np.uint8) if there is None else there.copy()
        inner[~_valid_mask(array)] = V_MISSING
    for place, child_name in enumerate(names):
        # Unlike `flatten`, `field` keeps what a child says of itself.
        yield from _flat(f"{name}.{quote(child_name)}", array.field(place), inner, depth - 1)


def _valid_mask(array: pa.Array) -> NDArray[np.bool_]:
    return array.is_valid().to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]  # of bools


def _encode(
    array: pa.Array, slot: int, there: NDArray[np.uint8] | None, made: Columns, find: FindStrings
) -> None:
    """Write a column; one without a slot is only looked at for values that no event may have."""
    kind = array.type
    column = [0] * COLUMN
    column[B_SLOT] = slot
    column[B_LISTS] = column[B_LISTS_VALID] = column[B_ATOMS] = column[B_VALID] = -1
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        if pa.types.is_nested(kind.value_type):
            raise Strange
        offsets = _offsets(array, np.int64 if pa.types.is_large_list(kind) else np.int32)
        elements = array.values.slice(int(offsets[0]), int(offsets[-1] - offsets[0]))
        _scalars(elements, column, None, made, find)
        column[B_LISTS] = made.raws(offsets - offsets[0])
        column[B_LISTS_VALID] = _validity(array, there, made)
    else:
        _scalars(array, column, there, made, find)
    if slot >= 0:
        made.columns += column


def _validity(array: pa.Array, there: NDArray[np.uint8] | None, made: Columns) -> int:
    if array.null_count == 0 and there is None:
        return -1
    valid = np.full(len(array), V_THERE, np.uint8) if there is None else there.copy()
    if array.null_count:
        valid[~_valid_mask(array) & (valid == V_THERE)] = V_NULL
    return made.valid(valid)


def _offsets(array: pa.Array, dtype: Any) -> NDArray[Any]:
    buffer = array.buffers()[1]
    if buffer is None or len(array) == 0:
        return np.zeros(len(array) + 1, dtype)
    return np.frombuffer(buffer, dtype)[array.offset : array.offset + len(array) + 1]


def _scalars(
    array: pa.Array, column: list[int], there: NDArray[np.uint8] | None, made: Columns, find: FindStrings
) -> None:
    kind = array.type
    types = pa.types
    if types.is_dictionary(kind):
        if not _is_text(kind.value_type):
            raise Strange
        if _by_entries(array, column, there, made, find):
            return
        if types.is_string_view(kind.value_type):
            array = pa.DictionaryArray.from_arrays(array.indices, array.dictionary.cast(pa.large_string()))
        array = array.dictionary_decode()
        kind = array.type
    column[B_VALID] = _validity(array, there, made)
    if types.is_integer(kind):
        column[B_KIND] = INT
        if kind == pa.uint64() and (pc.max(array).as_py() or 0) > _LARGEST:
            raise Strange
        column[B_VALUES] = made.raws(_fixed(array, kind.to_pandas_dtype()))
    elif types.is_floating(kind):
        column[B_KIND] = FLOAT
        doubles = _fixed(array, kind.to_pandas_dtype()).astype(np.float64, copy=False)
        column[B_VALUES] = made.raws(np.ascontiguousarray(doubles).view(np.int64))
    elif types.is_boolean(kind):
        column[B_KIND] = BOOL
        column[B_VALUES] = made.raws(pc.fill_null(array, False).to_numpy(zero_copy_only=False))
    elif _is_text(kind):
        column[B_KIND] = STRING
        column[B_VALUES] = made.raws(_text(array, made))
    elif (types.is_timestamp(kind) and kind.tz is not None) or types.is_date(kind):
        column[B_KIND] = TIMESTAMP
        column[B_VALUES] = made.raws(_moments(array))
    elif types.is_null(kind):
        column[B_KIND] = NULL
        column[B_VALUES] = made.raws(np.zeros(len(array), np.int64))
    elif types.is_binary(kind) or types.is_large_binary(kind) or types.is_struct(kind):
        column[B_KIND] = OPAQUE
        column[B_VALUES] = made.raws(np.zeros(len(array), np.int64))
    else:
        raise Strange


def _moments(array: pa.Array) -> NDArray[np.int64]:
    """Microseconds since 1970."""
    if pa.types.is_date64(array.type):
        array = array.cast(pa.date32(), safe=False)  # of a day that is not whole, what is more
    zone = None if pa.types.is_date(array.type) else array.type.tz
    try:
        moments = without_nanoseconds(array).cast(pa.timestamp("us", zone)).cast(pa.int64())
    except pa.ArrowInvalid:
        raise Strange from None
    if moments.null_count < len(moments):
        bounds = pc.min_max(moments).as_py()
        # Near the ends of the calendar it depends on the zone what can be read.
        margin = 0 if zone in (None, "UTC") else _DAY
        if bounds["min"] < FIRST_MICROSECOND + margin or bounds["max"] > LAST_MICROSECOND - margin:
            raise Strange
    return _fixed(moments, np.int64)


def _is_text(kind: pa.DataType) -> bool:
    types = pa.types
    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind))


def _fixed(array: pa.Array, dtype: Any) -> NDArray[Any]:
    """The values of an array of numbers, those that are null included, whatever they are."""
    buffer = array.buffers()[1]
    if buffer is None or len(array) == 0:
        return np.zeros(len(array), dtype)
    return np.frombuffer(buffer, dtype)[array.offset : array.offset + len(array)]


def is_unicode(column: pa.Array) -> bool:
    """Whether all strings of a column are UTF-8, which whoever made it may not have looked at."""
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _text(array: pa.Array, made: Columns) -> NDArray[np.int64]:
    """The bounds in the text, one more than there are strings."""
    if pa.types.is_string_view(array.type):
        array = array.cast(pa.large_string())
    wide = pa.types.is_large_string(array.type)
    offsets = _offsets(array, np.int64 if wide else np.int32).astype(np.int64)
    data = array.buffers()[2]
    first, last = int(offsets[0]), int(offsets[-1])
    whole = np.frombuffer(data, np.uint8)[first:last] if data is not None and last > first else _NO_TEXT
    # ASCII is always in order, and takes a twentieth of the time to see.
    if whole.max(initial=0) > _ASCII and not is_unicode(array):
        raise Strange  # who reads the rows one by one says which is not
    return offsets - first + made.text(whole)


_NO_TEXT: Bytes = np.zeros(0, np.uint8)
_ASCII = 127


def _by_entries(
    array: pa.DictionaryArray,
    column: list[int],
    there: NDArray[np.uint8] | None,
    made: Columns,
    find: FindStrings,
) -> bool:
    """Look each entry of a dictionary up once, if it has fewer of them than there are values."""
    entries = array.dictionary
    if len(entries) > len(array) or entries.null_count or len(entries) == 0:
        return False
    side = Columns()
    bounds = _text(entries, side)
    text = _joined([*side._text, np.zeros(8, np.uint8)], np.uint8)
    atoms = find(column[B_SLOT], text, bounds) if column[B_SLOT] >= 0 else np.zeros(len(entries), np.int64)
    if atoms is None:
        return False
    column[B_KIND] = STRING
    column[B_VALID] = _validity(array.indices, there, made)
    indices = _fixed(array.indices, array.indices.type.to_pandas_dtype())
    if array.indices.null_count:
        indices = np.where(_valid_mask(array.indices), indices, 0)
    column[B_VALUES] = made.raws(indices)
    column[B_ATOMS] = made.raws(atoms)
    column[B_ENTRIES] = made.raws(bounds + made.text(text))
    return True
