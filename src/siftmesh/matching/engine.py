"""What an index does, whichever it is; and how one that knows no better takes rows and batches.

An engine knows subscriptions by number: dense, small, used again after they were deleted. Which ids they
stand for is the business of `matching.api`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from siftmesh.errors import EventError, SubscriptionError
from siftmesh.logic.render import render
from siftmesh.logic.template import Template
from siftmesh.logic.tree import Tree, leaves
from siftmesh.matching.work import WorkCounters
from siftmesh.model.event import Event
from siftmesh.model.rows import column_values, rows

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Longs = NDArray[np.int64]
    Words = NDArray[np.int32]

__all__ = [
    "Engine",
    "bound",
    "bound_rows",
    "find_one_by_one",
    "insert_one_by_one",
    "largest",
    "most_held",
]


class Engine(Protocol):
    """An index of subscriptions by number.

    One that is `parallel` may be asked by several threads at once (`find`, `find_batch`, `find_links`,
    `tree`, `access`, `reached` and what only reports); whoever changes it must be alone.
    """

    parallel: bool

    def insert(self, number: int, tree: Tree) -> None:
        """Take a tree in under a number that is not in use; a refused one changes nothing."""

    def insert_rows(self, numbers: Sequence[int], template: Template, columns: Mapping[str, Any]) -> None:
        """Take in a template bound to rows of Arrow columns, one for each parameter; all or nothing.

        A row that is refused is a SubscriptionError whose sentence begins with "row N: ".
        """

    def delete(self, number: int) -> None:
        """Forget a subscription."""

    def find(self, event: Mapping[str, Any] | Event) -> list[int]:
        """The numbers of all subscriptions that an event meets, each once, in any order."""

    def find_batch(self, events: Any) -> tuple[Longs, Words]:
        """The same of many events: an Arrow table or batch, or a sequence of mappings and Events.

        The numbers found for event i stand from bounds[i] to bounds[i + 1]. What is no event is an EventError
        with its row.
        """

    def tree(self, number: int) -> Tree:
        """The tree of a subscription, in normal form."""

    def access(self, number: int) -> str:
        """What a subscription waits for, in words."""

    def reached(self, number: int, event: Event) -> bool:
        """Whether the index looks at a subscription for an event."""

    def compact(self) -> None:
        """Pay at once what was put off."""

    @property
    def work(self) -> WorkCounters:
        """All work since the engine was made."""

    def memory(self) -> dict[str, int]:
        """Bytes by structure."""

    def hottest(self, count: int) -> list[tuple[str, int]]:
        """The predicates that most subscriptions hold, and how many do."""

    def dearest(self, count: int) -> list[tuple[int, int]]:
        """The subscriptions that cost most, and how much: leaves that were or would be evaluated."""


def bound(row: int, bind: Callable[[Any], Tree], constants: Any) -> Tree:
    """The tree of a row of constants; if they are refused, the row is named."""
    try:
        return bind(constants)
    except SubscriptionError as error:
        raise error.in_row(row) from None


def bound_rows(template: Template, columns: Mapping[str, Any], count: int) -> list[Tree]:
    """The trees of a template for so many rows of Arrow columns."""
    if not template.parameters:
        return [template.bind(())] * count
    try:
        listed = [column_values(name, columns[name]) for name in template.parameters]
    except EventError as error:
        raise SubscriptionError(f":{error.place}: {error.what}") from None
    return [bound(row, template.bind, constants) for row, constants in enumerate(zip(*listed, strict=True))]


def insert_one_by_one(engine: Engine, numbers: Sequence[int], trees: Sequence[Tree]) -> None:
    """Insert trees, all or none."""
    done = 0
    try:
        for number, tree in zip(numbers, trees, strict=True):
            engine.insert(int(number), tree)
            done += 1
    except BaseException:
        for number in numbers[:done]:
            engine.delete(int(number))
        raise


def find_one_by_one(find: Callable[[Any], list[int]], events: Any) -> tuple[Longs, Words]:
    """Ask about each event of a batch by itself."""
    import numpy as np

    found: list[list[int]] = []
    for row, event in enumerate(rows(events)):
        try:
            found.append(find(event))
        except EventError as error:
            raise error.in_row(row) from None
    bounds = np.zeros(len(found) + 1, np.int64)
    np.cumsum([len(numbers) for numbers in found], out=bounds[1:])
    return bounds, np.array([number for numbers in found for number in numbers], np.int32)


def most_held(trees: Iterable[Tree], count: int) -> list[tuple[str, int]]:
    """The leaves that most trees hold, as text, and how many do."""
    held = Counter(leaf for tree in trees for leaf in set(leaves(tree)))
    return [(render(leaf), times) for leaf, times in held.most_common(count)]


def largest(trees: Mapping[int, Tree], count: int) -> list[tuple[int, int]]:
    """The trees with most leaves, by number, and how many they have."""
    sizes = Counter({number: sum(1 for _ in leaves(tree)) for number, tree in trees.items()})
    return sizes.most_common(count)
