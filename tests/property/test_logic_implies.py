"""Covering is sound both ways, and complete where one attribute is compared with constants."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from siftmesh.logic.entailment import excludes, implies, negated
from siftmesh.logic.implies import Verdict, counterexample, covers
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import And, Or, Tree, leaves
from siftmesh.model.values import Kind
from tests.effort import examples
from tests.reference.critical_points import uncovered
from tests.reference.strategies import comparisons, events, events_meeting, leaf_trees, predicates, trees
from tests.reference.tree_oracle import is_true, truth

NO_MOMENTS = (Kind.NUMBER, Kind.NUMBER, Kind.STRING, Kind.BOOL)


def check(a: Tree, b: Tree, verdict: Verdict, data: st.DataObject) -> None:
    if verdict is Verdict.YES:
        for event in data.draw(st.lists(events() | events_meeting(b), min_size=10, max_size=20)):
            assert not is_true(b, event) or is_true(a, event)
    witness = counterexample(a, b)
    assert (witness is not None) == (verdict is Verdict.NO)
    if witness is not None:
        assert is_true(b, witness)
        assert not is_true(a, witness)


@given(trees(max_leaves=6), trees(max_leaves=6), st.data())
def test_a_verdict_is_right(a: Tree, b: Tree, data: st.DataObject) -> None:
    check(a, b, covers(a, b), data)


@given(trees(predicates(("a", "b")), max_leaves=6), trees(predicates(("a", "b")), max_leaves=6), st.data())
def test_a_verdict_is_right_for_the_join_of_both(a: Tree, b: Tree, data: st.DataObject) -> None:
    check(Or((a, b)), b, covers(Or((a, b)), b), data)
    check(a, And((a, b)), covers(a, And((a, b))), data)


@given(trees(max_leaves=8))
def test_a_tree_and_its_normal_form_cover_each_other(tree: Tree) -> None:
    # Never a NO; where no residual or quantifier is in the way it is a plain YES.
    normal = normalise(tree)
    assert covers(normal, tree) is not Verdict.NO
    assert covers(tree, normal) is not Verdict.NO


@given(
    trees(comparisons(("a",), NO_MOMENTS), max_leaves=8), trees(comparisons(("a",), NO_MOMENTS), max_leaves=8)
)
@examples(150)
def test_one_attribute_is_decided(a: Tree, b: Tree) -> None:
    expected = Verdict.NO if uncovered(a, b, "a") else Verdict.YES
    assert covers(a, b) is expected


@given(trees(comparisons(("a",), (Kind.TIMESTAMP,))), trees(comparisons(("a",), (Kind.TIMESTAMP,))))
def test_moments_alone_are_decided(a: Tree, b: Tree) -> None:
    expected = Verdict.NO if uncovered(a, b, "a") else Verdict.YES
    assert covers(a, b) is expected


@given(
    trees(comparisons(("a", "b"), NO_MOMENTS), max_leaves=5),
    trees(comparisons(("a", "b"), NO_MOMENTS), max_leaves=5),
)
def test_comparisons_of_several_attributes_are_decided(a: Tree, b: Tree) -> None:
    assert covers(a, b) is not Verdict.UNKNOWN


@given(trees(max_leaves=8), trees(max_leaves=8), st.integers(0, 40), st.data())
def test_a_small_budget_is_honest(a: Tree, b: Tree, budget: int, data: st.DataObject) -> None:
    verdict = covers(a, b, budget)
    if verdict is Verdict.YES:
        for event in data.draw(st.lists(events() | events_meeting(b), min_size=5, max_size=10)):
            assert not is_true(b, event) or is_true(a, event)
    if verdict is Verdict.NO:
        assert counterexample(a, b) is not None


@given(leaf_trees() | predicates(("a",)), leaf_trees() | predicates(("a",)), st.data())
@examples(200)
def test_what_a_leaf_says_of_another_is_right(one, other, data: st.DataObject) -> None:
    follows, apart = implies(one, other), excludes(one, other)
    assume(follows or apart)
    for event in data.draw(st.lists(events() | events_meeting(one), min_size=10, max_size=20)):
        if is_true(one, event):
            assert is_true(other, event) or not follows
            assert not is_true(other, event) or not apart


@given(leaf_trees(), st.data())
def test_the_opposite_of_a_leaf_is_true_where_it_is_false(leaf, data: st.DataObject) -> None:
    for event in data.draw(st.lists(events() | events_meeting(leaf), min_size=5, max_size=10)):
        verdict = truth(leaf, event)
        assert truth(negated(leaf), event) is (None if verdict is None else not verdict)


@given(trees(max_leaves=5), st.data())
def test_every_tree_covers_what_it_is_part_of(tree: Tree, data: st.DataObject) -> None:
    other = data.draw(trees(max_leaves=4))
    if len(list(leaves(tree))) <= 5:
        assert covers(Or((tree, other)), tree) is not Verdict.NO
        assert covers(tree, And((tree, other))) is not Verdict.NO
