"""What binds how tightly, and what each construct becomes."""

from __future__ import annotations

import sys

import pytest

from siftmesh.errors import LimitExceeded, SyntaxError, TypeMismatch
from siftmesh.language import ast
from siftmesh.language.formatter import format_filter
from siftmesh.language.limits import Limits
from siftmesh.language.parser import parse
from siftmesh.logic.render import render
from siftmesh.matcher import Matcher

A, B, C = (ast.Attribute(name) for name in "abc")
ONE, TWO = ast.Literal(1), ast.Literal(2)


def equal(name: str, value: int) -> ast.Comparison:
    return ast.Comparison("=", ast.Attribute(name), ast.Literal(value))


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("a = 1 OR b = 1 AND c = 1", "a = 1 OR (b = 1 AND c = 1)"),
        ("a = 1 AND b = 1 OR c = 1", "(a = 1 AND b = 1) OR c = 1"),
        ("NOT a = 1 AND b = 1", "(NOT a = 1) AND b = 1"),
        ("NOT NOT a", "NOT (NOT a)"),
        ("a + b * c = 1", "a + (b * c) = 1"),
        ("a - b - c = 1", "(a - b) - c = 1"),
        ("a / b % c = 1", "(a / b) % c = 1"),
        ("- a * b = 1", "(- a) * b = 1"),
        ("a = b + 1 AND c", "(a = (b + 1)) AND c"),
        ("a BETWEEN 1 AND 2 AND b = 1", "(a BETWEEN 1 AND 2) AND b = 1"),
        ("a BETWEEN b + 1 AND c - 1", "a BETWEEN (b + 1) AND (c - 1)"),
        ("NOT a IN (1) OR b", "(NOT (a IN (1))) OR b"),
        ("a + 1 IS NULL", "(a + 1) IS NULL"),
        ("((a)) = ((1))", "a = 1"),
    ],
)
def test_operators_bind_as_in_sql(text: str, same_as: str) -> None:
    assert parse(text) == parse(same_as)


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("a", ast.IsTrue(A)),
        ("TRUE", ast.Truth(True)),
        ("lower(a)", ast.IsTrue(ast.Call("lower", (A,)))),
        ("a <> 1", ast.Comparison("<>", A, ONE)),
        ("a != 1", ast.Comparison("<>", A, ONE)),
        ("1 < a", ast.Comparison("<", ONE, A)),
        ("a NOT BETWEEN 1 AND 2", ast.Between(A, ONE, TWO, True)),
        ("a NOT IN (1, 2)", ast.In(A, (ONE, TWO), True)),
        ("a LIKE 'x%'", ast.Like(A, ast.Literal("x%"))),
        ("a NOT ILIKE 'x!%' ESCAPE '!'", ast.Like(A, ast.Literal("x!%"), "!", True, True)),
        ("a LIKE 'x' ESCAPE ''''", ast.Like(A, ast.Literal("x"), "'")),
        ("a IS NULL", ast.IsNull(A)),
        ("a IS NOT NULL", ast.IsNull(A, True)),
        ("EXISTS (a)", ast.Exists(A)),
        ("exists", ast.IsTrue(ast.Attribute("exists"))),
        ("a CONTAINS 1", ast.Contains(A, ONE)),
        ("a NOT OVERLAPS (1, 2)", ast.Not(ast.Overlaps(A, (ONE, TWO)))),
        ("contains contains 1", ast.Contains(ast.Attribute("contains"), ONE)),
        ("timestamp = 1", ast.Comparison("=", ast.Attribute("timestamp"), ONE)),
        ("- a = -1", ast.Comparison("=", ast.Negate(A), ast.Literal(-1))),
        ("a - -1 = 1", ast.Comparison("=", ast.Arithmetic("-", A, ast.Literal(-1)), ONE)),
        ("concat() = ''", ast.Comparison("=", ast.Call("concat", ()), ast.Literal(""))),
        ("COALESCE(a, 1) = 1", ast.Comparison("=", ast.Call("coalesce", (A, ONE)), ONE)),
        ("a = 1 AND b = 1 AND c = 1", ast.And((equal("a", 1), equal("b", 1), equal("c", 1)))),
        (
            "a = 1 AND (b = 1 AND c = 1)",
            ast.And((equal("a", 1), ast.And((equal("b", 1), equal("c", 1))))),
        ),
    ],
)
def test_each_construct_has_its_node(text: str, node: ast.Condition) -> None:
    assert parse(text) == node


@pytest.mark.parametrize(
    "text",
    ["a = 1", "a.b<>'x'", "a >= -1.5", "a = 1 AND b < 'x' OR (c = 2)", "a != 5 and NOT b = 'it''s'"],
)
def test_a_comparison_taken_in_one_step_is_what_its_parts_are(text: str) -> None:
    # A constant in parentheses is none for the tokenizer, so that the parser takes the parts one by one.
    slowly = text
    for constant in ("1", "'x'", "-1.5", "2", "5", "'it''s'"):
        slowly = slowly.replace(f" {constant}", f" ({constant})").replace(f">{constant}", f">({constant})")
    assert slowly != text
    assert parse(slowly) == parse(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "a =",
            "= 1",
            "a b",
            "(a",
            "a)",
            "a = 1 = 1",
            "NOT",
            "a NOT 1",
            "a IS 1",
            "EXISTS(1)",
            "EXISTS(a = 1)",
        ),
        *(
            "lower(a,) = 1",
            "lower(,a) = 1",
            "lower(a b) = 1",
            "a LIKE 'x' ESCAPE ''",
            "a LIKE 'x' ESCAPE 'xy'",
        ),
        *(
            "a LIKE 'x!' ESCAPE '!'",
            "(a = 1) IS NULL",
            "a + 1 CONTAINS 1",
            "\u212aind(a) = 'x'",
            "a.b(1) = 1",
        ),
    ],
)
def test_what_is_not_in_the_language_is_a_syntax_error(text: str) -> None:
    with pytest.raises(SyntaxError):
        parse(text)


@pytest.mark.parametrize("text", ["1", "'x'", "a + 1", "-a", "a = 1 AND 1", "NOT 'x'", "a LIKE 1"])
def test_a_value_of_the_wrong_sort_is_a_type_error(text: str) -> None:
    with pytest.raises(TypeMismatch):
        parse(text)


def test_a_chain_of_arithmetic_is_as_deep_as_it_is_long() -> None:
    limits = Limits(depth=3)
    parse("a + 1 + 1 - 1 = 0 AND b * 2 * 2 * 2 = 0", limits)
    with pytest.raises(LimitExceeded):
        parse("a + 1 + 1 + 1 + 1 = 0", limits)
    with pytest.raises(LimitExceeded):
        parse("((a + 1 + 1)) = 0", limits)


DEEP = {
    "parentheses": ("(", "a = 1", ")"),
    "NOT": ("NOT ", "a", ""),
    "minus": ("- (", "a", ") = 1"),
    "calls": ("lower(", "a", ") = 'x'"),
    "AND and OR": ("(a AND (b OR ", "c", "))"),
    "sums": ("", "a", " + 1"),
    "AND within OR": ("(a OR b AND ", "c", ")"),
    "sums of products": ("(1 + 2 * ", "a", ") = 1"),
}


@pytest.mark.parametrize("family", DEEP)
def test_what_is_accepted_is_never_too_deep_for_the_rest(family: str) -> None:
    start, middle, end = DEEP[family]
    deepest = None
    for depth in range(1, 300):
        text = start * depth + middle + (end.split(" = ")[0] * depth)
        text += " = 1" if " = " in end or family == "sums" else ""
        try:
            condition = parse(text, Limits(depth=10**6))
        except LimitExceeded:
            break
        deepest = condition
    else:
        pytest.fail("nothing is too deep")
    assert deepest is not None
    assert parse(format_filter(deepest), Limits(depth=10**6)) == deepest
    hash(deepest)
    matcher = Matcher(limits=Limits(depth=10**6))
    matcher.add(1, format_filter(deepest))
    matcher.add_many(format_filter(deepest) + " OR z = :z", [{"id": 2, "z": None}])
    matcher.match({"a": 1})
    for id in matcher:
        str(matcher.explain(id, {"a": 1}))
        render(matcher[id])


def test_a_caller_deep_in_the_stack_gets_an_error_of_ours() -> None:
    def parse_from(depth: int) -> None:
        if depth:
            parse_from(depth - 1)
        else:
            parse("(" * 90 + "a" + ")" * 90)

    frame, used = sys._getframe(), 0
    while frame.f_back is not None:
        frame, used = frame.f_back, used + 1
    with pytest.raises(LimitExceeded, match="left of Python's stack"):
        parse_from(sys.getrecursionlimit() - used - 100)


def test_nodes_have_a_limit_however_they_are_written() -> None:
    for text, count in (("a = 1 AND b = 2", 7), ("a OR b OR c", 7), ("a", 2), ("a IN (1, 2, 3)", 2)):
        parse(text, Limits(nodes=count))
        with pytest.raises(LimitExceeded, match=f"has {count} nodes"):
            parse(text, Limits(nodes=count - 1))
