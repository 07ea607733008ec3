"""What `match` writes, in each format."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from siftmesh.cli.results import FORMATS, format_of, results, shown_id
from siftmesh.errors import ConfigError
from siftmesh.matcher import Matcher

EVENTS = [{"a": 1}, {"a": 3}, {"a": 0}]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def matcher_of(*ids: Any) -> Matcher:
    """The n-th subscription asks for at least n + 1."""
    matcher = Matcher(index="scan")
    for number, one in enumerate(ids):
        matcher.add(one, f"a > {number}")
    return matcher


def run(form: str, out: str | None, matcher: Matcher, *, pairs: bool = False) -> None:
    with results(form, out, matcher, pairs=pairs) as writer:
        writer.write(0, matcher.match_batch(EVENTS[:1]))
        writer.write(1, matcher.match_batch(EVENTS[1:]))


def test_a_table_has_a_line_for_each_event(capsys: pytest.CaptureFixture[str]) -> None:
    run("table", None, matcher_of("alice", 7))
    assert capsys.readouterr().out == "event  ids\n    0  alice\n    1  alice, 7\n    2  -\n"


def test_a_table_has_a_line_for_each_match(capsys: pytest.CaptureFixture[str]) -> None:
    run("table", "-", matcher_of("alice", 7), pairs=True)
    assert capsys.readouterr().out == "event  id\n    0  alice\n    1  alice\n    1  7\n"


def test_json_lines(capsys: pytest.CaptureFixture[str]) -> None:
    run("jsonl", None, matcher_of("jürgen", 7))
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == '{"event":0,"ids":["jürgen"]}'
    assert [json.loads(line) for line in lines[1:]] == [
        {"event": 1, "ids": ["jürgen", 7]},
        {"event": 2, "ids": []},
    ]
    run("jsonl", None, matcher_of("jürgen", 7), pairs=True)
    assert [json.loads(line) for line in capsys.readouterr().out.splitlines()] == [
        {"event": 0, "id": "jürgen"},
        {"event": 1, "id": "jürgen"},
        {"event": 1, "id": 7},
    ]


@pytest.mark.parametrize(("ids", "kind"), [((5, 7), pa.int64()), (("x", "y"), pa.string())])
def test_parquet(ids: tuple[Any, Any], kind: pa.DataType) -> None:
    one, other = ids
    run("parquet", "out.parquet", matcher_of(*ids))
    table = pq.read_table("out.parquet")
    assert table.to_pydict() == {"event": [0, 1, 2], "ids": [[one], [one, other], []]}
    assert table.schema.field("ids").type.value_type == kind
    run("parquet", "out.parquet", matcher_of(*ids), pairs=True)
    table = pq.read_table("out.parquet")
    assert table.to_pydict() == {"event": [0, 1, 1], "id": [one, one, other]}
    assert table.schema == pa.schema([("event", pa.int64()), ("id", kind)])


@pytest.mark.parametrize("pairs", [False, True])
def test_parquet_without_any_row_keeps_its_columns(pairs: bool) -> None:
    matcher = matcher_of("x")
    with results("parquet", "out.parquet", matcher, pairs=pairs):
        pass
    table = pq.read_table("out.parquet")
    assert table.num_rows == 0
    assert table.schema.names == ["event", "id" if pairs else "ids"]


def test_parquet_is_written_in_large_groups() -> None:
    matcher = matcher_of("x")
    with results("parquet", "out.parquet", matcher, pairs=False) as writer:
        for number in range(700):
            writer.write(number * 100, matcher.match_batch(EVENTS[:1] * 100))
    metadata = pq.ParquetFile("out.parquet").metadata
    assert metadata.num_rows == 70_000
    assert metadata.num_row_groups == 2
    assert pq.read_table("out.parquet")["event"].to_pylist() == list(range(70_000))


def test_ids_that_make_no_column_are_refused_before_anything_is_written() -> None:
    with pytest.raises(ConfigError, match=r"ids .* make an Arrow array; .*; --format jsonl takes all ids"):
        run("parquet", "out.parquet", matcher_of("x", 7))
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("form", FORMATS)
def test_a_file_appears_only_if_all_went_well(form: str) -> None:
    def fail() -> None:
        matcher = matcher_of("x")
        with results(form, "out", matcher, pairs=False) as writer:
            writer.write(0, matcher.match_batch(EVENTS))
            assert not Path("out").exists()
            raise RuntimeError("on purpose")

    with pytest.raises(RuntimeError, match="on purpose"):
        fail()
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize(
    ("asked", "out", "form"),
    [
        (None, None, "table"),
        (None, "-", "table"),
        ("jsonl", None, "jsonl"),
        (None, "x.parquet", "parquet"),
        (None, "x.PARQUET", "parquet"),
        (None, "x", "jsonl"),
        ("table", "x.parquet", "table"),
        ("parquet", "x", "parquet"),
    ],
)
def test_the_format_follows_from_where_the_results_go(asked: str | None, out: str | None, form: str) -> None:
    assert format_of(asked, out) == form


@pytest.mark.parametrize("out", [None, "-"])
def test_parquet_does_not_go_to_standard_output(out: str | None) -> None:
    with pytest.raises(ConfigError, match="name a file with --out"):
        format_of("parquet", out)


@pytest.mark.parametrize(
    ("one", "shown"),
    [
        ("alice", "alice"),
        ("a-1/b.c@d:e#f", "a-1/b.c@d:e#f"),
        ("jürgen", "jürgen"),
        ("7f", "7f"),
        (7, "7"),
        (-7, "-7"),
        (2**70, str(2**70)),
        # What could be taken for another id, for two, or for none.
        ("7", '"7"'),
        ("-7", '"-7"'),
        ("-", '"-"'),
        ("", '""'),
        ("a b", '"a b"'),
        ("a, b", '"a, b"'),
        ('"a"', '"\\"a\\""'),
        # What would write elsewhere on the terminal.
        ("a\nb", '"a\\nb"'),
        ("a\x1b[2J", '"a\\u001b[2J"'),
        ("a\x9b2J", '"a\\u009b2J"'),
        ("a\u202eb", '"a\\u202eb"'),
        # What only an index file brings.
        ((1, "x"), '[1,"x"]'),
        (None, "null"),
        (1.5, "1.5"),
        (2j, '"2j"'),
    ],
)
def test_ids_are_shown_so_that_none_is_taken_for_another(one: Any, shown: str) -> None:
    assert shown_id(one) == shown
