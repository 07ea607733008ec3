"""Files read row by row with the place of whatever is wrong, and written whole or not at all."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from siftmesh.cli.files import read_json, read_rows, replacing, written
from siftmesh.errors import ConfigError

MANY_LINES = b'{"a": 1}\n' * 3_000


def test_rows_of_json_lines_know_their_lines(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b'\xef\xbb\xbf{"a": 1}\r\n\n   \n{"b": "\xc3\xa9"}')
    assert [(row.place, row.values) for row in read_rows(str(file))] == [
        (f"{file}:1", {"a": 1}),
        (f"{file}:4", {"b": "é"}),
    ]


def test_an_empty_file_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert list(read_rows(str(tmp_path / "empty"))) == []


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1}\n[1]\n')))
    rows = read_rows("-")
    assert next(rows).values == {"a": 1}
    with pytest.raises(ConfigError, match=r"^standard input:2: expected a JSON object"):
        next(rows)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{a: 1}", ":1: not JSON at column 2: Expecting property name"),
        (b'{"a": 1}\n{"a": }', ":2: not JSON at column 7: Expecting value"),
        (b'{"a": 1}\n5', ":2: expected a JSON object, one for each line"),
        (b'{"a": 1}\n\n[{"a": 1}]', ":3: expected a JSON object"),
        (b'{"a": NaN}', ":1: not JSON: NaN is no number of JSON"),
        (b'{"a": -Infinity}', ":1: not JSON: -Infinity is no number of JSON"),
        (b'{"a": ' + b"9" * 5_000 + b"}", ":1: not JSON: "),
        (b"[" * 100_000, ":1: nested too deeply to be read"),
        (b'{"a": "\xff"}', ":1: not UTF-8 at byte 8; give JSON, or a name ending in .parquet"),
        (MANY_LINES + b'{"a": "\xff"}', ":3001: not UTF-8 at byte 8"),
        (b"PAR1\x00\x01", ":1: not JSON"),
    ],
    ids=range(11),
)
def test_a_wrong_row_is_refused_with_its_line(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        list(read_rows(str(file)))
    assert str(caught.value).startswith(f"{file}{message}")


def test_what_to_do_is_said_after_what_is_wrong(tmp_path: Path) -> None:
    file = tmp_path / "wrong"
    file.write_bytes(b"not json\n")
    with pytest.raises(ConfigError) as caught:
        list(read_rows(str(file)))
    assert (
        str(caught.value) == f"{file}:1: not JSON at column 1: Expecting value; give one JSON object a line"
    )
    with pytest.raises(ConfigError) as caught:
        read_json(str(file))
    assert str(caught.value) == f"{file}: not JSON at column 1: Expecting value; give one JSON value"


def test_the_rows_before_a_wrong_one_are_read(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_bytes(b'{"a": 1}\n{"a": 2}\n{"a": "\xff"}\n')
    rows = read_rows(str(file))
    assert [next(rows).values, next(rows).values] == [{"a": 1}, {"a": 2}]


@pytest.mark.parametrize("use", [lambda path: list(read_rows(path)), read_json])
def test_a_file_that_is_none_is_refused(tmp_path: Path, use: object) -> None:
    for path, reason in ((tmp_path / "nosuch", "No such file or directory"), (tmp_path, "Is a directory")):
        with pytest.raises(ConfigError) as caught:
            use(str(path))  # type: ignore[operator]  # one of the two above
        assert str(caught.value) == f"{path}: cannot be read: {reason}; give the path of a file"


# ---- JSON


def test_a_json_file_is_one_value(tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    file.write_text('{"a": [1, null],\n "b": 1e999}')
    assert read_json(str(file)) == {"a": [1, None], "b": float("inf")}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON at column 1"),
        (b'{"a": 1,\n "b": }', "not JSON at line 2, column 7"),
        (b'{"a": 1} {"a": 2}', "not JSON at column 10: Extra data"),
        (b"NaN", "not JSON: NaN is no number of JSON"),
        (b'"\xff"', "not UTF-8 at byte 2"),
    ],
)
def test_a_wrong_json_file_is_refused_with_the_place(tmp_path: Path, content: bytes, message: str) -> None:
    file = tmp_path / "event.json"
    file.write_bytes(content)
    with pytest.raises(ConfigError) as caught:
        read_json(str(file))
    assert str(caught.value).startswith(f"{file}: {message}")


# ---- Parquet


def test_rows_of_parquet_know_their_numbers(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    noon = datetime(2024, 1, 1, 12, tzinfo=UTC)
    pq.write_table(pa.table({"a": [1, None], "t": [noon, noon], "xs": [[1], []]}), file)
    assert [(row.place, row.values) for row in read_rows(str(file))] == [
        (f"{file} row 1", {"a": 1, "t": noon, "xs": [1]}),
        (f"{file} row 2", {"a": None, "t": noon, "xs": []}),
    ]


def test_what_is_no_parquet_file_is_refused(tmp_path: Path) -> None:
    garbage = tmp_path / "garbage.parquet"
    garbage.write_bytes(b"PAR1 and then nothing of the sort")
    for path in (garbage, tmp_path / "nosuch.parquet"):
        with pytest.raises(
            ConfigError, match=r"cannot be read as Parquet: .*; give a Parquet or JSON lines file"
        ):
            list(read_rows(str(path)))


def test_values_that_python_cannot_hold_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "rows.parquet"
    pq.write_table(pa.table({"t": pa.array([2**62], pa.timestamp("us", tz="UTC"))}), file)
    with pytest.raises(ConfigError, match=r"rows.parquet: at t: a value cannot be read: "):
        list(read_rows(str(file)))


@pytest.mark.parametrize("text", ['{"a": 1, "a": 2}', '{"b": {"a": 1, "a": 1}}'])
def test_a_key_that_stands_twice_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(text)
    with pytest.raises(ConfigError, match="the key 'a' stands twice in one object"):
        list(read_rows(str(file)))


def test_an_endless_integer_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text('{"a": ' + "9" * 5_000 + "}")
    with pytest.raises(ConfigError, match="an integer has 5000 digits"):
        list(read_rows(str(file)))


# ---- writing


@pytest.mark.parametrize("path", [None, "-"])
def test_without_a_path_standard_output_is_written(
    path: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with written(path) as out:
        out.write("é\n")
    assert capsys.readouterr().out == "é\n"


def test_a_pipe_is_written_to_and_stays_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with written(str(pipe)) as out:
            out.write("through\n")
        assert os.read(reader, 100) == b"through\n"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    assert list(tmp_path.iterdir()) == [pipe]


def test_a_link_stays_and_its_file_keeps_its_mode(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    with written(str(link)) as out:
        out.write("new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_file_appears_when_it_is_complete(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    with written(str(file)) as out:
        out.write("é\n")
        assert not file.exists()
    assert file.read_bytes() == b"\xc3\xa9\n"
    assert os.listdir(tmp_path) == ["out.jsonl"]


def write_and_fail(file: Path) -> None:
    with written(str(file)) as out:
        out.write("new")
        raise RuntimeError("on purpose")


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "out.jsonl"
    file.write_text("old")
    with pytest.raises(RuntimeError, match="on purpose"):
        write_and_fail(file)
    assert file.read_text() == "old"
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_bytes_replace_a_file_as_a_whole(tmp_path: Path) -> None:
    file = tmp_path / "index"
    for content in (b"one", b"other"):
        with replacing(file) as out:
            out.write(content)
        assert file.read_bytes() == content
    assert os.listdir(tmp_path) == ["index"]


@pytest.mark.parametrize("path", ["", ".", "/", "{folder}", "{folder}/nosuch/out"])
def test_what_cannot_be_written_is_refused(tmp_path: Path, path: str) -> None:
    with (
        pytest.raises(ConfigError, match="choose another --out"),
        written(path.format(folder=tmp_path)) as out,
    ):
        out.write(json.dumps({}))
    assert os.listdir(tmp_path) == []
