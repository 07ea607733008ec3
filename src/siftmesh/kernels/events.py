"""Events in, matches out: one event as a message, or many as columns."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.cells import clear_cells, fill_cell, fill_cells
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    ARRAY,
    C_SPAN,
    C_TAG,
    CELL,
    H_SLOT_COUNT,
    NULL,
    STRING,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.unpack import FOREIGN, NO_ROOM, unpack_event
from siftmesh.kernels.walk import FULL, walk_event

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
    "match_columns",
    "match_message",
]

# ---- how a column of a batch is described, COLUMN longs each

COLUMN = 8
B_SLOT = 0
B_KIND = 1  # of its values, or of the elements of its arrays
# Where its values begin among `raws`; of strings their bounds in the text, one more than there are values, of a
# dictionary the numbers of its entries.
B_VALUES = 2
B_VALID = 3  # where its bytes of validity begin, or -1 if all are valid
B_ATOMS = 4  # of a dictionary: where the atoms of its entries begin, or -1
B_ENTRIES = 5  # of a dictionary: where the bounds of its entries begin
B_LISTS = 6  # of arrays: where the bounds of the rows among the elements begin, or -1
B_LISTS_VALID = 7  # where the validity of the arrays themselves begins, or -1


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
    """Fill a cell with a value of a column."""
    slot = columns[column + B_SLOT]
    kind = columns[column + B_KIND]
    if columns[column + B_VALID] >= 0 and not valid[columns[column + B_VALID] + place]:
        fill_cell(words, longs, heap, slot, NULL, 0, text, cells, cell)
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
        if here >= 0 and not valid[here + row]:
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
) -> int:
    """The subscriptions that the event of one message meets; how many, or what kept them from being found.

    All cells are MISSING before, and again behind it.
    """
    count = unpack_event(words, longs, heap, packed, named, frame)
    if count < 0:
        return STRANGE if count == FOREIGN else NO_ROOM
    fill_cells(words, longs, heap, frame, 0, count, packed, cells)
    found = walk_event(
        words, longs, heap, packed, frame, 0, count, cells, stamps, stamp, out, 0, counters
    )
    clear_cells(frame, 0, count, cells)
    return found


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
) -> int:
    """Match the rows from `first` to `last` of a batch; the row that comes next.

    `bounds[row + 1 - first]` says where the matches of a row end in `out`. Where `out` is too short for a row
    the answer is that row, where there are too few cells for its arrays its complement; the caller goes on from
    there with more room.
    """
    found = 0
    bounds[0] = 0
    for row in range(first, last):
        count = _put_row(words, longs, heap, text, columns, raws, valid, row, frame, cells)
        if count < 0:
            return ~row
        after = walk_event(
            words, longs, heap, text, frame, 0, count, cells, stamps, stamp + row - first, out, found, counters
        )
        clear_cells(frame, 0, count, cells)
        if after == FULL:
            return row
        found = after
        bounds[row + 1 - first] = found
    return last
