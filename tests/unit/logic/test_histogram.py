"""Counts below a value: exact while values are few, and never further off than is said."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from siftmesh.logic.histogram import BUCKETS, NO_VALUES, Histogram, Range


def histogram(keys: list[int]) -> Histogram:
    distinct, counts = np.unique(np.array(keys, dtype=np.int64), return_counts=True)
    return Histogram.of(distinct, counts)


def exactly(count: float) -> Range:
    return Range(count, count, count)


def test_of_few_values_everything_is_known() -> None:
    few = histogram([5, -3, 5, 100, 5])
    assert (few.shift, few.total, few.low, few.high, few.error) == (0, 5, -3, 100, 0)
    assert [few.below(key) for key in (-4, -3, -2, 5, 6, 101)] == [
        exactly(count) for count in (0, 0, 1, 1, 4, 5)
    ]
    assert few.below(5, inclusive=True) == exactly(4)
    assert [few.at(key) for key in (5, 6, 100)] == [exactly(3), exactly(0), exactly(1)]


def test_what_shares_its_key_is_not_known() -> None:
    few = histogram([5, 7, 7])
    assert few.below(7, exact=False) == Range(1, 1, 3)
    assert few.below(7, inclusive=True, exact=False) == Range(1, 3, 3)
    assert few.at(7, exact=False) == Range(0, 2, 2)


def test_of_many_values_each_answer_is_off_by_a_bucket_at_most() -> None:
    keys = list(range(10_000))
    many = histogram(keys)
    assert 0 < len(many.buckets) <= BUCKETS
    assert many.shift == 5
    assert many.error == 32 / 10_000
    for key in (0, 1, 31, 32, 4_999, 9_999):
        found = many.below(key)
        assert found.least <= key <= found.most
        assert found.width <= 32
        assert found.likely == pytest.approx(key, abs=1e-6)
        assert many.below(key, inclusive=True).likely == pytest.approx(key + 1, abs=1e-6)
    assert many.below(-1) == exactly(0)
    assert many.below(10_000) == exactly(10_000)
    assert many.at(77) == Range(0, 32, 32)
    assert many.at(10_001) == exactly(0)


def test_the_width_of_buckets_is_the_least_that_is_enough() -> None:
    assert histogram(list(range(BUCKETS))).shift == 0
    assert histogram(list(range(BUCKETS + 1))).shift == 1
    spread = histogram([2**40 * number for number in range(BUCKETS)] + [3])
    assert spread.shift == 2
    assert len(spread.buckets) == BUCKETS
    assert histogram([-(2**63), *range(600), 2**63 - 1]).shift == 1


def test_nothing_was_seen() -> None:
    assert NO_VALUES.total == 0
    assert NO_VALUES.error == 0
    assert NO_VALUES.below(3) == NO_VALUES.at(3) == exactly(0)
    assert histogram([]) == NO_VALUES
    assert Histogram.of(np.array([4]), np.array([0])) == NO_VALUES
    assert NO_VALUES.merge(histogram([4])) == histogram([4]) == histogram([4]).merge(NO_VALUES)


def test_merging_gives_the_histogram_of_all() -> None:
    generator = np.random.default_rng(1)
    parts = [(generator.normal(0, 10**scale, 400)).astype(np.int64).tolist() for scale in (1, 3, 6, 9)]
    whole = histogram([key for part in parts for key in part])
    one, two, three, four = map(histogram, parts)
    assert one.merge(two).merge(three).merge(four) == whole == four.merge(two).merge(three.merge(one))


@pytest.mark.parametrize(
    "fields",
    [
        [0, [1], [], 1, 1],
        [0, [2, 1], [1, 1], 2, 1],
        [0, [1, 1], [1, 1], 1, 1],
        [0, [1], [0], 1, 1],
        [0, [1], [-1], 1, 1],
        [0, [1], [1], 0, 1],
        [1, [1], [1], 2, 4],
        [2, [0], [1], 3, 2],
        [64, [0], [1], 0, 0],
        [0, [2**64], [1], 2**64, 2**64],
        [0, list(range(513)), [1] * 513, 0, 512],
    ],
    ids=str,
)
def test_what_cannot_be_is_not_read(fields: list) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(fields, Histogram)


def test_ranges() -> None:
    assert Range(1, 2, 4).rest(10) == Range(6, 8, 9)
    assert Range(1, 2, 4).within(0, 1) == exactly(1)
    assert Range(1, 2, 4) + Range(1, 1, 1) == Range(2, 3, 5)
    assert Range(5, 6, 8).without(Range(1, 2, 6)) == Range(0, 4, 7)
    assert Range(1, 2, 4).divided(4) == Range(0.25, 0.5, 1)
    assert Range(1, 2, 4).loosened() == Range(0, 2, 4)
    assert Range(1, 2, 4).width == 3
