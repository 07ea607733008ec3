"""Trees kept as bytes come back as they were, and what they took is used again."""

from __future__ import annotations

import random

from siftmesh.logic.tree import And, Tree
from siftmesh.matching.kept import KeptTrees
from tests.reference.leaves import leaf


def some_tree(rng: random.Random) -> Tree:
    leaves = [
        leaf(rng.choice("abc"), rng.choice(["<", ">="]), rng.random()) for _ in range(rng.randint(2, 40))
    ]
    return And(tuple(leaves))


def test_what_is_kept_comes_back(seed: int) -> None:
    rng = random.Random(seed)
    kept, known = KeptTrees(), dict[int, Tree]()
    for _ in range(600):
        number = rng.randrange(80)
        if number in known:
            kept.drop(number)
            del known[number]
        else:
            known[number] = some_tree(rng)
            kept.keep(number, known[number])
        assert len(kept) == len(known)
    assert kept.numbers().tolist() == sorted(known)
    for number in range(100):
        assert (number in kept) == (number in known)
        if number in known:
            assert kept.tree(number) == known[number]


def test_room_that_was_given_back_is_used_again() -> None:
    kept, tree = KeptTrees(), some_tree(random.Random(3))
    kept.keep(0, tree)
    before = kept.memory()["kept trees"]
    for _ in range(50):
        kept.drop(0)
        kept.keep(0, tree)
    assert kept.memory()["kept trees"] == before


def test_nothing_takes_nothing() -> None:
    assert KeptTrees().memory() == {"kept trees": 0}


def test_arrays_are_all_there_is(seed: int) -> None:
    rng = random.Random(seed)
    kept = KeptTrees()
    known = {number: some_tree(rng) for number in (0, 3, 17)}
    for number, tree in known.items():
        kept.keep(number, tree)
    kept.drop(3)
    again = KeptTrees.from_arrays({name: array.copy() for name, array in kept.to_arrays().items()})
    assert again.numbers().tolist() == [0, 17]
    again.keep(1, known[3])
    assert [again.tree(number) for number in (0, 1, 17)] == [known[0], known[3], known[17]]
