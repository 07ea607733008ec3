"""What a thread needs to itself: kernels are told where everything is, and marks are never in use twice."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from siftmesh.kernels import entry
from siftmesh.kernels.dims import DIM
from siftmesh.kernels.entry import LAST_STAMP, X_STAMP
from siftmesh.kernels.layout import CELL, H_SLOT_COUNT
from siftmesh.matching.pools import Pools
from siftmesh.matching.scratch import Scratch, Scratches

OWN = ["FRAME", "CELLS", "STAMPS", "OUT", "NAMED", "COUNTERS", "MADE", "PRESENT", "LOWS", "HIGHS"]


def told(scratch: Scratch, name: str) -> tuple[int, int]:
    """Where kernels find an array, and how long they take it to be."""
    place = getattr(entry, f"X_{name}")
    address, length = scratch.context[place : place + 2].tolist()
    return address, length


def is_told(scratch: Scratch, name: str, array: Any) -> bool:
    return told(scratch, name) == (array.ctypes.data, len(array))


def check(scratch: Scratch, pools: Pools, dims: Any = None) -> None:
    for name, array in (("WORDS", pools.words), ("LONGS", pools.longs), ("HEAP", pools.heap)):
        assert is_told(scratch, name, array), name
    for name in OWN:
        assert is_told(scratch, name, getattr(scratch, name.lower())), name
    if dims is not None:
        assert is_told(scratch, "DIMS", dims)
    # A cell for each slot, and one for each element that a frame can hold.
    assert len(scratch.cells) >= CELL * (int(pools.words[H_SLOT_COUNT]) + len(scratch.frame) // 2)
    assert scratch.address == scratch.context.ctypes.data


def test_kernels_are_told_where_everything_is() -> None:
    scratch, pools = Scratch(), Pools()
    scratch.fit(pools, 10)
    check(scratch, pools)
    assert len(scratch.stamps) >= 10
    before = scratch.context.tolist()
    scratch.fit(pools, 10)
    assert scratch.context.tolist() == before


def test_whatever_grows_is_told_anew() -> None:
    scratch, pools = Scratch(), Pools()
    scratch.fit(pools, 1)
    for number in range(200):
        pools.slot(f"attribute {number}")
        scratch.fit(pools, 1)
        check(scratch, pools)
    pools.reserve(100_000, 100_000, 100_000)
    scratch.fit(pools, 1)
    check(scratch, pools)
    for grow in (scratch.longer_frame, scratch.longer_out):
        frame, out = len(scratch.frame), len(scratch.out)
        grow()
        assert (len(scratch.frame) >= 2 * frame) or (len(scratch.out) >= 2 * out)
        scratch.fit(pools, 1)
        check(scratch, pools)
    scratch.longer_out(1_000_000)
    assert len(scratch.out) >= 1_000_000
    scratch.fit(pools, 50_000)
    check(scratch, pools)
    assert len(scratch.stamps) >= 50_000


def test_dimensions_are_told_and_have_room() -> None:
    scratch, pools = Scratch(), Pools()
    for count in (1, 3, 0):
        dims = np.zeros(DIM * count, np.int32)
        scratch.fit(pools, 1, dims)
        check(scratch, pools, dims)
        assert len(scratch.present) == len(scratch.lows) == len(scratch.highs) == count


def test_places_of_many_events_have_room() -> None:
    scratch = Scratch()
    for events, width in ((1, 1), (10, 3), (2, 2), (0, 5)):
        found = scratch.places(events, width)
        assert [len(array) for array in found] == [events * width] * 3
        assert [array.dtype for array in found] == [np.uint8, np.int64, np.int64]


def test_marks_are_not_in_use() -> None:
    scratch = Scratch()
    scratch.fit(Pools(), 4)
    used: list[int] = []
    for events in (1, 5, 1, 100):
        first = scratch.stamps_for(events)
        used += range(first, first + events)
    assert used == list(range(1, 108))
    # More subscriptions: the marks of all of them are new.
    scratch.fit(Pools(), 10_000)
    assert not scratch.stamps.any()


@pytest.mark.parametrize("left", [0, 1, 5, 6])
def test_marks_begin_anew_before_there_are_none_left(left: int) -> None:
    scratch = Scratch()
    scratch.fit(Pools(), 4)
    scratch.context[X_STAMP] = LAST_STAMP - left
    scratch.stamps[:] = LAST_STAMP - left
    first = scratch.stamps_for(6)
    assert first == (LAST_STAMP - 5 if left == 6 else 1)
    assert first + 5 <= LAST_STAMP <= np.iinfo(np.int32).max
    # No subscription has one of the marks to come.
    assert not np.isin(scratch.stamps, range(first, first + 6)).any()


def test_who_borrows_gets_what_fits_and_nobody_else_uses() -> None:
    fitted: list[Scratch] = []
    scratches = Scratches(fitted.append)
    one, other = scratches.borrow(), scratches.borrow()
    assert one is not other
    assert scratches.all == fitted == [one, other]
    scratches.spare.append(one)
    # Nothing has moved, so it fits as it did.
    assert scratches.borrow() is one
    assert len(fitted) == 2
    scratches.spare += [one, other]
    scratches.moves += 1
    assert scratches.borrow() is other
    assert fitted[2:] == [other]


def test_what_was_made_longer_has_to_be_fitted_though_nothing_moved() -> None:
    pools = Pools()
    scratches = Scratches(lambda scratch: scratch.fit(pools))
    for lengthen in (Scratch.longer_out, Scratch.longer_frame):
        scratch = scratches.borrow()
        lengthen(scratch)
        scratches.spare.append(scratch)
        assert scratches.borrow() is scratch
        check(scratch, pools)
        scratches.spare.append(scratch)


def test_the_work_of_all_is_added_up() -> None:
    scratches = Scratches(lambda _: None)
    for matches in (2, 3):
        scratches.borrow().found += matches
    assert scratches.done().matches == 5
