"""The association table, the counts and the trees of the counting matcher, each against a naive twin."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels.counting import (
    W_INCREMENTS,
    W_TESTS,
    W_TREES,
    count_hits,
    decide,
    empty_pool,
    link,
    unlink,
)
from siftmesh.kernels.layout import ACCEPT, H_WORDS, HEADER, REJECT

PREDICATES = 9
SUBSCRIPTIONS = 40
LONGEST = 6


class Table:
    """The arrays of the kernels, and beside them what they should say."""

    def __init__(self, room: int = 4_096) -> None:
        self.heads = np.zeros(2 * PREDICATES, dtype=np.int32)
        self.rooms = np.zeros(PREDICATES, dtype=np.int32)
        self.entries = np.concatenate([empty_pool()[:HEADER], np.zeros(room, dtype=np.int32)])
        self.programs = np.zeros(2 * SUBSCRIPTIONS, dtype=np.int32)
        self.operands = np.zeros(SUBSCRIPTIONS * LONGEST, dtype=np.int32)
        self.places = np.zeros(SUBSCRIPTIONS * LONGEST, dtype=np.int32)
        self.held: dict[int, list[int]] = {}

    def link(self, subscription: int, predicates: list[int], first: int = 0) -> int:
        start = subscription * LONGEST
        self.operands[start : start + len(predicates)] = predicates
        self.programs[2 * subscription] = start
        self.held[subscription] = predicates
        return int(
            link(
                *(subscription, start, first, len(predicates), self.operands, self.places),
                *(self.heads, self.rooms, self.entries),
            )
        )

    def unlink(self, subscription: int) -> list[int]:
        gone = np.full(LONGEST, -1, dtype=np.int32)
        count = unlink(
            *(subscription, self.programs, len(self.held.pop(subscription)), self.operands, self.places),
            *(self.heads, self.rooms, self.entries, gone),
        )
        return gone[:count].tolist()

    def subscribers(self, predicate: int) -> list[int]:
        length, place = self.heads[2 * predicate : 2 * predicate + 2].tolist()
        return [place] if length == 1 else self.entries[place : place + length].tolist()

    def check(self) -> None:
        for predicate in range(PREDICATES):
            expected = [s for s, held in self.held.items() for one in held if one == predicate]
            assert sorted(self.subscribers(predicate)) == sorted(expected)
        for subscription, held in self.held.items():
            for leaf, predicate in enumerate(held):
                place = self.places[subscription * LONGEST + leaf]
                assert self.subscribers(predicate)[place] == subscription


def naive_count(
    numbers: list[int], table: Table, minimum: list[int]
) -> tuple[set[int], int]:  # candidates, increments
    hits = Counter(s for s, held in table.held.items() for one in held if one in numbers)
    return {s for s in hits if 0 < minimum[s] <= hits[s]}, hits.total()


def test_a_subscription_stands_at_each_of_its_leaves(seed: int) -> None:
    table, rng = Table(), random.Random(seed)
    for step in range(400):
        free = [s for s in range(SUBSCRIPTIONS) if s not in table.held]
        if free and rng.random() < 0.6 - step / 800:
            chosen = [rng.randrange(PREDICATES) for _ in range(rng.randrange(LONGEST + 1))]
            assert table.link(rng.choice(free), chosen) == len(chosen)
        elif table.held:
            subscription = rng.choice(list(table.held))
            before = {one for held in table.held.values() for one in held}
            gone = table.unlink(subscription)
            after = {one for held in table.held.values() for one in held}
            assert sorted(gone) == sorted(before - after)
        table.check()
    for subscription in list(table.held):
        table.unlink(subscription)
    assert not table.heads[::2].any()


def test_blocks_that_are_given_back_are_used_again(seed: int) -> None:
    table, rng = Table(), random.Random(seed)
    used = []
    for _ in range(20):
        for subscription in range(SUBSCRIPTIONS):
            table.link(subscription, [rng.randrange(2) for _ in range(LONGEST)])
        for subscription in rng.sample(range(SUBSCRIPTIONS), SUBSCRIPTIONS):
            table.unlink(subscription)
        used.append(int(table.entries[H_WORDS]))
    assert used[-1] <= 2 * used[0]


def test_a_full_pool_is_told_and_nothing_is_lost() -> None:
    table = Table(room=0)
    assert table.link(0, [1, 2]) == 2
    assert table.link(1, [3, 1]) == 1
    table.entries = np.concatenate([table.entries, np.zeros(64, dtype=np.int32)])
    assert table.link(1, [3, 1], first=1) == 2
    table.check()


@pytest.mark.parametrize("pieces", [1, 3])
def test_candidates_have_as_many_fulfilled_predicates_as_they_need(seed: int, pieces: int) -> None:
    rng = random.Random(seed)
    for _ in range(20):
        table = Table()
        minimum = [0] * SUBSCRIPTIONS
        for subscription in range(SUBSCRIPTIONS):
            held = [rng.randrange(PREDICATES) for _ in range(rng.randrange(LONGEST + 1))]
            table.link(subscription, held)
            minimum[subscription] = rng.randint(0, len(held))
        left = np.array(minimum, dtype=np.uint8)
        truth = np.zeros(PREDICATES // 8 + 1, dtype=np.uint8)
        candidates = np.zeros(SUBSCRIPTIONS + 1, dtype=np.int32)
        work = np.zeros(3, dtype=np.int64)
        numbers = rng.sample(range(PREDICATES), rng.randrange(PREDICATES + 1))
        found = 0
        for piece in range(pieces):
            part = np.array(numbers[piece::pieces], dtype=np.int32)
            found = count_hits(part, table.heads, table.entries, left, truth, candidates, found, work)
        expected, increments = naive_count(numbers, table, minimum)
        assert sorted(candidates[:found].tolist()) == sorted(expected)
        assert work[W_INCREMENTS] == increments
        assert np.flatnonzero(np.unpackbits(truth, bitorder="little")).tolist() == sorted(numbers)


def test_long_runs_are_counted_like_short_ones() -> None:
    count = 100
    heads = np.zeros(2 * count, dtype=np.int32)
    heads[::2] = 1
    heads[1::2] = np.arange(count) // 2
    left = np.full(count // 2, 2, dtype=np.uint8)
    truth = np.zeros(count // 8 + 1, dtype=np.uint8)
    candidates = np.zeros(count // 2 + 1, dtype=np.int32)
    numbers = np.arange(count - 1, dtype=np.int32)
    work = np.zeros(3, dtype=np.int64)
    found = count_hits(numbers, heads, empty_pool(), left, truth, candidates, 0, work)
    assert candidates[:found].tolist() == list(range(count // 2 - 1))


# (0 or 1) and 2: an Or of two leaves below an And; and trees settled without a leaf.
SHAPES: list[tuple[tuple[int, ...], Any]] = [
    ((3, 0, 2, 1, 2, REJECT, ACCEPT, REJECT), lambda a, b, c: (a or b) and c),
    ((3, 1, REJECT, REJECT, ACCEPT, REJECT, REJECT, REJECT), lambda *given: given[1]),
    ((3, ACCEPT, *[REJECT] * 6), lambda *_: True),
    ((3, REJECT, *[ACCEPT] * 6), lambda *_: False),
]


def test_trees_are_jumps_from_leaf_to_leaf() -> None:
    shapes = np.array([number for shape, _ in SHAPES for number in shape], dtype=np.int32)
    at = np.cumsum([0] + [len(shape) for shape, _ in SHAPES])
    operands = np.array([0, 0, 0, 17, 3, 8], dtype=np.int32)
    # More candidates than are looked ahead.
    times = 10
    programs = np.zeros(2 * len(SHAPES) * times, dtype=np.int32)
    programs[::2] = 3
    programs[1::2] = [at[number % len(SHAPES)] for number in range(len(SHAPES) * times)]
    candidates = np.arange(len(SHAPES) * times, dtype=np.int32)
    for verdicts in range(8):
        leaves = [bool(verdicts >> place & 1) for place in range(3)]
        truth = np.zeros(3, dtype=np.uint8)
        for predicate, fulfilled in zip((17, 3, 8), leaves, strict=True):
            truth[predicate >> 3] |= fulfilled << (predicate & 7)
        matched = np.zeros(len(candidates) + 1, dtype=np.int32)
        work = np.zeros(3, dtype=np.int64)
        count = decide(candidates, len(candidates), programs, operands, shapes, truth, matched, work)
        expected = [s for s in candidates.tolist() if SHAPES[s % len(SHAPES)][1](*leaves)]
        assert matched[:count].tolist() == expected
        assert work[W_TREES] == 2 * times
        assert 2 * times <= work[W_TESTS] <= 4 * times
