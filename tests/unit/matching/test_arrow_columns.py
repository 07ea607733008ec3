"""Arrow tables are the same events as the list of their rows."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from siftmesh.errors import EventError
from siftmesh.matching.arrow_columns import columns_of_arrow
from siftmesh.model.event import Event
from siftmesh.model.rows import rows

NOON = datetime(2026, 1, 2, 12, tzinfo=UTC)
OBJECTS = [{"x": 1, "y": {"z": "q"}}, None, {"x": None, "y": None}]

COLUMNS: dict[str, Any] = {
    "ints": pa.array([3, None, -1]),
    "bytes": pa.array([3, None, 200], pa.uint8()),
    "large": pa.array([2**63 - 1, 0, 1], pa.uint64()),
    "floats": pa.array([-0.0, float("nan"), 0.0]),
    "halves": pa.array(np.array([0.5, 1, 2], dtype=np.float16)),
    "strings": pa.array(["a", None, "a"]),
    "views": pa.array(["a", None, "b"], pa.string_view()),
    "flags": pa.array([True, None, False]),
    "moments": pa.array([NOON, None, NOON], pa.timestamp("us", "UTC")),
    "nanos": pa.array(
        [1_700_000_000_000_000_001, None, 1_700_000_000_000_000_002], pa.timestamp("ns", "Europe/Paris")
    ),
    "days": pa.array([date(2026, 1, 2), None, date(1, 1, 1)]),
    "decimals": pa.array([Decimal("1.50"), None, Decimal("2.00")]),
    "nothing": pa.nulls(3),
    "blobs": pa.array([b"x", None, b""]),
    "encoded": pa.array(["a", None, "b"]).dictionary_encode(),
    "lists": pa.array([[1, None], None, []], pa.list_(pa.int64())),
    "fixed": pa.array([["a", "b"], None, [None, "c"]], pa.list_(pa.string(), 2)),
    "list views": pa.array([[1.5], None, []], pa.list_view(pa.float64())),
    "objects": pa.array(OBJECTS),
    "odd name": pa.array([{"odd.step": [True]}, {"odd.step": None}, None]),
    "many": pa.array([[{"a": 1}], None, []], pa.list_(pa.struct([("a", pa.int64())]))),
    "matrix": pa.array([[[1]], [], None]),
    "map": pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int64())),
    "inside": pa.array([{"many": [{"a": 1}]}, {"many": []}, None]),
}


def check(table: Any) -> None:
    columns = columns_of_arrow(table)
    expected = [Event.of(row) for row in rows(table)]
    found = [columns.event(row) for row in range(columns.size)]
    assert [repr(sorted(event.values.items())) for event in found] == [
        repr(sorted(event.values.items())) for event in expected
    ]
    assert [sorted(event.closed) for event in found] == [sorted(event.closed) for event in expected]


@pytest.mark.parametrize("name", COLUMNS)
def test_a_column_is_read_as_the_values_of_its_rows(name: str) -> None:
    check(pa.table({name: COLUMNS[name]}))
    check(pa.table({name: COLUMNS[name]}).slice(1, 2))
    check(pa.record_batch({name: COLUMNS[name]}).slice(1, 1))
    check(pa.table({name: COLUMNS[name]}).slice(3))
    table = pa.table({name: COLUMNS[name]})
    check(pa.concat_tables([table, table.slice(2), table]))


def test_all_columns_at_once() -> None:
    check(pa.table(COLUMNS))
    check(pa.table({}))


def test_only_what_is_asked_for_is_read() -> None:
    table = pa.table({**COLUMNS, "naive": pa.array([datetime(2026, 1, 2)] * 3)})
    assert sorted(columns_of_arrow(table, ["ints", "objects.y.z"])) == ["ints", "objects.y.z"]
    assert sorted(columns_of_arrow(table, ["many.a", "inside.many.b"]).closed) == ["inside.many", "many"]
    with pytest.raises(EventError) as caught:
        columns_of_arrow(table)
    assert caught.value.place == "naive"


@pytest.mark.parametrize(
    ("column", "place"),
    [
        (pa.array([1, 2**63], pa.uint64()), "a"),
        (pa.array([datetime(2026, 1, 2)]), "a"),
        (pa.array([2**60], pa.timestamp("s", "UTC")), "a"),
        (pa.array([3], pa.duration("s")), "a"),
        (pa.array([[2**63]], pa.list_(pa.uint64())), "a[0]"),
        (pa.array([{"b": 2**63}], pa.struct([("b", pa.uint64())])), "a.b"),
    ],
    ids=str,
)
def test_a_value_outside_the_model_is_refused_with_its_place(column: Any, place: str) -> None:
    with pytest.raises(EventError) as caught:
        columns_of_arrow(pa.table({"a": column}))
    assert caught.value.place == place


def test_two_columns_of_one_name_are_refused() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
    with pytest.raises(EventError, match="two columns are called 'a'"):
        columns_of_arrow(table)


def test_structs_are_nested_no_deeper_than_events() -> None:
    array: Any = pa.array([1])
    for _ in range(64):
        array = pa.StructArray.from_arrays([array], ["a"])
    with pytest.raises(EventError, match="nested more than 64 deep"):
        columns_of_arrow(pa.table({"a": array}))
    with pytest.raises(EventError, match="nested more than 64 deep"):
        Event.of(pa.table({"a": array}).to_pylist()[0])
