"""Where Python comes in: an event or a row of constants as one message, the arrays by their addresses.

A *context* is an array of longs: for each of the arrays below its address and its length, then the last stamp.
"""

from __future__ import annotations

from typing import Any

from siftmesh.kernels.events import STRANGE, match_message
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import Longs
from siftmesh.kernels.memory import bytes_at, bytes_of, longs_at, words_at
from siftmesh.kernels.rows import FRAME_TOO_SHORT, add_row, enter_rows, remove_row
from siftmesh.kernels.unpack import NO_ROOM, unpack_row

__all__ = [
    "CONTEXT",
    "LAST_STAMP",
    "X_CELLS",
    "X_COUNTERS",
    "X_FRAME",
    "X_HEAP",
    "X_LONGS",
    "X_MADE",
    "X_OUT",
    "X_STAMP",
    "X_STAMPS",
    "X_WORDS",
    "add_message",
    "finish_add",
    "match_event",
    "remove",
]

# ---- the context: addresses, each with the length behind it

X_WORDS = 0
X_LONGS = 2
X_HEAP = 4
X_FRAME = 6
X_CELLS = 8
X_STAMPS = 10
X_OUT = 12
X_COUNTERS = 14
X_MADE = 16
X_STAMP = 18
CONTEXT = 20
LAST_STAMP = 2**31 - 2


@kernel
def match_event(address: int, packed: Any, named: bool) -> int:
    """How many subscriptions the event of a message meets, or what kept them from being found."""
    context: Longs = longs_at(address, CONTEXT)
    stamps = words_at(context[X_STAMPS], context[X_STAMPS + 1])
    if context[X_STAMP] >= LAST_STAMP:
        for sub in range(len(stamps)):
            stamps[sub] = 0
        context[X_STAMP] = 0
    context[X_STAMP] += 1
    return match_message(
        words_at(context[X_WORDS], context[X_WORDS + 1]),
        longs_at(context[X_LONGS], context[X_LONGS + 1]),
        bytes_at(context[X_HEAP], context[X_HEAP + 1]),
        bytes_of(packed),
        named,
        longs_at(context[X_FRAME], context[X_FRAME + 1]),
        longs_at(context[X_CELLS], context[X_CELLS + 1]),
        stamps,
        context[X_STAMP],
        words_at(context[X_OUT], context[X_OUT + 1]),
        longs_at(context[X_COUNTERS], context[X_COUNTERS + 1]),
    )


@kernel
def add_message(address: int, packed: Any, program: int, sub: int) -> int:
    """Take in a subscription whose constants are a message; as `add_row`."""
    context: Longs = longs_at(address, CONTEXT)
    text = bytes_of(packed)
    frame = longs_at(context[X_FRAME], context[X_FRAME + 1])
    count = unpack_row(text, frame)
    if count < 0:
        return FRAME_TOO_SHORT if count == NO_ROOM else STRANGE
    return add_row(
        words_at(context[X_WORDS], context[X_WORDS + 1]),
        longs_at(context[X_LONGS], context[X_LONGS + 1]),
        bytes_at(context[X_HEAP], context[X_HEAP + 1]),
        text,
        frame,
        count,
        program,
        sub,
        longs_at(context[X_MADE], context[X_MADE + 1]),
        len(text),
    )


@kernel
def finish_add(address: int, program: int, sub: int, entered: int) -> int:
    """Go on with an add for which the pools were too short."""
    context: Longs = longs_at(address, CONTEXT)
    return enter_rows(
        words_at(context[X_WORDS], context[X_WORDS + 1]),
        longs_at(context[X_LONGS], context[X_LONGS + 1]),
        program,
        sub,
        longs_at(context[X_MADE], context[X_MADE + 1]),
        entered,
    )


@kernel
def remove(address: int, sub: int) -> int:
    """Take a subscription out; its program."""
    context: Longs = longs_at(address, CONTEXT)
    return remove_row(
        words_at(context[X_WORDS], context[X_WORDS + 1]),
        longs_at(context[X_LONGS], context[X_LONGS + 1]),
        bytes_at(context[X_HEAP], context[X_HEAP + 1]),
        sub,
    )
