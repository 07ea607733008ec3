"""What is right: every Tree evaluated over whole columns of events, and now and then by the scan matcher too.

It shares nothing with the contenders but the Trees, and takes a column where the scan matcher takes an
event, so that a thousand events can be checked against a million subscriptions.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from benchmarks.matcher_workloads import Case
from benchmarks.peers.contender import Ints, mappings
from siftmesh import Event, Tree
from siftmesh.logic.tree import And, Operator, Or, Predicate
from siftmesh.matching.api import TreeMatcher
from siftmesh.model.pattern import compile_pattern

__all__ = ["Reference", "difference"]

# Pairs of a subscription and an event that the scan matcher evaluates too.
SECOND_OPINIONS = 20_000
# Results of leaves that are kept: titles, authors and constants of the templates come again and again.
KEPT = 20_000

Mask = NDArray[np.bool_]
_COMPARE: dict[Operator, Callable[[Any, Any], Any]] = {
    Operator.EQ: np.equal,
    Operator.NE: np.not_equal,
    Operator.LT: np.less,
    Operator.LE: np.less_equal,
    Operator.GT: np.greater,
    Operator.GE: np.greater_equal,
}


class Reference:
    """The pairs of the first `count` events of a case, ordered."""

    def __init__(self, case: Case, count: int) -> None:
        self.events = min(count, case.events.num_rows)
        shown = case.events.slice(0, self.events)
        columns = Columns(shown)
        every = max(1, case.size * min(self.events, 100) // SECOND_OPINIONS)
        second = TreeMatcher("scan")
        rows, ids = [], []
        for place, (number, tree) in enumerate(case.read()):
            mask = columns.meets(tree)
            # Those that match somewhere are worth a second look, and a share of the others.
            if mask.any():
                rows.append(np.flatnonzero(mask))
                ids.append(np.full(len(rows[-1]), number))
            if place % every == 0:
                second.add(number, tree)
        empty = np.empty(0, dtype=np.int64)
        self.keys = _keys(np.concatenate([empty, *rows]), np.concatenate([empty, *ids]))
        self._ask(second, shown.slice(0, 100))

    @property
    def matches(self) -> int:
        """How many pairs there are."""
        return len(self.keys)

    def upto(self, events: int) -> Ints:
        """The pairs of the first events."""
        return self.keys[: np.searchsorted(self.keys, events << 32)]

    def _ask(self, second: TreeMatcher, events: pa.Table) -> None:
        """Let the scan matcher find the pairs of some subscriptions."""
        asked = np.fromiter(second, dtype=np.int64)
        mine = self.upto(events.num_rows)
        mine = mine[np.isin(mine & 0xFFFFFFFF, asked)]
        found = [
            (row << 32) + cast(int, number)
            for row, event in enumerate(mappings(events))
            for number in second.match(Event.of(event))
        ]
        if sorted(found) != mine.tolist():
            raise AssertionError("the scan matcher and the evaluation of columns disagree")


def difference(reference: Reference, rows: Ints, ids: Ints, events: int) -> str | None:
    """What is wrong with the pairs that were found for the first events, or None."""
    expected = reference.upto(events)
    found = _keys(rows, ids)
    found = found[: np.searchsorted(found, events << 32)]
    if np.array_equal(expected, found):
        return None
    twice = found[1:][found[1:] == found[:-1]]
    missing, extra = np.setdiff1d(expected, found), np.setdiff1d(found, expected)
    first = int(np.concatenate([missing, extra, twice]).min()) >> 32
    counts = f"{len(missing)} matches missing, {len(extra)} too many, {len(twice)} twice"
    return f"{counts}; first seen at event {first}"


def _keys(rows: Ints, ids: Ints) -> Ints:
    return np.sort((np.asarray(rows, dtype=np.int64) << 32) + ids)


class Columns:
    """Events as columns without nulls, of which a leaf makes one truth value a row."""

    def __init__(self, events: pa.Table) -> None:
        self._rows = events.num_rows
        self._texts: dict[str, tuple[pa.Array, Ints]] = {}
        self._values: dict[str, NDArray[Any]] = {}
        self._kept: dict[Predicate, Mask] = {}
        for name, column in zip(events.column_names, events.columns, strict=True):
            whole = pa.concat_arrays(column.chunks) if column.num_chunks != 1 else column.chunk(0)
            if pa.types.is_dictionary(whole.type):
                used, where = np.unique(whole.indices.to_numpy(), return_inverse=True)
                self._texts[name] = whole.dictionary.take(pa.array(used)), where
            else:
                self._values[name] = whole.to_numpy(zero_copy_only=False)

    def meets(self, tree: Tree) -> Mask:
        """The events of which the tree is true."""
        if isinstance(tree, And):
            # The quickest way to nothing first: what has been seen before, or asks for one text.
            found = np.ones(self._rows, dtype=np.bool_)
            for child in sorted(tree.children, key=self._cost):
                found = found & self.meets(child)
                if not found.any():
                    break
            return found
        if isinstance(tree, Or):
            found = np.zeros(self._rows, dtype=np.bool_)
            for child in tree.children:
                found = found | self.meets(child)
            return found
        if not isinstance(tree, Predicate):
            raise NotImplementedError(f"no column evaluates {type(tree).__name__}")
        known = self._kept.get(tree)
        if known is None:
            known = self._leaf(tree)
            if len(self._kept) < KEPT:
                self._kept[tree] = known
        return known

    def _cost(self, tree: Tree) -> int:
        if not isinstance(tree, Predicate):
            return 3
        return 0 if tree in self._kept else 1 if tree.operator == Operator.EQ else 2

    def _leaf(self, leaf: Predicate) -> Mask:
        if leaf.operator in (Operator.IS_NULL, Operator.IS_NOT_NULL):
            return np.full(self._rows, leaf.operator == Operator.IS_NOT_NULL)
        if leaf.attribute in self._texts:
            texts, where = self._texts[leaf.attribute]
            return _of_texts(leaf, texts)[where]
        values = self._values[leaf.attribute]
        if leaf.operator in _COMPARE:
            return np.asarray(_COMPARE[leaf.operator](values, leaf.value), dtype=np.bool_)
        if leaf.operator in (Operator.IN, Operator.NOT_IN):
            inside = np.isin(values, np.array(leaf.value))
            return inside if leaf.operator == Operator.IN else ~inside
        raise NotImplementedError(f"no column evaluates {leaf.operator.name} of numbers")


def _of_texts(leaf: Predicate, texts: pa.Array) -> Mask:
    """A leaf for each of different texts."""
    if leaf.operator in (Operator.EQ, Operator.NE):
        equal: Mask = pc.equal(texts, leaf.value).to_numpy(zero_copy_only=False)
        return equal if leaf.operator == Operator.EQ else ~equal
    if leaf.operator in (Operator.LIKE, Operator.NOT_LIKE):
        found = _like(leaf.value, texts)
        return found if leaf.operator == Operator.LIKE else ~found
    listed = texts.to_pylist()
    if leaf.operator in _COMPARE:
        return np.array([_COMPARE[leaf.operator](text, leaf.value) for text in listed], dtype=np.bool_)
    if leaf.operator in (Operator.IN, Operator.NOT_IN):
        wanted = leaf.operator == Operator.IN
        return np.array([(text in leaf.value) == wanted for text in listed], dtype=np.bool_)
    raise NotImplementedError(f"no column evaluates {leaf.operator.name} of texts")


def _like(written: str, texts: pa.Array) -> Mask:
    pattern = compile_pattern(written)
    inside = len(pattern.segments) == 3 and not pattern.segments[0] and not pattern.segments[2]
    if inside and None not in pattern.segments[1]:
        found: Mask = pc.match_substring(texts, pattern.contained[0]).to_numpy(zero_copy_only=False)
        return found
    return np.array([pattern.matches(text) for text in texts.to_pylist()], dtype=np.bool_)
