"""Constants that are held and given back, each use of them counted."""

from __future__ import annotations

import random
import struct
from collections import Counter
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels import constants
from siftmesh.kernels.atoms import find_string
from siftmesh.kernels.compound import take_pair
from siftmesh.kernels.layout import (
    A_USES,
    BOOL,
    F_GRAMS,
    F_SCALARS,
    F_STRINGS,
    F_TIMES,
    FLOAT,
    GRAM,
    H_ATOM_LIVE,
    H_HEAP,
    H_LONGS,
    H_WORDS,
    INT,
    L_GRAM,
    L_PREFIX,
    L_SUFFIX,
    LONG_GRAM,
    MOST_GRAM,
    NO_LEVEL,
    NUMBER,
    PATTERN,
    PREFIX,
    R_ATOM,
    R_KEY,
    R_LIST,
    S_ATOMS,
    S_FLAGS,
    S_LONGS,
    S_PRESENCE,
    S_TEXTS,
    S_USES,
    SHORT_GRAM,
    STRING,
    SUFFIX,
    TEXT,
    TIMESTAMP,
    WIDE,
)
from tests.effort import effort
from tests.reference.cells import is_double, key_of
from tests.reference.rows import Rows

NO_TEXT = np.zeros(8, np.uint8)


class Held:
    """Constants of two slots, in pools with room for them."""

    def __init__(self) -> None:
        self.rows = Rows()
        self.slots = [self.rows.pools.slot(name) for name in "ab"]

    def room(self) -> None:
        self.rows.pools.reserve_atoms(64)
        self.rows.pools.reserve(2_000, 200, 2_000, 64)

    def take(self, slot: int, constant: Any, asked: int = -1) -> int:
        self.room()
        text, frame = self.rows.packed([constant])
        kind, raw = int(frame[0]) >> 32, int(frame[1])
        return int(constants.take_atom(*self.rows.arrays, text, slot, asked, kind, raw))

    def find(self, name: str, constant: Any) -> int:
        if isinstance(constant, str):
            return self.rows.string(name, STRING, constant.encode())
        wide = not is_double(constant)
        return self.rows.value(name, WIDE if wide else NUMBER, constant if wide else key_of(constant))

    def release(self, atom: int) -> None:
        constants.release_atom(*self.rows.arrays, atom)

    def uses(self, atom: int) -> int:
        return self.rows.record(atom)[A_USES]

    def flags(self, name: str) -> int:
        return self.rows.slot_record(name)[S_FLAGS]

    def lengths(self, name: str, which: int) -> list[int]:
        bits = int(self.rows.pools.longs[self.rows.slot_record(name)[S_LONGS] + which])
        return [length for length in range(64) if bits >> length & 1]


def bits_of(number: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", number))[0])


@pytest.mark.parametrize("number", [0, 1, -1, 2**53, -(2**53), 0.0, -0.0, 0.5, -2.5, 1e300, float("-inf")])
def test_numbers_have_one_key_however_they_are_written(number: float) -> None:
    if isinstance(number, int):
        assert constants.key_of(INT, number) == key_of(number)
    assert constants.key_of(FLOAT, bits_of(float(number))) == key_of(number)


def test_bools_and_moments_are_their_own_keys() -> None:
    for raw in (0, 1):
        assert constants.key_of(BOOL, raw) == raw
    for raw in (0, -5, 2**60, -(2**60)):
        assert constants.key_of(TIMESTAMP, raw) == raw


NUMBERS: list[Any] = [0, 1, -7, 0.5, 2**53, 2**53 + 1, -(2**60) - 1, 2**63 - 1, 1e300, float("inf")]
TEXTS = ["", "a", "abc", "abcdefgh", "é漢", "x" * 40]
SCALARS: list[Any] = [*NUMBERS, *TEXTS, True, False]


def test_equal_constants_are_one_atom(seed: int) -> None:
    held = Held()
    atoms: dict[Any, int] = {}
    for slot in held.slots:
        for value in SCALARS:
            atoms[slot, type(value) in (int, float), value] = held.take(slot, value)
    assert len(set(atoms.values())) == len(atoms) == 2 * len(SCALARS)
    for value in NUMBERS:
        tag = NUMBER if is_double(value) else WIDE
        assert held.rows.value("a", tag, key_of(value) if tag == NUMBER else value) == atoms[0, True, value]
    for value in TEXTS:
        assert held.rows.string("b", STRING, value.encode()) == atoms[1, False, value]
    for one, other in [(1, 1.0), (0, -0.0), (2**53, 2.0**53)]:
        assert held.take(0, one) == held.take(0, other) == atoms[0, True, one]


def test_slots_learn_what_is_to_be_looked_up() -> None:
    held = Held()
    assert held.flags("a") == 0
    for value, flag in [(1, F_SCALARS), (2**53 + 1, F_SCALARS), (True, F_SCALARS), ("x", F_STRINGS)]:
        fresh = Held()
        fresh.take(1, value)
        assert (fresh.flags("a"), fresh.flags("b")) == (0, flag)
    for asked, which in [(PREFIX, L_PREFIX), (SUFFIX, L_SUFFIX), (GRAM, L_GRAM)]:
        fresh = Held()
        for text in (b"abc", b"abcdefghijk", b"ab", b"xyz"):
            fresh.take(0, text, asked)
        assert fresh.flags("a") == F_GRAMS
        assert fresh.lengths("a", which) == ([2, 3, 8] if asked == GRAM else [2, 3, 11])
        for other in {L_PREFIX, L_SUFFIX, L_GRAM} - {which}:
            assert fresh.lengths("a", other) == []
    # Patterns and texts in order are looked up by nobody.
    for asked in (PATTERN, TEXT):
        held.take(0, b"a\xff", asked)
    assert held.flags("a") == 0


def test_a_key_that_is_a_moment_is_told_to_the_slot() -> None:
    held = Held()
    words = held.rows.pools.words
    assert constants.take_key(words, 0, NUMBER, INT, 3) == key_of(3)
    assert held.flags("a") == 0
    # A moment comes as a plain number of microseconds.
    assert constants.take_key(words, 0, TIMESTAMP, INT, 3) == 3
    assert held.flags("a") == F_TIMES
    assert held.flags("b") == 0


OF_TEXTS = [PATTERN, TEXT, PREFIX, SUFFIX, GRAM]


def test_uses_are_counted_up_and_down(seed: int) -> None:
    rng = random.Random(seed)
    held = Held()
    uses: Counter[int] = Counter()
    for step in range(effort(1_500)):
        if uses and rng.random() < (0.35 if step // 100 % 2 else 0.6):
            atom = rng.choice(list(uses))
            if rng.random() < 0.2 and held.rows.record(atom)[2] not in (PREFIX, SUFFIX, GRAM):
                constants.use_atom(held.rows.pools.words, atom)
                uses[atom] += 1
            else:
                held.release(atom)
                uses[atom] -= 1
        elif rng.random() < 0.1:
            held.room()
            uses[int(constants.take_presence(*held.rows.arrays, NO_TEXT, rng.randrange(2)))] += 1
        else:
            value = rng.choice(SCALARS)
            asked = rng.choice(OF_TEXTS) if isinstance(value, str) and rng.random() < 0.7 else -1
            value = value.encode() if asked >= 0 else value
            uses[held.take(rng.randrange(2), value, asked)] += 1
        uses += Counter()  # those that are gone are no more
        if step % 20 == 0:
            assert {atom: held.uses(atom) for atom in held.rows.atoms()} == uses
            assert held.rows.header(H_ATOM_LIVE) == len(uses)
            held.rows.check_slots()
    for atom in list(uses.elements()):
        held.release(atom)
    assert held.rows.atoms() == []
    for name in "ab":
        record = held.rows.slot_record(name)
        assert [record[which] for which in (S_ATOMS, S_USES, S_TEXTS, S_PRESENCE)] == [0] * 4


def test_presence_is_an_atom_as_long_as_somebody_holds_it() -> None:
    held = Held()
    held.room()
    atoms = {int(constants.take_presence(*held.rows.arrays, NO_TEXT, 1)) for _ in range(3)}
    (atom,) = atoms
    for _ in range(3):
        assert held.rows.slot_record("b")[S_PRESENCE] == atom
        assert held.rows.slot_record("a")[S_PRESENCE] == 0
        held.release(atom)
    assert held.rows.slot_record("b")[S_PRESENCE] == 0


def test_a_pair_gives_back_what_it_is_a_pair_of() -> None:
    held = Held()
    for _ in range(3):
        one, other = held.take(0, 1), held.take(1, "x")
        pair = int(take_pair(*held.rows.arrays, NO_TEXT, 0, one, 1, NO_LEVEL, other))
    extra = held.take(0, 1)
    assert [held.uses(atom) for atom in (pair, one, other)] == [3, 4, 3]
    held.release(pair)
    assert [held.uses(atom) for atom in (pair, one, other)] == [2, 3, 2]
    held.release(pair)
    held.release(pair)
    assert held.rows.atoms() == [extra]
    held.rows.check_slots()


# ---- lists


LISTS: list[Any] = [(3, 1, 2), ("b", "a"), (1,), (), tuple(range(30, 0, -1)), (0.5, 2**53 + 1, 0)]


@pytest.mark.parametrize("listed", LISTS, ids=repr)
@pytest.mark.parametrize("kept", [False, True])
def test_a_list_is_its_atoms_in_order(listed: Any, kept: bool) -> None:
    held = Held()
    # Some of them are known already, and so have smaller numbers.
    known = [held.take(1, value) for value in listed[1::2]]
    held.room()
    before = held.rows.header(H_WORDS)
    text, frame = held.rows.packed([listed])
    made = np.full(4 + len(listed) + 2, -7, np.int64)
    place = int(constants.take_list(*held.rows.arrays, text, frame, 1, int(frame[1]), kept, made, 4))
    atoms = made[4 : 4 + len(listed)].tolist()
    assert atoms == sorted(held.find("b", value) for value in listed)
    assert set(known) <= set(atoms)
    assert made[:4].tolist() == [-7] * 4
    assert made[4 + len(listed) :].tolist() == [-7] * 2
    assert {atom: held.uses(atom) for atom in atoms} == {atom: 1 + (atom in known) for atom in atoms}
    held.rows.check_slots()
    if not kept:
        assert (place, held.rows.header(H_WORDS)) == (0, before)
        return
    assert held.rows.pools.words[place : place + 1 + len(atoms)].tolist() == [len(atoms), *atoms]
    constants.release_list(*held.rows.arrays, place)
    assert {atom: held.uses(atom) for atom in held.rows.atoms()} == dict.fromkeys(known, 1)
    held.rows.check_slots()


HELD = [
    *((R_ATOM, -1, value) for value in SCALARS),
    *((R_ATOM, asked, b"abc\xff") for asked in (PATTERN, TEXT)),
    *((R_LIST, -1, listed) for listed in LISTS),
    *((R_KEY, NUMBER, value) for value in (0, 0.5, -3)),
    (R_KEY, TIMESTAMP, 5),
]


@pytest.mark.parametrize(("what", "asked", "value"), HELD, ids=repr)
def test_what_a_program_holds_is_given_back(what: int, asked: int, value: Any) -> None:
    held = Held()
    held.take(0, "something else")
    held.room()
    states = []
    for _ in range(4):
        place = held.rows.hold(what, 0, asked, value)
        held.rows.check_slots()
        if what == R_KEY:
            expected = value if asked == TIMESTAMP else key_of(value)
            assert held.rows.pools.longs[place] == expected
        elif what == R_LIST:
            assert held.rows.pools.words[place] == len(value)
        else:
            assert place in held.rows.atoms()
        again = held.rows.hold(what, 0, asked, value)
        assert (again == place) is (what == R_ATOM)
        for one in (place, again):
            constants.release_constant(*held.rows.arrays, what, one)
        held.rows.check_slots()
        assert len(held.rows.atoms()) == 1
        states.append([held.rows.header(which) for which in (H_WORDS, H_LONGS, H_HEAP)])
    # What was given back is used again.
    assert states[0] == states[-1]


# ---- stretches of a text


def candidates(text: bytes) -> list[bytes]:
    """The stretches that may be taken, those in the middle first."""
    size = LONG_GRAM if len(text) >= LONG_GRAM else min(len(text), SHORT_GRAM)
    count = len(text) - size + 1
    middle = (count - 1) // 2
    places = sorted(range(count), key=lambda at: (abs(at - middle), at < middle))
    return [text[at : at + size] for at in places[:MOST_GRAM]]


def test_the_rarest_stretch_of_a_text_is_taken(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(20)):
        held = Held()
        taken: Counter[bytes] = Counter()
        for _ in range(60):
            text = bytes(rng.choices(b"ab", k=rng.choice([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 30, 60])))
            stretches = candidates(text)
            least = min(taken[stretch] for stretch in stretches)
            best = next(stretch for stretch in stretches if taken[stretch] == least)
            before = held.rows.string("a", GRAM, best)
            atom = held.take(0, text, GRAM)
            assert atom == held.rows.string("a", GRAM, best), (text, best)
            assert before in (0, atom)
            taken[best] += 1
            assert held.uses(atom) == taken[best]
        # Each is in the text, so no string that has the text is missed.
        assert set(map(len, taken)) == set(held.lengths("a", L_GRAM))


@pytest.mark.parametrize("length", [1, 2, 3, 4, 5, 7, 8, 9, 10, 20, 39])
def test_every_stretch_near_the_middle_is_considered(length: int) -> None:
    # All but one are taken often; that one is found wherever it is.
    text = bytes(range(65, 65 + length))
    for rare in candidates(text):
        held = Held()
        for stretch in candidates(text):
            for _ in range(1 if stretch == rare else 3):
                held.take(0, stretch, GRAM)
        atom = held.take(0, text, GRAM)
        array = np.frombuffer(rare + bytes(8), np.uint8).copy()
        assert atom == find_string(*held.rows.arrays, 0, GRAM, array, 0, len(rare))
