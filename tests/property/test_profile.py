"""Profiles: the same however the stream was divided, and never further off than they say."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.errors import DamagedData
from siftmesh.logic.columns import Columns
from siftmesh.logic.profile import Profile
from siftmesh.logic.sample import Sample
from siftmesh.logic.selectivity import estimate
from siftmesh.logic.tree import Leaf, Predicate, Tree
from siftmesh.matching.observe import observe
from siftmesh.model.event import Event
from tests.effort import examples
from tests.reference import profile_oracle as oracle
from tests.reference.strategies import events, leaf_trees, predicates, trees

STREAM = st.lists(events(), min_size=1, max_size=60)
SOME_LEAVES = st.lists(leaf_trees(), max_size=4)


@given(STREAM, SOME_LEAVES)
def test_leaves_are_counted(stream: list[Event], leaves: list[Leaf]) -> None:
    found = observe(stream, leaves)
    assert found.events == len(stream)
    for leaf in leaves:
        counter = found.counters[leaf]
        assert (counter.true, counter.false, counter.unknown) == oracle.counted(leaf, stream)
        assert found.probability(leaf) == oracle.share(leaf, stream)


@given(STREAM, leaf_trees() | predicates())
def test_what_is_said_for_certain_is_true(stream: list[Event], leaf: Leaf) -> None:
    found = observe(stream, sample=8)
    exact = oracle.share(leaf, stream)
    bounds = found.share(leaf)
    assert bounds.least - 1e-9 <= exact <= bounds.most + 1e-9
    assert 0 <= bounds.least <= bounds.likely <= bounds.most <= 1
    assert bounds.least - 1e-9 <= found.probability(leaf) <= bounds.most + 1e-9


@given(STREAM, trees(max_leaves=8), st.integers(1, 70))
def test_a_tree_is_exact_on_the_sample(stream: list[Event], tree: Tree, capacity: int) -> None:
    found = observe(stream, sample=capacity)
    chosen = oracle.sampled(stream, capacity)
    assert list(found.sample.events) == chosen
    assert found.bitmap(tree).tolist() == oracle.bits(tree, chosen)
    assert found.sample.count(tree) / len(chosen) == oracle.share(tree, chosen)
    if not isinstance(tree, Leaf):
        assert found.probability(tree) == oracle.share(tree, chosen)
    if capacity >= len(stream):
        assert found.probability(tree) == pytest.approx(oracle.share(tree, stream))
    assert found.selectivity(tree) == estimate(tree, found.probability)


@st.composite
def divided(draw: st.DrawFn) -> tuple[list[Event], list[tuple[int, int]]]:
    stream = draw(STREAM)
    cuts = sorted(draw(st.lists(st.integers(0, len(stream)), max_size=4)))
    bounds = [0, *cuts, len(stream)]
    return stream, list(pairwise(bounds))


def merged_in_any_order(draw: st.DataObject, parts: list[Profile]) -> Profile:
    while len(parts) > 1:
        one = parts.pop(draw.draw(st.integers(0, len(parts) - 1)))
        other = parts.pop(draw.draw(st.integers(0, len(parts) - 1)))
        parts.append(one.merge(other))
    return parts[0]


@given(divided(), SOME_LEAVES, st.integers(0, 30), st.data())
def test_parts_in_any_order_and_grouping_are_the_whole(
    stream_and_parts: tuple[list[Event], list[tuple[int, int]]],
    leaves: list[Leaf],
    capacity: int,
    data: st.DataObject,
) -> None:
    stream, parts = stream_and_parts
    profiles = [observe(stream[a:b], leaves, start=a, sample=capacity) for a, b in parts]
    whole = observe(stream, leaves, sample=capacity)
    merged = merged_in_any_order(data, profiles)
    assert merged == whole
    assert merged.to_bytes() == whole.to_bytes()


@given(st.integers(0, 2**32), st.integers(60, 90), st.integers(3_000, 12_000), st.integers(1, 200))
@examples(100)
def test_samples_that_run_out_of_room_are_the_same_too(
    seed: int, capacity: int, room: int, spread: int
) -> None:
    """Whatever the sizes, and whatever priorities are equal: a 64th of the room is the most for one event."""
    generator = np.random.default_rng(seed)
    count = int(generator.integers(0, 300))
    order = generator.integers(0, spread, count).astype(np.uint64)
    sizes = generator.integers(0, max(1, room // generator.integers(60, 90)), count)
    events = [Event({"pad": "x" * size}) for size in sizes.tolist()]
    empty = Sample(capacity, room)
    first, second = sorted(generator.integers(0, count + 1, 2).tolist())
    one, two, three = (
        empty.of(Columns.of(events[a:b]), order[a:b])
        for a, b in ((0, first), (first, second), (second, count))
    )
    whole = empty.of(Columns.of(events), order)
    assert one.merge(two).merge(three) == whole
    assert three.merge(one).merge(two) == whole
    assert one.merge(two.merge(three)) == whole
    assert sum(map(len, whole.packed)) <= room


@given(divided(), SOME_LEAVES)
def test_a_profile_comes_back_from_its_bytes(
    stream_and_parts: tuple[list[Event], list[tuple[int, int]]], leaves: list[Leaf]
) -> None:
    stream, parts = stream_and_parts
    for first, last in parts:
        found = observe(stream[first:last], leaves, start=first)
        again = Profile.from_bytes(found.to_bytes())
        assert again == found
        assert again.to_bytes() == found.to_bytes()


@given(STREAM, st.data())
@examples(40)
def test_damaged_bytes_are_refused(stream: list[Event], data: st.DataObject) -> None:
    sound = observe(stream[:5]).to_bytes()
    place = data.draw(st.integers(0, len(sound) - 1))
    change = data.draw(st.integers(1, 255))
    for damaged in (
        sound[:place] + bytes([sound[place] ^ change]) + sound[place + 1 :],
        sound[:place],
        sound + b"\0",
    ):
        with pytest.raises(DamagedData):
            Profile.from_bytes(damaged)


@given(st.binary(max_size=200))
def test_any_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(DamagedData):
        Profile.from_bytes(data)


@given(STREAM, predicates())
def test_a_predicate_nobody_counted_is_bounded_by_its_attribute(stream: list[Event], leaf: Predicate) -> None:
    """Without a sample, too."""
    found = observe(stream, sample=0)
    bounds = found.share(leaf)
    assert bounds.least - 1e-9 <= oracle.share(leaf, stream) <= bounds.most + 1e-9
    assert found.probability(leaf) == bounds.likely
