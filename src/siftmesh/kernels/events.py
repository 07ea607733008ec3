"""Events in, matches out: one event as a message, or many as columns."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.cells import clear_cells, fill_cell, fill_cells
from siftmesh.kernels.chunks import row_of
from siftmesh.kernels.dims import DIM, fill_dims
from siftmesh.kernels.follow import FULL
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    ACCEPT,
    ARRAY,
    C_SPAN,
    C_TAG,
    CELL,
    H_SLOT_COUNT,
    H_WHERE,
    K_PROGRAM,
    N_ROWS,
    NULL,
    P_ENTRY,
    REJECT,
    STRING,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.programs import DOUBT, run
from siftmesh.kernels.unpack import FOREIGN, NO_ROOM, unpack_event
from siftmesh.kernels.walk import walk_event

# What comes back instead of a count, beside FULL and NO_ROOM: the message is none of ours.
STRANGE = -3

__all__ = [
    "B_ATOMS",
    "B_ENTRIES",
    "B_KIND",
    "B_LISTS",
    "B_LISTS_VALID",
    "B_SLOT",
    "B_VALID",
    "B_VALUES",
    "COLUMN",
    "STRANGE",
    "V_MISSING",
    "V_NULL",
    "V_THERE",
    "match_columns",
    "match_message",
    "verify_columns",
    "verify_message",
]

# ---- how a column of a batch is described, COLUMN longs each

COLUMN = 8
B_SLOT = 0
B_KIND = 1  # of its values, or of the elements of its arrays
# Where its values begin among `raws`; of strings their bounds in the text, one more than there are values,
# of a dictionary the numbers of its entries.
B_VALUES = 2
B_VALID = 3  # where its bytes of validity begin, or -1 if all are there
B_ATOMS = 4  # of a dictionary: where the atoms of its entries begin, or -1
B_ENTRIES = 5  # of a dictionary: where the bounds of its entries begin
B_LISTS = 6  # of arrays: where the bounds of the rows among the elements begin, or -1
B_LISTS_VALID = 7  # where the validity of the arrays themselves begins, or -1

# Of a value: null, there, or missing, since the object around it is null.
V_NULL = 0
V_THERE = 1
V_MISSING = 2


@kernel
def _put(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    raws: Longs,
    valid: Bytes,
    columns: Longs,
    column: int,
    place: int,
    cells: Longs,
    cell: int,
) -> None:
    """Fill a cell with a value of a column; what is missing leaves it as it is."""
    slot = columns[column + B_SLOT]
    kind = columns[column + B_KIND]
    if columns[column + B_VALID] >= 0:
        there = valid[columns[column + B_VALID] + place]
        if there == V_NULL:
            fill_cell(words, longs, heap, slot, NULL, 0, text, cells, cell)
        if there != V_THERE:
            return
    at = columns[column + B_VALUES] + place
    raw = raws[at]
    if columns[column + B_ATOMS] >= 0:
        entry = columns[column + B_ENTRIES] + raw
        cells[cell + C_SPAN] = (raws[entry] << 32) | (raws[entry + 1] - raws[entry])
        cells[cell + C_TAG] = STRING + 256 * raws[columns[column + B_ATOMS] + raw]
        return
    if kind == STRING:
        raw = (raw << 32) | (raws[at + 1] - raw)
    fill_cell(words, longs, heap, slot, kind, raw, text, cells, cell)


@kernel
def _put_row(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    columns: Longs,
    raws: Longs,
    valid: Bytes,
    row: int,
    frame: Longs,
    cells: Longs,
) -> int:
    """Fill the cells of a row; how many slots it has, or NO_ROOM for the elements of its arrays."""
    spare = np.int64(words[H_SLOT_COUNT])
    count = len(columns) // COLUMN
    for number in range(count):
        column = COLUMN * number
        slot = columns[column + B_SLOT]
        frame[2 * number] = slot
        lists = columns[column + B_LISTS]
        if lists < 0:
            _put(words, longs, heap, text, raws, valid, columns, column, row, cells, CELL * slot)
            continue
        here = columns[column + B_LISTS_VALID]
        if here >= 0 and valid[here + row] != V_THERE:
            if valid[here + row] == V_NULL:
                cells[CELL * slot + C_TAG] = NULL
            continue
        first = raws[lists + row]
        length = raws[lists + row + 1] - first
        if CELL * (spare + length) > len(cells):
            clear_cells(frame, 0, number, cells)
            return NO_ROOM
        cells[CELL * slot + C_TAG] = ARRAY
        cells[CELL * slot + C_SPAN] = (spare << 32) | length
        for place in range(first, first + length):
            _put(words, longs, heap, text, raws, valid, columns, column, place, cells, CELL * spare)
            spare += 1
    return count


@kernel
def match_message(
    words: Words,
    longs: Longs,
    heap: Bytes,
    packed: Bytes,
    named: bool,
    frame: Longs,
    cells: Longs,
    stamps: Words,
    stamp: int,
    out: Words,
    counters: Longs,
    seen: Longs,
    dims: Words,
    present: Bytes,
    lows: Longs,
    highs: Longs,
) -> int:
    """The subscriptions that the event of one message meets; how many, or what kept them from being found.

    All cells are MISSING before, and again behind it.
    """
    count = unpack_event(words, longs, heap, packed, named, frame)
    if count < 0:
        return STRANGE if count == FOREIGN else NO_ROOM
    fill_cells(words, longs, heap, frame, 0, count, packed, cells)
    fill_dims(cells, dims, present, lows, highs, 0)
    found = walk_event(
        words, longs, heap, packed, frame, 0, count, cells, stamps, stamp, out, 0, counters, seen
    )
    clear_cells(frame, 0, count, cells)
    return found


@kernel
def verify_message(
    words: Words,
    longs: Longs,
    heap: Bytes,
    packed: Bytes,
    named: bool,
    frame: Longs,
    cells: Longs,
    codes: Words,
    counters: Longs,
) -> int:
    """Keep of the codes of an event those that are met; how many. Only complements are asked."""
    count = unpack_event(words, longs, heap, packed, named, frame)
    fill_cells(words, longs, heap, frame, 0, count, packed, cells)
    kept = _verify(words, longs, heap, packed, cells, codes, 0, len(codes), 0, counters)
    clear_cells(frame, 0, count, cells)
    return kept


@kernel
def _verify(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    cells: Longs,
    codes: Words,
    first: int,
    last: int,
    kept: int,
    counters: Longs,
) -> int:
    """Ask the rows of complements; what nobody here can tell stays a complement."""
    for place in range(first, last):
        code = codes[place]
        if code < 0:
            sub = np.int64(~code)
            chunk = np.int64(words[words[H_WHERE] + sub])
            program = np.int64(words[chunk + K_PROGRAM])
            row = row_of(words, chunk, sub)
            counters[N_ROWS] += 1
            start = words[program + P_ENTRY]
            told = run(words, longs, heap, text, cells, program, chunk, row, start, counters)
            if told == REJECT or told == REJECT + DOUBT:
                continue
            if told == ACCEPT:
                code = np.int32(sub)
        codes[kept] = code
        kept += 1
    return kept


@kernel
def match_columns(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    columns: Longs,
    raws: Longs,
    valid: Bytes,
    first: int,
    last: int,
    frame: Longs,
    cells: Longs,
    stamps: Words,
    stamp: int,
    bounds: Longs,
    out: Words,
    counters: Longs,
    seen: Longs,
    dims: Words,
    present: Bytes,
    lows: Longs,
    highs: Longs,
) -> int:
    """Match the rows from `first` to `last` of a batch; the row that comes next.

    `bounds[row]` says where the matches of a row begin in `out`, `bounds[row + 1]` where they end; the first
    of them is given. Where `out` is too short for a row the answer is that row, where there are too few cells
    for its arrays its complement; the caller goes on from there with more room.
    """
    found = bounds[first]
    width = len(dims) // DIM
    for row in range(first, last):
        count = _put_row(words, longs, heap, text, columns, raws, valid, row, frame, cells)
        if count < 0:
            return ~row
        fill_dims(cells, dims, present, lows, highs, row * width)
        after = walk_event(
            words, longs, heap, text, frame, 0, count, cells,
            stamps, stamp + row, out, found, counters, seen,
        )  # fmt: skip
        clear_cells(frame, 0, count, cells)
        if after == FULL:
            return row
        found = after
        bounds[row + 1] = found
    return last


@kernel
def verify_columns(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    columns: Longs,
    raws: Longs,
    valid: Bytes,
    frame: Longs,
    cells: Longs,
    bounds: Longs,
    codes: Words,
    counters: Longs,
) -> None:
    """Keep of the codes of each row of a batch those that are met, and move the bounds together."""
    kept = np.int64(0)
    start = np.int64(0)
    for row in range(len(bounds) - 1):
        stop = bounds[row + 1]
        doubtful = False
        for place in range(start, stop):
            doubtful = doubtful or codes[place] < 0
        if doubtful:
            count = _put_row(words, longs, heap, text, columns, raws, valid, row, frame, cells)
            kept = _verify(words, longs, heap, text, cells, codes, start, stop, kept, counters)
            clear_cells(frame, 0, count, cells)
        else:
            for place in range(start, stop):
                codes[kept] = codes[place]
                kept += 1
        bounds[row + 1] = kept
        start = stop
