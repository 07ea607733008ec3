"""The steps of a merge, each against a naive twin, and in steps of any size."""

from __future__ import annotations

import random
from itertools import chain

import numpy as np
import pytest

from siftmesh.kernels.bitmap_build import (
    M_EDGES,
    T_MULTI,
    T_NEXT,
    carry_terms,
    gather_edges,
    merge_edges,
    merge_terms,
    relocate,
    settle_ties,
)
from siftmesh.kernels.bitmap_layout import (
    BLOCK,
    E_COUNT,
    E_EDGES,
    E_LIST,
    EARLY,
    ENTRY,
    H_DENSE,
    H_ENTRIES,
    HEADER,
    ON,
)
from siftmesh.kernels.bitmap_terms import REGION_SHIFT

LIMITS = [1, 3, 1 << 40]


def packed(bits: list[bool]) -> np.ndarray:
    return np.packbits(np.array(bits, np.uint8), bitorder="little").view(np.int64)


def place_of(edge: tuple[int, int]) -> tuple[int, bool]:
    return edge[0], not edge[1] & EARLY


def test_early_edges_come_first_at_their_key() -> None:
    rng = random.Random(1)
    sizes = [0, 40, 1, 0, 60]
    edges = [
        sorted(
            ((rng.randrange(6), slot | rng.choice([0, EARLY])) for slot in range(size)),
            key=lambda edge: edge[0],
        )
        for size in sizes
    ]
    flat = [edge for part in edges for edge in part]
    keys, ids = (
        np.array(column, kind)
        for column, kind in zip(zip(*flat, strict=True), (np.int64, np.int32), strict=True)
    )
    settle_ties(np.array(sizes), keys, ids)
    settled = list(zip(keys.tolist(), ids.tolist(), strict=True))
    at = 0
    for part in edges:
        found = settled[at : at + len(part)]
        assert sorted(found) == sorted(part)
        assert [place_of(edge) for edge in found] == sorted(map(place_of, part))
        at += len(part)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("several", [0, 1, 5])
def test_live_slots_of_several_segments_get_new_ones_in_order(limit: int, several: int) -> None:
    rng = random.Random(several)
    orders, alive = [], []
    for slots in (2 * BLOCK, BLOCK, 3 * BLOCK):
        single = [rng.randrange(1 << 30) for _ in range(slots - BLOCK)]
        # Behind the owners of one term those of more, if there are any alive.
        multi = [(1 << REGION_SHIFT) | rng.randrange(1 << 30) for _ in range(BLOCK)]
        orders.append(sorted(single) + sorted(multi))
        alive.append([rng.random() < 0.3 for _ in single] + [place < several for place in range(BLOCK)])
    total = sum(map(len, orders))
    live = sum(map(sum, alive))
    ends = np.cumsum([len(order) for order in orders])
    heads = ends - [len(order) for order in orders]
    remap = np.full(total, 77, np.int32)
    origin = np.full((live // BLOCK + 2) * BLOCK, 77, np.int32)
    order = np.zeros(origin.size, np.int64)
    state = np.array([0, -1])
    flat = np.array([number for part in orders for number in part])
    bits = packed([lives for part in alive for lives in part])
    while not merge_terms(flat, bits, heads, ends, remap, origin, order, state, limit):
        pass
    slots, multi = int(state[T_NEXT]), int(state[T_MULTI])
    living = [place for place, lives in enumerate(chain.from_iterable(alive)) if lives]
    single = [place for place in living if not flat[place] >> REGION_SHIFT]
    assert multi == -(-len(single) // BLOCK) * BLOCK
    assert slots == multi + (BLOCK if several else 0)
    assert {place for place in range(total) if remap[place] >= 0} == set(living)
    for place in living:
        assert origin[remap[place]] == place
        assert order[remap[place]] == flat[place]
    taken = sorted(remap[living].tolist())
    assert taken == [*range(len(single)), *range(multi, multi + 3 * several)]
    assert (np.diff(order[: len(single)]) >= 0).all()
    assert (np.diff(order[multi : multi + 3 * several]) >= 0).all()
    assert set(origin[:slots].tolist()) - set(living) <= {-1}


def test_terms_carry_their_codes_and_rings() -> None:
    multi, slots = BLOCK, 2 * BLOCK
    origin = np.full(slots, -1, np.int32)
    origin[[0, 1, BLOCK, BLOCK + 1]] = [3, 0, 8, 5]
    remap = np.full(10, -1, np.int32)
    remap[[3, 0, 8, 5]] = [0, 1, BLOCK, BLOCK + 1]
    codes = np.arange(100, 110, dtype=np.int32)
    leaders = np.full(10, 5, np.int32)
    following = np.zeros(10, np.int32)
    following[[8, 5]] = [5, 8]
    small = np.full(3 * slots - 2 * multi + 1, 77, np.int32)
    for first, last in ((0, 1), (1, BLOCK + 1), (BLOCK + 1, slots)):
        carry_terms(origin, remap, codes, leaders, following, small, multi, first, last)
    assert small[:3].tolist() == [103, 100, 0]
    assert small[BLOCK : BLOCK + 3].tolist() == [108, 105, 0]
    assert small[slots : slots + 3].tolist() == [1, 1, 0]
    assert small[slots + slots - multi :][:3].tolist() == [BLOCK + 1, BLOCK, 0]
    assert small[-1] == 77


@pytest.mark.parametrize("limit", LIMITS)
def test_edges_are_gathered_under_their_new_slots(limit: int) -> None:
    rng = random.Random(2)
    slots = 4 * BLOCK
    # A dense dimension with bits in blocks 1 and 3, one without edges, and a sparse one of five slots.
    members = [1, 3, 7, 1000, 40, 2000, 9]
    slot_of = [
        lambda bit: members[bit // BLOCK] * BLOCK + bit % BLOCK,
        lambda bit: members[2 + bit],
        lambda bit: members[2 + bit],
    ]
    bits = [[rng.randrange(2 * BLOCK) for _ in range(30)], [], [rng.randrange(5) for _ in range(10)]]
    head = np.zeros(HEADER + 3 * ENTRY, np.int64)
    head[H_DENSE], head[H_ENTRIES] = 1, 3
    ids, keys, firsts = [], [], []
    for number, part in enumerate(bits):
        entry = HEADER + number * ENTRY
        head[entry + E_EDGES], head[entry + E_COUNT] = len(ids), len(part)
        head[entry + E_LIST] = 0 if number == 0 else 2
        firsts.append(len(ids))
        ids += [bit | rng.choice([0, ON, EARLY]) for bit in part]
        keys += sorted(rng.randrange(100) for _ in part)
    remap = np.array([rng.choice([-1, rng.randrange(10_000)]) for _ in range(slots)], np.int32)
    runs = np.array(firsts) + 5
    counts = np.zeros(3, np.int64)
    staged_keys, staged_ids = np.full(50, -1), np.full(50, -1, np.int32)
    state = np.zeros(2, np.int64)
    columns = (head, np.array(members, np.int32), np.array(keys), np.array(ids, np.int32))
    while not gather_edges(*columns, remap, runs, counts, staged_keys, staged_ids, state, limit):
        pass
    for number, part in enumerate(bits):
        wanted = []
        for at, bit in enumerate(part, firsts[number]):
            new = int(remap[slot_of[number](bit)])
            if new >= 0:
                wanted.append((keys[at], new | (ids[at] & (ON | EARLY))))
        run = slice(runs[number], runs[number] + counts[number])
        assert list(zip(staged_keys[run].tolist(), staged_ids[run].tolist(), strict=True)) == wanted


@pytest.mark.parametrize("limit", LIMITS)
def test_runs_are_merged_in_the_order_of_their_places(limit: int) -> None:
    rng = random.Random(3)
    lists = np.array([0, 3, 3, 4, 8])
    runs = [
        sorted(((rng.randrange(5), slot | rng.choice([0, EARLY])) for slot in range(size)), key=place_of)
        for size in (5, 0, 9, 4, 3, 3, 0, 1)
    ]
    counts = np.array([len(run) for run in runs])
    # Something stands between them.
    firsts = np.cumsum(counts + 2) - counts
    staged_keys, staged_ids = np.full(60, -5), np.full(60, -5, np.int32)
    for first, run in zip(firsts, runs, strict=True):
        for at, (key, mark) in enumerate(run, first):
            staged_keys[at], staged_ids[at] = key, mark
    total = int(counts.sum())
    keys, ids, sizes = np.zeros(total, np.int64), np.zeros(total, np.int32), np.zeros(4, np.int64)
    state = np.zeros(2, np.int64)
    while not merge_edges(lists, firsts, counts, staged_keys, staged_ids, keys, ids, sizes, state, limit):
        pass
    assert state[M_EDGES] == total
    merged = list(zip(keys.tolist(), ids.tolist(), strict=True))
    at = 0
    for number, size in enumerate(sizes.tolist()):
        wanted = [edge for run in runs[lists[number] : lists[number + 1]] for edge in run]
        found = merged[at : at + size]
        assert sorted(found) == sorted(wanted)
        assert [place_of(edge) for edge in found] == sorted(map(place_of, wanted))
        at += size


def test_the_directory_comes_to_name_the_new_slots_of_what_lives() -> None:
    alive = packed([slot % 5 == 0 for slot in range(256)])
    remap = np.full(1000, -1, np.int32)
    remap[100:356] = np.arange(256)[::-1] + 300
    codes = np.array([slot if slot % 2 else ~slot for slot in range(600)], np.int32)
    where = np.full(600, 9, np.int64)
    new_alive = np.zeros(10, np.int64)
    moved = relocate(alive, remap, 100, codes, 6, where, new_alive, 1, 3)
    old = [slot for slot in range(64, 192) if slot % 5 == 0]
    new = {555 - slot for slot in old}
    assert moved == len(old)
    assert np.flatnonzero(np.unpackbits(new_alive.view(np.uint8), bitorder="little")).tolist() == sorted(new)
    assert {owner: place for owner, place in enumerate(where.tolist()) if place != 9} == {
        slot: (6 << 32) | slot for slot in new
    }
