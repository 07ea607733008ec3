"""SQLite: the constants of each template in an indexed table of its own, asked about one event at a time."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.matcher_workloads import Case
from benchmarks.peers import range_terms
from benchmarks.peers.contender import Contender, Ints, mappings, pairs_of_lists
from benchmarks.peers.sql import anchors, condition

__all__ = ["SQLiteUnion"]

# Selects in one statement; SQLite takes 500.
SELECTS = 100


class SQLiteUnion(Contender):
    remark = "one indexed table a template, UNION ALL, one event at a time"

    def __init__(self, case: Case) -> None:
        self._database = sqlite3.connect(":memory:")
        self._database.execute("PRAGMA case_sensitive_like = ON")
        selects = []
        for number, group in enumerate(case.groups):
            where = condition(group.template, ":{}".format, "s.{}".format)
            selects.append(f"SELECT id FROM s{number} s WHERE {where}")
            self._fill(f"s{number}", group.parameters, anchors(group.template))
        if case.texts.num_rows:
            terms = range_terms.terms(case)
            where = " AND ".join(f"(:{n} BETWEEN low_{n} AND high_{n}) = wanted_{n}" for n in terms.names)
            selects.append(f"SELECT DISTINCT id FROM ranges WHERE {where}")
            self._fill("ranges", range_terms.table(terms), [])
        self._database.execute("ANALYZE")
        self._queries = [
            " UNION ALL ".join(selects[start : start + SELECTS]) for start in range(0, len(selects), SELECTS)
        ]

    def _fill(self, name: str, constants: pa.Table, indexed: list[str]) -> None:
        columns = ", ".join(constants.column_names)
        self._database.execute(f"CREATE TABLE {name} ({columns})")
        places = ", ".join("?" * constants.num_columns)
        self._database.executemany(f"INSERT INTO {name} VALUES ({places})", _rows(constants))
        if indexed:
            self._database.execute(f"CREATE INDEX {name}_by ON {name} ({', '.join(indexed)})")

    def prepare(self, events: pa.Table) -> Any:
        return mappings(events)

    def run(self, prepared: Any) -> Any:
        execute = self._database.execute
        return [[row for query in self._queries for row in execute(query, event)] for event in prepared]

    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        return pairs_of_lists([[number for (number,) in rows] for rows in found])

    def memory(self) -> int | None:
        (pages,) = self._database.execute("PRAGMA page_count").fetchone()
        (size,) = self._database.execute("PRAGMA page_size").fetchone()
        return int(pages) * int(size)

    def close(self) -> None:
        self._database.close()


def _rows(constants: pa.Table) -> Iterator[tuple[Any, ...]]:
    for batch in constants.to_batches(max_chunksize=10_000):
        yield from zip(*(_values(column) for column in batch.columns), strict=True)


def _values(column: pa.Array) -> list[Any]:
    if pa.types.is_boolean(column.type):
        return np.asarray(column).astype(np.int64).tolist()  # type: ignore[no-any-return]  # a list of ints
    return column.to_pylist()  # type: ignore[no-any-return]  # a list
