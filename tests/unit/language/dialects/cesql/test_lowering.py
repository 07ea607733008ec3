from __future__ import annotations

from typing import Any

import pytest

from siftmesh.errors import LimitExceeded, SubscriptionError, SyntaxError, UnsupportedFeature
from siftmesh.language import ast
from siftmesh.language.dialects.cesql import lower, parse, parse_cesql
from siftmesh.language.formatter import format_filter
from siftmesh.language.limits import Limits


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("type = 'com.x'", "type = 'com.x'"),
        ("type = 'a' AND source LIKE 'b%'", "type = 'a' AND source LIKE 'b%'"),
        ("type = 'a' OR type LIKE 'b%'", "type = 'a' OR type LIKE 'b%'"),
        ("type = 'a' OR type IN ('b', 'c')", "type = 'a' OR type IN ('b', 'c')"),
        ("type IN ('b', 'c') OR type = 'a'", "type IN ('b', 'c') OR type = 'a'"),
        # Where the first attribute is missing there is an error, and nothing matches.
        ("type = 'a' OR source = 'b'", "type = 'a' OR type IS NOT NULL AND source = 'b'"),
        ("EXISTS type OR source = 'b'", "type IS NOT NULL OR source = 'b'"),
        (
            "(type = 'a' AND source = 'x') OR (source = 'y' AND type = 'b')",
            "type = 'a' AND source = 'x' OR source = 'y' AND type = 'b'",
        ),
        (
            "(type = 'a' OR source = 'x') AND (type = 'b' OR source = 'y')",
            "(type = 'a' OR type IS NOT NULL AND source = 'x')"
            " AND (type = 'b' OR type IS NOT NULL AND source = 'y')",
        ),
        ("NOT (NOT type = 'a')", "cesql_equal(cesql_not(type), 'a') = FALSE"),
        ("NOT (NOT (type = 'a'))", "type = 'a'"),
        (
            "NOT (type = 'a' AND source = 'b')",
            "type <> 'a' OR cesql_string(type) <> 'a'"
            " OR type IS NOT NULL AND (source <> 'b' OR cesql_string(source) <> 'b')",
        ),
        (
            "BOOL(flag) AND type = 'a'",
            "(flag = TRUE OR (flag <> 0 OR flag ILIKE 'true') AND cesql_bool(flag) = TRUE) AND type = 'a'",
        ),
        ("EXISTS a XOR EXISTS b", "a IS NOT NULL AND b IS NULL OR a IS NULL AND b IS NOT NULL"),
        (
            "EXISTS a XOR EXISTS b XOR EXISTS c XOR d",
            "cesql_xor(cesql_exists(a), cesql_exists(b), cesql_exists(c), d) = TRUE",
        ),
        # What no event is needed for is decided at once.
        ("1 < 2 OR missing", "TRUE"),
        ("1 / 0 = 1 OR type = 'a'", "FALSE"),
        ("type = 'a' OR 1 = 1", "type IS NOT NULL"),
        ("TRUE", "TRUE"),
        # The result must be the boolean itself.
        ("flag", "flag = TRUE"),
        ("(5flag)", '"5flag" = TRUE'),
        ("5", "FALSE"),
        ("'true'", "FALSE"),
        ("hop + 1", "FALSE"),
        ("LOWER(type)", "FALSE"),
    ],
)
def test_conditions(text: str, condition: str) -> None:
    assert format_filter(parse_cesql(text)) == condition
    assert lower(parse(text)) == parse_cesql(text)


def test_what_grows_too_large_is_computed_as_a_whole() -> None:
    text = " OR ".join(f"a{number} = 'x'" for number in range(200))
    condition = parse_cesql(text)
    assert isinstance(condition, ast.Comparison)
    assert format_filter(condition).startswith("cesql_or(cesql_equal(a0, 'x'), ")
    # The parts around it stay what they were.
    assert format_filter(parse_cesql(f"type = 'y' AND ({text})")).startswith("type = 'y' AND cesql_or(")


def test_a_long_list_of_alternatives_stays_ordinary() -> None:
    text = " OR ".join(f"(type = 'x{number}' AND source = 'y')" for number in range(300))
    condition = parse_cesql(text)
    assert isinstance(condition, ast.Or)
    assert all(isinstance(operand, ast.And) and len(operand.operands) == 2 for operand in condition.operands)


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("a = 1 OR LOVER(b) = 'x'", "LOVER", "LOWER"),
        ("ZZZZZ()", "ZZZZZ", "one of ABS"),
        ("LEFT(a)", "LEFT", "another number"),
        ("TRUE OR CONCAT_WS()", "CONCAT_WS", "another number"),
    ],
)
def test_functions_that_do_not_exist_are_refused(text: str, place: str, expected: str) -> None:
    with pytest.raises(UnsupportedFeature) as caught:
        parse_cesql(text)
    assert caught.value.span is not None
    assert text[slice(*caught.value.span)] == place
    assert expected in str(caught.value.expected)


@pytest.mark.parametrize("thing", [None, 5, b"type = 'a'", ["type = 'a'"]])
def test_an_expression_is_text(thing: Any) -> None:
    with pytest.raises(SyntaxError, match="is text"):
        parse_cesql(thing)


def test_limits_are_handed_on() -> None:
    with pytest.raises(LimitExceeded):
        parse_cesql("a = 1", Limits(text=4))
    with pytest.raises(SubscriptionError, match="nested too deeply"):
        parse_cesql("NOT " * 20_000 + "EXISTS a", Limits(depth=100_000, nodes=100_000))
