"""PostgreSQL: as for SQLite, on the server that SIFTMESH_TEST_POSTGRES names.

Everything is in temporary tables, which the server forgets with the connection. The server works in
another process, so the clock on the wall is what counts, and the way there and back counts along.
"""

from __future__ import annotations

import os
from typing import Any

import pyarrow as pa

from benchmarks.matcher_workloads import Case
from benchmarks.peers import range_terms
from benchmarks.peers.contender import Contender, Ints, Unavailable, mappings, pairs_of_lists
from benchmarks.peers.sql import anchors, condition

__all__ = ["PostgresUnion"]

VARIABLE = "SIFTMESH_TEST_POSTGRES"
SELECTS = 100


class PostgresUnion(Contender):
    remark = "one indexed table a template, UNION ALL, one event at a time; time on the wall"
    elsewhere = True

    def __init__(self, case: Case) -> None:
        server = os.environ.get(VARIABLE)
        if not server:
            raise Unavailable(f"{VARIABLE} names no server")
        try:
            import psycopg
        except ImportError:
            raise Unavailable("the package psycopg is not installed") from None
        try:
            self._connection = psycopg.connect(server)
        except psycopg.OperationalError as error:
            raise Unavailable(f"{VARIABLE}: no connection ({type(error).__name__})") from None
        self._cursor = self._connection.cursor()
        self._types = {field.name: _type(field.type) for field in case.events.schema}
        selects = []
        for number, group in enumerate(case.groups):
            where = condition(group.template.replace("%", "%%"), self._place, "s.{}".format)
            selects.append(f"SELECT id FROM s{number} s WHERE {where}")
            self._fill(f"s{number}", group.parameters, anchors(group.template))
        if case.texts.num_rows:
            terms = range_terms.terms(case)
            parts = [f"({self._place(n)} BETWEEN low_{n} AND high_{n}) = wanted_{n}" for n in terms.names]
            selects.append(f"SELECT DISTINCT id FROM ranges WHERE {' AND '.join(parts)}")
            self._fill("ranges", range_terms.table(terms), [])
        self._queries = [
            " UNION ALL ".join(selects[start : start + SELECTS]) for start in range(0, len(selects), SELECTS)
        ]

    def _place(self, name: str) -> str:
        return f"%({name})s::{self._types[name]}"

    def _fill(self, name: str, constants: pa.Table, indexed: list[str]) -> None:
        columns = ", ".join(f"{field.name} {_type(field.type)}" for field in constants.schema)
        self._cursor.execute(f"CREATE TEMP TABLE {name} ({columns})")
        with self._cursor.copy(f"COPY {name} FROM STDIN") as copy:
            for row in zip(*(column.to_pylist() for column in constants.columns), strict=True):
                copy.write_row(row)
        if indexed:
            self._cursor.execute(f"CREATE INDEX ON {name} ({', '.join(indexed)})")
        self._cursor.execute(f"ANALYZE {name}")

    def prepare(self, events: pa.Table) -> Any:
        return mappings(events)

    def run(self, prepared: Any) -> Any:
        execute = self._cursor.execute
        return [
            [row for query in self._queries for row in execute(query, event, prepare=True).fetchall()]
            for event in prepared
        ]

    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        return pairs_of_lists([[number for (number,) in rows] for rows in found])

    def memory(self) -> int | None:
        found = self._cursor.execute(
            "SELECT sum(pg_total_relation_size(oid)) FROM pg_class"
            " WHERE relpersistence = 't' AND relkind = 'r' AND pg_table_is_visible(oid)"
        ).fetchone()
        return int(found[0]) if found and found[0] is not None else None

    def close(self) -> None:
        self._connection.close()


def _type(kind: pa.DataType) -> str:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind):
        return "bigint"
    # Without the order of a language, as in ours.
    return "double precision" if pa.types.is_floating(kind) else 'text COLLATE "C"'
