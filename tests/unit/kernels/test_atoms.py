"""The table of atoms against a dict, while it is filled, emptied and moved."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels.atoms import (
    add_atom,
    drop_atom,
    find_string,
    find_strings,
    find_value,
    grow_atoms,
    grow_table,
    hash_bytes,
    same_bytes,
)
from siftmesh.kernels.layout import (
    A_HEAD,
    A_SLOT,
    A_TAG,
    A_USES,
    BOOL,
    FIRST_ATOM,
    GRAM,
    H_ATOM_COUNT,
    H_ATOM_LIVE,
    H_ATOM_ROOM,
    H_ATOMS,
    H_HEAP,
    H_KEYS,
    H_LONGS,
    H_TABLE_MASK,
    H_TABLE_USED,
    H_WORDS,
    HEADER,
    NUMBER,
    PATTERN,
    PREFIX,
    PRESENCE,
    RECORD,
    STRING,
    SUFFIX,
    TEXT,
    TIMESTAMP,
    WIDE,
)
from tests.effort import effort
from tests.reference.arrays import amid_noise

OF_VALUES = [BOOL, NUMBER, TIMESTAMP, WIDE, PRESENCE]
OF_TEXTS = [STRING, PATTERN, TEXT, PREFIX, SUFFIX, GRAM]
NO_TEXT = np.zeros(8, np.uint8)

# A slot, a tag, and a key or bytes.
Constant = tuple[int, int, int | bytes]


class Table:
    """The table, as full as it may be, and beside it what it should say."""

    def __init__(self, rng: random.Random, size: int = 8) -> None:
        # What no block was written to holds anything.
        self.words = np.full(500_000, 77, np.int32)
        self.longs = np.full(100_000, 77, np.int64)
        self.heap = np.full(500_000, 77, np.uint8)
        self.words[:HEADER] = 0
        self.words[[H_WORDS, H_LONGS, H_HEAP]] = HEADER, 1, 1
        self.words[H_ATOM_COUNT] = FIRST_ATOM
        self.rng = rng
        grow_atoms(self.words, self.longs, 4)
        self.grow(size)
        self.atoms: dict[Constant, int] = {}
        self.uses: dict[Constant, int] = {}

    def grow(self, size: int) -> None:
        grow_table(self.words, self.longs, self.heap, size)

    def record(self, atom: int) -> list[int]:
        place = int(self.words[H_ATOMS]) + RECORD * atom
        return self.words[place : place + RECORD].tolist()  # type: ignore[no-any-return]  # int32 numbers

    def find(self, constant: Constant) -> int:
        slot, tag, key = constant
        if isinstance(key, int):
            return int(find_value(self.words, self.longs, slot, tag, key))
        before = self.rng.randrange(9)
        text = amid_noise(self.rng.randbytes(before) + key, self.rng)
        return int(find_string(self.words, self.longs, self.heap, slot, tag, text, before, len(key)))

    def add(self, constant: Constant) -> None:
        slot, tag, key = constant
        if self.words[H_ATOM_COUNT] == self.words[H_ATOM_ROOM]:
            grow_atoms(self.words, self.longs, int(self.words[H_ATOM_ROOM]) + self.rng.randrange(1, 9))
        size = int(self.words[H_TABLE_MASK]) + 1
        if self.words[H_TABLE_USED] + 1 >= size:  # one place stays empty
            self.grow(size if 2 * len(self.atoms) < size else 2 * size)
        arrays: tuple[Any, ...] = (self.words, self.longs, self.heap)
        if isinstance(key, int):
            atom = int(add_atom(*arrays, slot, tag, key, NO_TEXT, 0, 0))
        else:
            before = self.rng.randrange(9)
            text = amid_noise(self.rng.randbytes(before) + key, self.rng)
            atom = int(add_atom(*arrays, slot, tag, 0, text, before, len(key)))
        assert atom == self.atoms.get(constant, atom)
        assert atom >= FIRST_ATOM
        self.atoms[constant] = atom
        self.uses[constant] = self.uses.get(constant, 0) + 1

    def drop(self, constant: Constant) -> None:
        self.uses[constant] -= 1
        last = self.uses[constant] == 0
        atom = self.atoms[constant]
        assert bool(drop_atom(self.words, self.longs, self.heap, atom)) is last
        if last:
            del self.atoms[constant], self.uses[constant]

    def check(self) -> None:
        assert len(set(self.atoms.values())) == len(self.atoms) == self.words[H_ATOM_LIVE]
        assert self.words[H_ATOM_LIVE] <= self.words[H_TABLE_USED] <= self.words[H_TABLE_MASK]
        for constant, atom in self.atoms.items():
            assert self.find(constant) == atom
            record = self.record(atom)
            assert (record[A_SLOT], record[A_TAG]) == constant[:2]
            assert record[A_USES] == self.uses[constant]


def constants(rng: random.Random, count: int) -> list[Constant]:
    """Constants that have much in common: the same keys with other tags, in other slots."""
    keys = [0, 1, -1, 2**63 - 1, -(2**63), *(rng.randrange(-(2**63), 2**63) for _ in range(20))]
    texts = [rng.choice([b"ab", b"same beginning "]) * rng.randrange(4) + bytes([byte]) for byte in range(20)]
    texts += [b"", b"\x00", b"\x00" * 8, b"\x00" * 9, "é漢".encode(), b"x" * 1_000]
    made: set[Constant] = set()
    while len(made) < count:
        slot = rng.choice([0, 1, 2, 70_000])
        if rng.random() < 0.5:
            made.add((slot, rng.choice(OF_VALUES), rng.choice(keys)))
        else:
            made.add((slot, rng.choice(OF_TEXTS), rng.choice(texts)))
    return sorted(made, key=repr)


@pytest.mark.parametrize("count", [5, 12, 200])
def test_the_table_says_what_a_dict_says(count: int, seed: int) -> None:
    rng = random.Random(seed)
    every = constants(rng, count)
    table = Table(rng)
    for step in range(effort(1_500)):
        # Now more and more of them, now fewer.
        growing = 0.65 if step // 200 % 2 else 0.4
        if not table.atoms or rng.random() < growing:
            table.add(rng.choice(every))
        else:
            table.drop(rng.choice(list(table.atoms)))
        if rng.random() < 0.02:
            table.grow(2 * (int(table.words[H_TABLE_MASK]) + 1) if rng.random() < 0.1 else 256)
        asked = rng.choice(every)
        assert table.find(asked) == table.atoms.get(asked, 0)
        if step % 50 == 0:
            table.check()
    table.check()
    for constant in list(table.atoms):
        for _ in range(table.uses[constant]):
            table.drop(constant)
        table.check()
    assert [table.find(constant) for constant in every] == [0] * count


def test_numbers_and_places_of_atoms_that_are_gone_are_used_again(seed: int) -> None:
    rng = random.Random(seed)
    table = Table(rng)
    every = constants(rng, 60)
    used = []
    for _ in range(12):
        for constant in every:
            table.add(constant)
        rng.shuffle(every)
        for constant in every:
            table.drop(constant)
        used.append([int(table.words[place]) for place in (H_ATOM_COUNT, H_TABLE_MASK, H_HEAP)])
    assert used[-1] == used[1]
    assert table.words[H_ATOM_COUNT] == FIRST_ATOM + 60


def test_a_full_chain_of_collisions_is_cut_in_every_order(seed: int) -> None:
    # Seven atoms in a table of eight: nearly all of them stand behind another.
    rng = random.Random(seed)
    for _ in range(effort(60)):
        table = Table(rng)
        every = constants(rng, 14)
        for constant in every[:7]:
            table.add(constant)
        assert table.words[H_TABLE_MASK] == 7
        for constant in rng.sample(every[:7], 7):
            table.drop(constant)
            table.check()
            assert [table.find(one) for one in every] == [table.atoms.get(one, 0) for one in every]
            if rng.random() < 0.3:
                table.add(rng.choice(every))
                table.check()


def test_the_last_one_that_goes_leaves_an_empty_table(seed: int) -> None:
    rng = random.Random(seed)
    table = Table(rng, size=64)
    for constant in constants(rng, 20):
        table.add(constant)
        table.drop(constant)
    assert table.words[H_TABLE_USED] == 0


def test_atoms_that_stand_for_no_constant_have_no_chains(seed: int) -> None:
    table = Table(random.Random(seed))
    for room in (4, 9):
        grow_atoms(table.words, table.longs, room)
        for atom in range(FIRST_ATOM):
            assert table.record(atom)[A_HEAD] == 0
            assert table.record(atom)[A_TAG] == 0
            assert table.longs[table.words[H_KEYS] + atom] == 0


def test_many_strings_at_once_are_found_as_one_by_one(seed: int) -> None:
    rng = random.Random(seed)
    table = Table(rng)
    texts = [rng.choice([b"", b"prefix of all "]) + b"%d" % number for number in range(effort(200))]
    for text in texts[::2]:
        table.add((1, STRING, text))
        table.add((2, STRING, text))
        table.add((1, TEXT, text + b"!"))
    asked = [rng.choice(texts) + rng.choice([b"", b"", b"!"]) for _ in range(effort(400))]
    bounds = np.cumsum([0, *map(len, asked)]).astype(np.int64)
    found = np.full(len(asked), -1, np.int64)
    text = amid_noise(b"".join(asked), rng)
    find_strings(table.words, table.longs, table.heap, 1, text, bounds, found)
    assert found.tolist() == [table.atoms.get((1, STRING, one), 0) for one in asked]
    assert len(set(found.tolist())) > 2


def test_equal_bytes_have_equal_hashes_wherever_they_stand(seed: int) -> None:
    rng = random.Random(seed)
    for length in range(40):
        data = rng.randbytes(length)
        hashes = set()
        for before in range(9):
            array = amid_noise(rng.randbytes(before) + data, rng)
            hashes.add(int(hash_bytes(array, before, length)))
            # The last bytes of an array, too.
            hashes.add(int(hash_bytes(np.frombuffer(bytes(before) + data, np.uint8).copy(), before, length)))
        assert len(hashes) == 1


def test_texts_that_hardly_differ_have_other_hashes(seed: int) -> None:
    rng = random.Random(seed)
    texts = {bytes(length) for length in range(200)} | {b"%d" % number for number in range(effort(5_000))}
    texts |= {b"the same words, " * 3 + bytes([one, other]) for one in range(40) for other in range(40)}
    hashes = [int(hash_bytes(amid_noise(text, rng), 0, len(text))) for text in texts]
    assert len(set(hashes)) == len(texts)
    counts = np.bincount([one & 63 for one in hashes], minlength=64)
    assert counts.max() < 2 * counts.mean()


def test_bytes_are_the_same_or_not(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(2_000)):
        length = rng.randrange(26)
        one = bytearray(rng.randbytes(length))
        other = bytearray(one)
        if length and rng.random() < 0.7:
            other[rng.randrange(length)] ^= 1 << rng.randrange(8)
        at, there = rng.randrange(9), rng.randrange(9)
        first = amid_noise(rng.randbytes(at) + bytes(one), rng)
        second = amid_noise(rng.randbytes(there) + bytes(other), rng)
        if rng.random() < 0.5:
            second = second.copy()  # an array that ends with its last byte
        assert bool(same_bytes(first, at, second, there, length)) is (one == other)
