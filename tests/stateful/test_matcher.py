"""A matcher's whole life against a dict of trees: whatever happens in whatever order, they agree.

Subscriptions come, are replaced, end and go; the matcher is compacted, saved and loaded; matches found early
are read late.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from siftmesh import Matcher, Matches
from siftmesh.errors import DuplicateId, UnknownId
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import Tree
from siftmesh.matching.api import INDEXES
from siftmesh.model.event import Event
from tests.effort import examples
from tests.reference.strategies import events, events_meeting, trees
from tests.reference.tree_oracle import is_true

IDS: tuple[Any, ...] = (*range(8), "a", "b", "ü", None, (1, "x"), 2.5)
LINKS = (None, None, "north", "south", 3)
TEMPLATES = ("a = :p", "a < :p AND b = :q", "a >= :p OR c = :q", "b = :q AND NOT a = :p")
CONSTANTS = st.sampled_from([0, 1, 2, 0.5, 2**53 + 1, "a", "ab", "b", True, None])


class Known(NamedTuple):
    tree: Tree
    link: Any
    end: float


class Life(RuleBasedStateMachine):
    """What may happen to a matcher."""

    index = ""

    @initialize()
    def begin(self) -> None:
        self.now = 1_000.0
        self.serial = 0
        self.matcher = Matcher(index=self.index, clock=self.clock)
        self.known: dict[Any, Known] = {}
        self.early: list[tuple[Matches, list[set[Any]]]] = []

    def clock(self) -> float:
        return self.now

    # ---- changes

    @rule(
        id=st.sampled_from(IDS),
        tree=trees(),
        link=st.sampled_from(LINKS),
        ttl=st.none() | st.sampled_from([1, 5]),
    )
    def add(self, id: Any, tree: Tree, link: Any, ttl: float | None) -> None:
        if id in self.known:
            with pytest.raises(DuplicateId):
                self.matcher.add(id, tree)
            return
        self.matcher.add(id, tree, link=link, ttl=ttl)
        self.know(id, tree, link, ttl)

    @rule(id=st.sampled_from(IDS), tree=trees(), link=st.sampled_from(LINKS), ttl=st.none() | st.just(3))
    def replace(self, id: Any, tree: Tree, link: Any, ttl: float | None) -> None:
        if id not in self.known:
            with pytest.raises(UnknownId):
                self.matcher.replace(id, tree)
            return
        self.matcher.replace(id, tree, link=link, ttl=ttl)
        self.know(id, tree, link, ttl)

    @rule(
        template=st.sampled_from(TEMPLATES),
        rows=st.lists(st.tuples(st.sampled_from(IDS), CONSTANTS, CONSTANTS), max_size=5),
        link=st.sampled_from(LINKS),
        ttl=st.none() | st.just(2),
        copies=st.sampled_from([1, 1, 1, 300]),
    )
    def add_many(self, template: str, rows: list[Any], link: Any, ttl: float | None, copies: int) -> None:
        # With ids of their own, as many more as are treated in another way than a few.
        self.serial += copies
        more = [((self.serial, n), p, q) for n in range(copies - 1) for _, p, q in rows[:1]]
        table = [{"who": id, "p": p, "q": q} for id, p, q in rows + more]
        ids = [row["who"] for row in table]
        if len(set(ids)) < len(ids) or any(id in self.known for id in ids):
            with pytest.raises(DuplicateId):
                self.matcher.add_many(template, table, id="who", link=link, ttl=ttl)
            return
        assert self.matcher.add_many(template, table, id="who", link=link, ttl=ttl) == len(ids)
        made = self.matcher.template(template)
        for row in table:
            self.know(row["who"], made.bind({name: row[name] for name in made.parameters}), link, ttl)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(list(self.known)))
        self.matcher.remove(id)
        del self.known[id]

    @precondition(lambda self: len(self.known) > 20)
    @rule()
    def remove_most(self) -> None:
        for id in list(self.known)[::-1][:-5]:
            self.matcher.remove(id)
            del self.known[id]

    @rule(id=st.sampled_from(IDS))
    def remove_what_may_not_be_there(self, id: Any) -> None:
        if id not in self.known:
            with pytest.raises(UnknownId):
                self.matcher.remove(id)

    @rule(seconds=st.sampled_from([0.5, 1, 4]))
    def wait(self, seconds: float) -> None:
        self.now += seconds
        self.known = {id: known for id, known in self.known.items() if known.end > self.now}

    @rule()
    def compact(self) -> None:
        self.matcher.compact()

    @rule()
    def save_and_load(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "matcher"
            self.matcher.save(path)
            self.matcher = Matcher.load(path, clock=self.clock)

    # ---- questions

    @rule(event=events())
    def match(self, event: Event) -> None:
        self.ask(event)

    @precondition(lambda self: self.known)
    @rule(data=st.data())
    def match_what_is_likely_true(self, data: st.DataObject) -> None:
        id = data.draw(st.sampled_from(list(self.known)))
        event = data.draw(events_meeting(self.known[id].tree))
        self.ask(event)
        explanation = self.matcher.explain(id, event)
        assert explanation.matches is is_true(self.known[id].tree, event)
        assert explanation.reached or not explanation.matches

    @rule(batch=st.lists(events(), max_size=4))
    def match_batch(self, batch: list[Event]) -> None:
        matches = self.matcher.match_batch(batch)
        expected = [self.met(event) for event in batch]
        assert [set(ids) for ids in matches] == expected
        assert [len(ids) for ids in matches] == [len(ids) for ids in expected]
        self.early = [*self.early[-2:], (matches, expected)]

    @rule()
    def read_matches_that_were_found_early(self) -> None:
        for matches, expected in self.early:
            assert [set(ids) for ids in matches] == expected

    @invariant()
    def what_is_there_is_known(self) -> None:
        if hasattr(self, "known"):
            assert len(self.matcher) == len(self.known)
            assert set(self.matcher) == set(self.known)
            assert all((id in self.matcher) == (id in self.known) for id in IDS)

    @rule()
    def trees_come_back(self) -> None:
        for id, known in self.known.items():
            assert self.matcher[id] == known.tree

    def ask(self, event: Event) -> None:
        found = self.matcher.match(event)
        assert len(set(found)) == len(found)
        assert set(found) == self.met(event)
        links = {self.known[id].link for id in found} - {None}
        assert set(self.matcher.matches_link(event)) == links

    def met(self, event: Event) -> set[Any]:
        return {id for id, known in self.known.items() if is_true(known.tree, event)}

    def know(self, id: Any, tree: Tree, link: Any, ttl: float | None) -> None:
        self.known[id] = Known(normalise(tree), link, self.now + ttl if ttl else float("inf"))


@pytest.mark.parametrize("index", list(INDEXES))
def test_a_matchers_life(index: str) -> None:
    machine = type("Life", (Life,), {"index": index})
    run_state_machine_as_test(machine, settings=examples(25))
