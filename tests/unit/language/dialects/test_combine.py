from __future__ import annotations

import pytest

from siftmesh.language.ast import And, Attribute, Comparison, Literal, Or, Truth
from siftmesh.language.dialects.combine import all_of, any_of, of_kind
from siftmesh.language.formatter import format_filter
from siftmesh.model.event import Event
from tests.reference.ast_oracle import truth

A = Attribute("a")
ONE, TWO = Comparison("=", A, Literal(1)), Comparison("=", A, Literal(2))


def test_none_of_them_is_a_constant() -> None:
    assert all_of([]) == Truth(True)
    assert any_of([]) == Truth(False)


def test_one_of_them_stays_as_it_is() -> None:
    assert all_of([ONE]) is ONE
    assert any_of([ONE]) is ONE


def test_several_of_them_keep_their_order() -> None:
    assert all_of(iter([ONE, TWO])) == And((ONE, TWO))
    assert any_of(iter([TWO, ONE])) == Or((TWO, ONE))


def test_kinds_are_asked_by_name() -> None:
    assert format_filter(of_kind(A, "string")) == "kind(a) = 'string'"
    assert format_filter(of_kind(A, "null", "bool", negated=True)) == "kind(a) NOT IN ('null', 'bool')"


@pytest.mark.parametrize("event", [{}, {"a": None}, {"a": "x"}, {"a": [1]}, {"a": {"b": 1}}])
@pytest.mark.parametrize("kinds", [("null",), ("string", "array"), ("opaque", "number")])
def test_a_question_of_kind_is_never_unknown(event: dict[str, object], kinds: tuple[str, ...]) -> None:
    read = Event.of(event)
    assert truth(of_kind(A, *kinds), read) is not None
    assert truth(of_kind(A, *kinds), read) is not truth(of_kind(A, *kinds, negated=True), read)
