"""Predicates asked of many events at once say what they say of each."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.logic.columns import Columns
from siftmesh.logic.evaluate import truth
from siftmesh.logic.tree import Leaf, Tree
from siftmesh.logic.verdicts import counts
from siftmesh.matching.observe import evaluate_predicates
from siftmesh.model.event import Event
from siftmesh.model.values import Kind, Timestamp
from tests.reference import tree_oracle
from tests.reference.profile_oracle import counted
from tests.reference.strategies import ARRAYS, ATTRIBUTES, CONSTANTS, events, leaf_trees, trees

SOME_EVENTS = st.lists(events(), max_size=70)
SOME_LEAVES = st.lists(leaf_trees(), max_size=8)


def check(leaves: list[Leaf] | list[Tree], given_events: Any, each: list[Event]) -> None:
    found = evaluate_predicates(leaves, given_events)
    assert found.events == len(each)
    for row, leaf in enumerate(leaves):
        expected = [tree_oracle.truth(leaf, event) for event in each]
        assert expected == [truth(leaf, event) for event in each]
        assert found.truths()[row].tolist() == [one is True for one in expected]
        assert found.unknowns()[row].tolist() == [one is None for one in expected]


@given(SOME_LEAVES, SOME_EVENTS)
def test_a_batch_of_events(leaves: list[Leaf], batch: list[Event]) -> None:
    check(leaves, batch, batch)


@given(st.lists(trees(max_leaves=6), max_size=3), SOME_EVENTS)
def test_whole_trees(asked: list[Tree], batch: list[Event]) -> None:
    check(asked, batch, batch)


@given(leaf_trees(), SOME_EVENTS)
def test_counting_needs_no_looking_at_each(leaf: Leaf, batch: list[Event]) -> None:
    assert tuple(counts(leaf, Columns.of(batch))) == counted(leaf, batch)


def arrow(kind: Kind, values: list[Any]) -> pa.Array:
    if kind == Kind.TIMESTAMP:
        micros = [None if value is None else value for value in values]
        return pa.array(micros, pa.timestamp("us", "UTC"))
    if kind == Kind.NUMBER and any(type(value) is float for value in values):
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    types = {Kind.BOOL: pa.bool_(), Kind.NUMBER: pa.int64(), Kind.STRING: pa.string()}
    return pa.array(values, types[kind])


@st.composite
def tables(draw: st.DrawFn) -> pa.Table:
    """Tables of the attributes of the strategies, each column of one type."""
    size = draw(st.integers(0, 20))
    columns = {}
    for name in ATTRIBUTES:
        kind = draw(st.sampled_from((Kind.BOOL, Kind.NUMBER, Kind.STRING, Kind.TIMESTAMP)))
        values = st.lists(st.none() | st.sampled_from(CONSTANTS[kind]), min_size=size, max_size=size)
        columns[name] = arrow(kind, draw(values))
    for name in ARRAYS:
        element = st.none() | st.sampled_from((0.0, 1.0, 2.0, 0.5))
        arrays = st.lists(st.none() | st.lists(element, max_size=3), min_size=size, max_size=size)
        columns[name] = pa.array(draw(arrays), pa.list_(pa.float64()))
    return pa.table(columns)


@given(SOME_LEAVES, tables())
def test_an_arrow_table(leaves: list[Leaf], table: pa.Table) -> None:
    rows = [Event.of(row) for row in table.to_pylist()]
    check(leaves, table, rows)
    check(leaves, table.combine_chunks().to_batches()[0] if len(table) else table, rows)


@given(
    st.lists(st.tuples(st.sampled_from(CONSTANTS[Kind.TIMESTAMP]), st.booleans()), max_size=10), SOME_LEAVES
)
def test_a_moment_as_text_is_a_moment(moments: list[tuple[int, bool]], leaves: list[Leaf]) -> None:
    """Half of the column are strings that name the moments of the other half."""
    values = [Timestamp(micros).isoformat() if as_text else Timestamp(micros) for micros, as_text in moments]
    batch = [Event({"a": value, "b": value, "xs": (value,)}) for value in values]
    found = evaluate_predicates(leaves, batch)
    for row, leaf in enumerate(leaves):
        assert found.truths()[row].tolist() == [truth(leaf, event) is True for event in batch]
        assert found.unknowns()[row].tolist() == [truth(leaf, event) is None for event in batch]
