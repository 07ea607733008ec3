"""The counting engine agrees with the one that evaluates every tree, and learns selectivities as it goes."""

from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from siftmesh.logic.evaluate import holds
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import Leaf, Tree, leaves
from siftmesh.matching.counting import CountingEngine
from siftmesh.matching.flatten import flatten
from siftmesh.matching.scan import ScanEngine
from siftmesh.model.event import Event
from tests.effort import examples
from tests.reference.strategies import events, events_meeting, trees

NUMBERS = range(12)


class Subscriptions(RuleBasedStateMachine):
    """Inserts, deletes and events in any order."""

    @initialize()
    def empty(self) -> None:
        self.counting, self.scan = CountingEngine(), ScanEngine()
        self.held: dict[int, Tree] = {}
        self.fulfilled: Counter[Leaf] = Counter()
        self.seen: Counter[Leaf] = Counter()

    @rule(number=st.sampled_from(NUMBERS), tree=trees(), normal=st.booleans())
    def insert(self, number: int, tree: Tree, normal: bool) -> None:
        if number in self.held:
            self.delete(number)
        tree = normalise(tree) if normal else tree
        self.counting.insert(number, tree)
        self.scan.insert(number, tree)
        self.held[number] = tree
        for leaf in leaves(tree):
            self.seen.setdefault(leaf, 0)

    @precondition(lambda self: self.held)
    @rule(choice=st.sampled_from(NUMBERS))
    def delete_one(self, choice: int) -> None:
        self.delete(list(self.held)[choice % len(self.held)])

    @rule(event=events())
    def find(self, event: Event) -> None:
        assert sorted(self.counting.find(event)) == sorted(self.scan.find(event))
        for leaf in self.seen:
            self.seen[leaf] += 1
            self.fulfilled[leaf] += holds(leaf, event)

    @precondition(lambda self: self.held)
    @rule(choice=st.sampled_from(NUMBERS), data=st.data())
    def find_what_is_likely_true(self, choice: int, data: st.DataObject) -> None:
        tree = self.held[list(self.held)[choice % len(self.held)]]
        self.find(data.draw(events_meeting(tree)))

    @rule()
    def selectivities(self) -> None:
        tallies = self.counting.selectivities()
        assert {leaf: tally.events for leaf, tally in tallies.items()} == dict(self.seen)
        assert {leaf: tally.fulfilled for leaf, tally in tallies.items()} == {
            leaf: self.fulfilled[leaf] for leaf in self.seen
        }

    @invariant()
    def the_same_trees_are_held(self) -> None:
        assert {number: self.counting.tree(number) for number in self.held} == self.held

    def delete(self, number: int) -> None:
        self.counting.delete(number)
        self.scan.delete(number)
        del self.held[number]
        held = {leaf for other in self.held.values() for leaf in leaves(other)}
        for leaf in set(self.seen) - held:
            del self.seen[leaf]
            del self.fulfilled[leaf]


Subscriptions.TestCase.settings = examples(40)
TestSubscriptions = Subscriptions.TestCase


@given(trees(), st.data())
def test_the_minimum_count_is_necessary(tree: Tree, data: st.DataObject) -> None:
    event = data.draw(events_meeting(tree))
    if holds(tree, event):
        found, _, minimum = flatten(tree)
        assert sum(holds(leaf, event) for leaf in found) >= minimum


@given(trees(), st.data())
def test_what_is_met_was_reached(tree: Tree, data: st.DataObject) -> None:
    engine = CountingEngine()
    engine.insert(0, tree)
    event = data.draw(events_meeting(tree))
    assert engine.reached(0, event) or not holds(tree, event)
