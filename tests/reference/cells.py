"""Events as cells, for tests of what reads cells; constants are entered by hand."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from siftmesh.kernels.atoms import add_atom
from siftmesh.kernels.cells import clear_cells, fill_cells
from siftmesh.kernels.layout import (
    BOOL,
    CELL,
    F_SCALARS,
    F_STRINGS,
    F_TIMES,
    H_SLOT_COUNT,
    H_SLOTS,
    NUMBER,
    S_FLAGS,
    SLOT,
    STRING,
    TIMESTAMP,
    WIDE,
)
from siftmesh.kernels.pools import take_words
from siftmesh.kernels.unpack import unpack_event
from siftmesh.matching.packing import pack_event
from siftmesh.matching.pools import Pools
from siftmesh.model.event import Event
from siftmesh.model.values import Timestamp

__all__ = ["Cells", "is_double", "key_of"]

ALL_FLAGS = F_STRINGS | F_SCALARS | F_TIMES
_NO_TEXT = np.zeros(8, np.uint8)


def is_double(number: float) -> bool:
    """Whether a float of Python is exactly this number."""
    return Fraction(float(number)) == Fraction(number) if abs(number) < 2**1023 else type(number) is float


def key_of(number: float) -> int:
    """A number's place among all floats, those below 0 counted down from -2 (there is one zero)."""
    (bits,) = struct.unpack("<q", struct.pack("<d", number))
    return bits if bits >= 0 else 0 if bits == -(2**63) else -(bits + 2**63) - 1


class Cells:
    """Slots of some names, with all that is ever looked up in them; and the cells of one event."""

    def __init__(self, *names: str, flags: int = ALL_FLAGS) -> None:
        self.pools = Pools()
        self.text = _NO_TEXT
        self.frame = np.zeros(0, np.int64)
        self.count = 0
        for name in names:
            slot = self.pools.slot(name)
            self.pools.words[int(self.pools.words[H_SLOTS]) + SLOT * slot + S_FLAGS] = flags
        self.cells = np.zeros(CELL * len(names), np.int64)

    def atom(self, name: str, tag: int, key: int | bytes) -> int:
        """The atom of a constant by its tag, made if there is none."""
        pools = self.pools
        text = np.frombuffer(key + bytes(8), np.uint8).copy() if isinstance(key, bytes) else _NO_TEXT
        length = len(key) if isinstance(key, bytes) else 0
        pools.reserve_atoms(1)
        pools.reserve(0, 0, length)
        number = 0 if isinstance(key, bytes) else key
        slot = pools.slot(name)
        return int(add_atom(pools.words, pools.longs, pools.heap, slot, tag, number, text, 0, length))

    def constant(self, name: str, value: Any) -> int:
        """The atom of a constant by its value."""
        if isinstance(value, str):
            return self.atom(name, STRING, value.encode())
        if isinstance(value, Timestamp):
            return self.atom(name, TIMESTAMP, value.micros)
        if isinstance(value, bool):
            return self.atom(name, BOOL, int(value))
        if is_double(value):
            return self.atom(name, NUMBER, key_of(value))
        return self.atom(name, WIDE, value)

    def listed(self, atoms: list[int]) -> int:
        """The place of a list of atoms."""
        self.pools.reserve(len(atoms) + 1, 0, 0)
        place = int(take_words(self.pools.words, len(atoms) + 1))
        self.pools.words[place : place + len(atoms) + 1] = [len(atoms), *sorted(atoms)]
        return place

    def put(self, values: Mapping[str, Any] | Event) -> None:
        """Fill the cells with an event, those of the one before being cleared."""
        if self.count:
            clear_cells(self.frame, 0, self.count, self.cells)
        pools = self.pools
        event = values if isinstance(values, Event) else Event.of(values)
        packed = pack_event(event, pools.slots)
        self.text = np.frombuffer(packed, np.uint8).copy()
        room = len(packed) + 2
        self.frame = np.zeros(2 * room, np.int64)
        named = False
        self.count = int(unpack_event(pools.words, pools.longs, pools.heap, self.text, named, self.frame))
        assert self.count >= 0
        needed = CELL * (int(pools.words[H_SLOT_COUNT]) + room)
        if len(self.cells) < needed:
            self.cells = np.zeros(needed, np.int64)
        fill_cells(pools.words, pools.longs, pools.heap, self.frame, 0, self.count, self.text, self.cells)

    def cell(self, name: str) -> list[int]:
        """The cell of an attribute."""
        return self.at(self.pools.slots[name])

    def at(self, number: int) -> list[int]:
        """A cell by its number."""
        return self.cells[CELL * number : CELL * (number + 1)].tolist()  # type: ignore[no-any-return]  # int64 numbers
