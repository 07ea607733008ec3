"""A whole chunk at once, against asking it row by row."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels.layout import ACCEPT, P_ENTRY, PARKED, REJECT
from siftmesh.kernels.programs import DOUBT, run
from siftmesh.kernels.scans import NOT_SIMPLE, all_rows, scan_rows
from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import Operator, Predicate
from siftmesh.matching.program import Program
from siftmesh.model.event import Event
from siftmesh.model.values import Kind, Timestamp
from tests.reference.arrays import fenced, is_fenced
from tests.reference.rows import Rows, parked, tree_of

BIG = 2**53
# The constants are doubles, the values any numbers: some of these lie between two neighbours among constants.
NUMBERS: list[Any] = [-1, 0, 0.5, 1, 2, BIG, BIG + 2, BIG + 4, -BIG, 1e300, -1e300]
TEXTS = ["", "a", "ab", "b", "2020-01-01T12:00:00Z"]
NOON = 1_577_880_000_000_000
MOMENTS = [0, NOON - 1, NOON, NOON + 1, -5]
CONSTANTS: dict[Kind, list[Any]] = {
    Kind.NUMBER: NUMBERS,
    Kind.STRING: TEXTS,
    Kind.TIMESTAMP: MOMENTS,
    Kind.BOOL: [False, True],
}
VALUES: list[Any] = [
    *NUMBERS,
    *TEXTS,
    *map(Timestamp, MOMENTS),
    True,
    False,
    None,
    (),
    (1, 2),
    ("a",),
    (True,),
]
VALUES += [BIG + 1, BIG + 3, -BIG - 1, 2**63 - 1, 1.5, float("inf"), float("-inf"), -0.0, "abc", Timestamp(1)]
VALUES += [Timestamp(-9), Timestamp(NOON + 9)]
ORDERED = [Operator.LT, Operator.GE, Operator.LE, Operator.GT]
SIMPLE = [(kind, asked) for kind in (Kind.NUMBER, Kind.TIMESTAMP) for asked in ORDERED]
SIMPLE += [(kind, Operator.EQ) for kind in (Kind.NUMBER, Kind.STRING, Kind.BOOL)]
OTHERS = [
    (Kind.NUMBER, Operator.NE),
    (Kind.STRING, Operator.LT),
    (Kind.STRING, Operator.GT),
    (Kind.TIMESTAMP, Operator.EQ),
    (Kind.TIMESTAMP, Operator.NE),
    (Kind.NUMBER, Operator.CONTAINS),
    (Kind.STRING, Operator.NOT_CONTAINS),
]
# What a leaf comes to: where it goes on if it is true, and where if it is not.
ENDS = {"true": (ACCEPT, REJECT), "not true": (REJECT, ACCEPT)}


class Chunk:
    """One chunk of rows that have a single leaf, with constants in any order."""

    def __init__(self, kind: Kind, asked: Operator, rng: random.Random) -> None:
        self.rows = Rows()
        constants = CONSTANTS[kind] * 2
        rng.shuffle(constants)
        self.trees = {10 + sub: Predicate("a", asked, kind, value) for sub, value in enumerate(constants)}
        self.program: Program = self.rows.program(self.trees[10], parked)
        for sub, tree in self.trees.items():
            self.rows.add(sub, tree, self.program)
        for sub in rng.sample(list(self.trees), 2):
            self.rows.remove(sub)
            del self.trees[sub]
        (self.chunk,) = self.rows.chunks(PARKED)
        self.at = int(self.rows.pools.words[self.program.place + P_ENTRY])

    def put(self, event: Event) -> None:
        self.rows.put(event)

    def scan(self, yes: int, no: int) -> list[int] | None:
        """The rows that are reported, behind three that were there before; None if it is not simple."""
        words, longs, _ = self.rows.arrays
        # One more: what does not match is written too, and then written over.
        out = fenced(3 + len(self.trees) + 1, np.int32)
        out[:3] = 7
        where = (self.program.place, self.chunk, self.at, yes, no)
        found = int(scan_rows(words, longs, self.rows.cells, *where, out, 3))
        assert is_fenced(out)
        assert out[:3].tolist() == [7] * 3
        return None if found == NOT_SIMPLE else out[3:found].tolist()

    def one_by_one(self, yes: int, no: int) -> list[int]:
        found = []
        for row, (sub, _) in enumerate(self.rows.rows(self.chunk)):
            where = (self.program.place, self.chunk, row, self.at)
            told = run(*self.rows.arrays, self.rows.text, self.rows.cells, *where, self.rows.counters)
            if (yes if told == ACCEPT else no) == ACCEPT:
                found.append(sub)
        return found


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize(("kind", "asked"), SIMPLE)
def test_a_scan_reports_what_each_row_says(kind: Kind, asked: Operator, ends: str, seed: int) -> None:
    yes, no = ENDS[ends]
    chunk = Chunk(kind, asked, random.Random(seed))
    lengths = set()
    for event in [Event({}), *(Event({"a": value}) for value in VALUES)]:
        chunk.put(event)
        found = chunk.scan(yes, no)
        assert found == chunk.one_by_one(yes, no), event
        assert found is not None
        wanted = yes == ACCEPT
        assert set(found) == {sub for sub, tree in chunk.trees.items() if holds(tree, event) is wanted}
        lengths.add(len(found))
    assert {0, len(chunk.trees)} <= lengths or asked == Operator.EQ
    assert len(lengths) > 1


@pytest.mark.parametrize(("kind", "asked"), OTHERS)
def test_leaves_of_other_sorts_are_left_alone(kind: Kind, asked: Operator, seed: int) -> None:
    chunk = Chunk(kind, asked, random.Random(seed))
    for value in VALUES:
        chunk.put(Event({"a": value}))
        assert [chunk.scan(*ends) for ends in ENDS.values()] == [None, None]


def test_a_leaf_that_decides_nothing_is_left_alone(seed: int) -> None:
    chunk = Chunk(Kind.NUMBER, Operator.LT, random.Random(seed))
    chunk.put(Event({"a": 1}))
    others = [ACCEPT, REJECT, 0, 12, ACCEPT + DOUBT, REJECT + DOUBT]
    for yes in others:
        for no in others:
            simple = {yes, no} == {ACCEPT, REJECT}
            assert (chunk.scan(yes, no) is not None) is simple, (yes, no)


@pytest.mark.parametrize("source", ["a < 5", "a = 'x'", "a > TIMESTAMP '2020-01-01T00:00:00Z'"])
def test_a_constant_of_all_rows_is_left_alone(source: str) -> None:
    # These are asked once, and then there is nothing left to scan.
    rows = Rows()
    tree = tree_of(source)
    program = rows.program(tree, parked, [0])
    rows.add(0, tree, program)
    rows.put(Event({"a": 1}))
    (chunk,) = rows.chunks(PARKED)
    at = int(rows.pools.words[program.place + P_ENTRY])
    where = (program.place, chunk, at, ACCEPT, REJECT)
    out = np.zeros(9, np.int32)
    assert scan_rows(rows.pools.words, rows.pools.longs, rows.cells, *where, out, 0) == NOT_SIMPLE


@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_all_rows_of_a_chunk_are_reported(count: int) -> None:
    rows = Rows()
    program = rows.program(tree_of("a = 1"), parked)
    for sub in range(100, 100 + count):
        rows.add(sub, tree_of("a = 1"), program)
    (chunk,) = rows.chunks(PARKED)
    out = fenced(2 + count, np.int32)
    assert all_rows(rows.pools.words, chunk, out, 2) == 2 + count
    assert out.tolist() == [0, 0, *range(100, 100 + count)]
    assert is_fenced(out)
