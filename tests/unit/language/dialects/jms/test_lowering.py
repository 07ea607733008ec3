from __future__ import annotations

from typing import Any

import pytest

from siftmesh.errors import SyntaxError
from siftmesh.language.dialects.jms import parse_jms
from siftmesh.language.formatter import format_filter


@pytest.mark.parametrize(
    ("selector", "written"),
    [
        ("", "TRUE"),
        ("a = 'x'", "a = 'x'"),
        ("NOT a = 'x'", "a <> 'x' OR kind(a) NOT IN ('null', 'string')"),
        ("NOT a <> 5", "a = 5 OR kind(a) NOT IN ('null', 'number')"),
        ("5 < a", "a > 5"),
        (
            "NOT (a = 1 AND b)",
            "(a <> 1 OR kind(a) NOT IN ('null', 'number')) OR (NOT b OR kind(b) NOT IN ('null', 'bool'))",
        ),
        ("NOT (a IS NULL OR NOT b)", "a IS NOT NULL AND b"),
        ("NOT (NOT a IN ('x'))", "a IN ('x')"),
        ("a NOT LIKE 'x'", "a NOT LIKE 'x' OR kind(a) NOT IN ('null', 'string')"),
        ("a BETWEEN 1 AND 2", "a >= 1 AND a <= 2"),
        ("a NOT BETWEEN 1 AND b", "a < 1 OR jms_lt(b, a)"),
        ("a = b", "jms_eq(a, b)"),
        ("NOT a >= b", "NOT jms_le(b, a)"),
        ("a + 1 < 3", "jms_lt(jms_add(a, 1), 3)"),
        ("-a <> 'x'", "jms_ne(jms_negate(a), 'x')"),
        ("a < 2 * 3 + 1", "a < 7"),
        ("a < 7 / -2", "a < -3"),
        ("a < 7 / 2.", "a < 3.5"),
        ("a = 1 / 0", "jms_eq(a, jms_divide(1, 0))"),
        ("a < 1 / 0.", "jms_lt(a, jms_divide(1, 0.0))"),
        ("1 = 1.0 AND a", "TRUE AND a"),
        ("NOT 'x' = 1", "TRUE"),
        ("a = 9007199254740993", "jms_eq(a, 9007199254740993)"),
        ("a = 9007199254740992", "a = 9007199254740992"),
        ("a = 9007199254740992.", "a BETWEEN 9007199254740992 AND 9007199254740993"),
        ("a <> 9007199254740992.", "a NOT BETWEEN 9007199254740992 AND 9007199254740993"),
        ("a > 9007199254740992.", "a > 9007199254740993"),
        ("a >= 9007199254740992.", "a >= 9007199254740992"),
        ("a < -9007199254740992.", "a < -9007199254740993"),
        ("a = 1e19", "a = 1e+19"),
    ],
)
def test_what_a_selector_becomes(selector: str, written: str) -> None:
    assert format_filter(parse_jms(selector)) == written


@pytest.mark.parametrize(
    "double", [2.0**53, 2.0**53 + 2, 2.0**54, 2.0**60 + 256, 2.0**63, -(2.0**53), -(2.0**54), -(2.0**63)]
)
def test_the_bounds_of_a_large_double_are_the_longs_that_round_to_it(double: float) -> None:
    written = format_filter(parse_jms(f"a = {double!r}"))
    bounds = written.removeprefix("a BETWEEN ").removeprefix("a = ").split(" AND ")
    low, high = (int(float(bound)) if "." in bound else int(bound) for bound in (bounds[0], bounds[-1]))
    assert float(low) == float(high) == double
    assert float(low - 1) != double or low == -(2**63)
    assert float(high + 1) != double or high + 1 >= 2**63


@pytest.mark.parametrize("thing", [None, 5, {"a": 1}, b"a = 1"])
def test_what_is_no_text_is_refused(thing: Any) -> None:
    with pytest.raises(SyntaxError, match="a selector is text"):
        parse_jms(thing)
