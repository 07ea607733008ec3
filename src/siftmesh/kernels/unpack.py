"""Messages of MessagePack to frames: one event, or one row of constants, as Python's encoder writes them.

A frame holds two numbers for a value, see `layout`. Elements of arrays come behind all values of the message,
from `2 * spare` on. Bytes that are no such message, or end before it does, are told and do no harm.
"""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.bits import bits_of, double_of
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    ARRAY,
    BOOL,
    FLOAT,
    H_SLOT_COUNT,
    INT,
    NULL,
    OPAQUE,
    STRING,
    TIMESTAMP,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.slots import find_slot

__all__ = ["FOREIGN", "NO_ROOM", "unpack_event", "unpack_row"]

# What comes back instead of a count: the message is not one of ours, or the frame must be longer.
FOREIGN = -1
NO_ROOM = -2

_EXTENSION_8 = 0xD7


@kernel(forceinline=True)
def _number(packed: Bytes, at: int, count: int) -> int:
    """A number of so many bytes, the highest first, without a sign (eight bytes: with one).

    It is 0 where the message ends before it does: who goes on behind it finds that out.
    """
    number = np.int64(0)
    if at + count > len(packed):
        return number
    for place in range(at, at + count):
        number = (number << 8) | np.int64(packed[place])
    return number


@kernel(forceinline=True)
def _scalar(packed: Bytes, at: int, frame: Longs, place: int, slot: int) -> int:
    """Write the value at a place of the message into the frame; where the next begins, or FOREIGN."""
    if at >= len(packed):
        return FOREIGN
    lead = np.int64(packed[at])
    kind = INT
    raw = np.int64(0)
    after = at + 1
    if lead < 0x80:
        raw = lead
    elif lead >= 0xE0:
        raw = lead - 0x100
    elif 0xA0 <= lead < 0xC0 or lead == 0xD9 or lead == 0xDA or lead == 0xDB:
        width = 0 if lead < 0xC0 else 1 << (lead - 0xD9)
        length = lead & 0x1F if width == 0 else _number(packed, after, width)
        after += width
        kind = STRING
        raw = (after << 32) | length
        after += length
    elif lead == 0xCB:
        kind = FLOAT
        raw = _number(packed, after, 8)
        after += 8
    elif lead == 0xC0:
        kind = NULL
    elif lead == 0xC2 or lead == 0xC3:
        kind = BOOL
        raw = lead & 1
    elif 0xCC <= lead <= 0xCF:
        width = 1 << (lead - 0xCC)
        raw = _number(packed, after, width)
        after += width
        if raw < 0:
            return FOREIGN
    elif 0xD0 <= lead <= 0xD3:
        width = 1 << (lead - 0xD0)
        raw = _number(packed, after, width)
        after += width
        if width < 8:
            # The sign is the highest bit of those that are there.
            top = np.int64(1) << (8 * width - 1)
            raw = (raw ^ top) - top
    elif 0xC4 <= lead <= 0xC6:
        width = 1 << (lead - 0xC4)
        length = _number(packed, after, width)
        after += width
        kind = OPAQUE
        raw = (after << 32) | length
        after += length
    elif lead == _EXTENSION_8 and _number(packed, after, 1) == 1:
        kind = TIMESTAMP
        raw = _number(packed, after + 1, 8)
        after += 9
    elif lead == 0xCA:
        kind = FLOAT
        bits = np.int64(_number(packed, after, 4))
        # No encoder of ours writes short floats, but they are floats all the same.
        raw = bits_of(_single(bits))
        after += 4
    else:
        return FOREIGN
    if after > len(packed):
        return FOREIGN
    frame[2 * place] = slot | (np.int64(kind) << 32)
    frame[2 * place + 1] = raw
    return after


@kernel
def _single(bits: int) -> float:
    exponent = (bits >> 23) & 0xFF
    fraction = bits & 0x7FFFFF
    sign = -1.0 if bits >> 31 else 1.0
    if exponent == 0xFF:
        return double_of((bits >> 31 << 63) | (0x7FF << 52) | (fraction << 29))
    if exponent == 0:
        return sign * fraction * 2.0**-149
    return sign * (1.0 + fraction * 2.0**-23) * 2.0 ** (exponent - 127)


@kernel
def _value(packed: Bytes, at: int, frame: Longs, place: int, slot: int, spare: int) -> tuple[int, int]:
    """Write a value, with its elements from `spare` on; where the next begins, and the next free place."""
    if at >= len(packed):
        return FOREIGN, spare
    lead = np.int64(packed[at])
    if not (0x90 <= lead < 0xA0 or lead == 0xDC or lead == 0xDD):
        return _scalar(packed, at, frame, place, slot), spare
    width = 0 if lead < 0xA0 else 2 << (lead - 0xDC)
    count = lead & 0x0F if width == 0 else _number(packed, at + 1, width)
    after = at + 1 + width
    # Each element has a byte at least: nobody makes room for more than there are.
    if count > len(packed) - after:
        return FOREIGN, spare
    if 2 * (spare + count) > len(frame):
        return NO_ROOM, spare
    frame[2 * place] = slot | (np.int64(ARRAY) << 32)
    frame[2 * place + 1] = (np.int64(spare) << 32) | count
    for element in range(spare, spare + count):
        after = _scalar(packed, after, frame, element, slot)
        if after < 0:
            return after, spare
    return after, spare + count


@kernel
def unpack_event(words: Words, longs: Longs, heap: Bytes, packed: Bytes, named: bool, frame: Longs) -> int:
    """The values of a map whose keys are names of attributes, or else slots; how many of them have a slot."""
    lead = _number(packed, 0, 1)
    if 0x80 <= lead < 0x90:
        count = lead & 0x0F
        at = np.int64(1)
    elif lead == 0xDE:
        count = _number(packed, 1, 2)
        at = np.int64(3)
    elif lead == 0xDF:
        count = _number(packed, 1, 4)
        at = np.int64(5)
    else:
        return FOREIGN
    if 2 * count > len(packed) - at:
        return FOREIGN
    spare = count
    # One place more: a value without a slot is read and forgotten there.
    if 2 * (count + 1) > len(frame):
        return NO_ROOM
    found = 0
    for _ in range(count):
        key = _number(packed, at, 1)
        at += 1
        if not named:
            slot = key
            if key >= 0x80:
                if key < 0xCC or key > 0xCE:
                    return FOREIGN
                width = 1 << (key - 0xCC)
                slot = _number(packed, at, width)
                at += width
            if slot >= words[H_SLOT_COUNT]:
                return FOREIGN
        else:
            if 0xA0 <= key < 0xC0:
                length = key & 0x1F
            elif 0xD9 <= key <= 0xDB:
                width = 1 << (key - 0xD9)
                length = _number(packed, at, width)
                at += width
            else:
                return FOREIGN
            if length > len(packed) - at:
                return FOREIGN
            slot = find_slot(words, longs, heap, packed, at, length)
            at += length
        at, after = _value(packed, at, frame, found, max(slot, 0), spare)
        if at < 0:
            return at
        if slot >= 0:
            found += 1
            spare = after
    return found


@kernel
def unpack_row(packed: Bytes, frame: Longs) -> int:
    """The constants of an array, numbered; how many there are."""
    lead = _number(packed, 0, 1)
    if 0x90 <= lead < 0xA0:
        count = lead & 0x0F
        at = np.int64(1)
    elif lead == 0xDC:
        count = _number(packed, 1, 2)
        at = np.int64(3)
    elif lead == 0xDD:
        count = _number(packed, 1, 4)
        at = np.int64(5)
    else:
        return FOREIGN
    if count > len(packed) - at:
        return FOREIGN
    spare = count
    if 2 * count > len(frame):
        return NO_ROOM
    for place in range(count):
        at, spare = _value(packed, at, frame, place, place, spare)
        if at < 0:
            return at
    return count
