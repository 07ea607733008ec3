"""Terms tested one by one say what their twin says."""

from __future__ import annotations

import numpy as np
import pytest

from siftmesh.kernels.bitmap_layout import WORK_BOUNDS
from siftmesh.kernels.bitmap_open import match_open
from tests.reference.bound_terms import Chance, codes, columns, values

EVENTS, DIMS = 12, 5


def opened(owners: dict, gone: set[int] = frozenset()) -> tuple:
    made = columns({owner: sorted(terms, key=lambda term: term[0]) for owner, terms in owners.items()})
    dead = np.isin(made["owners"], list(gone)).astype(np.uint8)
    named = np.where(made["verify"], ~made["owners"], made["owners"]).astype(np.int32)
    flags = made["flags"].astype(np.uint8)
    return (made["starts"], made["dims"], made["lows"], made["highs"], flags, named, dead, named.size)


@pytest.mark.parametrize("seed", range(30))
def test_each_event_finds_what_its_twin_finds(seed: int) -> None:
    chance = Chance(seed, dims=DIMS, keys=5)
    owners = chance.owners(40)
    batch = chance.events(EVENTS)
    gone = set(chance.random.sample(sorted(owners), 10))
    part = opened(owners, gone)
    # One dimension less than some terms bound.
    present, lows, highs = values(batch, DIMS - 1)
    batch = [{dim: value for dim, value in event.items() if dim < DIMS - 1} for event in batch]
    out = np.zeros(EVENTS * part[-1], np.int32)
    bounds = np.zeros(EVENTS + 1, np.int64)
    work = np.zeros(8, np.int64)
    event = match_open(*part, present.ravel(), lows.ravel(), highs.ravel(), DIMS - 1, 0, out, bounds, work)
    assert event == EVENTS
    kept = {owner: terms for owner, terms in owners.items() if owner not in gone}
    for row in range(EVENTS):
        found = out[bounds[row] : bounds[row + 1]].tolist()
        assert len(found) == len(set(found))
        assert set(found) == codes(kept, batch[row])
    assert 0 < work[WORK_BOUNDS] <= EVENTS * part[1].size


def test_an_event_without_room_waits_for_it() -> None:
    part = opened({owner: [(False, [])] for owner in range(4)})
    present, lows, highs = (array.ravel() for array in values([{}] * 3, 1))
    out = np.zeros(9, np.int32)
    bounds = np.zeros(4, np.int64)
    bounds[0] = 1
    work = np.zeros(8, np.int64)
    assert match_open(*part, present, lows, highs, 1, 0, out, bounds, work) == 2
    assert bounds.tolist() == [1, 5, 9, 0]
    longer = np.concatenate([out, np.zeros(4, np.int32)])
    assert match_open(*part, present, lows, highs, 1, 2, longer, bounds, work) == 3
    assert longer[1:].tolist() == [0, 1, 2, 3] * 3
