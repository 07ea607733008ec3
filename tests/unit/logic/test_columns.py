"""Events by attribute, each distinct value once."""

from __future__ import annotations

import math

import numpy as np
import pytest

from siftmesh.errors import EventError
from siftmesh.logic.columns import MISSING, Column, Columns
from siftmesh.model.encode import encode_event
from siftmesh.model.event import Event
from siftmesh.model.values import OPAQUE, Kind, Timestamp


def test_what_python_holds_equal_stays_apart() -> None:
    values = [1, 1.0, True, 0.0, -0.0, (1,), (1.0,), (True,), "1", 1, -0.0, (1,), None, OPAQUE, Timestamp(1)]
    column = Column.of(values)
    assert column.codes.tolist() == [*range(9), 0, 4, 5, 9, 10, 11]
    assert [repr(column.values[code]) for code in column.codes] == [repr(value) for value in values]


def test_the_order_of_a_kind_is_exact() -> None:
    column = Column.of([2**53 + 1, 2.0**53, 1, 1.0, 2**53 + 2, True, "x", -0.0, 0, 1])
    order = column.order(Kind.NUMBER)
    assert order.values == [0, 1, 2**53, 2**53 + 1, 2**53 + 2]
    assert order.places[column.codes].tolist() == [3, 2, 1, 1, 4, -1, -1, 0, 0, 1]
    assert order.weights.tolist() == [2, 3, 1, 1, 1]
    assert column.order(Kind.BOOL).values == [True]


def test_a_string_that_names_a_moment_is_in_the_order_of_moments() -> None:
    second = "1970-01-01T00:00:01Z"
    column = Column.of([second, Timestamp(7), "no moment at all, this", second.replace("Z", "+00:00")])
    assert column.order(Kind.TIMESTAMP).values == [7, 1_000_000]
    assert column.order(Kind.TIMESTAMP).places.tolist() == [1, 0, -1, 1, -1]
    assert len(column.order(Kind.STRING).values) == 3


@pytest.mark.parametrize("dtype", [np.float64, np.int64])
def test_numbers_of_an_array_are_as_those_of_a_list(dtype: type) -> None:
    numbers = np.array([3, -1, 3, 0, 7], dtype=dtype)
    there = np.array([True, True, True, True, False])
    column = Column.of_numbers(numbers, there)
    assert [column.values[code] for code in column.codes] == [3, -1, 3, 0, None]
    assert {type(value) for value in column.values} == {dtype(0).item().__class__, type(None)}
    assert column.order(Kind.NUMBER).values == [-1, 0, 3]


def test_floats_of_an_array_keep_their_sign_and_lose_nan() -> None:
    numbers = np.array([0.0, -0.0, math.nan, math.inf, -math.inf, -0.0])
    column = Column.of_numbers(numbers, np.ones(6, dtype=bool))
    assert [repr(column.values[code]) for code in column.codes] == [
        "0.0",
        "-0.0",
        "None",
        "inf",
        "-inf",
        "-0.0",
    ]
    assert column.order(Kind.NUMBER).values == [-math.inf, 0.0, math.inf]


def test_events_go_in_and_come_out() -> None:
    events = [Event({"a": 1, "b": "x"}), Event({}), Event({"b": None, "xs": OPAQUE}, ("xs",))]
    columns = Columns.of(events)
    assert (columns.size, len(columns), sorted(columns)) == (3, 3, ["a", "b", "xs"])
    assert [columns.event(row) for row in range(3)] == events
    assert [columns.encoded(row) for row in range(3)] == [encode_event(event) for event in events]
    assert columns["a"].codes.tolist() == [0, MISSING, MISSING]
    assert columns["nowhere"].codes.tolist() == [MISSING] * 3
    assert columns["a"].weights.tolist() == [1, 2]


def test_only_the_attributes_asked_for_are_read() -> None:
    columns = Columns.of([Event({"a": 1, "b": 2})], ["b", "c"])
    assert list(columns) == ["b"]


def test_a_path_into_an_array_of_objects_is_refused_with_its_row() -> None:
    columns = Columns.of([Event({"xs": 1}), Event({"xs": OPAQUE}, ("xs",))])
    columns.refuse_paths_into_arrays(["xs", "ys.a"])
    with pytest.raises(EventError) as caught:
        columns.refuse_paths_into_arrays(["xs.a"])
    assert (caught.value.row, caught.value.place) == (1, "xs")
