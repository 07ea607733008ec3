"""The counting engine: the two-step filter of subscription tree pruning, predicates first, then counts.

It is kept beside the default one because what the papers report is about it: the cost of an event is the
number of fulfilled predicates times the subscriptions that hold them, and pruning is what lowers it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from sys import getsizeof
from typing import TYPE_CHECKING, Any

import msgspec

from siftmesh.logic.evaluate import holds
from siftmesh.logic.template import Template
from siftmesh.logic.tree import And, Leaf, Or, Tree
from siftmesh.matching.association import Association
from siftmesh.matching.engine import bound_rows, find_one_by_one, insert_one_by_one, largest, most_held
from siftmesh.matching.flatten import NEVER, flatten
from siftmesh.matching.predicates import PredicateIndex, Tally
from siftmesh.matching.work import WorkCounters
from siftmesh.model.event import Event

if TYPE_CHECKING:
    from siftmesh.matching.engine import Longs, Words

__all__ = ["CountingEngine", "CountingWork"]


class CountingWork(msgspec.Struct, frozen=True):
    """What a counting engine has done since it was made, as the papers count it."""

    events: int = 0
    # Predicates that were true, summed over the events.
    fulfilled: int = 0
    # Hits counted: one for each fulfilled predicate and each leaf of a subscription that holds it.
    increments: int = 0
    # Subscriptions that reached their minimum count.
    candidates: int = 0
    # Candidates whose tree had to be evaluated, and the leaves looked at in doing so.
    trees: int = 0
    tests: int = 0
    matches: int = 0


class CountingEngine:
    """Holds subscriptions as trees; counts for each how many of its predicates an event fulfils."""

    # The counts of one event are in the way of another's.
    parallel = False

    def __init__(self) -> None:
        self._predicates = PredicateIndex()
        self._association = Association()
        self._trees: dict[int, Tree] = {}
        # Those that are always true are no candidates: their minimum count is reached from the start.
        self._always: dict[int, None] = {}
        self._events = self._fulfilled = self._candidates = self._matches = 0

    def insert(self, number: int, tree: Tree) -> None:
        """Take a tree in under a number that is not in use."""
        found, shape, minimum = flatten(tree)
        index = self._predicates
        # All are looked up before one is entered, so that a leaf that is no value changes nothing.
        known = [index.number(leaf) for leaf in found]
        predicates: list[int] = []
        for leaf, predicate in zip(found, known, strict=True):
            if predicate is None:
                # The same leaf may have been entered a moment ago.
                predicate = index.number(leaf)  # noqa: PLW2901 - what is None gets its number here
                if predicate is None:
                    predicate = index.add(leaf)  # noqa: PLW2901 - as above
            predicates.append(predicate)
        self._association.enter(number, predicates, shape, minimum)
        self._trees[number] = _share(tree, iter(predicates), index)
        if minimum == 0:
            self._always[number] = None

    def insert_rows(self, numbers: Sequence[int], template: Template, columns: Mapping[str, Any]) -> None:
        """Take in a template bound to rows of Arrow columns, all or none."""
        insert_one_by_one(self, numbers, bound_rows(template, columns, len(numbers)))

    def delete(self, number: int) -> None:
        """Forget a subscription."""
        del self._trees[number]
        for predicate in self._association.leave(number):
            self._predicates.remove(predicate)
        self._always.pop(number, None)

    def find(self, event: Mapping[str, Any] | Event) -> list[int]:
        """The numbers of all subscriptions that an event meets, in no particular order."""
        if not isinstance(event, Event):
            event = Event.of(event)
        if event.closed:
            event.refuse_paths_into_arrays(self._predicates.used)
        fulfilled = self._predicates.fulfilled(event)
        found: list[int] = self._association.match(fulfilled).tolist()
        found += self._always
        self._events += 1
        self._fulfilled += sum(map(len, fulfilled))
        self._candidates += self._association.candidates
        self._matches += len(found)
        return found

    def find_batch(self, events: Any) -> tuple[Longs, Words]:
        """The same of many events, as bounds and numbers."""
        return find_one_by_one(self.find, events)

    def tree(self, number: int) -> Tree:
        """The tree of a subscription, its leaves shared with all others."""
        return self._trees[number]

    def access(self, number: int) -> str:
        """What a subscription waits for, in words."""
        found, _, minimum = flatten(self._trees[number])
        if minimum >= NEVER:
            return "nothing: it is never true"
        return f"{minimum} of its {len(found)} predicates" if minimum else "every event"

    def reached(self, number: int, event: Event) -> bool:
        """Whether as many predicates of a subscription are true of an event as it needs."""
        found, _, minimum = flatten(self._trees[number])
        return sum(holds(leaf, event) for leaf in found) >= minimum

    def compact(self) -> None:
        """Nothing is ever put off."""

    def selectivities(self) -> dict[Leaf, Tally]:
        """Of each predicate how many events fulfilled it, of how many since it was first held."""
        return self._predicates.selectivities()

    @property
    def work(self) -> WorkCounters:
        """All work so far: a probe is a fulfilled predicate, whose subscriptions are counted up."""
        return WorkCounters(
            events=self._events,
            probes=self._fulfilled,
            candidates=self._candidates,
            leaves=self._association.counted[2],
            matches=self._matches,
        )

    @property
    def counted(self) -> CountingWork:
        """The same as the papers count it."""
        increments, trees, tests = self._association.counted
        return CountingWork(
            self._events, self._fulfilled, increments, self._candidates, trees, tests, self._matches
        )

    def memory(self) -> dict[str, int]:
        """Bytes by structure; the trees themselves are not counted."""
        return {
            **self._predicates.memory(),
            **self._association.memory(),
            "trees by number": getsizeof(self._trees) + getsizeof(self._always),
        }

    def hottest(self, count: int) -> list[tuple[str, int]]:
        """The predicates that most subscriptions hold, and how many do."""
        return most_held(self._trees.values(), count)

    def dearest(self, count: int) -> list[tuple[int, int]]:
        """The subscriptions with most leaves, each of which is counted where it is fulfilled."""
        return largest(self._trees, count)


def _share(tree: Tree, predicates: Iterator[int], index: PredicateIndex) -> Tree:
    """The same tree with the leaves that are held already, each once for all subscriptions."""
    if isinstance(tree, (And, Or)):
        return type(tree)(tuple([_share(child, predicates, index) for child in tree.children]))
    return index.leaf(next(predicates))
