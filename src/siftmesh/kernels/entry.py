"""Where Python comes in: an event or a row of constants as one message, the arrays by their addresses.

A *context* is an array of longs: for each of the arrays below its address and its length, then the last
stamp.
"""

from __future__ import annotations

from siftmesh.kernels.events import STRANGE, match_message, verify_message
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import N_UNSURE, Longs, Words
from siftmesh.kernels.memory import bytes_at, bytes_of, longs_at, words_at
from siftmesh.kernels.programs import DOUBT
from siftmesh.kernels.rows import FRAME_TOO_SHORT, add_row, enter_rows, remove_row
from siftmesh.kernels.unpack import NO_ROOM, unpack_row

__all__ = [
    "CONTEXT",
    "DOUBT",
    "LAST_STAMP",
    "X_CELLS",
    "X_COUNTERS",
    "X_DIMS",
    "X_FRAME",
    "X_HEAP",
    "X_HIGHS",
    "X_LONGS",
    "X_LOWS",
    "X_MADE",
    "X_NAMED",
    "X_OUT",
    "X_PRESENT",
    "X_SEEN",
    "X_STAMP",
    "X_STAMPS",
    "X_WORDS",
    "add_message",
    "finish_add",
    "match_event",
    "remove",
    "verify_event",
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
X_DIMS = 18
X_PRESENT = 20
X_LOWS = 22
X_HIGHS = 24
X_SEEN = 26
X_NAMED = 28
X_STAMP = 30
CONTEXT = 31
LAST_STAMP = 2**31 - 2


@kernel
def match_event(address: int, packed: bytes, named: bool, ids: int) -> int:
    """How many subscriptions the event of a message meets, or what kept them from being found.

    With DOUBT added, some of them are complements: what nobody here is sure of. Where all are certain and
    `ids` is the address of one long for each subscription, those of the subscriptions found are put down.
    """
    context: Longs = longs_at(address, CONTEXT)
    stamps = words_at(context[X_STAMPS], context[X_STAMPS + 1])
    if context[X_STAMP] >= LAST_STAMP:
        for sub in range(len(stamps)):
            stamps[sub] = 0
        context[X_STAMP] = 0
    context[X_STAMP] += 1
    counters = longs_at(context[X_COUNTERS], context[X_COUNTERS + 1])
    unsure = counters[N_UNSURE]
    found = match_message(
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
        counters,
        longs_at(context[X_SEEN], context[X_SEEN + 1]),
        words_at(context[X_DIMS], context[X_DIMS + 1]),
        bytes_at(context[X_PRESENT], context[X_PRESENT + 1]),
        longs_at(context[X_LOWS], context[X_LOWS + 1]),
        longs_at(context[X_HIGHS], context[X_HIGHS + 1]),
    )
    if found >= 0 and counters[N_UNSURE] != unsure:
        return found + DOUBT
    if ids != 0:
        id_of = longs_at(ids, len(stamps))
        named_out = longs_at(context[X_NAMED], context[X_NAMED + 1])
        out = words_at(context[X_OUT], context[X_OUT + 1])
        for place in range(found):
            named_out[place] = id_of[out[place]]
    return found


@kernel
def verify_event(address: int, packed: bytes, named: bool, codes: Words) -> int:
    """How many of the codes that the bitmaps found for an event are met: the first ones then."""
    context: Longs = longs_at(address, CONTEXT)
    return verify_message(
        words_at(context[X_WORDS], context[X_WORDS + 1]),
        longs_at(context[X_LONGS], context[X_LONGS + 1]),
        bytes_at(context[X_HEAP], context[X_HEAP + 1]),
        bytes_of(packed),
        named,
        longs_at(context[X_FRAME], context[X_FRAME + 1]),
        longs_at(context[X_CELLS], context[X_CELLS + 1]),
        codes,
        longs_at(context[X_COUNTERS], context[X_COUNTERS + 1]),
    )


@kernel
def add_message(address: int, packed: bytes, program: int, sub: int) -> int:
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
