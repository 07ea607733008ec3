"""What a profile should say, counted one event after the other; it shares no code with what it checks."""

from __future__ import annotations

from collections.abc import Sequence

from siftmesh.logic.tree import Leaf, Tree
from siftmesh.model.event import Event
from tests.reference.tree_oracle import is_true, truth

MASK = 2**64 - 1


def counted(leaf: Leaf, events: Sequence[Event]) -> tuple[int, int, int]:
    """Of how many events a leaf is true, false and unknown."""
    verdicts = [truth(leaf, event) for event in events]
    return tuple(sum(verdict is wanted for verdict in verdicts) for wanted in (True, False, None))  # type: ignore[return-value]  # three of them


def share(tree: Tree, events: Sequence[Event]) -> float:
    return sum(is_true(tree, event) for event in events) / len(events)


def priority(key: int) -> int:
    """splitmix64, as it is published."""
    mixed = (key + 0x9E3779B97F4A7C15) & MASK
    mixed = ((mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & MASK
    return mixed ^ (mixed >> 31)


def sampled(events: Sequence[Event], capacity: int) -> list[Event]:
    """The events whose positions have the least priorities."""
    order = sorted(range(len(events)), key=priority)
    return [events[place] for place in order[:capacity]]


def bits(tree: Tree, events: Sequence[Event]) -> list[int]:
    """The words of the bitmap of a tree."""
    words = [0] * (-(-len(events) // 64))
    for place, event in enumerate(events):
        if is_true(tree, event):
            words[place // 64] |= 1 << place % 64
    return words
