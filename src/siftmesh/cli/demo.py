"""`siftmesh demo`: book auctions stream past standing interests, and the right people hear of them."""

from __future__ import annotations

import argparse
import time
from collections import Counter
from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

from siftmesh.cli.progress import progress

if TYPE_CHECKING:
    from siftmesh.matcher import Matcher
    from siftmesh.matching.explain import Explanation, Verdict

__all__ = ["add_parser", "run"]


def add_parser(commands: Any) -> None:
    """Add the command to the program's own."""
    parser = commands.add_parser(
        "demo",
        help="match generated book auctions and explain what happened",
        description="Match generated book auctions against generated interests, and explain one match and one"
        " near miss.",
    )
    parser.add_argument("--events", type=int, default=2_000, help="auctions to publish (default 2,000)")
    parser.add_argument("--subscriptions", type=int, default=2_000, help="standing interests (default 2,000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other auctions (default 1)")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Register generated subscriptions, publish generated auctions, and print what happened and why."""
    from siftmesh.matcher import Matcher
    from siftmesh.workload import auction, subscriptions
    from siftmesh.workload.streams import check_count

    check_count("--events", arguments.events)
    check_count("--subscriptions", arguments.subscriptions)
    check_count("--seed", arguments.seed)
    # Few books, so that a small demonstration has many matches to show.
    model = auction.AuctionModel(items=20_000)
    matcher = Matcher()
    began = time.perf_counter()
    parts = subscriptions.mixed(arguments.subscriptions, arguments.seed, model)
    for part in parts:
        matcher.add_many(part.template, part.parameters.to_pylist())
    seconds = time.perf_counter() - began
    print(f"{len(matcher):,} subscriptions of {len(parts)} kinds in {seconds:.2f} s, such as")
    for part in parts:
        print(f"  {part.template}")

    events = [
        row for batch in auction.events(model, arguments.events, arguments.seed) for row in batch.to_pylist()
    ]
    delivered: Counter[Hashable] = Counter()
    matched: list[tuple[int, Hashable]] = []
    began = time.perf_counter()
    with progress("matching", len(events)) as advance:
        for number, event in enumerate(events):
            ids = matcher.match(event)
            delivered.update(ids)
            matched += [(number, subscription) for subscription in ids]
            advance(1)
    seconds = time.perf_counter() - began
    print(f"\n{len(events):,} auctions published in {seconds:.1f} s: {len(events) / seconds:,.0f} a second")
    print(f"{len(matched):,} notifications for {len(delivered):,} subscribers")
    _print_busiest(matcher, delivered)
    _print_explained(matcher, events, matched)
    return 0


def _print_busiest(matcher: Matcher, delivered: Counter[Hashable]) -> None:
    from siftmesh.logic.render import render

    print("\nbusiest subscriptions")
    for subscription, count in delivered.most_common(5):
        print(f"  {count:>5}  {subscription}: {render(matcher[subscription])}")


def _print_explained(
    matcher: Matcher, events: list[dict[str, Any]], matched: list[tuple[int, Hashable]]
) -> None:
    if not matched:
        print("\nnothing matched; try more --events or --subscriptions")
        return
    number, subscription = matched[0]
    print(f"\nwhy auction {number} reached its subscriber")
    print(matcher.explain(subscription, events[number]))
    near = _near_miss(matcher, events, subscription)
    if near is not None:
        print("\nand one that came close")
        print(near)


def _near_miss(matcher: Matcher, events: list[dict[str, Any]], subscription: Hashable) -> Explanation | None:
    """Of the auctions that did not match, the one for which most of the subscription was true."""
    misses = [e for e in (matcher.explain(subscription, event) for event in events) if not e.matches]
    return max(misses, key=lambda miss: _closeness(miss.verdict), default=None)


def _closeness(verdict: Verdict) -> int:
    return int(verdict.truth is True) + sum(_closeness(part) for part in verdict.parts)
