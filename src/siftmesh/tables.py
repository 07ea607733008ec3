"""Tables of parameters and of events: Arrow, pandas and what else speaks Arrow; none is imported for it."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from siftmesh.errors import EventError, ParameterError, SubscriptionError
from siftmesh.logic.template import Template
from siftmesh.logic.tree import Tree
from siftmesh.matching.engine import bound
from siftmesh.model.rows import column_values, is_arrow, rows, without_nanoseconds

__all__ = ["as_arrow", "bound_trees", "columns_of", "first_row", "mappings_of", "rows", "slices"]

# Fewer rows than these are as quickly bound one by one as they are made columns.
_FEW = 256
# Columns of values of one of these types (and None) are the same values as Arrow columns.
_PLAIN = frozenset([str, int, float, bool])


def as_arrow(table: Any) -> Any:
    """A table or record batch of Arrow; None if the thing is none and does not become one exactly."""
    if is_arrow(table):
        return table
    if type(table).__module__.partition(".")[0] == "pandas":
        return _of_pandas(table) if hasattr(table, "columns") else None
    if hasattr(table, "__arrow_c_stream__"):
        import pyarrow

        try:
            return pyarrow.table(table)
        except pyarrow.ArrowException:
            return None  # a single column
    return None


def _of_pandas(frame: Any) -> Any:
    import pyarrow

    if not all(isinstance(name, str) for name in frame.columns) or not frame.columns.is_unique:
        return None
    try:
        table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    except (pyarrow.ArrowException, ValueError, TypeError, OverflowError):
        return None
    objects = [name for name in frame.columns if frame[name].dtype == object]
    # Of Python objects only texts stay what they were: ints beside floats would become floats.
    texts = (pyarrow.string(), pyarrow.large_string(), pyarrow.null())
    return table if all(table.schema.field(name).type in texts for name in objects) else None


def columns_of(table: Any, parameters: Sequence[str], id: str) -> tuple[Any, dict[str, Any]] | None:
    """The column of the ids and an Arrow array for each parameter; None where only rows will do."""
    arrow = as_arrow(table)
    if arrow is not None:
        return _arrow_columns(arrow, parameters, id)
    if not isinstance(table, (list, tuple)) or len(table) < _FEW:
        return None
    try:
        found = {name: [row[name] for row in table] for name in dict.fromkeys([id, *parameters])}
    except (KeyError, TypeError, IndexError):
        return None  # whoever reads the rows one by one will say which it is
    if not all(isinstance(row, Mapping) for row in table):
        return None
    columns = {name: _plain(found[name]) for name in parameters}
    if any(column is None for column in columns.values()):
        return None
    return found[id], columns


def _plain(values: list[Any]) -> Any:
    import pyarrow

    kinds = set(map(type, values)) - {type(None)}
    if len(kinds) != 1 or not kinds <= _PLAIN:
        return None
    try:
        return pyarrow.array(values)
    except (pyarrow.ArrowException, ValueError, OverflowError):
        return None


def _arrow_columns(table: Any, parameters: Sequence[str], id: str) -> tuple[Any, dict[str, Any]]:
    names = table.schema.names
    for name in (id, *parameters):
        if names.count(name) > 1:
            raise ParameterError(f"two columns are called {name!r}", expected="each name once")
    if id not in names:
        raise ParameterError(f"the table has no column {id!r}", expected=f"an id in column {id!r}")
    missing = [name for name in parameters if name not in names]
    if missing:
        raise ParameterError(
            f"the table has no column for :{missing[0]}",
            expected=", ".join(f":{name}" for name in parameters),
        )
    return _array(table, id), {name: _array(table, name) for name in parameters}


def _array(table: Any, name: str) -> Any:
    """A column as one array, without a dictionary."""
    column = table.column(name)
    if hasattr(column, "combine_chunks"):
        column = column.combine_chunks()
    if hasattr(column.type, "value_type") and hasattr(column.type, "index_type"):
        column = column.dictionary_decode()
    return without_nanoseconds(column)


def mappings_of(table: Any) -> Iterator[Mapping[str, Any]]:
    """The rows of a table of parameters as mappings."""
    try:
        listed = rows(table)
    except EventError as error:
        raise ParameterError(str(error)) from None
    if isinstance(listed, (str, bytes, Mapping)) or not isinstance(listed, Iterable):
        raise ParameterError(f"{type(table).__name__} is no table", expected="rows as mappings, or a table")
    for number, row in enumerate(listed):
        if not isinstance(row, Mapping):
            raise ParameterError(f"row {number} is no mapping", expected="rows as mappings, or a table")
        yield row


def bound_trees(
    template: Template,
    table: Iterable[Mapping[str, Any]],
    id: str,
    hold: Callable[[Mapping[str, Any]], None] | None = None,
) -> tuple[list[Hashable], list[Tree]]:
    """The ids and trees of rows of parameters; `hold` may refuse the first row with values of some types."""
    ids: list[Hashable] = []
    trees: list[Tree] = []
    seen: set[tuple[type, ...]] = set()
    for number, row in enumerate(table):
        if id not in row:
            raise ParameterError(f"row {number} has no column {id!r}", expected=f"an id in column {id!r}")
        ids.append(row[id])
        trees.append(
            bound(number, template.bind, {name: row[name] for name in row if name in template.parameters})
        )
        if hold is None:
            continue
        types = tuple([type(row[name]) for name in template.parameters])
        if types not in seen:
            seen.add(types)
            try:
                hold(row)
            except SubscriptionError as error:
                raise error.in_row(number) from None
    return ids, trees


def first_row(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Of each Arrow column a value, None if it has none that can be read."""
    found: dict[str, Any] = {}
    for name, column in columns.items():
        try:
            found[name] = next(iter(column_values(name, column.drop_null().slice(0, 1))), None)
        except EventError:
            found[name] = None
    return found


def slices(events: Any, size: Callable[[], int]) -> Iterator[tuple[int, Any]]:
    """A table or list in pieces of so many rows, each with the number of its first row."""
    first, end = 0, events.num_rows if is_arrow(events) else len(events)
    while first < end:
        count = size()
        yield first, events.slice(first, count) if is_arrow(events) else events[first : first + count]
        first += count
