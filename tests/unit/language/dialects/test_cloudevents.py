from __future__ import annotations

from typing import Any

import pytest

from siftmesh.errors import LimitExceeded
from siftmesh.language.dialects.cloudevents import parse_cloudevents
from siftmesh.language.formatter import format_filter
from siftmesh.language.limits import Limits
from siftmesh.logic.lower import lower
from siftmesh.logic.tree import size


@pytest.mark.parametrize(
    ("filters", "written"),
    [
        ({"exact": {"type": "com.x"}}, "type = 'com.x'"),
        ({"exact": {"type": "com.x", "id": "5"}}, "type = 'com.x' AND (id = '5' OR id = 5)"),
        ({"exact": {"a": "true"}}, "a = 'true' OR a = TRUE"),
        ({"exact": {"time": "2026-11-18T09:30:00Z"}}, "ce_text(time) = '2026-11-18T09:30:00Z'"),
        ({"exact": {"a": "9223372036854775808"}}, "a = '9223372036854775808'"),
        ({"prefix": {"type": "com."}}, "type LIKE 'com.%'"),
        ({"prefix": {"a": "50%"}}, r"a LIKE '50\%%' ESCAPE '\'"),
        ({"prefix": {"a": "50"}}, "ce_text(a) LIKE '50%'"),
        ({"prefix": {"a": "t"}}, "a LIKE 't%' OR a = TRUE"),
        ({"suffix": {"a": "e"}}, "a LIKE '%e' OR a = TRUE OR a = FALSE"),
        ({"suffix": {"a": "0Z"}}, "ce_text(a) LIKE '%0Z'"),
        ({"suffix": {"a": "_x"}}, r"a LIKE '%\_x' ESCAPE '\'"),
        ({"not": {"exact": {"odd name": "x"}}}, "\"odd name\" <> 'x' OR kind(\"odd name\") <> 'string'"),
        (
            {"not": {"all": [{"exact": {"a": "x"}}, {"not": {"exact": {"b": "y"}}}]}},
            "(a <> 'x' OR kind(a) <> 'string') OR b = 'y'",
        ),
        ({"sql": "type = 'com.x'"}, "type = 'com.x'"),
        ([], "TRUE"),
        ([{"exact": {"a": "x"}}, {"any": [{"exact": {"b": "y"}}]}], "a = 'x' AND b = 'y'"),
    ],
)
def test_what_a_filter_becomes(filters: Any, written: str) -> None:
    assert format_filter(parse_cloudevents(filters)) == written


def test_nots_inside_nots_do_not_grow() -> None:
    filters: Any = {"exact": {"type": "x"}}
    for _ in range(80):
        filters = {"not": filters}
    assert size(lower(parse_cloudevents(filters))) == 1


@pytest.mark.parametrize(
    ("filters", "limits"),
    [
        ({"prefix": {"a": "abc"}}, Limits(pattern=3)),
        ({"not": {"not": {"exact": {"a": "x"}}}}, Limits(depth=3)),
        ({"sql": "(((a = 1)))"}, Limits(depth=2)),
        ([{"exact": {"a": "x"}}] * 10, Limits(nodes=20)),
    ],
)
def test_limits_are_kept(filters: Any, limits: Limits) -> None:
    with pytest.raises(LimitExceeded):
        parse_cloudevents(filters, limits)


def test_an_error_shows_the_place() -> None:
    with pytest.raises(ValueError, match="there is no filter dialect") as caught:
        parse_cloudevents({"any": [{"exact": {"a": "x"}}, {"sufix": {"a": "x"}}]})
    assert str(caught.value).splitlines()[1:] == [
        '  {"any": [{"exact": {"a": "x"}}, {"sufix": {"a": "x"}}]}',
        "                                   ^^^^^^^",
        "expected suffix perhaps",
    ]
