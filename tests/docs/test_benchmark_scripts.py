"""The benchmarks of one thing each: they run, they store what they measured, and their sums are right."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from benchmarks import __main__ as benchmarks_main
from benchmarks import growth, links, pauses, records, sharing, threads
from benchmarks.__main__ import NAMES
from benchmarks.matcher_workloads import make
from benchmarks.peers.own import fill, total
from benchmarks.timing import per_item
from siftmesh import Matcher
from siftmesh.filters import FilterReader

ROOT = Path(__file__).resolve().parents[2]


def stored(name: str, folder: Path, *arguments: str) -> list[dict[str, Any]]:
    """What a benchmark stores that is run with these arguments."""
    main: Callable[[Sequence[str]], int] = import_module(f"benchmarks.{name}").main
    assert main([*arguments, "--save", str(folder)]) == 0
    lines = records.read(folder / f"{name}.jsonl")
    assert lines
    for line in lines:
        assert line["command"] == " ".join([f"python -m benchmarks {name}", *arguments])
        assert line["revision"]
        assert line["cores"] >= 1
        assert str(folder) not in str(line)
    return lines


def test_every_benchmark_is_found_by_its_name() -> None:
    assert {"calls", "growth", "links", "loading", "matcher", "pauses", "sharing"} <= set(NAMES)
    assert {"startup", "threads"} <= set(NAMES)
    for name in NAMES:
        assert callable(import_module(f"benchmarks.{name}").main)


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ([], {"one": ["--quick"], "two": None}),
        (["one"], {"one": []}),
        (["two", "one"], {"two": None, "one": []}),
        (["one", "--seed", "2"], {"one": ["--seed", "2"]}),
    ],
)
def test_who_names_nothing_takes_a_quick_look_at_all(
    given: list[str], asked: dict[str, list[str] | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    done: dict[str, list[str] | None] = {}
    with_options = SimpleNamespace(main=lambda arguments=(): done.update(one=list(arguments)))
    without = SimpleNamespace(main=lambda: done.update(two=None))
    modules = {"benchmarks.one": with_options, "benchmarks.two": without}
    monkeypatch.setattr(benchmarks_main, "NAMES", ["one", "two"])
    monkeypatch.setattr(benchmarks_main, "import_module", modules.__getitem__)
    monkeypatch.setattr(sys, "argv", ["benchmarks", *given])
    assert benchmarks_main.main() == 0
    assert done == asked


def test_a_call_with_an_address_is_compared_with_one_with_arrays(tmp_path: Path) -> None:
    lines = {line["way"]: line for line in stored("calls", tmp_path, "--quick")}
    assert lines["an address"]["x"] == 1
    assert lines["14 arrays"]["us"] > lines["nothing"]["us"] > 0


@pytest.mark.parametrize(
    "name", ["calls", "growth", "links", "loading", "pauses", "sharing", "startup", "threads"]
)
def test_help_says_what_is_measured(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", name, "--help"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"python -m benchmarks {name}" in done.stdout
    assert (import_module(f"benchmarks.{name}").__doc__ or "nothing").splitlines()[0] in done.stdout


# ---- pauses


def test_pauses_are_measured_alone_and_beside_a_match(tmp_path: Path) -> None:
    lines = stored("pauses", tmp_path, "--quick", "--size", "300", "--operations", "40", "--seconds", "0.2")
    found = {(line["workload"], line["what"], line["beside"]): line for line in lines}
    for workload in pauses.WORKLOADS:
        for what in ("add", "replace", "remove"):
            for beside in ("nothing", "match_batch"):
                line = found.pop((workload, what, beside))
                assert 1 <= line["calls"] <= 40
                assert 0 < line["mean_us"] <= line["longest_us"]
                assert line["p99_us"] <= line["longest_us"]
        for beside in ("nothing", "changes"):
            assert found.pop((workload, "match_batch", beside))["calls"] >= 1
    assert not found


@pytest.mark.parametrize("workload", pauses.WORKLOADS)
def test_constants_that_nobody_has_heard_of_are_all_different(workload: str) -> None:
    texts = pauses.unheard(workload, 60, 5)
    constants = [set(re.findall(r"(?:title|author) = '[^']*'|\d+\.\d+", text)) for text in texts]
    assert min(map(len, constants)) >= 1
    assert len(set.union(*constants)) == sum(map(len, constants))
    known = make(workload, 300, 1)
    matcher, other = Matcher(), Matcher()
    fill(matcher, known)
    before = {str(matcher[number]) for number in range(300)}
    for number, text in enumerate(texts):
        other.add(number, text)
        assert str(other[number]) not in before


def test_changes_leave_a_matcher_as_it_was() -> None:
    matcher = Matcher()
    matcher.add("stays", "price < 5")
    took = pauses.changes(matcher, [f"price = {number}" for number in range(20)], inf)
    assert {what: len(seconds) for what, seconds in took.items()} == {"add": 10, "replace": 10, "remove": 10}
    assert list(matcher) == ["stays"]


def test_changes_end_when_their_time_is_up() -> None:
    matcher = Matcher()
    took = pauses.changes(matcher, [f"price = {number}" for number in range(20)], -1.0)
    assert {what: len(seconds) for what, seconds in took.items()} == {"add": 1, "replace": 1, "remove": 1}
    assert len(matcher) == 0


def test_a_fault_of_the_matching_thread_is_told() -> None:
    nobody: Any = None
    with pytest.raises(AttributeError), pauses.Matching(nobody, [pa.table({"price": [1]})]):
        pass


# ---- sharing


SMAPS = """\
55d0-55d1 r--p 00000000 08:01 11 /usr/bin/python3
Rss:                 100 kB
Pss:                  50 kB
7f00-7f01 rw-p 00001000 08:01 12 /a/folder/mixed.index
Size:               9000 kB
Rss:                   6 kB
Pss:                   3 kB
Shared_Clean:          5 kB
Private_Clean:         0 kB
Private_Dirty:         1 kB
VmFlags: rd wr mr mw me ac
7f01-7f02 rw-p 00002000 08:01 12 /a/folder/mixed.index
Rss:                   4 kB
Private_Dirty:         2 kB
7f03-7f04 rw-p 00000000 00:00 0
Rss:                 700 kB
"""


def test_the_mappings_of_a_file_are_added_up() -> None:
    found = sharing.sizes(SMAPS, "/a/folder/mixed.index")
    assert found == {
        "Rss": 10 * 1024,
        "Pss": 3 * 1024,
        "Shared_Clean": 5 * 1024,
        "Private_Clean": 0,
        "Private_Dirty": 3 * 1024,
    }


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").is_file(), reason="only Linux tells what is shared")
def test_workers_share_an_index_file(tmp_path: Path) -> None:
    (line,) = stored("sharing", tmp_path, "--quick", "--workloads", "mixed", "--rounds", "1")
    assert line["workers"] == len(line["index"]) == 2
    for worker in line["index"]:
        assert worker["Rss"] >= 0.9 * line["file_bytes"]
        assert worker["Pss"] < 0.8 * worker["Rss"]
    assert 0.9 < line["together_x_file"] < 1.5
    assert line["load_seconds"] > 0


# ---- threads


def test_threads_are_compared_with_one(tmp_path: Path) -> None:
    asked = ["--quick", "--size", "300", "--events", "1000", "--turn", "0.02", "--workloads", "mixed"]
    one, two = stored("threads", tmp_path, *asked)
    assert (one["threads"], two["threads"]) == (1, 2)
    assert one["x_one_thread"] == one["sha256_x_one_thread"] == 1
    assert two["x_one_thread"] == pytest.approx(two["events_per_second"] / one["events_per_second"], rel=0.01)


def test_a_fault_in_a_thread_is_told() -> None:
    with pytest.raises(ZeroDivisionError):
        threads._together(lambda: 1 // 0, 2, 1)


# ---- startup


def test_first_steps_are_measured_in_new_interpreters(tmp_path: Path) -> None:
    lines = {line["what"]: line for line in stored("startup", tmp_path, "--quick")}
    assert lines["nothing"]["x_nothing"] == 1
    assert lines["nothing"]["loaded"] == []
    assert "numba" in lines["import numba"]["loaded"]
    assert "numba" not in lines["import siftmesh"]["loaded"]
    for what in ("first match", "first match, ranges", "load and first match"):
        assert lines[what]["seconds"] > lines["nothing"]["seconds"]
    assert 0 < lines["Matcher()"]["bytes"] < 50_000


# ---- growth


def test_growth_tells_time_and_memory_of_each_size(tmp_path: Path) -> None:
    lines = stored("growth", tmp_path, "--quick", "--sizes", "200,600", "--rounds", "1")
    assert [(line["workload"], line["size"]) for line in lines] == [
        (workload, size) for workload in ("mixed", "ranges") for size in (200, 600)
    ]
    for line in lines:
        assert line["microseconds_per_event"] > 0
        assert all(line[f"{part} bytes"] >= 0 for part in growth.PARTS)
        assert line["index bytes"] > 0
        assert line["ids bytes"] > 0


def test_the_cost_of_a_match_is_compared_with_the_least_before() -> None:
    costs = {1: (5.0, 0.0), 10: (10.0, 1.0), 100: (20.0, 10.0), 1_000: (300.0, 100.0), 2_000: (380.0, 200.0)}
    assert growth.above_proportional(costs) == {1: None, 10: 1.0, 100: 1.0, 1_000: 1.5, 2_000: 1.0}


def test_memory_is_told_by_what_it_is_for() -> None:
    matcher = Matcher()
    fill(matcher, make("everything", 400, 1))
    stats = matcher.stats()
    found = growth.parts_of(stats)
    assert found["ids"] == total(stats["ids"])
    assert sum(found.values()) == total(stats["memory"]) + total(stats["ids"])
    assert all(found[part] > 0 for part in growth.PARTS)


# ---- links


def test_links_are_found_by_first_hits_and_by_all_matches(tmp_path: Path) -> None:
    lines = stored("links", tmp_path, "--quick", "--size", "200", "--links", "3,20", "--events", "100")
    assert [(line["workload"], line["links"]) for line in lines] == [
        (workload, count) for workload in ("mixed", "ranges", "pruned") for count in (3, 20)
    ]
    found = {(line["workload"], line["links"]): line for line in lines}
    assert found["pruned", 3]["matches_per_event"] > found["ranges", 3]["matches_per_event"]
    # Nearly every event meets some subscription of each link, so a few of each are asked first.
    assert found["pruned", 3]["links_per_event"] > 2.9
    assert found["pruned", 3]["favourites"] > 0
    assert found["mixed", 3]["favourites"] == 0


def test_what_is_pruned_asks_of_one_attribute() -> None:
    read = FilterReader().read
    assert links.pruned(read("b < 3 AND a >= 1 AND a <= 5")) == read("a BETWEEN 1 AND 5")
    assert links.pruned(read("a = 1 OR b = 2")) == read("a = 1 OR b = 2")


# ---- loading


def test_loading_tells_what_each_way_takes(tmp_path: Path) -> None:
    asked = ["--quick", "--workloads", "mixed,ranges", "--size", "60", "--rows", "400"]
    lines = {(line["workload"], line["what"]): line for line in stored("loading", tmp_path, *asked)}
    assert lines["mixed", "add_many"]["size"] == 400
    assert lines["mixed", "add a text"]["ratio_to"] == "only read it"
    assert set(lines["ranges", "add a text"]["bytes_each"]) == set(growth.PARTS)
    assert ("ranges", "add_many") not in lines
    assert ("ranges", "add a template's row") not in lines
    for line in lines.values():
        assert line["microseconds"] > 0
        if "ratio" in line:
            other = lines[line["workload"], line["ratio_to"]]
            assert line["ratio"] == pytest.approx(line["microseconds"] / other["microseconds"], rel=0.01)


# ---- what they share


def test_contenders_take_turns_and_the_best_turn_counts() -> None:
    clock = iter(np.cumsum([0, 8, 0, 3, 0, 0.25, 0, 2, 0, 0.125, 0, 2]).tolist())
    turns: list[str] = []
    works = {"one": lambda: turns.append("one"), "two": lambda: turns.append("two")}
    assert per_item(works, 2, rounds=3, clock=lambda: next(clock), warm=True) == {"one": 0.0625, "two": 1.0}
    # Before the last, short turn there is one that does not count.
    assert turns == ["one", "two", "one", "two", "one", "one", "two"]


def test_a_newer_line_takes_the_place_of_one_about_the_same(tmp_path: Path) -> None:
    path = tmp_path / "new" / "some.jsonl"
    records.store(
        path, [{"what": "a", "size": 1, "value": 1}, {"what": "b", "size": 1, "value": 2}], ("what",)
    )
    records.store(path, [{"what": "a", "size": 2, "value": 3}], ("what",))
    assert records.read(path) == [{"what": "a", "size": 2, "value": 3}, {"what": "b", "size": 1, "value": 2}]
    records.store(path, [{"what": "a", "size": 3, "value": 4}], ("what", "size"))
    assert [line["value"] for line in records.read(path)] == [3, 2, 4]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--save", "there", "--quick"], " --quick"),
        (["--quick", "--save=there"], " --quick"),
        (["--save", "--quick"], " --quick"),
        (["--save"], ""),
        (["--size", "3", "--save", "there"], " --size 3"),
    ],
)
def test_a_command_is_told_without_where_results_go(arguments: list[str], told: str) -> None:
    assert records.command("growth", arguments) == f"python -m benchmarks growth{told}"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(1_234_567.0, "1,234,567"), (12.345, "12.3"), (0.01234, "0.0123"), (0.00012, "0.0001")],
)
def test_numbers_are_shown_with_the_digits_that_matter(value: float, shown: str) -> None:
    assert records.number(value) == shown
