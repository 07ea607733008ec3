"""The table of names of attributes, against a dict."""

from __future__ import annotations

import random

import numpy as np
import pytest

from siftmesh.kernels.layout import H_HEAP, H_LONGS, H_SLOT_COUNT, H_SLOT_ROOM, H_WORDS, HEADER
from siftmesh.kernels.slots import add_slot, find_slot, grow_slots
from tests.effort import effort
from tests.reference.arrays import amid_noise


class Slots:
    def __init__(self) -> None:
        self.words = np.zeros(300_000, np.int32)
        self.longs = np.zeros(20_000, np.int64)
        self.heap = np.zeros(200_000, np.uint8)
        self.words[[H_WORDS, H_LONGS, H_HEAP]] = HEADER, 1, 1
        grow_slots(self.words, self.longs, self.heap, 2)

    def add(self, name: bytes, named: bool = True) -> int:
        if self.words[H_SLOT_COUNT] == self.words[H_SLOT_ROOM]:
            grow_slots(self.words, self.longs, self.heap, 2 * int(self.words[H_SLOT_ROOM]))
        text = np.frombuffer(name + b"behind", np.uint8).copy()
        return int(add_slot(self.words, self.longs, self.heap, text, len(name), named))

    def find(self, name: bytes, rng: random.Random) -> int:
        return int(find_slot(self.words, self.longs, self.heap, amid_noise(name, rng), 0, len(name)))


def names(rng: random.Random) -> list[bytes]:
    """Names that begin alike, and are as long as others or a little longer."""
    made = {b"", b"a", b"aa", "é".encode(), "é".encode() + b"a", bytes(8), bytes(9), b"x" * 300}
    # Each the beginning of the next: only the lengths tell them apart.
    made |= {b"a" * length for length in range(100)}
    for length in (1, 7, 8, 9, 15, 16, 17, 40):
        for _ in range(effort(60)):
            made.add(b"attribute number "[:length] + bytes(rng.choices(b"abc", k=rng.randrange(4))))
    listed = sorted(made)
    rng.shuffle(listed)
    return listed


def test_names_are_found_again_and_no_others(seed: int) -> None:
    rng = random.Random(seed)
    slots, known = Slots(), dict[bytes, int]()
    every = names(rng)
    for name in every[: len(every) // 2]:
        known[name] = slots.add(name)
        # An attribute inside an object has a slot, but no event names it so.
        slots.add(name, named=False)
    assert sorted(known.values()) == list(range(0, 2 * len(known), 2))
    for name in every:
        assert slots.find(name, rng) == known.get(name, -1)


@pytest.mark.parametrize("start", range(9))
def test_a_name_is_read_where_it_stands(start: int, seed: int) -> None:
    slots = Slots()
    wanted = slots.add(b"price of a book")
    slots.add(b"price")
    text = amid_noise(b"x" * start + b"price of a book", random.Random(seed))
    assert find_slot(slots.words, slots.longs, slots.heap, text, start, len(b"price of a book")) == wanted
    assert find_slot(slots.words, slots.longs, slots.heap, text, start, len(b"price")) == wanted + 1
    assert find_slot(slots.words, slots.longs, slots.heap, text, start, len(b"price of")) == -1


def test_nothing_is_found_where_there_is_nothing(seed: int) -> None:
    rng = random.Random(seed)
    slots = Slots()
    assert slots.find(b"", rng) == -1
    assert slots.find(b"a", rng) == -1
    slots.add(b"a", named=False)
    assert slots.find(b"a", rng) == -1
    assert slots.find(b"", rng) == -1
