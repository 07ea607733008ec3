"""Matchers side by side: Siftmesh's own, and what people would use instead, on the same filters and events.

CPU time per event, best of several rounds in which the contenders take turns; events are decoded beforehand
where a contender's interface allows it. What each finds is compared with what is right, and one that finds
anything else is marked WRONG and makes the exit code 1. One that would not finish is skipped: what a smaller
size took is extrapolated, and the note says so.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.matcher_results import FOLDER, provenance, quoted, store
from benchmarks.matcher_workloads import WORKLOADS, make
from benchmarks.peers import CONTENDERS
from benchmarks.peers.measure import MEASURED, SKIPPED, Cell, Settings, Side, compare
from benchmarks.peers.reference import Reference

__all__ = ["main"]

# A contender of which nothing is known is first tried with so many subscriptions.
PROBE = 1_000


def main(arguments: Sequence[str] = (), contenders: Mapping[str, Callable[..., Any]] = CONTENDERS) -> int:
    options = _options(arguments, contenders)
    settings = Settings(options.rounds, options.budget, options.build_budget)
    command = _command(arguments)
    came_from = provenance(command)
    faulty = []
    for workload in options.workloads:
        sides = {name: Side(name, contenders[name]) for name in options.contenders}
        for size in sorted(options.sizes):
            cells = _measure(workload, size, sides, options, settings)
            faulty += [f"{workload}, {size:,}: {_loud(cell)}" for cell in cells if cell.faulty]
            if options.save is not None:
                lines = [_line(cell, workload, size, options) | came_from for cell in cells]
                store(options.save, lines)
    for line in faulty:
        print(f"benchmarks: {line}", file=sys.stderr)
    return 1 if faulty else 0


def _measure(
    workload: str, size: int, sides: Mapping[str, Side], options: argparse.Namespace, settings: Settings
) -> list[Cell]:
    how = {"seed": options.seed, "items": options.items}
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
    case = make(workload, size, options.events, **how)
    made = time.process_time()
    reference = Reference(case, options.check)
    print(
        f"\n{workload}: {size:,} subscriptions, {reference.matches / reference.events:,.3g} matches an event"
        f" (made in {made - began:.1f} s, checked answers in {time.process_time() - made:.1f} s)",
        flush=True,
    )
    cells = compare(case, sides, reference, settings)
    _print(cells)
    for figure in quoted() if options.items is None else ():
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
            f"  {cell.contender:<16}{_number(rate):>12}{_number(ratio):>16}"
            f"{cell.build_seconds:>9.2f}{held:>8}{cell.events:>8,}{cell.checked_matches:>9,}  {cell.remark}",
            flush=True,
        )


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 0.001 else f"{value:.1g}"


def _loud(cell: Cell) -> str:
    return f"{cell.contender} {cell.status}: {cell.reason}"


def _line(cell: Cell, workload: str, size: int, options: argparse.Namespace) -> dict[str, Any]:
    facts = {name: value for name, value in asdict(cell).items() if value not in (None, "")}
    line = {"workload": workload, "size": size, **facts, "seed": options.seed, "items": options.items}
    seconds = line.pop("seconds_per_event", None)
    if seconds is not None and cell.status == MEASURED:
        line["events_per_second"] = float(f"{1 / seconds:.4g}")
    if "build_seconds" in line:
        line["build_seconds"] = round(line["build_seconds"], 4)
    if cell.status == SKIPPED:
        line = {name: value for name, value in line.items() if name not in ("events", "checked_events")}
    return line


def _command(arguments: Sequence[str]) -> str:
    """The command line without where the results go, which is nobody else's folder."""
    kept: list[str] = []
    after_save = False
    for word in arguments:
        if word == "--save" or word.startswith("--save="):
            after_save = word == "--save"
        elif not after_save or word.startswith("-"):
            kept.append(word)
            after_save = False
        else:
            after_save = False
    return " ".join(["python -m benchmarks matcher", *kept])


def _options(arguments: Sequence[str], contenders: Mapping[str, Any]) -> argparse.Namespace:
    quick = "--quick" in arguments
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks matcher",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="a look: few events, short turns")
    parser.add_argument(
        "--workloads", type=_names(WORKLOADS), default=list(WORKLOADS), help=", ".join(WORKLOADS)
    )
    parser.add_argument(
        "--sizes",
        type=_sizes,
        default=[1_000] if quick else [1_000, 10_000, 100_000],
        help="numbers of subscriptions, with commas between them (1000,10000,100000)",
    )
    parser.add_argument(
        "--contenders", type=_names(tuple(contenders)), default=list(contenders), help=", ".join(contenders)
    )
    parser.add_argument(
        "--events", type=_positive, default=500 if quick else 20_000, help="different events, at most"
    )
    parser.add_argument(
        "--check",
        type=_positive,
        default=300 if quick else 1_500,
        metavar="N",
        help="of how many of them all matches are compared with what is right",
    )
    parser.add_argument("--rounds", type=_positive, default=2 if quick else 5, help="turns of each contender")
    parser.add_argument(
        "--budget",
        type=float,
        default=0.3 if quick else 3.0,
        help="seconds for all turns of a contender on one workload of one size",
    )
    parser.add_argument(
        "--build-budget", type=float, default=10.0 if quick else 60.0, help="seconds to build a contender"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--items", type=_positive, help="books on offer: fewer than 100,000 make more events match"
    )
    parser.add_argument(
        "--save",
        nargs="?",
        type=Path,
        const=FOLDER,
        metavar="FOLDER",
        help="store the results, in benchmarks/results unless another folder is named",
    )
    return parser.parse_args(arguments)


def _names(known: Sequence[str]) -> Callable[[str], list[str]]:
    def read(text: str) -> list[str]:
        for name in (chosen := text.split(",")):
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}; there are {', '.join(known)}")
        return chosen

    return read


def _sizes(text: str) -> list[int]:
    return [_positive(part) for part in text.split(",")]


def _positive(text: str) -> int:
    number = int(text.replace("_", ""))
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return number
