"""The matcher without an index: it evaluates every tree. All other matchers must agree with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator

from siftmesh.errors import DuplicateId, SubscriptionError, UnknownId
from siftmesh.logic.evaluate import holds
from siftmesh.logic.intern import Interner
from siftmesh.logic.tree import Tree, attributes
from siftmesh.model.event import Event

__all__ = ["ScanMatcher"]


class ScanMatcher:
    """Holds subscriptions as trees and asks each of them about every event."""

    def __init__(self) -> None:
        self._trees: dict[Hashable, Tree] = {}
        self._interner = Interner()
        # How many subscriptions read each attribute.
        self._used: Counter[str] = Counter()

    def add(self, subscription: Hashable, tree: Tree) -> None:
        """Register a tree under an id that is not taken."""
        try:
            taken = subscription in self._trees
        except TypeError as error:
            raise SubscriptionError(f"this is no id: {error}", expected="a hashable value") from None
        if taken:
            raise DuplicateId(f"there is already a subscription {subscription!r}", expected="another id")
        self._trees[subscription] = self._interner.share(tree)
        self._used.update(attributes(tree))

    def remove(self, subscription: Hashable) -> None:
        """Forget a subscription."""
        tree = self[subscription]
        del self._trees[subscription]
        self._used.subtract(attributes(tree))
        for attribute in attributes(tree):
            if self._used[attribute] == 0:
                del self._used[attribute]

    def match(self, event: Event) -> list[Hashable]:
        """The ids of all subscriptions that the event meets, in the order they were added."""
        if event.closed:
            event.refuse_paths_into_arrays(self._used)
        return [subscription for subscription, tree in self._trees.items() if holds(tree, event)]

    def __getitem__(self, subscription: Hashable) -> Tree:
        try:
            return self._trees[subscription]
        except KeyError:
            raise UnknownId(
                f"there is no subscription {subscription!r}", expected="an id that was added"
            ) from None

    def __contains__(self, subscription: object) -> bool:
        return subscription in self._trees

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._trees)

    def __len__(self) -> int:
        return len(self._trees)
