"""Interval sets hold the values their predicates are true of, and every operation is what membership says."""

from __future__ import annotations

import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from siftmesh.logic.intervals import IntervalSet, following, interval_set
from siftmesh.logic.patterns import contains_pattern
from siftmesh.logic.spelling import alternatives, requirements
from siftmesh.logic.tree import And, Or, Predicate
from siftmesh.model.event import Event
from siftmesh.model.pattern import canonical
from siftmesh.model.values import Kind, Timestamp
from tests.reference.critical_points import states
from tests.reference.strategies import comparisons
from tests.reference.tree_oracle import is_true, like

KINDS = (Kind.BOOL, Kind.NUMBER, Kind.STRING, Kind.TIMESTAMP)


def several(kind: Kind, least: int = 1, most: int = 4) -> st.SearchStrategy[list[Predicate]]:
    return st.lists(comparisons(("a",), (kind,)), min_size=least, max_size=most)


def set_of(predicate: Predicate) -> IntervalSet:
    found = interval_set(predicate)
    assert found is not None
    return found


def of_kind(events: list[Event], kind: Kind) -> list[tuple[Event, Any]]:
    """The events whose value is of a kind, with the value as a set holds it."""
    types = {
        Kind.BOOL: (bool,),
        Kind.NUMBER: (int, float),
        Kind.STRING: (str,),
        Kind.TIMESTAMP: (Timestamp,),
    }[kind]
    pairs = [(event, event.values.get("a")) for event in events]
    found = [(event, value) for event, value in pairs if type(value) in types]
    return [(event, value.micros if isinstance(value, Timestamp) else value) for event, value in found]


@given(st.sampled_from(KINDS).flatmap(several))
def test_a_set_holds_what_its_predicate_is_true_of(predicates: list[Predicate]) -> None:
    for predicate in predicates:
        values = set_of(predicate)
        for event, value in of_kind(states("a", list(predicates)), predicate.kind):
            assert (value in values) == is_true(predicate, event)


@given(st.sampled_from(KINDS).flatmap(lambda kind: several(kind, 2)))
def test_operations_are_what_membership_says(predicates: list[Predicate]) -> None:
    kind = predicates[0].kind
    sets = [set_of(predicate) for predicate in predicates]
    one, other = sets[:2]
    union, intersection = IntervalSet.union(kind, sets), IntervalSet.intersection(kind, sets)
    for _, value in of_kind(states("a", list(predicates)), kind):
        inside = [value in values for values in sets]
        assert (value in union) == any(inside)
        assert (value in intersection) == all(inside)
        assert (value in one | other) == (inside[0] or inside[1])
        assert (value in one & other) == (inside[0] and inside[1])
        assert (value in one - other) == (inside[0] and not inside[1])
        assert (value in ~one) != inside[0]


@given(st.sampled_from(KINDS).flatmap(lambda kind: st.tuples(several(kind), several(kind))))
def test_inclusion_and_emptiness_are_exact(groups: tuple[list[Predicate], list[Predicate]]) -> None:
    kind = groups[0][0].kind
    one = IntervalSet.intersection(kind, map(set_of, groups[0]))
    other = IntervalSet.union(kind, map(set_of, groups[1]))
    values = [value for _, value in of_kind(states("a", [*groups[0], *groups[1]]), kind)]
    assert (one <= other) == all(value in other for value in values if value in one)
    assert one.is_empty == (not any(value in one for value in values))
    assert other.is_full == all(value in other for value in values)
    assert ~~one == one


@given(st.sampled_from(KINDS).flatmap(lambda kind: several(kind, 1, 6)), st.sampled_from((And, Or)))
def test_a_set_is_spelled_in_few_predicates(predicates: list[Predicate], node: type[And] | type[Or]) -> None:
    kind = predicates[0].kind
    join, spell = (
        (IntervalSet.intersection, requirements) if node is And else (IntervalSet.union, alternatives)
    )
    values = join(kind, map(set_of, predicates))
    spelled = spell(values, "a", len(predicates))
    if spelled is None:
        assert values.is_empty or values.is_full
        return
    assert len(spelled) <= len(predicates)
    for event, value in of_kind(states("a", [*predicates, *spelled]), kind):
        assert is_true(node(tuple(spelled)), event) == (value in values)


@given(
    st.tuples(
        st.just(Kind.NUMBER), st.floats(allow_nan=False, max_value=1e308) | st.integers(-(2**63), 2**63 - 1)
    )
    | st.tuples(st.just(Kind.STRING), st.text(max_size=3))
    | st.tuples(st.just(Kind.TIMESTAMP), st.integers())
)
def test_nothing_lies_between_a_value_and_the_following(pair: tuple[Kind, Any]) -> None:
    kind, value = pair
    after = following(kind, value)
    assert after > value
    assert IntervalSet.between(kind, (value, 1), (after, 0)).is_empty
    assert IntervalSet.between(kind, (value, 1), (after, 1)).only_values() == (after,)
    if kind == Kind.NUMBER:
        near: list[float] = [float(value), math.nextafter(value, math.inf), math.nextafter(value, -math.inf)]
        if -(2**63) <= value < 2**63 - 1:
            near.append(math.floor(value) + 1)
        assert not any(value < one < after for one in near)


patterns = st.text("ab%_", max_size=5).map(canonical)
texts = st.text("abcAB", max_size=6)


@given(patterns, patterns, st.booleans(), st.booleans(), st.lists(texts, min_size=30, max_size=30))
def test_a_pattern_that_holds_another_fits_its_strings(
    wider: str, narrower: str, wider_folds: bool, narrower_folds: bool, strings: list[str]
) -> None:
    if not contains_pattern(
        wider, narrower, wider_ignores_case=wider_folds, narrower_ignores_case=narrower_folds
    ):
        return
    # Strings that fit for certain, beside those that were drawn.
    strings = [
        *strings,
        *(narrower.replace("_", one).replace("%", run) for one in "abß" for run in ("", "b", "ba")),
    ]
    for text in strings:
        if like(narrower, text.casefold() if narrower_folds else text):
            assert like(wider, text.casefold() if wider_folds else text)


@given(patterns, st.data())
def test_a_pattern_holds_what_is_cut_from_it(pattern: str, data: st.DataObject) -> None:
    longer = data.draw(st.sampled_from(("a", "b", "ab", "_")))
    at = data.draw(st.integers(0, len(pattern)))
    if "%" in pattern[at : at + 1]:
        # A `%` takes in whatever stands in its place.
        assert contains_pattern(pattern, canonical(pattern[:at] + longer + pattern[at + 1 :]))
    assert contains_pattern(pattern, pattern)
    assert contains_pattern("%", pattern)
