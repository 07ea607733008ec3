"""The matcher as users meet it: filters as text or trees, events in any form, many threads."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from os import PathLike
from threading import get_ident
from typing import TYPE_CHECKING, Any

from msgspec.structs import asdict

from siftmesh.checks import check_count, check_settings, check_template, end_after, made_of_file
from siftmesh.errors import ConfigError, EventError
from siftmesh.filters import FilterReader
from siftmesh.gate import Gate, NarrowGate
from siftmesh.inputs import AnyEvent, readable, readable_many
from siftmesh.language.check import check_attributes
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.logic.normalise import normalise
from siftmesh.logic.template import Template
from siftmesh.logic.tree import Tree, attributes
from siftmesh.matching.api import DEFAULT_INDEX, Matches, TreeMatcher, WorkCounters, make_matcher
from siftmesh.matching.expiry import Expiry
from siftmesh.matching.explain import Explanation
from siftmesh.matching.ids import no_such_id
from siftmesh.model.event import Event
from siftmesh.model.schema import Schema
from siftmesh.tables import as_arrow, bound_trees, columns_of, first_row, mappings_of, rows, slices

if TYPE_CHECKING:
    from siftmesh.logic.profile import Profile

__all__ = ["Matcher"]

# How many subscriptions that have ended one call removes while others wait for it.
_PURGED = 64
# After so many matches so many steps are done of what the index put off, such as a better plan.
_TENDED, _STEPS = 256, 32
# A batch is matched in slices, between which whoever adds or removes has its turn; each should take about as
# many seconds as this.
_MOST_ROWS, _LEAST_ROWS = 4_096, 32
_SLICE = 0.005


class Matcher:
    """Finds all subscriptions that an event meets.

    Without a schema nothing is refused for its type: a comparison of different types is unknown, which is no
    match. With one (names to types, as in `{"price": "float", "tags": "array<string>"}`) a filter that names
    an unknown attribute or compares what never compares is refused when it is added.

    `index` is how subscriptions are looked up: "adaptive", "counting" (the papers' way) or "scan" (none);
    a `profile` of events helps the first of them to plan before it has seen any itself.
    Several threads may use a matcher at once. `clock` says the time in seconds to what has a `ttl`.
    """

    def __init__(
        self,
        schema: Schema | Mapping[str, str] | None = None,
        limits: Limits = DEFAULT,
        index: str = DEFAULT_INDEX,
        clock: Callable[[], float] = time.time,
        profile: Profile | None = None,
    ) -> None:
        check_settings(limits, clock, profile)
        self._schema = schema if schema is None or isinstance(schema, Schema) else Schema.of(schema)
        self._reader = FilterReader(self._schema, limits)
        self._matcher: TreeMatcher = make_matcher(index, profile)
        self._gate = Gate() if self._matcher.parallel else NarrowGate()
        self._inside = self._gate.inside
        self._clock = clock
        self._expiry: Expiry | None = None  # until something has an end
        self._rows = _MOST_ROWS
        self._untended = 0

    # ---- changing

    def add(
        self,
        subscription: Hashable,
        condition: str | Tree | Any,
        *,
        dialect: str = "sql",
        ttl: float | None = None,
        link: Hashable = None,
    ) -> None:
        """Register a filter under an id: text (or JSON objects where the dialect is JSON), or a Tree.

        After `ttl` seconds it is no longer there. `link` is a group for `matches_link`.
        """
        tree = self._tree(condition, dialect)
        end = end_after(ttl, self._clock)
        with self._gate:
            if self._expiry is not None:
                self._expire(subscription)
            number = self._matcher.add(subscription, tree, link)
            if end is not None:
                self._set_end((number,), end)

    def template(self, source: str) -> Template:
        """A filter with :parameters; `bind` a row of constants to get a Tree for `add`."""
        return self._reader.template(source)

    def add_many(
        self,
        template: str | Template,
        table: Any,
        *,
        id: str = "id",
        ttl: float | None = None,
        link: Hashable = None,
    ) -> int:
        """Register one template for rows of parameters, all or none; `id` names the column of the ids.

        Rows are mappings, an Arrow table or batch, or a pandas frame; other columns are ignored.
        """
        check_template(template)
        made = self.template(template) if isinstance(template, str) else template
        end = end_after(ttl, self._clock)
        hold = self._reader.holding(made)
        columns = columns_of(table, made.parameters, id)
        if columns is not None:
            if hold is not None:
                hold(first_row(columns[1]))
            self._purge_all()
            with self._gate:
                self._purge(len(self._matcher))
                numbers = self._matcher.add_rows(columns[0], made, columns[1], link)
                self._set_end(numbers, end)
            return len(numbers)
        ids, trees = bound_trees(made, mappings_of(table), id, hold)
        self._purge_all()
        with self._gate:
            self._purge(len(self._matcher))
            self._set_end(self._matcher.add_trees(ids, trees, link), end)
        return len(ids)

    def replace(
        self,
        subscription: Hashable,
        condition: str | Tree | Any,
        *,
        dialect: str = "sql",
        ttl: float | None = None,
        link: Hashable = None,
    ) -> None:
        """Let an id that is there stand for another filter; every match sees the old or the new one.

        What was said of its `ttl` and `link` is forgotten; say it again where it shall hold on.
        """
        tree = self._tree(condition, dialect)
        end = end_after(ttl, self._clock)
        with self._gate:
            self._expire(subscription)
            number = self._matcher.replace(subscription, tree, link)
            if self._expiry is not None:
                self._expiry.forget(number)
            self._set_end((number,), end)

    def remove(self, subscription: Hashable) -> None:
        """Forget a subscription."""
        with self._gate:
            if self._expiry is None:
                self._matcher.remove(subscription)
            else:
                self._expire(subscription)
                self._expiry.forget(self._matcher.remove(subscription))

    def compact(self) -> None:
        """Pay at once what the index put off, such as the merging of what was added lately."""
        self._purge_all()
        with self._gate:
            self._matcher.compact()

    # ---- asking

    def match(self, event: AnyEvent) -> list[Hashable]:
        """The ids of all subscriptions that the event meets, in any order.

        An event is a mapping, an Event, the bytes or text of a JSON object, or a CloudEvent.
        """
        if type(event) is not dict and type(event) is not Event:
            event = readable(event)
        # Who counts at the same time as another may count one too few, which does not matter.
        self._untended += 1
        if self._untended >= _TENDED:
            self._tend(_STEPS)
        if self._expiry is not None:
            return self._match_living(event, self._expiry)
        # What follows is the gate's reader, spelt out; gate.py says why it is in this order.
        me = get_ident()
        try:
            self._inside.append(me)
            if self._gate.closed:
                self._gate.wait(me)
            return self._matcher.match(event)
        finally:
            self._inside.remove(me)
            if self._gate.closed:
                self._gate.left()

    def match_batch(self, events: Any) -> Matches:
        """The matches of many events: an Arrow table, a pandas frame, or a list of what `match` takes.

        A subscription that another thread adds or removes meanwhile may be found in later rows only.
        """
        table = as_arrow(events)
        if table is None:
            table = readable_many(rows(events))
        matcher = self._matcher
        with self._gate.reading:
            pin, before = matcher.pin(), matcher.work
        parts = []
        for first, part in slices(table, lambda: self._rows):
            self._purge_all()
            began = time.perf_counter()
            try:
                with self._gate.reading:
                    parts.append(matcher.find_batch(part))
            except EventError as error:
                raise error.in_row(first + (error.row or 0)) from None
            self._learn(time.perf_counter() - began)
            self._untended += len(parts[-1][0]) - 1
            if self._untended >= _TENDED:
                self._tend(_STEPS * self._untended // _TENDED)
        with self._gate.reading:
            return matcher.matches(parts, pin, before)

    def matches_link(self, event: AnyEvent) -> list[Hashable]:
        """The links on which at least one subscription meets the event, each once, in any order."""
        read = readable(event)
        self._purge_all()
        with self._gate.reading:
            return self._matcher.matches_link(read)

    def explain(self, subscription: Hashable, event: AnyEvent) -> Explanation:
        """Why a subscription does or does not match an event; print the answer, or take its `to_json()`."""
        found = readable(event)
        read = found if isinstance(found, Event) else Event.of(found)
        with self._gate.reading:
            self._refuse_ended(subscription)
            return self._matcher.explain(subscription, read)

    def why_not(self, subscription: Hashable, event: AnyEvent) -> str:
        """In a few lines, what keeps a subscription from matching an event."""
        return self.explain(subscription, event).why_not()

    def get(self, subscription: Hashable, default: Any = None) -> Any:
        """The Tree of a subscription, or the default if there is none."""
        with self._gate.reading:
            return default if self._has_ended(subscription) else self._matcher.get(subscription, default)

    def stats(self, count: int = 10) -> dict[str, Any]:
        """How many subscriptions there are, the bytes that they take by structure, and the work so far.

        With the predicates that most subscriptions hold, and the subscriptions that cost most: `count` each.
        """
        check_count(count)
        self._purge_all()
        with self._gate.reading:
            found = self._matcher.stats(count)
            if self._expiry is not None:
                found["ids"]["ends"] = self._expiry.memory()
        return found

    @property
    def work(self) -> WorkCounters:
        """What all matches so far took."""
        return self._matcher.work

    def __getitem__(self, subscription: Hashable) -> Tree:
        """The Tree of a subscription, in normal form."""
        with self._gate.reading:
            self._refuse_ended(subscription)
            return self._matcher[subscription]

    def __contains__(self, subscription: object) -> bool:
        with self._gate.reading:
            return subscription in self._matcher and not self._has_ended(subscription)

    def __iter__(self) -> Iterator[Hashable]:
        """The ids of all subscriptions, in any order, as they are now."""
        self._purge_all()
        with self._gate.reading:
            return iter(list(self._matcher))

    def __len__(self) -> int:
        self._purge_all()
        return len(self._matcher)

    # ---- files

    def save(self, path: str | PathLike[str]) -> None:
        """Write all subscriptions and their index to one file, which takes its name when it is complete."""
        from siftmesh.matching.file import save

        self._purge_all()
        while True:
            with self._gate.reading:
                if self._matcher.settle(0):
                    arrays, known = self._matcher.to_arrays()
                    if self._expiry is not None:
                        arrays |= self._expiry.arrays()
                    break
            with self._gate:
                self._matcher.settle(_STEPS)
        types = None if self._schema is None else self._schema.names()
        save(path, arrays, {"matcher": known, "schema": types, "limits": asdict(self._reader.limits)})

    @classmethod
    def load(cls, path: str | PathLike[str], clock: Callable[[], float] = time.time) -> Matcher:
        """The matcher of a file. The index is mapped, not read: processes that load one file share memory.

        What is added or removed afterwards changes this matcher and not the file.
        """
        from siftmesh.matching.file import load

        arrays, meta = load(path)
        if "matcher" not in meta:
            raise ConfigError(f"{path}: this is a file of Siftmesh, but no matcher is in it")
        with made_of_file(path):
            made = cls(meta["schema"], Limits(**meta["limits"]), meta["matcher"]["index"], clock)
            made._matcher = TreeMatcher.from_arrays(arrays, meta["matcher"])
            made._expiry = Expiry.from_arrays(arrays)
        return made

    # ---- below

    def _tree(self, condition: Any, dialect: str) -> Tree:
        if isinstance(condition, Tree):
            if self._schema is not None:
                check_attributes(attributes(condition), self._schema)
            return normalise(condition)
        return self._reader.read(condition, dialect)

    def _match_living(self, event: Any, expiry: Expiry) -> list[Hashable]:
        """`match` where some subscriptions have an end; what has ended is removed afterwards, bit by bit."""
        with self._gate.reading:
            now = self._clock()
            late = expiry.first() <= now
            numbers = self._matcher.find(event)
            found = self._matcher.of(expiry.living(numbers, now) if late else numbers)
        if late:
            with self._gate:
                self._purge(_PURGED)
        return found

    def _set_end(self, numbers: Sequence[int], end: float | None) -> None:
        if end is not None:
            if self._expiry is None:
                self._expiry = Expiry()
            self._expiry.set_many(numbers, end)

    def _has_ended(self, subscription: object) -> bool:
        if self._expiry is None:
            return False
        number = self._matcher.number(subscription)
        return number >= 0 and self._expiry.moment(number) <= self._clock()

    def _refuse_ended(self, subscription: Hashable) -> None:
        if self._has_ended(subscription):
            no_such_id(subscription)

    def _expire(self, subscription: Hashable) -> None:
        """Remove a subscription if it has ended; for who is alone."""
        if self._expiry is not None and self._has_ended(subscription):
            self._expiry.forget(self._matcher.remove(subscription))

    def _purge(self, most: int) -> int:
        """Remove what has ended, at most so many, and say how many; for who is alone."""
        if self._expiry is None:
            return 0
        ended = self._expiry.ended(self._clock(), most)
        for subscription in self._matcher.of(ended):
            self._matcher.remove(subscription)
        return len(ended)

    def _purge_all(self) -> None:
        """Remove all that has ended, letting others in now and then."""
        while self._expiry is not None:
            with self._gate.reading:
                if self._expiry.first() > self._clock():
                    return
            with self._gate:
                if self._purge(_PURGED) < _PURGED:
                    return

    def _tend(self, steps: int) -> None:
        """Do some of what the index put off."""
        self._untended = 0
        # To be alone keeps all others waiting, so there has to be a reason.
        if self._matcher.owes() and get_ident() not in self._inside:
            with self._gate:
                self._matcher.tend(steps)

    def _learn(self, seconds: float) -> None:
        """Let slices of batches be as long as they may be."""
        times = 0.5 if seconds > 2 * _SLICE else 2 if seconds < _SLICE / 2 else 1
        self._rows = min(max(int(self._rows * times), _LEAST_ROWS), _MOST_ROWS)
