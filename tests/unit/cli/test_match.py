"""`siftmesh match`: the subscriptions of a file against the events of a file."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from siftmesh.cli.main import main

SUBSCRIPTIONS = [
    {"id": "alice", "filter": "price < 10"},
    {"id": 7, "filter": "title LIKE 'D%'", "comment": "other fields are let be"},
]
EVENTS: list[dict[str, Any]] = [
    {"price": 5, "title": "Dune"},
    {"price": 15},
    {"data": {"x": [1]}, "title": "Düne"},
]
MATCHES = [{"event": 0, "ids": ["alice", 7]}, {"event": 1, "ids": []}, {"event": 2, "ids": [7]}]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("subscriptions.jsonl", *SUBSCRIPTIONS)
    write("events.jsonl", *EVENTS)
    Path("schema.json").write_text('{"price": "float", "title": "string"}')
    return tmp_path


def write(name: str, *rows: object) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def printed(capsys: pytest.CaptureFixture[str]) -> list[Any]:
    captured = capsys.readouterr()
    assert captured.err == ""
    return [json.loads(line) for line in captured.out.splitlines()]


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is said of a run that goes wrong, which leaves no file behind."""
    before = sorted(os.listdir())
    assert main(["match", *arguments, "--out", "out.jsonl"]) == 2
    assert sorted(os.listdir()) == before
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_each_event_has_its_ids(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "subscriptions.jsonl", "events.jsonl"]) == 0
    found = printed(capsys)
    # The order of ids is not promised.
    assert [{**line, "ids": sorted(line["ids"], key=repr)} for line in found] == MATCHES


def test_events_come_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"price": 1}\n')))
    assert main(["match", "subscriptions.jsonl", "-"]) == 0
    assert printed(capsys) == [{"event": 0, "ids": ["alice"]}]


def test_the_result_goes_to_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    write("subscriptions.jsonl", {"id": "jürgen", "filter": "TRUE"})
    assert main(["match", "subscriptions.jsonl", "events.jsonl", "--out", "out.jsonl"]) == 0
    assert printed(capsys) == []
    assert Path("out.jsonl").read_text(encoding="utf-8").splitlines()[0] == '{"event": 0, "ids": ["jürgen"]}'


def test_parquet_serves_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"id": "alice", "filter": "price < 10"}]
    pq.write_table(pa.Table.from_pylist(rows), "subscriptions.parquet")
    pq.write_table(pa.Table.from_pylist([{"price": 5.0}, {"price": None}]), "events.parquet")
    assert main(["match", "subscriptions.parquet", "events.parquet"]) == 0
    assert printed(capsys) == [{"event": 0, "ids": ["alice"]}, {"event": 1, "ids": []}]


def test_other_dialects(capsys: pytest.CaptureFixture[str]) -> None:
    write("patterns.jsonl", {"id": 1, "filter": {"title": [{"prefix": "D"}]}})
    assert main(["match", "patterns.jsonl", "events.jsonl", "--dialect", "eventbridge"]) == 0
    assert [row["ids"] for row in printed(capsys)] == [[1], [], [1]]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"id": 1, "filter": "price <"}, "the filter ends too early at column 8; expected an attribute"),
        ({"id": 1, "filter": "a = 1\nAND"}, "the filter ends too early at line 2, column 4; expected"),
        ({"id": 1, "filter": "(" * 101}, "the filter is nested deeper than 100 at column 101"),
        ({"id": 1, "filter": 5}, "a filter is text, not int; expected a string"),
        ({"id": 1, "filter": "a = :p"}, "the parameter :p has no value at column 5"),
        ({"id": "alice", "filter": "TRUE"}, "there is already a subscription 'alice'; expected another id"),
        ({"id": 1}, "no field 'filter'; a subscription has the fields id and filter"),
        ({"filter": "TRUE"}, "no field 'id'"),
        ({"id": True, "filter": "TRUE"}, "the id is neither a string nor an integer"),
        ({"id": None, "filter": "TRUE"}, "the id is neither a string nor an integer"),
        ({"id": 1.5, "filter": "TRUE"}, "the id is neither a string nor an integer"),
        ({"id": [1], "filter": "TRUE"}, "the id is neither a string nor an integer"),
        ({"id": "\ud800", "filter": "TRUE"}, "the id holds a lone surrogate, which cannot be written"),
        ({"id": 1, "filter": "a = '\ud800'"}, "the filter holds a lone surrogate at column 6"),
        ([1], "expected a JSON object, one for each line"),
    ],
)
def test_a_wrong_subscription_is_refused_with_its_line(
    row: object, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("subscriptions.jsonl", SUBSCRIPTIONS[0], row)
    said = refusal(capsys, "subscriptions.jsonl", "events.jsonl")
    assert said.startswith(f"siftmesh: subscriptions.jsonl:2: {message}")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{", "not JSON at column 2"),
        (b'{"a": NaN}', "not JSON: NaN is no number of JSON"),
        (b'{"a": "\xff"}', "not UTF-8 at byte 8"),
        (b"5", "expected a JSON object"),
        (b'{"data": {"n": 9223372036854775808}}', "at data.n: an integer of 65 bits needs more than 64"),
        (b'{"\\ud800": 1}', "the name '\\ud800' holds a lone surrogate"),
        (b'{"a": ["x", "\\udfff"]}', "at a[1]: the string holds a lone surrogate"),
        (b'{"a": ' * 80 + b"1" + b"}" * 80, "at a."),
    ],
)
def test_a_wrong_event_is_refused_with_its_line_and_nothing_is_written(
    line: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("events.jsonl").write_bytes(b'{"price": 1}\n' + line + b"\n")
    said = refusal(capsys, "subscriptions.jsonl", "events.jsonl")
    assert said.startswith(f"siftmesh: events.jsonl:2: {message}")


def test_an_array_of_objects_that_a_filter_looks_into_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    write("subscriptions.jsonl", {"id": 1, "filter": "items.name = 'x'"})
    write("events.jsonl", {"items": []}, {"items": [{"name": "x"}]})
    said = refusal(capsys, "subscriptions.jsonl", "events.jsonl")
    assert said.startswith("siftmesh: events.jsonl:2: at items: items.name lies inside an array of objects")


@pytest.mark.parametrize(
    ("filter", "message"),
    [
        (
            "prise < 10",
            "subscriptions.jsonl:1: there is no attribute prise at column 1; expected price perhaps",
        ),
        ("price < 'x'", "subscriptions.jsonl:1: a number never compares with a string at column 1"),
    ],
)
def test_a_schema_refuses_what_cannot_match(
    filter: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("subscriptions.jsonl", {"id": 1, "filter": filter})
    said = refusal(capsys, "subscriptions.jsonl", "events.jsonl", "--schema", "schema.json")
    assert said.startswith(f"siftmesh: {message}")


@pytest.mark.parametrize(
    ("schema", "message"),
    [
        ("[1]", "schema.json: expected attribute names and types"),
        ('{"price": 5}', "schema.json: attribute price: 5 is not the name of a type"),
        ('{"price": "flaot"}', "schema.json: attribute price: 'flaot' is not a type; expected float"),
        ("{", "schema.json: not JSON at column 2"),
    ],
)
def test_a_wrong_schema_is_refused(schema: str, message: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("schema.json").write_text(schema)
    said = refusal(capsys, "subscriptions.jsonl", "events.jsonl", "--schema", "schema.json")
    assert said.startswith(f"siftmesh: {message}")


def test_files_that_are_none_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    Path("folder").mkdir()
    for arguments in (["folder", "events.jsonl"], ["subscriptions.jsonl", "folder"]):
        assert "folder: cannot be read: Is a directory" in refusal(capsys, *arguments)
    for arguments in (["nosuch", "events.jsonl"], ["subscriptions.jsonl", "nosuch"]):
        assert "nosuch: cannot be read: No such file or directory" in refusal(capsys, *arguments)
    assert main(["match", "subscriptions.jsonl", "events.jsonl", "--out", "folder"]) == 2
    assert "folder: cannot be written: Is a directory" in capsys.readouterr().err
