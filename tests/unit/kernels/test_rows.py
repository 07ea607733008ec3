"""Subscriptions come and go: nothing is left of those that went, and nothing is done by halves."""

from __future__ import annotations

import random
import struct
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels.atoms import grow_atoms, grow_table
from siftmesh.kernels.compound import block_of, level_of
from siftmesh.kernels.layout import (
    A_TAG,
    ALWAYS,
    COLUMN_LIST,
    H_ATOM_LIVE,
    H_HEAP,
    H_KEYS,
    H_LONGS,
    H_PAIR_COUNT,
    H_ROWS,
    H_WHERE,
    H_WHERE_ROOM,
    H_WORDS,
    INSTRUCTION,
    K_ATOM,
    MOST_PAIRINGS,
    MOST_ROWS,
    NUMBER,
    P_LENGTH,
    P_ROWS,
    P_WORDS,
    PAIR,
    PARKED,
    PROGRAM,
    R_ATOM,
    R_KEY,
    RANGE,
    STRING,
    TIMESTAMP,
)
from siftmesh.kernels.rows import DONE, FRAME_TOO_SHORT, LACKS_ROOM
from siftmesh.logic.tree import Tree
from siftmesh.matching.program import Program
from siftmesh.matching.shape import shape_of
from siftmesh.model.event import Event
from tests.effort import effort
from tests.reference.cells import key_of
from tests.reference.rows import Rows, by_chance, joined, parked, rarest, some_event, some_tree, tree_of


class Careful(Rows):
    """Rows in pools that are too short nearly each time, which must change nothing."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__(step=rng.choice([9, 60, 300]))
        self.pools.reserve_directory(500)
        self.pools.reserve_atoms(4_000)
        self.waits = 0

    def try_to_add(self, text: Any, frame: Any, count: int, program: Program, sub: int, made: Any) -> int:
        before = [array.tobytes() for array in self.arrays]
        done = super().try_to_add(text, frame, count, program, sub, made)
        if done in (LACKS_ROOM, FRAME_TOO_SHORT):
            assert [array.tobytes() for array in self.arrays] == before
        return done


def rows_of(rows: Rows, program: Program) -> int:
    return int(rows.pools.words[program.place + P_ROWS])


def check_counts(rows: Rows) -> None:
    rows.check()
    counts = dict.fromkeys(rows.programs, 0)
    for sub in rows.trees:
        chunks = rows.places(sub)
        places = {int(rows.pools.words[chunk]) for chunk in chunks}
        assert len(places) == 1
        counts[places.pop()] += len(chunks)
    assert counts == {place: rows_of(rows, program) for place, program in rows.programs.items()}


def empty(rows: Rows, rng: random.Random) -> None:
    """Take all out; nothing must be left."""
    for sub in rng.sample(list(rows.trees), len(rows.trees)):
        rows.remove(sub)
    check_counts(rows)
    assert rows.header(H_ROWS) == 0
    for place in list(rows.programs):
        rows.forget(place)
    assert rows.atoms() == []
    assert rows.header(H_ATOM_LIVE) == 0
    rows.check()
    where = rows.header(H_WHERE)
    assert not rows.pools.words[where : where + rows.header(H_WHERE_ROOM)].any()


def test_nothing_is_left_of_what_went(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(10)):
        rows = Rows()
        choose = by_chance(rng)
        programs: list[tuple[Tree, Program]] = []
        for step in range(150):
            if rows.trees and rng.random() < 0.3:
                rows.remove(rng.choice(list(rows.trees)))
                continue
            sub = rng.choice([sub for sub in range(200) if sub not in rows.trees])
            if programs and rng.random() < 0.6:
                tree, program = rng.choice(programs)
                rows.add(sub, tree, program)
            else:
                tree = some_tree(rng)
                programs.append((tree, rows.add_some(sub, tree, choose, rng)))
            if step % 30 == 0:
                check_counts(rows)
        empty(rows, rng)


def test_pools_do_not_grow_for_ever(seed: int) -> None:
    rng = random.Random(seed)
    rows = Rows()
    known = [(tree, rows.program(tree, by_chance(rng))) for tree in (some_tree(rng) for _ in range(40))]
    used = []
    for _ in range(6):
        for sub, (tree, program) in enumerate(known):
            rows.add(sub, tree, program)
        for sub in range(len(known)):
            rows.remove(sub)
        used.append([rows.header(which) for which in (H_WORDS, H_LONGS, H_HEAP)])
    assert used[-1] == used[2]


def test_where_room_lacks_nothing_is_changed_and_all_is_done_in_the_end(seed: int) -> None:
    rng = random.Random(seed)
    answers: set[int] = set()
    for _ in range(effort(10)):
        rows = Careful(rng)
        choose = by_chance(rng)
        for sub in range(30):
            tree = some_tree(rng)
            constants = range(len(shape_of(tree)[1]))
            program = rows.program(tree, choose, [number for number in constants if rng.random() < 0.2])
            rows.shorten()
            rows.add(sub, tree, program)
        answers.update(rows.answers)
        check_counts(rows)
        for _ in range(10):
            event = some_event(rng)
            rows.judge(rows.found(event), event)
        empty(rows, rng)
    assert answers >= {DONE, LACKS_ROOM, FRAME_TOO_SHORT, 1}


def test_each_thing_that_may_lack_is_seen(seed: int) -> None:
    # One of the pools is short, the others have room.
    tree = tree_of("a = 'some text that is somewhat longer' AND b IN (1, 2, 3) AND c > 5")
    for which in range(7):
        rows = Careful(random.Random(seed))
        program = rows.program(tree)
        rows.pools.reserve(50_000, 50_000, 50_000)
        text, frame, count = rows.row(program, tree)
        made = np.zeros(len(frame), np.int64)
        sub = 7
        if which == 0:
            rows.pools.words = rows.pools.words[: rows.header(H_WORDS) + 100].copy()
        elif which == 1:
            rows.pools.heap = rows.pools.heap[: 8 * rows.header(H_HEAP) + 60].copy()
        elif which == 2:
            sub = rows.header(H_WHERE_ROOM)
        elif which == 3:
            made = made[: len(frame) // 2 + 8]
        elif which == 4:
            rows.pools.longs = rows.pools.longs[: rows.header(H_LONGS) + MOST_ROWS].copy()
        elif which == 5:
            # Enough for lists, but not for a chunk as long as any.
            rows.pools.words = rows.pools.words[: rows.header(H_WORDS) + 2 * MOST_ROWS].copy()
        expected = [LACKS_ROOM, LACKS_ROOM, LACKS_ROOM, FRAME_TOO_SHORT, 1, 1, DONE][which]
        assert rows.try_to_add(text, frame, count, program, sub, made) == expected, which


@pytest.mark.parametrize("fill", ["atoms", "table"])
def test_a_table_of_atoms_that_is_full_is_seen(fill: str) -> None:
    rows = Rows()
    rows.pools.reserve_directory(5_000)
    rows.pools.reserve(500_000, 500_000, 100_000)
    tree = tree_of("a = 0")
    program = rows.program(tree)
    made = np.zeros(200, np.int64)
    if fill == "atoms":
        grow_table(*rows.arrays, 1 << 13)
    else:
        grow_atoms(*rows.arrays[:2], 5_000)
    answers = []
    for sub in range(4_000):
        text, frame, count = rows.row(program, numbered(tree, sub))
        answers.append(rows.try_to_add(text, frame, count, program, sub, made))
        if answers[-1] != DONE:
            break
    assert set(answers[:-1]) == {DONE}
    assert answers[-1] == LACKS_ROOM
    assert rows.header(H_ATOM_LIVE) == len(answers) - 1


def numbered(tree: Any, number: int) -> Tree:
    return type(tree)(tree.attribute, tree.operator, tree.kind, number)  # type: ignore[no-any-return]  # a predicate


LONG = ", ".join(f"'{number}'" for number in range(300))
# How rows are found, how many there are, and an event that is met.
WAITING: dict[str, tuple[Any, int, dict[str, Any]]] = {
    "a = 1": (rarest, 1, {"a": 1}),
    "a IN (1, 2, 3)": (rarest, 3, {"a": 3}),
    f"a OVERLAPS ({LONG})": (rarest, 300, {"a": ("x", "77")}),
    "a = 1 OR b = 2 OR a CONTAINS 3": (rarest, 3, {"b": 2}),
    "a = 1 OR b > 2": (rarest, 2, {"b": 3}),
    "a LIKE 'abc%'": (rarest, 1, {"a": "abcd"}),
    "a LIKE '%abcdefghi%'": (rarest, 1, {"a": "abcdefghij"}),
    "a BETWEEN 1 AND 1.5": (joined, 1, {"a": 1.5}),
    "a BETWEEN 1.75 AND 2.25": (joined, 2, {"a": 2.25}),
    "a > 1.75 AND a < 2.25 AND b = 1": (joined, 2, {"a": 2, "b": 1}),
    "a > 2 AND a < 2.5 AND b = 1": (joined, 1, {"a": 2.25, "b": 1}),
    "a = 1 AND b = 2": (joined, 1, {"a": 1, "b": 2}),
    "(a = 1 AND b = 2) OR (b = 3 AND c BETWEEN 1.75 AND 2.25)": (joined, 3, {"b": 3, "c": 1.75}),
    "a > 1": (rarest, 1, {"a": 2}),
    "a IS NULL": (rarest, 1, {"a": None}),
    "a = 5 AND b IN (1, 2)": (parked, 1, {}),
}


@pytest.mark.parametrize("source", WAITING, ids=lambda source: source[:40])
@pytest.mark.parametrize("fixed", [False, True])
def test_a_subscription_has_a_row_for_each_thing_that_it_waits_for(
    source: str, fixed: bool, seed: int
) -> None:
    choose, count, values = WAITING[source]
    tree = tree_of(source)
    rows = Careful(random.Random(seed))
    program = rows.program(tree, choose, range(len(shape_of(tree)[1])) if fixed else [])
    for sub in (3, 5):
        rows.add(sub, tree, program)
    check_counts(rows)
    words = rows.pools.words
    chunks = rows.places(3)
    assert len(chunks) == count
    atoms = {int(words[chunk + K_ATOM]) for chunk in chunks}
    assert len(atoms) == len(chunks)
    if choose is parked:
        assert atoms == {PARKED}
    elif source == "a IS NULL":
        assert atoms == {ALWAYS}
    else:
        assert min(atoms) > PARKED
    assert sorted(rows.found(Event(values))) == ([] if choose is parked else [3, 5])
    assert rows_of(rows, program) == rows.header(H_ROWS) == 2 * len(chunks)
    assert rows.remove(3) == program.place
    check_counts(rows)
    assert rows_of(rows, program) == len(chunks)
    empty(rows, random.Random(seed))


@pytest.mark.parametrize("below", ["<", "<="])
@pytest.mark.parametrize("above", [">", ">="])
def test_the_bounds_of_a_range_belong_to_it_or_not(above: str, below: str, seed: int) -> None:
    # Around keys at which blocks begin.
    rng = random.Random(seed)
    base = key_of(1.5)
    for _ in range(effort(200)):
        keys = base + rng.randrange(-2, 3), base + 256 * rng.randrange(1, 5) + rng.randrange(-2, 3)
        low, high = (struct.unpack("<d", struct.pack("<q", key))[0] for key in keys)
        tree = tree_of(f"a {above} {low!r} AND a {below} {high!r}")
        rows = Rows()
        rows.add(0, tree, rows.program(tree, joined))
        first, last = key_of(low) + (above == ">"), key_of(high) - (below == "<")
        level = int(level_of(first, last))
        blocks = {int(block_of(key, level)) for key in (first, last)}
        atoms = [int(rows.pools.words[chunk + K_ATOM]) for chunk in rows.places(0)]
        assert sorted(atoms) == sorted(rows.value("a", RANGE + level, block) for block in blocks)
        assert 0 not in atoms


def test_rows_in_several_chains_stand_at_different_places(seed: int) -> None:
    rng = random.Random(seed)
    rows = Rows()
    program: Program | None = None
    for _ in range(effort(300)):
        if rows.trees and rng.random() < 0.4:
            rows.remove(rng.choice(list(rows.trees)))
        else:
            sub = rng.choice([sub for sub in range(200) if sub not in rows.trees])
            tree = tree_of(
                f"a = {rng.randrange(3)} OR b = {rng.randrange(3)} OR c IN ({rng.randrange(3)}, 7)"
            )
            program = program or rows.program(tree)
            rows.add(sub, tree, program)
    check_counts(rows)
    empty(rows, rng)


def test_where_no_more_can_be_paired_one_of_the_two_is_waited_for(seed: int) -> None:
    names = [f"n{number}" for number in range(12)]
    pairs = [(one, other) for place, one in enumerate(names) for other in names[:place]]
    sources = [f"{one} = 1 AND {other} = 2" for one, other in pairs]
    sources += [f"{name} = 1 AND z BETWEEN 1.75 AND 2.25" for name in names]
    rows = Rows()
    for sub, source in enumerate(sources):
        tree = tree_of(source)
        rows.add(sub, tree, rows.program(tree, joined))
    check_counts(rows)
    assert rows.header(H_PAIR_COUNT) == MOST_PAIRINGS < len(pairs)
    waits = [rows.record(int(rows.pools.words[rows.places(sub)[0] + K_ATOM]))[A_TAG] for sub in rows.trees]
    assert waits == [PAIR] * MOST_PAIRINGS + [NUMBER] * (len(sources) - MOST_PAIRINGS)
    assert len(rows.found(Event({"n11": 1, "n9": 2, "z": 2}))) == 2
    empty(rows, random.Random(seed))


def test_an_empty_range_waits_for_nothing() -> None:
    rows = Rows()
    tree = tree_of("a > 1 AND a < 5 AND b = 1")
    program = rows.program(tree, joined)
    low, high = (number for number, one in enumerate(shape_of(tree)[1]) if one in (5, 1) and number < 2)
    text, frame, count = rows.row(program, tree)
    # Bounds the wrong way round, as a template may have them.
    frame[2 * low + 1], frame[2 * high + 1] = frame[2 * high + 1], frame[2 * low + 1]
    rows.pools.reserve_directory(1)
    rows.pools.reserve_atoms(100)
    rows.pools.reserve(5_000, 5_000, 2_000)
    assert rows.try_to_add(text, frame, count, program, 0, np.zeros(500, np.int64)) == DONE
    rows.trees[0] = tree
    program.subscriptions += 1
    assert [len(rows.rows(chunk)) for chunk in rows.chunks(PARKED)] == [1]
    assert rows.found(Event({"a": 3, "b": 1})) == []
    rows.remove(0)
    assert rows.atoms() == []
    rows.check()


def constant_of(rows: Rows, atom: int) -> Any:
    """What an atom of a number or a string stands for: its key, or its bytes."""
    key = int(rows.pools.longs[rows.header(H_KEYS) + atom])
    if rows.record(atom)[2] == NUMBER:
        return key
    assert rows.record(atom)[2] == STRING
    return rows.pools.heap[key >> 32 : (key >> 32) + (key & 0xFFFFFFFF)].tobytes().decode()


def test_a_row_holds_the_constants_of_its_subscription(seed: int) -> None:
    rng = random.Random(seed)
    rows = Rows()
    sources: dict[int, Tree] = {}
    programs: dict[Any, Program] = {}
    for sub in range(effort(200)):
        numbers = [rng.randrange(5) for _ in range(6)]
        source = (
            "a = {} AND b > {} AND c IN ('x{}', 'y{}') AND d < {}.5 AND e > TIMESTAMP '2020-01-0{}T00:00:00Z'"
        )
        tree = tree_of(source.format(*numbers[:5], 1 + numbers[5]))
        shape, _ = shape_of(tree)
        if shape not in programs:
            programs[shape] = rows.program(tree, parked)
        rows.add(sub, tree, programs[shape])
        sources[sub] = tree
        if rng.random() < 0.3:
            gone = rng.choice(list(rows.trees))
            rows.remove(gone)
    words = rows.pools.words
    for chunk in rows.chunks(PARKED):
        program = rows.programs[int(words[chunk])]
        kinds = program.place + PROGRAM + INSTRUCTION * int(words[program.place + P_LENGTH])
        wide = int(words[program.place + P_WORDS])
        for sub, columns in rows.rows(chunk):
            constants = shape_of(sources[sub])[1]
            for (what, _, tag, column), constant in zip(program.kept, constants, strict=True):
                if what == R_KEY:
                    assert columns[wide + column] == (constant if tag == TIMESTAMP else key_of(constant))
                elif what == R_ATOM:
                    assert constant_of(rows, columns[column]) == key_of(constant)
                else:
                    assert words[kinds + column] == COLUMN_LIST
                    listed = words[columns[column] :][: 1 + len(constant)].tolist()
                    assert listed[0] == len(constant)
                    assert listed[1:] == sorted(listed[1:])
                    assert {constant_of(rows, atom) for atom in listed[1:]} == set(constant)
