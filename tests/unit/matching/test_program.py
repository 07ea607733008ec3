"""Programs of shapes: their jumps say what the tree says, and every constant is kept somewhere."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from siftmesh.filters import FilterReader
from siftmesh.kernels.layout import (
    ABOVE,
    ACCEPT,
    BELOW,
    E_ACCESS,
    E_COLUMN,
    E_FROM,
    E_WHAT,
    ENTRY,
    I_FALSE,
    I_OPERAND,
    I_SLOT,
    I_TRUE,
    I_WHAT,
    INSTRUCTION,
    M_HERE,
    M_LONG_COLUMN,
    M_LONG_HERE,
    M_WORD_COLUMN,
    OP_EQ,
    P_ENTRY,
    P_FLAGS,
    P_LENGTH,
    P_LONGS,
    P_MULTIPLE,
    P_OF_ELEMENTS,
    P_OF_VALUES,
    P_RECIPE,
    P_WORDS,
    PROGRAM,
    Q_ARRAYS,
    Q_TERMS,
    QUANTIFIER,
    R_ALWAYS,
    R_ATOM,
    R_KEY,
    R_LIST,
    R_PAIR,
    R_PRESENCE,
    R_RANGE,
    REJECT,
    TERM,
)
from siftmesh.logic.tree import And, Or, Tree
from siftmesh.matching.access import Access, Joined, access_of
from siftmesh.matching.program import PARKED_ACCESS, Program, compile_program
from siftmesh.matching.shape import Part, shape_of, skeleton
from siftmesh.matching.shape import Test as Asked
from tests.effort import effort
from tests.reference.leaves import leaf

READER = FilterReader()


class World:
    """Slots by name, how likely tests are, and what is held for programs."""

    def __init__(self, likely: Callable[[Asked], float] = lambda _: 0.5) -> None:
        self.slots: dict[str, int] = {}
        self.likely = likely
        self.held: list[tuple[int, int, int, Any]] = []

    def slot(self, name: str) -> int:
        return self.slots.setdefault(name, len(self.slots))

    def hold(self, what: int, slot: int, asked: int, constant: Any) -> int:
        self.held.append((what, slot, asked, constant))
        return 1_000 + len(self.held)

    def compile(self, tree: Tree, access: Access | None, fixed: dict[int, Any] | None = None) -> Program:
        part = skeleton(tree)
        return self.compile_part(part, access, len(shape_of(tree)[1]), fixed)

    def compile_part(
        self, part: Part | Asked, access: Access | None, constants: int, fixed: dict[int, Any] | None = None
    ) -> Program:
        return compile_program(part, access, self.slot, self.likely, constants, fixed or {}, self.hold)


def instructions(program: Program) -> list[list[int]]:
    code = program.words[PROGRAM : PROGRAM + INSTRUCTION * program.words[P_LENGTH]]
    return [code[at : at + INSTRUCTION] for at in range(0, len(code), INSTRUCTION)]


def recipe(program: Program) -> list[list[int]]:
    first = PROGRAM + INSTRUCTION * program.words[P_LENGTH] + program.words[P_WORDS]
    entries = program.words[first : first + ENTRY * program.words[P_RECIPE]]
    return [entries[at : at + ENTRY] for at in range(0, len(entries), ENTRY)]


def run(program: Program, true: set[int]) -> tuple[bool, list[int]]:
    """Whether a row is accepted where the tests of these slots are true; the slots asked, in order."""
    at = program.words[P_ENTRY]
    asked: list[int] = []
    while at >= 0:
        assert (at - PROGRAM) % INSTRUCTION == 0
        slot = program.words[at + I_SLOT]
        asked.append(slot)
        assert len(asked) <= program.words[P_LENGTH]  # it only jumps forwards
        following = program.words[at + (I_TRUE if slot in true else I_FALSE)]
        assert following < 0 or following > at
        at = following
    assert at in (ACCEPT, REJECT)
    return at == ACCEPT, asked


def some_tree(rng: random.Random, names: list[str], depth: int = 3) -> Tree:
    if depth == 0 or rng.random() < 0.3:
        names.append(f"a{len(names)}")
        return leaf(names[-1], "=", rng.randrange(5))
    children = tuple(some_tree(rng, names, depth - 1) for _ in range(rng.randrange(4)))
    return rng.choice([And, Or])(children)


def truth(tree: Tree, true: set[str]) -> bool:
    if isinstance(tree, And):
        return all(truth(child, true) for child in tree.children)
    if isinstance(tree, Or):
        return any(truth(child, true) for child in tree.children)
    return tree.attribute in true  # type: ignore[union-attr]  # the leaves are predicates


@pytest.mark.parametrize("waits", [False, True])
def test_jumps_say_what_the_tree_says(waits: bool, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(200)):
        names: list[str] = []
        tree = some_tree(rng, names)
        likely = {name: rng.random() for name in names}
        world = World(lambda test, likely=likely: likely[test.leaf.attribute])
        part = skeleton(tree)
        access = access_of(part, lambda name, _, likely=likely: likely[name]) if waits else None
        program = world.compile_part(part, access, len(shape_of(tree)[1]))
        for name in names:
            world.slot(name)
        implied = (
            {test.leaf.attribute for test in access.tests} if access and len(access.tests) == 1 else set()
        )
        for _ in range(20):
            true = {name for name in names if rng.random() < 0.5}
            # A row that is found by one test is looked at where this one is true.
            true |= implied
            accepted, asked = run(program, {world.slots[name] for name in true})
            assert accepted == truth(tree, true), tree
            assert len(asked) == len(set(asked))


def test_what_decides_soonest_is_asked_first() -> None:
    likely = {"a": 0.9, "b": 0.1, "c": 0.5}
    world = World(lambda test: likely[test.leaf.attribute])  # type: ignore[union-attr]  # a predicate's
    for text, expected in (("a < 1 AND b < 1 AND c < 1", "bca"), ("a < 1 OR b < 1 OR c < 1", "acb")):
        program = world.compile(READER.read(text), None)
        all_of = "AND" in text
        _, asked = run(program, set(world.slots.values()) if all_of else set())
        names = {slot: name for name, slot in world.slots.items()}
        assert "".join(names[slot] for slot in asked) == expected


def test_dear_tests_are_asked_late_and_fixed_ones_early() -> None:
    world = World()
    program = world.compile(READER.read("a LIKE '%x%' AND b < 1 AND c + 1 > 2"), None)
    _, asked = run(program, set(world.slots.values()))
    names = {slot: name for name, slot in world.slots.items()}
    # What no kernel can tell has no slot of its own.
    assert [names.get(slot) for slot in asked[:2]] == ["b", "a"]
    tree = READER.read("a < 1 AND b < 2")
    for fixed in (0, 1):
        world = World()
        program = world.compile(tree, None, {fixed: fixed + 1})
        _, asked = run(program, {0, 1})
        assert asked[0] == world.slots["ab"[fixed]]


def test_the_test_by_which_a_row_is_found_is_not_asked_again() -> None:
    world = World()
    tree = READER.read("a = 1 AND b < 2")
    part = skeleton(tree)
    assert isinstance(part, Part)
    access = Access((part.children[0],), (), 0.1)  # type: ignore[arg-type]  # a test
    program = world.compile_part(part, access, 2)
    assert [one[I_SLOT] for one in instructions(program)] == [world.slots["b"]]
    assert program.words[P_FLAGS] & P_OF_VALUES
    assert not program.words[P_FLAGS] & P_MULTIPLE
    # But it is, where it is one of several ways to be found or not all that has to hold.
    for other in (Access(access.tests, ("b",), 0.1), Access((*access.tests, *access.tests), (), 0.1)):
        assert len(instructions(world.compile_part(part, other, 2))) == 2
    either = skeleton(READER.read("a = 1 OR b = 2"))
    assert isinstance(either, Part)
    program = world.compile_part(either, Access(either.children, (), 0.2), 2)  # type: ignore[arg-type]  # tests
    assert len(instructions(program)) == 2
    assert program.words[P_FLAGS] & P_MULTIPLE
    alone = skeleton(READER.read("tags CONTAINS 'x'"))
    assert isinstance(alone, Asked)
    program = world.compile_part(alone, Access((alone,), (), 0.2), 1)
    assert (program.words[P_ENTRY], instructions(program)) == (ACCEPT, [])
    assert program.words[P_FLAGS] & (P_OF_ELEMENTS | P_MULTIPLE) == P_OF_ELEMENTS | P_MULTIPLE


@pytest.mark.parametrize(
    ("pattern", "asked"), [("x%", 0), ("%x", 0), ("x%y", 1), ("%xyz%", 1), ("x" * 33 + "%", 1)]
)
def test_a_pattern_by_which_a_row_is_found_is_asked_unless_that_says_all(pattern: str, asked: int) -> None:
    world = World()
    part = skeleton(leaf("a", "LIKE", pattern))
    assert isinstance(part, Asked)
    program = world.compile_part(part, Access((part,), (), 0.1), 1)
    assert len(instructions(program)) == asked
    assert program.texts == [0]
    # Its text comes behind the other constants.
    assert [entry[E_FROM] for entry in recipe(program) if entry[E_ACCESS]] == [1]


def test_how_rows_wait() -> None:
    world = World()
    tree = READER.read("a = 1 AND b IN (1, 2) AND c >= 3 AND c < 4 AND d LIKE 'x%'")
    part = skeleton(tree)
    constants = shape_of(tree)[1]
    assert isinstance(part, Part)
    tests: dict[Any, Any] = {(test.leaf.attribute, test.operation): test for test in part.children}  # type: ignore[union-attr]  # tests
    by_name = {test.leaf.attribute: test for test in part.children}  # type: ignore[union-attr]  # tests
    high, low = (test for (name, _), test in sorted(tests.items()) if name == "c")
    cases: list[tuple[Access | None, list[int]]] = [
        (None, [R_ALWAYS]),
        (PARKED_ACCESS, []),
        (Access((by_name["a"],), (), 0.1), [R_ATOM]),
        (Access((by_name["b"],), (), 0.1), [R_LIST]),
        (Access((by_name["d"],), (), 0.1), [R_ATOM]),
        (Access((), ("a", "b"), 0.1), [R_PRESENCE, R_PRESENCE]),
        (Access((), (), 0.1, (Joined(low=low, high=high),)), [R_RANGE]),
        (Access((), (), 0.1, (Joined(equal=by_name["a"], low=low, high=high),)), [R_PAIR, R_RANGE]),
        (Access((), (), 0.0), []),
    ]
    for access, expected in cases:
        program = world.compile_part(part, access, 5)
        waits = [entry for entry in recipe(program) if entry[E_ACCESS] or entry[E_WHAT] in (R_PAIR, R_RANGE)]
        assert [entry[E_WHAT] for entry in waits] == expected
        assert program.parked == (access is PARKED_ACCESS)
        for entry in waits:
            if entry[E_WHAT] == R_RANGE:
                # c >= 3 AND c < 4: the upper bound does not belong to it.
                assert entry[E_ACCESS] & (ABOVE | BELOW) == BELOW
                assert [constants[entry[place]] for place in (E_FROM, E_COLUMN)] == [3, 4]
        assert bool(program.words[P_FLAGS] & P_MULTIPLE) == (
            access is not None and (len(expected) > 1 or bool(access.joined))
        )


def test_every_constant_is_kept_where_its_row_or_the_program_has_it() -> None:
    tree = READER.read(
        "a = 1 AND b < 2 AND c IN ('x', 'y') AND d LIKE '%z%q' AND e > 'w'"
        " AND SOME (xs AS x: x > 3 AND x < 4) AND f >= TIMESTAMP '2024-01-01T00:00:00Z'"
        " AND tags OVERLAPS (1, 2) AND g <> 'v'"
    )
    constants = shape_of(tree)[1]
    kept = World().compile(tree, None).kept
    assert len(kept) == len(constants)
    words = sorted(column for what, _, _, column in kept if what != R_KEY)
    longs = sorted(column for what, _, _, column in kept if what == R_KEY)
    # Each has a column of its own.
    assert words == list(range(len(words)))
    assert longs == list(range(len(longs)))
    assert len(words) + len(longs) == len(constants)
    for (what, *_), constant in zip(kept, constants, strict=True):
        if type(constant) in (tuple, str, bytes):
            assert what == (R_LIST if type(constant) is tuple else R_ATOM)

    world = World()
    fixed = dict(enumerate(constants))
    program = world.compile(tree, None, fixed)
    assert (program.words[P_WORDS], program.words[P_LONGS]) == (0, 0)
    assert sorted(map(repr, (held[3] for held in world.held))) == sorted(map(repr, constants))
    assert [place for _, place in program.held] == [1_001 + number for number in range(len(constants))]
    assert all(column == -1 for *_, column in program.kept)
    modes = {one[I_WHAT] >> 16 for one in instructions(program) if one[I_OPERAND] > 0}
    assert modes <= {M_HERE, M_LONG_HERE}


def test_a_constant_in_two_places_is_kept_once() -> None:
    world = World()
    part = skeleton(READER.read("a = 1 AND b < 2"))
    assert isinstance(part, Part)
    tests: Any = part.children
    program = world.compile_part(Part(True, (tests[0], Part(False, (tests[0], tests[1])))), None, 2)
    assert program.words[P_WORDS] + program.words[P_LONGS] == 2
    modes = [one[I_WHAT] >> 16 for one in instructions(program)]
    assert sorted(modes) == [M_WORD_COLUMN, M_WORD_COLUMN, M_LONG_COLUMN]


def test_a_quantifier_stands_behind_the_instructions() -> None:
    world = World()
    program = world.compile(READER.read("SOME (xs AS x, ys AS y: x >= 3 AND y = 4) AND a = 1"), None)
    at = next(one[I_OPERAND] for one in instructions(program) if one[I_OPERAND] > PROGRAM)
    block = program.words[at:]
    assert (block[Q_ARRAYS], block[Q_TERMS]) == (2, 2)
    assert block[QUANTIFIER : QUANTIFIER + 2] == [world.slots["xs"], world.slots["ys"]]
    terms = block[QUANTIFIER + 2 :]
    assert len(terms) == 2 * TERM
    assert [terms[0], terms[TERM]] == [world.slots["xs"], world.slots["ys"]]
    assert terms[TERM + 1] & 255 == OP_EQ
