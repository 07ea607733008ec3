"""The index of bitmaps from outside: what it refuses, how it grows, shrinks, and is kept in files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from siftmesh.kernels.bitmap import WORK_BOUNDS, WORK_EDGES, WORK_WORDS
from siftmesh.matching.bitmaps import BitmapIndex
from tests.reference.bound_terms import Chance, Event, Owners, codes, columns, values

EQUAL = [(False, [(0, 5, 5, False)])]


def work() -> np.ndarray:
    return np.zeros(8, np.int64)


def match(index: BitmapIndex, event: Event, width: int) -> list[int]:
    present, lows, highs = values([event], width)
    return sorted(index.match_one(present[0], lows[0], highs[0], work()).tolist())


def segments(index: BitmapIndex) -> list[int]:
    """How many terms live in each segment."""
    numbers = index.arrays()["numbers"].tolist()[7:]
    return sorted(numbers[1::3])


def test_nothing_is_found_in_nothing() -> None:
    index = BitmapIndex()
    assert len(index) == 0
    assert 0 not in index
    assert match(index, {0: (5, 5)}, 1) == []
    ends, found = index.match(*values([{}, {}], 3), work())
    assert (ends.tolist(), found.tolist()) == ([0, 0, 0], [])
    index.compact()
    assert sum(index.memory().values()) < 1000


def test_owners_come_and_go() -> None:
    index = BitmapIndex()
    index.add(3, EQUAL)
    index.add(4, [(True, [(0, 5, 9, False)]), (False, [(1, 0, 0, True)])])
    index.add(5, [])
    index.add(6, [(False, [])])
    assert len(index) == 4
    assert [owner for owner in range(-2, 100) if owner in index] == [3, 4, 5, 6]
    assert match(index, {0: (5, 5)}, 2) == [~4, 3, 6]
    assert match(index, {0: (5, 5), 1: (1, 1)}, 2) == [3, 4, 6]
    assert match(index, {}, 2) == [6]
    for owner in (3, 5, 6):
        index.remove(owner)
    assert match(index, {0: (5, 5)}, 2) == [~4]
    index.add(3, [(True, [(0, 0, 5, False)])])
    assert match(index, {0: (5, 5)}, 2) == [~4, ~3]


def test_who_is_there_is_not_added_and_who_is_not_is_not_removed() -> None:
    index = BitmapIndex()
    index.add(3, EQUAL)
    index.add(4, [])
    for owner in (3, 4):
        with pytest.raises(ValueError, match=f"owner {owner} is there already"):
            index.add(owner, EQUAL)
    for owners in ({7: EQUAL, 4: EQUAL}, {7: EQUAL, 3: EQUAL}):
        with pytest.raises(ValueError, match="there already"):
            index.add_many(**columns(owners))
    twice = columns({7: EQUAL, 8: EQUAL, 9: EQUAL})
    twice["owners"][2] = 7
    with pytest.raises(ValueError, match="there already"):
        index.add_many(**twice)
    for owner in (5, -1, -3, 1 << 40):
        with pytest.raises(KeyError):
            index.remove(owner)
    with pytest.raises(ValueError, match="-1 is no number"):
        index.add(-1, EQUAL)
    with pytest.raises(ValueError, match="-5 is no number"):
        index.add_many(**columns({2: EQUAL, -5: EQUAL}))
    # None of this has changed anything.
    assert len(index) == 2
    assert match(index, {0: (5, 5)}, 1) == [3]
    assert 7 not in index


def test_an_owner_whose_terms_cannot_be_met_is_there_all_the_same() -> None:
    never = [(False, [(0, 5, 4, False)]), (True, [(0, 1, 1, False), (0, 2, 2, False)])]
    index = BitmapIndex()
    index.add(1, never)
    index.add_many(**columns({2: never, 3: EQUAL}))
    assert 1 in index
    assert 2 in index
    assert match(index, {0: (5, 5)}, 1) == [3]
    index.remove(1)
    index.remove(2)
    assert len(index) == 1


@pytest.mark.parametrize("count", [0, 1, 30, 700])
def test_many_at_once_or_one_by_one_is_the_same(count: int) -> None:
    chance = Chance(count, dims=8, keys=20)
    owners = chance.owners(count)
    many, single = BitmapIndex(16, 200), BitmapIndex(16, 200)
    many.add_many(**columns(owners))
    for owner, terms in owners.items():
        single.add(owner, iter(terms))
    for event in chance.events(20):
        assert match(many, event, 8) == match(single, event, 8) == sorted(codes(owners, event))


def filled(count: int, **sizes: int) -> tuple[BitmapIndex, Owners, Chance]:
    chance = Chance(count, dims=8, keys=50)
    owners = chance.owners(count)
    index = BitmapIndex(**sizes)
    for owner, terms in owners.items():
        index.add(owner, terms)
    return index, owners, chance


def test_there_are_never_many_segments() -> None:
    sizes = {"open_terms": 4, "segment_terms": 1 << 12, "fanout": 3}
    chance = Chance(1, dims=3, keys=50)
    index = BitmapIndex(**sizes)
    most = 0
    for owner in range(3000):
        index.add(owner, chance.terms())
        most = max(most, len(index._segments))
    # Seven sizes, of each no more than are merged at a time, and what waits for a merge under way.
    assert most < 7 * 3 * 3
    assert max(segments(index)) > 500


def test_what_is_asked_between_changes_is_up_to_date() -> None:
    index = BitmapIndex(open_terms=2, fanout=2)
    chance = Chance(5, dims=3, keys=10)
    owners: Owners = {}
    for owner in range(150):
        owners[owner] = chance.terms()
        index.add(owner, owners[owner])
        if owner % 3 == 2:
            gone = chance.random.choice(sorted(owners))
            index.remove(gone)
            del owners[gone]
        # The segments may be others than before, the same ones, or merged ones.
        event = chance.event()
        assert match(index, event, 3) == sorted(codes(owners, event))


def test_segments_do_not_outgrow_their_size() -> None:
    index, owners, _ = filled(1200, open_terms=8, segment_terms=300)
    index.compact()
    total = sum(map(len, owners.values()))
    assert max(segments(index)) <= 300
    assert len(segments(index)) <= 2 * total / 300 + 1


def test_compacting_leaves_one_segment_of_what_lives() -> None:
    index, owners, chance = filled(900)
    for owner in list(owners)[::2]:
        index.remove(owner)
        del owners[owner]
    index.compact()
    live = segments(index)
    assert len(live) == 1
    assert live[0] <= sum(map(len, owners.values()))
    assert index.memory()["keys"] <= 16 * sum(len(bounds) for terms in owners.values() for _, bounds in terms)
    for event in chance.events(10):
        assert match(index, event, 8) == sorted(codes(owners, event))


def test_what_is_removed_is_given_back_without_asking() -> None:
    index, owners, _ = filled(3000, open_terms=64)
    index.compact()
    before = sum(index.memory().values()) - index.memory()["directory"]
    for owner in list(owners)[:2900]:
        index.remove(owner)
    # Removals pay for merges too.
    assert sum(index.memory().values()) - index.memory()["directory"] < before / 4


def test_work_is_counted() -> None:
    index, _, chance = filled(900, open_terms=100)
    counted = work()
    present, lows, highs = values(chance.events(10, 1), 8)
    index.match(present, lows, highs, counted)
    assert (counted[[WORK_WORDS, WORK_EDGES, WORK_BOUNDS]] > 0).all()
    again = counted.copy()
    for row in range(10):
        index.match_one(present[row], lows[row], highs[row], again)
    np.testing.assert_array_equal(again, 2 * counted)


def test_arrays_in_files_are_read_where_they_are_and_left_as_they_are(tmp_path: Path) -> None:
    index, owners, chance = filled(1500, open_terms=100)
    index.add(99_999, [])
    arrays = index.arrays()
    for name, array in arrays.items():
        np.save(tmp_path / f"{name}.npy", array)
    maps = {name: np.load(tmp_path / f"{name}.npy", mmap_mode="r") for name in arrays}
    loaded = BitmapIndex.from_arrays(maps)
    assert len(loaded) == 1501
    assert any(np.shares_memory(loaded.arrays()[name], maps[name]) for name in maps if name.endswith("rows"))
    for owner in list(owners)[::3]:
        loaded.remove(owner)
        del owners[owner]
    loaded.add(0, EQUAL)
    owners[0] = EQUAL
    for _ in range(2):
        for event in chance.events(10):
            assert match(loaded, event, 8) == sorted(codes(owners, event))
        loaded.compact()
    for name, array in arrays.items():
        np.testing.assert_array_equal(np.load(tmp_path / f"{name}.npy"), array)


def test_a_loaded_index_goes_on_like_the_one_that_was_saved() -> None:
    index, owners, chance = filled(500, open_terms=16, segment_terms=400, fanout=2)
    loaded = BitmapIndex.from_arrays({name: array.copy() for name, array in index.arrays().items()})
    more = chance.owners(700, 1000)
    for owner, terms in more.items():
        loaded.add(owner, terms)
    owners |= more
    assert max(segments(loaded)) <= 400
    assert len(loaded) == 1200
    for event in chance.events(10):
        assert match(loaded, event, 8) == sorted(codes(owners, event))


def test_an_event_pays_nothing_for_sparse_dimensions_that_it_lacks() -> None:
    owners: Owners = {
        owner: [(False, [(owner // 3, 0, 9, False), (500 + owner // 3, 0, 9, False)])]
        for owner in range(1500)
    }
    index = BitmapIndex()
    index.add_many(**columns(owners))
    counted = work()
    present, lows, highs = values([{7: (5, 5), 507: (5, 5)}], 1000)
    found = index.match_one(present[0], lows[0], highs[0], counted)
    assert sorted(found.tolist()) == [21, 22, 23]
    assert counted[WORK_WORDS] + counted[WORK_EDGES] < 20


def test_equal_terms_cost_no_more_than_different_ones() -> None:
    counts = []
    for spread in (0, 1):
        index = BitmapIndex()
        index.add_many(
            **columns({owner: [(False, [(0, owner * spread, 10**6, False)])] for owner in range(20_000)})
        )
        counted = work()
        present, lows, highs = values([{0: (-1, -1)}, {0: (0, 0)}], 1)
        ends, found = index.match(present, lows, highs, counted)
        assert ends.tolist() == [0, 0, 1 if spread else 20_000]
        assert found.size == ends[-1]
        counts.append(counted[WORK_EDGES])
    assert counts[0] < 2 * counts[1] + 2000


def test_merges_are_done_step_by_step_until_none_is_left() -> None:
    index = BitmapIndex(open_terms=8, segment_terms=4_096, fanout=2)
    owner = 0
    while not index._merges:
        index.add(owner, [(False, [(0, owner, owner + 50, 0)])])
        owner += 1
    assert not index.settle(0)
    steps = 0
    while not index.settle(1):
        steps += 1
    assert steps
    assert index.settle(0)
    before = {name: array.copy() for name, array in index.arrays().items()}
    assert all((index.arrays()[name] == array).all() for name, array in before.items())
