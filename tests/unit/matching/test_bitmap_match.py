"""Asking segments and open terms: batches of any size, arrays of any kind, several threads at once."""

from __future__ import annotations

import threading

import numpy as np
import pytest

from siftmesh.matching import bitmap_match
from siftmesh.matching.bitmap_match import Searcher, plain
from siftmesh.matching.bitmap_open import OpenTerms
from siftmesh.matching.bitmap_segments import Segment, build
from siftmesh.matching.bitmap_terms import Terms, terms_of
from tests.reference.bound_terms import Chance, Owners, codes, columns, values

DIMS = 12


def index_of(chance: Chance, sizes: list[int], opened: int) -> tuple[Searcher, Owners]:
    segments: list[Segment] = []
    every: Owners = {}
    for uid, size in enumerate(sizes):
        owners = {
            owner: met
            for owner, terms in chance.owners(size, 10_000 * uid).items()
            if (met := terms_of(owner, terms))
        }
        made = columns(owners)
        named = np.where(made["verify"], ~made["owners"], made["owners"]).astype(np.int32)
        flags = made["flags"].astype(np.uint8)
        terms = Terms(named, made["starts"], made["dims"], made["lows"], made["highs"], flags)
        segments.append(build(terms, uid, np.zeros(10_000 * len(sizes), np.int64)))
        every |= owners
    newest = OpenTerms()
    for owner, asked in chance.owners(opened, 900_000).items():
        every[owner] = terms_of(owner, asked)
        newest.add(owner, every[owner])
    return Searcher(segments, newest), every


@pytest.mark.parametrize(("sizes", "opened"), [([], 0), ([], 9), ([600], 0), ([600, 30, 1500], 9)])
@pytest.mark.parametrize("piece", [1, 1 << 21])
def test_batches_and_single_events(
    sizes: list[int], opened: int, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bitmap_match, "_PIECE", piece)
    monkeypatch.setattr(bitmap_match, "_FIRST_EVENTS", 7)
    chance = Chance(len(sizes), dims=DIMS, keys=30)
    searcher, owners = index_of(chance, sizes, opened)
    work = np.zeros(8, np.int64)
    for count in (0, 1, 7, 60):
        batch = chance.events(count)
        present, lows, highs = values(batch, DIMS)
        ends, found = searcher.many(present, lows, highs, work)
        assert (ends.size, ends[0], ends[-1], found.dtype) == (count + 1, 0, found.size, np.int32)
        for row, event in enumerate(batch):
            part = found[ends[row] : ends[row + 1]].tolist()
            assert set(part) == codes(owners, event)
            assert sorted(searcher.one(present[row], lows[row], highs[row], work).tolist()) == sorted(part)
    assert work.any() == bool(sizes or opened)


def test_results_are_not_written_over_by_later_matches() -> None:
    chance = Chance(2, dims=DIMS, keys=30)
    searcher, _ = index_of(chance, [500], 5)
    present, lows, highs = values(chance.events(20), DIMS)
    work = np.zeros(8, np.int64)
    one = searcher.one(present[0], lows[0], highs[0], work)
    ends, found = searcher.many(present, lows, highs, work)
    kept = one.copy(), found.copy()
    searcher.many(present[::-1].copy(), lows[::-1].copy(), highs[::-1].copy(), work)
    searcher.one(present[7], lows[7], highs[7], work)
    np.testing.assert_array_equal(one, kept[0])
    np.testing.assert_array_equal(found, kept[1])
    assert ends[-1] == found.size
    assert found.flags.owndata


def test_several_threads_match_at_once() -> None:
    chance = Chance(3, dims=DIMS, keys=30)
    searcher, owners = index_of(chance, [1500, 800], 20)
    batches = [chance.events(30) for _ in range(4)]
    wanted = [[codes(owners, event) for event in batch] for batch in batches]
    wrong: list[int] = []
    start = threading.Barrier(4)

    def ask(number: int) -> None:
        present, lows, highs = values(batches[number], DIMS)
        work = np.zeros(8, np.int64)
        start.wait()
        for _ in range(20):
            ends, found = searcher.many(present, lows, highs, work)
            got = [set(found[ends[row] : ends[row + 1]].tolist()) for row in range(30)]
            singles = [
                set(searcher.one(present[row], lows[row], highs[row], work).tolist()) for row in range(30)
            ]
            if got != wanted[number] or singles != wanted[number]:
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_arrays_of_any_kind_become_plain_ones() -> None:
    array = np.arange(12)
    assert plain(array) is array
    assert plain(array.reshape(3, 4)).tolist() == array.tolist()
    assert plain(array[::2]).tolist() == array[::2].tolist()
    locked = array.copy()
    locked.flags.writeable = False
    for given in (locked, locked.reshape(3, 4)):
        made = plain(given)
        # One signature of the kernels serves for all.
        assert made.flags.writeable
        assert made.flags.c_contiguous
        assert np.shares_memory(made, locked)
        assert made.tolist() == array.tolist()
    assert plain(locked[:0]).size == 0
