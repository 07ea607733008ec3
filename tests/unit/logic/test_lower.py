"""A syntax tree to a Tree: NOT moves into the leaves, constants are computed, every leaf has one form."""

from __future__ import annotations

import pytest

from siftmesh.errors import ParameterError
from siftmesh.language import ast
from siftmesh.language.parser import parse
from siftmesh.logic.lower import lower
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import (
    FALSE,
    TRUE,
    And,
    Apply,
    Fixed,
    Get,
    Operator,
    Or,
    Predicate,
    Quantified,
    Residual,
    Term,
    Tree,
)
from siftmesh.model.values import Kind

NOON = "TIMESTAMP '1970-01-01T00:00:00.000005Z'"


def number(operator: Operator, value: float, name: str = "a") -> Predicate:
    return Predicate(name, operator, Kind.NUMBER, value)


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a < 5", number(Operator.LT, 5)),
        ("5 < a", number(Operator.GT, 5)),
        ("5 = a", number(Operator.EQ, 5)),
        ("NOT a < 5", number(Operator.GE, 5)),
        ("NOT NOT a < 5", number(Operator.LT, 5)),
        ("NOT (a < 5 AND b < 5)", Or((number(Operator.GE, 5), number(Operator.GE, 5, "b")))),
        ("NOT (a < 5 OR NOT b < 5)", And((number(Operator.GE, 5), number(Operator.LT, 5, "b")))),
        ("TRUE", TRUE),
        ("NOT TRUE", FALSE),
        ("a", Predicate("a", Operator.EQ, Kind.BOOL, True)),
        ("NOT a", Predicate("a", Operator.EQ, Kind.BOOL, False)),
        ("a <> TRUE", Predicate("a", Operator.EQ, Kind.BOOL, False)),
        ("a < TRUE", FALSE),
        ("a BETWEEN 1 AND 2", And((number(Operator.GE, 1), number(Operator.LE, 2)))),
        ("a NOT BETWEEN 1 AND 2", Or((number(Operator.LT, 1), number(Operator.GT, 2)))),
        ("NOT a NOT IN (2, 1)", Predicate("a", Operator.IN, Kind.NUMBER, (1, 2))),
        ("a NOT LIKE 'x'", Predicate("a", Operator.NE, Kind.STRING, "x")),
        ("NOT a ILIKE 'X'", Predicate("a", Operator.NOT_ILIKE, Kind.STRING, "x")),
        ("a IS NULL", Predicate("a", Operator.IS_NULL, Kind.NULL)),
        ("NOT EXISTS(a)", Predicate("a", Operator.NOT_EXISTS, Kind.NULL)),
        ("a CONTAINS 1.0", Predicate("a", Operator.CONTAINS, Kind.NUMBER, 1)),
        ("a NOT OVERLAPS ('y', 'x')", Predicate("a", Operator.NOT_OVERLAPS, Kind.STRING, ("x", "y"))),
        (f"a = {NOON}", Predicate("a", Operator.EQ, Kind.TIMESTAMP, 5)),
        (
            "NOT SOME (ys AS y, xs AS x: y < 'b' AND 1 <= x)",
            Quantified(
                ("xs", "ys"),
                Operator.NOT_SOME,
                (Term(0, Operator.GE, Kind.NUMBER, 1), Term(1, Operator.LT, Kind.STRING, "b")),
            ),
        ),
        (
            "SOME (xs AS x, xs AS y: y = 1 AND x = 1)",
            Quantified(("xs",), Operator.SOME, (Term(0, Operator.EQ, Kind.NUMBER, 1),)),
        ),
    ],
)
def test_each_construct_has_its_leaf(text: str, tree: Tree) -> None:
    assert lower(parse(text)) == tree


A_PLUS_1 = Apply("+", (Get("a"), Fixed(1, "int")))


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a < b", Residual(Operator.LT, Get("a"), Get("b"))),
        ("b > a", Residual(Operator.LT, Get("a"), Get("b"))),
        ("NOT b > a", Residual(Operator.LE, Get("b"), Get("a"))),
        ("b = a", Residual(Operator.EQ, Get("a"), Get("b"))),
        ("a + 1 < 5", Residual(Operator.LT, A_PLUS_1, None, number(Operator.LT, 5, ""))),
        ("5 > a + 1", Residual(Operator.LT, A_PLUS_1, None, number(Operator.LT, 5, ""))),
        ("a + 1 < b", Residual(Operator.LT, A_PLUS_1, Get("b"))),
        (
            "a + (2 - 1) IS NULL",
            Residual(Operator.IS_NULL, A_PLUS_1, None, Predicate("", Operator.IS_NULL, Kind.NULL)),
        ),
        ("a = 2 * 3", number(Operator.EQ, 6)),
        ("a BETWEEN -(1) AND 1 + 1", And((number(Operator.GE, -1), number(Operator.LE, 2)))),
    ],
)
def test_expressions_make_residuals_unless_they_are_constant(text: str, tree: Tree) -> None:
    assert lower(parse(text)) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("1 = 1.0", TRUE),
        ("1 < 1", FALSE),
        ("NOT 1 = 'x'", FALSE),
        ("1 / 0 = 1", FALSE),
        ("NOT 1 / 0 = 1", FALSE),
        ("1 / 0 IS NULL", TRUE),
        ("lower('X') = 'x'", TRUE),
        ("'x' LIKE 'x%'", TRUE),
        ("2 IN (1, 2.0)", TRUE),
        ("2 NOT IN (1, 3)", TRUE),
        ("2 NOT IN (1, 'x')", FALSE),
        ("2 BETWEEN 3 AND 1", FALSE),
        ("bool('true')", TRUE),
        (f"{NOON} = '1970-01-01T00:00:00.000005Z'", TRUE),
        (f"'1970-01-01T00:00:00.000005Z' = {NOON}", TRUE),
        (f"'1970-01-01T00:00:00Z' < {NOON}", TRUE),
        (f"{NOON} IN ('x', '1970-01-01T00:00:00.000005Z')", TRUE),
        (f"{NOON} BETWEEN '1970-01-01T00:00:00Z' AND '1970-01-02T00:00:00Z'", TRUE),
        (f"{NOON} NOT IN ('1970-01-01T00:00:00Z', '1970-01-02T00:00:00Z')", TRUE),
    ],
)
def test_what_reads_no_attribute_is_settled_at_once(text: str, tree: Tree) -> None:
    assert normalise(lower(parse(text))) == tree


@pytest.mark.parametrize(
    ("condition", "message"),
    [
        (parse("a = :p"), "the parameter :p has no value"),
        (parse("a IN (1, :p)"), "the parameter :p has no value"),
        (parse("a LIKE :p"), "the parameter :p has no value"),
        (parse("SOME (xs AS x: x = :p)"), "the parameter :p has no value"),
        (ast.Like(ast.Attribute("a"), ast.Literal(5)), "a LIKE pattern is a string, not 5"),
        (ast.IsTrue(ast.Literal(5)), "a condition is TRUE or FALSE, not 5"),
        (
            ast.Some(
                (ast.Binding(ast.Attribute("xs"), "x"),),
                (ast.Comparison("=", ast.Attribute("x"), ast.Literal(None)),),  # type: ignore[arg-type]  # bound to null
            ),
            "a bound inside SOME cannot be null",
        ),
    ],
)
def test_a_template_that_is_not_well_bound_is_refused(condition: ast.Condition, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        lower(condition)
    assert caught.value.what == message


def test_a_condition_bound_to_null_is_never_true() -> None:
    unknown = ast.IsTrue(ast.Literal(None))  # type: ignore[arg-type]  # bound to null
    assert lower(unknown) == lower(ast.Not(unknown)) == FALSE


def test_the_two_zeros_are_equal_but_not_the_same_constant() -> None:
    positive, negative = (lower(parse(f"string(a * {zero}) = '0.0'")) for zero in ("0.0", "-0.0"))
    assert positive != negative
    assert lower(parse("a * -0.0 < 5")) == lower(parse("a * -0.0 < 5"))
