"""A shape compiled: a program for its rows, and the recipe by which a row's constants are kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from siftmesh.kernels.layout import (
    ABOVE,
    ACCEPT,
    BELOW,
    COLUMN_ATOM,
    COLUMN_LIST,
    GRAM,
    INSTRUCTION,
    M_HERE,
    M_LONG_COLUMN,
    M_LONG_HERE,
    M_WORD_COLUMN,
    OP_CONTAINS,
    OP_EQ,
    OP_GE,
    OP_GT,
    OP_ILIKE,
    OP_IN,
    OP_LE,
    OP_LIKE,
    OP_LT,
    OP_NE,
    OP_NOT_CONTAINS,
    OP_NOT_ILIKE,
    OP_NOT_IN,
    OP_NOT_LIKE,
    OP_NOT_OVERLAPS,
    OP_OVERLAPS,
    OP_TEXT_GE,
    OP_TEXT_GT,
    OP_TEXT_LE,
    OP_TEXT_LT,
    OP_UNSURE,
    P_MULTIPLE,
    P_OF_ELEMENTS,
    P_OF_VALUES,
    P_SIMPLE,
    PATTERN,
    PREFIX,
    PROGRAM,
    R_ALWAYS,
    R_ATOM,
    R_KEY,
    R_LIST,
    R_PAIR,
    R_PRESENCE,
    R_RANGE,
    REJECT,
    SUFFIX,
    TEXT,
    TIMESTAMP,
)
from siftmesh.logic.tree import Predicate, Quantified
from siftmesh.matching.access import Access, Joined
from siftmesh.matching.shape import Part, Test, comparison
from siftmesh.plans.order import Odds, combined, order

__all__ = ["PARKED_ACCESS", "Program", "compile_program"]

# The access of rows that wait for nothing, since something else finds them.
PARKED_ACCESS = Access((), (), -1.0)

_TAGS = {"prefix": PREFIX, "prefix only": PREFIX, "suffix": SUFFIX, "suffix only": SUFFIX, "gram": GRAM}
_EXACT_FORMS = ("prefix only", "suffix only")
_PATTERNS = frozenset([OP_LIKE, OP_NOT_LIKE, OP_ILIKE, OP_NOT_ILIKE])
_TEXTS = frozenset([OP_TEXT_LT, OP_TEXT_GE, OP_TEXT_LE, OP_TEXT_GT])
_LISTS = frozenset([OP_IN, OP_NOT_IN, OP_OVERLAPS, OP_NOT_OVERLAPS])
_ATOMS = frozenset([OP_EQ, OP_NE, OP_CONTAINS, OP_NOT_CONTAINS])
# What is needed to answer at least as much as an equality, as multiples of it.
_COSTS = dict.fromkeys(_PATTERNS, 8.0) | dict.fromkeys(_TEXTS, 4.0) | dict.fromkeys(_LISTS, 2.0)
_UNSURE_COST = 1000.0
# What is asked once for many rows costs each of them little.
_UNIFORM = 0.05
_SIMPLE = frozenset([OP_EQ, OP_LT, OP_GE, OP_LE, OP_GT])
# What is said of where a constant is kept that the program holds.
_FIXED = (-1, 0, 0, -1)

Likely = Callable[[Test], float]
# Puts a constant into the pools for as long as a program lives: what it is, its slot, the tag, the value.
Hold = Callable[[int, int, int, Any], int]


class Program(msgspec.Struct):
    """What the pools hold of a shape with an access, and how to get a row's constants back."""

    part: Part | Test
    access: Access
    words: list[int]
    # For each constant where it is kept, as (what, slot, tag, column); without a column the rows' atoms tell,
    # or the program.
    kept: list[tuple[int, int, int, int]]
    # Constants that all rows have in common.
    fixed: dict[int, Any]
    # What the pools hold of these, as (what, place).
    held: list[tuple[int, int]]
    # Of each test that is looked up by a text: the number of its pattern, and its form.
    texts: list[int]
    rows_for: int
    # Constants of some of its rows, to judge plans by.
    examples: list[list[Any]]
    place: int = 0
    subscriptions: int = 0
    parked: bool = False

    @property
    def waits(self) -> int:
        """The number of the constant by which a row is found, the first of several; -1 if there is none."""
        tests = [*self.access.tests, *(test for one in self.access.joined for test in one.tests)]
        return tests[0].first if tests else -1


class _Writer:
    def __init__(self, slot: Callable[[str], int], likely: Likely, fixed: dict[int, Any], hold: Hold) -> None:
        self.slot = slot
        self.likely = likely
        self.fixed = fixed
        self.hold = hold
        self.held: list[tuple[int, int]] = []
        # Instructions, the last to be executed first; jumps to them by number.
        self.code: list[list[int]] = []
        # Where each quantifier begins among their words.
        self.blocks: list[int] = []
        self.block_words: list[int] = []
        self.word_kinds: list[int] = []
        self.longs = 0
        self.recipe: list[list[int]] = []
        self.modes: dict[int, tuple[int, int, int, int]] = {}

    def odds(self, part: Part | Test) -> Odds:
        if isinstance(part, Test):
            cost = _UNSURE_COST if part.operation == OP_UNSURE else _COSTS.get(part.operation, 1.0)
            if self.is_uniform(part) and part.operation != OP_UNSURE:
                cost *= _UNIFORM
            return Odds(self.likely(part), cost)
        children = [self.odds(child) for child in part.children]
        return combined([children[place] for place in order(children, part.conjunction)], part.conjunction)

    def is_uniform(self, test: Test) -> bool:
        """Whether it is asked once for all rows of a chunk."""
        return not isinstance(test.leaf, Quantified) and all(
            number in self.fixed for number in range(test.first, test.first + test.count)
        )

    def write(self, part: Part | Test, if_true: int, if_false: int) -> int:
        """Write a part that goes on at one of two instructions; where it begins itself."""
        if isinstance(part, Test):
            return self.test(part, if_true, if_false)
        for place in reversed(order([self.odds(child) for child in part.children], part.conjunction)):
            child = part.children[place]
            if part.conjunction:
                if_true = self.write(child, if_true, if_false)
            else:
                if_false = self.write(child, if_true, if_false)
        return if_true if part.conjunction else if_false

    def test(self, test: Test, if_true: int, if_false: int) -> int:
        leaf = test.leaf
        what, slot, operand = test.operation, 0, 0
        if isinstance(leaf, Quantified) and test.operation != OP_UNSURE:
            operand = -1 - len(self.blocks)
            self._quantifier(test, leaf)
        elif isinstance(leaf, Predicate):
            slot = self.slot(leaf.attribute)
            tag = int(leaf.kind) + 1
            mode = M_HERE
            if test.count:
                mode, operand = self.column(test.first, test.operation, slot, tag)
            what += 256 * tag + 65536 * mode
        self.code.append([what, slot, operand, if_true, if_false])
        return len(self.code) - 1

    def column(self, constant: int, operation: int, slot: int, tag: int) -> tuple[int, int]:
        """Keep a constant in a column, or with the program; the mode and operand of who reads it."""
        if constant in self.modes:
            what, _, _, column = self.modes[constant]
        else:
            if operation in _LISTS:
                what, asked = R_LIST, -1
            elif operation in _PATTERNS:
                what, asked = R_ATOM, PATTERN
            elif operation in _TEXTS:
                what, asked = R_ATOM, TEXT
            elif operation in _ATOMS and tag != TIMESTAMP:
                what, asked = R_ATOM, -1
            else:
                what, asked = R_KEY, tag
            if constant in self.fixed:
                place = self.hold(what, slot, asked, self.fixed[constant])
                self.held.append((what, place))
                return (M_LONG_HERE if what == R_KEY else M_HERE), place
            if what == R_KEY:
                column, self.longs = self.longs, self.longs + 1
            else:
                column = len(self.word_kinds)
                self.word_kinds.append(COLUMN_LIST if what == R_LIST else COLUMN_ATOM)
            self.recipe.append([what, slot, asked, column, 0, constant])
            self.modes[constant] = (what, slot, tag, column)
        return (M_LONG_COLUMN if what == R_KEY else M_WORD_COLUMN), column

    def _quantifier(self, test: Test, leaf: Quantified) -> None:
        slots = [self.slot(name) for name in leaf.arrays]
        block = [len(slots), len(leaf.terms), *slots]
        for number, term in enumerate(leaf.terms):
            slot, tag = slots[term.position], int(term.kind) + 1
            operation = comparison(term.operator, term.kind)
            mode, operand = self.column(test.first + number, operation, slot, tag)
            block += [slot, operation + 256 * tag + 65536 * mode, operand]
        self.blocks.append(len(self.block_words))
        self.block_words += block


def compile_program(
    part: Part | Test,
    access: Access | None,
    slot: Callable[[str], int],
    likely: Likely,
    constants: int,
    fixed: dict[int, Any],
    hold: Hold,
) -> Program:
    """The program of a shape whose rows are found by an access (None: they are looked at for every event)."""
    writer = _Writer(slot, likely, fixed, hold)
    implied = _implied(part, access)
    rest = _without(part, implied)
    entry = writer.write(rest, ACCEPT, REJECT) if rest is not None else ACCEPT
    texts: list[int] = []
    if access is None:
        writer.recipe.append([R_ALWAYS, 0, 0, -1, 1, 0])
    elif access is not PARKED_ACCESS:
        for test in access.tests:
            assert isinstance(test.leaf, Predicate)
            where = slot(test.leaf.attribute)
            tag = int(test.leaf.kind) + 1
            if test.form:
                writer.recipe.append([R_ATOM, where, _TAGS[test.form], -1, 1, constants + len(texts)])
                texts.append(test.first)
                if test is implied:
                    writer.modes[test.first] = (R_ATOM, where, tag, -1)
                continue
            what = R_LIST if test.operation in _LISTS else R_ATOM
            if test is not implied:
                writer.column(test.first, test.operation, where, tag)
            else:
                writer.modes[test.first] = (what, where, tag, -1)
            writer.recipe.append([what, where, -1, -1, 1, test.first])
        for joined in access.joined:
            writer.recipe += _join(joined, slot)
        for name in access.presences:
            writer.recipe.append([R_PRESENCE, slot(name), 0, -1, 1, 0])
    return _assemble(part, access, writer, entry, texts, constants, implied)


def _join(joined: Joined, slot: Callable[[str], int]) -> list[list[int]]:
    """The entries of the recipe by which a row waits for several tests at once."""
    entries = []
    if joined.equal is not None:
        entries.append([R_PAIR, _slot_of(joined.equal, slot), -1, -1, 1, joined.equal.first])
    if joined.other is not None:
        entries.append([R_ATOM, _slot_of(joined.other, slot), -1, -1, 0, joined.other.first])
    low, high = joined.low, joined.high
    if low is not None and high is not None and isinstance(low.leaf, Predicate):
        strict = 1 + (ABOVE if low.operation == OP_GT else 0) + (BELOW if high.operation == OP_LT else 0)
        entries.append([R_RANGE, _slot_of(low, slot), int(low.leaf.kind) + 1, high.first, strict, low.first])
    return entries


def _slot_of(test: Test, slot: Callable[[str], int]) -> int:
    assert isinstance(test.leaf, Predicate)
    return slot(test.leaf.attribute)


def _assemble(
    part: Part | Test,
    access: Access | None,
    writer: _Writer,
    entry: int,
    texts: list[int],
    constants: int,
    implied: Test | None,
) -> Program:
    length = len(writer.code)

    def place(number: int) -> int:
        return number if number < 0 else PROGRAM + INSTRUCTION * (length - 1 - number)

    recipe = [number for row in writer.recipe for number in row]
    behind = PROGRAM + INSTRUCTION * length + len(writer.word_kinds) + len(recipe)
    code: list[int] = []
    for what, slot, operand, if_true, if_false in reversed(writer.code):
        place_of = operand if operand >= 0 else behind + writer.blocks[-1 - operand]
        code += [what, slot, place_of, place(if_true), place(if_false)]
    waits = sum(row[4] & 1 for row in writer.recipe) + (len(access.joined) if access is not None else 0)
    # A value between two keys lies in two blocks, and so may meet a range twice.
    many = (
        waits > 1
        or (access is not None and bool(access.joined))
        or (access is not None and any(t.operation == OP_OVERLAPS for t in access.tests))
    )
    arrays = access is not None and any(t.operation in (OP_CONTAINS, OP_OVERLAPS) for t in access.tests)
    texts_repeat = access is not None and any(t.form == "gram" for t in access.tests)
    flags = P_MULTIPLE if many or arrays or texts_repeat else 0
    if any(row[0] >> 16 in (M_WORD_COLUMN, M_LONG_COLUMN) and row[0] & 255 in _SIMPLE for row in writer.code):
        flags |= P_SIMPLE
    if implied is not None:
        flags |= P_OF_ELEMENTS if implied.operation in (OP_CONTAINS, OP_OVERLAPS) else P_OF_VALUES
    head = [length, len(writer.word_kinds), writer.longs, place(entry), flags, 0, len(writer.recipe)]
    kept = [writer.modes.get(number, _FIXED) for number in range(constants)]
    return Program(
        part,
        access or Access((), (), 1.0),
        [*head, *code, *writer.word_kinds, *recipe, *writer.block_words],
        kept,
        writer.fixed,
        writer.held,
        texts,
        waits,
        [],
        parked=access is PARKED_ACCESS,
    )


def _implied(part: Part | Test, access: Access | None) -> Test | None:
    """The one test that is true wherever the access finds a row, and so is not asked again."""
    if access is None or len(access.tests) != 1 or access.presences or access.joined:
        return None
    test = access.tests[0]
    if test.form and test.form not in _EXACT_FORMS:
        return None
    if test is part or (
        isinstance(part, Part) and part.conjunction and any(c is test for c in part.children)
    ):
        return test
    return None


def _without(part: Part | Test, implied: Test | None) -> Part | Test | None:
    if implied is None:
        return part
    if part is implied:
        return None
    assert isinstance(part, Part)
    return Part(True, tuple([child for child in part.children if child is not implied]))
