"""DuckDB: the constants of each template in a table of its own, joined with a thousand events at a time.

The filter of the template is the condition of the join, written out, so that DuckDB sees the equalities and
builds a hash table for them. Ranges have one row for each conjunction, split by the first attribute that a
conjunction asks for, which makes its bounds a range join.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from benchmarks.matcher_workloads import Case
from benchmarks.peers import range_terms
from benchmarks.peers.contender import BATCH, Contender, Ints, Unavailable
from benchmarks.peers.sql import condition

__all__ = ["DuckDBJoins"]

# Joins in one statement: with thousands of templates one statement would be too long to plan.
JOINS = 100


class DuckDBJoins(Contender):
    remark = "one join a template, batches of 1,000"
    batched = True

    def __init__(self, case: Case) -> None:
        try:
            import duckdb
        except ImportError:
            raise Unavailable("the package duckdb is not installed") from None
        self._database = duckdb.connect(":memory:", config={"threads": 1})
        self._joins: list[str] = []
        self._range_joins: list[str] = []
        for number, group in enumerate(case.groups):
            on = condition(group.template, "e.{}".format, "s.{}".format)
            self._joins.append(self._join(f"s{number}", group.parameters, on))
        if case.texts.num_rows:
            self._add_ranges(range_terms.terms(case))

    def _join(self, name: str, constants: pa.Table, on: str) -> str:
        self._database.register("constants", constants)
        self._database.execute(f"CREATE TABLE {name} AS SELECT * FROM constants")
        self._database.unregister("constants")
        return f"SELECT e.event, s.id FROM events e JOIN {name} s ON {on}"

    def _add_ranges(self, terms: range_terms.Terms) -> None:
        whole = range_terms.table(terms)
        positive = np.flatnonzero(terms.wanted)
        # Of each term the first range that is not negated; a term of negated ones only has none.
        term_of = np.repeat(np.arange(len(terms.ids)), np.diff(terms.start))
        first = np.full(len(terms.ids), -1)
        first[term_of[positive[::-1]]] = terms.attribute[positive[::-1]]
        for number, name in [(-1, ""), *enumerate(terms.names)]:
            part = whole.take(pa.array(np.flatnonzero(first == number)))
            if part.num_rows:
                bounds = [f"e.{name} >= s.low_{name}", f"e.{name} <= s.high_{name}"] if name else []
                others = [
                    f"(e.{other} BETWEEN s.low_{other} AND s.high_{other}) = s.wanted_{other}"
                    for other in terms.names
                    if other != name
                ]
                on = " AND ".join([*bounds, *others])
                self._range_joins.append(self._join(f"ranges_{name or 'outside'}", part, on))

    def prepare(self, events: pa.Table) -> Any:
        # It joins plain strings somewhat faster than dictionaries.
        columns = [
            column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
            for column in events.columns
        ]
        numbered = pa.table(
            [pa.array(np.arange(events.num_rows)), *columns], names=["event", *events.column_names]
        )
        return [numbered.slice(start, BATCH) for start in range(0, events.num_rows, BATCH)]

    def run(self, prepared: Any) -> Any:
        queries = [
            " UNION ALL ".join(self._joins[start : start + JOINS])
            for start in range(0, len(self._joins), JOINS)
        ]
        if self._range_joins:
            # A subscription of two conjunctions is found twice when both are true.
            queries.append(" UNION ".join(self._range_joins))
        found = []
        for batch in prepared:
            self._database.register("events", batch)
            found += [self._database.execute(query).fetchnumpy() for query in queries]
            self._database.unregister("events")
        return found

    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        empty = np.empty(0, dtype=np.int64)
        rows, ids = (np.concatenate([empty, *(part[name] for part in found)]) for name in ("event", "id"))
        return rows, ids

    def memory(self) -> int | None:
        (held,) = self._database.execute("SELECT sum(memory_usage_bytes) FROM duckdb_memory()").fetchall()
        return int(held[0])

    def close(self) -> None:
        self._database.close()
