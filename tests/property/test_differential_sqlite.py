"""SQLite reads our filters as they are and finds the same rows, unknown for unknown.

Where the two differ, and why, is `EXCEPTIONS`: each is checked, so that it goes when it is no longer so.
"""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh import Matcher
from siftmesh.language import ast
from siftmesh.language.formatter import format_filter
from siftmesh.language.parser import parse
from siftmesh.model.event import Event
from tests.reference.ast_oracle import truth
from tests.reference.sql_subset import BIG_FLOATS, COLUMNS, Engine, filters_of, grids, rows_of

SQLITE = Engine(
    division=True,
    ilike=False,  # there is none
    timestamps=False,  # there is no such type
    exact_mixes=True,
    big_floats=(*BIG_FLOATS, math.inf, -math.inf),
)
NAMES = [name for name, kind in COLUMNS.items() if kind != "TIMESTAMP"]
AFFINITIES = {"BIGINT": "INTEGER", "DOUBLE": "REAL", "VARCHAR": "TEXT", "BOOLEAN": "INTEGER"}

# filter, a row, what SQLite says, what we say, why
EXCEPTIONS: list[tuple[str, dict[str, Any], bool | None, bool | None, str]] = [
    ("b < TRUE", {"b": False}, True, None, "SQLite's bools are the numbers 0 and 1; ours have no order"),
    ("b = 1", {"b": True}, True, None, "the same: a bool is no number"),
    ("i = '1'", {"i": 1}, True, None, "a column's affinity converts constants; we convert nothing"),
    ("i", {"i": 2}, True, None, "any number but zero is true there; only a bool is here"),
    (
        "i + 9223372036854775807 > 0",
        {"i": 1},
        True,
        None,
        "an int that overflows becomes a float there, null here",
    ),
    ("x % 2 = 1.5", {"x": 3.5}, False, True, "% cuts its sides to ints there; here it is C's fmod"),
    ("s + 1 = 2", {"s": "1"}, True, None, "arithmetic reads numbers out of strings there"),
    ("i LIKE '1%'", {"i": 12}, True, None, "LIKE makes a string of a number there; unknown here"),
    ("lower(s) = 'é'", {"s": "É"}, False, True, "lower and upper know ASCII only there, Unicode here"),
    ("length(i) = 2", {"i": 12}, True, None, "functions convert there, and give null here"),
]


def connect(rows: list[dict[str, Any]]) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    # LIKE ignores the case of ASCII letters there unless told otherwise.
    database.execute("PRAGMA case_sensitive_like = ON")
    columns = ", ".join(f"{name} {AFFINITIES[COLUMNS[name]]}" for name in NAMES)
    database.execute(f"CREATE TABLE events (id INTEGER, {columns})")
    places = ", ".join("?" * (len(NAMES) + 1))
    values = [[number, *(row.get(name) for name in NAMES)] for number, row in enumerate(rows)]
    database.executemany(f"INSERT INTO events VALUES ({places})", values)
    return database


def as_truth(value: Any) -> bool | None:
    return None if value is None else bool(value)


def truths_of(database: sqlite3.Connection, filters: list[str]) -> Iterator[list[bool | None]]:
    """For each filter its truth for every row."""
    for text in filters:
        yield [as_truth(value) for (value,) in database.execute(f"SELECT ({text}) FROM events ORDER BY id")]


def found_by(database: sqlite3.Connection, text: str) -> list[int]:
    """The rows for which WHERE holds."""
    return [number for (number,) in database.execute(f"SELECT id FROM events WHERE {text} ORDER BY id")]


@given(st.lists(filters_of(SQLITE), min_size=5, max_size=12), rows_of(SQLITE))
def test_sqlite_finds_the_same_rows(conditions: list[ast.Condition], rows: list[dict[str, Any]]) -> None:
    texts = [format_filter(condition) for condition in conditions]
    matcher = Matcher()
    for number, text in enumerate(texts):
        matcher.add(number, text)
    events = [Event.of(row) for row in rows]
    matched = [matcher.match(row) for row in rows]
    database = connect(rows)
    for number, truths in enumerate(truths_of(database, texts)):
        assert [truth(conditions[number], event) for event in events] == truths, texts[number]
        expected = [row for row, matches in enumerate(matched) if number in matches]
        assert found_by(database, texts[number]) == expected, texts[number]
    database.close()


@pytest.mark.parametrize(("filters", "rows"), [pytest.param(*grid, id=name) for name, *grid in grids(SQLITE)])
def test_sqlite_agrees_on_every_pair_of_values(filters: list[str], rows: list[dict[str, Any]]) -> None:
    database = connect(rows)
    events = [Event.of(row) for row in rows]
    for text, truths in zip(filters, truths_of(database, filters), strict=True):
        assert [truth(parse(text), event) for event in events] == truths, text
    database.close()


@pytest.mark.parametrize(
    ("text", "row", "theirs", "ours", "why"), EXCEPTIONS, ids=[exception[0] for exception in EXCEPTIONS]
)
def test_a_known_difference(
    text: str, row: dict[str, Any], theirs: bool | None, ours: bool | None, why: str
) -> None:
    database = connect([row])
    (truths,) = truths_of(database, [text])
    assert truths == [theirs], why
    assert truth(parse(text), Event.of(row)) is ours
    database.close()
