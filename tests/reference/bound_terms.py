"""Conjunctions of bounds asked one by one, as the index of bitmaps should answer; and random ones to ask."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

LOWEST = -(1 << 63)
HIGHEST = (1 << 63) - 1

NEGATED, ABOVE, BELOW = 1, 2, 4

Bound = tuple[int, int, int, int]
Term = tuple[bool, list[Bound]]
Owners = dict[int, list[Term]]
# The value of each dimension that an event has: a key twice, or two that are neighbours if it lies between.
Event = dict[int, tuple[int, int]]


def holds(bound: Bound, event: Event) -> bool:
    """Whether a value is there, and not below, above or, if that is excluded, between the keys of a bound."""
    dim, low, high, flags = bound
    if dim not in event:
        return False
    below, above = event[dim]
    within = (below >= low or (flags & ABOVE and above >= low)) and (
        above <= high or (flags & BELOW and below <= high)
    )
    return bool(within) != bool(flags & NEGATED)


def met(term: Term, event: Event) -> bool:
    return all(holds(bound, event) for bound in term[1])


def codes(owners: Owners, event: Event) -> set[int]:
    """The owners of whom some term is met; ~owner if only terms to verify are."""
    found = set()
    for owner, terms in owners.items():
        verify = [asked for asked, _ in (term for term in terms if met(term, event))]
        if verify:
            found.add(owner if not all(verify) else ~owner)
    return found


def values(events: Sequence[Event], width: int) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Events as the index takes them; what stands where one lacks a dimension must not be looked at."""
    present = np.zeros((len(events), width), np.uint8)
    lows = np.full((len(events), width), 17, np.int64)
    highs = np.full((len(events), width), 17, np.int64)
    for row, event in enumerate(events):
        for dim, (low, high) in event.items():
            if dim < width:
                present[row, dim] = 1
                lows[row, dim], highs[row, dim] = low, high
    return present, lows, highs


def columns(owners: Owners) -> dict[str, NDArray[Any]]:
    """Owners as the index takes many of them at once."""
    rows = [(owner, verify, bounds) for owner, terms in owners.items() for verify, bounds in terms]
    every = [bound for *_, bounds in rows for bound in bounds]
    kinds = (np.int32, np.int64, np.int64, np.uint8)
    dims, lows, highs, flags = (
        np.array([bound[place] for bound in every], kind) for place, kind in enumerate(kinds)
    )
    return {
        "owners": np.array([owner for owner, *_ in rows], np.int32),
        "verify": np.array([verify for _, verify, _ in rows], np.bool_),
        "starts": np.cumsum([0, *[len(bounds) for *_, bounds in rows]]).astype(np.int64),
        "dims": dims,
        "lows": lows,
        "highs": highs,
        "flags": flags,
    }


@dataclass
class Chance:
    """Random terms and events over few keys, so that ends often meet, and over the ends of the range."""

    seed: int
    dims: int = 4
    keys: int = 8
    # Of ten terms, how many may bound a dimension more than once.
    repeats: int = 2
    random: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.random = random.Random(self.seed)

    def key(self) -> int:
        chosen = self.random.random()
        if chosen < 0.06:
            return self.random.choice([LOWEST, LOWEST + 1])
        if chosen < 0.12:
            return self.random.choice([HIGHEST, HIGHEST - 1])
        return self.random.randrange(self.keys)

    def bound(self, dim: int) -> Bound:
        low, high = sorted((self.key(), self.key()))
        if self.random.random() < 0.15:
            low, high = high, low
        flags = self.random.choice([0, 0, ABOVE, BELOW, ABOVE | BELOW])
        return dim, low, high, flags | (NEGATED if self.random.random() < 0.3 else 0)

    def term(self, most: int = 4) -> Term:
        # Some dimensions are in many terms, others in few.
        dims = [
            min(int(self.random.expovariate(4 / self.dims)), self.dims - 1)
            for _ in range(self.random.randint(0, most))
        ]
        if self.random.randrange(10) >= self.repeats:
            dims = list(dict.fromkeys(dims))
        return self.random.random() < 0.2, [self.bound(dim) for dim in dims]

    def terms(self) -> list[Term]:
        return [self.term() for _ in range(self.random.choice([1, 1, 1, 2, 3]))]

    def owners(self, count: int, first: int = 0) -> Owners:
        return {owner: self.terms() for owner in range(first, first + count)}

    def event(self, share: float = 0.8) -> Event:
        event = {}
        for dim in range(self.dims):
            if self.random.random() < share:
                low = self.key()
                between = self.random.random() < 0.25 and low < HIGHEST
                event[dim] = (low, low + 1 if between else low)
        return event

    def events(self, count: int, share: float = 0.8) -> list[Event]:
        return [self.event(share) for _ in range(count)]
