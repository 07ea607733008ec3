"""The complement of a condition is true exactly when the condition is not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import assume, given, settings

from siftmesh.errors import UnsupportedFeature
from siftmesh.language import ast
from siftmesh.language.dialects.complement import complement
from siftmesh.model.event import Event
from siftmesh.model.values import Timestamp
from tests.reference.ast_oracle import truth
from tests.reference.filters import conditions, events

REFUSED = (ast.Contains, ast.Overlaps, ast.Some, ast.Parameter)


def has_complement(condition: ast.Condition) -> bool:
    return not any(
        isinstance(node, REFUSED) or (isinstance(node, ast.Literal) and isinstance(node.value, Timestamp))
        for node in ast.walk(condition)
    )


@settings(max_examples=150)
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
