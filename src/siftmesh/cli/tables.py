"""Parquet and CSV files as Arrow tables, with what is wrong with one told in a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from siftmesh.cli.files import opened
from siftmesh.errors import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

    from siftmesh.model.schema import Schema

__all__ = ["csv_types", "is_csv", "is_parquet", "is_table", "parquet_batches", "parquet_rows", "read_table"]

# Rows of a batch: as many as a row group of ours holds at least.
_BATCH = 65_536


def is_parquet(path: str) -> bool:
    """Whether the name of a file says that it is Parquet."""
    return path.lower().endswith(".parquet")


def is_csv(path: str) -> bool:
    """Whether the name of a file says that it is CSV, or the same with tabs."""
    return path.lower().endswith((".csv", ".tsv"))


def is_table(path: str) -> bool:
    """Whether the name of a file says that it has columns."""
    return is_parquet(path) or is_csv(path)


def read_table(path: str, types: Mapping[str, pa.DataType] | None = None) -> pa.Table:
    """The whole of a Parquet or CSV file; `types` are those of columns of CSV that are not to be guessed."""
    if is_csv(path):
        return _read_csv(path, types or {})
    import pyarrow as pa

    batches = list(parquet_batches(path))
    return pa.Table.from_batches(batches, _parquet_schema(path))


def parquet_rows(path: str) -> int:
    """How many rows a Parquet file has, which its end says."""
    from pyarrow import parquet

    _parquet_schema(path)
    with _refused(path, "Parquet"), parquet.ParquetFile(path) as file:
        return file.metadata.num_rows  # type: ignore[no-any-return]  # a number of rows


def parquet_batches(path: str) -> Iterator[pa.RecordBatch]:
    """The rows of a Parquet file in batches, so that a file need not fit into memory."""
    from pyarrow import parquet

    _parquet_schema(path)
    with _refused(path, "Parquet"), parquet.ParquetFile(path) as file:
        yield from file.iter_batches(batch_size=_BATCH)


def csv_types(schema: Schema | None) -> dict[str, pa.DataType]:
    """The types of columns of CSV, by the names of attributes, that a schema settles."""
    import pyarrow as pa

    # A moment stays text, which compares as the moment that it names; a cell holds no array.
    known = {"bool": pa.bool_(), "string": pa.string(), "timestamp": pa.string()}
    if schema is None:
        return {}
    return {name: known[type] for name, type in schema.names().items() if type in known}


def _parquet_schema(path: str) -> pa.Schema:
    from pyarrow import parquet

    with opened(path):
        pass  # for its errors, which say more plainly what is wrong
    with _refused(path, "Parquet"), parquet.ParquetFile(path) as file:
        schema = file.schema_arrow
    _check_names(path, schema.names)
    return schema


def _read_csv(path: str, types: Mapping[str, pa.DataType]) -> pa.Table:
    """A CSV file, whole: whether a column holds numbers shows in its last row only.

    Numbers and booleans are told by their looks, all else is text, moments too; an empty cell is missing.
    """
    import pyarrow as pa

    table = _csv(path, types)
    for name, kind in zip(table.schema.names, table.schema.types, strict=True):
        if pa.types.is_binary(kind):
            raise ConfigError(f"{path}: the column {name!r} is not UTF-8; write the file in UTF-8")
    guessed = [field.name for field in table.schema if pa.types.is_temporal(field.type)]
    return _csv(path, {**types, **dict.fromkeys(guessed, pa.string())}) if guessed else table


def _csv(path: str, types: Mapping[str, pa.DataType]) -> pa.Table:
    from pyarrow import csv

    parse = csv.ParseOptions(
        delimiter="\t" if path.lower().endswith(".tsv") else ",", newlines_in_values=True
    )
    convert = csv.ConvertOptions(
        column_types=dict(types),
        null_values=[""],
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
    )
    # One thread after the other, so that a row that is wrong is told with its number.
    read = csv.ReadOptions(use_threads=False)
    with opened(path) as (_, stream), _refused(path, "CSV"):
        table = csv.read_csv(stream, read, parse, convert)
        _check_names(path, table.schema.names)
        return table


def _check_names(path: str, names: list[str]) -> None:
    twice = [name for name in names if names.count(name) > 1]
    if twice:
        raise ConfigError(f"{path}: two columns are called {twice[0]!r}; give each a name of its own")


@contextmanager
def _refused(path: str, form: str) -> Iterator[Any]:
    """What Arrow says of a file that it cannot read, in a line."""
    import pyarrow

    try:
        yield
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        if isinstance(error, ConfigError):
            raise
        first = str(error).partition("\n")[0].removeprefix("CSV parse error: ").replace("Row #", "row ")
        raise ConfigError(
            f"{path}: cannot be read as {form}: {first}; give a Parquet, CSV or JSON lines file"
        ) from None
