"""What subscriptions wait for: an event that has none of it does not match, and it is the rarest there is."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import FALSE, TRUE, And, Operator, Or, Predicate, Residual, Tree, attributes
from siftmesh.matching.access import Access, access_of
from siftmesh.matching.shape import Part, skeleton
from siftmesh.matching.shape import Test as Asked
from siftmesh.model.values import Kind
from tests.reference.leaves import leaf, some
from tests.reference.strategies import events_meeting, trees

# How likely tests and presences are, by attribute.
LIKELY = {"a": 0.1, "b": 0.2, "c": 0.4, "xs": 0.3, "ys": 0.35}


def by_attribute(attribute: str, test: Asked | None) -> float:
    return LIKELY[attribute] if test is not None else min(1.0, 2 * LIKELY[attribute])


def found(tree: Tree, estimate: Any = by_attribute) -> Access | None:
    return access_of(skeleton(tree), estimate)


@given(st.data())
def test_an_event_that_matches_has_what_the_subscription_waits_for(data: st.DataObject) -> None:
    tree = data.draw(trees())
    event = data.draw(events_meeting(tree))
    if not holds(tree, event):
        return
    rng = data.draw(st.randoms(use_true_random=False))
    for estimate in (by_attribute, lambda *_: 1.0, lambda *_: rng.random()):
        access = found(tree, estimate)
        if access is not None:
            by_value = any(holds(test.leaf, event) for test in access.tests)
            assert by_value or any(event.values.get(name) is not None for name in access.presences)


@given(trees())
def test_every_test_stands_in_the_tree_and_every_presence_is_of_an_attribute_of_it(tree: Tree) -> None:
    access = found(tree)
    if access is not None:
        assert set(access.presences) <= attributes(tree)
        assert list(access.presences) == sorted(set(access.presences))
        part = skeleton(tree)
        there = parts(part)
        assert all(test in there for test in access.tests)


def parts(part: Part | Asked) -> list[Asked]:
    return [part] if isinstance(part, Asked) else [test for child in part.children for test in parts(child)]


def names(access: Access | None) -> list[str]:
    assert access is not None
    return [test.leaf.attribute for test in access.tests if isinstance(test.leaf, Predicate)]


A, B, C = (leaf(name, "=", 1) for name in "abc")


def test_of_several_that_must_hold_the_rarest_is_chosen() -> None:
    assert names(found(And((C, A, B)))) == ["a"]
    assert names(found(And((C, Or((A, B)))))) == ["a", "b"]  # 0.1 + 0.2 is less than 0.4
    assert names(found(And((B, Or((A, B)))))) == ["b"]
    assert found(And((C, Or((A, B)))), by_attribute).probability == pytest.approx(0.3)  # type: ignore[union-attr]  # there is one


def test_of_several_of_which_one_may_hold_each_is_waited_for() -> None:
    assert names(found(Or((A, B, C)))) == ["a", "b", "c"]
    access = found(Or((A, leaf("b", "<", 1))))
    assert names(access) == ["a"]
    assert access is not None
    assert access.presences == ("b",)
    assert access.probability == pytest.approx(0.5)


@pytest.mark.parametrize(
    "tree",
    [
        leaf("a", "IS NULL"),
        leaf("a", "NOT EXISTS"),
        leaf("a", "EXISTS"),
        Or((A, leaf("b", "IS NULL"))),
        And(()),
        TRUE,
        Or((TRUE, A)),
        And((leaf("a", "IS NULL"), leaf("b", "NOT EXISTS"))),
        Residual(Operator.EQ, left=None, right=None, test=leaf("", "IS NULL")),  # type: ignore[arg-type]  # whatever it reads
    ],
)
def test_what_can_match_an_event_that_has_nothing_waits_for_nothing(tree: Tree) -> None:
    assert found(tree) is None


def test_one_that_must_hold_is_enough() -> None:
    assert names(found(And((leaf("b", "IS NULL"), A)))) == ["a"]


def test_what_never_matches_waits_in_vain() -> None:
    assert found(FALSE) == Access((), (), 0.0)
    assert found(And((A, FALSE))) == Access((), (), 0.0)
    assert names(found(Or((FALSE, A)))) == ["a"]


@pytest.mark.parametrize(
    "asked",
    [
        leaf("a", "<", 1),
        leaf("a", "<>", 1),
        leaf("a", "NOT IN", (1, 2)),
        leaf("a", "NOT LIKE", "x%"),
        leaf("a", "LIKE", "_"),
        leaf("a", "ILIKE", "x%"),
        leaf("a", "NOT CONTAINS", 1),
        leaf("a", "IS NOT NULL"),
        Predicate("a", Operator.EQ, Kind.TIMESTAMP, 0),
        some("a", (0, "=", 1)),
        some("a", (0, "=", 1), negated=True),
    ],
)
def test_what_has_no_value_to_wait_for_waits_for_any_value(asked: Tree) -> None:
    access = found(asked)
    assert access is not None
    assert (access.tests, access.presences, access.probability) == ((), ("a",), 0.2)


@pytest.mark.parametrize(
    "asked",
    [
        leaf("a", "=", "x"),
        leaf("a", "IN", (1, 2)),
        leaf("a", "LIKE", "x%"),
        leaf("a", "LIKE", "%xyz%"),
        leaf("a", "CONTAINS", 1),
        leaf("a", "OVERLAPS", (1, 2)),
    ],
)
def test_what_has_a_value_waits_for_it(asked: Tree) -> None:
    access = found(asked)
    assert access is not None
    assert [test.leaf for test in access.tests] == [asked]
    assert (access.presences, access.probability) == ((), 0.1)


def test_a_value_that_every_event_has_is_no_better_than_any_value() -> None:
    access = found(A, lambda *_: 1.0)
    assert access is not None
    assert (access.tests, access.presences) == ((), ("a",))


def test_of_parallel_arrays_the_rarest_is_waited_for() -> None:
    access = found(some("xs ys", (0, "=", 1), (1, "<", 2)))
    assert access is not None
    assert access.presences == ("xs",)


def test_the_rarest_is_rarer_than_what_any_event_would_do(seed: int) -> None:
    # An Or is as likely as all its parts together, so that it is chosen only where it is rarer.
    rng = random.Random(seed)
    for _ in range(50):
        likely = {name: rng.random() / 3 for name in "abc"}
        access = found(And((A, Or((B, C)))), lambda name, _, likely=likely: likely[name])
        assert access is not None
        assert access.probability == pytest.approx(min(likely["a"], likely["b"] + likely["c"]))
        assert set(names(access)) in ({"a"}, {"b", "c"})


def test_what_nearly_every_string_contains_is_not_waited_for() -> None:
    access = found(leaf("a", "LIKE", "%x%"))
    assert access is not None
    assert (access.tests, access.presences) == ((), ("a",))
