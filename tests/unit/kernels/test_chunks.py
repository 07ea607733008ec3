"""Rows in the chains of atoms against a dict, while chunks grow, move and go."""

from __future__ import annotations

import random
from itertools import pairwise

import numpy as np
import pytest

from siftmesh.kernels.atoms import add_atom
from siftmesh.kernels.chunks import _next_room, drop_row, enter_row, row_of
from siftmesh.kernels.layout import (
    ALWAYS,
    CHUNK,
    F_CHAINS,
    FIRST_ATOM,
    H_LONGS,
    H_WHERE,
    H_WORDS,
    K_COUNT,
    K_PROGRAM,
    K_ROOM,
    LOOK_AHEAD,
    MOST_ROWS,
    NUMBER,
    P_LONGS,
    P_WORDS,
    PROGRAM,
    S_FLAGS,
)
from siftmesh.kernels.pools import free_words, take_words
from tests.effort import effort
from tests.reference.rows import Rows

NO_TEXT = np.zeros(8, np.uint8)
# Columns of words and of longs.
WIDTHS = [(0, 0), (1, 0), (0, 2), (3, 1)]
# An atom, a program, columns.
Row = tuple[int, int, tuple[int, ...]]


class Chains:
    """Chains of a few atoms, and what should stand in them."""

    def __init__(self, rng: random.Random, programs: int = len(WIDTHS)) -> None:
        self.rng = rng
        self.rows = Rows()
        self.held: dict[int, list[Row]] = {}
        self.rows.pools.reserve_directory(5_000)
        slots = [self.rows.pools.slot(name) for name in "ab"]
        self.rows.pools.reserve_atoms(20)
        arrays = self.rows.arrays
        self.atoms = [ALWAYS] + [
            int(add_atom(*arrays, slots[number % 2], NUMBER, number, NO_TEXT, 0, 0)) for number in range(4)
        ]
        self.programs = [self.program(*WIDTHS[number % len(WIDTHS)]) for number in range(programs)]
        self.where = self.rows.header(H_WHERE)

    def program(self, words: int, longs: int) -> int:
        place = int(take_words(self.rows.pools.words, PROGRAM))
        self.rows.pools.words[place : place + PROGRAM] = 0
        self.rows.pools.words[[place + P_WORDS, place + P_LONGS]] = words, longs
        return place

    def columns(self, program: int) -> tuple[int, ...]:
        words = self.rows.pools.words
        return tuple(
            [self.rng.randrange(-(2**31), 2**31) for _ in range(words[program + P_WORDS])]
            + [self.rng.randrange(-(2**63), 2**63) for _ in range(words[program + P_LONGS])]
        )

    def enter(self, sub: int, rows: list[Row]) -> None:
        """Rows of one subscription; of several the directory has a list, with 0 for those to come."""
        pools = self.rows.pools
        for number, (atom, program, columns) in enumerate(rows):
            pools.reserve(MOST_ROWS * 5, MOST_ROWS * 3, 0)
            if number == 0 and len(rows) > 1:
                block = int(take_words(pools.words, 1 + len(rows)))
                pools.words[block : block + 1 + len(rows)] = [len(rows), *[0] * len(rows)]
                pools.words[self.where + sub] = -block
            made = np.array([*columns, 77], np.int64)
            chunk = int(enter_row(pools.words, pools.longs, atom, program, sub, made))
            at = self.where + sub
            pools.words[at if len(rows) == 1 else 1 + number - int(pools.words[at])] = chunk
        self.held[sub] = rows

    def drop(self, sub: int) -> None:
        pools = self.rows.pools
        where = int(pools.words[self.where + sub])
        for chunk in self.rows.places(sub):
            drop_row(pools.words, pools.longs, chunk, int(row_of(pools.words, chunk, sub)))
        if where < 0:
            free_words(pools.words, -where, 1 + int(pools.words[-where]))
        pools.words[self.where + sub] = 0
        del self.held[sub]

    def check(self) -> None:
        words = self.rows.pools.words
        stands: dict[int, list[tuple[int, Row]]] = {}
        for atom in self.atoms:
            for chunk in self.rows.chunks(atom):
                program = int(words[chunk + K_PROGRAM])
                for sub, columns in self.rows.rows(chunk):
                    stands.setdefault(sub, []).append((chunk, (atom, program, columns)))
        assert stands.keys() == self.held.keys()
        for sub, found in stands.items():
            assert sorted(row for _, row in found) == sorted(self.held[sub])
            assert sorted(chunk for chunk, _ in found) == sorted(self.rows.places(sub))


def test_rows_stand_where_they_were_written(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(3):
        chains = Chains(rng)
        for step in range(effort(600)):
            growing = 0.7 if step // 150 % 2 == 0 else 0.3
            if not chains.held or rng.random() < growing:
                sub = rng.choice([sub for sub in range(700) if sub not in chains.held])
                rows = []
                for _ in range(rng.choice([1, 1, 2, 4])):
                    program = rng.choice(chains.programs)
                    rows.append((rng.choice(chains.atoms), program, chains.columns(program)))
                chains.enter(sub, rows)
            else:
                chains.drop(rng.choice(list(chains.held)))
            if step % 60 == 0:
                chains.check()
        chains.check()
        for sub in rng.sample(list(chains.held), len(chains.held)):
            chains.drop(sub)
        chains.check()
        assert all(chains.rows.record(atom)[0] == 0 for atom in chains.atoms)


@pytest.mark.parametrize("width", range(len(WIDTHS)))
def test_a_chunk_grows_until_it_is_full(width: int, seed: int) -> None:
    rng = random.Random(seed)
    chains = Chains(rng)
    atom, program = chains.atoms[1], chains.programs[width]
    words = chains.rows.pools.words
    rooms = []
    for sub in range(MOST_ROWS + 44):
        chains.enter(sub, [(atom, program, chains.columns(program))])
        words = chains.rows.pools.words
        rooms.append(max(int(words[chunk + K_ROOM]) for chunk in chains.rows.chunks(atom)))
    counts = [int(words[chunk + K_COUNT]) for chunk in chains.rows.chunks(atom)]
    # A new chunk stands before the full one.
    assert counts == [44, MOST_ROWS]
    assert rooms == sorted(rooms)
    assert sorted(set(rooms)) == [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256]
    chains.check()


def test_a_chunk_has_room_for_a_third_more_each_time() -> None:
    room, rooms = 1, [1]
    while room < MOST_ROWS:
        room = int(_next_room(room))
        rooms.append(room)
    assert rooms[-1] == MOST_ROWS
    assert all(one < other <= 1.5 * one or other == one + 1 for one, other in pairwise(rooms))


def test_rows_of_another_program_have_a_chunk_of_their_own(seed: int) -> None:
    rng = random.Random(seed)
    chains = Chains(rng)
    for sub in range(40):
        program = chains.programs[sub % 4]
        chains.enter(sub, [(chains.atoms[1], program, chains.columns(program))])
    words = chains.rows.pools.words
    counts = {int(words[c + K_PROGRAM]): int(words[c + K_COUNT]) for c in chains.rows.chunks(chains.atoms[1])}
    assert counts == dict.fromkeys(chains.programs, 10)


def test_a_chain_of_many_programs_is_not_looked_through(seed: int) -> None:
    # Programs one after the other: each is found again as long as it is among the first of the chain.
    for count in (LOOK_AHEAD, LOOK_AHEAD + 1):
        chains = Chains(random.Random(seed), count)
        for sub in range(3 * count):
            program = chains.programs[sub % count]
            chains.enter(sub, [(chains.atoms[1], program, chains.columns(program))])
        chains.check()
        expected = count if count <= LOOK_AHEAD else 3 * count
        assert len(chains.rows.chunks(chains.atoms[1])) == expected


def test_the_slot_of_an_atom_learns_that_it_has_chains(seed: int) -> None:
    chains = Chains(random.Random(seed))
    assert not chains.rows.slot_record("a")[S_FLAGS] & F_CHAINS
    chains.enter(0, [(ALWAYS, chains.programs[0], ())])
    assert ALWAYS < FIRST_ATOM
    assert not chains.rows.slot_record("a")[S_FLAGS] & F_CHAINS
    chains.enter(1, [(chains.atoms[2], chains.programs[0], ())])
    assert chains.rows.slot_record("b")[S_FLAGS] & F_CHAINS
    assert not chains.rows.slot_record("a")[S_FLAGS] & F_CHAINS


def test_blocks_of_rows_that_went_are_used_again(seed: int) -> None:
    rng = random.Random(seed)
    chains = Chains(rng)
    used = []
    for _ in range(4):
        for sub in range(effort(300)):
            program = chains.programs[sub % 4]
            chains.enter(sub, [(chains.atoms[sub % 5], program, chains.columns(program))])
        for sub in rng.sample(list(chains.held), len(chains.held)):
            chains.drop(sub)
        used.append((chains.rows.header(H_WORDS), chains.rows.header(H_LONGS)))
    assert used[1:] == [used[1]] * 3


def test_the_row_of_a_subscription_is_found(seed: int) -> None:
    rng = random.Random(seed)
    chains = Chains(rng)
    program = chains.programs[0]
    for sub in range(20):
        chains.enter(sub, [(chains.atoms[1], program, ())])
    for sub in (3, 19, 0, 7):
        chains.drop(sub)
    words = chains.rows.pools.words
    (chunk,) = chains.rows.chunks(chains.atoms[1])
    for sub in chains.held:
        row = int(row_of(words, chunk, sub))
        assert row < words[chunk + K_COUNT]
        assert words[chunk + CHUNK + row] == sub
