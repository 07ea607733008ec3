"""Whether a tree is true of an event, in three-valued logic."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given

from siftmesh.language.parser import parse
from siftmesh.logic.evaluate import evaluate_expression, holds, truth
from siftmesh.logic.lower import lower
from siftmesh.logic.tree import FALSE, TRUE, And, Apply, Fixed, Get, Operator, Or, Predicate, Residual, Tree
from siftmesh.model.event import Event
from siftmesh.model.values import Kind, Timestamp
from tests.reference import tree_oracle
from tests.reference.strategies import events, trees

YES = Predicate("yes", Operator.EQ, Kind.BOOL, True)
NO = Predicate("no", Operator.EQ, Kind.BOOL, True)
DUNNO = Predicate("nowhere", Operator.EQ, Kind.BOOL, True)
EVENT = Event({"yes": True, "no": False})


@pytest.mark.parametrize(
    ("tree", "verdict"),
    [
        (YES, True),
        (NO, False),
        (DUNNO, None),
        (TRUE, True),
        (FALSE, False),
        (And((YES, NO)), False),
        (And((YES, DUNNO)), None),
        (And((DUNNO, NO)), False),
        (Or((NO, DUNNO)), None),
        (Or((DUNNO, YES)), True),
        (Or((NO, NO)), False),
    ],
)
def test_kleene_s_tables(tree: Tree, verdict: bool | None) -> None:
    assert truth(tree, EVENT) is verdict
    assert holds(tree, EVENT) is (verdict is True)


@given(trees(), events())
def test_every_tree_means_what_the_oracle_says(tree: Tree, event: Event) -> None:
    assert truth(tree, event) is tree_oracle.truth(tree, event)


@pytest.mark.parametrize(
    ("text", "event", "verdict"),
    [
        ("a = 9007199254740993", {"a": 2.0**53}, False),
        ("a > 9007199254740992.0", {"a": 2**53 + 1}, True),
        ("a = 0", {"a": -0.0}, True),
        ("a < 5", {"a": -math.inf}, True),
        ("a < 5", {"a": math.nan}, None),
        ("a = 1", {"a": True}, None),
        ("a = TRUE", {"a": 1}, None),
        ("a IN (1, 'x')", {"a": 2}, None),
        ("a IN (1, 'x')", {"a": "x"}, True),
        ("a NOT IN (1, 2)", {"a": 3}, True),
        ("a CONTAINS 1", {"a": [1, None]}, True),
        ("a CONTAINS 2", {"a": [1, None]}, None),
        ("a CONTAINS 2", {"a": []}, False),
        ("NOT a CONTAINS 2", {"a": [1, 1.5]}, True),
        ("a = TIMESTAMP '1970-01-01'", {"a": "1970-01-01T01:00:00+01:00"}, True),
        ("a = TIMESTAMP '1970-01-01'", {"a": "yesterday"}, None),
        ("a = '1970-01-01T00:00:00Z'", {"a": Timestamp(0)}, None),
        ("a < b", {"a": 1, "b": 1.5}, True),
        ("a < b", {"a": 1, "b": "x"}, None),
        ("a = b", {"a": Timestamp(1), "b": Timestamp(1)}, True),
        ("a = b", {"a": [1], "b": [1]}, None),
        ("a < b", {"a": False, "b": True}, None),
        ("a = b", {"a": True, "b": True}, True),
        ("a + 1 > 5", {"a": 5}, True),
        ("a + 1 > 5", {"a": "5"}, None),
        ("a + 1 IS NULL", {}, True),
        ("SOME (xs AS x, ys AS y: x > 1 AND y < 1)", {"xs": [2, 1], "ys": [2, 0]}, False),
        ("SOME (xs AS x, ys AS y: x > 1 AND y < 1)", {"xs": [2, 2], "ys": [2, 0]}, True),
        ("SOME (xs AS x, ys AS y: x > 1 AND y < 1)", {"xs": [2], "ys": [2, 0]}, None),
        ("SOME (xs AS x: x > 1)", {"xs": [None, 1]}, None),
        ("SOME (xs AS x: x > 1)", {"xs": []}, False),
        ("NOT SOME (xs AS x: x > 1)", {"xs": [1]}, True),
        ("EXISTS(a) AND a IS NULL", {"a": None}, True),
        ("EXISTS(a)", {}, False),
    ],
)
def test_comparisons(text: str, event: dict[str, Any], verdict: bool | None) -> None:
    # A tree keeps truth only: what is false and what is unknown may have changed places on the way.
    assert truth(lower(parse(text)), Event.of(event)) in ((True,) if verdict else (False, None))
    if verdict is None:
        assert not holds(lower(parse(f"NOT ({text})")), Event.of(event))
    else:
        assert holds(lower(parse(f"NOT ({text})")), Event.of(event)) is not verdict


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (Fixed(1, "int"), 1),
        (Get("a"), 5),
        (Get("nowhere"), None),
        (Apply("+", (Get("a"), Fixed(1, "int"))), 6),
        (Apply("negate", (Get("a"),)), -5),
        (Apply("coalesce", (Get("nowhere"), Get("a"))), 5),
        (Apply("lower", (Apply("concat", (Fixed("A", "str"), Fixed("B", "str"))),)), "ab"),
    ],
)
def test_expressions(expression: Any, value: Any) -> None:
    assert evaluate_expression(expression, {"a": 5}) == value


def test_a_residual_without_anything_to_ask_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="compares with an expression or has a test"):
        truth(Residual(Operator.EQ, Get("a")), EVENT)
