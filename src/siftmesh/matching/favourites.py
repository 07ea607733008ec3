"""First hit per link: of each link the subscriptions that match most often are asked first, if that pays.

A broker only wants to know which links an event concerns. Where nearly all links have a subscription that is
nearly always met, a small index of these answers most events; where they have not, it is wasted work. Which
of the two it is follows from what both have cost so far, counted in evaluations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from siftmesh.kernels.layout import Words
from siftmesh.logic.tree import Tree
from siftmesh.matching.work import WorkCounters

__all__ = ["Favourites", "Finder"]

# Events after which hits are enough to choose by, and after which a choice is judged.
_LEARN = 64
# Favourites of each link: tried from the first on, until one pays or none did.
_SIZES = (4, 16, 64, 256)
# What has to be saved for a second index to be worth its memory.
_WORTH = 0.8
# After so many events without favourites it is tried again.
_AGAIN = 1 << 14


class Finder(Protocol):
    """What favourites need of an engine."""

    @property
    def work(self) -> WorkCounters: ...
    def find(self, event: Any) -> list[int]: ...
    def insert(self, number: int, tree: Tree) -> None: ...
    def delete(self, number: int) -> None: ...
    def tree(self, number: int) -> Tree: ...


class Favourites:
    """Answers which links an event concerns, of one engine whose changes it is told."""

    def __init__(self, engine: Finder, make: Callable[[], Finder]) -> None:
        self._engine = engine
        self._make = make
        # Who takes it is the only one to learn.
        self._tokens = [None]
        self._forget()

    def find(self, event: Any, link_of: Words) -> list[int]:
        """The numbers of the links that have a subscription that the event meets."""
        chosen = self._chosen
        if chosen is not None:
            index, every = chosen
            self._asked += 1
            found = _links_of(index.find(event), link_of)
            if every <= found:
                self._answered += 1
                return sorted(every)
            if self._asked >= _LEARN and not self._judged:
                self._alone(self._judge, link_of)
        numbers = self._engine.find(event)
        if chosen is None:
            self._alone(self._learn, numbers, link_of)
        return sorted(_links_of(numbers, link_of) - {-1})

    def inserted(self) -> None:
        """There is a new subscription, perhaps on a new link."""
        self._forget()

    def deleted(self, number: int) -> None:
        """A subscription has gone."""
        if self._chosen is not None and number in self._numbers:
            self._numbers.discard(number)
            self._chosen[0].delete(number)

    def _alone(self, work: Callable[..., None], *arguments: Any) -> None:
        """Learn or judge, unless another thread is about it: who is second leaves this event out."""
        try:
            token = self._tokens.pop()
        except IndexError:
            return
        try:
            work(*arguments)
        finally:
            self._tokens.append(token)

    def _forget(self) -> None:
        # The index of favourites and all links, to be seen together.
        self._chosen: tuple[Finder, frozenset[int]] | None = None
        self._judged = False
        self._numbers: set[int] = set()
        self._hits = np.zeros(0, np.int32)
        self._events = 0
        self._before: WorkCounters | None = None
        self._size = 0
        self._asked = self._answered = 0
        # Evaluations of an event without favourites.
        self._cost = 0.0

    def _learn(self, numbers: list[int], link_of: Words) -> None:
        if self._chosen is not None:
            return  # another thread has chosen meanwhile
        if self._size == len(_SIZES):
            self._events += 1
            if self._events > _AGAIN:
                self._forget()
            return
        if self._before is None:
            self._before = self._engine.work
        if len(self._hits) < len(link_of):
            self._hits = np.concatenate([self._hits, np.zeros(len(link_of) - len(self._hits), np.int32)])
        self._hits[numbers] += 1
        self._events += 1
        if self._events >= _LEARN:
            self._cost = _evaluations(self._engine.work - self._before) / self._events
            self._choose(link_of)

    def _choose(self, link_of: Words) -> None:
        """Make an index of those of each link that were met most often."""
        most = _SIZES[self._size]
        linked = np.flatnonzero(link_of[: len(self._hits)] >= 0)
        order = linked[np.lexsort((-self._hits[linked], link_of[linked]))]
        links = link_of[order]
        first = np.searchsorted(links, links)
        numbers = order[(np.arange(len(order)) - first < most) & (self._hits[order] > 0)].tolist()
        chosen = self._make()
        for number in numbers:
            chosen.insert(number, self._engine.tree(number))
        self._asked = self._answered = 0
        self._judged = False
        self._numbers = set(numbers)
        every = frozenset(np.unique(links).tolist())
        if every:
            self._chosen = chosen, every
        else:
            self._give_up()

    def _judge(self, link_of: Words) -> None:
        """Keep the favourites if they cost less than they save; else try more of them, or none."""
        asked = self._asked
        if self._chosen is None or self._judged or asked < _LEARN:
            return  # another thread was quicker
        own = _evaluations(self._chosen[0].work) / asked
        if own + (1 - self._answered / asked) * self._cost < _WORTH * self._cost:
            self._judged = True
            return
        self._size += 1
        if self._size < len(_SIZES):
            self._choose(link_of)
        else:
            self._give_up()

    def _give_up(self) -> None:
        self._chosen = None
        self._size = len(_SIZES)
        self._events = 0


def _links_of(numbers: list[int], link_of: Words) -> set[int]:
    # A memory view gives ints; an array would make an object of its own sort of each.
    return set(map(link_of.data.__getitem__, numbers))


def _evaluations(work: WorkCounters) -> float:
    """Work in leaves evaluated; a word of a bitmap is a fraction of one, a candidate asked again is many."""
    return work.leaves + work.candidates + work.words / 8 + 100 * work.verified + work.matches
