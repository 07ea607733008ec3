from __future__ import annotations

import pytest

from siftmesh.errors import UnsupportedFeature
from siftmesh.language.dialects.complement import complement
from siftmesh.language.formatter import format_filter
from siftmesh.language.parser import parse
from siftmesh.model.event import Event
from tests.reference.ast_oracle import truth

EVENTS = [{}, *({"a": value} for value in (None, True, False, 5, 6, "x", "y", [5], {"b": 1}))]
EVENTS += [
    {"a": 5, "b": 5},
    {"a": 5, "b": 6},
    {"a": "x", "b": 5},
    {"a": True, "b": False},
    {"a": [5], "b": [5]},
]


@pytest.mark.parametrize(
    ("filter_text", "written"),
    [
        ("a = 'x'", "a <> 'x' OR kind(a) <> 'string'"),
        ("NOT a = 'x'", "a = 'x' OR kind(a) <> 'string'"),
        ("5 >= a", "5 < a OR kind(a) <> 'number'"),
        ("a < TRUE", "a >= TRUE OR TRUE"),
        ("a LIKE 'x%'", "a NOT LIKE 'x%' OR kind(a) <> 'string'"),
        ("a IS NULL", "NOT a IS NULL"),
        ("NOT EXISTS(a)", "EXISTS(a)"),
        ("a", "NOT a OR kind(a) <> 'bool'"),
        ("TRUE", "FALSE"),
        ("TIMESTAMP '2026-11-18' IS NULL", "NOT TIMESTAMP '2026-11-18T00:00:00Z' IS NULL"),
        ("a IN (1, 2)", "a NOT IN (1, 2) OR kind(a) <> 'number'"),
        ("a NOT IN (1, 2)", "a IN (1, 2) OR kind(a) <> 'number'"),
    ],
)
def test_what_it_looks_like(filter_text: str, written: str) -> None:
    assert format_filter(complement(parse(filter_text))) == written


@pytest.mark.parametrize(
    "filter_text",
    [
        *("a = 5", "a <> 5", "a < 6", "a >= 'x'", "a = TRUE", "a < TRUE", "a = b", "a <= b", "a + 1 = b + 1"),
        *("a BETWEEN 5 AND 6", "a NOT BETWEEN 6 AND 7", "a IN (5, 'x')", "a NOT IN (5, 'x')", "a IN (5, 6)"),
        *(
            "a LIKE '%'",
            "a NOT LIKE 'x'",
            "a ILIKE 'X'",
            "a IS NULL",
            "a IS NOT NULL",
            "EXISTS(a)",
            "a",
            "TRUE",
        ),
        *(
            "NOT (a = 5 AND b = 5)",
            "a = 5 OR b = 6",
            "NOT (a = 5 OR NOT b = 5)",
            "5 = 5",
            "5 = 'x'",
            "'x' = 5",
            "coalesce(a, TIMESTAMP '2026-11-18') = 'x'",
            "TIMESTAMP '2026-11-18' LIKE 'x'",
        ),
    ],
)
def test_exactly_one_of_both_is_true(filter_text: str) -> None:
    condition = parse(filter_text)
    for event in map(Event.of, EVENTS):
        assert (truth(complement(condition), event) is True) is (truth(condition, event) is not True), event


@pytest.mark.parametrize(
    "filter_text",
    [
        *("a CONTAINS 5", "a OVERLAPS (5, 6)", "SOME (a AS x: x > 1)", "a = :p", "a IN (:p)", "a LIKE :p"),
        *(
            "a = TIMESTAMP '2026-11-18'",
            "a BETWEEN TIMESTAMP '2026-11-18' AND b",
            "'x' = TIMESTAMP '2026-11-18'",
            "TIMESTAMP '2026-11-18' IN ('x')",
            "coalesce(TIMESTAMP '2026-11-18') IN ('x')",
            "coalesce(TIMESTAMP '2026-11-18') = 'x'",
            "a = coalesce(TIMESTAMP '2026-11-18', 5)",
        ),
    ],
)
def test_what_has_none_is_refused(filter_text: str) -> None:
    with pytest.raises(UnsupportedFeature, match="a NOT around"):
        complement(parse(filter_text))
