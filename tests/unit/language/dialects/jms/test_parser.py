from __future__ import annotations

import pytest

from siftmesh.errors import LimitExceeded, SyntaxError, UnsupportedFeature
from siftmesh.language.ast import Condition, Truth
from siftmesh.language.dialects.jms.parser import parse_selector
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.language.parser import parse


def parsed(source: str) -> Condition:
    return parse_selector(source, DEFAULT)


@pytest.mark.parametrize(
    ("source", "same"),
    [
        ("a = 1 OR b = 2 AND NOT c", "a = 1 OR (b = 2 AND (NOT c))"),
        ("NOT NOT a", "NOT (NOT a)"),
        ("a + b * c - d = 0", "(a + (b * c)) - d = 0"),
        ("-a * b > 1", "(-a) * b > 1"),
        ("a NOT BETWEEN 1 AND 2 AND b", "(a NOT BETWEEN 1 AND 2) AND b"),
        ("a NOT IN ('x','y')", "a NOT IN ('x', 'y')"),
        ("a LIKE 'x!%' ESCAPE '!'", "a LIKE 'x!%' ESCAPE '!'"),
        ("a IS NOT NULL", "a IS NOT NULL"),
        ("+5 = a", "5 = a"),
        ("+a = 5", "1 * a = 5"),
        ("a = -9223372036854775808", "a = -9223372036854775808"),
    ],
)
def test_the_tree_is_the_languages_own_for_the_same_text(source: str, same: str) -> None:
    assert parsed(source) == parse(same)


def test_the_empty_selector_takes_everything() -> None:
    assert parsed("") == Truth(True)


def test_spans_cover_the_text() -> None:
    source = "  a = 1 AND (b LIKE 'x')"
    condition = parsed(source)
    spans = [source[slice(*operand.span)] for operand in condition.operands]  # type: ignore[attr-defined]  # an And
    assert spans == ["a = 1", "b LIKE 'x'"]


@pytest.mark.parametrize("name", ["JMSDestination", "JMSReplyTo", "JMSDeliveryTime", "JMSfoo", "JMS"])
def test_other_headers_are_refused(name: str) -> None:
    with pytest.raises(UnsupportedFeature, match=name):
        parsed(f"a = 1 AND {name} IS NULL")


@pytest.mark.parametrize("name", ["JMSType", "JMSXGroupID", "JMS_IBM", "jmsdestination", "myJMS"])
def test_headers_and_properties_that_may_be_asked(name: str) -> None:
    parsed(f"{name} IS NULL")


@pytest.mark.parametrize(
    ("source", "limits"),
    [
        ("(" * 101 + "a" + ")" * 101, Limits()),
        ("NOT " * 101 + "a", Limits()),
        ("- " * 101 + "a = 1", Limits()),
        ("a = " + "+".join("b" * 102), Limits()),
        ("a = 1 OR " * 20 + "b", Limits(nodes=30)),
        ("a IN ('x', 'y', 'z')", Limits(items=2)),
        ("a LIKE 'xyz'", Limits(pattern=2)),
        ("a LIKE '%x%'", Limits(wildcards=1)),
        ("(" * 30_000 + "a" + ")" * 30_000, Limits(depth=100_000, nodes=100_000)),
    ],
)
def test_limits_are_kept(source: str, limits: Limits) -> None:
    with pytest.raises(LimitExceeded) as caught:
        parse_selector(source, limits)
    assert caught.value.limit is not None


@pytest.mark.parametrize(
    "source",
    ["(" * 100 + "a" + ")" * 100, "NOT " * 100 + "a", "a = " + "+".join("b" * 100), "a AND " * 5_000 + "a"],
)
def test_what_just_fits_is_taken(source: str) -> None:
    parsed(source)


def test_depth_is_counted_where_it_stands() -> None:
    parse_selector("(a) AND (b) AND (c + d + e = f) AND ((g))", Limits(depth=3))


def test_an_error_shows_the_place() -> None:
    with pytest.raises(SyntaxError) as caught:
        parsed("weight > 2500 AND color IS blue")
    assert str(caught.value).splitlines() == [
        "unexpected blue",
        "  weight > 2500 AND color IS blue",
        "                             ^^^^",
        "expected NULL or NOT NULL",
    ]
