"""Building and timing contenders side by side, and checking what they find."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa

from benchmarks.matcher_workloads import Case
from benchmarks.peers.contender import BATCH, Contender, Unavailable
from benchmarks.peers.reference import Reference, difference
from benchmarks.timing import SHORT

__all__ = ["Cell", "Settings", "Side", "compare"]

# Matches that one call may find: they are all kept until it has ended.
MOST_MATCHES = 5_000_000
LEAST_GROWTH = 1_000_000
# A predicted cost this many times over the budget is believed; the prediction is a straight line.
DOUBT = 1.5
MEASURED, WRONG, FAILED, SKIPPED, UNAVAILABLE = "measured", "WRONG", "FAILED", "skipped", "not available"

Maker = Callable[[Case], Contender]


@dataclass(frozen=True)
class Settings:
    """How long to take over a cell of the table, in seconds of CPU time."""

    rounds: int = 5
    budget: float = 3.0
    build_budget: float = 60.0


@dataclass
class Cell:
    """What came out for one contender and one case."""

    contender: str
    status: str = SKIPPED
    reason: str = ""
    remark: str = ""
    build_seconds: float | None = None
    bytes: int | None = None
    # Whether `bytes` is how much the process grew, and so only near the truth.
    grown: bool = False
    seconds_per_event: float | None = None
    events: int = 0
    checked_events: int = 0
    checked_matches: int = 0

    @property
    def faulty(self) -> bool:
        return self.status in (WRONG, FAILED)


@dataclass
class Side:
    """A contender throughout a workload: what it cost at the last size tells what the next will cost."""

    name: str
    make: Maker
    size: int = 0
    build: float = 0.0
    event: float = 0.0

    def refusal(self, size: int, settings: Settings) -> str | None:
        """Why not to try this size."""
        if not self.size:
            return None
        growth = size / self.size
        if self.build * growth > DOUBT * settings.build_budget:
            return f"would take {self.build * growth:,.0f} s to build, by what {self.size:,} took"
        if self.event * growth > DOUBT * settings.budget:
            return f"would take {self.event * growth:,.1f} s an event, by what {self.size:,} took"
        return None


@dataclass
class _Running:
    side: Side
    cell: Cell
    contender: Contender
    clock: Callable[[], float]
    prepared: Any = None
    turns: int = 0
    best: float = field(default=float("inf"))
    found: Any = None


def compare(case: Case, sides: Mapping[str, Side], reference: Reference, settings: Settings) -> list[Cell]:
    """Build every contender, let them take turns, check what each found."""
    cells = {name: Cell(name) for name in sides}
    running = []
    for name, side in sides.items():
        refusal = side.refusal(case.size, settings)
        if refusal:
            cells[name].reason = refusal
            continue
        built = _build(case, side, cells[name])
        if built is not None:
            running.append(built)
    for kept in ("trees", "text_trees"):  # what cached properties keep
        case.__dict__.pop(kept, None)
    # What has been built is not for the garbage collector to walk through between any two turns.
    gc.collect()
    gc.freeze()
    try:
        most = max(
            1, int(min(case.events.num_rows, MOST_MATCHES * reference.events / (reference.matches + 1)))
        )
        running = [each for each in running if _guarded(each, partial(_size, each, case, most, settings))]
        for turn in range(settings.rounds):
            for each in running:
                if turn < each.turns and not each.cell.faulty:
                    _guarded(each, partial(_turn, each))
        for each in running:
            if not each.cell.faulty:
                _guarded(each, partial(_check, each, case, reference))
    finally:
        for each in running:
            each.contender.close()
        gc.unfreeze()
    return list(cells.values())


def _build(case: Case, side: Side, cell: Cell) -> _Running | None:
    _ = case.text_trees
    if getattr(side.make, "from_trees", False):
        _ = case.trees
    clock = time.perf_counter if getattr(side.make, "elsewhere", False) else time.process_time
    # What was there before is not for the garbage collector to walk through while something is built.
    gc.collect()
    gc.freeze()
    before, began = _resident(), clock()
    try:
        contender = side.make(case)
    except Unavailable as error:
        cell.status, cell.reason = UNAVAILABLE, str(error)
        return None
    except Exception as error:  # whatever keeps a peer from starting is its own; the others go on
        cell.status, cell.reason = UNAVAILABLE, f"{type(error).__name__}: {error}"
        return None
    cell.build_seconds = clock() - began
    grown = None if before is None else max(0, (_resident() or 0) - before)
    cell.remark = contender.remark
    cell.bytes = contender.memory()
    if cell.bytes is None and not contender.elsewhere:
        # Less than that is noise, or was free already.
        cell.bytes, cell.grown = (grown, True) if grown and grown >= LEAST_GROWTH else (None, False)
    side.size, side.build = case.size, cell.build_seconds
    return _Running(side, cell, contender, clock)


def _guarded(each: _Running, step: Callable[[], object]) -> bool:
    """Do a step; a contender that fails in it is out, loudly, and the others go on."""
    try:
        return step() is not False
    except Exception as error:
        each.cell.status, each.cell.reason = FAILED, f"{type(error).__name__}: {error}"
        each.found = None
        return False


def _size(each: _Running, case: Case, most: int, settings: Settings) -> bool:
    """Find how many events fill a turn; False when a single one is too many."""
    _timed(each, case.events.slice(0, 1))  # what is compiled or loaded at the first call
    events, limit, before = 1, settings.budget / settings.rounds, float("inf")
    while True:
        seconds = _timed(each, case.events.slice(0, events))
        each.side.event = seconds / events
        if seconds > settings.budget and events == 1:
            each.cell.reason = (
                f"one event{' in a call' if each.contender.batched else ''} takes {seconds:,.1f} s"
            )
            return False
        # A call that costs hardly more than one with a tenth of the events has mostly cost the call.
        overhead = each.contender.batched and events < BATCH and seconds < 3 * before
        if events >= most or seconds >= (settings.budget if overhead else limit / 2):
            break
        before = seconds
        growth = 10 if overhead else min(10, max(2, 0.9 * limit / max(seconds, 1e-9)))
        events = min(most, int(events * growth))
    each.cell.events = events
    each.turns = max(1, min(settings.rounds, int(settings.budget / max(seconds, 1e-9))))
    each.prepared = each.contender.prepare(case.events.slice(0, events))
    each.contender.settle()
    return True


def _timed(each: _Running, events: pa.Table) -> float:
    prepared = each.contender.prepare(events)
    began = each.clock()
    each.contender.run(prepared)
    return each.clock() - began


def _turn(each: _Running) -> None:
    each.found = None
    gc.collect()
    gc.disable()
    try:
        if each.side.event * each.cell.events < SHORT:
            # As in `per_item`: a stream of events drives out what others left in the caches only once.
            each.contender.run(each.prepared)
        began = each.clock()
        each.found = each.contender.run(each.prepared)
        each.best = min(each.best, each.clock() - began)
    finally:
        gc.enable()
    each.cell.seconds_per_event = each.best / each.cell.events
    each.side.event = each.cell.seconds_per_event


def _check(each: _Running, case: Case, reference: Reference) -> None:
    events = min(each.cell.events, reference.events)
    found = each.found
    if each.cell.events > events:
        found = each.contender.run(each.contender.prepare(case.events.slice(0, events)))
    each.found = None
    fault = difference(reference, *each.contender.pairs(found), events)
    each.cell.checked_events, each.cell.checked_matches = events, len(reference.upto(events))
    each.cell.status, each.cell.reason = (MEASURED, "") if fault is None else (WRONG, fault)


def _resident() -> int | None:
    """Bytes of this process in memory, where the system tells."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:
        return None
    return pages * 4096
