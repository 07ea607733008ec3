"""How time and memory grow with the number of subscriptions, on auctions and on ranges.

All sizes are measured in one run, in turns: CPU time of an event, from Arrow tables of 1,000 to list arrays
of ids, once the index has seen the events and done what it put off. Beside it stands the time of a match, as
a multiple of the least that it was with fewer subscriptions: 1.5 would be half as much again as proportional
to the matches. Bytes are those of one subscription: the index and its programs; the directories that find a
subscription to be removed; trees that are kept to be given back; ids.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Mapping, Sequence
from functools import partial
from time import process_time
from typing import Any

import pyarrow as pa

from benchmarks.matcher_workloads import WORKLOADS, make
from benchmarks.peers.contender import batches
from benchmarks.peers.own import fill, total
from benchmarks.records import Line, keep, names, number, options, positive, sizes
from benchmarks.timing import per_item, undisturbed
from siftmesh import Matcher

__all__ = ["main"]

ABOUT = ("workload", "size")
PARTS = ("index", "directories", "kept trees", "ids")


def main(arguments: Sequence[str] = ()) -> int:
    asked = _options(arguments)
    lines: list[Line] = []
    for workload in asked.workloads:
        lines += _measure(workload, asked)
    keep("growth", arguments, asked.save, lines, ABOUT)
    return 0


def _measure(workload: str, asked: argparse.Namespace) -> list[Line]:
    events = make(workload, 1, asked.events, seed=asked.seed).events
    parts = batches(events)
    fill(Matcher(), make(workload, 100, 1))  # loads what is compiled
    matchers: dict[int, Matcher] = {}
    lines: dict[int, Line] = {}
    for size in sorted(asked.sizes):
        case = make(workload, size, 1, seed=asked.seed)
        _ = case.text_trees
        matchers[size] = Matcher()
        with undisturbed():
            began = process_time()
            fill(matchers[size], case)
            seconds = process_time() - began
        del case
        held = parts_of(matchers[size].stats())
        lines[size] = {"workload": workload, "size": size, "load_seconds": seconds} | {
            f"{part} bytes": value / size for part, value in held.items()
        }
        matches = _match(matchers[size], parts)
        matchers[size].compact()
        lines[size]["matches_per_event"] = matches / events.num_rows
    gc.collect()
    gc.freeze()
    try:
        contenders = {size: partial(_match, matcher, parts) for size, matcher in matchers.items()}
        each = per_item(contenders, events.num_rows, asked.rounds, warm=True)
    finally:
        gc.unfreeze()
    for size, seconds in each.items():
        lines[size]["microseconds_per_event"] = 1e6 * seconds
    for size, ratio in above_proportional(
        {s: (each[s], lines[s]["matches_per_event"]) for s in each}
    ).items():
        lines[size]["x_proportional"] = ratio
    _print(workload, list(lines.values()))
    return [{name: _rounded(value) for name, value in line.items()} for line in lines.values()]


def _match(matcher: Matcher, parts: Sequence[pa.Table]) -> int:
    """How many matches there are."""
    return sum(len(matcher.match_batch(part).to_arrow().values) for part in parts)


def parts_of(stats: Mapping[str, Any]) -> dict[str, int]:
    """What `stats()` says of memory, as PARTS."""
    found = dict.fromkeys(PARTS, 0)
    for name, size in stats["memory"].items():
        part = "directories" if "directory" in name else "kept trees" if "kept" in name else "index"
        found[part] += size
    found["ids"] = total(stats["ids"])
    return found


def above_proportional(costs: Mapping[int, tuple[float, float]]) -> dict[int, float | None]:
    """For each size the cost of a match, as a multiple of the least that it is at this size or a smaller one.

    Costs are those of an event, with how many matches it has; where there are none there is no ratio.
    """
    least = float("inf")
    found: dict[int, float | None] = {}
    for size in sorted(costs):
        cost, matches = costs[size]
        if not matches:
            found[size] = None
            continue
        least = min(least, cost / matches)
        found[size] = cost / matches / least
    return found


def _rounded(value: Any) -> Any:
    return float(f"{value:.4g}") if isinstance(value, float) else value


def _print(workload: str, lines: Sequence[Line]) -> None:
    smallest = lines[0]["microseconds_per_event"]
    heads = [f"{part + ', B':>16}" for part in PARTS]
    print(f"\n{workload:<12}{'matches':>10}{'us':>10}{'x first':>10}{'x proportional':>16}", end="")
    print(f"{''.join(heads)}{'load s':>9}")
    for line in lines:
        ratio = line["x_proportional"]
        spent = line["microseconds_per_event"]
        print(
            f"{line['size']:<12,}{number(line['matches_per_event']):>10}{number(spent):>10}"
            f"{number(spent / smallest):>10}{'-' if ratio is None else number(ratio):>16}"
            + "".join(f"{line[f'{part} bytes']:>16,.1f}" for part in PARTS)
            + f"{line['load_seconds']:>9.1f}",
            flush=True,
        )


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    quick = "--quick" in arguments
    parser = options("growth", __doc__)
    parser.add_argument("--workloads", type=names(WORKLOADS), default=["mixed", "ranges"])
    parser.add_argument(
        "--sizes",
        type=sizes,
        default=[1_000, 5_000] if quick else [1_000, 10_000, 100_000, 200_000, 1_000_000],
        help="numbers of subscriptions",
    )
    parser.add_argument("--events", type=positive, default=500 if quick else 5_000)
    parser.add_argument("--rounds", type=positive, default=2 if quick else 5)
    return parser.parse_args(arguments)
