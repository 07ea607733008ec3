"""Merges: what comes out, whatever is removed while they are under way."""

from __future__ import annotations

import numpy as np
import pytest

from siftmesh.kernels.bitmap_layout import BLOCK
from siftmesh.matching import bitmap_merge
from siftmesh.matching.bitmap_match import Searcher
from siftmesh.matching.bitmap_merge import Merge
from siftmesh.matching.bitmap_open import OpenTerms
from siftmesh.matching.bitmap_segments import STEP, Segment, build
from siftmesh.matching.bitmap_terms import Terms, terms_of
from tests.reference.bound_terms import Chance, Owners, codes, columns, values

DIMS = 30


def segments_of(chance: Chance, sizes: list[int]) -> tuple[list[Segment], Owners, np.ndarray]:
    """Segments of some of so many owners each, all these owners, and the directory."""
    every: Owners = {}
    segments = []
    where = np.zeros(sum(sizes), np.int64)
    for uid, size in enumerate(sizes, 1):
        owners = {
            owner: met
            for owner, terms in chance.owners(size, sum(sizes[: uid - 1])).items()
            if (met := terms_of(owner, terms))
        }
        made = columns(owners)
        named = np.where(made["verify"], ~made["owners"], made["owners"]).astype(np.int32)
        flags = made["flags"].astype(np.uint8)
        terms = Terms(named, made["starts"], made["dims"], made["lows"], made["highs"], flags)
        segments.append(build(terms, uid, where))
        every |= owners
    return segments, every, where


def found(segments: list[Segment], chance: Chance, owners: Owners) -> None:
    batch = chance.events(10, 0.7)
    ends, numbers = Searcher(segments, OpenTerms()).many(*values(batch, DIMS), np.zeros(8, np.int64))
    for row, event in enumerate(batch):
        assert set(numbers[ends[row] : ends[row + 1]].tolist()) == codes(owners, event)


@pytest.mark.parametrize("sizes", [[300, 200], [5, 900, 1, 80], [700]])
def test_the_merged_segment_finds_what_its_sources_found(sizes: list[int]) -> None:
    chance = Chance(len(sizes), dims=DIMS, keys=60)
    sources, owners, where = segments_of(chance, sizes)
    merge = Merge(9, sources, where)
    assert merge.slots == sum(source.slots for source in sources)
    assert merge.made is None
    assert all(cost >= 0 for cost in merge.steps)
    made = merge.made
    assert made is not None
    assert made.live == made.built == sum(map(len, owners.values()))
    found([made], chance, owners)
    for owner in owners:
        uid, slot = divmod(int(where[owner]), 1 << 32)
        assert uid == 9
        assert made.small[slot] in {owner, ~owner}
    # It is as small as if it had been built at once.
    whole = sum(array.nbytes for array in made.arrays().values())
    assert whole < 1.2 * sum(array.nbytes for source in sources for array in source.arrays().values())


@pytest.mark.parametrize("seed", range(6))
def test_removals_go_on_during_every_step(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bitmap_merge, "STEP", 1 << 9)
    chance = Chance(seed, dims=DIMS, keys=60)
    sources, owners, where = segments_of(chance, [400, 100, 500])
    merge = Merge(9, sources, where)
    by_uid = {source.uid: source for source in sources}
    steps, late = 0, 0
    for _ in merge.steps:
        steps += 1
        for owner in chance.random.sample(sorted(owners), min(3, len(owners))):
            uid, slot = divmod(int(where[owner]), 1 << 32)
            late += uid == 9
            if uid == 9:
                merge.remove(slot)
            else:
                by_uid[uid].remove(slot)
            del owners[owner]
        # The sources serve until it is done.
        assert sum(source.live for source in sources) == sum(map(len, owners.values()))
        if steps % 20 == 0:
            found(sources, chance, owners)
    assert steps > 40
    assert late
    made = merge.made
    assert made is not None
    assert made.live == sum(map(len, owners.values()))
    found([made], chance, owners)


def test_dead_terms_leave_no_trace() -> None:
    chance = Chance(3, dims=DIMS, keys=60)
    sources, owners, where = segments_of(chance, [900])
    kept = dict(list(owners.items())[:30])
    for owner in owners.keys() - kept.keys():
        sources[0].remove(int(where[owner]) & 0xFFFFFFFF)
    merge = Merge(9, sources, where)
    assert list(merge.steps)
    made = merge.made
    assert made is not None
    assert made.slots <= 2 * BLOCK
    assert made.keys.size <= 2 * sum(len(bounds) for terms in kept.values() for _, bounds in terms)
    found([made], chance, kept)


def test_nothing_is_left_of_nothing() -> None:
    sources, owners, where = segments_of(Chance(4), [20, 20])
    for owner in owners:
        uid, slot = divmod(int(where[owner]), 1 << 32)
        sources[uid - 1].remove(slot)
    merge = Merge(9, sources, where)
    with pytest.raises(ValueError, match="nothing is made yet"):
        merge.remove(0)
    assert list(merge.steps)
    assert merge.made is not None
    assert (merge.made.live, merge.made.slots) == (0, 0)


def test_steps_are_bounded_whatever_the_size() -> None:
    sources, _, where = segments_of(Chance(5, dims=DIMS, keys=60), [3000, 3000])
    assert max(Merge(9, sources, where).steps) <= STEP
