"""The index of bitmaps says what its twin says, whatever is added, removed, merged and saved in between."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from siftmesh.kernels.bitmap_layout import WORK_BOUNDS
from siftmesh.matching.bitmaps import BitmapIndex
from tests.effort import examples
from tests.reference.bound_terms import HIGHEST, LOWEST, Chance, Event, Owners, Term, codes, columns, values

OWNERS = 60
DIMS = 70  # more than have a bit of their own in the order of the terms

keys = st.one_of(
    st.integers(0, 5), st.integers(0, 5), st.sampled_from([LOWEST, LOWEST + 1, HIGHEST - 1, HIGHEST])
)
dims = st.one_of(st.integers(0, 3), st.integers(0, 3), st.integers(0, DIMS - 1))
bounds = st.tuples(dims, keys, keys, st.one_of(st.integers(0, 1), st.integers(0, 7)))
terms = st.tuples(st.booleans(), st.lists(bounds, max_size=4))


@st.composite
def events(draw: st.DrawFn) -> Event:
    event = {}
    for dim in draw(st.one_of(st.just(range(DIMS)), st.lists(dims, unique=True))):
        low = draw(keys)
        event[dim] = (low, low + 1 if low < HIGHEST and draw(st.booleans()) else low)
    return event


def ask(index: BitmapIndex, batch: list[Event], width: int) -> list[set[int]]:
    """What a batch finds, which has to be what each of its events finds by itself, nobody twice."""
    work = np.zeros(8, np.int64)
    present, lows, highs = values(batch, width)
    ends, found = index.match(present, lows, highs, work)
    assert ends.tolist() == sorted(ends.tolist())
    assert (ends[0], ends[-1], ends.size) == (0, found.size, len(batch) + 1)
    answers = []
    for row in range(len(batch)):
        answer = found[ends[row] : ends[row + 1]].tolist()
        one = index.match_one(present[row], lows[row], highs[row], work).tolist()
        assert sorted(answer) == sorted(one)
        assert len({max(code, ~code) for code in answer}) == len(answer)
        answers.append(set(answer))
    assert (work >= 0).all()
    assert not work[WORK_BOUNDS + 1 :].any()
    return answers


class Machine(RuleBasedStateMachine):
    """Small parts, so that there are always merges under way."""

    def __init__(self) -> None:
        super().__init__()
        self.twin: Owners = {}
        self.index = BitmapIndex()

    @initialize(
        opened=st.sampled_from([1, 2, 8]),
        segment=st.sampled_from([4, 40, 600]),
        fanout=st.sampled_from([2, 4]),
    )
    def start(self, opened: int, segment: int, fanout: int) -> None:
        self.index = BitmapIndex(opened, segment, fanout)

    def free(self) -> list[int]:
        return [owner for owner in range(OWNERS) if owner not in self.twin]

    @precondition(lambda self: len(self.twin) < OWNERS)
    @rule(data=st.data(), asked=st.lists(terms, max_size=3))
    def add(self, data: st.DataObject, asked: list[Term]) -> None:
        owner = data.draw(st.sampled_from(self.free()))
        self.index.add(owner, asked)
        self.twin[owner] = asked

    @precondition(lambda self: len(self.twin) < OWNERS)
    @rule(data=st.data(), seed=st.integers(0, 1 << 16))
    def add_many(self, data: st.DataObject, seed: int) -> None:
        chosen = data.draw(st.lists(st.sampled_from(self.free()), unique=True))
        chance = Chance(seed, dims=6, keys=5)
        made = {owner: chance.terms() for owner in chosen}
        self.index.add_many(**columns(made))
        self.twin |= made

    @precondition(lambda self: self.twin)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        for owner in data.draw(st.lists(st.sampled_from(sorted(self.twin)), unique=True, min_size=1)):
            self.index.remove(owner)
            del self.twin[owner]

    @rule()
    def compact(self) -> None:
        self.index.compact()

    @rule()
    def save_and_load(self) -> None:
        arrays: dict[str, Any] = {name: array.copy() for name, array in self.index.arrays().items()}
        for array in arrays.values():
            array.flags.writeable = False
        kept = {name: array.copy() for name, array in arrays.items()}
        self.index = BitmapIndex.from_arrays(arrays)
        for name, array in arrays.items():
            np.testing.assert_array_equal(array, kept[name])

    @rule(batch=st.lists(events(), max_size=3), width=st.sampled_from([0, 2, DIMS, DIMS + 5]))
    def match(self, batch: list[Event], width: int) -> None:
        seen = [{dim: value for dim, value in event.items() if dim < width} for event in batch]
        assert ask(self.index, batch, width) == [codes(self.twin, event) for event in seen]

    @rule(seed=st.integers(0, 1 << 16), share=st.sampled_from([0.1, 1.0]))
    def match_many(self, seed: int, share: float) -> None:
        batch = Chance(seed, dims=6, keys=5).events(20, share)
        assert ask(self.index, batch, 6) == [codes(self.twin, event) for event in batch]

    @invariant()
    def holds_the_same_owners(self) -> None:
        assert len(self.index) == len(self.twin)
        assert [owner for owner in range(-1, OWNERS + 1) if owner in self.index] == sorted(self.twin)


TestMachine = Machine.TestCase
TestMachine.settings = examples(80)


@examples(40)
@given(
    seed=st.integers(0, 1 << 20),
    dimensions=st.sampled_from([1, 3, 20, 300]),
    count=st.sampled_from([0, 5, 100, 600, 900]),
    share=st.sampled_from([0.05, 0.5, 1.0]),
)
def test_thousands_of_terms_in_a_segment(seed: int, dimensions: int, count: int, share: float) -> None:
    chance = Chance(seed, dims=dimensions, keys=200)
    owners = chance.owners(count)
    index = BitmapIndex()
    index.add_many(**columns(owners))
    batch = chance.events(5, share)
    assert ask(index, batch, dimensions) == [codes(owners, event) for event in batch]
    for owner in chance.random.sample(sorted(owners), count // 3):
        index.remove(owner)
        del owners[owner]
    assert ask(index, batch, dimensions) == [codes(owners, event) for event in batch]
    index.compact()
    assert ask(index, batch, dimensions) == [codes(owners, event) for event in batch]
