"""Rows of Arrow tables and pandas frames, without importing the library that a table is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from siftmesh.errors import EventError

__all__ = ["column_values", "is_arrow", "rows", "without_nanoseconds"]


def is_arrow(table: Any) -> bool:
    """Whether this is an Arrow table or record batch."""
    return hasattr(table, "to_pylist") and hasattr(table, "schema")


def rows(table: Any) -> Iterable[Mapping[str, Any]]:
    """The rows of an Arrow table or batch, of a pandas frame, or the mappings that are there already."""
    if is_arrow(table):
        return _arrow_rows(table)
    if hasattr(table, "to_dict") and hasattr(table, "columns"):
        names = list(table.columns)
        twice = [name for place, name in enumerate(names) if name in names[:place]]
        if twice:
            raise EventError(f"two columns are called {twice[0]!r}", expected="each name once")
        return table.to_dict(orient="records")  # type: ignore[no-any-return]  # a list of dicts
    return table  # type: ignore[no-any-return]  # checked row by row by whoever reads them


def _arrow_rows(table: Any) -> list[Mapping[str, Any]]:
    twice = [name for name in table.schema.names if table.schema.names.count(name) > 1]
    if twice:
        raise EventError(f"two columns are called {twice[0]!r}", expected="each name once")
    if not table.schema.names:
        return [{} for _ in range(table.num_rows)]
    columns = [column_values(field.name, table.column(place)) for place, field in enumerate(table.schema)]
    return [dict(zip(table.schema.names, row, strict=True)) for row in zip(*columns, strict=True)]


def column_values(name: str, column: Any) -> list[Any]:
    """The values of an Arrow column as Python objects."""
    try:
        return without_nanoseconds(column).to_pylist()  # type: ignore[no-any-return]  # a list, one value a row
    except (ValueError, OverflowError) as error:
        raise EventError(f"a value cannot be read: {error}", place=name) from None


def without_nanoseconds(column: Any) -> Any:
    """The same Arrow column; moments finer than microseconds are cut off, as in text, wherever they are."""
    kind = _without_nanoseconds(column.type)
    return column if kind == column.type else column.cast(kind, safe=False)


def _without_nanoseconds(kind: Any) -> Any:
    """The type, itself if there is nothing to change."""
    if getattr(kind, "unit", None) == "ns" and hasattr(kind, "tz"):
        import pyarrow

        return pyarrow.timestamp("us", kind.tz)
    if not getattr(kind, "num_fields", 0):
        return kind
    import pyarrow

    inner = [kind.field(place) for place in range(kind.num_fields)]
    cut = [field.with_type(_without_nanoseconds(field.type)) for field in inner]
    if cut == inner:
        return kind
    for test, make in (
        (pyarrow.types.is_struct, pyarrow.struct),
        (pyarrow.types.is_list, lambda fields: pyarrow.list_(*fields)),
        (pyarrow.types.is_large_list, lambda fields: pyarrow.large_list(*fields)),
        (pyarrow.types.is_fixed_size_list, lambda fields: pyarrow.list_(*fields, kind.list_size)),
    ):
        if test(kind):
            return make(cut)
    return kind
