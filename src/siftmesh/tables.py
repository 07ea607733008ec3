"""Rows of Arrow tables and pandas frames, without importing the library that a table is of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from siftmesh.errors import EventError

__all__ = ["rows"]


def rows(table: Any) -> Iterable[Mapping[str, Any]]:
    """The rows of an Arrow table or batch, of a pandas frame, or the mappings that are there already."""
    if hasattr(table, "to_pylist") and hasattr(table, "schema"):
        return _arrow_rows(table)
    if hasattr(table, "to_dict") and hasattr(table, "columns"):
        return table.to_dict(orient="records")  # type: ignore[no-any-return]  # a list of dicts
    return table  # type: ignore[no-any-return]  # checked row by row by whoever reads them


def _arrow_rows(table: Any) -> list[Mapping[str, Any]]:
    twice = [name for name in table.schema.names if table.schema.names.count(name) > 1]
    if twice:
        raise EventError(f"two columns are called {twice[0]!r}", expected="each name once")
    columns = [_values(field, table.column(place)) for place, field in enumerate(table.schema)]
    return [dict(zip(table.schema.names, row, strict=True)) for row in zip(*columns, strict=True)]


def _values(field: Any, column: Any) -> list[Any]:
    if getattr(field.type, "unit", None) == "ns" and hasattr(field.type, "tz"):
        import pyarrow

        # Values have microseconds; what is finer is cut off, as in text.
        column = column.cast(pyarrow.timestamp("us", field.type.tz), safe=False)
    try:
        return column.to_pylist()  # type: ignore[no-any-return]  # a list, one value a row
    except (ValueError, OverflowError) as error:
        raise EventError(f"a value cannot be read: {error}", place=field.name) from None
