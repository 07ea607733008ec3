"""The syntax tree: equal by what was written, wherever it was written."""

from __future__ import annotations

import pytest

from siftmesh.language import ast
from siftmesh.language.parser import parse

A, ONE = ast.Attribute("a"), ast.Literal(1)


def test_spans_do_not_matter_for_equality() -> None:
    one, other = ast.Attribute("a", (0, 1)), ast.Attribute("a", (7, 8))
    assert one == other
    assert hash(one) == hash(other)
    assert parse("a=1 AND b=2") == parse("  a = 1\n AND  b  =  2")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (ast.Literal(1), ast.Literal(True)),
        (ast.Literal(1), ast.Literal(1.0)),
        (ast.Literal(0.0), ast.Literal(-0.0)),
        (ast.Literal("a"), ast.Attribute("a")),
        (ast.Attribute("a"), ast.Parameter("a")),
        (ast.IsNull(A), ast.IsNull(A, negated=True)),
        (ast.And((ast.IsNull(A), ast.IsTrue(A))), ast.Or((ast.IsNull(A), ast.IsTrue(A)))),
        (ast.And((ast.IsNull(A), ast.IsTrue(A))), ast.And((ast.IsTrue(A), ast.IsNull(A)))),
        (ast.Comparison("=", A, ONE), ast.Comparison("=", ONE, A)),
    ],
)
def test_what_means_something_else_is_not_equal(one: ast.Node, other: ast.Node) -> None:
    assert one != other
    assert not one == other  # noqa: SIM201 (both operators are asked)


def test_equal_nodes_are_not_unequal() -> None:
    assert not ast.Literal(1, (0, 1)) != ast.Literal(1, (5, 6))  # noqa: SIM202 (both operators are asked)


def test_a_node_is_no_other_object() -> None:
    assert ast.Literal(1) != 1
    assert ast.Attribute("a") != "a"


def test_walking_meets_every_node_before_its_children_from_left_to_right() -> None:
    condition = parse("NOT a = :p AND SOME (xs AS x: x > 2) OR b IN (1, :q)")
    names = [type(node).__name__ for node in ast.walk(condition)]
    assert names == [
        *("Or", "And", "Not", "Comparison", "Attribute", "Parameter"),
        *("Some", "Binding", "Attribute", "Comparison", "Attribute", "Literal"),
        *("In", "Attribute", "Literal", "Parameter"),
    ]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a = 1", ()),
        ("a = :p", ("p",)),
        ("b = :q AND a IN (:p, :q) AND c LIKE :r", ("q", "p", "r")),
        ("lower(:x) = a OR SOME (xs AS x: x = :y)", ("x", "y")),
    ],
)
def test_parameters_come_in_the_order_they_first_appear(text: str, names: tuple[str, ...]) -> None:
    assert ast.parameters(parse(text)) == names
