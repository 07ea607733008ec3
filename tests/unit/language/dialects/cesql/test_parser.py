from __future__ import annotations

import pytest

from siftmesh.errors import LimitExceeded, SubscriptionError, SyntaxError, UnsupportedFeature
from siftmesh.language.dialects.cesql.parser import parse, pattern_of
from siftmesh.language.dialects.cesql.tree import (
    Apply,
    Attribute,
    Call,
    Exists,
    Expression,
    In,
    Like,
    Literal,
    Logic,
    Not,
)
from siftmesh.language.limits import Limits


def shown(node: Expression) -> str:
    """The tree with all its parentheses."""
    match node:
        case Literal():
            return repr(node.value)
        case Attribute():
            return node.name
        case Exists():
            return f"?{node.attribute.name}"
        case Not():
            return f"!{shown(node.operand)}"
        case Like():
            return f"({shown(node.operand)} ~ {node.pattern})"
        case In():
            return f"({shown(node.operand)} in {' '.join(map(shown, node.items))})"
        case Logic():
            return f"({f' {node.operator} '.join(map(shown, node.operands))})"
        case Call():
            return f"{node.function}[{' '.join(map(shown, node.arguments))}]"
        case Apply():
            return f"({node.operator} {' '.join(map(shown, node.operands))})"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("a = 1 AND b < 2", "((equal a 1) AND (less b 2))"),
        ("a OR b AND c", "((a OR b) AND c)"),
        ("a AND b OR c XOR d", "(((a AND b) OR c) XOR d)"),
        ("a OR b OR c", "(a OR b OR c)"),
        ("a OR (b OR c)", "(a OR (b OR c))"),
        ("NOT a = b", "(equal !a b)"),
        ("NOT a LIKE 'x'", "(!a ~ x)"),
        ("a NOT LIKE 'x'", "!(a ~ x)"),
        ("a = b LIKE 'x'", "(equal a (b ~ x))"),
        ("a NOT IN (1, b + 2)", "!(a in 1 (add b 2))"),
        ("a + b IN (1)", "(add a (b in 1))"),
        ("a LIKE 'x' IN (TRUE)", "((a ~ x) in True)"),
        ("a IN (TRUE) LIKE 'x'", "((a in True) ~ x)"),
        ("NOT EXISTS a AND EXISTS b = TRUE", "(!?a AND (equal ?b True))"),
        ("1 - 2 - 3", "(subtract (subtract 1 2) 3)"),
        ("1-2", "(subtract 1 2)"),
        ("1 -2", "(subtract 1 2)"),
        ("1 - -2", "(subtract 1 -2)"),
        ("+5 * -5", "(multiply 5 -5)"),
        ("--10", "(negate -10)"),
        ("- 10", "(negate 10)"),
        ("-a * 2", "(multiply (negate a) 2)"),
        ("-2147483648", "-2147483648"),
        ("1 + 2 * 3 % 4", "(add 1 (remainder (multiply 2 3) 4))"),
        ("1 < 2 = TRUE", "(equal (less 1 2) True)"),
        ("a != 1", "!(equal a 1)"),
        ("a <> 1", "!(equal a 1)"),
        ("a >= 1 AND a > 1 AND a <= 1", "((at_least a 1) AND (more a 1) AND (at_most a 1))"),
        ("Type = sUBJECT", "(equal type subject)"),
        ("concat_ws ('-', a)", "CONCAT_WS['-' a]"),
        ("f()", "F[]"),
        ("(((a)))", "a"),
        ("5abc = 0007", "(equal 5abc 7)"),
    ],
)
def test_how_tightly_operators_bind(text: str, tree: str) -> None:
    assert shown(parse(text)) == tree


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("a = 1 OR b NOT LIKE 'x'", "a = 1 OR b NOT LIKE 'x'"),
        ("  NOT a ", "NOT a"),
        (" f(a, 1) ", "f(a, 1)"),
        (" a IN (1, 2) ", "a IN (1, 2)"),
        (" -5 ", "-5"),
        (" EXISTS a ", "EXISTS a"),
    ],
)
def test_nodes_keep_their_places(text: str, part: str) -> None:
    assert text[slice(*parse(text).span)] == part


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("", "", "an attribute"),
        ("a =", "", "an attribute"),
        ("a = )", ")", "an attribute"),
        ("a b", "b", "an operator or the end"),
        ("(a", "", "closing parenthesis"),
        ("a LIKE 5", "5", "string literal"),
        ("a LIKE b", "b", "string literal"),
        ("a NOT = 5", "=", "LIKE or IN"),
        ("a NOT", "", "LIKE or IN"),
        ("a IN 5", "5", "in parentheses"),
        ("a IN ()", ")", "an attribute"),
        ("a IN (1,)", ")", "an attribute"),
        ("a IN (1 2)", "2", "a comma"),
        ("EXISTS 'a'", "'a'", "name of an attribute"),
        ("EXISTS (a)", "(", "name of an attribute"),
        ("ABC(", "", "an attribute"),
        ("ab1(5)", "(", "an operator"),
        ("+ 5", "5", "right after its sign"),
        ("+a", "a", "right after its sign"),
        ("'it''s'", "'s'", r"written \'"),
        ("a_b = 1", "a_b", "letters and digits"),
        ("2147483648", "2147483648", "2147483647"),
        ("-2147483649", "-2147483649", "-2147483648"),
    ],
)
def test_what_is_wrong_is_shown_with_what_was_expected(text: str, place: str, expected: str) -> None:
    with pytest.raises(SyntaxError) as caught:
        parse(text)
    assert caught.value.source == text
    assert caught.value.span is not None
    assert text[slice(*caught.value.span)] == place
    assert expected in str(caught.value.expected)


@pytest.mark.parametrize("text", ["data = 'x'", "EXISTS DATA"])
def test_the_payload_is_no_attribute(text: str) -> None:
    with pytest.raises(UnsupportedFeature, match="payload"):
        parse(text)


@pytest.mark.parametrize(
    ("text", "limits", "limit"),
    [
        ("a + b + c", Limits(nodes=4), 4),
        ("((a))", Limits(depth=1), 1),
        ("f(f(a))", Limits(depth=2), 2),
        ("NOT NOT a", Limits(depth=1), 1),
        ("1 + 2 + 3 + 4", Limits(depth=3), 3),
        ("a AND b OR c AND d", Limits(depth=3), 3),
        ("a IN (1, 2, 3)", Limits(items=2), 2),
        ("a LIKE 'abcd'", Limits(pattern=3), 3),
        ("a LIKE '%a%'", Limits(wildcards=1), 1),
    ],
)
def test_limits(text: str, limits: Limits, limit: int) -> None:
    parse(text)
    with pytest.raises(LimitExceeded) as caught:
        parse(text, limits)
    assert caught.value.limit == limit


def test_long_chains_are_not_deep_and_constants_in_lists_are_no_nodes() -> None:
    parse(" OR ".join(["a = 1"] * 1000))
    parse(f"a IN ({', '.join(['1'] * 1000)})", Limits(nodes=2))
    with pytest.raises(LimitExceeded):
        parse(f"a IN ({', '.join(['b'] * 1000)})", Limits(nodes=999))


def test_a_limit_that_the_python_stack_cannot_hold() -> None:
    with pytest.raises(SubscriptionError, match="nested too deeply"):
        parse("(" * 50_000 + "a" + ")" * 50_000, Limits(depth=100_000))


@pytest.mark.parametrize(
    ("written", "canonical"),
    [
        ("abc%", "abc%"),
        (r"a\%b\_c", r"a\%b\_c"),
        (r"a\b", r"a\\b"),
        (r"a\\%", r"a\\\%"),
        ("a\\", r"a\\"),
        ("%%_", "_%"),
    ],
)
def test_only_wildcards_are_escaped_in_patterns(written: str, canonical: str) -> None:
    assert pattern_of(written) == canonical
