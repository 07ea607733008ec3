"""Range subscriptions taken apart: conjunctions of ranges, some negated, one or two to a subscription."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.matcher_workloads import Case, conjunctions
from benchmarks.peers.contender import Ints

__all__ = ["Terms", "table", "terms"]


class Terms(NamedTuple):
    """Term t has the ranges start[t] .. start[t + 1] and belongs to subscription ids[t]; its terms adjoin."""

    ids: Ints
    start: Ints
    attribute: Ints
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    # Whether the value has to be inside; otherwise outside.
    wanted: NDArray[np.bool_]
    # The names of the attributes by number.
    names: list[str]


def terms(case: Case) -> Terms:
    """The subscriptions of a case that have no template."""
    names: dict[str, int] = {}
    ids: list[int] = []
    start = [0]
    found: list[tuple[int, float, float, bool]] = []
    for number, text in zip(case.texts["id"].to_pylist(), case.texts["filter"].to_pylist(), strict=True):
        for side in conjunctions(text):
            ids.append(number)
            for name, low, high, inside in side:
                found.append((names.setdefault(name, len(names)), low, high, inside))
            start.append(len(found))
    columns = list(zip(*found, strict=True)) or [(), (), (), ()]
    return Terms(
        np.array(ids, dtype=np.int64),
        np.array(start, dtype=np.int64),
        np.array(columns[0], dtype=np.int64),
        np.array(columns[1], dtype=np.float64),
        np.array(columns[2], dtype=np.float64),
        np.array(columns[3], dtype=np.bool_),
        list(names),
    )


def table(found: Terms) -> pa.Table:
    """One row for each term: id, and for each attribute low, high and whether it must be between them."""
    rows = np.repeat(np.arange(len(found.ids)), np.diff(found.start))
    columns: dict[str, NDArray[Any]] = {"id": found.ids}
    for number, name in enumerate(found.names):
        mine = found.attribute == number
        low, high = np.full(len(found.ids), -np.inf), np.full(len(found.ids), np.inf)
        wanted = np.ones(len(found.ids), dtype=np.bool_)
        low[rows[mine]], high[rows[mine]] = found.low[mine], found.high[mine]
        wanted[rows[mine]] = found.wanted[mine]
        columns |= {f"low_{name}": low, f"high_{name}": high, f"wanted_{name}": wanted}
    return pa.table(columns)
