"""A Tree as text that people can read."""

from __future__ import annotations

import pytest

from siftmesh.filters import FilterReader
from siftmesh.logic.render import render, render_expression, render_value
from siftmesh.logic.tree import Apply, Fixed, Get, Operator, Residual
from siftmesh.model.values import Kind


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("TRUE", "TRUE"),
        ("a = 1 AND a = 2", "FALSE"),
        ("b='x' and a<1.0", "a < 1 AND b = 'x'"),
        ("c = 1 OR b = 'x' AND a < 1", "c = 1 OR (a < 1 AND b = 'x')"),
        ("a = 1 AND (b = 1 OR c = 1)", "a = 1 AND (b = 1 OR c = 1)"),
        ("NOT a", "a = FALSE"),
        ("a = 2 OR a = 1", "a IN (1, 2)"),
        ("a NOT IN ('y', 'x')", "a NOT IN ('x', 'y')"),
        ("a LIKE 'it''s!%%' ESCAPE '!'", "a LIKE 'it''s\\%%' ESCAPE '\\'"),
        ("a NOT ILIKE 'X%'", "a NOT ILIKE 'x%'"),
        ("a IS NOT NULL", "a IS NOT NULL"),
        ("NOT EXISTS(a)", "NOT EXISTS(a)"),
        ("a NOT CONTAINS 1", "NOT a CONTAINS 1"),
        ("a OVERLAPS (2, 1)", "a OVERLAPS (1, 2)"),
        ("a = TIMESTAMP '1970-01-01'", "a = TIMESTAMP '1970-01-01T00:00:00Z'"),
        ("NOT SOME (ys AS y, xs AS x: y = 2 AND x > 1)", "NOT SOME (xs AS x0, ys AS x1: x0 > 1 AND x1 = 2)"),
        ('"and" = 1 OR "odd name".b = 2', '"and" = 1 OR "odd name".b = 2'),
        ("(a + 1) * 2 > -b", "-(b) < (a + 1) * 2"),
        ("lower(a) = 'x'", "lower(a) = 'x'"),
        ("a = 1e308 * 10", "a = float('1e999')"),
        ("a IN (1, 2) OR a = -1e308 * 10", "(a = float('-1e999') OR a = 1 OR a = 2)"),
    ],
)
def test_filters_are_rendered_in_normal_form(text: str, rendered: str) -> None:
    reader = FilterReader()
    tree = reader.read(text)
    # Siblings come in the order of the normal form, whatever that is.
    assert sorted(render(tree).split()) == sorted(rendered.split())
    assert reader.read(render(tree)) == tree


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (Kind.NUMBER, 1.5, "1.5"),
        (Kind.STRING, "it's", "'it''s'"),
        (Kind.BOOL, False, "FALSE"),
        (Kind.TIMESTAMP, 1, "TIMESTAMP '1970-01-01T00:00:00.000001Z'"),
    ],
)
def test_constants(kind: Kind, value: object, text: str) -> None:
    assert render_value(kind, value) == text


def test_null_has_no_literal_and_is_rendered_all_the_same() -> None:
    assert render_expression(Apply("+", (Get("a"), Fixed(None, "NoneType")))) == "a + int('')"


def test_a_residual_without_anything_to_ask_is_a_mistake_of_the_program() -> None:
    with pytest.raises(ValueError, match="compares with an expression or has a test"):
        render(Residual(Operator.EQ, Get("a")))
