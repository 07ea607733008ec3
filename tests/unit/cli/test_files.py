"""JSON read with the place of whatever is wrong, and files written whole or not at all."""

from __future__ import annotations

import io
import json
import os
import stat
import sys
from pathlib import Path

import pytest

from siftmesh.cli.files import (
    is_stream,
    json_object,
    opened,
    read_json,
    replacing,
    same_file,
    writing,
    written,
)
from siftmesh.errors import ConfigError


@pytest.mark.parametrize(
    ("line", "values"),
    [
        (b'{"a": 1}\r\n', {"a": 1}),
        (b'\xef\xbb\xbf{"b": "\xc3\xa9"}', {"b": "é"}),
        (b' {"a": [null]} ', {"a": [None]}),
    ],
)
def test_a_line_holds_an_object(line: bytes, values: object) -> None:
    assert json_object(line, "here:1") == values


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"{a: 1}", "not JSON at column 2: Expecting property name"),
        (b'{"a": }', "not JSON at column 7: Expecting value; give one JSON object a line"),
        (b"5", "expected a JSON object, one for each line"),
        (b'[{"a": 1}]', "expected a JSON object"),
        (b'{"a": NaN}', "not JSON: NaN is no number of JSON"),
        (b'{"a": -Infinity}', "not JSON: -Infinity is no number of JSON"),
        (
            b'{"a": ' + b"9" * 5_000 + b"}",
            "not JSON: an integer has 5000 digits; give one JSON object a line",
        ),
        (b"[" * 100_000, "nested too deeply to be read; give flatter JSON"),
        (b'{"a": "\xff"}', "not UTF-8 at byte 8; give JSON, or a name that ends in .parquet"),
        (b"PAR1\x00\x01", "not JSON"),
        (b'{"a": 1, "a": 2}', "not JSON: the key 'a' stands twice in one object"),
        (b'{"b": {"a": 1, "a": 1}}', "not JSON: the key 'a' stands twice in one object"),
    ],
    ids=range(12),
)
def test_a_wrong_line_is_refused_with_its_place(line: bytes, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        json_object(line, "file:7")
    assert str(caught.value).startswith(f"file:7: {message}")


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[1]")))
    assert read_json("-") == [1]
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[1")))
    with pytest.raises(ConfigError, match=r"^standard input: not JSON at column 3: "):
        read_json("-")


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    for path, reason in (
        (tmp_path / "nosuch", "No such file or directory"),
        (tmp_path, "Is a directory"),
        ("zero\0byte", "embedded null byte"),
    ):
        with pytest.raises(ConfigError) as caught:
            read_json(str(path))
        assert str(caught.value) == f"{path}: cannot be read: {reason}; give the path of a file"


def test_what_goes_wrong_with_an_open_file_is_not_taken_for_its_fault(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(OSError, match=r"^elsewhere$"), opened(str(file)):
        raise OSError("elsewhere")


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


def test_bytes_are_written_all_or_nothing(tmp_path: Path) -> None:
    file = tmp_path / "out.parquet"
    with writing(str(file)) as out:
        out.write(b"\xff")
        assert not file.exists()
    assert file.read_bytes() == b"\xff"


def test_a_pipe_that_nobody_reads_any_more_is_no_fault_of_its_name(tmp_path: Path) -> None:
    with pytest.raises(BrokenPipeError), writing(str(tmp_path / "out")):
        raise BrokenPipeError
    assert os.listdir(tmp_path) == []


def test_what_is_a_stream(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    streams = (None, "-", "/dev/null", str(tmp_path / "pipe"))
    files = (str(tmp_path / "file"), str(tmp_path / "nosuch"))
    assert [is_stream(path) for path in (*streams, *files)] == [True] * 4 + [False] * 2


def test_one_file_by_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("one", "-"):
        Path(name).touch()
    os.link("one", "hard")
    os.symlink("one", "soft")
    os.symlink("nosuch", "dangling")
    assert all(same_file(path, "one") for path in ("one", "./one", "hard", "soft", str(tmp_path / "one")))
    assert same_file("nosuch", "./nosuch")
    assert same_file("dangling", "nosuch")
    assert not same_file("one", "other")
    # Standard input and output are two, and so are two uses of a device.
    assert not same_file("-", "-")
    assert not same_file("/dev/null", "/dev/null")
    assert not same_file("zero\0byte", "one")
