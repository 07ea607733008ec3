"""Orders, rings and edges of terms, each against a naive twin."""

from __future__ import annotations

import random
from itertools import combinations, pairwise

import numpy as np
import pytest

from siftmesh.kernels.bitmap_layout import EARLY, HIGHEST, LOWEST, NUMBER, ON
from siftmesh.kernels.bitmap_terms import REGION_SHIFT, link_terms, never_met, order_terms, split_terms
from siftmesh.matching.bitmap_terms import Terms
from tests.reference.bound_terms import ABOVE, BELOW, NEGATED, Bound, Chance, columns, holds


def orders(rows: list[list[int]], regions: list[int] | None = None) -> list[int]:
    order = np.zeros(len(rows), np.int64)
    starts = np.cumsum([0, *map(len, rows)])
    dims = np.array([dim for row in rows for dim in row], np.int32)
    order_terms(starts, dims, np.array(regions or [0] * len(rows), np.uint8), order)
    return order.tolist()


def test_terms_of_the_same_dimensions_have_the_same_place_in_the_order() -> None:
    rows = [list(row) for size in range(6) for row in combinations(range(5), size)]
    placed = orders(rows)
    assert len(set(placed)) == len(rows)
    assert orders([row[::-1] for row in rows]) == placed
    # Of neighbours, one dimension differs.
    ordered = [set(rows[place]) for place in np.argsort(placed)]
    assert all(len(one ^ other) == 1 for one, other in pairwise(ordered))


def test_terms_of_late_dimensions_stand_together_behind_the_others() -> None:
    rows = [[100, 3], [0, 1], [100, 7], [200, 100], [55], [200, 2], [56], [9, 56]]
    ordered = [rows[place] for place in np.argsort(orders(rows), kind="stable")]
    assert sorted(map(tuple, ordered[:2])) == [(0, 1), (55,)]
    assert [max(row) for row in ordered[2:]] == [56, 56, 100, 100, 200, 200]


def test_a_late_dimension_bounded_twice_counts_once() -> None:
    assert len(set(orders([[100, 3], [100, 100, 3], [3, 100, 3]]))) == 1


def test_regions_come_before_dimensions() -> None:
    placed = orders([[1], [900_000, 800_000], [2], [0]], [2, 1, 0, 1])
    assert np.argsort(placed).tolist() == [2, 3, 1, 0]
    assert [order >> REGION_SHIFT for order in placed] == [2, 1, 0, 1]


def test_rings_lead_from_each_slot_of_an_owner_to_all() -> None:
    codes = np.array([7, 4, 4, ~4, 9, ~2, ~2], np.int32)
    slot_of = np.array([0, 8, 12, 9, 1, 10, 11])
    slots, multi = 16, 8
    small = np.full(slots + 2 * (slots - multi), -1, np.int32)
    link_terms(codes, slot_of, slots, multi, small)
    assert small[slot_of].tolist() == codes.tolist()
    leaders = small[slots : slots + slots - multi]
    following = small[slots + slots - multi :]
    for ring in ([8, 12, 9], [10, 11]):
        assert {int(leaders[slot - multi]) for slot in ring} == {ring[0] - multi}
        for slot in ring:
            seen = [slot]
            while (following_slot := int(following[seen[-1] - multi])) != slot:
                seen.append(following_slot)
            assert sorted(seen) == sorted(ring)


def every_place(bounds: list[Bound]) -> list[tuple[int, int]]:
    """Values that tell all bounds apart: keys at their ends, and what lies beside these."""
    ends = {LOWEST, HIGHEST, *(end for _, low, high, _ in bounds for end in (low, high))}
    near = {key + step for key in ends for step in (-1, 0, 1) if LOWEST <= key + step <= HIGHEST}
    return [(key, key + between) for key in sorted(near) for between in (0, 1) if key + between <= HIGHEST]


def all_hold(bounds: list[Bound], value: tuple[int, int]) -> bool:
    return all(holds(bound, {bound[0]: value}) for bound in bounds)


def one_term(bounds: list[Bound]) -> Terms:
    made = columns({0: [(False, bounds)]})
    return Terms(
        made["owners"],
        made["starts"],
        made["dims"],
        made["lows"],
        made["highs"],
        made["flags"].astype(np.uint8),
    )


def split(terms: Terms, slots: list[int]) -> list[tuple[int, int, int]]:
    most = 2 * terms.dims.size
    dims, keys, ids = np.zeros(most, np.int32), np.zeros(most, np.int64), np.zeros(most, np.int32)
    count = split_terms(*terms.columns(), np.array(slots), dims, keys, ids, *terms.room())
    assert count <= most
    return list(zip(dims[:count].tolist(), keys[:count].tolist(), ids[:count].tolist(), strict=True))


def passed(edge: tuple[int, int, int], value: tuple[int, int]) -> bool:
    _, key, mark = edge
    return key <= value[0] or (key == value[1] and mark & EARLY != 0)


CASES: list[list[Bound]] = [
    [(0, 3, 5, 0)],
    [(0, 3, 5, NEGATED)],
    [(0, LOWEST, 5, 0)],
    [(0, LOWEST, 5, NEGATED)],
    [(0, 5, HIGHEST, 0)],
    [(0, 5, HIGHEST, NEGATED)],
    [(0, LOWEST, HIGHEST, 0)],
    [(0, HIGHEST, HIGHEST, 0)],
    [(0, LOWEST, LOWEST, NEGATED)],
    [(0, 9, 3, NEGATED)],
    [(0, 1, 9, 0), (0, 4, 6, NEGATED)],
    [(0, 1, 9, 0), (0, 1, 3, NEGATED), (0, 9, 9, NEGATED)],
    [(0, 1, 2, NEGATED), (0, 3, 4, NEGATED)],
    [(0, 1, 5, 0), (0, 3, 9, 0), (0, 9, 3, NEGATED)],
    [(0, LOWEST, 4, 0), (0, 4, HIGHEST, 0)],
    [(0, 3, 5, ABOVE)],
    [(0, 3, 5, BELOW)],
    [(0, 3, 3, ABOVE | BELOW)],
    [(0, 3, 5, NEGATED | ABOVE)],
    [(0, 3, 3, NEGATED | ABOVE | BELOW)],
    [(0, LOWEST, HIGHEST - 1, ABOVE | BELOW)],
    [(0, LOWEST + 1, HIGHEST, ABOVE | BELOW)],
    # What lies between two neighbours, and all but that.
    [(0, 6, 5, ABOVE | BELOW)],
    [(0, 6, 5, NEGATED | ABOVE | BELOW)],
    [(0, LOWEST, 4, BELOW), (0, 5, HIGHEST, ABOVE)],
    [(0, 1, 5, BELOW), (0, 6, 9, NEGATED | ABOVE)],
    [(0, key, key, NEGATED) for key in (5, 1, 4, 2, 8, 2)],
]


@pytest.mark.parametrize("bounds", CASES, ids=str)
def test_edges_turn_a_term_on_and_off_where_its_bounds_do(bounds: list[Bound]) -> None:
    edges = split(one_term(bounds), [77])
    assert {(dim, mark & NUMBER) for dim, _, mark in edges} == {(0, 77)}
    assert edges == sorted(edges, key=lambda edge: (edge[1], -(edge[2] & EARLY)))
    turns = [mark & ON != 0 for *_, mark in edges]
    assert all(one != other for one, other in pairwise(turns))
    for value in every_place(bounds):
        behind = [turn for edge, turn in zip(edges, turns, strict=True) if passed(edge, value)]
        assert (behind[-1] if behind else not turns[0]) == all_hold(bounds, value), value


@pytest.mark.parametrize("seed", range(40))
def test_many_terms_are_taken_apart_one_by_one(seed: int) -> None:
    chance = Chance(seed, dims=3, keys=5, repeats=8)
    rows = [chance.term(6)[1] for _ in range(20)]
    made = columns({0: [(False, row) for row in rows]})
    terms = Terms(
        made["owners"],
        made["starts"],
        made["dims"],
        made["lows"],
        made["highs"],
        made["flags"].astype(np.uint8),
    )
    never = np.full(20, 9, np.uint8)
    never_met(*terms.columns(), never, *terms.room())
    wanted = []
    for row in rows:
        parts = [[bound for bound in row if bound[0] == dim] for dim in {bound[0] for bound in row}]
        wanted.append(
            int(not all(any(all_hold(part, value) for value in every_place(part)) for part in parts))
        )
    assert never.tolist() == wanted
    # Of those that may be met, each one alone has the same edges.
    kept = terms.chosen(never == 0)
    rows = [row for row, gone in zip(rows, wanted, strict=True) if not gone]
    alone = [edge for slot, row in enumerate(rows) for edge in split(one_term(row), [slot])]
    assert split(kept, list(range(len(rows)))) == alone


def test_a_thousand_exclusions_in_one_term() -> None:
    excluded = random.Random(3).sample(range(10_000), 1_000)
    edges = split(one_term([(0, key, key, True) for key in excluded]), [0])
    holding = set(range(10_000)) - set(excluded)
    state, at, found = True, 0, set()
    for key in range(10_000):
        while at < len(edges) and edges[at][1] <= key:
            state = bool(edges[at][2] & ON)
            at += 1
        if state:
            found.add(key)
    assert found == holding
