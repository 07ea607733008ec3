"""A filter against a schema."""

from __future__ import annotations

import pytest

from siftmesh.errors import TypeMismatch, UnknownAttribute
from siftmesh.language.check import check
from siftmesh.language.parser import parse
from siftmesh.model.schema import Schema

SCHEMA = Schema.of(
    {
        "n": "float",
        "s": "string",
        "f": "bool",
        "w": "timestamp",
        "tags": "array<string>",
        "xs": "array<int>",
        "ws": "array<timestamp>",
        "data.size": "int",
    }
)
NOON = "TIMESTAMP '2024-01-01T12:00:00Z'"


@pytest.mark.parametrize(
    "text",
    [
        "n = 1 AND n < 1.5 AND n IN (1, 2) AND n BETWEEN 1 AND 2",
        "data.size + n * 2 > -n",
        "s = 'x' OR s LIKE 'x%' OR s > 'a' OR s IN ('x')",
        "f OR NOT f OR f = TRUE OR f <> FALSE OR f IN (TRUE)",
        f"w = {NOON} OR w > {NOON} OR w BETWEEN {NOON} AND {NOON} OR {NOON} < w",
        # Text may be RFC 3339.
        f"s = {NOON} OR {NOON} > s OR s IN ({NOON}, 'x') OR s BETWEEN {NOON} AND {NOON}",
        f"{NOON} BETWEEN s AND w",
        f"tags CONTAINS 'x' OR tags OVERLAPS ('x', 'y') OR tags CONTAINS {NOON}",
        "SOME (xs AS x, tags AS t: x >= 45 AND t = 'x')",
        f"SOME (tags AS n: n = 'x') OR SOME (ws AS t: t < {NOON})",
        "s IS NULL OR EXISTS(n) OR tags IS NOT NULL",
        "lower(s) = 'x' AND length(tags) = 1 AND coalesce(n, s) = 1 AND kind(n) = 'number'",
        "n = :p AND s LIKE :p AND tags CONTAINS :p AND n IN (:p) AND :q = s AND n + :p > 1",
        "1 = 1 OR TRUE",
    ],
)
def test_what_can_hold_is_taken(text: str) -> None:
    check(parse(text), SCHEMA, text)


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("n = 'x'", "n = 'x'"),
        ("'x' = n", "'x' = n"),
        ("n = s", "n = s"),
        ("s < 1", "s < 1"),
        ("f = 1", "f = 1"),
        ("f < TRUE", "f < TRUE"),
        ("f BETWEEN FALSE AND TRUE", "FALSE"),
        ("n = TRUE", "n = TRUE"),
        (f"n = {NOON}", f"n = {NOON}"),
        ("w > '2024-01-01T12:00:00Z'", "w > '2024-01-01T12:00:00Z'"),
        ("w = s", "w = s"),
        ("ws CONTAINS '2024-01-01T12:00:00Z'", "'2024-01-01T12:00:00Z'"),
        ("n IN (1, 'x', 2)", "'x'"),
        ("n BETWEEN 1 AND 'x'", "'x'"),
        ("n LIKE 'x%'", "n"),
        ("n", "n"),
        ("lower(s)", "lower(s)"),
        ("length(s) = 'x'", "length(s) = 'x'"),
        ("lower(n) = 'x'", "n"),
        ("s = 'x' OR upper(trim(f)) = 'X'", "f"),
        ("length(f) = 1", "f"),
        ("abs(length(s) - n) = abs(tags)", "tags"),
        ("n + 1 = 'x'", "n + 1 = 'x'"),
        ("n + s = 1", "s"),
        ("-f = 1", "f"),
        ("tags = 'x'", "tags = 'x'"),
        ("tags = tags", "tags = tags"),
        ("tags LIKE 'x%'", "tags"),
        ("s CONTAINS 'x'", "s"),
        ("tags CONTAINS 1", "1"),
        ("xs OVERLAPS (1, 'x')", "'x'"),
        ("SOME (s AS x: x = 'x')", "s"),
        ("SOME (xs AS x: x = 'x')", "'x'"),
        ("NOT (s = 'x' AND NOT n = 'x')", "n = 'x'"),
    ],
)
def test_what_can_never_hold_is_refused_at_its_place(text: str, place: str) -> None:
    with pytest.raises(TypeMismatch) as caught:
        check(parse(text), SCHEMA, text)
    assert caught.value.span is not None
    assert text[slice(*caught.value.span)] == place


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("m = 1", "m"),
        ("size = 1", "size"),
        ("data = 1", "data"),
        ('"data.size" = 1', '"data.size"'),
        ("N = 1", "N"),
        ("m IS NULL", "m"),
        ("EXISTS(m)", "m"),
        ("1 IN (2) OR lower(m) = 'x'", "m"),
        ("SOME (m AS x: x = 1)", "m"),
        ("SOME (xs AS x: x = 1) AND x = 1", "x"),
    ],
)
def test_unknown_attributes_are_refused(text: str, name: str) -> None:
    with pytest.raises(UnknownAttribute) as caught:
        check(parse(text), SCHEMA, text)
    assert caught.value.span is not None
    assert text[slice(*caught.value.span)] == name


def test_a_schema_without_attributes_knows_none() -> None:
    with pytest.raises(UnknownAttribute) as caught:
        check(parse("a = 1"), Schema({}))
    assert caught.value.expected == "a schema with attributes"
