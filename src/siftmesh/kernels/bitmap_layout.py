"""What the numbers in the arrays of a segment of bitmaps mean.

A segment is up to some hundred thousand *terms* in *slots*, one bit for each. What a term asks of one
dimension is true for some stretches of its keys; where one begins or ends stands an *edge*. So the terms that
hold at a value are those that hold below all edges, with one change of a bit for each edge up to the value.
Of these states some are kept, as *rows* of bits; an event takes the row nearest to its value and makes the
changes in between.

Each dimension numbers the bits of its rows by itself. A *dense* dimension, which many terms bound, has a bit
for all slots of those blocks of BLOCK slots in which any term does; behind its rows is one for events without
the dimension. A *sparse* one has a bit only for the terms that bound it. Terms that bound sparse dimensions
are met only if the event has them: such a term is looked at from the first one of them, which knows the
others. So an event does not pay for sparse dimensions that it has not.

head (int64)   the H_ numbers, then ENTRY numbers for each dimension, the dense ones first
small (int32)  codes of the slots; leader and next slot of those from H_MULTI on; the sparse dimensions; lists
keys (int64), ids (int32)  for each dimension its edges in the order of their places
rows (int64)   words of 64 bits
alive, fringe (int64)  bits of the slots: which hold terms, and which of these bound sparse dimensions

An edge at key k is passed by values from k on. A value may lie between two keys that are neighbours, low and
high: it has passed the edges up to low, and of those at high the EARLY ones, which end a stretch with the key
below.
"""

from __future__ import annotations

__all__ = [
    "ABOVE",
    "BELOW",
    "BLOCK",
    "BLOCK_WORDS",
    "EARLY",
    "ENTRY",
    "E_COUNT",
    "E_DIM",
    "E_EDGES",
    "E_FIRSTS",
    "E_LAST",
    "E_LENGTH",
    "E_LIST",
    "E_OTHERS",
    "E_ROWS",
    "E_SIZE",
    "E_STEP",
    "HEADER",
    "HIGHEST",
    "H_DENSE",
    "H_DIMS",
    "H_ENTRIES",
    "H_MULTI",
    "H_SLOTS",
    "LOWEST",
    "NEGATED",
    "NUMBER",
    "ON",
    "SLACK",
    "WORK_BOUNDS",
    "WORK_EDGES",
    "WORK_WORDS",
]

BLOCK = 512
BLOCK_WORDS = 8

LOWEST = -(1 << 63)
HIGHEST = (1 << 63) - 1

H_SLOTS = 0  # a multiple of BLOCK
H_MULTI = 1  # a multiple of BLOCK: here begin the terms whose owners have several, those to verify last
H_DENSE = 2  # how many dimensions are dense
H_ENTRIES = 3  # ... and how many there are
H_DIMS = 4  # place in `small` of the numbers of the sparse dimensions
HEADER = 8

E_DIM = 0
E_EDGES = 1  # place of the first edge
E_COUNT = 2
E_STEP = 3  # edges from one row to the next
E_LAST = 4  # number of the last row; that for events without a dense dimension is the one behind it
E_ROWS = 5  # place of the first row
E_SIZE = 6  # words of a row
E_LIST = 7  # place in `small` of the numbers of a dense dimension's blocks, or of a sparse one's slots
E_LENGTH = 8  # how many these are
E_FIRSTS = 9  # how many of the slots, from the first on, are looked at from this sparse dimension
E_OTHERS = 10  # place in `small` of where the lists of their other sparse dimensions begin, and the end
ENTRY = 12

# Marks in the ids of edges, which are the numbers of bits in the rows of the dimension.
ON = 1 << 30  # the term holds behind the edge, and not before it
EARLY = 1 << 29
NUMBER = EARLY - 1

# Flags of bounds.
NEGATED = 1  # it is what lies from the lowest key to the highest that is excluded
ABOVE = 2  # what lies between the lowest key and the one below it belongs to that
BELOW = 4  # what lies between the highest key and the one above it belongs to that

# Places behind what is written that a kernel may write over.
SLACK = 64

# What `work` counts: words AND-ed, edges looked at, bounds tested one by one.
WORK_WORDS = 0
WORK_EDGES = 1
WORK_BOUNDS = 2
