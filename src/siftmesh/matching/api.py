"""Matchers of trees, with ids: what the layers above use of this package.

A `TreeMatcher` is an engine, which knows subscriptions by number, and the ids that the numbers stand for. It
takes Trees, not text, and is not made for several threads: `siftmesh.Matcher` adds both.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from siftmesh.errors import ConfigError, nearest_name
from siftmesh.logic.template import Template
from siftmesh.logic.tree import Tree
from siftmesh.matching.engine import Engine, insert_one_by_one
from siftmesh.matching.explain import Explanation, explain
from siftmesh.matching.ids import SimpleIds
from siftmesh.matching.links import Links, check_link
from siftmesh.matching.listed import part_of, trees_from, trees_to
from siftmesh.matching.matches import Matches, joined
from siftmesh.matching.numbers import Pin
from siftmesh.matching.scan import ScanEngine
from siftmesh.matching.work import WorkCounters
from siftmesh.model.event import Event

if TYPE_CHECKING:
    from array import array

    from numpy.typing import NDArray

    from siftmesh.logic.profile import Profile
    from siftmesh.matching.compact_ids import CompactIds
    from siftmesh.matching.engine import Longs, Words
    from siftmesh.matching.observe import Verdicts, evaluate_predicates, observe

__all__ = [
    "DEFAULT_INDEX",
    "INDEXES",
    "Explanation",
    "Matches",
    "TreeMatcher",
    "Verdicts",
    "WorkCounters",
    "evaluate_predicates",
    "make_matcher",
    "observe",
]

# From so many ids on they are kept compactly, which takes kernels; fewer are small anyhow.
_MANY = 4_096


class Index(NamedTuple):
    """How to make an engine, whether it is parallel, and how it comes from arrays unless filled anew."""

    make: Callable[[], Engine]
    parallel: bool
    restore: Callable[[Mapping[str, Any]], Engine] | None = None


# The compiler that counting and adaptive engines need takes longer to import than all the rest.
def _counting() -> Engine:
    from siftmesh.matching.counting import CountingEngine

    return CountingEngine()


def _adaptive() -> Engine:
    from siftmesh.matching.adaptive import AdaptiveEngine

    return AdaptiveEngine()


def _restored(arrays: Mapping[str, Any]) -> Engine:
    from siftmesh.matching.adaptive import AdaptiveEngine

    return AdaptiveEngine.from_arrays(arrays)


INDEXES = {
    "adaptive": Index(_adaptive, parallel=True, restore=_restored),
    "counting": Index(_counting, parallel=False),
    "scan": Index(ScanEngine, parallel=True),
}
DEFAULT_INDEX = "adaptive"


def make_matcher(index: Any = DEFAULT_INDEX, profile: Profile | None = None) -> TreeMatcher:
    """An empty matcher with the index of a name."""
    if not isinstance(index, str) or index not in INDEXES:
        near = nearest_name(index, INDEXES) if isinstance(index, str) else None
        raise ConfigError(f"there is no index {index!r}; expected {near or ' or '.join(INDEXES)}")
    return TreeMatcher(index, profile)


class TreeMatcher:
    """Finds all subscriptions that an event meets; subscriptions are trees in normal form, under ids."""

    def __init__(self, index: str = DEFAULT_INDEX, profile: Profile | None = None) -> None:
        self.index = index
        self._profile = profile
        # Until there is a first subscription, the engine that needs nothing stands in.
        self._engine: Engine = ScanEngine()
        self._waits = index != "scan"
        self._ids: SimpleIds | CompactIds = SimpleIds()
        self._links: Links | None = None
        self._earlier = WorkCounters()

    # ---- changing

    def add(self, subscription: Hashable, tree: Tree, link: Hashable = None) -> int:
        """Register a tree under an id that is not taken; its number."""
        check_link(link)
        engine = self.engine
        number = self._ids.take(subscription)
        try:
            engine.insert(number, tree)
        except BaseException:
            self._ids.give_back(subscription)
            raise
        if link is not None:
            self._join((number,), link)
        if len(self._ids) == _MANY:
            self._be_compact()
        return number

    def add_rows(
        self, subscriptions: Any, template: Template, columns: Mapping[str, Any], link: Hashable = None
    ) -> array[int]:
        """Register a template for rows of Arrow columns (one for each parameter), all or none; their numbers.

        The ids are an Arrow array or a sequence.
        """
        return self._add_many(
            subscriptions, lambda numbers: self.engine.insert_rows(numbers, template, columns), link
        )

    def add_trees(
        self, subscriptions: Sequence[Hashable], trees: Sequence[Tree], link: Hashable = None
    ) -> array[int]:
        """Register trees, all or none; their numbers."""
        return self._add_many(
            subscriptions, lambda numbers: insert_one_by_one(self.engine, numbers, trees), link
        )

    def replace(self, subscription: Hashable, tree: Tree, link: Hashable = None) -> int:
        """Let an id stand for another tree, and be on another link or none; if it fails, all is as before."""
        check_link(link)
        number = self._ids[subscription]
        engine = self.engine
        old = engine.tree(number)
        engine.delete(number)
        try:
            engine.insert(number, tree)
        except BaseException:
            engine.insert(number, old)
            raise
        self._leave(number)
        if link is not None:
            self._join((number,), link)
        return number

    def remove(self, subscription: Hashable) -> int:
        """Forget a subscription; the number that it had."""
        number = self._ids.give_back(subscription)
        self._engine.delete(number)
        if self._links is not None:
            self._links.leave(number)
        return number

    def compact(self) -> None:
        """Pay at once what the index put off."""
        self._engine.compact()
        self._ids.compact()

    def tend(self, steps: int) -> bool:
        """Do so many small steps of what the index put off; whether more is left."""
        tend = getattr(self._engine, "tend", None)
        return tend is not None and bool(tend(steps))

    def owes(self) -> bool:
        """Whether `tend` would do something; it may be asked while others ask."""
        owes = getattr(self._engine, "owes", None)
        return owes is not None and bool(owes())

    def settle(self, steps: int) -> bool:
        """Do so many small steps of what has to be done before `to_arrays`; whether all is done."""
        settle = getattr(self._engine, "settle", None)
        return settle is None or bool(settle(steps))

    # ---- asking

    def match(self, event: Mapping[str, Any] | Event) -> list[Hashable]:
        """The ids of all subscriptions that an event meets, in any order."""
        ints = self._ids.ints()
        find_ids = None if ints is None else getattr(self._engine, "find_ids", None)
        return self._ids.of(self._engine.find(event)) if find_ids is None else find_ids(event, ints)

    def find(self, event: Mapping[str, Any] | Event) -> list[int]:
        """The numbers of all subscriptions that an event meets, in any order."""
        return self._engine.find(event)

    def match_batch(self, events: Any) -> Matches:
        """The matches of an Arrow table or batch, or of a sequence of mappings and Events."""
        pin, before = self.pin(), self.work
        return self.matches([self.find_batch(events)], pin, before)

    def find_batch(self, events: Any) -> tuple[Longs, Words]:
        """The numbers found for each event, as bounds and numbers."""
        return self._engine.find_batch(events)

    def pin(self) -> Pin:
        """Keep the numbers found from now on from being used again."""
        return self._ids.numbers.pin()

    def matches(self, parts: Sequence[tuple[Longs, Words]], pin: Pin, before: WorkCounters) -> Matches:
        """The matches of batches one after the other, found since there was a pin and so much work."""
        bounds, numbers = joined(parts)
        return Matches(bounds, numbers, self._ids, pin, self.work - before)

    def matches_link(self, event: Mapping[str, Any] | Event) -> list[Hashable]:
        """The links on which at least one subscription meets an event, each once, in any order."""
        links = self._links
        if links is None or not len(links):
            self._engine.find(event)  # for its errors
            return []
        link_of = links.array(self._ids.numbers.room)
        find_links = getattr(self._engine, "find_links", None)
        if find_links is not None:
            return links.named(find_links(event, link_of, links.room))
        found = {int(link_of[number]) for number in self._engine.find(event)}
        return links.named(found - {-1})

    def of(self, numbers: Sequence[int]) -> list[Hashable]:
        """The ids of numbers."""
        return self._ids.of(numbers)

    def number(self, subscription: object) -> int:
        """The number of an id, or -1."""
        return self._ids.find(subscription)

    def link(self, number: int) -> Hashable | None:
        """The link that the subscription with a number is on, or None."""
        return None if self._links is None else self._links.of(number)

    def explain(self, subscription: Hashable, event: Event) -> Explanation:
        """Why a subscription does or does not match an event, and whether the index looked at it."""
        number = self._ids[subscription]
        engine = self._engine
        return explain(
            subscription,
            engine.tree(number),
            event,
            access=engine.access(number),
            reached=engine.reached(number, event),
        )

    def stats(self, count: int = 10) -> dict[str, Any]:
        """How many subscriptions there are, what they take, and what was done so far."""
        engine = self._engine
        return {
            "index": self.index,
            "subscriptions": len(self),
            "links": 0 if self._links is None else len(self._links),
            "memory": engine.memory(),
            "ids": self._ids.memory(),
            "hottest": engine.hottest(count),
            "dearest": [(self._ids.of([number])[0], cost) for number, cost in engine.dearest(count)],
            "work": {name: getattr(self.work, name) for name in WorkCounters.__struct_fields__},
        }

    @property
    def work(self) -> WorkCounters:
        """All work so far."""
        return self._earlier + self._engine.work if self._earlier.events else self._engine.work

    @property
    def parallel(self) -> bool:
        """Whether several threads may ask at once; whoever changes something must be alone in any case."""
        return INDEXES[self.index].parallel

    @property
    def engine(self) -> Engine:
        """The engine, made now if it was not needed before."""
        if self._waits:
            engine = INDEXES[self.index].make()
            use = getattr(engine, "use", None)
            if use is not None:
                use(self._profile)
            self._earlier = self._engine.work
            self._engine = engine
            self._waits = False
        return self._engine

    def get(self, subscription: Hashable, default: Any = None) -> Any:
        """The tree of a subscription, or the default."""
        number = self._ids.find(subscription)
        return default if number < 0 else self._engine.tree(number)

    def __getitem__(self, subscription: Hashable) -> Tree:
        return self._engine.tree(self._ids[subscription])

    def __contains__(self, subscription: object) -> bool:
        return self._ids.find(subscription) >= 0

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    # ---- files

    def to_arrays(self) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """All that is known, as arrays and as what JSON can hold; what is settled does not change by it."""
        from siftmesh.matching.compact_ids import CompactIds

        engine: Any = self.engine
        ids = self._ids if isinstance(self._ids, CompactIds) else CompactIds.like(self._ids)
        if INDEXES[self.index].restore is None:
            held = trees_to((ids.find(one), self[one]) for one in ids)
        else:
            held = engine.arrays()
        parts: dict[str, Mapping[str, NDArray[Any]]] = {"engine": held, "ids": ids.arrays()}
        if self._links is not None:
            parts["links"] = self._links.arrays()
        # Copies: the index goes on changing while they are written.
        arrays = {
            f"{part}.{name}": found.copy() for part, named in parts.items() for name, found in named.items()
        }
        return arrays, {"index": self.index}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], known: Mapping[str, Any]) -> TreeMatcher:
        """The matcher that these are of; it changes the arrays."""
        from siftmesh.matching.compact_ids import CompactIds

        made = cls(known["index"])
        restore, held = INDEXES[known["index"]].restore, part_of(arrays, "engine")
        if restore is None:
            for number, tree in trees_from(held):
                made.engine.insert(number, tree)
        else:
            made._engine = restore(held)
            made._waits = False
        made._ids = CompactIds.from_arrays(part_of(arrays, "ids"))
        links = part_of(arrays, "links")
        made._links = Links.from_arrays(links) if links else None
        return made

    # ---- below

    def _add_many(
        self, subscriptions: Any, insert: Callable[[array[int]], None], link: Hashable
    ) -> array[int]:
        check_link(link)
        if len(self._ids) + len(subscriptions) >= _MANY:
            self._be_compact()
        numbers = self._ids.take_many(subscriptions)
        try:
            insert(numbers)
        except BaseException:
            self._ids.give_back_many(numbers)
            raise
        if link is not None:
            self._join(numbers, link)
        return numbers

    def _be_compact(self) -> None:
        """Keep ids compactly from now on; what scans needs no kernels, and has few."""
        if self.index != "scan" and isinstance(self._ids, SimpleIds):
            from siftmesh.matching.compact_ids import CompactIds

            self._ids = CompactIds.like(self._ids)

    def _join(self, numbers: Sequence[int], link: Hashable) -> None:
        if self._links is None:
            self._links = Links()
        self._links.join(numbers, link)

    def _leave(self, number: int) -> None:
        if self._links is not None:
            self._links.leave(number)


def __getattr__(name: str) -> Any:
    # What is about columns of events loads numpy, which an empty matcher has no need of.
    if name in ("Verdicts", "evaluate_predicates", "observe"):
        from siftmesh.matching import observe

        return getattr(observe, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
