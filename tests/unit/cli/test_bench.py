"""`siftmesh bench`: what is measured and how it is told; the figures themselves are the machine's."""

from __future__ import annotations

import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from siftmesh.cli import bench
from siftmesh.cli.main import main
from siftmesh.matcher import Matcher

# Few of all and hardly any time: enough to see that all of it works.
QUICK = ["--seconds", "0.01"]
SMALL = ["--subscriptions", "300", "--events", "200", *QUICK]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, *rows: object) -> None:
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def measured(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    assert main(["bench", *arguments, "--json"]) == 0
    captured = capsys.readouterr()
    assert captured.err == ""
    return [json.loads(line) for line in captured.out.splitlines()]


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["bench", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


@pytest.mark.parametrize("workload", ["auctions", "ranges"])
def test_every_matcher_is_compared_with_scan(workload: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = measured(capsys, *SMALL, "--workload", workload)
    assert [line["index"] for line in lines] == ["adaptive", "counting", "scan"]
    for line in lines:
        assert (line["workload"], line["subscriptions"], line["events"]) == (workload, 300, 200)
        assert line["build_seconds"] > 0
        assert line["bytes_per_subscription"] == pytest.approx(line["index_bytes"] / 300)
        assert 0 < line["matches_counted_on_events"] <= 200
        for way in ("batches", "singles"):
            found = line[way]
            assert found["events_per_second"] == pytest.approx(found["events"] / found["seconds"])
            base = lines[-1][way]["events_per_second"]
            assert found["ratio_to_scan"] == pytest.approx(found["events_per_second"] / base)
    assert lines[-1]["batches"]["ratio_to_scan"] == 1
    assert "Python" in lines[0]["machine"]


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", *SMALL, "--index", "counting"]) == 0
    head, blank, _, names, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith("300 subscriptions (auctions), 200 events, ")
    assert blank == ""
    assert names.split()[:2] == ["index", "build"]
    assert [row.split()[0] for row in rows] == ["counting", "scan"]
    assert all(re.fullmatch(r"\w+ +\d+\.\d\d s +[\d,]+( +[\d,]+ +[\d,.]+ x){2}", row) for row in rows)
    assert rows[-1].endswith("1.0 x")


def test_files_of_the_user(capsys: pytest.CaptureFixture[str]) -> None:
    write("subscriptions.jsonl", {"id": "x", "filter": "a < 2"}, {"id": 7, "filter": "a < 1"})
    write("events.jsonl", *({"a": number % 3} for number in range(12)))
    lines = measured(capsys, "subscriptions.jsonl", "events.jsonl", *QUICK)
    for line in lines:
        assert (line["workload"], line["subscriptions"], line["events"]) == ("subscriptions.jsonl", 2, 12)
        assert line["matches_counted_on_events"] == 12
        assert line["matches_per_event"] == 1
    (line, _) = measured(
        capsys, "subscriptions.jsonl", "events.jsonl", *QUICK, "--index", "adaptive", "--events", "2"
    )
    assert (line["events"], line["matches_per_event"]) == (2, 1.5)
    assert sorted(path.name for path in Path().iterdir()) == ["events.jsonl", "subscriptions.jsonl"]


def test_a_matcher_that_finds_something_else_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write("subscriptions.jsonl", {"id": "x", "filter": "a < 2"})
    write("events.jsonl", {"a": 5}, {"a": 1})
    whole = bench._in_batches

    def wrong(matcher: Matcher, *rest: Any) -> Any:
        rate, counts = whole(matcher, *rest)
        return rate, counts if matcher.stats()["index"] == "scan" else np.zeros_like(counts)

    monkeypatch.setattr(bench, "_in_batches", wrong)
    assert main(["bench", "subscriptions.jsonl", "events.jsonl", *QUICK, "--index", "adaptive"]) == 1
    assert capsys.readouterr().err == (
        "siftmesh: adaptive finds 0 subscriptions for event 1, scan 1; please report this, with the files\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--events", "0"], "--events is 0 (expected 1 to 100,000,000)"),
        (["--subscriptions", "-5"], "--subscriptions is -5 (expected 1 to 100,000,000)"),
        (["--subscriptions", "0"], "--subscriptions is 0 (expected 1 to 100,000,000)"),
        (["--seed", "-1"], "--seed is -1 (expected at least 0)"),
        (["--seconds", "nan"], "--seconds is nan (expected at least 0)"),
        (["subscriptions.jsonl"], "expected two files, SUBSCRIPTIONS and EVENTS, or none for a generated"),
        (["a", "b", "c"], "expected two files"),
        (["-", "-"], "standard input cannot be both the subscriptions and the events; name a file"),
        (["nosuch", "events.jsonl"], "nosuch: cannot be read: No such file or directory"),
        (["subscriptions.jsonl", "nosuch"], "nosuch: cannot be read: No such file or directory"),
        (["empty", "events.jsonl"], "empty: there are no subscriptions to measure with; give some"),
        (["subscriptions.jsonl", "empty"], "there are no events to measure with; give some"),
        (["index", "events.jsonl"], "index is an index file already; give the subscriptions"),
        (["events.jsonl", "events.jsonl"], "events.jsonl:1: no field 'id'"),
        (["subscriptions.jsonl", "wrong.jsonl"], "wrong.jsonl:2: at a: an integer of 72 bits"),
        (["subscriptions.jsonl", "worse.jsonl"], "worse.jsonl:1: at a: an integer of 72 bits"),
        (
            ["--subscriptions", "99999999999999"],
            "--subscriptions is 99999999999999 (expected 1 to 100,000,000",
        ),
        (
            ["subscriptions.jsonl", "events.jsonl", "--subscriptions", "5"],
            "all subscriptions of a file are taken; leave out --subscriptions",
        ),
    ],
)
def test_what_cannot_be_measured_is_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("subscriptions.jsonl", {"id": "x", "filter": "a < 2"})
    write("events.jsonl", {"a": 1})
    write("wrong.jsonl", {"a": 1}, {"a": 2**70})
    write("worse.jsonl", {"a": 2**70}, {"a": 1})
    write("empty")
    Path("index").write_bytes(b"SIFTMESH and more")
    assert refusal(capsys, *QUICK, *arguments).startswith(f"siftmesh: {message}")


def test_a_terminal_shows_what_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    assert main(["bench", *SMALL, "--index", "counting"]) == 0
    assert "\rmeasuring counting 0" in terminal.getvalue()
    assert terminal.getvalue().endswith("\r\033[K")
