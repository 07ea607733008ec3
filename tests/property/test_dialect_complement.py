"""The complement of a condition is true exactly when the condition is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given

from siftmesh.errors import UnsupportedFeature
from siftmesh.language import ast
from siftmesh.language.dialects.complement import complement
from siftmesh.model.event import Event
from siftmesh.model.values import Timestamp
from tests.effort import examples
from tests.reference.ast_oracle import truth
from tests.reference.filters import conditions, events

REFUSED = (ast.Contains, ast.Overlaps, ast.Some)


def has_complement(condition: ast.Condition) -> bool:
    return not any(is_refused(node) for node in ast.walk(condition))


def is_refused(node: ast.Node) -> bool:
    """Whether kinds do not decide what compares: a string does, or does not, beside a written moment."""
    match node:
        case ast.Comparison():
            return any(map(is_written_moment, (node.left, node.right)))
        case ast.Between():
            return any(map(is_written_moment, (node.operand, node.low, node.high)))
        case ast.In():
            return any(map(is_written_moment, (node.operand, *node.items)))
    return isinstance(node, REFUSED)


def is_written_moment(side: ast.Expression) -> bool:
    """Whether it asks no attribute and has a moment in it."""
    parts = list(ast.walk(side))
    asks = any(isinstance(part, ast.Attribute) for part in parts)
    return not asks and any(
        isinstance(part, ast.Literal) and isinstance(part.value, Timestamp) for part in parts
    )


@examples(150)
@given(conditions(4), events())
def test_one_of_a_condition_and_its_complement_is_true(condition: ast.Condition, event: Any) -> None:
    assume(has_complement(condition))
    read = Event.of(event)
    assert (truth(complement(condition), read) is True) is (truth(condition, read) is not True)


@given(conditions(3))
def test_what_has_no_complement_is_refused(condition: ast.Condition) -> None:
    if has_complement(condition):
        complement(condition)
    else:
        with pytest.raises(UnsupportedFeature):
            complement(condition)
