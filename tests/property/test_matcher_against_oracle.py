"""The matcher, its trees and the templates it binds agree with the oracle on any filter and any event."""

from __future__ import annotations

from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from siftmesh import EventError, Matcher
from siftmesh.language import ast
from siftmesh.language.formatter import format_filter
from siftmesh.logic.evaluate import holds
from siftmesh.logic.lower import lower
from siftmesh.logic.template import Template
from siftmesh.model.event import Event
from tests.reference.ast_oracle import truth
from tests.reference.filters import conditions, events, true_cases, with_parameters


def readable(raw: dict[str, Any]) -> Event:
    """The event, unless it is one that no filter may look into."""
    event = Event.of(raw)
    assume(not event.closed)
    return event


@given(true_cases())
def test_what_is_true_by_construction_is_true(case: tuple[dict[str, Any], ast.Condition]) -> None:
    raw, condition = case
    event = Event.of(raw)
    assert truth(condition, event) is True
    assert truth(ast.Not(condition), event) is False
    assert holds(lower(condition), event)
    assert not holds(lower(ast.Not(condition)), event)


@given(conditions(), st.lists(events(), min_size=1, max_size=4))
def test_a_tree_is_true_where_its_filter_is(condition: ast.Condition, raws: list[dict[str, Any]]) -> None:
    tree, opposite = lower(condition), lower(ast.Not(condition))
    for raw in raws:
        event = readable(raw)
        expected = truth(condition, event)
        assert holds(tree, event) is (expected is True)
        assert holds(opposite, event) is (expected is False)


@given(
    st.lists(conditions(max_leaves=6), min_size=1, max_size=6),
    st.lists(events(), min_size=1, max_size=4),
    st.lists(true_cases(), max_size=3),
)
def test_the_matcher_finds_exactly_the_filters_that_are_true(
    given_conditions: list[ast.Condition],
    raws: list[dict[str, Any]],
    true: list[tuple[dict[str, Any], ast.Condition]],
) -> None:
    everything = given_conditions + [condition for _, condition in true]
    everything += [ast.Not(condition) for condition in everything]
    matcher = Matcher()
    for number, condition in enumerate(everything):
        matcher.add(number, format_filter(condition))
    for raw in [*raws, *(raw for raw, _ in true)]:
        event = readable(raw)
        expected = [number for number, condition in enumerate(everything) if truth(condition, event) is True]
        assert sorted(matcher.match(raw)) == expected  # type: ignore[type-var]  # the ids are ints


@given(conditions(max_leaves=6), events(), st.data())
def test_a_bound_template_is_the_filter_with_its_constants(
    condition: ast.Condition, raw: dict[str, Any], data: st.DataObject
) -> None:
    template, bound = data.draw(with_parameters(condition))
    event = readable(raw)
    tree = Template(template).bind(bound)
    assert holds(tree, event) is (truth(template, event, bound) is True)
    assert truth(template, event, bound) is truth(condition, event)
    matcher = Matcher()
    matcher.add_many(format_filter(template), [{"id": "it", **bound}])
    assert (matcher.match(raw) == ["it"]) is (truth(condition, event) is True)


@given(true_cases(), st.data())
def test_a_bound_template_of_a_true_filter_is_true(
    case: tuple[dict[str, Any], ast.Condition], data: st.DataObject
) -> None:
    raw, condition = case
    template, bound = data.draw(with_parameters(condition))
    assert holds(Template(template).bind(bound), Event.of(raw))


@given(conditions(max_leaves=6), events(), st.data())
def test_null_parameters_are_unknown_comparisons(
    condition: ast.Condition, raw: dict[str, Any], data: st.DataObject
) -> None:
    assume(not any(isinstance(node, ast.Some) for node in ast.walk(condition)))  # there a null is refused
    template, bound = data.draw(with_parameters(condition))
    nulled = {name: None if data.draw(st.booleans()) else value for name, value in bound.items()}
    event = readable(raw)
    expected = truth(template, event, nulled)
    assert holds(Template(template).bind(nulled), event) is (expected is True)
    assert holds(Template(ast.Not(template)).bind(nulled), event) is (expected is False)


@given(conditions(), events())
def test_an_event_with_objects_in_an_array_is_refused_when_a_filter_looks_into_it(
    condition: ast.Condition, raw: dict[str, Any]
) -> None:
    matcher = Matcher()
    matcher.add("it", format_filter(condition))
    raw = {**raw, "data": [{"price": 1}]}
    reads = {node.name for node in ast.walk(condition) if isinstance(node, ast.Attribute)}
    # A filter that is settled when it is added, such as `data.price = 1 OR TRUE`, looks into nothing.
    refusal = _refusal(matcher, raw)
    assert refusal is None or (refusal.place == "data" and any(name.startswith("data.") for name in reads))


def _refusal(matcher: Matcher, raw: dict[str, Any]) -> EventError | None:
    try:
        matcher.match(raw)
    except EventError as error:
        return error
    return None
