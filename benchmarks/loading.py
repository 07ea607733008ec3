"""What it takes to register subscriptions and to remove them, and how many bytes each then takes.

Tables go in by `add_many`, the others one at a time: as texts, as Trees, as a template bound to a row. All is
CPU time, best of several rounds, beside what else could be done with the same: tables go into SQLite, with an
index; texts are only read; Trees are kept in a dict. "No facade" is the matcher of Trees below `Matcher`.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.growth import parts_of
from benchmarks.matcher_workloads import Case, make
from benchmarks.peers.own import fill
from benchmarks.peers.sqlite_union import SQLiteUnion
from benchmarks.records import Line, keep, names, number, options, positive
from benchmarks.timing import per_item
from siftmesh import Matcher, Template
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
        _warm(workload)
        if workload != "ranges":
            lines += _tables(make(workload, asked.rows, 1, seed=asked.seed), asked)
        lines += _singly(make(workload, asked.size, 1, seed=asked.seed), asked)
    keep("loading", arguments, asked.save, lines, ABOUT)
    return 0


def _warm(workload: str) -> None:
    """Load what is compiled."""
    case = make(workload, 100, 1)
    matcher = Matcher()
    fill(matcher, case)
    for place in range(50):
        tree = matcher[place]
        matcher.remove(place)
        matcher.add(place, tree)


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
    each = per_item(works, case.size, asked.rounds)
    return _report(case, each, {"add_many": "SQLite"}, {"add_many": made["add_many"].stats()})


def _singly(case: Case, asked: argparse.Namespace) -> list[Line]:
    """One subscription after the other, and away again in another order."""
    reader = FilterReader()
    table = subscriptions.texts(case.groups) if case.groups else case.texts
    ids, texts = table["id"].to_pylist(), table["filter"].to_pylist()
    trees = [reader.read(text) for text in texts]
    order = np.random.default_rng(asked.seed).permutation(len(ids)).tolist()
    gone = [ids[place] for place in order]
    filled: dict[str, Any] = {}

    def adding(name: str, make_matcher: Callable[[], Any], what: Sequence[Any]) -> Callable[[], None]:
        def add_all() -> None:
            filled[name] = make_matcher()
            add = filled[name].add
            for subscription, one in zip(ids, what, strict=True):
                add(subscription, one)

        return add_all

    def removing(name: str) -> Callable[[], None]:
        def remove_all() -> None:
            remove = filled[name].remove
            for subscription in gone:
                remove(subscription)

        return remove_all

    works: Works = {
        "add a text": adding("texts", Matcher, texts),
        "only read it": lambda: [reader.read(text) for text in texts],
        "add a Tree": adding("trees", Matcher, trees),
        "remove it": removing("trees"),
        "add a Tree, no facade": adding("bare", TreeMatcher, trees),
        "remove it, no facade": removing("bare"),
        "keep it in a dict": lambda: dict(zip(ids, trees, strict=True)),
    }
    beside = {
        "add a text": "only read it",
        "add a Tree": "keep it in a dict",
        "add a Tree, no facade": "keep it in a dict",
        "remove it": "add a Tree",
        "remove it, no facade": "add a Tree, no facade",
    }
    rows = _rows(case, reader)
    if rows:
        works["add a template's row"] = lambda: _add_rows(rows)
        beside["add a template's row"] = "add a Tree"
    each = per_item(works, len(ids), asked.rounds)
    return _report(case, each, beside, {"add a text": filled["texts"].stats()})


def _rows(case: Case, reader: FilterReader) -> list[tuple[int, Template, tuple[Any, ...]]]:
    """The subscriptions that have a template, each with its constants, in the order of their ids."""
    found = []
    for group in case.groups:
        template = reader.template(group.template)
        columns = [group.parameters[name].to_pylist() for name in ("id", *template.parameters)]
        found += [(row[0], template, row[1:]) for row in zip(*columns, strict=True)]
    return sorted(found, key=lambda row: row[0])


def _add_rows(rows: Sequence[tuple[int, Template, tuple[Any, ...]]]) -> None:
    matcher = Matcher()
    for subscription, template, constants in rows:
        matcher.add(subscription, template.bind(constants))


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
    parser.add_argument("--workloads", type=names(WORKLOADS), default=["mixed"])
    parser.add_argument(
        "--size", type=positive, default=2_000 if quick else 200_000, help="subscriptions one by one"
    )
    parser.add_argument(
        "--rows", type=positive, default=5_000 if quick else 1_000_000, help="subscriptions in tables"
    )
    parser.add_argument("--rounds", type=positive, default=1 if quick else 3)
    return parser.parse_args(arguments)
