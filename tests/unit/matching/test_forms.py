"""Forms: constants that never differ become part of the program, which all rows of a shape share."""

from __future__ import annotations

from typing import Any

import pytest

from siftmesh.filters import FilterReader
from siftmesh.kernels.layout import H_ATOM_LIVE, H_ROWS
from siftmesh.matching.access import Access
from siftmesh.matching.adaptive import AdaptiveEngine
from siftmesh.matching.forms import Form
from siftmesh.matching.program import Program
from siftmesh.matching.shape import skeleton

READER = FilterReader()
PART = skeleton(READER.read("a = 1 AND b = 2 AND c = 3"))
# Rows before it is settled what is the same in all of them, and programs of one form.
ENOUGH, MOST = 64, 32


class Compiler:
    """Makes programs that can do nothing, and remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[tuple[dict[int, Any], bool]] = []

    def __call__(self, part: Any, constants: list[Any], fixed: dict[int, Any], parked: bool) -> Program:
        assert part is PART
        assert all(constants[number] == value for number, value in fixed.items())
        self.asked.append((fixed, parked))
        place = len(self.asked)
        return Program(part, Access((), (), 1.0), [], [], fixed, [], [], 0, [], place, 0, parked)


@pytest.fixture
def compiler() -> Compiler:
    return Compiler()


@pytest.fixture
def form(compiler: Compiler) -> Form:
    return Form(PART, compiler)


def take(form: Form, *constants: Any, parked: bool = False) -> Program:
    program = form.program(list(constants), parked)
    program.subscriptions += 1
    return program


def test_before_much_is_known_all_rows_share_one_program(form: Form, compiler: Compiler) -> None:
    programs = [take(form, 1, number, "x") for number in range(ENOUGH - 1)]
    assert all(program is programs[0] for program in programs)
    assert compiler.asked == [({}, False)]


def test_constants_that_never_differed_become_part_of_the_program(form: Form, compiler: Compiler) -> None:
    for number in range(ENOUGH - 1):
        take(form, 1, number, "x")
    settled = take(form, 1, 99, "x")
    assert settled.fixed == {0: 1, 2: "x"}
    # The one that did is kept by each row; rows with the same others share the program.
    assert take(form, 1, 5, "x") is settled
    other = take(form, 2, 5, "x")
    assert other.fixed == {0: 2, 2: "x"}
    assert take(form, 2, 7, "x") is other
    assert len(compiler.asked) == 3


def test_a_single_row_that_differs_keeps_a_constant_out(form: Form) -> None:
    for number in range(ENOUGH):
        take(form, 1, number, "x" if number != 20 else "y")
    assert take(form, 1, 5, "x").fixed == {0: 1}


def test_where_everything_differs_nothing_is_fixed(form: Form, compiler: Compiler) -> None:
    for number in range(3 * ENOUGH):
        take(form, number, -number, str(number))
    assert compiler.asked == [({}, False)]


def test_constants_that_were_taken_for_fixed_too_soon_are_none_in_the_end(
    form: Form,
) -> None:
    for _ in range(ENOUGH):
        take(form, 1, 2, "x")
    programs = {take(form, number, 2, "x").place for number in range(100, 100 + 2 * MOST)}
    assert len(programs) <= MOST + 1
    last = take(form, 5_000, 7, "y")
    assert last.fixed == {}
    assert take(form, 6_000, 8, "z") is last


def test_programs_that_nobody_has_make_room(form: Form, compiler: Compiler) -> None:
    for _ in range(ENOUGH):
        take(form, 1, 2, "x")
    for number in range(100, 100 + 4 * MOST):
        program = take(form, number, 2, "x")
        assert program.fixed == {0: number, 1: 2, 2: "x"}
        program.subscriptions = 0
    # One that nobody had is gone by now.
    asked = len(compiler.asked)
    assert take(form, 100, 2, "x").place == asked + 1


def test_a_program_that_lost_its_last_row_is_compiled_anew(form: Form, compiler: Compiler) -> None:
    first = take(form, 1, 2, "x")
    first.subscriptions = 0
    second = take(form, 1, 2, "x")
    assert second is not first
    assert len(compiler.asked) == 2


def test_those_in_the_bitmaps_have_a_program_of_their_own(form: Form, compiler: Compiler) -> None:
    there, here = take(form, 1, 2, "x", parked=True), take(form, 1, 2, "x")
    assert there is not here
    assert take(form, 1, 3, "x", parked=True) is there
    assert compiler.asked == [({}, True), ({}, False)]


def test_what_is_fixed_can_be_said_outright(form: Form, compiler: Compiler) -> None:
    form.fix((1,))
    assert take(form, 1, 2, "x").fixed == {1: 2}
    assert take(form, 2, 2, "y").fixed == {1: 2}
    assert len(compiler.asked) == 1
    # And it is not learnt any more.
    for _ in range(2 * ENOUGH):
        assert take(form, 1, 2, "x").fixed == {1: 2}


def test_plans_are_made_anew_when_one_of_them_is_stale(form: Form, compiler: Compiler) -> None:
    first = take(form, 1, 2, "x")
    form.bitmap = False
    form.forget({first.place + 100})
    assert take(form, 1, 2, "x") is first
    assert form.bitmap is False
    form.forget({7, first.place})
    assert form.bitmap is None
    assert take(form, 1, 2, "x") is not first
    assert len(compiler.asked) == 2


# ---- the same in an engine


def insert(engine: AdaptiveEngine, first: int, texts: list[str]) -> None:
    for number, text in enumerate(texts, first):
        engine.insert(number, READER.read(text))


def test_rows_take_less_when_their_constants_are_all_the_same() -> None:
    same, different = AdaptiveEngine(), AdaptiveEngine()
    for engine, word in ((same, lambda _: "x"), (different, str)):
        insert(
            engine, 0, [f"k = {n} AND s = '{word(n)}' AND t <> '{word(n)}' AND u < {n}" for n in range(500)]
        )
    assert same.memory()["rows"] < 0.8 * different.memory()["rows"]
    fixed = [set(program.fixed.values()) for program in same.clusters.programs()]
    assert fixed == [set(), {"x"}]
    assert [program.fixed for program in different.clusters.programs()] == [{}]
    for engine in (same, different):
        assert engine.tree(3) == READER.read(
            "k = 3 AND s = '{0}' AND t <> '{0}' AND u < 3".format("x" if engine is same else 3)
        )
    event = {"k": 400, "s": "x", "t": "y", "u": 1}
    assert same.find(event) == [400]
    assert same.find(event | {"t": "x"}) == different.find(event) == []


def test_programs_go_with_their_last_row() -> None:
    engine = AdaptiveEngine()
    texts = [f"k = {n} AND s = 'x' AND t LIKE 'y%' AND u IN (1, 2) AND v < 5" for n in range(200)]
    used: list[int] = []
    # At first nothing is known of the form.
    for programs in (2, 1, 1, 1):
        insert(engine, 0, texts)
        words = engine.clusters.pools.words
        assert len(engine.clusters.programs()) == programs
        assert words[H_ATOM_LIVE] > 200
        for number in range(199):
            engine.delete(number)
        assert len(engine.clusters.programs()) == 1
        engine.delete(199)
        words = engine.clusters.pools.words
        assert engine.clusters.programs() == []
        assert words[H_ROWS] == 0
        # What a program held is given back too.
        assert words[H_ATOM_LIVE] == 0
        used.append(sum(engine.memory().values()))
    assert len(set(used[1:])) == 1
