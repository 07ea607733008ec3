from __future__ import annotations

from typing import Any

import pytest

from siftmesh.language import ast
from siftmesh.language.dialects.cesql.pieces import any_of, condition_of
from siftmesh.language.dialects.cesql.readings import foreign_readings, number_named, other_matches, readings
from siftmesh.language.formatter import format_filter

A = ast.Attribute("a")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("5", 5),
        ("-5", -5),
        ("05", None),
        ("+5", None),
        ("-0", None),
        ("5.0", None),
        ("5.5", 5.5),
        ("5.50", None),
        ("1e-07", 1e-07),
        ("1e-7", None),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", float(2**63)),
        ("9223372036854775809", None),
        ("100000000000000000000", 1e20),
        ("9" * 400, None),
        ("Infinity", None),
        ("", None),
    ],
)
def test_numbers_are_named_by_exactly_one_string(text: str, number: Any) -> None:
    found = number_named(text)
    assert found == number
    assert type(found) is type(number)


@pytest.mark.parametrize(
    ("text", "condition"),
    [
        ("com.x", "a = 'com.x'"),
        ("5", "a = '5' OR a = 5"),
        ("true", "a = 'true' OR a = TRUE"),
        ("TRUE", "a = 'TRUE'"),
        ("Infinity", "a = 'Infinity' OR a > 1.7976931348623157e+308"),
        ("-Infinity", "a = '-Infinity' OR a < -1.7976931348623157e+308"),
        (
            "2018-04-26T14:48:09Z",
            "a = '2018-04-26T14:48:09Z' OR a = TIMESTAMP '2018-04-26T14:48:09Z'"
            " AND cesql_string(a) = '2018-04-26T14:48:09Z'",
        ),
        ("2018-04-26T14:48:09+00:00", "a = '2018-04-26T14:48:09+00:00'"),
        ("[]", "a = '[]' OR cesql_string(a) = '[]'"),
    ],
)
def test_what_reads_as_a_string(text: str, condition: str) -> None:
    assert format_filter(condition_of(any_of(*readings(A, text)))) == condition


def test_foreign_numbers_are_one_list() -> None:
    found = any_of(*foreign_readings(A, ["x", "5", "5.5", "5000000000", "true"]))
    assert format_filter(condition_of(found)) == "a IN (5.5, 5000000000)"
    assert foreign_readings(A, ["x", "5", "true"]) == []


@pytest.mark.parametrize(
    ("pattern", "condition"),
    [
        ("com.%", "FALSE"),
        ("tr%", "a = TRUE"),
        ("%e%", "a = FALSE OR a = TRUE OR (a < 0 OR a >= 0) AND cesql_string(a) LIKE '%e%'"),
        (
            "5%",
            "(a < 0 OR a >= 0"
            " OR a < TIMESTAMP '1970-01-01T00:00:00Z' OR a >= TIMESTAMP '1970-01-01T00:00:00Z')"
            " AND cesql_string(a) LIKE '5%'",
        ),
        ("Inf%", "(a < 0 OR a >= 0) AND cesql_string(a) LIKE 'Inf%'"),
        ("[%", "cesql_string(a) LIKE '[%'"),
    ],
)
def test_what_else_fits_a_pattern(pattern: str, condition: str) -> None:
    assert format_filter(condition_of(any_of(*other_matches(A, pattern)))) == condition
