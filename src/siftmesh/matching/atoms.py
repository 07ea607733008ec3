"""What atoms stand for: the constant, and the fact in words."""

from __future__ import annotations

from typing import Any

from siftmesh.kernels.cells import double_of_key
from siftmesh.kernels.layout import (
    A_SLOT,
    A_TAG,
    ALWAYS,
    BOOL,
    F_TIMES,
    H_ATOMS,
    H_KEYS,
    H_SLOTS,
    NUMBER,
    PAIR,
    PREFIX,
    PRESENCE,
    RANGE,
    RECORD,
    S_FLAGS,
    SLOT,
    STRING,
    SUFFIX,
    TEXT,
    TIMESTAMP,
    WIDE,
)
from siftmesh.logic.render import render
from siftmesh.logic.tree import And, Operator, Predicate
from siftmesh.matching.pools import Pools
from siftmesh.model.pattern import escape
from siftmesh.model.values import FIRST_MICROSECOND, LAST_MICROSECOND, Kind

__all__ = ["constant_of", "describe", "number_of"]

_INT_LIMIT = 2.0**63
# The keys of the greatest double there is, and of the least.
_GREATEST = 0x7FEFFFFFFFFFFFFF
_LEAST = ~_GREATEST
_CALENDAR = range(FIRST_MICROSECOND, LAST_MICROSECOND + 1)


def describe(pools: Pools, atom: int) -> str:
    """The fact that an atom stands for, in words."""
    if atom == ALWAYS:
        return "every event"
    words = pools.words
    record = int(words[H_ATOMS]) + RECORD * atom
    slot, tag = int(words[record + A_SLOT]), int(words[record + A_TAG])
    name = next(name for name, number in pools.slots.items() if number == slot)
    key = int(pools.longs[int(words[H_KEYS]) + atom])
    if tag == PRESENCE:
        return render(Predicate(name, Operator.IS_NOT_NULL, Kind.NULL))
    if tag >= PAIR:
        return f"{describe(pools, key >> 32)} AND {describe(pools, key & 0xFFFFFFFF)}"
    if tag >= RANGE:
        timed = bool(words[int(words[H_SLOTS]) + SLOT * slot + S_FLAGS] & F_TIMES)
        return _block(name, key << (tag - RANGE), ((key + 1) << (tag - RANGE)) - 1, timed)
    constant = constant_of(pools, atom)
    if tag >= PREFIX:
        text = escape(constant.decode(errors="replace"))
        pattern = f"{text}%" if tag == PREFIX else f"%{text}" if tag == SUFFIX else f"%{text}%"
        return render(Predicate(name, Operator.LIKE, Kind.STRING, pattern))
    return render(Predicate(name, Operator.EQ, Kind.NUMBER if tag == WIDE else Kind(tag - 1), constant))


def _block(name: str, low: int, high: int, timed: bool) -> str:
    """A stretch of keys as the range of its values."""
    # No atom tells which of the two it is; what is no stretch of the calendar is one of numbers.
    timed = timed and high - low < len(_CALENDAR) and low <= _CALENDAR[-1] and high >= _CALENDAR[0]
    least, greatest = (_CALENDAR[0], _CALENDAR[-1]) if timed else (_LEAST, _GREATEST)
    # The outermost blocks reach beyond what there is.
    ends: list[Any] = [min(max(end, least), greatest) for end in (low, high)]
    if not timed:
        ends = [number_of(end) for end in ends]
    kind = Kind.TIMESTAMP if timed else Kind.NUMBER
    both = zip((Operator.GE, Operator.LE), ends, strict=True)
    return render(And(tuple(Predicate(name, asked, kind, end) for asked, end in both)))


def constant_of(pools: Pools, atom: int) -> Any:
    """The constant that an atom stands for."""
    words = pools.words
    tag = int(words[int(words[H_ATOMS]) + RECORD * atom + A_TAG])
    key = int(pools.longs[int(words[H_KEYS]) + atom])
    if tag == NUMBER:
        return number_of(key)
    if tag == BOOL:
        return bool(key)
    if tag in (WIDE, TIMESTAMP):
        return key
    held = pools.heap[key >> 32 : (key >> 32) + (key & 0xFFFFFFFF)].tobytes()
    return held.decode() if tag in (STRING, TEXT) else held


def number_of(key: int) -> int | float:
    """The number whose key it is."""
    number = float(double_of_key(key))
    if number.is_integer() and -_INT_LIMIT <= number < _INT_LIMIT:
        return int(number)
    return number
