"""Segments built from terms: who is where, what is removed, and how much memory it takes."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from siftmesh.kernels.bitmap_layout import BLOCK, E_DIM, H_DENSE, H_ENTRIES, H_MULTI, H_SLOTS
from siftmesh.matching.bitmap_segments import (
    SEGMENT_ARRAYS,
    Segment,
    aligned,
    blocks_for,
    build,
    entries_of,
)
from siftmesh.matching.bitmap_terms import Terms
from tests.reference.bound_terms import Owners, columns


def terms_in_arrays(owners: Owners) -> Terms:
    made = columns(owners)
    named = np.where(made["verify"], ~made["owners"], made["owners"]).astype(np.int32)
    return Terms(
        named, made["starts"], made["dims"], made["lows"], made["highs"], made["flags"].astype(np.uint8)
    )


def built(owners: Owners) -> tuple[Segment, np.ndarray]:
    where = np.zeros(max(owners) + 1, np.int64)
    return build(terms_in_arrays(owners), 9, where), where


def alive(segment: Segment) -> list[int]:
    return np.flatnonzero(np.unpackbits(segment.alive.view(np.uint8), bitorder="little")).tolist()


def some_owners(count: int, dims: int = 5) -> Owners:
    """One, two or three terms each, that ask for single values."""
    rng = np.random.default_rng(count)
    return {
        owner: [
            (place == 2, [(int(dim), owner, owner, False) for dim in set(rng.integers(0, dims, 3).tolist())])
            for place in range(1 + owner % 3)
        ]
        for owner in range(count)
    }


def test_every_owner_is_in_the_directory_and_in_its_slots() -> None:
    owners = some_owners(1500)
    segment, where = built(owners)
    single = sum(len(terms) == 1 for terms in owners.values())
    several = sum(map(len, owners.values())) - single
    assert segment.head[H_MULTI] == blocks_for(single) * BLOCK
    assert segment.head[H_SLOTS] == segment.slots == (blocks_for(single) + blocks_for(several)) * BLOCK
    assert segment.live == segment.built == single + several == len(alive(segment))
    for owner, terms in owners.items():
        uid, slot = divmod(int(where[owner]), 1 << 32)
        assert uid == 9
        assert segment.small[slot] in {owner, ~owner}
        assert (slot >= segment.head[H_MULTI]) == (len(terms) > 1)
    codes = segment.small[: segment.slots]
    wanted = sorted(~owner if verify else owner for owner, terms in owners.items() for verify, _ in terms)
    assert sorted(codes[alive(segment)].tolist()) == wanted
    # Those to verify come last, so that an owner is told without it if that is possible.
    assert (codes[alive(segment)][-sum(code < 0 for code in wanted) :] < 0).all()


def test_removing_an_owner_clears_all_its_terms_and_nothing_else() -> None:
    owners = some_owners(900)
    segment, where = built(owners)
    before = alive(segment)
    for owner in (0, 1, 2, 300, 301, 302):
        slots = [slot for slot in before if segment.small[slot] in {owner, ~owner}]
        segment.remove(int(where[owner]) & 0xFFFFFFFF)
        before = [slot for slot in before if slot not in slots]
        assert alive(segment) == before
        assert segment.live == len(before)
    segment.remove(int(where[300]) & 0xFFFFFFFF)
    segment.remove(int(where[301]) & 0xFFFFFFFF)
    assert segment.live == len(before) < segment.built


def test_addresses_are_those_of_the_arrays() -> None:
    segment, _ = built(some_owners(100))
    names = ("head", "small", "keys", "ids", "rows", "alive", "fringe")
    for place, name in enumerate(names):
        array = getattr(segment, name)
        address, length = segment.addresses[2 * place : 2 * place + 2].tolist()
        kind = ctypes.c_int32 if array.dtype == np.int32 else ctypes.c_int64
        assert [*(kind * length).from_address(address)] == array.tolist()
    assert set(segment.arrays()) == set(SEGMENT_ARRAYS)


def test_dimensions_of_many_terms_are_dense_and_others_are_not() -> None:
    owners: Owners = {owner: [(False, [(0, owner, owner, False)])] for owner in range(3000)}
    for owner in range(0, 3000, 100):
        owners[owner][0][1].append((1000 + owner, 0, 1, False))
    segment, _ = built(owners)
    assert (segment.head[H_DENSE], segment.head[H_ENTRIES]) == (1, 31)
    assert entries_of(segment.head)[0, E_DIM] == 0


@pytest.mark.parametrize(("dims", "each"), [(1, 1), (20, 5), (1000, 2), (3000, 1)])
def test_memory_is_bounded_by_the_number_of_bounds(dims: int, each: int) -> None:
    rng = np.random.default_rng(dims)
    owners: Owners = {
        owner: [
            (
                False,
                [(int(dim), owner, owner + 9000, False) for dim in set(rng.integers(0, dims, each).tolist())],
            )
        ]
        for owner in range(20_000)
    }
    segment, _ = built(owners)
    bounds = sum(len(terms[0][1]) for terms in owners.values())
    size = sum(array.nbytes for array in segment.arrays().values())
    # Two edges, as many bytes for the rows or lists, and the dimensions themselves.
    assert size < 20_000 * 14 + bounds * 52 + dims * 100


def test_all_the_same_and_all_that_ask_for_nothing() -> None:
    segment, _ = built({owner: [(False, [(0, 5, 7, True)])] for owner in range(700)})
    assert (segment.head[H_DENSE], segment.live) == (1, 700)
    segment, _ = built({owner: [(False, [])] for owner in range(700)})
    assert (segment.head[H_ENTRIES], segment.live, segment.rows.size) == (0, 700, 0)


def test_rows_begin_where_lines_of_the_cache_do() -> None:
    for size in (1, 5, 1000):
        array = aligned(size)
        assert (array.ctypes.data % 64, array.size) == (0, size)
