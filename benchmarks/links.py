"""Which links an event concerns: first hit per link where that pays, beside finding all matches.

Subscriptions are spread evenly over so many links. `matches_link` asks a few favourites of each link first,
and goes on doing so where its own counts of evaluations say that it pays; the other way finds all matches and
looks up their links. Both must find the same. Pruned filters, of which nearly every event meets some on each
link, are what favourites are for: `pruned` keeps what a subscription of
`ranges` asks of one attribute.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from functools import partial
from typing import Any

from benchmarks.matcher_workloads import Case, make
from benchmarks.peers.contender import mappings
from benchmarks.records import Line, keep, names, number, options, positive, sizes
from benchmarks.timing import per_item
from siftmesh import Matcher, Tree
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import And, attributes

__all__ = ["main"]

ABOUT = ("workload", "size", "links")
# What each takes its filters and events from.
WORKLOADS = {"mixed": "mixed", "ranges": "ranges", "pruned": "ranges"}


def main(arguments: Sequence[str] = ()) -> int:
    asked = _options(arguments)
    lines: list[Line] = []
    for workload in asked.workloads:
        case = make(WORKLOADS[workload], asked.size, asked.events, seed=asked.seed)
        print(f"\n{workload}: {asked.size:,} subscriptions")
        heads = ("matches", "links hit", "all, us", "by link, us", "x")
        print(f"  {'links':<10}" + "".join(f"{head:>14}" for head in heads) + "  favourites")
        lines += [_measure(workload, case, links, asked) for links in asked.links]
    keep("links", arguments, asked.save, lines, ABOUT)
    return 0


def _measure(workload: str, case: Case, links: int, asked: argparse.Namespace) -> Line:
    by_link, every = Matcher(), Matcher()
    for subscription, tree in case.trees:
        held = pruned(tree) if workload == "pruned" else tree
        by_link.add(subscription, held, link=subscription % links)
        every.add(subscription, held)
    events = mappings(case.events)
    matches = concerned = 0
    for event in events:
        found = every.match(event)
        told = _links_of(found, links)
        if told != set(by_link.matches_link(event)):
            raise AssertionError(f"{workload}, {links} links: the two ways differ")
        matches += len(found)
        concerned += len(told)
    each = per_item(
        {"all": partial(_all, every, events, links), "by link": partial(_by_link, by_link, events)},
        len(events),
        asked.rounds,
        warm=True,
    )
    favourites: Any = by_link._matcher._engine  # no public name says what was chosen
    chosen = len(favourites._favourites._numbers) if favourites._favourites._chosen is not None else 0
    line = {
        "workload": workload,
        "size": case.size,
        "links": links,
        "matches_per_event": matches / len(events),
        "links_per_event": concerned / len(events),
        "all_us": 1e6 * each["all"],
        "by_link_us": 1e6 * each["by link"],
        "x": each["by link"] / each["all"],
    }
    shown = "".join(f"{number(value):>14}" for value in list(line.values())[3:])
    print(f"  {links:<10,}{shown}  {f'{chosen:,} of them' if chosen else 'not used'}", flush=True)
    rounded = {name: float(f"{v:.4g}") if isinstance(v, float) else v for name, v in line.items()}
    return rounded | {"favourites": chosen}


def pruned(tree: Tree) -> Tree:
    """What is left of a filter when it asks of its first attribute only."""
    normal = normalise(tree)
    if not isinstance(normal, And):
        return normal
    first = min(attributes(normal.children[0]))
    return And(tuple(child for child in normal.children if attributes(child) == {first}))


def _all(matcher: Matcher, events: list[dict[str, Any]], links: int) -> None:
    for event in events:
        _links_of(matcher.match(event), links)


def _links_of(found: list[Any], links: int) -> set[int]:
    return {subscription % links for subscription in found}


def _by_link(matcher: Matcher, events: list[dict[str, Any]]) -> None:
    for event in events:
        matcher.matches_link(event)


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    quick = "--quick" in arguments
    parser = options("links", __doc__)
    parser.add_argument("--workloads", type=names(tuple(WORKLOADS)), default=list(WORKLOADS))
    parser.add_argument("--size", type=positive, default=1_000 if quick else 20_000, help="subscriptions")
    parser.add_argument(
        "--links", type=sizes, default=[10] if quick else [10, 100, 1_000], help="numbers of links"
    )
    parser.add_argument("--events", type=positive, default=300 if quick else 1_000)
    parser.add_argument("--rounds", type=positive, default=2 if quick else 5)
    return parser.parse_args(arguments)
