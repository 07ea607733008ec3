"""What it takes to register subscriptions and to remove them, and how many bytes each then takes.

Tables go in by `add_many`; the others one at a time: as Trees, as a template's Trees bound to a row, and as
texts of shapes that come again and again. Each is CPU time, the best of several rounds, beside what the same
rows cost elsewhere: tables into SQLite with an index, texts only read, Trees kept in a dict under their id.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.growth import parts_of
from benchmarks.matcher_workloads import Case, make
from benchmarks.peers.sqlite_union import SQLiteUnion
from benchmarks.records import Line, keep, names, number, options, positive
from benchmarks.timing import per_item
from siftmesh import Matcher
from siftmesh.filters import FilterReader
from siftmesh.matching.api import TreeMatcher
from siftmesh.workload import subscriptions

__all__ = ["main"]

WORKLOADS = ("mixed", "class-1", "class-2", "collector", "ranges")
ABOUT = ("workload", "size", "what")

# What is measured, and beside what.
Works = dict[str, Callable[[], object]]


def main(arguments: Sequence[str] = ()) -> int:
    asked = _options(arguments)
    lines: list[Line] = []
    for workload in asked.workloads:
        if workload != "ranges":
            lines += _tables(make(workload, asked.rows, 1, seed=asked.seed), asked)
        lines += _singly(make(workload, asked.size, 1, seed=asked.seed), asked)
    keep("loading", arguments, asked.save, lines, ABOUT)
    return 0


def _tables(case: Case, asked: argparse.Namespace) -> list[Line]:
    """Tables of constants for templates."""
    made: dict[str, Any] = {}

    def add_many() -> None:
        matcher = made["add_many"] = Matcher()
        for group in case.groups:
            matcher.add_many(group.template, group.parameters)

    def sqlite() -> None:
        SQLiteUnion(case).close()

    works: Works = {"add_many": add_many, "SQLite": sqlite}
    add_many()
    each = per_item(works, case.size, asked.rounds)
    return _report(case, each, {"add_many": "SQLite"}, {"add_many": made["add_many"].stats()})


def _singly(case: Case, asked: argparse.Namespace) -> list[Line]:
    """One subscription after the other, and away again in another order."""
    reader = FilterReader()
    numbers, rows, texts, bound = _rows(case, reader)
    trees = [reader.read(text) for text in texts]
    order = np.random.default_rng(asked.seed).permutation(len(numbers)).tolist()
    gone = [numbers[place] for place in order]
    filled: dict[str, Any] = {}

    def adding(name: str, make_matcher: Callable[[], Any], what: Sequence[Any]) -> Callable[[], None]:
        def add_all() -> None:
            filled[name] = matcher = make_matcher()
            add = matcher.add
            for number_, one in zip(numbers, what, strict=True):
                add(number_, one)

        return add_all

    def removing(name: str) -> Callable[[], None]:
        def remove_all() -> None:
            remove = filled[name].remove
            for number_ in gone:
                remove(number_)

        return remove_all

    def add_rows() -> None:
        matcher = filled["rows"] = Matcher()
        add = matcher.add
        for number_, (template, row) in zip(numbers, rows, strict=True):
            add(number_, template.bind(row))

    works: Works = {
        "add a text": adding("texts", Matcher, texts),
        "only read it": lambda: [reader.read(text) for text in texts],
        "add a Tree": adding("trees", Matcher, trees),
        "remove it": removing("trees"),
        "add a Tree, without the facade": adding("bare", TreeMatcher, trees),
        "remove it, without the facade": removing("bare"),
        "keep it in a dict": lambda: dict(zip(numbers, trees, strict=True)),
    }
    beside = {
        "add a text": "only read it",
        "add a Tree": "keep it in a dict",
        "add a Tree, without the facade": "keep it in a dict",
        "remove it": "add a Tree",
        "remove it, without the facade": "add a Tree, without the facade",
    }
    if bound:
        works = {"add a template's row": add_rows, **works}
        beside["add a template's row"] = "only read it"
    for name in works:
        works[name]()  # loads what is compiled
    each = per_item(works, len(numbers), asked.rounds)
    held = {"add a text": filled["texts"].stats()}
    adding("trees", Matcher, trees)()
    held["add a Tree"] = filled["trees"].stats()
    if bound:
        held["add a template's row"] = filled["rows"].stats()
    return _report(case, each, beside, held)


def _rows(case: Case, reader: FilterReader) -> tuple[list[int], list[tuple[Any, Any]], list[str], bool]:
    """The ids; for each the template and its constants, if there are any; its text; whether there are templates."""
    if not case.groups:
        return case.texts["id"].to_pylist(), [], case.texts["filter"].to_pylist(), False
    table = subscriptions.texts(case.groups)
    found: dict[int, tuple[Any, Any]] = {}
    for group in case.groups:
        template = reader.template(group.template)
        columns = [group.parameters[name].to_pylist() for name in ("id", *template.parameters)]
        for number_, *constants in zip(*columns, strict=True):
            found[number_] = (template, tuple(constants))
    numbers = table["id"].to_pylist()
    return numbers, [found[number_] for number_ in numbers], table["filter"].to_pylist(), True


def _report(case: Case, each: dict[str, float], beside: dict[str, str], stats: dict[str, Any]) -> list[Line]:
    print(f"\n{case.workload}: {case.size:,} subscriptions")
    print(f"  {'':<32}{'us each':>10}{'all, s':>9}{'ratio':>10}  to")
    lines = []
    for what, seconds in each.items():
        other = beside.get(what)
        ratio = None if other is None else seconds / each[other]
        shown = "" if ratio is None else f"{number(ratio):>10}  {other}"
        print(f"  {what:<32}{number(1e6 * seconds):>10}{seconds * case.size:>9.2f}{shown}")
        line = {"workload": case.workload, "size": case.size, "what": what}
        line["microseconds"] = float(f"{1e6 * seconds:.4g}")
        if ratio is not None:
            line |= {"ratio": float(f"{ratio:.4g}"), "ratio_to": other}
        if what in stats:
            held = {part: round(value / case.size, 1) for part, value in parts_of(stats[what]).items()}
            line["bytes_each"] = held
            print("    bytes each: " + ", ".join(f"{part} {value:,.1f}" for part, value in held.items()))
        lines.append(line)
    return lines


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    quick = "--quick" in arguments
    parser = options("loading", __doc__)
    parser.add_argument("--workloads", type=names(WORKLOADS), default=["mixed", "ranges"])
    parser.add_argument(
        "--size", type=positive, default=2_000 if quick else 200_000, help="subscriptions one by one"
    )
    parser.add_argument(
        "--rows", type=positive, default=5_000 if quick else 1_000_000, help="subscriptions in tables"
    )
    parser.add_argument("--rounds", type=positive, default=1 if quick else 3)
    return parser.parse_args(arguments)
