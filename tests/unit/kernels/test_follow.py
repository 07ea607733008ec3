"""One chain: what is reported of it, against its rows one by one."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels.follow import FULL, follow
from siftmesh.kernels.layout import (
    A_TAG,
    ALWAYS,
    H_KEYS,
    K_COUNT,
    N_LEAVES,
    N_PROBES,
    N_ROWS,
    N_UNSURE,
    NUMBER,
    P_FLAGS,
    P_MULTIPLE,
    P_OF_ELEMENTS,
    P_OF_VALUES,
    PARKED,
)
from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import Tree
from siftmesh.matching.program import Program
from siftmesh.matching.shape import shape_of
from siftmesh.model.event import Event
from tests.effort import effort
from tests.reference.arrays import fenced, is_fenced
from tests.reference.rows import Rows, parked, rarest, some_event, some_tree, tree_of


class Chain:
    """Rows of several programs that wait for nothing, and so stand in one chain."""

    def __init__(self) -> None:
        self.rows = Rows()
        self.stamp = 0
        self.stamps = np.zeros(500, np.int32)

    def add(self, sub: int, source: str | Tree, fixed: Any = (), multiple: bool = False) -> Program:
        tree = tree_of(source) if isinstance(source, str) else source
        program = self.rows.program(tree, parked, fixed)
        if multiple:
            self.flag(program, P_MULTIPLE)
        self.rows.add(sub, tree, program)
        return program

    def more(self, sub: int, source: str, program: Program) -> None:
        self.rows.add(sub, tree_of(source), program)

    def flag(self, program: Program, flag: int) -> None:
        self.rows.pools.words[program.place + P_FLAGS] |= flag

    def follow(
        self, out: Any, found: int = 0, skipped: int = 0, atom: int = PARKED, again: bool = False
    ) -> int:
        self.stamp += not again
        event = (self.rows.text, self.rows.cells)
        stamps = (self.stamps, self.stamp)
        return int(follow(*self.rows.arrays, *event, atom, skipped, *stamps, out, found, self.rows.counters))

    def found(self, skipped: int = 0, **values: Any) -> list[int]:
        self.rows.put(Event(values))
        out = np.zeros(2 * len(self.rows.trees) + 2, np.int32)
        return sorted(out[: self.follow(out, 0, skipped)].tolist())


def test_a_chain_says_what_its_rows_say(seed: int) -> None:
    rng = random.Random(seed)
    lengths = set()
    for _ in range(effort(40)):
        chain = Chain()
        for sub in range(20):
            tree = some_tree(rng, 1)
            fixed = [number for number in range(len(shape_of(tree)[1])) if rng.random() < 0.5]
            program = chain.add(3 * sub, tree, fixed, rng.random() < 0.3)
            if rng.random() < 0.5:
                chain.rows.add(3 * sub + 1, tree, program)
        for _ in range(8):
            event = some_event(rng)
            chain.rows.put(event)
            out = fenced(len(chain.rows.trees) + 300, np.int32)
            unsure = int(chain.rows.counters[N_UNSURE])
            codes = out[: chain.follow(out)].tolist()
            assert is_fenced(out)
            chain.rows.judge(codes, event)
            assert chain.rows.counters[N_UNSURE] - unsure == sum(code < 0 for code in codes)
            lengths.add(len(codes))
    assert len(lengths) > 2


def test_comparisons_with_columns_are_scanned_to_the_same_end(seed: int) -> None:
    rng = random.Random(seed)
    sources = [
        "a < {}",
        "a >= {} AND b = 1",
        "b = 1 OR a <= {}",
        "NOT (a > {}) AND c IS NULL",
        "a = {} AND b = 1",
        "b = {} OR a = 1",
        "a > {} AND a < 7",
        "(a > {} OR c = 1) AND b = 1",
    ]
    chain = Chain()
    sub = 0
    for source in sources:
        tree = tree_of(source.format(0))
        shape, constants = shape_of(tree)
        # What is the same in all rows is part of the program.
        fixed = [number for number, constant in enumerate(constants) if constant in (1, 7)]
        program = chain.rows.program(tree, parked, fixed)
        for _ in range(rng.choice([1, 2, 30])):
            other = tree_of(source.format(rng.choice([0, 2, 3, 0.5, 5])))
            if shape_of(other)[0] == shape:
                chain.rows.add(sub, other, program)
                sub += 1
    for a in (None, 0, 1, 2, 2.5, 6, "x", (1,)):
        for b in (0, 1, 2, 3):
            for c in (None, 1):
                event = Event({"a": a, "b": b, "c": c})
                chain.rows.put(event)
                out = np.zeros(2 * len(chain.rows.trees) + 2, np.int32)
                found = out[: chain.follow(out)].tolist()
                assert sorted(found) == sorted(
                    n for n, tree in chain.rows.trees.items() if holds(tree, event)
                )


def test_programs_with_a_flag_that_is_skipped_do_not_match() -> None:
    chain = Chain()
    programs = [chain.add(sub, "a = 1") for sub in range(4)]
    chain.flag(programs[1], P_OF_VALUES)
    chain.flag(programs[2], P_OF_ELEMENTS)
    chain.flag(programs[3], P_OF_VALUES | P_MULTIPLE)
    assert chain.found(a=1) == [0, 1, 2, 3]
    assert chain.found(P_OF_VALUES, a=1) == [0, 2]
    assert chain.found(P_OF_ELEMENTS, a=1) == [0, 1, 3]
    assert chain.found(P_OF_VALUES, a=2) == []


def test_what_may_be_met_twice_is_reported_once() -> None:
    chain = Chain()
    chain.add(0, "a = 1", multiple=True)
    chain.add(1, "a = 1")
    chain.add(2, "a = 1 OR lower(b) = c", multiple=True)
    chain.rows.put(Event({"a": 1}))
    out = np.zeros(20, np.int32)
    found = chain.follow(out)
    assert sorted(out[:found].tolist()) == [0, 1, 2]
    # The same event in another chain.
    after = chain.follow(out, found, again=True)
    assert out[found:after].tolist() == [1]
    # Another event.
    assert chain.found(a=1) == [0, 1, 2]
    assert chain.found(a=2, b="X", c="x") == [~2]
    assert chain.follow(out, again=True) == 0


def test_what_nobody_here_is_sure_of_is_told_as_a_complement() -> None:
    chain = Chain()
    first = chain.add(0, "lower(a) = b")
    chain.more(1, "lower(a) = b", first)
    chain.add(2, "a = 'x' AND lower(a) = b", fixed=[0])
    chain.add(3, "a = 'x' OR lower(a) = b", fixed=[0])
    assert chain.found(a="x", b="x") == sorted([~0, ~1, ~2, 3])
    assert chain.rows.counters[N_UNSURE] == 3
    assert chain.found(a="y", b="x") == sorted([~0, ~1, ~3])


@pytest.mark.parametrize("count", [1, 2, 300])
def test_a_chain_that_does_not_fit_is_told(count: int) -> None:
    chain = Chain()
    program = chain.add(0, "a = 1")
    for sub in range(1, count):
        chain.more(sub, "a = 1", program)
    chunks = [int(chain.rows.pools.words[chunk + K_COUNT]) for chunk in chain.rows.chunks(PARKED)]
    chain.rows.put(Event({"a": 1}))
    # Behind each chunk there is room for one more, which is written and then written over.
    for room in (0, 1, count // 2, count - 1, count, count + 1, count + 2):
        out = fenced(5 + room, np.int32)
        out[:5] = 3
        answer = chain.follow(out, 5)
        assert answer == (5 + count if room > count else FULL)
        assert is_fenced(out)
        assert out[:5].tolist() == [3] * 5
        if answer != FULL:
            assert sorted(out[5 : 5 + count].tolist()) == list(range(count))
    assert sum(chunks) == count


def test_the_atom_says_which_chain(seed: int) -> None:
    rows = Rows()
    chain = Chain()
    chain.rows = rows
    for sub, source in enumerate(["a = 1", "a = 2", "a = 1 AND b > 1", "a IS NULL"]):
        tree = tree_of(source)
        rows.add(sub, tree, rows.program(tree, rarest))
    rows.put(Event({"a": 1, "b": 2}))
    out = np.zeros(10, np.int32)
    of_one, of_two = (rows.value("a", NUMBER, key) for key in sorted(keys_of(rows)))
    assert sorted(out[: chain.follow(out, atom=of_one)].tolist()) == [0, 2]
    # That the event has what the chain is about is not asked again.
    assert out[: chain.follow(out, atom=of_two)].tolist() == [1]
    assert chain.follow(out, atom=ALWAYS) == 0
    assert chain.follow(out, atom=PARKED) == 0


def keys_of(rows: Rows) -> list[int]:
    atoms = [atom for atom in rows.atoms() if rows.record(atom)[A_TAG] == NUMBER]
    return [int(rows.pools.longs[rows.header(H_KEYS) + atom]) for atom in atoms]


def test_what_was_looked_at_is_counted() -> None:
    chain = Chain()
    program = chain.add(0, "a > 1")
    for sub in range(1, 10):
        chain.more(sub, f"a > {sub}", program)
    chain.add(10, "b = 1")
    chain.found(a=5, b=1)
    counts = chain.rows.counters.tolist()
    assert [counts[which] for which in (N_PROBES, N_ROWS, N_LEAVES)] == [1, 11, 11]
    # An empty chain is none.
    chain.follow(np.zeros(5, np.int32), atom=ALWAYS)
    assert chain.rows.counters[N_PROBES] == 1
