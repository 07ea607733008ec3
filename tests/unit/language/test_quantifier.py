"""SOME: one index of parallel arrays."""

from __future__ import annotations

import pytest

from siftmesh.errors import SyntaxError
from siftmesh.language import ast
from siftmesh.language.parser import parse

X, Y = ast.Attribute("x"), ast.Attribute("y")
XS = ast.Binding(ast.Attribute("xs"), "x")
YS = ast.Binding(ast.Attribute("data.ys"), "y")


def term(operator: ast.ComparisonOperator, variable: ast.Attribute, value: object) -> ast.Comparison:
    return ast.Comparison(operator, variable, ast.Literal(value))  # type: ignore[arg-type]  # scalars, below


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("SOME (xs AS x: x = 1)", ast.Some((XS,), (term("=", X, 1),))),
        ("some(xs as x:x = 1)", ast.Some((XS,), (term("=", X, 1),))),
        (
            "SOME (xs AS x, data.ys AS y: x >= 45 AND y < 'b')",
            ast.Some((XS, YS), (term(">=", X, 45), term("<", Y, "b"))),
        ),
        ("SOME (xs AS x: 5 < x)", ast.Some((XS,), (term(">", X, 5),))),
        ("SOME (xs AS x: 5 >= x AND 1 <> x)", ast.Some((XS,), (term("<=", X, 5), term("<>", X, 1)))),
        ("SOME (xs AS x: x BETWEEN 1 AND 2)", ast.Some((XS,), (term(">=", X, 1), term("<=", X, 2)))),
        (
            "SOME (xs AS x: x BETWEEN 1 AND 2 AND x <> -1.5)",
            ast.Some((XS,), (term(">=", X, 1), term("<=", X, 2), term("<>", X, -1.5))),
        ),
        ("SOME (xs AS x: x = :p)", ast.Some((XS,), (ast.Comparison("=", X, ast.Parameter("p")),))),
        ("SOME (xs AS x: :p = x)", ast.Some((XS,), (ast.Comparison("=", X, ast.Parameter("p")),))),
        (
            'SOME ("odd" AS escape: escape = 1)',
            ast.Some(
                (ast.Binding(ast.Attribute("odd"), "escape"),), (term("=", ast.Attribute("escape"), 1),)
            ),
        ),
        ("NOT SOME (xs AS x: x = 1)", ast.Not(ast.Some((XS,), (term("=", X, 1),)))),
        ("some = 1", ast.Comparison("=", ast.Attribute("some"), ast.Literal(1))),
    ],
)
def test_bindings_and_terms(text: str, node: ast.Condition) -> None:
    assert parse(text) == node


@pytest.mark.parametrize(
    ("inside", "bad"),
    [
        ("", ")"),
        ("xs", ")"),
        ("xs AS", ")"),
        ("xs AS x", ")"),
        ("xs AS x:", ")"),
        ("xs AS x: x", ")"),
        ("xs AS 5: x = 1", "5"),
        ("xs AS x.y: x = 1", "x.y"),
        ("xs AS not: x = 1", "not"),
        ('xs AS "x": x = 1', '"x"'),
        ("xs = 1 AS x: x = 1", "="),
        ("xs AS x, ys AS x: x = 1", "ys AS x"),
        ("xs AS x: y = 1", "y"),
        ("xs AS x: x = y", "y"),
        ("xs AS x: 1 = 2", "2"),
        ("xs AS x: x + 1 = 2", "+"),
        ("xs AS x: x IN (1)", "IN"),
        ("xs AS x: x = 1 OR x = 2", "OR"),
        ("xs AS x: NOT x = 1", "NOT"),
        ("xs AS x: x = 1 AND", ")"),
        ("xs AS x: x.y = 1", "x.y"),
        ("xs AS y:x = 1", "x"),
    ],
)
def test_anything_else_is_refused_at_its_place(inside: str, bad: str) -> None:
    text = f"SOME ({inside})"
    with pytest.raises(SyntaxError) as caught:
        parse(text)
    assert caught.value.span is not None
    assert text[slice(*caught.value.span)] == bad
