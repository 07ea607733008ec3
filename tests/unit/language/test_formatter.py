"""A syntax tree to text, with no more parentheses than it needs."""

from __future__ import annotations

import pytest

from siftmesh.language.formatter import format_attribute, format_constant, format_filter
from siftmesh.language.parser import parse
from siftmesh.model.values import INT_MIN, Scalar, Timestamp


@pytest.mark.parametrize(
    ("text", "formatted"),
    [
        ("a=1 and b<>'x'", "a = 1 AND b <> 'x'"),
        ("((a = 1))", "a = 1"),
        ("(a = 1 AND b = 1) OR c = 1", "a = 1 AND b = 1 OR c = 1"),
        ("a = 1 AND (b = 1 OR c = 1)", "a = 1 AND (b = 1 OR c = 1)"),
        ("(a = 1 AND b = 1) AND c = 1", "(a = 1 AND b = 1) AND c = 1"),
        ("not (a or b)", "NOT (a OR b)"),
        ("not not a", "NOT NOT a"),
        ("(a + b) * c - (d - 1) > 2", "(a + b) * c - (d - 1) > 2"),
        ("(a * b) + c = 1", "a * b + c = 1"),
        ("-(5) = a", "-(5) = a"),
        ("- - a = 1", "- -a = 1"),
        ("a - -5 = 1", "a - -5 = 1"),
        ("LOWER( a ) = 'it''s'", "lower(a) = 'it''s'"),
        ("a not between 1 and 2", "a NOT BETWEEN 1 AND 2"),
        ("a not like 'x' escape '''' ", "a NOT LIKE 'x' ESCAPE ''''"),
        ("a ilike :p", "a ILIKE :p"),
        ("a is not null or exists (b)", "a IS NOT NULL OR EXISTS(b)"),
        ("a not contains 1", "NOT a CONTAINS 1"),
        ("a overlaps (1,2)", "a OVERLAPS (1, 2)"),
        ("some(xs as x,ys as y:x=1 and 2<y)", "SOME (xs AS x, ys AS y: x = 1 AND y > 2)"),
        ("a = 1d", "a = 86400"),
        ("a = timestamp '2024-01-01'", "a = TIMESTAMP '2024-01-01T00:00:00Z'"),
    ],
)
def test_a_filter_is_written_in_one_way(text: str, formatted: str) -> None:
    assert format_filter(parse(text)) == formatted


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (True, "TRUE"),
        (1, "1"),
        (1.0, "1.0"),
        (-0.0, "-0.0"),
        (1e300, "1e+300"),
        (5e-324, "5e-324"),
        (INT_MIN, "-9223372036854775808"),
        ("", "''"),
        ("'", "''''"),
        (Timestamp(1), "TIMESTAMP '1970-01-01T00:00:00.000001Z'"),
    ],
)
def test_constants(value: Scalar, text: str) -> None:
    assert format_constant(value) == text


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a", "a"),
        ("data.price", "data.price"),
        ("and", '"and"'),
        ("Null", '"Null"'),
        ("and.b", "and.b"),
        ("a.and", "a.and"),
        ('and."odd name"', '"and"."odd name"'),
        ('"odd name".and', '"odd name".and'),
        ('"a.b"', '"a.b"'),
        ("exists", "exists"),
        ("android", "android"),
    ],
)
def test_attributes_are_quoted_where_they_would_be_keywords(name: str, text: str) -> None:
    assert format_attribute(name) == text
    for written in (f"{text} = 1", f"{text} + 1 = 2", f"EXISTS({text})", text):
        assert format_filter(parse(written)) == written
