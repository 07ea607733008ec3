"""`siftmesh match`: the subscriptions of a file against the events of a file."""

from __future__ import annotations

import io
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from siftmesh.cli import match
from siftmesh.cli.main import main
from siftmesh.errors import EventError
from siftmesh.matcher import Matcher

SUBSCRIPTIONS = [
    {"id": "alice", "filter": "price < 10"},
    {"id": "bob", "filter": "title LIKE 'D%'"},
]
EVENTS: list[dict[str, Any]] = [
    {"price": 5.0, "title": "Dune"},
    {"price": 15.0, "title": None},
    {"price": None, "title": "Düne"},
]
IDS = [["alice", "bob"], [], ["bob"]]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    write("subscriptions.jsonl", *SUBSCRIPTIONS)
    write("events.jsonl", *EVENTS)
    Path("schema.json").write_text('{"price": "float", "title": "string"}')
    return tmp_path


def write(name: str, *rows: object) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def ids(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[list[Any]]:
    """The ids for each event; their order is not promised."""
    assert main(["match", *arguments, "--format", "jsonl"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    lines = [json.loads(line) for line in captured.out.splitlines()]
    assert [line["event"] for line in lines] == list(range(len(lines)))
    return [sorted(line["ids"]) for line in lines]


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What is said of a run that goes wrong, which leaves no file behind."""
    before = sorted(os.listdir())
    assert main(["match", *arguments, "--out", "out.jsonl"]) == 2
    assert sorted(os.listdir()) == before
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


# ---- in


@pytest.mark.parametrize("index", ["adaptive", "counting", "scan"])
def test_each_event_has_its_ids(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert ids(capsys, "subscriptions.jsonl", "events.jsonl", "--index", index) == IDS


def test_events_come_from_standard_input(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"price": 1}\n')))
    assert ids(capsys, "subscriptions.jsonl", "-") == [["alice"]]


def test_every_form_of_file_is_read(capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.Table.from_pylist(SUBSCRIPTIONS), "subscriptions.parquet")
    Path("subscriptions.csv").write_text("id,filter\nalice,price < 10\nbob,title LIKE 'D%'\n")
    pq.write_table(pa.Table.from_pylist(EVENTS), "events.parquet")
    Path("events.csv").write_text("price,title\n5,Dune\n15,\n,Düne\n", encoding="utf-8")
    for subscriptions in ("subscriptions.jsonl", "subscriptions.parquet", "subscriptions.csv"):
        for events in ("events.jsonl", "events.parquet", "events.csv"):
            assert ids(capsys, subscriptions, events) == IDS


def test_a_schema_settles_what_cells_of_csv_are(capsys: pytest.CaptureFixture[str]) -> None:
    write("subscriptions.jsonl", {"id": 1, "filter": "title = '1984'"})
    Path("events.csv").write_text("title,price\n1984,5\n")
    assert ids(capsys, "subscriptions.jsonl", "events.csv") == [[]]
    assert ids(capsys, "subscriptions.jsonl", "events.csv", "--schema", "schema.json") == [[1]]


def test_a_template_and_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    Path("table.csv").write_text("user,most\n1,10\n2,20\n")
    arguments = ("--template", "price < :most", "--id", "user", "table.csv", "events.jsonl")
    assert ids(capsys, *arguments) == [[1, 2], [2], []]


def test_other_dialects(capsys: pytest.CaptureFixture[str]) -> None:
    write("patterns.jsonl", {"id": 1, "filter": {"title": [{"prefix": "D"}]}})
    assert ids(capsys, "patterns.jsonl", "events.jsonl", "--dialect", "eventbridge") == [[1], [], [1]]


def test_many_events_in_many_batches(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("subscriptions.jsonl", {"id": 1, "filter": "a >= 500"})
    rows = [{"a": number % 1_000, "text": "x" * 900} for number in range(3_000)]
    write("events.jsonl", *rows)
    pq.write_table(pa.Table.from_pylist(rows), "events.parquet")
    expected = [[1] if row["a"] >= 500 else [] for row in rows]
    for slow in (10.0, 0.0):  # with batches that grow, and with the smallest
        monkeypatch.setattr(match, "_SECONDS", slow)
        for events in ("events.jsonl", "events.parquet"):
            assert ids(capsys, "subscriptions.jsonl", events) == expected


# ---- out


def test_a_table_is_the_default(capsys: pytest.CaptureFixture[str]) -> None:
    write("subscriptions.jsonl", SUBSCRIPTIONS[0])
    assert main(["match", "subscriptions.jsonl", "events.jsonl"]) == 0
    assert capsys.readouterr() == ("event  ids\n    0  alice\n    1  -\n    2  -\n", "")
    assert main(["match", "subscriptions.jsonl", "events.jsonl", "--pairs"]) == 0
    assert capsys.readouterr() == ("event  id\n    0  alice\n", "")


def test_the_result_goes_to_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    write("subscriptions.jsonl", {"id": "jürgen", "filter": "TRUE"})
    assert main(["match", "subscriptions.jsonl", "events.jsonl", "--out", "out.jsonl"]) == 0
    assert capsys.readouterr() == ("", "")
    assert Path("out.jsonl").read_text(encoding="utf-8").splitlines()[0] == '{"event":0,"ids":["jürgen"]}'


def test_the_result_goes_to_a_parquet_file() -> None:
    assert main(["match", "subscriptions.jsonl", "events.jsonl", "--out", "out.parquet"]) == 0
    table = pq.read_table("out.parquet").to_pydict()
    assert [sorted(found) for found in table["ids"]] == IDS
    assert main(["match", "subscriptions.jsonl", "events.jsonl", "--out", "out.parquet", "--pairs"]) == 0
    rows = pq.read_table("out.parquet").to_pylist()
    assert sorted((row["event"], row["id"]) for row in rows) == [(0, "alice"), (0, "bob"), (2, "bob")]


def test_parquet_needs_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "subscriptions.jsonl", "events.jsonl", "--format", "parquet"]) == 2
    assert capsys.readouterr().err == (
        "siftmesh: Parquet is no text for standard output; name a file with --out\n"
    )


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_progress_and_a_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    pq.write_table(pa.Table.from_pylist(EVENTS), "events.parquet")
    assert main(["match", "subscriptions.jsonl", "events.parquet", "--out", "out.jsonl"]) == 0
    shown = terminal.getvalue()
    assert "3/3" in shown
    last = shown.rpartition("\033[K")[2]
    assert last.startswith("events 3, subscriptions 2, matches 3, ")
    assert last.endswith(" events/s\n")


def test_progress_does_not_stand_between_the_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    monkeypatch.setattr(sys, "stdout", terminal)
    assert main(["match", "subscriptions.jsonl", "events.jsonl"]) == 0
    assert "\revents" not in terminal.getvalue()


# ---- index files


def test_an_index_is_saved_and_used(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["subscriptions.jsonl", "events.jsonl", "--index", "adaptive"]
    assert ids(capsys, *arguments, "--save-index", "index") == IDS
    assert ids(capsys, "index", "events.jsonl") == IDS
    # It is the same whether there were events or not.
    assert main(["match", "subscriptions.jsonl", "--index", "adaptive", "--save-index", "index"]) == 0
    assert capsys.readouterr() == ("", "")
    assert ids(capsys, "index", "events.jsonl") == IDS


def test_no_index_is_left_where_an_event_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    write("events.jsonl", {"a": 1}, [])
    refusal(capsys, "subscriptions.jsonl", "events.jsonl", "--index", "adaptive", "--save-index", "index")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--save-index", "-"), "- is no file; choose another --save-index"),
        (("--save-index", "/dev/null"), "/dev/null is no file; choose another --save-index"),
        (
            ("--save-index", "events.jsonl"),
            "events.jsonl: would be written over while it is read; choose another",
        ),
        (("--save-index", "./out.jsonl"), "out.jsonl: cannot be both; choose another --save-index"),
        (("--save-index", "nosuch/it", "--index", "adaptive"), "nosuch/it: cannot be written: No such file"),
    ],
)
def test_an_index_that_cannot_be_saved_is_refused(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = refusal(capsys, "subscriptions.jsonl", "events.jsonl", *arguments)
    assert said.startswith(f"siftmesh: {message}")


def test_without_events_there_is_only_an_index_to_be_made(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "subscriptions.jsonl"]) == 2
    assert capsys.readouterr().err.startswith("siftmesh: no EVENTS to match; name a file, - for standard")
    for options in (["--out", "x"], ["--pairs"], ["--format", "jsonl"]):
        assert main(["match", "subscriptions.jsonl", "--save-index", "index", *options]) == 2
        assert capsys.readouterr().err.startswith("siftmesh: without EVENTS nothing is matched; leave out ")
    assert not Path("index").exists()


# ---- what is wrong


def test_a_wrong_subscription_is_refused_with_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    write("subscriptions.jsonl", SUBSCRIPTIONS[0], {"id": 1, "filter": "a IN (1, 2, 3)"})
    said = refusal(capsys, "subscriptions.jsonl", "events.jsonl", "--limit", "items=2")
    assert said == (
        "siftmesh: subscriptions.jsonl:2: the list has more than 2 items at column 14;"
        " --limit items=NUMBER sets another limit\n"
    )
    # All subscriptions are read before anything is printed.
    assert main(["match", "subscriptions.jsonl", "events.jsonl", "--limit", "items=2"]) == 2
    assert capsys.readouterr() == ("", said)


FAULTS = [
    (b"{", "not JSON at column 2"),
    (b'{"a": NaN}', "not JSON: NaN is no number of JSON"),
    (b'{"a": "\xff"}', "not UTF-8 at byte 8"),
    (b"5", "expected a JSON object"),
    (b'{"data": {"n": 9223372036854775808}}', "at data.n: an integer of 65 bits needs more than 64"),
    (b'{"\\ud800": 1}', "the name '\\ud800' holds a lone surrogate"),
    (b'{"a": ["x", "\\udfff"]}', "at a[1]: the string holds a lone surrogate"),
    (b'{"a": ' * 80 + b"1" + b"}" * 80, "at a."),
]


@pytest.mark.parametrize(("line", "message"), FAULTS, ids=range(len(FAULTS)))
def test_a_wrong_event_is_refused_with_its_line_and_nothing_is_written(
    line: bytes, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("events.jsonl").write_bytes(b'{"price": 1}\n' + line + b"\n")
    said = refusal(capsys, "subscriptions.jsonl", "events.jsonl")
    assert said.startswith(f"siftmesh: events.jsonl:2: {message}")
    assert "written" not in said


@pytest.mark.parametrize("index", ["adaptive", "scan"])
@pytest.mark.parametrize(("line", "message"), FAULTS, ids=range(len(FAULTS)))
def test_on_standard_output_all_events_before_a_wrong_one_are_printed_and_counted(
    line: bytes, message: str, index: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("events.jsonl").write_bytes(b'{"price": 1}\n' * 5 + line + b'\n{"price": 1}\n')
    assert main(["match", "subscriptions.jsonl", "events.jsonl", "--index", index]) == 2
    captured = capsys.readouterr()
    assert captured.out == "event  ids\n" + "".join(f"    {number}  alice\n" for number in range(5))
    assert captured.err.startswith(f"siftmesh: events.jsonl:6: {message}")
    assert captured.err.endswith("; 5 events before it were written\n")
    assert captured.err.count("\n") == 1


def test_one_event_before_a_wrong_one_is_counted_as_one(capsys: pytest.CaptureFixture[str]) -> None:
    Path("events.jsonl").write_bytes(b"{}\n{\n")
    assert main(["match", "subscriptions.jsonl", "events.jsonl"]) == 2
    assert capsys.readouterr().err.endswith("; 1 event before it was written\n")


@pytest.mark.parametrize("index", ["adaptive", "scan"])
def test_a_wrong_row_of_a_table_is_found(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    write("subscriptions.jsonl", {"id": 1, "filter": "a > 0 OR t IS NULL"})
    numbers = pa.array([*range(1, 30), 2**63, 5, 2**64 - 1], pa.uint64())
    pq.write_table(pa.table({"a": numbers}), "events.parquet")
    said = refusal(capsys, "subscriptions.jsonl", "events.parquet", "--index", index)
    assert said.startswith("siftmesh: events.parquet row 30: at a: an integer of 65 bits needs more than 64")
    assert main(["match", "subscriptions.jsonl", "events.parquet", "--index", index]) == 2
    captured = capsys.readouterr()
    assert captured.out.count("\n") == 30
    assert captured.err.endswith("; 29 events before it were written\n")


def test_an_array_of_objects_that_a_filter_looks_into_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    write("subscriptions.jsonl", {"id": 1, "filter": "items.name = 'x'"})
    write("events.jsonl", {"items": []}, {"items": [{"name": "x"}]})
    said = refusal(capsys, "subscriptions.jsonl", "events.jsonl")
    assert said.startswith("siftmesh: events.jsonl:2: at items: items.name lies inside an array of objects")


@pytest.mark.parametrize("count", [1, 2, 3, 7, 64])
def test_the_first_of_several_faults_is_found(count: int) -> None:
    matcher = Matcher(index="scan")
    matcher.add("x", "a = 1")
    for first in range(count):
        events = [{"a": 2**70 if row in (first, count - 1) else 1} for row in range(count)]
        found, fault = match.until_fault(matcher, events)
        assert list(found) == [["x"]] * first
        assert isinstance(fault, EventError)
        assert str(fault).startswith("at a: an integer of 72 bits")
    found, fault = match.until_fault(matcher, [{"a": 1}] * count)
    assert fault is None


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


@pytest.mark.parametrize("given", ["events.jsonl", "./events.jsonl", "subscriptions.jsonl", "link"])
def test_what_is_read_is_not_written_over(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    os.link("events.jsonl", "link")
    before = Path("events.jsonl").read_bytes()
    assert main(["match", "subscriptions.jsonl", "events.jsonl", "--out", given]) == 2
    assert "would be written over while it is read; choose another --out" in capsys.readouterr().err
    assert Path("events.jsonl").read_bytes() == before


def test_standard_input_and_output_do_not_get_in_each_others_way(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"price": 1}\n')))
    assert ids(capsys, "subscriptions.jsonl", "-", "--out", "-") == [["alice"]]
    assert main(["match", "-", "-"]) == 2
    assert "standard input cannot be both the subscriptions and the events" in capsys.readouterr().err


def test_a_file_is_left_as_it_was_if_the_run_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("out.jsonl").write_text("old")

    def events(*_: object) -> tuple[None, Iterator[Any]]:
        raise KeyboardInterrupt

    monkeypatch.setattr(match, "_match", events)
    assert main(["match", "subscriptions.jsonl", "events.jsonl", "--out", "out.jsonl"]) == 130
    assert Path("out.jsonl").read_text() == "old"
    assert not list(Path().glob("*unfinished*"))
    assert not list(Path().glob(".*unfinished*"))


def test_events_that_cannot_be_read_are_told_before_anything_is_printed(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["match", "subscriptions.jsonl", "nowhere"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert (
        printed.err
        == "siftmesh: nowhere: cannot be read: No such file or directory; give the path of a file\n"
    )


def test_who_has_no_subscriptions_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    Path("empty").write_bytes(b"")
    assert main(["match", "empty", "events.jsonl", "--format", "jsonl"]) == 0
    assert capsys.readouterr().err == "siftmesh: empty: there are no subscriptions, so nothing can match\n"


@pytest.mark.parametrize("index", ["scan", "counting"])
def test_every_index_can_be_kept(index: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["match", "subscriptions.jsonl", "--index", index, "--save-index", "index"]) == 0
    assert capsys.readouterr() == ("", "")
    assert ids(capsys, "index", "events.jsonl") == IDS
