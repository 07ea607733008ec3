from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pyarrow as pa
import pytest

from siftmesh.errors import EventError
from siftmesh.model.rows import column_values, is_arrow, rows, without_nanoseconds


class Frame:
    """What a pandas frame shows of itself, for those who have no pandas."""

    columns = ("a",)

    def to_dict(self, orient: str) -> list[dict[str, int]]:
        assert orient == "records"
        return [{"a": 1}]


def test_an_arrow_table_and_batch_have_rows() -> None:
    table = pa.table({"a": [1, None], "b": ["x", "y"]})
    expected = [{"a": 1, "b": "x"}, {"a": None, "b": "y"}]
    assert list(rows(table)) == expected
    assert list(rows(table.to_batches()[0])) == expected
    assert list(rows(pa.concat_tables([table, table]))) == expected * 2


def test_a_frame_has_rows() -> None:
    assert list(rows(Frame())) == [{"a": 1}]


@pytest.mark.parametrize("mappings", [[], [{"a": 1}], ({"a": 1},)])
def test_mappings_are_rows_already(mappings: Any) -> None:
    assert rows(mappings) is mappings


def test_digits_below_the_microsecond_are_cut_off() -> None:
    table = pa.table({"t": pa.array([1_999], pa.timestamp("ns", "UTC"))})
    assert list(rows(table)) == [{"t": datetime(1970, 1, 1, microsecond=1, tzinfo=UTC)}]


def test_a_moment_that_python_cannot_hold_is_refused_with_its_column() -> None:
    table = pa.table({"t": pa.array([2**62], pa.timestamp("us", "UTC"))})
    with pytest.raises(EventError, match="at t: a value cannot be read"):
        rows(table)


def test_two_columns_of_one_name_are_refused() -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(EventError, match="two columns are called 'a'"):
        rows(table)


def test_a_table_without_columns_has_its_rows() -> None:
    assert list(rows(pa.table({"a": [1, 2]}).select([]))) == [{}, {}]


def test_what_is_arrow() -> None:
    table = pa.table({"a": [1]})
    assert is_arrow(table)
    assert is_arrow(table.to_batches()[0])
    assert not is_arrow(table["a"])
    assert not is_arrow(Frame())
    assert not is_arrow([])


def test_columns_by_themselves() -> None:
    fine = pa.array([1_999, None], pa.timestamp("ns", "UTC"))
    assert without_nanoseconds(fine).type == pa.timestamp("us", "UTC")
    assert without_nanoseconds(pa.array([1])).equals(pa.array([1]))
    assert column_values("t", fine) == [datetime(1970, 1, 1, microsecond=1, tzinfo=UTC), None]
    with pytest.raises(EventError, match="at t: a value cannot be read"):
        column_values("t", pa.array([2**62], pa.timestamp("us", "UTC")))


def test_moments_inside_arrays_and_objects_are_cut_off_too() -> None:
    fine = pa.array([1_999, None, -1], pa.timestamp("ns", "UTC"))
    cut = without_nanoseconds(fine).to_pylist()
    offsets = pa.array([0, 1, 3], pa.int32())
    for listed in (
        pa.ListArray.from_arrays(offsets, fine),
        pa.LargeListArray.from_arrays(offsets.cast(pa.int64()), fine),
    ):
        assert column_values("a", listed) == [cut[:1], cut[1:]]
        assert column_values("a", pa.chunked_array([listed.slice(1), listed])) == [cut[1:], cut[:1], cut[1:]]
    fixed = pa.FixedSizeListArray.from_arrays(fine, 3)
    assert column_values("a", fixed) == [cut]
    struct = pa.StructArray.from_arrays([fine, pa.array([1, 2, 3])], names=["t", "n"])
    assert column_values("a", struct) == [{"t": t, "n": n} for t, n in zip(cut, (1, 2, 3), strict=True)]
    nested = pa.StructArray.from_arrays([pa.ListArray.from_arrays(offsets, struct)], names=["s"])
    assert [len(row["s"]) for row in column_values("a", nested)] == [1, 2]
