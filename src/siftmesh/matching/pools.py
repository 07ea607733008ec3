"""The three growing arrays that an index of clusters lives in, and the attributes known to it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.atoms import grow_atoms, grow_table
from siftmesh.kernels.layout import (
    F_TIMES,
    FIRST_ATOM,
    H_ATOM_COUNT,
    H_ATOM_ROOM,
    H_HEAP,
    H_LONGS,
    H_SLOT_COUNT,
    H_SLOT_ROOM,
    H_SLOTS,
    H_TABLE_MASK,
    H_TABLE_USED,
    H_WHERE,
    H_WHERE_ROOM,
    H_WORDS,
    HEADER,
    S_ATOMS,
    S_FLAGS,
    S_TEXTS,
    S_USES,
    SLOT,
)
from siftmesh.kernels.pools import free_words, take_words
from siftmesh.kernels.slots import add_slot, grow_slots
from siftmesh.model.path import split

__all__ = ["Pools"]

_FEW = 16
# Blocks are at most a quarter longer than asked for.
_ROUNDED = 1.25


class Pools:
    """Words, longs and bytes with room to grow; kernels take blocks of them, and never make them longer."""

    def __init__(self) -> None:
        self.words = np.zeros(1024, np.int32)
        self.longs = np.zeros(128, np.int64)
        self.heap = np.zeros(512, np.uint8)
        self.slots: dict[str, int] = {}
        # Counts how often an array has been replaced by a longer one.
        self.version = 0
        self.words[H_WORDS] = HEADER
        self.words[H_LONGS] = 1
        self.words[H_HEAP] = 1
        self.words[H_ATOM_COUNT] = FIRST_ATOM
        grow_slots(self.words, self.longs, self.heap, 4)
        grow_atoms(self.words, self.longs, _FEW)
        grow_table(self.words, self.longs, self.heap, 2 * _FEW)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """What is in use of the arrays."""
        words = self.words
        return {
            "words": words[: int(words[H_WORDS])],
            "longs": self.longs[: int(words[H_LONGS])],
            "heap": self.heap[: 8 * int(words[H_HEAP]) + 8],
        }

    def take_over(self, words: Any, longs: Any, heap: Any, slots: dict[str, int]) -> None:
        """Be what these arrays are, which are written to from now on."""
        self.words, self.longs, self.heap = (
            np.require(one, requirements="W") for one in (words, longs, heap)
        )
        self.slots = slots
        self.version += 1

    def reserve(self, words: int, longs: int, text: int, blocks: int = 1) -> None:
        """Room for so many words and longs in blocks, and for `blocks` strings of `text` bytes in all."""
        self.words = self._longer(self.words, int(self.words[H_WORDS]), words)
        self.longs = self._longer(self.longs, int(self.words[H_LONGS]), longs)
        self.heap = self._longer(self.heap, 8 * int(self.words[H_HEAP]), text + 16 * blocks)

    def _longer(self, array: NDArray[Any], used: int, more: int) -> NDArray[Any]:
        needed = used + int(_ROUNDED * more) + 64
        if needed <= len(array):
            return array
        # What nobody writes to takes no memory, so room may be generous.
        longer = np.empty(2 * needed, array.dtype)
        longer[:used] = array[:used]
        self.version += 1
        return longer

    def reserve_atoms(self, more: int) -> None:
        """Room for so many atoms more."""
        count = int(self.words[H_ATOM_COUNT]) + more
        if count > self.words[H_ATOM_ROOM]:
            room = 2 * count
            self.reserve(4 * room, room, 0)
            grow_atoms(self.words, self.longs, room)
        size = int(self.words[H_TABLE_MASK]) + 1
        if 4 * (int(self.words[H_TABLE_USED]) + more) > 3 * size:
            # Places of atoms that are gone are free again in a new table.
            live = count
            while 2 * live > size:
                size *= 2
            self.reserve(size, 0, 0)
            grow_table(self.words, self.longs, self.heap, size)

    def reserve_directory(self, subscriptions: int) -> None:
        """Room for so many subscriptions in the directory."""
        had = int(self.words[H_WHERE_ROOM])
        if subscriptions <= had:
            return
        room = max(_FEW, 2 * subscriptions)
        self.reserve(room, 0, 0)
        to = take_words(self.words, room)
        old = int(self.words[H_WHERE])
        self.words[to : to + had] = self.words[old : old + had]
        self.words[to + had : to + room] = 0
        if had:
            free_words(self.words, old, had)
        self.words[H_WHERE] = to
        self.words[H_WHERE_ROOM] = room

    def slot(self, attribute: str) -> int:
        """The slot of an attribute, a new one if need be."""
        known = self.slots.get(attribute)
        if known is not None:
            return known
        count = int(self.words[H_SLOT_COUNT])
        steps = split(attribute)
        name = np.frombuffer(steps[0].encode() + bytes(8), np.uint8).copy()
        if count >= self.words[H_SLOT_ROOM]:
            room = 4 * max(count, 1)
            self.reserve((SLOT + 2) * room, 0, 0, 1)
            grow_slots(self.words, self.longs, self.heap, room)
        self.reserve(0, 8, len(name), 1)
        made = int(add_slot(self.words, self.longs, self.heap, name, len(name) - 8, len(steps) == 1))
        self.slots[attribute] = made
        return made

    def be_of_times(self, attribute: str) -> None:
        """Read strings of an attribute as moments, too."""
        slot = self.slot(attribute)
        self.words[int(self.words[H_SLOTS]) + SLOT * slot + S_FLAGS] |= F_TIMES

    def asked(self, slot: int) -> tuple[int, int, int]:
        """How many constants of a slot are held, how often all of them, and how often parts of strings."""
        record = int(self.words[H_SLOTS]) + SLOT * slot
        words = self.words
        return int(words[record + S_ATOMS]), int(words[record + S_USES]), int(words[record + S_TEXTS])

    def memory(self) -> dict[str, int]:
        """Bytes in use."""
        words = self.words
        return {
            "directory": 4 * int(words[H_WHERE_ROOM]),
            "atoms": 4 * (int(words[H_TABLE_MASK]) + 1) + 24 * int(words[H_ATOM_ROOM]),
            "strings": 8 * int(words[H_HEAP]),
            "rows": 4 * (int(words[H_WORDS]) - int(words[H_WHERE_ROOM]) - int(words[H_TABLE_MASK]) - 1)
            - 16 * int(words[H_ATOM_ROOM])
            + 8 * (int(words[H_LONGS]) - int(words[H_ATOM_ROOM])),
        }
