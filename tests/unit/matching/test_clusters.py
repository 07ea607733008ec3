"""Clusters: rows come, are given back as they came, and go without a trace."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.filters import FilterReader
from siftmesh.kernels.layout import H_ATOM_LIVE, H_ROWS, H_WORDS, MOST_ROWS
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import And, Predicate, Tree
from siftmesh.matching.clusters import ClusterIndex
from siftmesh.matching.shape import shape_of
from siftmesh.model.values import Kind
from tests.effort import effort, examples
from tests.reference.leaves import SYMBOLS, leaf
from tests.reference.strategies import trees

READER = FilterReader()


def add(index: ClusterIndex, number: int, tree: Tree, parked: bool = False) -> None:
    shape, constants = shape_of(tree)
    form = index.form(shape, tree)
    index.add_row(number, form.program(constants, parked), constants)


def is_empty(index: ClusterIndex) -> bool:
    words = index.pools.words
    return not (index.programs() or words[H_ROWS] or words[H_ATOM_LIVE] or any(index.paths.values()))


def copied(index: ClusterIndex) -> ClusterIndex:
    return ClusterIndex.from_arrays({name: array.copy() for name, array in index.to_arrays().items()})


@examples(60)
@given(st.lists(trees(), min_size=1, max_size=10), st.randoms(use_true_random=False))
def test_trees_are_given_back_as_they_came(held: list[Tree], rng: random.Random) -> None:
    index = ClusterIndex()
    numbers = rng.sample(range(100), len(held))
    parked = [rng.random() < 0.2 for _ in held]
    for number, tree, stands in zip(numbers, held, parked, strict=True):
        add(index, number, tree, stands)
    for known in (index, copied(index)):
        for number, tree in zip(numbers, held, strict=True):
            assert known.tree(number) == normalise(tree)
        assert sum(program.subscriptions for program in known.programs()) == len(held)
        for number, stands in zip(numbers, parked, strict=True):
            assert known.place_of(number) in {program.place for program in known.programs()}
            assert known.remove(number) == stands
            assert known.place_of(number) == 0
        assert is_empty(known)


CONSTANTS: list[Any] = [
    0,
    -1,
    0.5,
    2**53,
    2**53 + 1,
    -(2**53) - 1,
    2**63 - 1,
    -(2**63),
    5e-324,
    1e300,
    -1e300,
    "",
    "a",
    "\0",
    "größer 漢",
    "x" * 100_000,
    True,
    False,
]


@pytest.mark.parametrize("constant", CONSTANTS, ids=lambda constant: repr(constant)[:20])
def test_every_constant_in_every_place(constant: Any) -> None:
    index = ClusterIndex()
    asked = ("=", "<>") if isinstance(constant, bool) else tuple(SYMBOLS)
    number = 0
    kept: dict[int, Tree] = {}
    for sign in asked:
        # By itself, beside what it is found by, and as the same of many rows.
        for tree in (
            leaf("a", sign, constant),
            And((leaf("a", sign, constant), leaf("k", "=", "rare"))),
            *[And((leaf("a", sign, constant), leaf("k", "=", n), leaf("m", ">", 1))) for n in range(70)],
        ):
            add(index, number, tree)
            kept[number] = tree
            number += 1
    for known in (index, copied(index)):
        for place, tree in kept.items():
            assert known.tree(place) == normalise(tree)
    for place in kept:
        index.remove(place)
    assert is_empty(index)


def test_lists_and_patterns_of_any_length() -> None:
    index = ClusterIndex()
    words = tuple(sorted(f"word {number}" for number in range(2_000)))
    held: list[Tree] = [
        leaf("a", "IN", words),
        leaf("a", "NOT IN", words),
        And((leaf("a", "OVERLAPS", tuple(range(1_000))), leaf("b", "=", 1))),
        leaf("a", "IN", (1, 2**53 + 1, 2**60)),
        leaf("a", "LIKE", "%" + "y" * 5_000 + "%"),
        leaf("a", "LIKE", "y" * 5_000 + "%"),
        leaf("a", "LIKE", "%y" * 300),
        And((leaf("a", "NOT LIKE", "_" * 500), leaf("b", "=", 2))),
        And(tuple(leaf(f"a{number}", "<>", number % 3) for number in range(300))),
    ]
    for number, tree in enumerate(held):
        add(index, 10 * number, tree)
    for known in (index, copied(index)):
        for number, tree in enumerate(held):
            assert known.tree(10 * number) == normalise(tree)
    for number in range(len(held)):
        index.remove(10 * number)
    assert is_empty(index)


def test_rows_of_one_atom_fill_chunks_and_leave_them(seed: int) -> None:
    rng = random.Random(seed)
    index = ClusterIndex()
    tree = READER.read("a = 'x' AND b < 5")
    held: dict[int, Tree] = {}
    for _ in range(effort(3_000)):
        if held and rng.random() < 0.4:
            number = rng.choice(list(held))
            index.remove(number)
            del held[number]
        else:
            number = rng.choice([number for number in range(5 * MOST_ROWS) if number not in held])
            held[number] = READER.read(f"a = 'x' AND b < {rng.randrange(50)}")
            add(index, number, held[number])
    assert all(index.tree(number) == tree for number, tree in held.items())
    assert sum(program.subscriptions for program in index.programs()) == len(held)
    for number in held:
        index.remove(number)
    assert is_empty(index)
    add(index, 1, tree)
    assert index.tree(1) == tree


def test_rows_that_come_and_go_need_no_more_room_each_time() -> None:
    index = ClusterIndex()
    texts = [
        "a = 'x{n}' AND b < {n}",
        "t LIKE '%word {n}%' AND c <> 'y{n}'",
        "a IN ('p{n}', 'q{n}') OR tags CONTAINS 'z{n}'",
        "SOME (xs AS x: x > {n})",
    ]
    sizes: list[int] = []
    for turn in range(8):
        for number in range(200):
            # Other constants each time.
            add(index, number, READER.read(texts[number % 4].format(n=1_000 * turn + number)))
        sizes.append(sum(index.pools.memory().values()))
        for number in range(200):
            index.remove(number)
        assert is_empty(index)
    assert max(sizes[3:]) <= 1.1 * sizes[2]


def test_programs_that_come_and_go_need_no_more_room_each_time() -> None:
    index = ClusterIndex()
    sizes = set()
    for turn in range(300):
        for number in range(3):
            add(index, number, READER.read(f"a{number} = 'x' AND b < 5 AND c LIKE 'y%z' AND d IN (1, 2)"))
        sizes.add(int(index.pools.words[H_WORDS]))
        for number in range(3):
            index.remove(number)
        assert turn < 10 or len(sizes) < 10


def test_rows_share_what_they_have_in_common() -> None:
    index = ClusterIndex()
    for number in range(100):
        add(index, number, READER.read(f"a = 'x' AND b < {number}"))
    assert len(index.programs()) <= 2
    assert index.pools.words[H_ATOM_LIVE] <= 3  # the string, and what a program holds of it
    add(index, 100, READER.read("a = 'y' AND b < 7"))
    add(index, 101, READER.read("a = 'y' AND b <= 7"))
    assert len({index.place_of(number) for number in (0, 99, 100, 101)}) >= 2
    assert index.place_of(100) != index.place_of(101)


def test_who_is_not_there_has_no_place() -> None:
    index = ClusterIndex()
    assert index.place_of(0) == index.place_of(5_000) == 0
    add(index, 3, READER.read("a = 1"))
    assert index.place_of(3) > 0
    assert [index.place_of(number) for number in (0, 2, 4, 10_000)] == [0] * 4


def test_paths_into_objects_are_known_as_long_as_somebody_reads_them() -> None:
    index = ClusterIndex()
    add(index, 0, READER.read("a.b = 1 AND c = 2"))
    add(index, 1, READER.read("a.b + a.c > 2"))
    assert {name for name, count in index.paths.items() if count} == {"a.b", "a.c"}
    assert copied(index).paths == index.paths
    index.remove(1)
    assert {name for name, count in index.paths.items() if count} == {"a.b"}
    index.remove(0)
    assert not any(index.paths.values())


def test_moments_are_kept_as_such() -> None:
    index = ClusterIndex()
    for number, asked in enumerate(("=", "<", ">=")):
        tree = Predicate("w", SYMBOLS[asked], Kind.TIMESTAMP, 1_577_880_000_000_001)
        add(index, number, tree)
        assert index.tree(number) == tree
