"""The engine without an index: it evaluates every tree. All other engines must agree with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from sys import getsizeof
from typing import TYPE_CHECKING, Any

from siftmesh.logic.evaluate import holds
from siftmesh.logic.intern import Interner
from siftmesh.logic.template import Template
from siftmesh.logic.tree import Tree, attributes, leaves
from siftmesh.matching.engine import bound_rows, find_one_by_one, insert_one_by_one, largest, most_held
from siftmesh.matching.work import WorkCounters
from siftmesh.model.event import Event

if TYPE_CHECKING:
    from siftmesh.matching.engine import Longs, Words

__all__ = ["ScanEngine"]


class ScanEngine:
    """Holds subscriptions as trees and asks each of them about every event."""

    parallel = True

    def __init__(self) -> None:
        self._trees: dict[int, Tree] = {}
        self._interner = Interner()
        # How many subscriptions read each attribute, and how many leaves all of them have.
        self._used: Counter[str] = Counter()
        self._leaves = 0
        # Several threads may count at once: each line that adds to one of these calls nothing in between, so
        # that the interpreter does not turn to another thread within it.
        self._events = self._candidates = self._tested = self._matches = 0

    def insert(self, number: int, tree: Tree) -> None:
        """Take a tree in under a number that is not in use."""
        self._trees[number] = self._interner.share(tree)
        self._used.update(attributes(tree))
        self._leaves += sum(1 for _ in leaves(tree))

    def insert_rows(self, numbers: Sequence[int], template: Template, columns: Mapping[str, Any]) -> None:
        """Take in a template bound to rows of Arrow columns, all or none."""
        insert_one_by_one(self, numbers, bound_rows(template, columns, len(numbers)))

    def delete(self, number: int) -> None:
        """Forget a subscription."""
        tree = self._trees.pop(number)
        self._leaves -= sum(1 for _ in leaves(tree))
        self._used.subtract(attributes(tree))
        for attribute in attributes(tree):
            if self._used[attribute] == 0:
                del self._used[attribute]

    def find(self, event: Mapping[str, Any] | Event) -> list[int]:
        """The numbers of all subscriptions that an event meets, in the order they were inserted."""
        if not isinstance(event, Event):
            event = Event.of(event)
        if event.closed:
            event.refuse_paths_into_arrays(self._used)
        found = [number for number, tree in self._trees.items() if holds(tree, event)]
        asked, matches = len(self._trees), len(found)
        self._events += 1
        self._candidates += asked
        self._tested += self._leaves
        self._matches += matches
        return found

    def find_batch(self, events: Any) -> tuple[Longs, Words]:
        """The same of many events, as bounds and numbers."""
        return find_one_by_one(self.find, events)

    def tree(self, number: int) -> Tree:
        """The tree of a subscription."""
        return self._trees[number]

    def access(self, number: int) -> str:  # noqa: ARG002 - one is as another
        """What a subscription waits for, in words."""
        return "every event"

    def reached(self, number: int, event: Event) -> bool:  # noqa: ARG002 - one is as another
        """Whether a subscription is looked at for an event: it always is."""
        return True

    def compact(self) -> None:
        """Nothing is ever put off."""

    @property
    def work(self) -> WorkCounters:
        """All work so far; what is asked counts with all its leaves, whether each was evaluated or not."""
        return WorkCounters(
            events=self._events, candidates=self._candidates, leaves=self._tested, matches=self._matches
        )

    def memory(self) -> dict[str, int]:
        """Bytes by structure, without the trees themselves."""
        return {"trees by number": getsizeof(self._trees), "attributes": getsizeof(self._used)}

    def hottest(self, count: int) -> list[tuple[str, int]]:
        """The predicates that most subscriptions hold, and how many do."""
        return most_held(self._trees.values(), count)

    def dearest(self, count: int) -> list[tuple[int, int]]:
        """The subscriptions with most leaves."""
        return largest(self._trees, count)
