"""DuckDB reads our filters as they are and finds the same rows, unknown for unknown.

Where the two differ, and why, is `EXCEPTIONS`: each is checked, so that it goes when it is no longer so.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh import Matcher
from siftmesh.language import ast
from siftmesh.language.formatter import format_filter
from siftmesh.language.parser import parse
from siftmesh.model.event import Event
from siftmesh.model.values import Timestamp
from tests.reference.ast_oracle import truth
from tests.reference.sql_subset import COLUMNS, Engine, filters_of, grids, rows_of

DUCKDB = Engine(division=False, ilike=True, timestamps=True, exact_mixes=False)

# filter, a row, what DuckDB says, what we say, why
EXCEPTIONS: list[tuple[str, dict[str, Any], bool | None, bool | None, str]] = [
    ("k = y", {"k": 2**53 + 1, "y": 2.0**53}, True, False, "an int is rounded to a double there; exact here"),
    ("y = y", {"y": math.nan}, True, None, "NaN equals itself there, and is null here"),
    ("y > 1e300", {"y": math.nan}, True, None, "NaN is above all numbers there"),
    ("i / 2 = 3", {"i": 7}, False, True, "/ of two ints is a float there, and an int here"),
    ("i / j IS NULL", {"i": 1, "j": 0}, False, True, "division by zero is infinite there, and null here"),
    ("b < TRUE", {"b": False}, True, None, "bools have an order there"),
    ("i = '1'", {"i": 1}, True, None, "a constant is converted to the other side's type there"),
    ("i = TRUE", {"i": 1}, True, None, "the same: a bool is no number here"),
    (
        "concat(s, t) = 'a'",
        {"s": "a"},
        True,
        None,
        "concat skips nulls there; a null argument gives null here",
    ),
    ("s ILIKE 'STRASSE'", {"s": "straße"}, False, True, "ILIKE knows no letter that folds into two there"),
    ("w = '2024-01-01'", {"w": datetime(2024, 1, 1)}, True, None, "a string is read as a timestamp there"),
]


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    connection = duckdb.connect(":memory:")
    connection.execute("SET threads = 1")
    # An older DuckDB has no such setting, and gives null of its own.
    with contextlib.suppress(duckdb.CatalogException):
        connection.execute("SET error_on_division_by_zero = false")
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMNS.items())
    connection.execute(f"CREATE TABLE events (id INTEGER, {columns})")
    yield connection
    connection.close()


def fill(database: duckdb.DuckDBPyConnection, rows: list[dict[str, Any]]) -> None:
    database.execute("DELETE FROM events")
    places = ", ".join("?" * (len(COLUMNS) + 1))
    values = [[number, *(_held(row.get(name)) for name in COLUMNS)] for number, row in enumerate(rows)]
    database.executemany(f"INSERT INTO events VALUES ({places})", values)


def _held(value: Any) -> Any:
    # Its TIMESTAMP has no zone; ours are UTC, and so are the literals that the formatter writes.
    return value.to_datetime().replace(tzinfo=None) if isinstance(value, Timestamp) else value


def truths_of(database: duckdb.DuckDBPyConnection, filters: list[str]) -> Iterator[list[bool | None]]:
    """For each filter its truth for every row, many filters at a time because planning is what costs."""
    for start in range(0, len(filters), 100):
        selected = ", ".join(f"({text})" for text in filters[start : start + 100])
        table = database.execute(f"SELECT {selected} FROM events ORDER BY id").fetchall()
        yield from (list(column) for column in zip(*table, strict=True))


def found_by(database: duckdb.DuckDBPyConnection, text: str) -> list[int]:
    """The rows for which WHERE holds."""
    return [
        number for (number,) in database.execute(f"SELECT id FROM events WHERE {text} ORDER BY id").fetchall()
    ]


@given(st.lists(filters_of(DUCKDB), min_size=5, max_size=12), rows_of(DUCKDB))
def test_duckdb_finds_the_same_rows(
    database: duckdb.DuckDBPyConnection, conditions: list[ast.Condition], rows: list[dict[str, Any]]
) -> None:
    texts = [format_filter(condition) for condition in conditions]
    matcher = Matcher()
    for number, text in enumerate(texts):
        matcher.add(number, text)
    events = [Event.of(row) for row in rows]
    matched = [matcher.match(row) for row in rows]
    fill(database, rows)
    for number, truths in enumerate(truths_of(database, texts)):
        assert [truth(conditions[number], event) for event in events] == truths, texts[number]
        expected = [row for row, matches in enumerate(matched) if number in matches]
        assert found_by(database, texts[number]) == expected, texts[number]


@pytest.mark.parametrize(("filters", "rows"), [pytest.param(*grid, id=name) for name, *grid in grids(DUCKDB)])
def test_duckdb_agrees_on_every_pair_of_values(
    database: duckdb.DuckDBPyConnection, filters: list[str], rows: list[dict[str, Any]]
) -> None:
    fill(database, rows)
    events = [Event.of(row) for row in rows]
    for text, truths in zip(filters, truths_of(database, filters), strict=True):
        assert [truth(parse(text), event) for event in events] == truths, text


@pytest.mark.parametrize(
    ("text", "row", "theirs", "ours", "why"), EXCEPTIONS, ids=[exception[0] for exception in EXCEPTIONS]
)
def test_a_known_difference(
    database: duckdb.DuckDBPyConnection,
    text: str,
    row: dict[str, Any],
    theirs: bool | None,
    ours: bool | None,
    why: str,
) -> None:
    fill(database, [row])
    (truths,) = truths_of(database, [text])
    assert truths == [theirs], why
    in_utc = {
        name: value.replace(tzinfo=UTC) if isinstance(value, datetime) else value
        for name, value in row.items()
    }
    assert truth(parse(text), Event.of(in_utc)) is ours
