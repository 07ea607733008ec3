"""The counting matcher agrees with the one that evaluates every tree, whatever was added and removed before."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from siftmesh.logic.evaluate import holds
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import Leaf, Tree, leaves
from siftmesh.matching.counting import CountingMatcher
from siftmesh.matching.flatten import flatten
from siftmesh.matching.scan import ScanMatcher
from siftmesh.model.event import Event
from tests.effort import examples
from tests.reference.strategies import events, events_meeting, trees

IDS = range(12)


class Subscriptions(RuleBasedStateMachine):
    """Adds, removes and matches in any order."""

    @initialize()
    def empty(self) -> None:
        self.counting, self.scan = CountingMatcher(), ScanMatcher()
        self.fulfilled: Counter[Leaf] = Counter()
        self.seen: Counter[Leaf] = Counter()

    @rule(id=st.sampled_from(IDS), tree=trees(), normal=st.booleans())
    def add(self, id: int, tree: Tree, normal: bool) -> None:
        if id in self.scan:
            self.remove(id)
        tree = normalise(tree) if normal else tree
        self.counting.add(id, tree)
        self.scan.add(id, tree)
        for leaf in leaves(tree):
            self.seen.setdefault(leaf, 0)

    @precondition(lambda self: len(self.scan))
    @rule(choice=st.sampled_from(IDS))
    def remove_one(self, choice: int) -> None:
        self.remove(list(self.scan)[choice % len(self.scan)])

    @rule(event=events())
    def match(self, event: Event) -> None:
        found = self.counting.match(event)
        assert sorted(found) == sorted(self.scan.match(event))  # type: ignore[type-var]  # the ids are ints
        for leaf in self.seen:
            self.seen[leaf] += 1
            self.fulfilled[leaf] += holds(leaf, event)

    @precondition(lambda self: len(self.scan))
    @rule(choice=st.sampled_from(IDS), data=st.data())
    def match_what_is_likely_true(self, choice: int, data: st.DataObject) -> None:
        tree = self.scan[list(self.scan)[choice % len(self.scan)]]
        self.match(data.draw(events_meeting(tree)))

    @rule()
    def selectivities(self) -> None:
        tallies = self.counting.selectivities()
        assert {leaf: tally.events for leaf, tally in tallies.items()} == dict(self.seen)
        assert {leaf: tally.fulfilled for leaf, tally in tallies.items()} == {
            leaf: self.fulfilled[leaf] for leaf in self.seen
        }

    @invariant()
    def the_same_trees_are_held(self) -> None:
        assert {id: self.counting[id] for id in self.counting} == {id: self.scan[id] for id in self.scan}
        assert len(self.counting) == len(self.scan)

    def remove(self, id: int) -> None:
        self.counting.remove(id)
        self.scan.remove(id)
        held = {leaf for other in self.scan for leaf in leaves(self.scan[other])}
        for leaf in set(self.seen) - held:
            del self.seen[leaf]
            del self.fulfilled[leaf]


Subscriptions.TestCase.settings = examples(40)
TestSubscriptions = Subscriptions.TestCase


@given(st.lists(trees(), max_size=8), st.lists(events(), min_size=1, max_size=4), st.data())
def test_a_fresh_matcher_agrees_with_the_scan(
    given_trees: list[Tree], given_events: list[Event], data: st.DataObject
) -> None:
    counting, scan = CountingMatcher(), ScanMatcher()
    for number, tree in enumerate(given_trees):
        counting.add(number, tree)
        scan.add(number, tree)
    likely = [data.draw(events_meeting(tree)) for tree in given_trees]
    for event in [*given_events, *likely]:
        assert sorted(counting.match(event)) == scan.match(event)  # type: ignore[type-var]  # ids are ints


@given(trees(), st.data())
def test_the_minimum_count_is_necessary(tree: Tree, data: st.DataObject) -> None:
    event = data.draw(events_meeting(tree))
    if holds(tree, event):
        found, _, minimum = flatten(tree)
        assert sum(holds(leaf, event) for leaf in found) >= minimum
