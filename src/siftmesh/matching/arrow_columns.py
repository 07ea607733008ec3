"""Arrow tables and batches as columns of values, each distinct value converted once.

A value of an Arrow column is read as `model.values` reads the Python object that it stands for, and a struct
as a nested mapping, so that a table and the list of its rows are the same events.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from siftmesh.errors import EventError
from siftmesh.logic.columns import MISSING, Column, Columns
from siftmesh.model.event import MAX_DEPTH
from siftmesh.model.path import quote
from siftmesh.model.rows import column_values
from siftmesh.model.values import INT_MAX, OPAQUE, to_value

__all__ = ["columns_of_arrow"]

Bools = NDArray[np.bool_]


def columns_of_arrow(table: Any, names: Iterable[str] | None = None) -> Columns:
    """The columns of an Arrow table or record batch, of the attributes named or of all."""
    twice = [name for name in table.schema.names if table.schema.names.count(name) > 1]
    if twice:
        raise EventError(f"two columns are called {twice[0]!r}", expected="each name once")
    reader = _Reader(table.num_rows, None if names is None else set(names))
    for place, field in enumerate(table.schema):
        reader.read(quote(field.name), table.column(place), np.ones(table.num_rows, dtype=bool), MAX_DEPTH)
    return Columns(table.num_rows, reader.columns, reader.closed)


class _Reader:
    def __init__(self, size: int, names: set[str] | None) -> None:
        self._size = size
        self._names = names
        self.columns: dict[str, Column] = {}
        self.closed: dict[str, Bools] = {}

    def read(self, name: str, array: Any, inside: Bools, depth: int) -> None:
        """Read an array, and the structs in it, of events that have what it is `inside` of."""
        if not self._reads(name):
            return
        if depth == 0:
            raise EventError(f"objects are nested more than {MAX_DEPTH} deep", place=name.rpartition(".")[0])
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
            if isinstance(array, pa.ChunkedArray):  # more than fits into one array
                array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
        if isinstance(array, pa.ExtensionArray):
            array = array.storage
        if pa.types.is_struct(array.type):
            self._struct(name, array, inside, depth)
        elif _holds_objects(array.type):
            self._objects(name, array, inside)
        elif self._wants(name):
            self.columns[name] = _hidden(_column(name, array), inside)

    def _reads(self, name: str) -> bool:
        """Whether an attribute is asked for, or one that it holds."""
        return self._wants(name) or any(one.startswith(name + ".") for one in self._names or ())

    def _wants(self, name: str) -> bool:
        return self._names is None or name in self._names

    def _struct(self, name: str, array: Any, inside: Bools, depth: int) -> None:
        there = inside & _there(array)
        if self._wants(name):
            self.columns[name] = _hidden(
                Column(np.where(there, 0, 1).astype(np.int32), [OPAQUE, None]), inside
            )
        for place, field in enumerate(array.type):
            self.read(f"{name}.{quote(field.name)}", array.field(place), there, depth - 1)

    def _objects(self, name: str, array: Any, inside: Bools) -> None:
        """An array of objects, or of arrays: something is there, which nobody can look into."""
        values = [to_value(thing, name) for thing in column_values(name, array)]
        column = _hidden(Column.of(values), inside)
        opaque = np.array([*(value is OPAQUE for value in column.values), False])[column.codes]
        if opaque.any():
            self.closed[name] = opaque
        if self._wants(name):
            self.columns[name] = column


def _holds_objects(kind: Any) -> bool:
    """Whether what is in an array of this type can be more than scalars."""
    types = pa.types
    if types.is_map(kind):
        return True
    if any(
        test(kind)
        for test in (
            types.is_list,
            types.is_large_list,
            types.is_fixed_size_list,
            types.is_list_view,
            types.is_large_list_view,
        )
    ):
        return bool(types.is_nested(kind.value_type))
    return False


def _hidden(column: Column, inside: Bools) -> Column:
    """The column without the values of events that do not have what holds it."""
    if inside.all():
        return column
    return Column(np.where(inside, column.codes, MISSING).astype(np.int32), column.values)


def _there(array: Any) -> Bools:
    return np.asarray(array.is_valid().to_numpy(zero_copy_only=False), dtype=bool)


def _column(name: str, array: Any) -> Column:
    kind = array.type
    types = pa.types
    if types.is_integer(kind) or types.is_floating(kind):
        return _numbers(name, array)
    if types.is_nested(kind):
        return Column.of([to_value(thing, name) for thing in column_values(name, array)])
    if not types.is_dictionary(kind):
        try:
            array = array.dictionary_encode()
        except NotImplementedError:  # of this type Arrow cannot say what is distinct
            return Column.of([to_value(thing, name) for thing in column_values(name, array)])
    values = [to_value(thing, name) for thing in column_values(name, array.dictionary)]
    codes = array.indices.fill_null(len(values)) if array.indices.null_count else array.indices
    return Column(codes.to_numpy(zero_copy_only=False).astype(np.int32), [*values, None])


def _numbers(name: str, array: Any) -> Column:
    there = _there(array)
    wide = pa.types.is_uint64(array.type)
    numbers = array.fill_null(0).to_numpy(zero_copy_only=False)
    if wide and len(numbers) and int(numbers.max()) > INT_MAX:
        to_value(int(numbers.max()), name)  # refuses it as it refuses any such number
    kind = np.float64 if numbers.dtype.kind == "f" else np.int64
    return Column.of_numbers(numbers.astype(kind), there)
