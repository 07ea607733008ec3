"""Matchers side by side: Siftmesh's own, and what people would use instead, on the same filters and events.

CPU time per event, best of several rounds in which the contenders take turns, each after a run of its own
that does not count; events are decoded beforehand where a contender's interface allows it. What each finds is
compared with what is right, and one that finds anything else is marked WRONG and makes the exit code 1. One
that would not finish is skipped: what a smaller size took is extrapolated, and the note says so.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from benchmarks.matcher_results import FOLDER, quoted, store
from benchmarks.matcher_workloads import WORKLOADS, make
from benchmarks.peers import CONTENDERS
from benchmarks.peers.measure import MEASURED, SKIPPED, Cell, Settings, Side, compare
from benchmarks.peers.reference import Reference
from benchmarks.records import Line, names, number, options, positive, provenance, sizes

__all__ = ["main"]

# A contender of which nothing is known is first tried with so many subscriptions.
PROBE = 1_000
# The same engine as it chooses for itself, and with its two sorts of index chosen by hand.
OWN_CHOICE, BY_HAND = "engine", ("chains-only", "bitmaps-first")


def main(arguments: Sequence[str] = (), contenders: Mapping[str, Callable[..., Any]] = CONTENDERS) -> int:
    asked = _options(arguments, contenders)
    settings = Settings(asked.rounds, asked.budget, asked.build_budget)
    came_from = provenance("matcher", arguments)
    faulty = []
    for workload in asked.workloads:
        sides = {name: Side(name, contenders[name]) for name in asked.contenders}
        for size in sorted(asked.sizes):
            cells = _measure(workload, size, sides, asked, settings)
            faulty += [f"{workload}, {size:,}: {_loud(cell)}" for cell in cells if cell.faulty]
            if asked.save is not None:
                store(asked.save, [_line(cell, workload, size, asked) | came_from for cell in cells])
    for line in faulty:
        print(f"benchmarks: {line}", file=sys.stderr)
    return 1 if faulty else 0


def _measure(
    workload: str, size: int, sides: Mapping[str, Side], asked: argparse.Namespace, settings: Settings
) -> list[Cell]:
    how = {"seed": asked.seed, "items": asked.items}
    if size > PROBE and not any(side.size for side in sides.values()):
        probe = make(workload, PROBE, 100, **how)
        compare(probe, sides, Reference(probe, 100), settings)
    refusals = {name: side.refusal(size, settings) for name, side in sides.items()}
    if all(refusals.values()):
        print(f"\n{workload}: {size:,} subscriptions: every contender is skipped")
        cells = [Cell(name, SKIPPED, str(refusal)) for name, refusal in refusals.items()]
        _print(cells)
        return cells
    began = time.process_time()
    case = make(workload, size, asked.events, **how)
    made = time.process_time()
    reference = Reference(case, asked.check)
    print(
        f"\n{workload}: {size:,} subscriptions, {reference.matches / reference.events:,.3g} matches an event"
        f" (made in {made - began:.1f} s, checked answers in {time.process_time() - made:.1f} s)",
        flush=True,
    )
    cells = compare(case, sides, reference, settings)
    _print(cells)
    _print_choice(cells)
    for figure in quoted() if asked.items is None else ():
        if (figure["workload"], figure["size"]) == (workload, size):
            print(f"  {figure['contender']:<32}{figure['high']:>12,}  quoted, measured elsewhere")
    return cells


def _print(cells: Sequence[Cell]) -> None:
    measured = [cell for cell in cells if cell.status == MEASURED]
    if not measured:
        print("  nothing was measured")
        baseline, title = None, ""
    else:
        baseline, title = measured[0].seconds_per_event, f"x {measured[0].contender}"
    print(f"  {'':<16}{'events/s':>12}{title:>16}{'build s':>9}{'MB':>8}{'events':>8}{'checked':>9}")
    for cell in cells:
        if cell.status != MEASURED or cell.seconds_per_event is None:
            print(f"  {cell.contender:<16}{cell.status}: {cell.reason}")
            continue
        rate, ratio = 1 / cell.seconds_per_event, (baseline or 0) / cell.seconds_per_event
        held = "-" if cell.bytes is None else f"{'~' if cell.grown else ''}{cell.bytes / 1e6:,.1f}"
        print(
            f"  {cell.contender:<16}{number(rate):>12}{number(ratio):>16}"
            f"{cell.build_seconds:>9.2f}{held:>8}{cell.events:>8,}{cell.checked_matches:>9,}  {cell.remark}",
            flush=True,
        )


def _print_choice(cells: Sequence[Cell]) -> None:
    """What the engine's own choice of an index is worth beside the best one chosen by hand."""
    rates = {
        cell.contender: 1 / cell.seconds_per_event
        for cell in cells
        if cell.status == MEASURED and cell.seconds_per_event
    }
    by_hand = [name for name in BY_HAND if name in rates]
    if OWN_CHOICE in rates and by_hand:
        best = max(by_hand, key=lambda name: rates[name])
        ratio = rates[OWN_CHOICE] / rates[best]
        print(f"  the engine's own choice is {number(ratio)} x its best index by hand, {best}")


def _loud(cell: Cell) -> str:
    return f"{cell.contender} {cell.status}: {cell.reason}"


def _line(cell: Cell, workload: str, size: int, asked: argparse.Namespace) -> Line:
    facts = {name: value for name, value in asdict(cell).items() if value not in (None, "")}
    line = {"workload": workload, "size": size, **facts, "seed": asked.seed, "items": asked.items}
    seconds = line.pop("seconds_per_event", None)
    if seconds is not None and cell.status == MEASURED:
        line["events_per_second"] = float(f"{1 / seconds:.4g}")
    if "build_seconds" in line:
        line["build_seconds"] = round(line["build_seconds"], 4)
    if cell.status == SKIPPED:
        line = {name: value for name, value in line.items() if name not in ("events", "checked_events")}
    return line


def _options(arguments: Sequence[str], contenders: Mapping[str, Any]) -> argparse.Namespace:
    quick = "--quick" in arguments
    parser = options("matcher", __doc__, FOLDER)
    parser.add_argument(
        "--workloads", type=names(WORKLOADS), default=list(WORKLOADS), help=", ".join(WORKLOADS)
    )
    parser.add_argument(
        "--sizes",
        type=sizes,
        default=[1_000] if quick else [1_000, 10_000, 100_000],
        help="numbers of subscriptions, with commas between them (1000,10000,100000)",
    )
    parser.add_argument(
        "--contenders", type=names(tuple(contenders)), default=list(contenders), help=", ".join(contenders)
    )
    parser.add_argument(
        "--events", type=positive, default=500 if quick else 20_000, help="different events, at most"
    )
    parser.add_argument(
        "--check",
        type=positive,
        default=300 if quick else 1_500,
        metavar="N",
        help="of how many of them all matches are compared with what is right",
    )
    parser.add_argument("--rounds", type=positive, default=2 if quick else 5, help="turns of each contender")
    parser.add_argument(
        "--budget",
        type=float,
        default=0.3 if quick else 3.0,
        help="seconds for all turns of a contender on one workload of one size",
    )
    parser.add_argument(
        "--build-budget", type=float, default=10.0 if quick else 60.0, help="seconds to build a contender"
    )
    parser.add_argument(
        "--items", type=positive, help="books on offer: fewer than 100,000 make more events match"
    )
    return parser.parse_args(arguments)
