from __future__ import annotations

import pytest

from siftmesh.language.dialects.cesql.leaves import leaf_sides, residual
from siftmesh.language.dialects.cesql.parser import parse
from siftmesh.language.dialects.cesql.pieces import Piece, condition_of
from siftmesh.language.formatter import format_filter


def written(piece: Piece) -> str:
    return format_filter(condition_of(piece))


@pytest.mark.parametrize(
    ("text", "true", "false", "readable"),
    [
        ("a = 'com.x'", "a = 'com.x'", "a <> 'com.x' OR cesql_string(a) <> 'com.x'", "a IS NOT NULL"),
        (
            "'com.x' = a",
            "a = 'com.x'",
            "cesql_equal('com.x', a) = FALSE",
            "cesql_equal('com.x', a) IS NOT NULL",
        ),
        (
            "a = -5",
            "a = -5 OR a LIKE '-%5' AND cesql_int(a) = -5",
            "cesql_int(a) <> -5",
            "cesql_int(a) IS NOT NULL",
        ),
        (
            "INT(a) < 1",
            "(a < 1 OR a = FALSE OR a >= '+' AND a < ':') AND cesql_int(a) < 1",
            "(a >= 1 OR a = TRUE OR a >= '+' AND a < ':') AND cesql_int(a) >= 1",
            "cesql_int(a) IS NOT NULL",
        ),
        (
            "5 < a",
            "(a > 5 OR a >= '+' AND a < ':') AND cesql_int(a) > 5",
            "(a <= 5 OR a = FALSE OR a = TRUE OR a >= '+' AND a < ':') AND cesql_int(a) <= 5",
            "cesql_int(a) IS NOT NULL",
        ),
        ("a < 'x'", "FALSE", "FALSE", "FALSE"),
        (
            "a = FALSE",
            "a = FALSE OR (a = 0 OR a ILIKE 'false') AND cesql_bool(a) = FALSE",
            "a = TRUE OR (a <> 0 OR a ILIKE 'true') AND cesql_bool(a) = TRUE",
            "cesql_bool(a) IS NOT NULL",
        ),
        (
            "NOT a",
            "(a = FALSE OR a ILIKE 'false') AND cesql_not(a) = TRUE",
            "(a = TRUE OR a ILIKE 'true') AND cesql_not(a) = FALSE",
            "cesql_not(a) IS NOT NULL",
        ),
        ("NOT LENGTH(a)", "FALSE", "FALSE", "FALSE"),
        ("EXISTS a", "a IS NOT NULL", "a IS NULL", "TRUE"),
        ("a LIKE 'x%'", "a LIKE 'x%'", "a NOT LIKE 'x%' OR cesql_string(a) NOT LIKE 'x%'", "a IS NOT NULL"),
        (
            "LOWER(a) LIKE 'x%'",
            "cesql_lower(a) LIKE 'x%'",
            "cesql_lower(a) NOT LIKE 'x%'",
            "cesql_lower(a) IS NOT NULL",
        ),
        (
            "(a + 1) LIKE '5%'",
            "cesql_string(cesql_add(a, 1)) LIKE '5%'",
            "cesql_string(cesql_add(a, 1)) NOT LIKE '5%'",
            "cesql_string(cesql_add(a, 1)) IS NOT NULL",
        ),
        (
            "a IN ('x', 'y')",
            "a IN ('x', 'y')",
            "a NOT IN ('x', 'y') OR cesql_type(a) = 'string' AND cesql_string(a) NOT IN ('x', 'y')",
            "a >= '' OR cesql_type(a) = 'string'",
        ),
        (
            "a IN ('05', '7')",
            "a IN ('05', '7') OR a IN (5, 7)",
            "a NOT IN ('05', '7') OR cesql_type(a) = 'string' AND cesql_string(a) NOT IN ('05', '7')"
            " OR cesql_type(a) = 'integer' AND a NOT IN (5, 7)",
            "a >= '' OR cesql_type(a) = 'string' OR cesql_type(a) = 'integer'",
        ),
        (
            "a IN (5, 0)",
            "a IN ('5', '0') OR a IN (5, 0) OR a = FALSE OR a = TRUE",
            "a NOT IN ('5', '0') OR cesql_type(a) = 'string' AND cesql_string(a) NOT IN ('5', '0')"
            " OR cesql_type(a) = 'integer' AND a NOT IN (5, 0)",
            "a IS NOT NULL",
        ),
        (
            "a = b",
            "cesql_equal(a, b) = TRUE",
            "cesql_equal(a, b) = FALSE",
            "cesql_equal(a, b) IS NOT NULL",
        ),
        (
            "a IN (b, 'x')",
            "cesql_in(a, b, 'x') = TRUE",
            "cesql_in(a, b, 'x') = FALSE",
            "cesql_in(a, b, 'x') IS NOT NULL",
        ),
        (
            "a",
            "a = TRUE OR (a <> 0 OR a ILIKE 'true') AND cesql_bool(a) = TRUE",
            "a = FALSE OR (a = 0 OR a ILIKE 'false') AND cesql_bool(a) = FALSE",
            "cesql_bool(a) IS NOT NULL",
        ),
    ],
)
def test_when_a_leaf_is_true_false_and_readable(text: str, true: str, false: str, readable: str) -> None:
    sides = leaf_sides(parse(text))
    assert written(sides.true) == true
    assert written(sides.false) == false
    assert written(sides.near_true) == written(sides.near_false) == readable


def test_what_is_no_boolean_is_cast() -> None:
    sides = residual(parse("a + b"))
    assert written(sides.true) == "cesql_bool(cesql_add(a, b)) = TRUE"
    assert written(sides.near_true) == "cesql_bool(cesql_add(a, b)) IS NOT NULL"
    assert {("present", "a"), ("present", "b")} < sides.true.facts
