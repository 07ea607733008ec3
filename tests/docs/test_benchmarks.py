"""The benchmark of the matchers: every peer that is installed finds what is right; one that errs is told."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from benchmarks import matcher, matcher_results
from benchmarks.matcher_workloads import WORKLOADS, Case, make
from benchmarks.peers import CONTENDERS
from benchmarks.peers.contender import Contender, Ints, Unavailable
from benchmarks.peers.reference import Reference, difference
from siftmesh.workload.ranges import RangeModel
from siftmesh.workload.ranges import texts as range_texts

ROOT = Path(__file__).resolve().parents[2]

# Few books on offer, so that some of them match; time enough that no peer is skipped.
SMALL = ["--sizes", "200", "--events", "50", "--items", "500", "--rounds", "1", "--budget", "60"]
INSTALLED = ("adaptive", "engine", "chains-only", "bitmaps-first", "counting", "scan")
INSTALLED += ("duckdb", "sqlite", "lambdas")


def test_every_peer_finds_what_is_right(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", "matcher", *SMALL, "--save", str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = {(line["workload"], line["contender"]): line for line in matcher_results.read(tmp_path)}
    assert set(lines) == {(workload, name) for workload in WORKLOADS for name in CONTENDERS}
    for (workload, name), line in lines.items():
        assert line["status"] in ("measured", "not available"), line
        if line["status"] == "measured":
            assert line["checked_events"] == 50
            assert line["checked_matches"] > 0, f"{workload}: nothing matched, so nothing was compared"
            assert line["events_per_second"] > 0
        else:
            assert line["reason"]
        if name in INSTALLED:
            assert line["status"] == "measured", line
        assert str(tmp_path) not in line["command"]
    for workload in ("class-1", "class-2", "collector", "mixed", "ranges"):
        assert lines[workload, "brute-force"]["status"] == "measured"


class Contrary(Contender):
    """Finds nothing at all; how it treats its one event is up to a subclass."""

    def __init__(self, case: Case) -> None:
        self.size = case.size

    def prepare(self, events: pa.Table) -> Any:
        return events.num_rows

    def run(self, prepared: Any) -> Any:
        return prepared

    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)


class Everything(Contrary):
    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        return np.repeat(np.arange(found), self.size), np.tile(np.arange(self.size), found)


class Breaks(Contrary):
    def run(self, prepared: Any) -> Any:
        raise ZeroDivisionError("in the middle")


def absent(_case: Case) -> Contender:
    raise Unavailable("the package is not installed")


def broken(_case: Case) -> Contender:
    raise OSError("out of reach")


@pytest.mark.parametrize(
    ("make_contender", "code", "shown"),
    [
        (Contrary, 1, "WRONG: "),
        (Everything, 1, "WRONG: 0 matches missing"),
        (Breaks, 1, "FAILED: ZeroDivisionError: in the middle"),
        (absent, 0, "not available: the package is not installed"),
        (broken, 0, "not available: OSError: out of reach"),
    ],
)
def test_a_contender_that_errs_is_told_and_the_others_go_on(
    make_contender: Callable[[Case], Contender],
    code: int,
    shown: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    contenders = {"odd one": make_contender, "sqlite": CONTENDERS["sqlite"]}
    asked = [*SMALL, "--workloads", "mixed", "--save", str(tmp_path)]
    assert matcher.main(asked, contenders) == code
    printed = capsys.readouterr()
    assert f"odd one         {shown}" in printed.out
    assert ("odd one" in printed.err) == bool(code)
    odd, sqlite = matcher_results.read(tmp_path)
    assert "events_per_second" not in odd
    assert sqlite["status"] == "measured"


def test_the_engine_is_compared_with_its_best_index_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    names = ("engine", "chains-only", "bitmaps-first")
    asked = [*SMALL, "--workloads", "mixed", "--contenders", ",".join(names)]
    assert matcher.main(asked) == 0
    printed = capsys.readouterr().out
    rates = {row[0]: row[1] for row in map(str.split, printed.splitlines()) if row and row[0] in names}
    assert set(rates) == set(names)
    (choice,) = [line for line in printed.splitlines() if "the engine's own choice is" in line]
    best = max(names[1:], key=lambda name: float(rates[name].replace(",", "")))
    assert choice.endswith(f"x its best index by hand, {best}")


def test_what_would_not_finish_is_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    asked = ["--quick", "--workloads", "mixed", "--sizes", "200,400000", "--events", "20", "--check", "1"]
    assert matcher.main([*asked, "--contenders", "scan", "--build-budget", "0.1"]) == 0
    assert "skipped: would take" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("rows", "ids", "said"),
    [
        ([0, 1], [5, 7], None),
        ([1, 0], [7, 5], None),
        ([0], [5], "1 matches missing, 0 too many, 0 twice; first seen at event 1"),
        ([0, 1, 1], [5, 7, 8], "0 matches missing, 1 too many, 0 twice; first seen at event 1"),
        ([0, 0, 1], [5, 5, 7], "0 matches missing, 0 too many, 1 twice; first seen at event 0"),
        # What comes after the events that are compared does not count.
        ([0, 1, 2], [5, 7, 9], None),
    ],
)
def test_differences_are_seen(rows: list[int], ids: list[int], said: str | None) -> None:
    reference = Reference.__new__(Reference)
    reference.events = 2
    reference.keys = np.array([5, (1 << 32) + 7])
    assert difference(reference, np.array(rows), np.array(ids), 2) == said


@pytest.mark.parametrize("workload", WORKLOADS)
def test_a_case_has_every_id_once_and_as_many_events_as_asked(workload: str) -> None:
    case = make(workload, 300, 40, items=500)
    assert sorted(number for number, _ in case.read()) == list(range(300))
    assert case.events.num_rows == 40
    again = make(workload, 300, 40, items=500)
    assert list(again.read()) == list(case.read())
    assert again.events.equals(case.events)


def test_the_shapes_of_templates_are_all_different() -> None:
    groups = make("templates", 4_000, 1).groups
    assert len({group.template for group in groups}) == len(groups) > 1_500


def test_the_texts_of_ranges_are_those_of_the_package() -> None:
    assert make("ranges", 50, 1, seed=3).texts.equals(
        range_texts(RangeModel(), 50, 3).select(["id", "filter"])
    )


def test_quoted_figures_say_that_they_are_and_belong_to_a_workload() -> None:
    figures = matcher_results.quoted()
    assert {line["workload"] for line in figures} <= set(WORKLOADS)
    assert all(0 < line["low"] <= line["high"] for line in figures)
    text = matcher_results.QUOTED.read_text(encoding="utf-8")
    assert text.count("[[peer]]") == text.count("quoted = true")


def test_a_newer_result_takes_the_place_of_an_older_one(tmp_path: Path) -> None:
    line = {"workload": "mixed", "size": 10, "contender": "scan", "items": None, "status": "measured"}
    others = {"contender": "sqlite", "events_per_second": 3_000.0}
    matcher_results.store(tmp_path, [line | {"events_per_second": 1_000.0}, line | others])
    matcher_results.store(tmp_path, [line | {"events_per_second": 2_000.0}])
    assert [path.name for path in tmp_path.iterdir()] == ["mixed.jsonl"]
    rates = {each["contender"]: each["events_per_second"] for each in matcher_results.read(tmp_path)}
    assert rates == {"scan": 2_000.0, "sqlite": 3_000.0}


def test_stored_results_are_printed_beside_the_quoted_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line = {"workload": "mixed", "size": 1_000, "contender": "scan", "items": None, "status": "measured"}
    matcher_results.store(tmp_path, [line | {"events_per_second": 1_000.0}])
    assert matcher_results.main([str(tmp_path)]) == 0
    printed = capsys.readouterr().out
    assert "quamina (Go) (quoted)" in printed
    assert "matplotlib is not installed" in printed or (tmp_path / "mixed.svg").is_file()


@pytest.mark.parametrize("arguments", [["nonsense"], ["--quick"], ["matcher", "--workloads", "nonsense"]])
def test_misuse_is_refused_in_a_line(arguments: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
