"""Tables of parameters and of events."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pyarrow as pa
import pytest

from siftmesh import Matcher
from siftmesh.errors import EventError, ParameterError, SubscriptionError
from siftmesh.language.parser import parse
from siftmesh.logic.template import Template
from siftmesh.tables import as_arrow, bound_trees, columns_of, first_row, mappings_of, rows, slices

TEMPLATE = Template(parse("price < :p AND title = :t"))


class Frame:
    """What a pandas frame shows of itself, for those who have no pandas."""

    columns = ("id", "p")

    def to_dict(self, orient: str) -> list[dict[str, int]]:
        assert orient == "records"
        return [{"id": 1, "p": 2}]


class Stream:
    """Something else that speaks Arrow."""

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)


def test_what_becomes_a_table_of_arrow() -> None:
    table = pa.table({"a": [1]})
    assert as_arrow(table) is table
    assert as_arrow(Stream(table)).equals(table)
    for other in ([{"a": 1}], Frame(), None, {"a": [1]}):
        assert as_arrow(other) is None


@pytest.mark.parametrize("make", [lambda t: t, lambda t: t.to_batches()[0], Stream])
def test_columns_of_a_table(make: Any) -> None:
    table = pa.table({"t": ["x", None], "id": [7, 8], "p": pa.array([1.5, 2]), "more": [0, 0]})
    found = columns_of(make(table), ("p", "t"), "id")
    assert found is not None
    ids, columns = found
    assert ids.to_pylist() == [7, 8]
    assert {name: column.to_pylist() for name, column in columns.items()} == {
        "p": [1.5, 2.0],
        "t": ["x", None],
    }
    assert all(isinstance(column, pa.Array) for column in columns.values())


def test_columns_are_decoded() -> None:
    table = pa.table(
        {
            "id": pa.array(["x", "y", "x"]).dictionary_encode(),
            "p": pa.array([1_999, None, 0], pa.timestamp("ns", "UTC")),
        }
    )
    found = columns_of(pa.concat_tables([table, table]), ("p",), "id")
    assert found is not None
    assert found[0].to_pylist() == ["x", "y", "x"] * 2
    assert found[1]["p"].type == pa.timestamp("us", "UTC")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (pa.table({"p": [1], "t": ["x"]}), "no column 'id'"),
        (pa.table({"id": [1], "p": [1]}), "no column for :t"),
        (
            pa.Table.from_arrays([pa.array([1])] * 4, names=["id", "p", "t", "p"]),
            "two columns are called 'p'",
        ),
    ],
)
def test_a_table_that_does_not_fit_is_refused(table: pa.Table, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        columns_of(table, ("p", "t"), "id")


def test_mappings_of_plain_values_become_columns_if_they_are_many() -> None:
    many = [{"id": n, "p": n, "t": f"t{n}"} for n in range(300)]
    found = columns_of(many, ("p", "t"), "id")
    assert found is not None
    assert found[0] == list(range(300))
    assert found[1]["p"].equals(pa.array(range(300)))
    assert columns_of(many[:10], ("p", "t"), "id") is None
    assert columns_of(iter(many), ("p", "t"), "id") is None


@pytest.mark.parametrize(
    "odd",
    [
        {"id": 1, "p": 1.0, "t": "x"},
        {"id": 1, "p": True, "t": "x"},
        {"id": 1, "p": 2**63, "t": "x"},
        {"id": 1, "p": 1, "t": "\ud800"},
        {"id": 1, "p": 1},
        {"p": 1, "t": "x"},
        [1],
        None,
    ],
)
def test_mappings_that_are_no_columns_stay_rows(odd: Any) -> None:
    assert columns_of([{"id": n, "p": n, "t": "x"} for n in range(300)] + [odd], ("p", "t"), "id") is None


def test_rows_are_mappings() -> None:
    assert list(mappings_of(Frame())) == [{"id": 1, "p": 2}]
    assert list(mappings_of(iter([{"a": 1}]))) == [{"a": 1}]
    assert rows([]) == []
    for table in (None, 5, "ab", b"ab", {"id": [1]}, [5], [{}, "id"]):
        with pytest.raises(ParameterError, match="rows as mappings"):
            list(mappings_of(table))


def test_rows_are_bound_with_their_ids() -> None:
    ids, trees = bound_trees(TEMPLATE, [{"who": "a", "p": 1, "t": "x", "more": 0}], "who")
    assert ids == ["a"]
    assert trees == [TEMPLATE.bind({"p": 1, "t": "x"})]
    with pytest.raises(ParameterError, match="row 1 has no column 'who'"):
        bound_trees(TEMPLATE, [{"who": "a", "p": 1, "t": "x"}, {"p": 1, "t": "x"}], "who")
    with pytest.raises(ParameterError, match="row 0: no value for :t"):
        bound_trees(TEMPLATE, [{"who": "a", "p": 1}], "who")


def test_slices_may_change_their_size_on_the_way() -> None:
    sizes = iter([2, 3, 9])
    assert list(slices(list("abcdefg"), lambda: next(sizes))) == [
        (0, ["a", "b"]),
        (2, ["c", "d", "e"]),
        (5, ["f", "g"]),
    ]
    table = pa.table({"a": [1, 2, 3]})
    assert [(first, part.to_pylist()) for first, part in slices(table, lambda: 2)] == [
        (0, [{"a": 1}, {"a": 2}]),
        (2, [{"a": 3}]),
    ]
    assert list(slices([], lambda: 5)) == []


def test_a_frame_of_pandas_is_converted_where_that_is_exact() -> None:
    frame = pd.DataFrame({"id": [1, 2], "p": [0.5, None], "t": ["x", None]})
    table = as_arrow(frame)
    assert table.to_pylist() == [{"id": 1, "p": 0.5, "t": "x"}, {"id": 2, "p": None, "t": None}]
    assert as_arrow(pd.DataFrame({"p": [1, 2.5]}, dtype=object)) is None
    assert as_arrow(pd.DataFrame({1: [1]})) is None
    assert as_arrow(pd.Series([1])) is None


def test_frames_are_read_row_by_row_where_they_are_no_table() -> None:
    m = Matcher()
    m.add("new", "tags CONTAINS 'new'")
    m.add("dear", "price > 9007199254740992")
    frame = pd.DataFrame({"tags": [["new"], ["old"]], "price": pd.Series([1, 2**53 + 1], dtype=object)})
    assert list(m.match_batch(frame)) == list(m.match_batch(frame.to_dict("records"))) == [["new"], ["dear"]]
    twice = pd.DataFrame([[1, 2]], columns=["p", "p"])
    with pytest.raises(EventError, match="two columns are called 'p'"):
        m.match_batch(twice)
    with pytest.raises(ParameterError, match="two columns are called 'p'"):
        m.add_many("a = :p", twice)


def test_a_single_column_is_no_table() -> None:
    column = pa.chunked_array([[1, 2]])
    assert as_arrow(column) is None
    with pytest.raises(EventError, match="row 0: an event is a mapping"):
        Matcher().match_batch(column)
    with pytest.raises(ParameterError, match="row 0 is no mapping"):
        Matcher().add_many("a = :p", column)


def test_a_first_row_is_what_can_be_read() -> None:
    torn = pa.Array.from_buffers(
        pa.string(), 1, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0"), pa.py_buffer(b"\xff")]
    )
    columns = {"a": pa.array([None, 5]), "b": pa.array([None]), "c": pa.array([], pa.string()), "d": torn}
    assert first_row(columns) == {"a": 5, "b": None, "c": None, "d": None}


def test_rows_are_held_to_once_for_each_types() -> None:
    held: list[Any] = []
    table = [{"who": n, "p": p, "t": "x"} for n, p in enumerate([1, 2, 0.5, 3, 0.25])]
    bound_trees(TEMPLATE, table, "who", held.append)
    assert held == [table[0], table[2]]

    def refuse(row: Any) -> None:
        if row["p"] == 0.5:
            raise SubscriptionError("no halves")

    with pytest.raises(SubscriptionError, match="row 2: no halves"):
        bound_trees(TEMPLATE, table, "who", refuse)
