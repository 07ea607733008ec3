"""The normal form keeps truth, is reached in one step, and forgets order, grouping and repetition."""

from __future__ import annotations

import math
import random

from hypothesis import assume, given
from hypothesis import strategies as st

from siftmesh.logic.constants import constant
from siftmesh.logic.normalise import conjunction, disjunction, normalise
from siftmesh.logic.ranges import are_apart
from siftmesh.logic.rules import RULES, Work, canonical_leaf
from siftmesh.logic.tree import FALSE, TRUE, And, Operator, Or, Predicate, Tree, leaves, sort_key
from tests.effort import examples
from tests.reference.strategies import comparisons, events, events_meeting, leaf_trees, predicates, trees
from tests.reference.tree_oracle import is_true


def scrambled(tree: Tree, rng: random.Random) -> Tree:
    """The same filter written differently: shuffled, regrouped, operands repeated."""
    if not isinstance(tree, (And, Or)):
        return tree
    node = type(tree)
    children = [scrambled(child, rng) for child in tree.children]
    if children and rng.random() < 0.4:
        children.append(rng.choice(children))
    rng.shuffle(children)
    if len(children) > 2 and rng.random() < 0.5:
        cut = rng.randrange(1, len(children))
        children = [node(tuple(children[:cut])), *children[cut:]]
    if rng.random() < 0.2:
        return (Or if rng.random() < 0.5 else And)((node(tuple(children)),))
    return node(tuple(children))


def assert_normal(tree: Tree) -> None:
    if isinstance(tree, (And, Or)) and tree not in (TRUE, FALSE):
        assert len(tree.children) > 1
        assert all(type(child) is not type(tree) for child in tree.children)
        keys = [sort_key(child) for child in tree.children]
        assert keys == sorted(keys)
        assert len(set(tree.children)) == len(tree.children)
        for child in tree.children:
            assert child not in (TRUE, FALSE)
            assert_normal(child)


@given(trees(), st.data())
def test_truth_is_kept(tree: Tree, data: st.DataObject) -> None:
    normal = normalise(tree)
    assert_normal(normal)
    for event in data.draw(
        st.lists(st.one_of(events(), events_meeting(tree), events_meeting(normal)), min_size=8)
    ):
        assert is_true(normal, event) == is_true(tree, event)


@given(st.lists(predicates(("a",)), min_size=2, max_size=5), st.sampled_from((And, Or)), st.data())
def test_truth_is_kept_where_all_leaves_ask_one_attribute(several, node, data: st.DataObject) -> None:
    tree = node(tuple(several))
    normal = normalise(tree)
    for event in data.draw(
        st.lists(st.one_of(events(), events_meeting(tree), events_meeting(normal)), min_size=10)
    ):
        assert is_true(normal, event) == is_true(tree, event)


@given(trees())
def test_a_normal_form_is_its_own(tree: Tree) -> None:
    normal = normalise(tree)
    assert normalise(normal) == normal


@given(trees() | trees(comparisons(("a", "b"))), st.randoms(use_true_random=False))
def test_order_grouping_and_repetition_do_not_matter(tree: Tree, rng: random.Random) -> None:
    assert normalise(scrambled(tree, rng)) == normalise(tree)


@given(st.lists(trees(), max_size=4), st.booleans(), st.data())
def test_normal_forms_are_joined(several: list[Tree], every: bool, data: st.DataObject) -> None:
    joined = (conjunction if every else disjunction)([normalise(one) for one in several])
    tree = (And if every else Or)(tuple(several))
    assert_normal(joined)
    for event in data.draw(st.lists(events() | events_meeting(tree), min_size=5)):
        assert is_true(joined, event) == is_true(tree, event)


@given(trees(), st.integers(0, 30), st.data())
def test_a_spent_budget_costs_length_not_truth(tree: Tree, budget: int, data: st.DataObject) -> None:
    normal = normalise(tree, budget)
    for event in data.draw(st.lists(events() | events_meeting(tree), min_size=5)):
        assert is_true(normal, event) == is_true(tree, event)


NUMBERS = st.one_of(
    st.integers(-3, 3),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False).filter(lambda value: not value.is_integer()),
)


@st.composite
def bounds(draw: st.DrawFn, attribute: str) -> list[Predicate]:
    """A bound of an attribute, or two in opposite directions, some of them hardly apart."""
    low = draw(NUMBERS)
    near = [math.nextafter(low, math.inf), low + abs(low) * 2.5e-6]
    high = draw(NUMBERS | st.sampled_from([low, *(value for value in near if abs(value) < 2.0**63)]))
    lower, upper = (
        draw(st.sampled_from((Operator.GE, Operator.GT))),
        draw(st.sampled_from((Operator.LE, Operator.LT))),
    )
    return [
        Predicate(attribute, asked, *constant(value))
        for asked, value in draw(st.sampled_from([[(lower, low)], [(lower, low), (upper, high)]]))
    ]


@given(st.lists(st.sampled_from("abc"), unique=True, min_size=1), st.booleans(), st.data())
def test_no_law_changes_leaves_that_are_apart(names: list[str], every: bool, data: st.DataObject) -> None:
    given = [leaf for name in names for leaf in data.draw(bounds(name)) if canonical_leaf(leaf) == leaf]
    assume(given and are_apart(every, given))
    found = list(given)
    for rule in RULES:
        found = rule(every, found, Work(1_000))
        assert found is not None
    assert sorted(found, key=sort_key) == sorted(given, key=sort_key)


@given(trees(leaf_trees(), max_leaves=14))
@examples(40)
def test_a_normal_form_is_no_longer(tree: Tree) -> None:
    assert len(list(leaves(normalise(tree)))) <= len(list(leaves(tree)))
