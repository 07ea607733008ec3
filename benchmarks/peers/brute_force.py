"""A tuned loop over all subscriptions: no index at all, compiled by numba for each sort of template.

Constants are columns, strings are numbers, everything that depends on the event alone is settled before the
loop, and a block of subscriptions is first asked whether any of it can match, which compiles to vector code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numba import njit
from numpy.typing import NDArray

from benchmarks.matcher_workloads import Case
from benchmarks.peers import range_terms
from benchmarks.peers.contender import BATCH, Contender, Ints, Unavailable

__all__ = ["BruteForce"]

BLOCK = 64

Codes = NDArray[np.int32]
# By format, where None stands for any, and condition: which parameter limits the price.
Limits = dict[tuple[str | None, str], str]
# From events to what its kernel takes of them, and from that to pairs.
Part = tuple[Callable[[pa.Table], Any], Callable[[Any], tuple[Ints, Ints]]]

_DAY, _HOUR = 86_400, 3_600
_LIMITS: dict[str, Limits] = {
    "1": {(None, "new"): "price_new", (None, "used"): "price_used"},
    "2": {
        ("hardcover", "new"): "hard_new",
        ("hardcover", "used"): "hard_used",
        ("softcover", "new"): "soft_new",
        ("softcover", "used"): "soft_used",
    },
}


class BruteForce(Contender):
    remark = "hand-written kernels, batches of 1,000"
    batched = True

    def __init__(self, case: Case) -> None:
        self._parts: list[Part] = []
        for group in case.groups:
            if group.name in _LIMITS:
                self._parts.append(_titles(group.parameters, _LIMITS[group.name]))
            elif group.name == "collector":
                self._parts.append(_collectors(group.parameters))
            else:
                raise Unavailable(f"there is no kernel for {group.name.split()[0]}")
        if case.texts.num_rows:
            self._parts.append(_ranges(range_terms.terms(case)))

    def prepare(self, events: pa.Table) -> Any:
        return [events.slice(start, BATCH) for start in range(0, events.num_rows, BATCH)]

    def run(self, prepared: Any) -> Any:
        return [
            (number * BATCH + rows, ids)
            for number, batch in enumerate(prepared)
            for rows, ids in (match(take(batch)) for take, match in self._parts)
        ]

    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        empty = np.empty(0, dtype=np.int64)
        rows, ids = (np.concatenate([empty, *(part[side] for part in found)]) for side in (0, 1))
        return rows, ids


def _coded(column: pa.ChunkedArray, known: pa.Array) -> Codes:
    """The place of each string in `known`, or -1."""
    whole = column.combine_chunks()
    if isinstance(whole, pa.ChunkedArray):  # what an empty one gives
        return np.empty(0, dtype=np.int32)
    if isinstance(whole, pa.DictionaryArray):
        # Only those that occur are looked up.
        used, where = np.unique(whole.indices.to_numpy(), return_inverse=True)
        return _places(whole.dictionary.take(pa.array(used)), known)[where]
    return _places(whole, known)


def _places(texts: pa.Array, known: pa.Array) -> Codes:
    places: Codes = pc.index_in(texts, known).fill_null(-1).to_numpy().astype(np.int32)
    return places


def _flags(column: pa.ChunkedArray) -> NDArray[np.bool_]:
    return column.to_numpy()  # type: ignore[no-any-return]  # pyarrow has no types


def _all(kernel: Any, most: int, events: int, *arguments: Any) -> tuple[Ints, Ints]:
    """Run a kernel over all events, with more room whenever it comes back before the last."""
    rows, ids = np.empty(2 * most + events, dtype=np.int64), np.empty(2 * most + events, dtype=np.int64)
    row = at = 0
    while True:
        row, at = kernel(row, at, rows, ids, *arguments)
        if row == events:
            return rows[:at].copy(), ids[:at].copy()
        rows, ids = np.resize(rows, 2 * len(rows)), np.resize(ids, 2 * len(ids))


# ---- a title and a limit of the price


def _titles(constants: pa.Table, limits: Limits) -> Part:
    known = pc.unique(constants["title"])
    titles = _coded(constants["title"], known)
    ids = constants["id"].to_numpy()
    table = np.stack([constants[name].to_numpy() for name in limits.values()])

    def take(events: pa.Table) -> Any:
        chosen = np.full(events.num_rows, -1)
        soon = events["ending"].to_numpy() < _DAY
        for place, (form, state) in enumerate(limits):
            mine = soon & (_coded(events["condition"], pa.array([state])) == 0)
            if form is not None:
                mine &= _coded(events["format"], pa.array([form])) == 0
            chosen[mine] = place
        return _coded(events["title"], known), chosen, events["price"].to_numpy()

    def match(taken: Any) -> tuple[Ints, Ints]:
        return _all(_match_titles, len(ids), len(taken[0]), ids, titles, table, *taken)

    return take, match


@njit(cache=True, nogil=True)
def _match_titles(
    row: int,
    at: int,
    rows: Ints,
    found: Ints,
    ids: Ints,
    titles: Codes,
    limits: NDArray[np.float64],
    title: Codes,
    chosen: Ints,
    price: NDArray[np.float64],
) -> tuple[int, int]:
    count = len(titles)
    while row < len(title):
        if at + count > len(rows):
            return row, at
        wanted = title[row]
        if chosen[row] >= 0 and wanted >= 0:
            limit = limits[chosen[row]]
            for block in range(0, count, BLOCK):
                end = min(block + BLOCK, count)
                hits = 0
                for place in range(block, end):
                    hits += titles[place] == wanted
                if hits:
                    for place in range(block, end):
                        if titles[place] == wanted and price[row] <= limit[place]:
                            rows[at] = row
                            found[at] = ids[place]
                            at += 1
        row += 1
    return row, at


# ---- a category and an author


def _collectors(constants: pa.Table) -> Part:
    known = pc.unique(constants["author"]), pc.unique(constants["category"])
    authors, categories = (
        _coded(constants[name], codes) for name, codes in zip(("author", "category"), known, strict=True)
    )
    ids = constants["id"].to_numpy()

    def take(events: pa.Table) -> Any:
        signed, buy = _flags(events["signed"]), _flags(events["buy_it_now"])
        fresh = (events["ending"].to_numpy() < _HOUR) & (events["bids"].to_numpy() == 0)
        return (
            _coded(events["author"], known[0]),
            _coded(events["category"], known[1]),
            signed & (fresh | buy),
        )

    def match(taken: Any) -> tuple[Ints, Ints]:
        return _all(_match_collectors, len(ids), len(taken[0]), ids, authors, categories, *taken)

    return take, match


@njit(cache=True, nogil=True)
def _match_collectors(
    row: int,
    at: int,
    rows: Ints,
    found: Ints,
    ids: Ints,
    authors: Codes,
    categories: Codes,
    author: Codes,
    category: Codes,
    possible: NDArray[np.bool_],
) -> tuple[int, int]:
    count = len(authors)
    while row < len(author):
        if at + count > len(rows):
            return row, at
        wanted = author[row]
        if possible[row] and wanted >= 0:
            for block in range(0, count, BLOCK):
                end = min(block + BLOCK, count)
                hits = 0
                for place in range(block, end):
                    hits += authors[place] == wanted
                if hits:
                    for place in range(block, end):
                        if authors[place] == wanted and categories[place] == category[row]:
                            rows[at] = row
                            found[at] = ids[place]
                            at += 1
        row += 1
    return row, at


# ---- ranges


def _ranges(terms: range_terms.Terms) -> Part:
    def take(events: pa.Table) -> Any:
        return np.stack([events[name].to_numpy().astype(np.float64) for name in terms.names], axis=1)

    def match(values: Any) -> tuple[Ints, Ints]:
        return _all(_match_ranges, len(terms.ids), len(values), *terms[:-1], values)

    return take, match


@njit(cache=True, nogil=True)
def _match_ranges(
    row: int,
    at: int,
    rows: Ints,
    found: Ints,
    ids: Ints,
    start: Ints,
    attribute: Ints,
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    wanted: NDArray[np.bool_],
    values: NDArray[np.float64],
) -> tuple[int, int]:
    while row < len(values):
        if at + len(ids) > len(rows):
            return row, at
        event = values[row]
        latest = -1
        for term in range(len(ids)):
            holds = True
            for place in range(start[term], start[term + 1]):
                value = event[attribute[place]]
                if (low[place] <= value <= high[place]) != wanted[place]:
                    holds = False
                    break
            # The other conjunction of the same subscription stands right before.
            if holds and ids[term] != latest:
                latest = ids[term]
                rows[at] = row
                found[at] = latest
                at += 1
        row += 1
    return row, at
