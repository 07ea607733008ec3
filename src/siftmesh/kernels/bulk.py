"""Many subscriptions of one program at once: constants from columns, row by row into the chunks."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.events import B_KIND, B_SLOT, B_VALUES, COLUMN
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import STRING, Bytes, Longs, Words
from siftmesh.kernels.rows import DONE, LACKS_ROOM, add_row, enter_rows

__all__ = ["PARTLY", "add_columns", "finish_columns"]

# Added to the row that comes next: of the row before it not all rows could be entered.
PARTLY = 1 << 40


@kernel
def add_columns(
    words: Words,
    longs: Longs,
    heap: Bytes,
    text: Bytes,
    columns: Longs,
    raws: Longs,
    frame: Longs,
    count: int,
    program: int,
    subs: Words,
    first: int,
    made: Longs,
) -> int:
    """Take in the subscriptions from `first` on until the pools are full; the row that comes next.

    A column says in place of a slot which constant it is; constants that the frame holds already have no
    column. With PARTLY added, the row before is to be finished by `finish_columns`.
    """
    for row in range(first, len(subs)):
        size = np.int64(0)
        for number in range(len(columns) // COLUMN):
            column = COLUMN * number
            at = columns[column + B_VALUES] + row
            raw = raws[at]
            kind = columns[column + B_KIND]
            if kind == STRING:
                length = raws[at + 1] - raw
                size += length
                raw = (raw << 32) | length
            constant = columns[column + B_SLOT]
            frame[2 * constant] = kind << 32
            frame[2 * constant + 1] = raw
        done = add_row(words, longs, heap, text, frame, count, program, subs[row], made, size)
        if done == LACKS_ROOM:
            return row
        if done != DONE:
            made[len(made) - 1] = done - 1
            return row + 1 + PARTLY
    return len(subs)


@kernel
def finish_columns(words: Words, longs: Longs, program: int, sub: int, made: Longs) -> bool:
    """Go on with a row that was entered in part; whether it is in."""
    done = enter_rows(words, longs, program, sub, made, made[len(made) - 1])
    made[len(made) - 1] = done - 1
    return done == DONE
