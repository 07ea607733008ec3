"""Programs against the evaluation of the trees that they were compiled from."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import pytest

from siftmesh.kernels.chunks import row_of
from siftmesh.kernels.layout import (
    ACCEPT,
    I_WHAT,
    M_LONG_COLUMN,
    M_WORD_COLUMN,
    N_LEAVES,
    OP_ILIKE,
    OP_NOT_ILIKE,
    OP_NOT_SOME,
    OP_SOME,
    OP_UNSURE,
    P_ENTRY,
    REJECT,
)
from siftmesh.kernels.programs import DOUBT, NO_ROW, run
from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import And, Or, Predicate, Tree, leaves
from siftmesh.matching.program import Program
from siftmesh.matching.shape import Test as Asked
from siftmesh.matching.shape import shape_of, skeleton
from siftmesh.model.event import Event
from siftmesh.model.values import Timestamp
from tests.effort import effort
from tests.reference.leaves import some
from tests.reference.rows import CONSTANTS, Rows, parked, some_event, some_tree, tree_of

VERDICTS = {ACCEPT, REJECT, ACCEPT + DOUBT, REJECT + DOUBT}


def others_of(tree: Tree, rng: random.Random) -> Iterator[Tree]:
    """Trees of the same shape with other constants."""
    for _ in range(12):
        other = changed(tree, rng)
        if shape_of(other)[0] == shape_of(tree)[0]:
            yield other


def changed(tree: Tree, rng: random.Random) -> Tree:
    if isinstance(tree, (And, Or)):
        return type(tree)(tuple([changed(child, rng) for child in tree.children]))
    if isinstance(tree, Predicate) and tree.kind in CONSTANTS and not isinstance(tree.value, tuple):
        if tree.operator.name.endswith("LIKE"):
            return tree
        return Predicate(tree.attribute, tree.operator, tree.kind, rng.choice(CONSTANTS[tree.kind]))
    return tree


def chunk_of(rows: Rows, sub: int) -> tuple[int, int]:
    (chunk,) = rows.places(sub)
    return chunk, int(row_of(rows.pools.words, chunk, sub))


def asked(rows: Rows, program: Program, chunk: int, row: int, start: int | None = None) -> int:
    """What a program says of a row, from an instruction on."""
    first = int(rows.pools.words[program.place + P_ENTRY]) if start is None else start
    where = (program.place, chunk, row, first)
    return int(run(*rows.arrays, rows.text, rows.cells, *where, rows.counters))


def may_be_unsure(tree: Tree) -> bool:
    tests = [skeleton(leaf) for leaf in leaves(tree)]
    return any(
        isinstance(test, Asked) and test.operation in (OP_UNSURE, OP_ILIKE, OP_NOT_ILIKE) for test in tests
    )


def agrees(verdict: int, tree: Tree, event: Event) -> bool:
    assert verdict in VERDICTS
    if verdict == ACCEPT + DOUBT:
        return may_be_unsure(tree)
    return (verdict == ACCEPT) is holds(tree, event)


def compiled(rng: random.Random) -> tuple[Rows, Program]:
    """Some rows of one program, of whose constants some are the same in all rows."""
    rows = Rows()
    tree = some_tree(rng)
    fixed = [number for number in range(len(shape_of(tree)[1])) if rng.random() < 0.3]
    program = rows.program(tree, parked, fixed)
    first = shape_of(tree)[1]
    rows.add(0, tree, program)
    for sub, other in enumerate(others_of(tree, rng), start=1):
        constants = shape_of(other)[1]
        if all(constants[number] == first[number] for number in fixed):
            rows.add(sub, other, program)
    return rows, program


def test_a_program_says_of_each_row_what_its_tree_says(seed: int) -> None:
    rng = random.Random(seed)
    met = several = 0
    for _ in range(effort(250)):
        rows, program = compiled(rng)
        several += len(rows.trees) > 2
        for _ in range(6):
            event = some_event(rng)
            rows.put(event)
            for sub, tree in rows.trees.items():
                verdict = asked(rows, program, *chunk_of(rows, sub))
                assert agrees(verdict, tree, event), (tree, event)
                met += verdict == ACCEPT
    assert met > 10
    assert several > 3


def needs_a_row(rows: Rows, program: Program, at: int) -> bool:
    what = int(rows.pools.words[program.place + at + I_WHAT])
    return what & 255 in (OP_SOME, OP_NOT_SOME) or what >> 16 in (M_WORD_COLUMN, M_LONG_COLUMN)


def test_what_all_rows_have_in_common_is_asked_once(seed: int) -> None:
    rng = random.Random(seed)
    ends = set()
    for _ in range(effort(250)):
        rows, program = compiled(rng)
        for _ in range(6):
            event = some_event(rng)
            rows.put(event)
            chunk, _ = chunk_of(rows, 0)
            at = asked(rows, program, chunk, NO_ROW)
            doubt = DOUBT if at >= DOUBT - 2 else 0
            at -= doubt
            ends.add("rows" if at >= 0 else at)
            for sub in rows.trees:
                if at < 0:
                    assert asked(rows, program, *chunk_of(rows, sub)) == at + doubt
                    continue
                assert needs_a_row(rows, program, at)
                # To go on from there comes to the same.
                rest = asked(rows, program, *chunk_of(rows, sub), at)
                whole = asked(rows, program, *chunk_of(rows, sub))
                assert rest % DOUBT == whole % DOUBT
                assert (rest >= DOUBT - 2 or doubt > 0) is (whole >= DOUBT - 2)
    assert ends == {"rows", ACCEPT, REJECT}


def listed(source: str, fixed: bool = False) -> tuple[Rows, Program]:
    rows = Rows()
    tree = tree_of(source)
    program = rows.program(tree, parked, range(len(shape_of(tree)[1])) if fixed else [])
    rows.add(0, tree, program)
    return rows, program


def evaluated(rows: Rows, program: Program, row: int, **values: Any) -> tuple[int, int]:
    """The verdict, and how many leaves it took."""
    rows.put(Event(values))
    before = int(rows.counters[N_LEAVES])
    verdict = asked(rows, program, rows.places(0)[0], row)
    return verdict, int(rows.counters[N_LEAVES]) - before


def test_no_more_leaves_are_asked_than_decide() -> None:
    rows, program = listed("a = 1 AND b = 2 AND c = 3")
    assert evaluated(rows, program, 0, a=1, b=2, c=3) == (ACCEPT, 3)
    assert evaluated(rows, program, 0) == (REJECT, 1)
    rows, program = listed("a = 1 OR b = 2 OR c = 3")
    assert evaluated(rows, program, 0, a=1, b=2, c=3) == (ACCEPT, 1)
    assert evaluated(rows, program, 0) == (REJECT, 3)
    # Without a row none can be asked, as all constants are those of rows.
    verdict, count = evaluated(rows, program, NO_ROW)
    assert (verdict, count) == (int(rows.pools.words[program.place + P_ENTRY]), 0)


@pytest.mark.parametrize(
    "source",
    [
        "a = 1",
        "a = 'x'",
        "a > 1.5",
        "a IN (1, 2)",
        "a LIKE 'x%'",
        "a < 'm'",
        "a > TIMESTAMP '2020-01-01T00:00:00Z'",
        "a = TRUE",
        "a IS NULL",
    ],
)
def test_a_constant_of_the_program_is_read_as_one_of_a_row(source: str) -> None:
    values = [None, 0, 1, 2, "x", "xy", "z", True, "2020-01-02T00:00:00Z", (1,), Timestamp(2**51)]
    own, of_all = listed(source), listed(source, fixed=True)
    for value in values:
        verdict, _ = evaluated(*own, 0, a=value)
        assert evaluated(*of_all, NO_ROW, a=value) == (verdict, 1)
        assert evaluated(*of_all, 0, a=value) == (verdict, 1)
        assert verdict == (ACCEPT if holds(tree_of(source), Event({"a": value})) else REJECT)


def test_doubt_is_told_only_where_it_matters() -> None:
    rows, program = listed("(lower(a) = b AND c = 1) OR d = 2")
    assert evaluated(rows, program, 0, a="X", b="x", c=1)[0] == ACCEPT + DOUBT
    assert evaluated(rows, program, 0, a="X", b="x", c=2)[0] % DOUBT == REJECT % DOUBT
    assert evaluated(rows, program, 0, d=2)[0] == ACCEPT
    assert evaluated(rows, program, 0, d=3)[0] == REJECT


# ---- quantifiers


ELEMENTS: list[Any] = [0, 1, 2, 0.5, None, "a", 2**53 + 1, True, Timestamp(1)]
ARRAYS: list[Any] = [None, 0, "a", (), (None,), (1, 1, 1)]


def some_array(rng: random.Random, length: int) -> Any:
    if rng.random() < 0.1:
        return rng.choice(ARRAYS)
    return tuple(rng.choice(ELEMENTS[:4] if rng.random() < 0.7 else ELEMENTS) for _ in range(length))


def test_quantifiers_look_at_parallel_arrays(seed: int) -> None:
    rng = random.Random(seed)
    verdicts = []
    for _ in range(effort(150)):
        arrays = rng.choice(["xs", "xs ys", "xs ys zs"])
        count = len(arrays.split())
        terms = {
            (rng.randrange(count), rng.choice(["=", "<>", "<", ">=", "<=", ">"]), rng.choice([0, 1, 2, 0.5]))
            for _ in range(rng.randrange(1, 4))
        }
        rows = Rows()
        for sub, negated in enumerate([False, True]):
            tree = some(arrays, *terms, negated=negated)
            program = rows.program(tree, parked, [0] if rng.random() < 0.3 else [])
            rows.add(sub, tree, program)
        for _ in range(12):
            length = rng.randrange(4)
            values = {
                name: some_array(rng, length if rng.random() < 0.9 else 2)
                for name in arrays.split()
                if rng.random() < 0.95
            }
            event = Event(values)
            rows.put(event)
            for sub, tree in rows.trees.items():
                chunk, row = chunk_of(rows, sub)
                verdict = asked(rows, rows.programs[int(rows.pools.words[chunk])], chunk, row)
                assert verdict == (ACCEPT if holds(tree, event) else REJECT), (tree, event)
                verdicts.append((tree.operator, verdict))
    assert len(set(verdicts)) == 4


def test_a_quantifier_is_asked_of_rows_even_if_all_its_constants_are_the_same() -> None:
    tree = some("xs", (0, "=", 1))
    rows = Rows()
    program = rows.program(tree, parked, [0])
    rows.add(0, tree, program)
    assert evaluated(rows, program, NO_ROW, xs=(1,)) == (int(rows.pools.words[program.place + P_ENTRY]), 0)
    assert evaluated(rows, program, 0, xs=(1,)) == (ACCEPT, 1)
