"""Blocks that cover ranges of keys, and atoms of two facts at once."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels.compound import block_of, level_of, take_pair, take_range
from siftmesh.kernels.constants import take_atom
from siftmesh.kernels.layout import (
    A_USES,
    F_RANGES,
    H_ATOM_LIVE,
    H_PAIR_COUNT,
    H_PAIRS,
    H_WORDS,
    INT,
    L_RANGES,
    MOST_PAIRINGS,
    NO_LEVEL,
    NUMBER,
    PAIR,
    PAIRING,
    RANGE,
    S_FLAGS,
    S_LONGS,
)
from tests.effort import effort
from tests.reference.rows import Rows

LEAST, MOST = -(2**63), 2**63 - 1
EDGES = [LEAST, LEAST + 1, LEAST // 2, -1, 0, 1, 2**62 - 1, 2**62, MOST - 1, MOST]
NO_TEXT = np.zeros(8, np.uint8)


def some_range(rng: random.Random) -> tuple[int, int]:
    if rng.random() < 0.3:
        low, high = sorted(rng.choices(EDGES, k=2))
        return low, high
    low = rng.randrange(LEAST, MOST) >> rng.randrange(64)
    return low, min(MOST, low + (rng.randrange(2**64) >> rng.randrange(1, 65)))


def keys_in(low: int, high: int, rng: random.Random) -> set[int]:
    """Both ends, their neighbours inside, multiples of powers of two, and anything between."""
    found = {low, high, min(low + 1, high), max(high - 1, low), (low + high) // 2}
    for power in range(64):
        edge = (high >> power) << power
        found |= {key for key in (edge, edge - 1) if low <= key <= high}
    return found | {rng.randint(low, high) for _ in range(10)}


def test_a_range_lies_in_two_blocks_at_most(seed: int) -> None:
    rng = random.Random(seed)
    ranges = [(low, high) for low in EDGES for high in EDGES if low <= high]
    for low, high in [*ranges, *(some_range(rng) for _ in range(effort(500)))]:
        level = int(level_of(low, high))
        blocks = {int(block_of(key, level)) for key in keys_in(low, high, rng)}
        assert blocks <= {int(block_of(low, level)), int(block_of(high, level))}, (low, high)
        assert max(blocks) - min(blocks) <= 1


def test_blocks_are_as_short_as_they_can_be(seed: int) -> None:
    # Levels are odd, so a block is longer than its range by a factor below four.
    rng = random.Random(seed)
    for low, high in (some_range(rng) for _ in range(effort(500))):
        level, width = int(level_of(low, high)), high - low
        assert level in range(1, 64, 2)
        assert level == 63 or width < 2**level
        assert level == 1 or width >= 2 ** (level - 2)


@pytest.mark.parametrize("level", [1, 3, 31, 33, 61, 63])
def test_a_block_is_a_stretch_of_keys(level: int, seed: int) -> None:
    rng = random.Random(seed)
    for key in [*EDGES, *(rng.randrange(LEAST, MOST) for _ in range(100))]:
        block = int(block_of(key, level))
        assert block * 2**level <= key < (block + 1) * 2**level


class Taken:
    """Pools in which ranges and pairs are taken."""

    def __init__(self) -> None:
        self.rows = Rows()
        for name in "abc":
            self.rows.pools.slot(name)
        self.rows.pools.reserve_atoms(600)
        self.rows.pools.reserve(4_000, 100, 100)
        self.made = np.full(4, -1, np.int64)

    def range(self, slot: int, low: int, high: int, at: int = 0) -> list[int]:
        self.made[:] = -1
        count = int(take_range(*self.rows.arrays, NO_TEXT, slot, low, high, self.made, at))
        assert self.made[:at].tolist() == [-1] * at
        assert self.made[at + count :].tolist() == [-1] * (4 - at - count)
        return self.made[at : at + count].tolist()

    def pair(self, slot: int, one: int, other_slot: int, level: int, other: int) -> int:
        return int(take_pair(*self.rows.arrays, NO_TEXT, slot, one, other_slot, level, other))

    def pairings(self) -> list[tuple[int, ...]]:
        words = self.rows.pools.words
        place, count = int(words[H_PAIRS]), int(words[H_PAIR_COUNT])
        return [tuple(one) for one in words[place : place + PAIRING * count].reshape(-1, PAIRING).tolist()]

    def levels(self, name: str) -> list[int]:
        bits = int(self.rows.pools.longs[self.rows.slot_record(name)[S_LONGS] + L_RANGES])
        return [level for level in range(64) if bits >> level & 1]


def test_the_blocks_of_a_range_are_atoms_of_its_slot(seed: int) -> None:
    rng = random.Random(seed)
    taken = Taken()
    uses: dict[int, int] = {}
    levels = set()
    for low, high in (some_range(rng) for _ in range(200)):
        found = taken.range(1, low, high, rng.randrange(3))
        level = int(level_of(low, high))
        levels.add(level)
        blocks = sorted({int(block_of(low, level)), int(block_of(high, level))})
        assert found == [taken.rows.value("b", RANGE + level, block) for block in blocks]
        assert 0 not in found
        for atom in found:
            uses[atom] = uses.get(atom, 0) + 1
    assert {atom: taken.rows.record(atom)[A_USES] for atom in taken.rows.atoms()} == uses
    assert taken.levels("b") == sorted(levels)
    assert taken.rows.slot_record("b")[S_FLAGS] & F_RANGES
    # The other slots know nothing of it.
    assert not taken.levels("a")
    assert not taken.rows.slot_record("a")[S_FLAGS] & F_RANGES


def test_an_empty_range_has_no_blocks() -> None:
    taken = Taken()
    for low, high in ((1, 0), (MOST, LEAST), (0, -1)):
        assert taken.range(0, low, high) == []
    assert not taken.rows.slot_record("a")[S_FLAGS] & F_RANGES
    assert taken.rows.header(H_ATOM_LIVE) == 0


def test_a_single_key_is_a_range_too() -> None:
    taken = Taken()
    for key in EDGES:
        (atom,) = taken.range(0, key, key)
        assert taken.rows.value("a", RANGE + 1, key >> 1) == atom


def value(taken: Taken, slot: int, number: int) -> int:
    return int(take_atom(*taken.rows.arrays, NO_TEXT, slot, -1, INT, number))


def test_pairs_are_told_apart_by_both_their_atoms() -> None:
    taken = Taken()
    ones = [value(taken, 0, number) for number in range(3)]
    others = [value(taken, 1, number) for number in range(3)]
    pairs: dict[Any, int] = {}
    for one in ones:
        for other in others:
            pairs[one, other] = taken.pair(0, one, 1, NO_LEVEL, other)
            assert taken.rows.value("a", PAIR, one << 32 | other) == pairs[one, other]
    assert len(set(pairs.values())) == 9
    again = {(one, other): taken.pair(0, one, 1, NO_LEVEL, other) for one, other in pairs}
    assert again == pairs
    assert {taken.rows.record(atom)[A_USES] for atom in pairs.values()} == {2}
    assert taken.pairings() == [(0, 1, NO_LEVEL)]
    assert taken.rows.value("a", NUMBER, 0) == ones[0]


def test_what_is_looked_up_in_pairs_is_known_once() -> None:
    taken = Taken()
    expected = []
    for slot, other_slot, level in [(0, 1, NO_LEVEL), (1, 0, NO_LEVEL), (0, 1, 5), (0, 2, 5), (0, 1, 7)]:
        expected.append((slot, other_slot, level))
        for number in (1, 2, 1):
            one = value(taken, slot, number)
            taken.pair(slot, one, other_slot, level, value(taken, other_slot, number))
            assert taken.pairings() == expected


def test_only_so_many_ways_to_pair_are_looked_up() -> None:
    taken = Taken()
    one, other = value(taken, 0, 1), value(taken, 1, 1)
    pairs = [taken.pair(0, one, 1, level, other) for level in range(MOST_PAIRINGS)]
    assert len(taken.pairings()) == MOST_PAIRINGS
    used = taken.rows.header(H_WORDS)
    behind = taken.rows.pools.words[int(taken.rows.pools.words[H_PAIRS]) + PAIRING * MOST_PAIRINGS :].copy()
    uses = [taken.rows.record(atom)[A_USES] for atom in taken.rows.atoms()]
    for level in range(MOST_PAIRINGS, MOST_PAIRINGS + 20):
        assert taken.pair(0, one, 1, level, other) == 0
    # Nothing is changed then, above all not what stands behind the table.
    assert taken.rows.header(H_WORDS) == used
    assert (taken.rows.pools.words[-len(behind) :] == behind).all()
    assert [taken.rows.record(atom)[A_USES] for atom in taken.rows.atoms()] == uses
    assert len(taken.pairings()) == MOST_PAIRINGS
    # What is known is paired nevertheless.
    assert taken.pair(0, one, 1, 3, other) == pairs[3] > 0
