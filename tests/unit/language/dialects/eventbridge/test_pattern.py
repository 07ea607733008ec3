from __future__ import annotations

from typing import Any

import pytest

from siftmesh.errors import LimitExceeded, SyntaxError
from siftmesh.language.dialects.eventbridge import parse_eventbridge
from siftmesh.language.formatter import format_filter
from siftmesh.language.limits import Limits


@pytest.mark.parametrize(
    ("pattern", "written"),
    [
        ({"a": ["x"]}, "a = 'x' OR a CONTAINS 'x'"),
        ({"a": {"odd-name": [1]}}, 'a."odd-name" = 1 OR a."odd-name" CONTAINS 1'),
        ({"a.b": [1]}, '"a.b" = 1 OR "a.b" CONTAINS 1'),
        ({"a": [1], "b": [2]}, "(a = 1 OR a CONTAINS 1) AND (b = 2 OR b CONTAINS 2)"),
        (
            {"d": {"$or": [{"a": [1]}, {"b": [2]}]}},
            "(d.a = 1 OR d.a CONTAINS 1) OR (d.b = 2 OR d.b CONTAINS 2)",
        ),
        ('{"a": ["x"]}', "a = 'x' OR a CONTAINS 'x'"),
    ],
)
def test_what_a_pattern_becomes(pattern: Any, written: str) -> None:
    assert format_filter(parse_eventbridge(pattern)) == written


@pytest.mark.parametrize(
    "pattern",
    [
        {"a": [1], "$or": [{"a": [2]}, {"b": [1]}]},
        {"$or": [{"a": [2]}, {"b": [1]}], "a": [1]},
        {"d": {"a": [1], "$or": [{"b": [1]}, {"c": [1], "$or": [{"a": [1]}, {"e": [1]}]}]}},
    ],
)
def test_a_field_asked_twice_at_once_is_refused(pattern: Any) -> None:
    with pytest.raises(SyntaxError, match="asked twice"):
        parse_eventbridge(pattern)


def test_a_field_may_stand_in_every_branch() -> None:
    parse_eventbridge({"$or": [{"a": [1], "b": [1]}, {"a": [2]}], "d": {"a": [3]}})


@pytest.mark.parametrize(
    ("pattern", "limits"),
    [
        ({"a": {"b": {"c": [1]}}}, Limits(depth=3)),
        ({"a": [1], "b": [1], "c": [1]}, Limits(nodes=5)),
        ({"a": ["x", "y", "z"]}, Limits(items=2)),
        ('{"a": ["xxxxxxxxxx"]}', Limits(text=10)),
    ],
)
def test_limits_are_kept(pattern: Any, limits: Limits) -> None:
    with pytest.raises(LimitExceeded):
        parse_eventbridge(pattern, limits)


def test_an_error_shows_the_place_in_the_text_as_written() -> None:
    with pytest.raises(SyntaxError) as caught:
        parse_eventbridge('{ "detail": {\n  "state": [ {"prefx": "x"} ] } }')
    assert str(caught.value).splitlines() == [
        "there is no match expression prefx",
        "  line 2, column 15:",
        '    "state": [ {"prefx": "x"} ] } }',
        "                ^^^^^^^",
        "expected prefix perhaps",
    ]
