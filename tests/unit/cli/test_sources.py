"""Rows and events from files and pipes, with the place of each."""

from __future__ import annotations

import io
import os
import sys
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from siftmesh.cli.sources import Batch, place_in, read_events, read_rows
from siftmesh.errors import ConfigError
from siftmesh.model.schema import Schema

# More than is read at once.
MANY_LINES = (b'{"a": "' + b"x" * 1_000 + b'"}\n') * 2_000


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def listed(batches: Any) -> list[tuple[str, Any]]:
    """Every event of some batches with its place."""
    found = []
    for batch in batches:
        events = batch.events if isinstance(batch.events, list) else batch.events.to_pylist()
        found += [(batch.place(row), event) for row, event in enumerate(events)]
    return found


# ---- JSON lines


def test_rows_of_json_lines_know_their_lines() -> None:
    Path("rows.jsonl").write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n   \n{"b": "\xc3\xa9"}')
    expected = [("rows.jsonl:1", {"a": 1}), ("rows.jsonl:4", {"b": "é"})]
    assert list(read_rows("rows.jsonl")) == expected
    total, batches = read_events("rows.jsonl")
    assert total is None
    assert listed(batches) == expected


def test_an_empty_file_has_no_rows() -> None:
    Path("empty").touch()
    assert list(read_rows("empty")) == []
    assert list(read_events("empty")[1]) == []


def test_a_long_file_comes_in_parts_and_loses_nothing() -> None:
    # Lines of many lengths, some of them longer than what is read at once.
    lengths = [1, 50, 3_000_000, *range(2, 3_000)]
    Path("rows.jsonl").write_text("".join(f'{{"a": "{"x" * length}"}}\n' for length in lengths))
    batches = list(read_events("rows.jsonl")[1])
    assert len(batches) > 1
    assert [len(event["a"]) for _, event in listed(batches)] == lengths
    assert listed(batches)[-1][0] == f"rows.jsonl:{len(lengths)}"


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1}\n[1]\n')))
    rows = read_rows("-")
    assert next(rows) == ("standard input:1", {"a": 1})
    with pytest.raises(ConfigError, match=r"^standard input:2: expected a JSON object"):
        next(rows)


def test_what_has_come_through_a_pipe_is_not_kept_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    with open(reading) as end, open(writing, "wb", buffering=0) as start:
        monkeypatch.setattr(sys, "stdin", end)
        _, batches = read_events("-")
        start.write(b'{"a": 1}\n{"a": 2}\n{"a"')
        assert listed(islice(batches, 1)) == [("standard input:1", {"a": 1}), ("standard input:2", {"a": 2})]
        start.write(b": 3}")
        start.close()
        assert listed(batches) == [("standard input:3", {"a": 3})]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{a: 1}", ":1: not JSON at column 2: Expecting property name"),
        (b'{"a": 1}\n{"a": }', ":2: not JSON at column 7: Expecting value"),
        (b'{"a": 1}\n\n[{"a": 1}]', ":3: expected a JSON object"),
        (MANY_LINES + b'{"a": "\xff"}', ":2001: not UTF-8 at byte 8"),
    ],
    ids=range(4),
)
def test_a_wrong_row_is_refused_with_its_line(content: bytes, message: str) -> None:
    Path("rows.jsonl").write_bytes(content)
    for read in (read_rows, lambda path: read_events(path)[1]):
        with pytest.raises(ConfigError) as caught:
            list(read("rows.jsonl"))
        assert str(caught.value).startswith(f"rows.jsonl{message}")


def test_the_rows_before_a_wrong_one_are_read() -> None:
    Path("rows.jsonl").write_bytes(b'{"a": 1}\n{"a": 2}\n{"a": "\xff"}\n')
    _, batches = read_events("rows.jsonl")
    assert next(batches).events == [{"a": 1}, {"a": 2}]
    with pytest.raises(ConfigError, match=r"^rows.jsonl:3: not UTF-8"):
        next(batches)


@pytest.mark.parametrize("path", ["nosuch", "nosuch.csv", "nosuch.parquet"])
def test_a_file_that_is_none_is_refused(path: str) -> None:
    for read in (read_rows, lambda path: read_events(path)[1]):
        with pytest.raises(
            ConfigError, match=f"^{path}: cannot be read: No such file or directory; give the"
        ):
            list(read(path))


# ---- tables


def test_rows_of_parquet_know_their_numbers() -> None:
    noon = datetime(2024, 1, 1, 12, tzinfo=UTC)
    pq.write_table(pa.table({"a": [1, None], "t": [noon, noon], "xs": [[1], []]}), "rows.parquet")
    expected = [
        ("rows.parquet row 1", {"a": 1, "t": noon, "xs": [1]}),
        ("rows.parquet row 2", {"a": None, "t": noon, "xs": []}),
    ]
    assert list(read_rows("rows.parquet")) == expected
    total, batches = read_events("rows.parquet")
    assert total == 2
    assert listed(batches) == expected


def test_places_go_on_from_batch_to_batch() -> None:
    pq.write_table(pa.table({"a": range(150_000)}), "rows.parquet")
    batches = list(read_events("rows.parquet")[1])
    assert len(batches) > 1
    assert listed(batches)[-1] == ("rows.parquet row 150000", {"a": 149_999})
    # Of any batch, whenever it is asked.
    assert batches[0].place(0) == "rows.parquet row 1"


def test_rows_of_csv_are_numbered_as_in_a_spreadsheet() -> None:
    Path("rows.csv").write_text("a,b\n1,x\n2,\n")
    expected = [("rows.csv row 2", {"a": 1, "b": "x"}), ("rows.csv row 3", {"a": 2, "b": None})]
    assert list(read_rows("rows.csv")) == expected
    total, batches = read_events("rows.csv")
    assert total == 2
    assert listed(batches) == expected
    assert place_in("it.csv", 0) == "it.csv row 2"


def test_types_of_csv_can_be_given() -> None:
    Path("rows.csv").write_text("a\n01\n")
    assert next(read_rows("rows.csv", {"a": pa.string()})).values == {"a": "01"}
    (batch,) = read_events("rows.csv", Schema.of({"a": "string"}))[1]
    assert isinstance(batch, Batch)
    assert batch.events.to_pylist() == [{"a": "01"}]


def test_values_that_python_cannot_hold_are_refused() -> None:
    pq.write_table(pa.table({"t": pa.array([2**62], pa.timestamp("us", tz="UTC"))}), "rows.parquet")
    with pytest.raises(ConfigError, match=r"^rows.parquet: at t: a value cannot be read: "):
        list(read_rows("rows.parquet"))
