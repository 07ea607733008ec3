"""What the numbers in the arrays mean: written by encoders, read by kernels.

An index of clusters is three pools. `words` (int32) begins with a header, whose places are the H_ names
below; it holds the table of atoms, the chunks of rows, programs and lists. `longs` (int64) holds keys of
atoms and constants of 64 bits, `heap` (uint8) the bytes of strings and patterns. A place in a pool is an
index into it; 0 is no place. A *span* is a stretch of bytes or values in 64 bits: its start times 2**32 plus
its length.

An *atom* is a constant of one slot that an event either has or has not, as a number: an equality, an
element of an array, a pattern, a pair of equalities, mere presence. Atom 0 is none, and atom 1 is met by
every event. Each atom has a chain of *chunks*: rows of constants of subscriptions that wait for this atom.

Events come in a *frame* (int64), two numbers for a value: its slot + 2**32 times its kind, and the raw value.
`bounds` says where the values of each event begin; the elements of arrays lie behind those of all events.
Rows of constants come in the same form.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Words = NDArray[np.int32]
Longs = NDArray[np.int64]
Bytes = NDArray[np.uint8]

# ---- tags of cells: what sort of value an event has in a slot; all but MISSING are model.Kind plus one

MISSING = 0
NULL = 1
BOOL = 2
NUMBER = 3
STRING = 4
TIMESTAMP = 5
ARRAY = 6
OPAQUE = 7
# A string that is a moment in RFC 3339, in a slot where somebody compares with moments.
TIMED = 11

# ---- kinds of values in a frame that are no tags: the kernel finds the tag

INT = 8
FLOAT = 9  # the bits of a double

# ---- tags of atoms that are no tags of cells

# A whole number that no double equals, by its own value.
WIDE = 16
# A LIKE pattern: its bytes, with MANY and ONE for the wildcards.
PATTERN = 17
# A constant that strings are put in order with: no event has it, its bytes are only kept here.
TEXT = 18
PRESENCE = 19
# What strings begin with, end with, or contain, as far as it is looked up: at most MOST_GRAM bytes.
PREFIX = 20
SUFFIX = 21
GRAM = 22
MOST_GRAM = 32
# Grams have one of two lengths, since every place of a string is tried for each; only shorter texts give
# others.
LONG_GRAM = 8
SHORT_GRAM = 3
# That a value lies in a block of a level: RANGE plus the level, the block's number as the key.
RANGE = 64
# That an event has two atoms at once: their numbers as the key, each in half of it.
PAIR = 128

# Bytes that UTF-8 never has.
MANY = 0xFF
ONE = 0xFE

ALWAYS = 1
# The chain of rows that are looked at only when somebody names them.
PARKED = 2
FIRST_ATOM = 3

# ---- a cell: CELL int64 for each slot, and behind the slots for each element of an array of the event

CELL = 4
C_TAG = 0  # tag + 256 * atom
C_LOW = 1  # the number, bool or moment as a key in order; of a number that no double equals the key below
C_HIGH = 2  # ... and above
C_SPAN = 3  # of a string its bytes, of an array its cells

# ---- the header of `words`

H_WORDS = 0  # words in use, from the start
H_LONGS = 1
H_HEAP = 2  # in blocks of eight bytes
H_ATOMS = 3  # place of the atoms' records, RECORD words each
H_ATOM_ROOM = 4
H_ATOM_COUNT = 5  # numbers given out, 0 and ALWAYS included
H_ATOM_FREE = 6  # first of the chain of unused numbers, by A_HEAD
H_TABLE = 7  # place of the table of atom numbers, by hash
H_TABLE_MASK = 8
H_TABLE_USED = 9  # places that are not empty, the deleted ones included
H_KEYS = 10  # place in `longs` of the atoms' keys
H_SLOTS = 11  # place of the slots' records, SLOT words each
H_SLOT_ROOM = 12
H_SLOT_COUNT = 13
H_NAMES = 14  # place of the table of slot numbers plus one, by hash of the name
H_NAMES_MASK = 15
H_NAMES_USED = 16
H_WHERE = 17  # place of the directory: for each subscription its chunk, or minus its list of them, or 0
H_WHERE_ROOM = 18
H_MULTIPLE = 19  # rows of programs marked P_MULTIPLE
H_ROWS = 20
H_ATOM_LIVE = 21
# Big blocks that were given back, cut up for smaller ones: where the next begins, where it ends, the others.
H_SPARE_WORDS = 22
H_SPARE_WORDS_END = 23
H_SPARE_LONGS = 24
H_SPARE_LONGS_END = 25
# Which slots are looked up in pairs: PAIRING words each, the two slots and the level of the second's blocks.
H_PAIRS = 26
H_PAIR_COUNT = 27
# Chains of free blocks by size class.
H_FREE_WORDS = 32
H_FREE_LONGS = 160
H_FREE_HEAP = 288
CLASSES = 128
HEADER = 416

# ---- an atom's record

RECORD = 4
A_HEAD = 0  # first chunk
A_SLOT = 1
A_TAG = 2
A_USES = 3

# ---- a slot's record

SLOT = 6
S_FLAGS = 0
S_PRESENCE = 1  # the atom of presence, or 0
S_ATOMS = 3  # how many atoms of values it has
S_USES = 4  # and how often these are held
S_TEXTS = 5  # how often its prefixes, suffixes and grams are held
S_LONGS = 2  # place of LENGTHS longs: which lengths of prefixes, suffixes and grams are looked up; its name
LENGTHS = 5
L_PREFIX = 0
L_SUFFIX = 1
L_GRAM = 2
L_NAME = 3
L_RANGES = 4  # which levels of blocks are looked up

F_STRINGS = 1  # has atoms that are strings
F_SCALARS = 2  # has atoms of other values
F_TIMES = 4  # is compared with moments
F_CHAINS = 8  # some of its atoms have had chains
F_GRAMS = 16  # prefixes, suffixes or grams are looked up
F_RANGES = 32  # blocks of ranges are looked up

# ---- pairs of slots

PAIRING = 3
MOST_PAIRINGS = 48
NO_LEVEL = -1  # the second is a value, not a block

# ---- a chunk: a header, the ids of its rows, then its columns of words; its columns of longs are elsewhere

K_PROGRAM = 0
K_COUNT = 1
K_ROOM = 2
K_NEXT = 3
K_BACK = 4  # the chunk before, or 0
K_LONGS = 5
K_ATOM = 6
CHUNK = 7
MOST_ROWS = 256
# How far along a chain an add looks for a chunk of its program.
LOOK_AHEAD = 16

# ---- a program: a header, its instructions, the kinds of its columns of words, its recipe

P_LENGTH = 0  # instructions
P_WORDS = 1  # columns of words in a row
P_LONGS = 2  # columns of longs in a row
P_ENTRY = 3  # the first instruction, or ACCEPT or REJECT
P_FLAGS = 4
P_ROWS = 5
P_RECIPE = 6  # entries of the recipe
PROGRAM = 7

P_MULTIPLE = 1  # its subscriptions may be met in several chains: each is reported once
P_OF_VALUES = 4  # that an attribute has the value is not asked again: chains of elements do not lead here
P_OF_ELEMENTS = 8  # the same of elements of arrays: chains of values do not lead here
P_SIMPLE = 2  # some of its comparisons with a column can be all that is left to decide

ACCEPT = -1
REJECT = -2

# Jumps are distances from the program's first word.
INSTRUCTION = 5
I_WHAT = 0  # operation + 256 * tag + 65536 * mode
I_SLOT = 1
I_OPERAND = 2  # the word itself, or the number of the column
I_TRUE = 3  # where to go on if the leaf is true
I_FALSE = 4

# Where the operand is.
M_HERE = 0
M_WORD_COLUMN = 1
M_LONG_COLUMN = 2
M_LONG_HERE = 3  # in `longs`, at the place that is the word

# What a column of words holds, and what is to be given back with a row.
COLUMN_ATOM = 0
COLUMN_LIST = 1  # the place of a list of atoms: its length, then the atoms in order

# ---- operations; each stands beside its opposite

OP_EQ = 0
OP_NE = 1
OP_LT = 2  # of numbers and moments, by keys
OP_GE = 3
OP_LE = 4
OP_GT = 5
OP_TEXT_LT = 6
OP_TEXT_GE = 7
OP_TEXT_LE = 8
OP_TEXT_GT = 9
OP_IN = 10
OP_NOT_IN = 11
OP_LIKE = 12
OP_NOT_LIKE = 13
OP_ILIKE = 14
OP_NOT_ILIKE = 15
OP_IS_NULL = 16
OP_IS_NOT_NULL = 17
OP_EXISTS = 18
OP_NOT_EXISTS = 19
OP_CONTAINS = 20
OP_NOT_CONTAINS = 21
OP_OVERLAPS = 22
OP_NOT_OVERLAPS = 23
OP_SOME = 24
OP_NOT_SOME = 25
OP_KEY_EQ = 26
OP_KEY_NE = 27
OP_UNSURE = 28  # nobody here can tell

# What a leaf and a program come to.
NO = 0
YES = 1
UNSURE = 2

# ---- a quantifier, behind the instructions of its program: Q_ARRAYS, Q_TERMS, the slots of the arrays,
# ---- then TERM words for each term: the slot of its array, and what and operand as in an instruction

Q_ARRAYS = 0
Q_TERMS = 1
QUANTIFIER = 2
TERM = 3

# ---- recipes: what becomes of the constants of a row, ENTRY words for each column or access

ENTRY = 6
E_WHAT = 0
E_SLOT = 1
E_TAG = 2  # of its atom; -1 if the constant tells
E_COLUMN = 3  # where it is kept, or -1
E_ACCESS = 4  # 1 if the row waits for this atom (or these)
E_FROM = 5  # the number of the constant

R_ATOM = 0  # the atom of a scalar
R_LIST = 1  # a list of atoms
R_KEY = 2  # a number, bool or moment as a key in order
R_PRESENCE = 3  # the atom of a slot's presence; of no constant
R_ALWAYS = 4  # the row is looked at for every event
# The blocks of a range: E_FROM and E_COLUMN are the numbers of its low and high constant, E_ACCESS has the
# bits ABOVE and BELOW where these do not belong to it.
R_RANGE = 5
R_PAIR = 6  # the atom of a scalar together with what the next entry says
ABOVE = 2
BELOW = 4

# ---- what a kernel counts

N_PROBES = 0  # chains of chunks looked at
N_ROWS = 1  # rows examined
N_LEAVES = 2  # leaves evaluated
N_MATCHES = 3
N_EVENTS = 4
N_UNSURE = 5  # matches that nobody here was sure of
N_VERIFIED = 6  # those of them that were asked again, slowly
N_SAMPLED = 7  # events of which it is noted what they had
COUNTERS = 8

# ---- what is noted of a slot, SEEN longs

SEEN = 36
T_PRESENT = 0  # in how many of the sampled events it had a value
T_USES = 1  # how often the atoms of these values are held, in all
T_COUNT = 2  # how many of them were numbers or moments
T_TEXTS = 3  # as T_USES, of what its strings begin with, end with and contain
T_KEYS = 4  # the keys of the last KEYS of these
KEYS = 32

# Of every so many events (a power of two) one is sampled.
SAMPLE = 16
