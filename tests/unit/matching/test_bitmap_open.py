"""The newest terms: they come, go, and are handed on."""

from __future__ import annotations

import ctypes

import numpy as np

from siftmesh.kernels.bitmap import OPEN_COUNT
from siftmesh.matching.bitmap_open import OPEN_ARRAYS, OpenTerms
from siftmesh.matching.bitmap_terms import Terms
from tests.reference.bound_terms import Chance, columns


def rows(terms: Terms) -> list[tuple[int, list[tuple[int, ...]]]]:
    every = list(zip(*(column.tolist() for column in terms.columns()[1:]), strict=True))
    ends = terms.starts.tolist()
    return [(code, every[ends[place] : ends[place + 1]]) for place, code in enumerate(terms.codes.tolist())]


def test_what_was_added_and_not_removed_is_taken() -> None:
    chance = Chance(3)
    owners = {owner: sorted(terms, key=lambda term: term[0]) for owner, terms in chance.owners(200).items()}
    opened = OpenTerms()
    places = {}
    for owner, terms in owners.items():
        places[owner] = opened.count
        opened.add(owner, terms)
    total = sum(map(len, owners.values()))
    assert (opened.count, opened.live) == (total, total)
    for owner in (0, 7, 50, 199):
        opened.remove(owner, places[owner])
        total -= len(owners.pop(owner))
    assert opened.live == total
    wanted = [
        (~owner if verify else owner, bounds) for owner, terms in owners.items() for verify, bounds in terms
    ]
    assert rows(opened.taken()) == wanted
    assert (opened.count, opened.live) == (0, 0)
    # The places are used again.
    opened.add(9, [(True, [(1, 2, 3, True)])])
    assert rows(opened.taken()) == [(~9, [(1, 2, 3, True)])]


def test_one_by_one_or_many_at_once_is_the_same() -> None:
    owners = {owner: sorted(terms, key=lambda term: term[0]) for owner, terms in Chance(4).owners(50).items()}
    single, many = OpenTerms(), OpenTerms()
    for owner, terms in owners.items():
        single.add(owner, terms)
    made = columns(owners)
    named = np.where(made["verify"], ~made["owners"], made["owners"]).astype(np.int32)
    flags = made["flags"].astype(np.uint8)
    terms = Terms(named, made["starts"], made["dims"], made["lows"], made["highs"], flags)
    many.extend(terms.part(0, 20))
    many.extend(terms.part(20, named.size))
    assert (single.count, single.live) == (many.count, many.live)
    assert rows(single.taken()) == rows(many.taken())


def at(address: int, length: int, kind: type) -> list[int]:
    return [*(kind * length).from_address(address)]


def test_the_addresses_are_those_of_the_arrays_whenever_these_grow() -> None:
    opened = OpenTerms()
    kinds = {1: ctypes.c_uint8, 4: ctypes.c_int32, 8: ctypes.c_int64}
    for owner, terms in Chance(5).owners(100).items():
        opened.add(owner, terms)
        assert opened.addresses[OPEN_COUNT] == opened.count
        for place, name in enumerate(OPEN_ARRAYS):
            array = getattr(opened, name)
            address, length = opened.addresses[2 * place : 2 * place + 2].tolist()
            assert at(address, length, kinds[array.itemsize]) == array.tolist()
    opened.taken()
    assert opened.addresses[OPEN_COUNT] == 0


def test_arrays_make_the_same_again_and_are_not_shared() -> None:
    opened = OpenTerms()
    for owner, terms in Chance(6).owners(30).items():
        opened.add(owner, terms)
    opened.remove(0, 0)
    arrays = [array.copy() for array in opened.arrays().values()]
    for array in arrays:
        array.flags.writeable = False
    again = OpenTerms.from_arrays(arrays, opened.count, opened.live)
    again.add(99, [(False, [(3, 1, 2, False)])])
    opened.add(99, [(False, [(3, 1, 2, False)])])
    assert (again.count, again.live) == (opened.count, opened.live)
    assert rows(again.taken()) == rows(opened.taken())


def test_none_of_them_takes_hardly_any_memory() -> None:
    assert sum(array.nbytes for array in OpenTerms().arrays().values()) < 100
