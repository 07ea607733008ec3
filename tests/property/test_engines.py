"""Every engine finds what the oracle finds, for any trees and any events, one by one and in batches."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from siftmesh.errors import EventError
from siftmesh.language import ast
from siftmesh.language.formatter import format_filter
from siftmesh.logic.normalise import normalise
from siftmesh.logic.template import Template
from siftmesh.logic.tree import Tree
from siftmesh.matching.api import INDEXES, TreeMatcher, evaluate_predicates
from siftmesh.model.event import Event
from siftmesh.model.values import OPAQUE, Timestamp
from tests.effort import examples
from tests.reference import ast_oracle
from tests.reference.filters import conditions, true_cases, with_parameters
from tests.reference.filters import events as raw_events
from tests.reference.strategies import events, events_meeting, trees
from tests.reference.tree_oracle import is_true

EVERY = pytest.mark.parametrize("index", list(INDEXES))


def plain(event: Event) -> dict[str, Any]:
    """The event as a mapping of Python objects."""
    return {name: _plain(value) for name, value in event.values.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, Timestamp):
        return value.to_datetime()
    if isinstance(value, tuple):
        return [_plain(one) for one in value]
    return b"" if value is OPAQUE else value


@EVERY
@examples(30)
@given(
    given_trees=st.lists(trees(), max_size=8),
    given_events=st.lists(events(), min_size=1, max_size=4),
    normal=st.booleans(),
    data=st.data(),
)
def test_what_is_found_is_what_is_true(
    index: str, given_trees: list[Tree], given_events: list[Event], normal: bool, data: st.DataObject
) -> None:
    held = [normalise(tree) if normal else tree for tree in given_trees]
    matcher = TreeMatcher(index)
    for number, tree in enumerate(held):
        matcher.add(number, tree)
    asked = [*given_events, *(data.draw(events_meeting(tree)) for tree in held)]
    expected = [[number for number, tree in enumerate(held) if is_true(tree, event)] for event in asked]
    assert [sorted(matcher.match(event)) for event in asked] == expected  # type: ignore[type-var]  # ints
    assert [sorted(matcher.match(plain(event))) for event in asked] == expected  # type: ignore[type-var]  # ints
    assert [sorted(ids) for ids in matcher.match_batch(asked)] == expected  # type: ignore[type-var]  # ints
    for number, tree in enumerate(held):
        assert normalise(matcher[number]) == normalise(tree)
        for event, found in zip(asked, expected, strict=True):
            explanation = matcher.explain(number, event)
            assert explanation.matches is (number in found)
            assert explanation.reached or not explanation.matches
    for number in range(0, len(held), 2):
        matcher.remove(number)
    expected = [[number for number in found if number % 2] for found in expected]
    assert [sorted(matcher.match(event)) for event in asked] == expected  # type: ignore[type-var]  # ints


# Columns of one type each, as tables have them.
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "a": st.none() | st.sampled_from([-1, 0, 1, 2, 2**53, 2**53 + 1]),
    "b": st.none() | st.sampled_from(["", "a", "ab", "abc", "ABC", "b", "2020-01-01T12:00:00Z"]),
    "c": st.none() | st.sampled_from([0.0, -0.0, 0.5, 1.0, 2.0**53, float("inf"), float("nan")]),
    "xs": st.none() | st.lists(st.none() | st.sampled_from([0, 1, 2]), max_size=3),
    "ys": st.none() | st.lists(st.sampled_from([0.0, 0.5, 1.0]), max_size=3),
}


@EVERY
@examples(30)
@given(
    held=st.lists(trees().map(normalise), min_size=1, max_size=8),
    columns=st.sets(st.sampled_from(sorted(CELLS)), min_size=1),
    data=st.data(),
)
def test_a_table_is_as_its_rows(index: str, held: list[Tree], columns: set[str], data: st.DataObject) -> None:
    names = sorted(columns)
    rows = data.draw(st.lists(st.fixed_dictionaries({name: CELLS[name] for name in names}), max_size=6))
    types = {
        "a": pa.int64(),
        "b": pa.string(),
        "c": pa.float64(),
        "xs": pa.list_(pa.int64()),
        "ys": pa.list_(pa.float64()),
    }
    table = pa.table({name: pa.array([row[name] for row in rows], types[name]) for name in names})
    matcher = TreeMatcher(index)
    for number, tree in enumerate(held):
        matcher.add(number, tree)
    expected = [[n for n, tree in enumerate(held) if is_true(tree, Event.of(row))] for row in rows]
    assert [sorted(ids) for ids in matcher.match_batch(table)] == expected  # type: ignore[type-var]  # ints
    cut = data.draw(st.integers(0, len(rows)))
    pieces = pa.concat_tables([table.slice(0, cut), table.slice(cut)])
    assert [sorted(ids) for ids in matcher.match_batch(pieces)] == expected  # type: ignore[type-var]  # ints


@EVERY
@examples(30)
@given(conditions(max_leaves=6), st.lists(raw_events(), min_size=1, max_size=3), st.data())
def test_rows_of_a_template_are_the_filters_they_stand_for(
    index: str, condition: ast.Condition, raws: list[dict[str, Any]], data: st.DataObject
) -> None:
    template, first = data.draw(with_parameters(condition))
    made = Template(template)
    rows = [first, *(dict(first) for _ in range(2))]
    for row in rows[1:]:
        for name, value in row.items():
            if type(value) in (int, float) and data.draw(st.booleans()):
                row[name] = value + 1 if abs(value) < 2**60 else value
    assume(all(len({type(row[name]) for row in rows}) == 1 for name in first))
    columns = {name: pa.array([_plain(row[name]) for row in rows]) for name in made.parameters}
    matcher = TreeMatcher(index)
    matcher.add_rows([0, 1, 2], made, columns)
    assert [matcher[number] for number in range(3)] == [made.bind(row) for row in rows]
    for raw in raws:
        event = Event.of(raw)
        assume(not event.closed)
        expected = [n for n, row in enumerate(rows) if ast_oracle.truth(template, event, row) is True]
        assert sorted(matcher.match(raw)) == expected  # type: ignore[type-var]  # the ids are ints


@EVERY
@examples(30)
@given(st.lists(true_cases(), min_size=1, max_size=5))
def test_what_is_true_by_construction_is_found(
    index: str, cases: list[tuple[dict[str, Any], ast.Condition]]
) -> None:
    from siftmesh import Matcher

    matcher = Matcher(index=index)
    for number, (_, condition) in enumerate(cases):
        matcher.add(number, format_filter(condition))
    for number, (raw, _) in enumerate(cases):
        try:
            assert number in matcher.match(raw)
        except EventError:
            assert Event.of(raw).closed


@given(st.lists(trees(), max_size=4), st.lists(events(), max_size=4))
def test_predicates_are_evaluated_over_batches(given_trees: list[Tree], given_events: list[Event]) -> None:
    found = evaluate_predicates(given_trees, given_events)
    assert found.truths().tolist() == [
        [is_true(tree, event) for event in given_events] for tree in given_trees
    ]
