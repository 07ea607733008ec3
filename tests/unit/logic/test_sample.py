"""The same events are sampled however they were divided, and trees are asked of them as bitmaps."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from siftmesh.errors import ConfigError
from siftmesh.logic.columns import Columns
from siftmesh.logic.sample import Sample, priorities
from siftmesh.logic.tree import FALSE, TRUE, And, Or
from siftmesh.model.event import Event
from tests.reference.leaves import leaf


def numbered(first: int, last: int, size: int = 0) -> Columns:
    return Columns.of([Event({"n": number, "pad": "x" * size}) for number in range(first, last)])


def sample(first: int, last: int, size: int = 0, *, capacity: int = 10, room: int = 2**24) -> Sample:
    return Sample(capacity, room).of(numbered(first, last, size), priorities(np.arange(first, last)))


def members(found: Sample) -> list[object]:
    return [event.values["n"] for event in found.events]


def test_the_events_with_the_least_priorities_are_sampled() -> None:
    found = sample(0, 1_000)
    order = priorities(range(1_000))
    assert members(found) == np.argsort(order)[:10].tolist()
    assert list(found.priorities) == sorted(order.tolist())[:10]
    assert members(sample(0, 4)) == np.argsort(order[:4]).tolist()


def test_merging_gives_the_sample_of_all() -> None:
    parts = [sample(0, 3), sample(3, 400), sample(400, 401), sample(401, 1_000), sample(0, 0)]
    one, two, three, four, none = parts
    whole = sample(0, 1_000)
    assert one.merge(two).merge(three).merge(four).merge(none) == whole
    assert none.merge(four.merge(one)).merge(three.merge(two)) == whole


def test_the_smaller_capacity_holds() -> None:
    small, large = sample(0, 100, capacity=3), sample(100, 200, capacity=50)
    assert small.merge(large) == large.merge(small) == sample(0, 200, capacity=3)


@pytest.mark.parametrize("sizes", [(80, 80, 80, 80), (60, 1, 90, 20), (100, 3, 3, 3)])
def test_large_events_leave_room_for_fewer_however_they_were_divided(sizes: tuple[int, ...]) -> None:
    room = 7_000
    columns = [numbered(50 * part, 50 * part + 50, size) for part, size in enumerate(sizes)]
    parts = [
        Sample(90, room).of(each, priorities(np.arange(50 * part, 50 * part + 50)))
        for part, each in enumerate(columns)
    ]
    events = [each.event(row) for each in columns for row in range(50)]
    whole = Sample(90, room).of(Columns.of(events), priorities(np.arange(200)))
    one, two, three, four = parts
    assert one.merge(two).merge(three).merge(four) == whole
    assert four.merge(two).merge(one.merge(three)) == whole
    assert sum(map(len, whole.packed)) <= room
    assert 40 < len(whole) <= 90
    if sizes[0] == sizes[-1]:
        assert whole.end is not None


def test_where_the_room_was_used_up_nothing_comes_after() -> None:
    full = Sample(200, 6_400).of(numbered(0, 90, 80), np.arange(90, dtype=np.uint64))
    assert full.end == len(full) < 90
    later = Sample(200, 6_400).of(numbered(500, 510), np.arange(500, 510, dtype=np.uint64))
    # There would be room for a small event now, but there was a large one before it.
    assert full.merge(later) == later.merge(full) == full
    same = np.repeat(np.arange(45, dtype=np.uint64), 2)
    ties = Sample(200, 6_400).of(numbered(0, 90, 80), same)
    assert ties.end == len(ties) // 2
    assert len(ties) % 2 == 0


def test_an_event_that_takes_a_great_part_of_the_room_is_left_out() -> None:
    events = [Event({"n": number, "pad": "x" * (5_000 if number % 3 else 1)}) for number in range(100)]
    found = Sample(20, 64_000).of(Columns.of(events), priorities(np.arange(100)))
    assert len(found) == 20
    assert all(number % 3 == 0 for number in members(found))


def test_samples_with_other_room_are_not_merged() -> None:
    with pytest.raises(ConfigError, match="samples of 100 and of 200 bytes cannot be merged"):
        Sample(1, 100).merge(Sample(1, 200))


def test_events_of_one_priority_are_all_there_or_ordered_by_their_bytes() -> None:
    columns, order = numbered(0, 20), np.zeros(20, dtype=np.uint64)
    assert members(Sample(5).of(columns, order)) == [0, 1, 2, 3, 4]
    back = Columns.of([columns.event(row) for row in reversed(range(20))])
    assert members(Sample(5).of(back, order)) == [0, 1, 2, 3, 4]


def test_a_tree_is_a_bitmap_over_the_sample() -> None:
    found = sample(0, 200, capacity=130)
    numbers = members(found)
    low, even = leaf("n", "<", 50), leaf("n", "IN", tuple(range(0, 200, 2)))

    def bits(bitmap: np.ndarray) -> list[object]:
        return [number for place, number in enumerate(numbers) if int(bitmap[place // 64]) >> place % 64 & 1]

    assert bits(found.bitmap(low)) == [number for number in numbers if number < 50]
    assert bits(found.bitmap(And((low, even)))) == [n for n in numbers if n < 50 and n % 2 == 0]
    assert bits(found.bitmap(Or((low, even)))) == [n for n in numbers if n < 50 or n % 2 == 0]
    assert bits(found.bitmap(TRUE)) == numbers
    assert bits(found.bitmap(FALSE)) == []
    assert found.words == 3
    assert (found.bitmaps([low, even]) == np.stack([found.bitmap(low), found.bitmap(even)])).all()
    assert found.count(And((low, even))) == len(bits(found.bitmap(And((low, even)))))
    assert found.count(TRUE) == 130


def test_what_is_kept_cannot_be_written_to() -> None:
    found = sample(0, 5)
    for tree in (TRUE, leaf("n", "<", 3)):
        with pytest.raises(ValueError, match="read-only"):
            found.bitmap(tree)[0] = 0


def test_an_empty_sample_has_empty_bitmaps() -> None:
    assert Sample().bitmap(Or((leaf("a", "=", 1), TRUE))).shape == (0,)
    assert Sample().count(TRUE) == 0


def test_a_key_gives_the_same_priority_in_whatever_form_it_comes() -> None:
    assert priorities([5, -1]).tolist() == priorities(np.array([5, -1])).tolist()
    assert priorities([5]).tolist() == priorities(np.array([5], dtype=np.uint8)).tolist()
    assert priorities(["5"]).tolist() != priorities([5]).tolist()
    assert priorities(["x"]).tolist() == priorities([b"x"]).tolist()
    assert priorities([2**64 - 1, "x", 5])[2] == priorities([5])[0]
    assert len(set(priorities(range(10_000)).tolist())) == 10_000


def test_priorities_are_spread_evenly() -> None:
    shares = priorities(range(100_000)) / 2.0**64
    assert np.histogram(shares, 10, (0, 1))[0] == pytest.approx(10_000, rel=0.05)


@pytest.mark.parametrize(
    "fields",
    [
        [1, 100, None, [1], []],
        [1, 100, None, [1, 2], [b"a", b"b"]],
        [2, 100, None, [2, 1], [b"a", b"b"]],
        [2, 100, None, [1, 1], [b"b", b"a"]],
        [2, 1, None, [1, 2], [b"a", b"b"]],
        [-1, 1, None, [], []],
        [1, 1, -1, [], []],
        [1, 1, None, [-1], [b""]],
    ],
    ids=str,
)
def test_what_cannot_be_is_not_read(fields: list) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(fields, Sample)
