"""The command line as a whole: exit codes, one line for whatever is wrong, nothing left behind."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from siftmesh import __version__
from siftmesh.cli.main import build_parser, main

COMMAND = [sys.executable, "-c", "import sys; from siftmesh.cli.main import main; sys.exit(main())"]


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["--version"])
    assert caught.value.code == 0
    assert capsys.readouterr().out == f"siftmesh {__version__}\n"


@pytest.mark.parametrize("arguments", [[], ["nosuch"], ["parse"], ["parse", "a", "--dialect", "klingon"]])
def test_wrong_arguments_are_told_by_exit_code_2(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("usage: siftmesh")


def test_every_command_has_a_sentence_of_help() -> None:
    text = build_parser().format_help()
    for command in ("demo", "match", "test", "explain", "parse", "bench", "generate", "warmup"):
        assert re.search(rf"^    {command} {{2,}}[a-z]", text, flags=re.MULTILINE)


@pytest.mark.parametrize(
    "command", ["demo", "match", "test", "explain", "parse", "bench", "generate", "warmup"]
)
def test_the_help_of_a_command_says_what_it_does(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main([command, "--help"])
    assert caught.value.code == 0
    usage, _, text = capsys.readouterr().out.partition("\n\n")
    assert usage.startswith(f"usage: siftmesh {command} ")
    if command != "warmup":
        assert re.match(r"[A-Z][^.]+\.", text), "the first thing is a sentence"


def test_help_does_not_wait_for_what_it_does_not_need() -> None:
    program = (
        "import sys\n"
        "import siftmesh\n"
        "before = set(sys.modules)\n"
        "from siftmesh.cli.main import main\n"
        "try:\n"
        "    main(['--help'])\n"
        "finally:\n"
        "    more = {name.partition('.')[0] for name in set(sys.modules) - before}\n"
        "    heavy = {'numpy', 'pyarrow', 'numba', 'pandas', 'asyncio', 'subprocess'} & more\n"
        "    assert not heavy, heavy\n"
        "    assert 'siftmesh.workload.auction' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: siftmesh")


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["parse", "a ="], "the filter ends too early at column 4; expected an attribute, a constant, "),
        (["parse", "a = 1\nAND b =="], "== has no meaning here at line 2, column 7; expected = for equality"),
        (
            ["parse", '"a\nb" + 1'],
            "a condition is needed here, not arithmetic at column 1; expected a comparison",
        ),
        (["parse", "a IN (" + "1," * 50_001 + "1)"], "the list has more than 50000 items at column "),
        (
            ["parse", "x" * 1_000_001],
            "the filter has 1000001 characters, the limit is 1000000; --limit text=NUMBER sets another limit",
        ),
        (["parse", "'" + "x\n" * 500 + "' = "], "the filter ends too early at line 501, column 5; expected"),
        (
            ["parse", "[" * 5_000 + "]" * 5_000, "--dialect", "eventbridge"],
            "the document is nested deeper than 100; nothing that is nested deeper is read, write it flatter",
        ),
        (["parse", '{"a": [1], "a": [2]}', "--dialect", "eventbridge"], "the text is not a JSON document: "),
        (
            ["parse", "a = 1 AND b = 2", "--limit", "text=5"],
            "the filter has 15 characters, the limit is 5; --limit text=NUMBER sets another limit",
        ),
        (["parse", "a = 1", "--limit", "tex=5"], "--limit tex=5: there is no limit 'tex'; expected text"),
        (["parse", "a = 1", "--limit", "text=-5"], "--limit text=-5: expected a number, as in text=1000000"),
        (["match", "-", "-"], "standard input cannot be both the subscriptions and the events; "),
        (["parse", "[1", "--dialect", "eventbridge"], "the text is not JSON: "),
        (
            ["match", "nosuch.jsonl", "nosuch.jsonl"],
            "nosuch.jsonl: cannot be read: No such file or directory; ",
        ),
    ],
)
def test_what_is_wrong_is_told_in_one_line_with_its_place(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    assert printed.err.startswith(f"siftmesh: {line}")
    assert len(printed.err) < 400


def test_a_reader_who_has_seen_enough_ends_the_program_quietly(tmp_path: Path) -> None:
    subscriptions, events = tmp_path / "subscriptions.jsonl", tmp_path / "events.jsonl"
    subscriptions.write_text(json.dumps({"id": "x" * 1_000, "filter": "TRUE"}))
    events.write_text("{}\n" * 5_000)
    process = subprocess.Popen(
        [*COMMAND, "match", str(subscriptions), str(events)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert process.stdout is not None
    assert process.stderr is not None
    assert process.stdout.readline().startswith(b"event  ids")
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 0


def test_an_output_that_is_full_is_told_in_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [*COMMAND, "parse", "a = 1"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.stderr == "siftmesh: standard output: No space left on device\n"
    assert done.returncode == 2


def test_an_output_without_the_letter_is_told_in_one_line() -> None:
    done = subprocess.run(
        [*COMMAND, "parse", "a = 'ü'"],
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == "siftmesh: the output cannot be written in ascii; set PYTHONIOENCODING=utf-8\n"
    assert done.returncode == 2


def test_an_interruption_is_no_traceback(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("siftmesh.cli.explain.read_schema", interrupted)
    assert main(["parse", "a = 1"]) == 130
    assert capsys.readouterr().err == "siftmesh: interrupted\n"


def test_a_command_in_a_pipe(tmp_path: Path) -> None:
    (tmp_path / "subscriptions.jsonl").write_text('{"id": "x", "filter": "a < 2"}\n')
    done = subprocess.run(
        [*COMMAND, "match", "subscriptions.jsonl", "-", "--format", "jsonl"],
        input='{"a": 1}\n{"a": 2}\n{"a"\n',
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == '{"event":0,"ids":["x"]}\n{"event":1,"ids":[]}\n'
    assert done.stderr.startswith("siftmesh: standard input:3: not JSON at column 5: ")
    assert done.stderr.endswith("; 2 events before it were written\n")
    assert done.returncode == 2


@pytest.mark.parametrize(("price", "code"), [("5", 0), ("50", 1), ("", 2)])
def test_the_exit_code_of_a_test(price: str, code: int) -> None:
    arguments = ["test", "price < 10", "--event", f'{{"price": {price}}}']
    done = subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert bool(done.stderr) == (code == 2)
    assert "Traceback" not in done.stderr


SHELL = f"'{sys.executable}' -c 'import sys; from siftmesh.cli.main import main; sys.exit(main())'"


@pytest.mark.parametrize(
    ("line", "told", "code"),
    [
        (
            "match subscriptions.jsonl - <&-",
            "siftmesh: standard input is closed; give it something to read, or name a file",
            2,
        ),
        ("test 'a = 1' --event - <&-", "siftmesh: standard input is closed", 2),
        (
            "match subscriptions.jsonl events.jsonl >&-",
            "siftmesh: standard output is closed; leave it open",
            2,
        ),
        ("match subscriptions.jsonl events.jsonl --out out.jsonl >&-", "", 0),
        ("match nowhere events.jsonl 2>&-", "", 2),
        ("match subscriptions.jsonl events.jsonl --out out.jsonl <&- >&- 2>&-", "", 0),
    ],
)
def test_a_stream_may_be_closed(line: str, told: str, code: int, tmp_path: Path) -> None:
    (tmp_path / "subscriptions.jsonl").write_text('{"id": "x", "filter": "a < 2"}\n')
    (tmp_path / "events.jsonl").write_text('{"a": 1}\n')
    command, _, rest = line.partition(" ")
    done = subprocess.run(
        f"{SHELL} {command} {rest}", shell=True, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.stderr.startswith(told)
    assert done.stderr.count("\n") == bool(told)
    assert done.returncode == code
    if "--out" in line:
        assert (tmp_path / "out.jsonl").read_text() == '{"event":0,"ids":["x"]}\n'


@pytest.mark.parametrize(
    "words",
    [
        ("match", "subscriptions.jsonl", "--format", "jsonl", "events.jsonl"),
        ("match", "--format", "jsonl", "subscriptions.jsonl", "events.jsonl"),
        ("match", "subscriptions.jsonl", "events.jsonl", "--format", "jsonl"),
    ],
)
def test_files_may_stand_before_and_behind_options(
    words: tuple[str, ...],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("subscriptions.jsonl").write_text('{"id": "x", "filter": "a < 2"}\n')
    Path("events.jsonl").write_text('{"a": 1}\n')
    assert main(words) == 0
    assert capsys.readouterr().out == '{"event":0,"ids":["x"]}\n'


@pytest.mark.parametrize(
    "words",
    [
        ("match", "a", "b", "c"),
        ("match", "a", "--pairs", "b", "c"),
        ("match", "a", "--nosuch", "b"),
        ("parse", "a = 1", "more"),
    ],
)
def test_words_that_are_too_many_are_refused(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        main(words)
    assert caught.value.code == 2
    assert "unrecognized arguments: " in capsys.readouterr().err


def test_a_warning_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "subscriptions.jsonl").write_text('{"id": "x", "filter": "a < 2"}\n')
    program = (
        "import sys, warnings\n"
        "from siftmesh.cli import main\n"
        "import siftmesh.cli.explain as explain\n"
        "explain.read_schema = lambda _: warnings.warn('one\\ntwo', RuntimeWarning, stacklevel=1)\n"
        "sys.exit(main.main(['parse', 'a = 1']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.stderr == "siftmesh: one two\n"
    assert done.returncode == 0
