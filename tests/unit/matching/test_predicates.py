"""Numbered predicates: from an event to those that are true, and how often each was."""

from __future__ import annotations

import pytest

from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import Apply, Fixed, Get, Leaf, Operator, Predicate, Quantified, Residual
from siftmesh.matching.predicates import PredicateIndex, Tally
from siftmesh.model.event import Event
from siftmesh.model.values import Kind
from tests.reference.leaves import leaf, some

LEAVES: list[Leaf] = [
    leaf("a", "=", 1),
    leaf("a", "<", 5),
    leaf("b", "<>", "x"),
    *(leaf(name, asked) for name in "abc" for asked in ("IS NULL", "IS NOT NULL", "EXISTS", "NOT EXISTS")),
    some("xs ys", (0, "=", 1), (1, ">", 2)),
    some("xs", (0, "=", 1), negated=True),
    Residual(Operator.LT, Get("a"), Get("b")),
    Residual(Operator.LT, Apply("+", (Get("a"), Fixed(1, "int"))), Get("b")),
    Residual(Operator.LT, Apply("+", (Get("a"), Fixed(1, "int"))), Fixed(3, "int")),
    Residual(Operator.IS_NULL, Get("c"), None, Predicate("", Operator.IS_NULL, Kind.NULL)),
    Residual(Operator.IN, Get("c"), None, leaf("", "IN", (1, 2))),
    # Two of the same attribute that only a stranger would send.
    Predicate("c", Operator.IS_NULL, Kind.NUMBER),
    Quantified((), Operator.SOME, ()),
]
EVENTS = [
    Event({}),
    Event({"a": 1, "b": "x", "c": None}),
    Event({"a": 1, "b": 3}),
    Event({"a": None, "b": None, "c": 2}),
    Event({"a": 7, "b": "y", "xs": (1, 2), "ys": (3, None)}),
    Event({"xs": (0,), "ys": ()}),
    Event({"unknown": 1}),
]


@pytest.fixture
def index() -> PredicateIndex:
    made = PredicateIndex()
    for one in LEAVES:
        made.add(one)
    return made


def found(index: PredicateIndex, event: Event) -> list[Leaf]:
    return [index.leaf(number) for run in index.fulfilled(event) for number in run.tolist()]


def same(one: list[Leaf], other: list[Leaf]) -> bool:
    return sorted(one, key=repr) == sorted(other, key=repr)


def test_exactly_what_is_true_is_found_once(index: PredicateIndex) -> None:
    for event in EVENTS:
        assert same(found(index, event), [one for one in LEAVES if holds(one, event)])


def test_numbers_are_dense_and_used_again(index: PredicateIndex) -> None:
    numbers = [index.number(one) for one in LEAVES]
    assert numbers == list(range(len(LEAVES)))
    assert index.room == len(index) == len(LEAVES)
    for one in LEAVES[::2]:
        number = index.number(one)
        assert number is not None
        index.remove(number)
        assert index.number(one) is None
        with pytest.raises(KeyError):
            index.leaf(number)
    for event in EVENTS:
        assert same(found(index, event), [one for one in LEAVES[1::2] if holds(one, event)])
    for one in LEAVES[::2]:
        index.add(one)
    assert index.room == len(LEAVES)
    for event in EVENTS:
        assert same(found(index, event), [one for one in LEAVES if holds(one, event)])


def test_equal_leaves_are_one_object(index: PredicateIndex) -> None:
    number = index.number(leaf("a", "=", 1.0))
    assert number == 0
    assert index.leaf(number) is LEAVES[0]


def test_attributes_are_used_as_long_as_someone_reads_them(index: PredicateIndex) -> None:
    assert set(index.used) == {"a", "b", "c", "xs", "ys"}
    for number, one in enumerate(LEAVES):
        if not isinstance(one, Predicate) or one.attribute != "a":
            index.remove(number)
    assert set(index.used) == {"a"}


def test_selectivities_count_from_when_a_predicate_was_entered(index: PredicateIndex) -> None:
    for event in EVENTS[:3]:
        index.fulfilled(event)
    late = leaf("a", ">", 0), leaf("b", "<>", "y"), leaf("d", "IS NULL")
    for one in late:
        index.add(one)
    for event in EVENTS[3:]:
        index.fulfilled(event)
    for _ in range(2):
        tallies = index.selectivities()
        assert len(tallies) == len(index)
        for one in LEAVES:
            assert tallies[one] == Tally(sum(holds(one, event) for event in EVENTS), len(EVENTS))
        for one in late:
            assert tallies[one] == Tally(sum(holds(one, event) for event in EVENTS[3:]), len(EVENTS) - 3)


def test_a_number_that_is_used_again_starts_from_nothing(index: PredicateIndex) -> None:
    index.fulfilled(EVENTS[1])
    index.remove(0)
    fresh = leaf("z", "=", 1)
    assert index.add(fresh) == 0
    assert index.selectivities()[fresh] == Tally(0, 0)


def test_memory_grows_with_what_is_held() -> None:
    index = PredicateIndex()
    empty = index.memory()
    for value in range(1_000):
        index.add(leaf("a", "<", value))
        index.add(leaf("a", "=", value))
    full = index.memory()
    assert set(full) == set(empty)
    assert all(full[name] > empty[name] for name in full)
