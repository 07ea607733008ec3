"""A segment asked directly: it says what its terms say, wherever values are among the edges."""

from __future__ import annotations

from bisect import bisect_right
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels.bitmap_layout import H_DENSE, H_ENTRIES, SLACK, WORK_EDGES, WORK_WORDS
from siftmesh.kernels.bitmap_segment import PLAN, match_segment, not_above
from siftmesh.matching.bitmap_segments import Segment, build
from siftmesh.matching.bitmap_terms import Terms, terms_of
from tests.reference.bound_terms import Chance, Event, Owners, codes, columns, values


def segment_of(owners: Owners) -> Segment:
    possible = {owner: terms_of(owner, terms) for owner, terms in owners.items()}
    made = columns({owner: terms for owner, terms in possible.items() if terms})
    named = np.where(made["verify"], ~made["owners"], made["owners"]).astype(np.int32)
    flags = made["flags"].astype(np.uint8)
    terms = Terms(named, made["starts"], made["dims"], made["lows"], made["highs"], flags)
    return build(terms, 5, np.zeros(max(owners) + 1, np.int64))


class Asked:
    """One call of the kernel, with all that it works in."""

    def __init__(self, segment: Segment, batch: list[Event], width: int) -> None:
        self.segment = segment
        self.events = len(batch)
        self.values = *(array.ravel() for array in values(batch, width)), width
        size = segment.slots >> 6
        self.changes = np.zeros(size + 3, np.int64)
        # Nothing is expected of these.
        self.bits, self.seen = np.random.default_rng(1).integers(-9, 9, (2, size))
        self.plan = np.full(PLAN * int(segment.head[H_DENSE]), -7, np.int64)
        self.out = np.full(3 + self.events * segment.slots + SLACK, -7, np.int32)
        self.bounds = np.zeros(self.events + 1, np.int64)
        self.bounds[0] = 3
        self.work = np.zeros(8, np.int64)

    def run(self, event: int = 0) -> int:
        part = self.segment
        arrays = (part.head, part.small, part.keys, part.ids, part.rows, part.alive, part.fringe)
        room: tuple[Any, ...] = (
            self.changes,
            self.bits,
            self.seen,
            self.plan,
            self.out,
            self.bounds,
            self.work,
        )
        return match_segment(*arrays, *self.values, event, *room)

    def found(self) -> list[set[int]]:
        parts = [
            self.out[first:last].tolist()
            for first, last in zip(self.bounds[:-1], self.bounds[1:], strict=True)
        ]
        assert all(len(part) == len(set(part)) for part in parts)
        return [set(part) for part in parts]


def test_how_many_numbers_are_not_above() -> None:
    rng = np.random.default_rng(4)
    for size in (0, 1, 2, 3, 100, 1000):
        array = np.sort(rng.integers(0, 50, size + 20))
        for value in (-1, 0, 7, 49, 60):
            for first in (0, 5):
                wanted = bisect_right(array[first : first + size].tolist(), value)
                assert not_above(array, first, size, value) == wanted


@pytest.mark.parametrize("share", [0.1, 0.6, 1])
@pytest.mark.parametrize(("dims", "count"), [(1, 3), (2, 900), (6, 900), (40, 1500), (400, 900)])
def test_events_find_what_their_twins_find(dims: int, count: int, share: float) -> None:
    chance = Chance(count + dims, dims=dims, keys=300)
    owners = chance.owners(count)
    segment = segment_of(owners)
    batch = chance.events(8, share)
    asked = Asked(segment, batch, dims)
    assert asked.run() == 8
    assert asked.found() == [codes(owners, event) for event in batch]
    assert not asked.changes.any()
    assert asked.out[:3].tolist() == [-7] * 3
    if count >= 900:
        assert asked.work[WORK_WORDS] > 0
        # Of the few values that such events have, none may lie beside a row.
        assert asked.work[WORK_EDGES] > 0 or share == 0.1


def test_both_sorts_of_dimensions_were_asked() -> None:
    dense = {dims: segment_of(Chance(dims, dims=dims, keys=300).owners(900)).head for dims in (6, 400)}
    assert dense[6][H_DENSE] == dense[6][H_ENTRIES] == 6
    assert 0 < dense[400][H_DENSE] < dense[400][H_ENTRIES]


def test_values_at_and_between_the_ends_of_bounds() -> None:
    chance = Chance(8, dims=2, keys=4)
    owners = chance.owners(700)
    batch: list[Event] = [
        {0: (low, low + between), 1: (other, other)}
        for low in range(-1, 5)
        for between in (0, 1)
        for other in range(4)
    ]
    asked = Asked(segment_of(owners), batch, 2)
    assert asked.run() == len(batch)
    assert asked.found() == [codes(owners, event) for event in batch]


def test_dimensions_beyond_the_event_are_missing() -> None:
    chance = Chance(9, dims=6, keys=5)
    owners = chance.owners(800)
    batch = [{dim: value for dim, value in event.items() if dim < 3} for event in chance.events(6, 1)]
    asked = Asked(segment_of(owners), batch, 3)
    asked.run()
    assert asked.found() == [codes(owners, event) for event in batch]


def test_terms_that_were_removed_are_not_found() -> None:
    chance = Chance(10, dims=40, keys=100)
    owners = chance.owners(1200)
    segment = segment_of(owners)
    for slot in range(0, segment.slots, 3):
        if segment.alive[slot >> 6] >> (slot & 63) & 1:
            code = int(segment.small[slot])
            del owners[max(code, ~code)]
            segment.remove(slot)
    assert 100 < len(owners) < 900
    batch = chance.events(8, 0.9)
    asked = Asked(segment, batch, 40)
    asked.run()
    assert asked.found() == [codes(owners, event) for event in batch]


def test_an_event_without_room_waits_for_it() -> None:
    chance = Chance(11, dims=2, keys=9)
    owners = chance.owners(600)
    batch = chance.events(4)
    asked = Asked(segment_of(owners), batch, 2)
    whole = asked.out
    asked.out = whole[: 3 + asked.segment.slots + SLACK]
    assert asked.run() == 1
    assert asked.bounds[2:].tolist() == [0, 0, 0]
    asked.out = whole
    assert asked.run(1) == 4
    assert asked.found() == [codes(owners, event) for event in batch]
