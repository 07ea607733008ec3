"""Segments and open terms asked in one call, by their addresses."""

from __future__ import annotations

import numpy as np
import pytest

from siftmesh.kernels.bitmap import (
    OPEN,
    OPEN_COUNT,
    PART,
    S_EVENT,
    S_PART,
    S_WORDS,
    STATE,
    match_parts,
    weave,
)
from siftmesh.kernels.bitmap_layout import H_DENSE
from siftmesh.kernels.bitmap_segment import PLAN
from siftmesh.matching.bitmap_open import OpenTerms
from siftmesh.matching.bitmap_segments import Segment, build
from siftmesh.matching.bitmap_terms import Terms, terms_of
from tests.reference.bound_terms import Chance, Owners, codes, columns, values

EVENTS, DIMS = 6, 5


def segment_of(owners: Owners) -> Segment:
    made = columns({owner: met for owner, terms in owners.items() if (met := terms_of(owner, terms))})
    named = np.where(made["verify"], ~made["owners"], made["owners"]).astype(np.int32)
    flags = made["flags"].astype(np.uint8)
    terms = Terms(named, made["starts"], made["dims"], made["lows"], made["highs"], flags)
    return build(terms, 5, np.zeros(max(owners) + 1, np.int64))


@pytest.mark.parametrize("room", [0, 700, 100_000])
def test_all_parts_are_asked_however_often_room_has_to_be_made(room: int) -> None:
    chance = Chance(1, dims=DIMS, keys=20)
    # The second one is the biggest, and what it leaves must not be seen by the third.
    parts = [chance.owners(count, first) for count, first in ((10, 0), (1100, 100), (60, 2000))]
    segments = [segment_of(owners) for owners in parts]
    opened = OpenTerms()
    last = chance.owners(20, 3000)
    for owner, terms in last.items():
        opened.add(owner, terms_of(owner, terms))
    batch = chance.events(EVENTS)
    addresses = np.concatenate([segment.addresses for segment in segments])
    assert addresses.size == 3 * PART
    assert opened.addresses.size == OPEN
    assert opened.addresses[OPEN_COUNT] == opened.count
    words = max(segment.slots for segment in segments) >> 6
    dense = max(int(segment.head[H_DENSE]) for segment in segments)
    scratch = np.zeros(3 * words + PLAN * dense, np.int64)
    state = np.zeros(STATE, np.int64)
    state[S_WORDS] = words
    places = np.zeros((4, EVENTS + 1), np.int64)
    out = np.zeros(room, np.int32)
    work = np.zeros(8, np.int64)
    present, lows, highs = (array.ravel() for array in values(batch, DIMS))
    calls = 1
    while more := match_parts(
        addresses, opened.addresses, present, lows, highs, DIMS, scratch, out, places, state, work
    ):
        filled = places[state[S_PART], state[S_EVENT]]
        # No more than was asked for.
        out = np.concatenate([out[:filled], np.full(more, -9, np.int32)])
        calls += 1
    assert (calls > 1) == (room < 100_000)
    for part, owners in enumerate([*parts, last]):
        for event in range(EVENTS):
            found = out[places[part, event] : places[part, event + 1]].tolist()
            assert set(found) == codes(owners, batch[event])
    bounds = np.zeros(EVENTS + 1, np.int64)
    woven = np.zeros(int(places[-1, -1]), np.int32)
    weave(out, places, bounds, woven, 0)
    every = {owner: terms for owners in (*parts, last) for owner, terms in owners.items()}
    for event in range(EVENTS):
        assert set(woven[bounds[event] : bounds[event + 1]].tolist()) == codes(every, batch[event])


def test_answers_are_woven_event_by_event() -> None:
    parts = np.array([10, 11, 20, 30, 31, 32, 40, 41], np.int32)
    places = np.array([[0, 2, 2, 3], [3, 3, 6, 6], [6, 7, 8, 8]])
    bounds = np.zeros(4, np.int64)
    out = np.full(9, -1, np.int32)
    weave(parts, places, bounds, out, 1)
    assert bounds.tolist() == [1, 4, 8, 9]
    assert out.tolist() == [-1, 10, 11, 40, 30, 31, 32, 41, 20]
