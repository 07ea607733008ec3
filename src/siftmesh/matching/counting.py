"""The counting matcher: the two-step filter of subscription tree pruning, predicates first, then counts.

It is kept beside the default matcher because what the papers report is about it: the cost of an event is the
number of fulfilled predicates times the subscriptions that hold them, and pruning is what lowers it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from sys import getsizeof

import msgspec

from siftmesh.errors import DuplicateId, SubscriptionError, UnknownId
from siftmesh.logic.tree import And, Leaf, Or, Tree
from siftmesh.matching.association import Association
from siftmesh.matching.flatten import flatten
from siftmesh.matching.predicates import PredicateIndex, Tally
from siftmesh.model.event import Event

__all__ = ["CountingMatcher", "CountingWork"]


class CountingWork(msgspec.Struct, frozen=True):
    """What a counting matcher has done since it was made."""

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


class CountingMatcher:
    """Holds subscriptions as trees; counts for each how many of its predicates an event fulfils."""

    def __init__(self) -> None:
        self._predicates = PredicateIndex()
        self._association = Association()
        # Dense numbers of subscriptions to ids and back; numbers of removed ones are used again.
        self._ids: list[Hashable] = []
        self._numbers: dict[Hashable, int] = {}
        self._free: list[int] = []
        self._trees: list[Tree | None] = []
        # Those that are always true are no candidates: their minimum count is reached from the start.
        self._always: dict[int, None] = {}
        self._events = self._fulfilled = self._candidates = self._matches = 0

    def add(self, subscription: Hashable, tree: Tree) -> None:
        """Register a tree under an id that is not taken."""
        try:
            taken = subscription in self._numbers
        except TypeError as error:
            raise SubscriptionError(f"this is no id: {error}", expected="a hashable value") from None
        if taken:
            raise DuplicateId(f"there is already a subscription {subscription!r}", expected="another id")
        found, shape, minimum = flatten(tree)
        index = self._predicates
        # All are looked up before one is entered, so that a leaf that is no value changes nothing.
        known = [index.number(leaf) for leaf in found]
        predicates: list[int] = []
        for leaf, number in zip(found, known, strict=True):
            if number is None:
                # The same leaf may have been entered a moment ago.
                number = index.number(leaf)  # noqa: PLW2901 - what is None gets its number here
                if number is None:
                    number = index.add(leaf)  # noqa: PLW2901 - as above
            predicates.append(number)
        own = self._free.pop() if self._free else len(self._ids)
        self._association.enter(own, predicates, shape, minimum)
        shared = _share(tree, iter(predicates), index)
        if own == len(self._ids):
            self._ids.append(subscription)
            self._trees.append(shared)
        else:
            self._ids[own] = subscription
            self._trees[own] = shared
        self._numbers[subscription] = own
        if minimum == 0:
            self._always[own] = None

    def remove(self, subscription: Hashable) -> None:
        """Forget a subscription."""
        own = self._number(subscription)
        for number in self._association.leave(own):
            self._predicates.remove(number)
        self._always.pop(own, None)
        del self._numbers[subscription]
        self._ids[own] = self._trees[own] = None
        self._free.append(own)

    def match(self, event: Event) -> list[Hashable]:
        """The ids of all subscriptions that the event meets, in no particular order."""
        if event.closed:
            event.refuse_paths_into_arrays(self._predicates.used)
        fulfilled = self._predicates.fulfilled(event)
        found = self._association.match(fulfilled).tolist()
        ids = self._ids
        matches = [ids[number] for number in self._always]
        matches += [ids[number] for number in found]
        self._events += 1
        self._fulfilled += sum(map(len, fulfilled))
        self._candidates += self._association.candidates
        self._matches += len(matches)
        return matches

    def match_batch(self, events: Iterable[Event]) -> list[list[Hashable]]:
        """For each event the ids of all subscriptions that it meets."""
        return [self.match(event) for event in events]

    def selectivities(self) -> dict[Leaf, Tally]:
        """Of each predicate how many events fulfilled it, of how many since it was first held."""
        return self._predicates.selectivities()

    @property
    def work(self) -> CountingWork:
        """What all matches so far took."""
        increments, trees, tests = self._association.counted
        return CountingWork(
            self._events, self._fulfilled, increments, self._candidates, trees, tests, self._matches
        )

    def memory(self) -> dict[str, int]:
        """Bytes by structure; the trees that `matcher[id]` gives back are not counted."""
        identifiers = getsizeof(self._ids) + getsizeof(self._numbers) + getsizeof(self._free)
        return {
            **self._predicates.memory(),
            **self._association.memory(),
            "identifiers": identifiers + getsizeof(self._always),
        }

    def __getitem__(self, subscription: Hashable) -> Tree:
        tree = self._trees[self._number(subscription)]
        if tree is None:
            raise UnknownId(f"there is no subscription {subscription!r}", expected="an id that was added")
        return tree

    def __contains__(self, subscription: object) -> bool:
        return subscription in self._numbers

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def _number(self, subscription: Hashable) -> int:
        try:
            return self._numbers[subscription]
        except KeyError:
            raise UnknownId(
                f"there is no subscription {subscription!r}", expected="an id that was added"
            ) from None


def _share(tree: Tree, predicates: Iterator[int], index: PredicateIndex) -> Tree:
    """The same tree with the leaves that are held already, each once for all subscriptions."""
    if isinstance(tree, (And, Or)):
        return type(tree)(tuple([_share(child, predicates, index) for child in tree.children]))
    return index.leaf(next(predicates))
