"""Parquet and CSV files as Arrow tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from siftmesh.cli.tables import (
    csv_types,
    is_csv,
    is_parquet,
    is_table,
    parquet_batches,
    parquet_rows,
    read_table,
)
from siftmesh.errors import ConfigError
from siftmesh.model.schema import Schema


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def csv(content: str | bytes, name: str = "it.csv", **types: Any) -> pa.Table:
    Path(name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return read_table(name, types)


def test_names_tell_what_files_are() -> None:
    assert [is_parquet(name) for name in ("a.parquet", "A.PARQUET", "a.csv", "-", "parquet")] == [
        True,
        True,
        False,
        False,
        False,
    ]
    assert [is_csv(name) for name in ("a.csv", "A.CSV", "a.tsv", "a.jsonl", "csv")] == [True] * 3 + [
        False
    ] * 2
    assert [is_table(name) for name in ("a.csv", "a.parquet", "a.jsonl", "-")] == [True, True, False, False]


# ---- CSV


def test_numbers_and_booleans_are_told_by_their_looks_and_moments_stay_text() -> None:
    table = csv(
        "whole,part,yes,text,day,moment\n"
        "1,1,true,Dune,2024-01-01,2024-01-01T10:00:00Z\n"
        "2,2.5,false,NA,2024-01-02,2024-01-02 11:00:00\n"
    )
    assert table.to_pylist() == [
        {
            "whole": 1,
            "part": 1.0,
            "yes": True,
            "text": "Dune",
            "day": "2024-01-01",
            "moment": "2024-01-01T10:00:00Z",
        },
        {
            "whole": 2,
            "part": 2.5,
            "yes": False,
            "text": "NA",
            "day": "2024-01-02",
            "moment": "2024-01-02 11:00:00",
        },
    ]


def test_an_empty_cell_is_missing_unless_it_is_in_quotes() -> None:
    assert csv('a,b,c\n,"",\n1,x,\n').to_pylist() == [
        {"a": None, "b": "", "c": None},
        {"a": 1, "b": "x", "c": None},
    ]


def test_a_type_that_shows_late_holds_for_the_whole_column() -> None:
    # More than Arrow looks at first.
    table = csv("a\n" + "1\n" * 700_000 + "x\n")
    assert (table["a"][0].as_py(), table["a"][-1].as_py()) == ("1", "x")


def test_cells_hold_quotes_commas_and_new_lines() -> None:
    assert csv('\ufeffa,b\n"x ""y"", z","one\ntwo"\n').to_pylist() == [{"a": 'x "y", z', "b": "one\ntwo"}]


def test_tabs_separate_where_the_name_says_so() -> None:
    assert csv("a\tb\n1,5\tx\n", "it.tsv").to_pylist() == [{"a": "1,5", "b": "x"}]


def test_a_schema_settles_types_that_looks_do_not() -> None:
    schema = Schema.of({"zip": "string", "t": "timestamp", "yes": "bool", "n": "number", "xs": "array<int>"})
    types = csv_types(schema)
    assert set(types) == {"zip", "t", "yes"}
    table = csv("zip,t,yes,n\n01234,2024-01-01,1,5\n", **types)
    assert table.to_pylist() == [{"zip": "01234", "t": "2024-01-01", "yes": True, "n": 5}]
    assert csv_types(None) == {}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "it.csv: cannot be read as CSV: Empty CSV file; give a Parquet, CSV or JSON lines file"),
        (
            b"a,b\n1,2\n1,2,3\n",
            "it.csv: cannot be read as CSV: row 3: Expected 2 columns, got 3",
        ),
        (b"a,a\n1,2\n", "it.csv: two columns are called 'a'; give each a name of its own"),
        (b"a\n\xff\n", "it.csv: the column 'a' is not UTF-8; write the file in UTF-8"),
        (b"\xff\xfea\x00\n", "it.csv: cannot be read as CSV: 'utf-8' codec can't decode"),
    ],
)
def test_a_wrong_csv_file_is_refused(content: bytes, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        csv(content)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


def test_a_cell_that_is_not_of_its_type_is_refused() -> None:
    with pytest.raises(ConfigError, match="invalid value 'x'"):
        csv("a\nx\n", a=pa.bool_())


# ---- Parquet


def test_parquet_comes_in_batches_or_whole() -> None:
    pq.write_table(pa.table({"a": range(100_000)}), "it.parquet", row_group_size=30_000)
    batches = list(parquet_batches("it.parquet"))
    assert len(batches) > 1
    assert pa.Table.from_batches(batches).equals(read_table("it.parquet"))
    assert parquet_rows("it.parquet") == 100_000


def test_an_empty_parquet_file_keeps_its_columns() -> None:
    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), "it.parquet")
    assert read_table("it.parquet").schema.names == ["a"]
    assert parquet_rows("it.parquet") == 0


@pytest.mark.parametrize("read", [lambda path: list(parquet_batches(path)), parquet_rows, read_table])
def test_what_is_no_parquet_file_is_refused(read: Any) -> None:
    Path("it.parquet").write_bytes(b"PAR1 and then nothing of the sort")
    with pytest.raises(
        ConfigError,
        match=r"^it.parquet: cannot be read as Parquet: .*; give a Parquet, CSV or JSON lines file",
    ):
        read("it.parquet")
    pq.write_table(pa.table([[1], [2]], names=["a", "a"]), "it.parquet")
    with pytest.raises(ConfigError, match=r"^it.parquet: two columns are called 'a'"):
        read("it.parquet")


@pytest.mark.parametrize("name", ["nosuch.parquet", "nosuch.csv"])
def test_a_file_that_is_not_there_is_refused(name: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read_table(name)
    assert str(caught.value) == f"{name}: cannot be read: No such file or directory; give the path of a file"


def test_what_goes_wrong_with_a_batch_is_not_taken_for_a_fault_of_the_file() -> None:
    pq.write_table(pa.table({"a": [1]}), "it.parquet")

    def use() -> None:
        for _ in parquet_batches("it.parquet"):
            raise ValueError("elsewhere")

    with pytest.raises(ValueError, match=r"^elsewhere$"):
        use()
