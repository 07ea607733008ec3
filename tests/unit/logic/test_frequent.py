"""The most frequent values within their bounds, and how many different ones there are."""

from __future__ import annotations

from collections import Counter

import msgspec
import numpy as np
import pytest

from siftmesh.logic.frequent import HASHES, LISTED, NOTHING, Frequent, token
from siftmesh.logic.histogram import Range
from siftmesh.model.values import Timestamp, Value


def frequent(values: list[Value]) -> Frequent:
    counted = Counter(values)
    return Frequent.of([*counted], np.array([*counted.values()], dtype=np.int64))


def test_few_values_are_counted_exactly() -> None:
    few = frequent(["a", "b", "a", Timestamp(5), 2.5])
    assert (few.total, few.missed, few.distinct) == (5, 0, 4)
    assert few.values[0] == ("a", Range(2, 2, 2))
    assert {value for value, _ in few.values} == {"a", "b", Timestamp(5), 2.5}
    assert few.often(token("b")) == Range(1, 1, 1)
    assert few.often(token("c")) == Range(0, 0, 0)


def test_what_is_not_counted_is_not_there() -> None:
    assert Frequent.of(["a", "b"], np.array([0, 1])) == frequent(["b"])
    assert Frequent.of([], np.array([], dtype=np.int64)) == NOTHING
    assert NOTHING.often(token("a")) == Range(0, 0, 0)
    assert NOTHING.distinct == 0


def zipf(seed: int, size: int) -> list[int]:
    return np.random.default_rng(seed).zipf(1.2, size).clip(max=50_000).tolist()


def test_no_count_is_off_by_more_than_was_missed() -> None:
    values = zipf(1, 30_000)
    parts = [frequent(values[at : at + 3_000]) for at in range(0, 30_000, 3_000)]
    left = NOTHING
    for part in parts:
        left = left.merge(part)
    halves = [parts[0].merge(parts[3]).merge(parts[9]), parts[1].merge(parts[2].merge(parts[4]))]
    other = halves[0].merge(halves[1].merge(parts[5])).merge(parts[6].merge(parts[7]).merge(parts[8]))
    counted = Counter(values)
    assert len(counted) > 3 * LISTED
    for found in (frequent(values), left, other):
        assert found.total == 30_000
        assert len(found.counts) <= LISTED
        assert 0 < found.missed <= 30_000 / (LISTED + 1)
        for value in range(1, 2_000):
            often = found.often(token(value))
            assert often.least <= counted[value] <= often.most
            assert often.least <= often.likely <= often.most
        assert [value for value, _ in found.values][:5] == [value for value, _ in counted.most_common(5)]
    assert left.hashes == other.hashes == frequent(values).hashes


def test_the_number_of_different_values_is_about_right() -> None:
    assert frequent(list(range(HASHES - 1))).distinct == HASHES - 1
    assert frequent(list(range(20_000))).distinct == pytest.approx(20_000, rel=0.2)
    twice = frequent(list(range(9_000))).merge(frequent(list(range(3_000, 12_000))))
    assert twice.distinct == pytest.approx(12_000, rel=0.2)


def test_a_rare_value_is_thought_to_be_as_frequent_as_other_rare_ones() -> None:
    found = frequent(list(range(10_000)) * 2 + ["much"] * 5_000)
    assert found.often(token(77)).likely == pytest.approx(2, rel=0.2)
    assert found.often(token("much")).likely == pytest.approx(5_000, rel=0.01)


def test_a_long_value_is_listed_by_its_digest() -> None:
    long = "x" * 100_000
    found = frequent([long, long, "y"])
    assert max(len(one) for one, _ in found.counts) < 20
    assert found.often(token(long)) == Range(2, 2, 2)
    assert found.often(token(long + "x")) == Range(0, 0, 0)
    assert found.values == [("y", Range(1, 1, 1))]


@pytest.mark.parametrize(
    "fields",
    [
        [3, 0, [[b"a", 1], [b"b", 2]], []],
        [3, 0, [[b"b", 1], [b"a", 1]], []],
        [3, 0, [[b"a", 1], [b"a", 1]], []],
        [3, 0, [[b"a", 0]], []],
        [3, 0, [[b"a", 4]], []],
        [3, 3, [[b"a", 1]], []],
        [3, 0, [], [2, 1]],
        [3, 0, [], [1, 1]],
        [3, 0, [], [2**64]],
        [3, 0, [], [-1]],
        [-1, 0, [], []],
        [999, 0, [[b"%03d" % number, 1] for number in range(LISTED + 1)], []],
        [999, 0, [], list(range(HASHES + 1))],
    ],
    ids=lambda fields: str(fields)[:40],
)
def test_what_cannot_be_is_not_read(fields: list) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(fields, Frequent)
