"""Rows from columns, against the same rows added one by one."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels.bulk import PARTLY, add_columns, finish_columns
from siftmesh.kernels.events import B_KIND, B_SLOT, B_VALUES, COLUMN
from siftmesh.kernels.layout import (
    ALWAYS,
    BOOL,
    FLOAT,
    H_ATOM_COUNT,
    H_HEAP,
    H_KEYS,
    H_LONGS,
    H_WHERE,
    H_WHERE_ROOM,
    HEADER,
    INT,
    P_RECIPE,
    PARKED,
    STRING,
)
from siftmesh.logic.tree import And, Or, Predicate, Tree
from siftmesh.matching.program import Program
from siftmesh.matching.shape import shape_of
from siftmesh.model.event import Event
from tests.reference.rows import Rows, joined, parked, rarest, tree_of

# Filters, of whose constants those numbered have columns.
FILTERS: list[tuple[str, Any, list[int]]] = [
    ("a = 1", rarest, [0]),
    ("a = 1", parked, [0]),
    ("a = 'x'", rarest, [0]),
    ("a = 1 AND b = 'y' AND c > 2.5", rarest, [0, 1, 2]),
    ("a = 1 AND b = 'y' AND c > 2.5", rarest, [1]),
    ("a = 1 AND b = 'y' AND c > 2.5", joined, [0, 1]),
    ("a = TRUE AND b < 5", rarest, [0, 1]),
    ("a BETWEEN 1 AND 2.5", joined, [1]),
    ("a BETWEEN 1 AND 2.5 AND b = 'y'", joined, [0, 1, 2]),
    ("a CONTAINS 1 AND b IN ('p', 'q')", rarest, [0]),
    ("a = 1 OR b = 'y'", rarest, [0, 1]),
    ("b OVERLAPS ('p', 'q', 'r') AND a > 1", rarest, [0]),
]
WHOLES = [0, 1, 2, 3, 2**53, -7]
DOUBLES = [0.0, -0.0, 0.5, 1.0, 2.0, 3.5, 1e300]
WORDS = ["", "x", "y", "p", "abc", "é漢", "a text that is somewhat longer than others"]


def values_of(constant: Any, count: int, rng: random.Random) -> list[Any]:
    """A column in place of a constant: all of one type."""
    if isinstance(constant, bool):
        return [rng.choice([False, True]) for _ in range(count)]
    if isinstance(constant, str):
        return [rng.choice(WORDS) for _ in range(count)]
    numbers = WHOLES if rng.random() < 0.5 else DOUBLES
    return [rng.choice(numbers) for _ in range(count)]


class Table:
    """Columns as kernels read them."""

    def __init__(self, columns: dict[int, list[Any]]) -> None:
        described, raws = [], [-1]
        text = b"before"
        for number, values in columns.items():
            column = [0] * COLUMN
            column[B_SLOT], column[B_VALUES] = number, len(raws)
            if isinstance(values[0], str):
                column[B_KIND] = STRING
                for value in values:
                    raws.append(len(text))
                    text += value.encode()
                raws.append(len(text))
            elif isinstance(values[0], float):
                column[B_KIND] = FLOAT
                raws += [struct.unpack("<q", struct.pack("<d", value))[0] for value in values]
            else:
                column[B_KIND] = BOOL if isinstance(values[0], bool) else INT
                raws += map(int, values)
            described += column
        self.columns = np.array(described, np.int64)
        self.raws = np.array(raws, np.int64)
        self.text = text


def bound(tree: Tree, columns: dict[int, list[Any]], row: int) -> Tree:
    """The tree with the constants of a row."""
    counter = [0]

    def replaced(node: Tree) -> Tree:
        if isinstance(node, (And, Or)):
            return type(node)(tuple([replaced(child) for child in node.children]))
        assert isinstance(node, Predicate)
        number = counter[0]
        counter[0] += 1
        value = columns[number][row] if number in columns else node.value
        whole = isinstance(value, float) and value.is_integer() and abs(value) < 2**63
        return Predicate(node.attribute, node.operator, node.kind, int(value) if whole else value)

    return replaced(tree)


class Bulk(Rows):
    """Rows that come as a table; the constants of all stand in the frame, their strings behind the others."""

    def start(self, tree: Tree, program: Program, table: Table) -> None:
        own, frame, self.constants = self.row(program, tree)
        before = len(table.text)
        kinds = frame[::2] >> 32
        frame[1::2][kinds == STRING] += before << 32
        self.own_frame = frame
        self.all_text = np.concatenate([np.frombuffer(table.text, np.uint8), own, np.zeros(8, np.uint8)])
        self.table, self.of = table, program
        recipe = int(self.pools.words[program.place + P_RECIPE])
        self.made = np.zeros(len(frame) // 2 + 3 * recipe + 8, np.int64)

    def add_columns(self, subs: Any, first: int) -> int:
        """What the kernel says."""
        table = self.table
        where = (self.constants, self.of.place, subs, first, self.made)
        columns = (self.all_text, table.columns, table.raws, self.own_frame)
        done = int(add_columns(*self.arrays, *columns, *where))
        self.answers.append(done)
        return done

    def add_all(self, subs: Sequence[int], trees: list[Tree]) -> None:
        """Take all rows in, and make the pools longer whenever that is asked for."""
        numbers = np.array(subs, np.int32)
        row = 0
        while row < len(subs):
            row = self.add_columns(numbers, row)
            if row >= PARTLY:
                row -= PARTLY
                where = (self.of.place, int(subs[row - 1]), self.made)
                while not finish_columns(*self.arrays[:2], *where):
                    self.lengthen()
            elif row < len(subs):
                self.lengthen()
        self.of.subscriptions += len(subs)
        self.trees |= dict(zip(subs, trees, strict=True))


def case(
    number: int, rng: random.Random, count: int
) -> tuple[Tree, Any, list[int], dict[int, list[Any]], list[Tree]]:
    source, choose, places = FILTERS[number]
    tree = tree_of(source)
    constants = shape_of(tree)[1]
    columns = {place: values_of(constants[place], count, rng) for place in places}
    trees = [bound(tree, columns, row) for row in range(count)]
    return tree, choose, places, columns, trees


def held(rows: Rows) -> list[Any]:
    """All that is in the pools; what is left over in unused places may be anything."""
    words, longs, heap = rows.arrays
    atoms = rows.atoms()
    keys = longs[rows.header(H_KEYS) :][: rows.header(H_ATOM_COUNT)]
    chains = {
        atom: [(chunk, rows.rows(chunk)) for chunk in rows.chunks(atom)] for atom in [ALWAYS, PARKED, *atoms]
    }
    where = words[rows.header(H_WHERE) :][: rows.header(H_WHERE_ROOM)]
    slots = [rows.slot_record(name) for name in rows.pools.slots]
    texts = [
        heap[key >> 32 : (key >> 32) + (key & 0xFFFFFFFF)].tobytes()
        for key in keys[atoms].tolist()
        if key >> 32
    ]
    lists = [rows.places(sub) for sub in np.flatnonzero(where).tolist()]
    return [
        words[:HEADER].tolist(),
        {atom: (rows.record(atom), int(keys[atom])) for atom in atoms},
        chains,
        where.tolist(),
        lists,
        slots,
        texts,
    ]


def with_room(rows: Rows) -> None:
    """Room for all that comes."""
    rows.pools.reserve_directory(400)
    rows.pools.reserve_atoms(2_000)
    rows.step = 100_000
    rows.lengthen()


@pytest.mark.parametrize("number", range(len(FILTERS)))
def test_a_table_leaves_the_pools_as_its_rows_would(number: int, seed: int) -> None:
    rng = random.Random(seed)
    count = 40
    tree, choose, _, columns, trees = case(number, rng, count)
    subs = rng.sample(range(300), count)
    bulk, single = Bulk(), Rows()
    for rows in (bulk, single):
        program = rows.program(tree, choose)
        with_room(rows)
        if isinstance(rows, Bulk):
            rows.start(tree, program, Table(columns))
            assert rows.add_columns(np.array(subs, np.int32), 0) == count
        else:
            for sub, one in zip(subs, trees, strict=True):
                rows.add(sub, one, program)
    assert held(bulk) == held(single)
    bulk.trees = single.trees
    bulk.check()


@pytest.mark.parametrize("number", range(len(FILTERS)))
def test_a_table_is_taken_in_as_the_pools_grow(number: int, seed: int) -> None:
    rng = random.Random(seed)
    tree, choose, _, columns, trees = case(number, rng, 30)
    bulk = Bulk(step=37)
    program = bulk.program(tree, choose)
    bulk.pools.reserve_directory(400)
    bulk.pools.reserve_atoms(2_000)
    bulk.shorten()
    bulk.start(tree, program, Table(columns))
    subs = rng.sample(range(300), 30)
    bulk.add_all(subs, trees)
    bulk.check()
    assert any(0 <= answer < 30 for answer in bulk.answers)
    leaves_nothing(bulk, rng)


def leaves_nothing(bulk: Bulk, rng: random.Random) -> None:
    """Rows are found as they should be, and gone when they are taken out."""
    if not bulk.chunks(PARKED):
        for _ in range(25):
            pairs = [
                ("a", [*WHOLES, *DOUBLES, "x", True, (1, 2)]),
                ("b", [*WORDS, 3, ("p",)]),
                ("c", DOUBLES),
            ]
            event = Event({name: rng.choice(values) for name, values in pairs})
            bulk.judge(bulk.found(event), event)
    for sub in list(bulk.trees):
        bulk.remove(sub)
    bulk.check()
    assert bulk.atoms() == []


@pytest.mark.parametrize("number", [3, 4, 8, 11])
def test_a_row_that_was_entered_in_part_is_finished(number: int, seed: int) -> None:
    # There is room for the constants, but at first none for a chunk with columns of longs.
    rng = random.Random(seed)
    tree, choose, _, columns, trees = case(number, rng, 30)
    bulk = Bulk()
    program = bulk.program(tree, choose)
    with_room(bulk)
    bulk.pools.longs = bulk.pools.longs[: bulk.header(H_LONGS) + 40].copy()
    bulk.step = 111
    bulk.start(tree, program, Table(columns))
    bulk.add_all(range(30), trees)
    assert bulk.answers[0] == PARTLY + 1
    bulk.check()
    leaves_nothing(bulk, rng)


def test_room_for_strings_is_asked_for_by_their_length(seed: int) -> None:
    # Each row has a string of its own, and the heap has room for one more of them at most.
    texts = [letter * 3_000 for letter in "pqrst"]
    tree = tree_of("a = 'x'")
    trees = [tree_of(f"a = '{text}'") for text in texts]
    bulk = Bulk()
    program = bulk.program(tree)
    with_room(bulk)
    bulk.pools.heap = bulk.pools.heap[: 8 * bulk.header(H_HEAP) + 1_000].copy()
    bulk.step = 3_500
    bulk.start(tree, program, Table({0: texts}))
    bulk.add_all(range(5), trees)
    assert bulk.answers == [0, 1, 2, 3, 4, 5]
    for sub, text in enumerate(texts):
        assert bulk.found(Event({"a": text})) == [sub]


def test_a_table_can_be_begun_in_the_middle(seed: int) -> None:
    rng = random.Random(seed)
    tree, choose, _, columns, trees = case(3, rng, 20)
    bulk = Bulk()
    program = bulk.program(tree, choose)
    with_room(bulk)
    bulk.start(tree, program, Table(columns))
    subs = list(range(20))
    assert bulk.add_columns(np.array(subs, np.int32), 13) == 20
    bulk.trees = {sub: trees[sub] for sub in range(13, 20)}
    bulk.check()
    assert bulk.add_columns(np.array(subs[:5], np.int32), 5) == 5
    assert bulk.add_columns(np.array([], np.int32), 0) == 0
    bulk.check()
