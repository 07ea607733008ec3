"""Subscriptions from files of every kind."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from siftmesh.cli.settings import add_settings
from siftmesh.cli.subscriptions import INDEXES, add_source, is_index, read_matcher
from siftmesh.errors import ConfigError
from siftmesh.logic.render import render
from siftmesh.matcher import Matcher
from siftmesh.matching import api

TEMPLATE = "price < :p AND title = :t"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_source(parser)
    add_settings(parser)
    return parser.parse_args(words)


def read(*words: str) -> dict[Any, str]:
    """The filters that are read, by id."""
    matcher = read_matcher(parsed(*words))
    return {one: render(matcher[one]) for one in matcher}


def refusal(*words: str) -> str:
    with pytest.raises(ConfigError) as caught:
        read(*words)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def write(name: str, *rows: object) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_table(name: str, **columns: Any) -> None:
    pq.write_table(pa.table(columns), name)


def test_the_indexes_are_those_that_there_are() -> None:
    assert set(INDEXES) == set(api.INDEXES)


@pytest.mark.parametrize("index", INDEXES)
def test_an_index_can_be_chosen(index: str) -> None:
    write("it", {"id": 1, "filter": "a < 1"})
    matcher = read_matcher(parsed("it", "--index", index))
    assert matcher.stats()["index"] == index
    assert matcher.match({"a": 0}) == [1]


# ---- texts


def test_json_lines() -> None:
    write("it", {"id": "x", "filter": "a < 1"}, {"id": 7, "filter": "b = 'c'", "note": "let be"})
    assert read("it") == {"x": "a < 1", 7: "b = 'c'"}


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"id": 1, "filter": "a < 1"}')))
    assert read("-") == {1: "a < 1"}


def test_parquet() -> None:
    write_table("it.parquet", id=["x", "y"], filter=["a < 1", "b < 2"], note=[1, 2])
    assert read("it.parquet") == {"x": "a < 1", "y": "b < 2"}


def test_csv() -> None:
    Path("it.csv").write_text("id,filter\n1,\"a < 1 AND b = 'x'\"\n2,TRUE\n")
    assert read("it.csv") == {1: "a < 1 AND b = 'x'", 2: "TRUE"}


@pytest.mark.parametrize("ids", [("x", "2"), ("1.5", "2"), ("true", "false"), ("2024-01-01", "2024-01-02")])
def test_ids_of_csv_that_are_no_integers_are_texts(ids: tuple[str, str]) -> None:
    Path("it.csv").write_text(f"id,filter\n{ids[0]},TRUE\n{ids[1]},TRUE\n")
    assert set(read("it.csv")) == set(ids)


def test_each_row_can_have_a_dialect_of_its_own() -> None:
    write(
        "it",
        {"id": 1, "filter": {"a": ["x"]}, "dialect": "eventbridge"},
        {"id": 2, "filter": "a = 'x'", "dialect": None},
        {"id": 3, "filter": "a = 'x'"},
    )
    assert read("it", "--dialect", "jms")[3] == "a = 'x'"
    Path("it.csv").write_text('id,filter,dialect\n1,"{""a"": [""x""]}",eventbridge\n2,a = 1,\n')
    assert read("it.csv")[2] == "a = 1"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": 1, "filter": "price <"}, "the filter ends too early at column 8; expected an attribute"),
        ({"id": 1, "filter": "a = 1\nAND"}, "the filter ends too early at line 2, column 4; expected"),
        ({"id": 1, "filter": 5}, "a filter is text, not int; expected a string"),
        ({"id": 1, "filter": "a = :p"}, "the parameter :p has no value at column 5"),
        ({"id": "x", "filter": "TRUE"}, "there is already a subscription 'x'; expected another id"),
        ({"id": 1}, "no field 'filter'; a subscription has the fields id and filter"),
        ({"filter": "TRUE"}, "no field 'id'; a subscription has the fields id and filter"),
        ({"id": True, "filter": "TRUE"}, "the id is neither a string nor an integer"),
        ({"id": None, "filter": "TRUE"}, "the id is neither a string nor an integer"),
        ({"id": 1.5, "filter": "TRUE"}, "the id is neither a string nor an integer"),
        ({"id": [1], "filter": "TRUE"}, "the id is neither a string nor an integer"),
        ({"id": "\ud800", "filter": "TRUE"}, "the id holds a lone surrogate, which cannot be written"),
        ({"id": 1, "filter": "a = '\ud800'"}, "the filter holds a lone surrogate at column 6"),
        ({"id": 1, "filter": "a = 1", "dialect": "smq"}, "there is no dialect 'smq'; expected"),
        ({"id": 1, "filter": "a = 1", "dialect": 5}, "the dialect is no string; give the name of one"),
        ([1], "expected a JSON object, one for each line"),
    ],
)
def test_a_wrong_row_is_refused_with_its_line(row: object, message: str) -> None:
    write("it", {"id": "x", "filter": "TRUE"}, row)
    assert refusal("it").startswith(f"it:2: {message}")


def test_a_filter_past_a_limit_is_refused_with_the_option_that_would_let_it_in() -> None:
    write("it", {"id": 1, "filter": "a IN (1, 2, 3)"})
    said = refusal("it", "--limit", "items=2")
    assert (
        said == "it:1: the list has more than 2 items at column 14; --limit items=NUMBER sets another limit"
    )
    assert read("it", "--limit", "items=3") == {1: "a IN (1, 2, 3)"}
    write("it", {"id": 1, "filter": "(" * 101})
    assert refusal("it").endswith("; nothing that is nested deeper is read, write it flatter")


def test_tables_are_refused_with_the_row() -> None:
    write_table("it.parquet", id=[1, 2], filter=["a < 1", None])
    assert refusal("it.parquet").startswith("it.parquet row 2: a filter is text, not NoneType")
    write_table("it.parquet", id=[1], text=["a < 1"])
    assert refusal("it.parquet").startswith("it.parquet row 1: no field 'filter'")
    Path("it.csv").write_text("id,filter\n1,a < 1\n,a < 1\n")
    assert refusal("it.csv").startswith("it.csv row 3: the id is neither a string nor an integer")


# ---- templates


def test_a_template_with_a_table() -> None:
    write_table("it.parquet", id=["x", "y"], p=[1.5, 2.5], t=["Dune", "Emma"], note=[1, 2])
    expected = {"x": "price < 1.5 AND title = 'Dune'", "y": "price < 2.5 AND title = 'Emma'"}
    assert read("it.parquet", "--template", TEMPLATE) == expected
    Path("it.csv").write_text("id,p,t\nx,1.5,Dune\ny,2.5,Emma\n")
    assert read("it.csv", "--template", TEMPLATE) == expected
    write("it", {"id": "x", "p": 1.5, "t": "Dune"}, {"id": "y", "p": 2.5, "t": "Emma", "note": 3})
    assert read("it", "--template", TEMPLATE) == expected


def test_another_column_of_ids() -> None:
    write_table("it.parquet", user=["x"], p=[1])
    assert read("it.parquet", "--template", "a < :p", "--id", "user") == {"x": "a < 1"}


@pytest.mark.parametrize("ids", [["1.5", "2"], ["true", "false"], ["2024-01-01", "2024-01-02"]])
def test_ids_of_a_table_of_csv_are_integers_or_texts(ids: list[str]) -> None:
    Path("it.csv").write_text(f"id,p\n{ids[0]},1\n{ids[1]},2\n")
    assert set(read("it.csv", "--template", "a < :p")) == set(ids)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": 1, "p": 1, "t": "x"}, {"id": 2, "p": 1}], "it:2: no field 't'; a row has an id and all"),
        ([{"id": 1, "p": 1, "t": "x"}, {"p": 1, "t": "x"}], "it:2: no field 'id'"),
        (
            [{"id": 1, "p": 1, "t": "x"}, {"id": 1, "p": 1, "t": "x"}],
            "it:2: there is already a subscription 1",
        ),
        ([{"id": 1, "p": 1, "t": "x"}, {"id": 2, "p": [], "t": "x"}], "it:2: "),
        ([{"id": 1.5, "p": 1, "t": "x"}], "it:1: the id is neither a string nor an integer"),
    ],
)
def test_a_wrong_row_of_parameters_is_refused_with_its_place(rows: list[Any], message: str) -> None:
    write("it", *rows)
    assert refusal("it", "--template", TEMPLATE).startswith(message)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"id": [1], "p": [1]}, "it.parquet: the table has no column for :t; expected :p, :t"),
        ({"p": [1], "t": ["x"]}, "it.parquet: the table has no column 'id'"),
        ({"id": [1.5], "p": [1], "t": ["x"]}, "it.parquet: the ids in column 'id' are double; give integers"),
        ({"id": [5, None], "p": [1, 1], "t": ["x", "y"]}, "it.parquet row 2: the id is neither a string nor"),
        ({"id": [5, 5], "p": [1, 1], "t": ["x", "y"]}, "it.parquet row 2: there is already a subscription 5"),
    ],
)
def test_a_wrong_table_of_parameters_is_refused(columns: dict[str, Any], message: str) -> None:
    write_table("it.parquet", **columns)
    assert refusal("it.parquet", "--template", TEMPLATE).startswith(message)


def test_rows_of_csv_are_counted_as_in_a_spreadsheet() -> None:
    Path("it.csv").write_text("id,p,t\n1,1,x\n1,1,y\n")
    assert refusal("it.csv", "--template", TEMPLATE).startswith("it.csv row 3: there is already")


def test_a_wrong_template_is_refused() -> None:
    write("it", {"id": 1, "p": 1})
    assert refusal("it", "--template", "a <").startswith("--template: the filter ends too early at column 4")
    assert refusal("it", "--template", "a < :p", "--limit", "text=2").endswith(
        "the limit is 2; --limit text=NUMBER sets another limit"
    )
    assert refusal("it", "--template", "a < :p", "--dialect", "jms") == (
        "a --template is in the dialect sql, not jms"
    )
    assert refusal("it", "--id", "user") == "--id names a column beside a --template; leave it out"


# ---- index files


@pytest.fixture
def index() -> str:
    matcher = Matcher(index="adaptive", schema={"a": "int"})
    matcher.add("x", "a < 5")
    matcher.save("index")
    return "index"


def test_an_index_file_is_known_by_its_beginning(index: str) -> None:
    assert is_index(index)
    Path("other").write_bytes(b"SIFT")
    assert not any(map(is_index, ("other", "nosuch", ".", "-", "/dev/null", "zero\0byte")))
    assert read(index) == {"x": "a < 5"}


def test_a_pipe_is_not_looked_into(index: str) -> None:
    os.mkfifo("pipe")
    # Nobody writes to it: whoever opened it would wait.
    assert not is_index("pipe")


@pytest.mark.parametrize(
    "options", [("--template", "a < :p"), ("--index", "scan"), ("--limit", "text=5"), ("--dialect", "jms")]
)
def test_what_an_index_file_has_settled_is_not_settled_again(index: str, options: tuple[str, str]) -> None:
    assert refusal(index, *options) == (
        f"index is an index file, whose subscriptions are read already; leave out {options[0]}"
    )


def test_a_damaged_index_file_is_refused(index: str) -> None:
    whole = Path(index).read_bytes()
    for content in (whole[:100], whole[:-1], b"SIFTMESH"):
        Path(index).write_bytes(content)
        said = refusal(index)
        assert said.startswith("index: ")
        assert said.endswith("; write it again with --save-index")
