"""What is told of the chains, against what stands in them."""

from __future__ import annotations

import random

import numpy as np
import pytest

from siftmesh.kernels.chains import programs_of, waiting
from siftmesh.kernels.layout import ALWAYS, H_WHERE_ROOM, PARKED
from siftmesh.model.event import Event
from tests.effort import effort
from tests.reference.rows import Rows, by_chance, parked, rarest, some_tree, tree_of


def filled(rng: random.Random, count: int) -> Rows:
    rows = Rows()
    choose = by_chance(rng)
    for sub in rng.sample(range(3 * count), count):
        rows.add_some(sub, some_tree(rng), parked if rng.random() < 0.2 else choose, rng)
    return rows


def sizes_of(rows: Rows) -> dict[int, int]:
    """How many rows the chain of each atom has, but for those that wait for nothing."""
    sizes = {
        atom: sum(len(rows.rows(chunk)) for chunk in rows.chunks(atom)) for atom in [ALWAYS, *rows.atoms()]
    }
    return {atom: size for atom, size in sizes.items() if size}


def longest(rows: Rows, count: int) -> list[tuple[int, int]]:
    atoms, sizes = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    found = int(waiting(rows.pools.words, atoms, sizes))
    assert atoms[found:].tolist() == sizes[found:].tolist() == [-1] * (count - found)
    return list(zip(atoms[:found].tolist(), sizes[:found].tolist(), strict=True))


@pytest.mark.parametrize("room", [0, 1, 2, 7, 500])
def test_the_longest_chains_are_told(room: int, seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(5)):
        rows = filled(rng, 50)
        for _ in range(30):
            rows.remove(rng.choice(list(rows.trees)))
            expected = sizes_of(rows)
            found = longest(rows, room)
            assert dict(found).items() <= expected.items()
            assert len({atom for atom, _ in found}) == len(found)
            assert [size for _, size in found] == sorted(expected.values(), reverse=True)[:room]


def test_rows_that_wait_for_nothing_are_in_no_chain_that_is_told() -> None:
    rows = Rows()
    for sub, choose in enumerate([parked, parked, rarest]):
        tree = tree_of("a = 1")
        rows.add(sub, tree, rows.program(tree, choose))
    assert len(rows.chunks(PARKED)) == 2
    ((atom, size),) = longest(rows, 5)
    assert size == 1
    rows.put(Event({"a": 1}))
    assert atom == int(rows.cells[0]) >> 8


def test_an_atom_that_has_gone_is_not_told() -> None:
    rows = Rows()
    for sub in range(3):
        tree = tree_of(f"a = {sub}")
        rows.add(sub, tree, rows.program(tree))
    rows.remove(0)
    rows.remove(1)
    # What stands where the chain stood is the next unused number.
    assert [size for _, size in longest(rows, 5)] == [1]


def test_each_subscription_has_its_program(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(5)):
        rows = filled(rng, 40)
        expected: dict[int, int] = {}
        for sub in rng.sample(list(rows.trees), 15):
            rows.remove(sub)
        for place, program in rows.programs.items():
            for atom in [ALWAYS, PARKED, *rows.atoms()]:
                for chunk in rows.chunks(atom):
                    if int(rows.pools.words[chunk]) == place:
                        expected |= {sub: program.place for sub, _ in rows.rows(chunk)}
        assert expected.keys() == rows.trees.keys()
        found = programs_of(rows.pools.words)
        assert found.dtype == np.int64
        assert len(found) == rows.header(H_WHERE_ROOM)
        assert found.tolist() == [expected.get(sub, 0) for sub in range(len(found))]
