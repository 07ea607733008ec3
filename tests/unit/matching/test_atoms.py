"""Atoms in words: what rows wait for, whatever sort of fact it is."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.filters import FilterReader
from siftmesh.kernels.compound import take_pair, take_range
from siftmesh.kernels.layout import ALWAYS, FIRST_ATOM, H_ATOM_COUNT, H_ATOM_LIVE, NO_LEVEL
from siftmesh.logic.evaluate import holds
from siftmesh.matching.atoms import describe, number_of
from siftmesh.matching.clusters import ClusterIndex
from siftmesh.matching.pools import Pools
from siftmesh.model.event import Event
from tests.unit.matching.test_clusters import add

READER = FilterReader()
NO_TEXT = np.zeros(8, np.uint8)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a = 1", "a = 1"),
        ("a = 'it''s'", "a = 'it''s'"),
        ("a = TRUE", "a = TRUE"),
        ("a = 0.5", "a = 0.5"),
        ("a = 9007199254740993", "a = 9007199254740993"),
        ("a LIKE 'x%'", "a LIKE 'x%'"),
        ("a LIKE '%x'", "a LIKE '%x'"),
        ("a LIKE '%xyz%'", "a LIKE '%xyz%'"),
        ("a < 1", "a IS NOT NULL"),
        ("tags CONTAINS 'x'", "tags = 'x'"),
        ("a IS NULL", "every event"),
        ('"a b" = 1', '"a b" = 1'),
    ],
)
def test_what_rows_wait_for_in_words(text: str, told: str) -> None:
    index = ClusterIndex()
    add(index, 0, READER.read(text))
    words = index.pools.words
    atom = ALWAYS
    if told != "every event":
        (atom,) = [n for n in range(ALWAYS + 1, 20) if words[H_ATOM_LIVE] and waits(index, n)]
    assert describe(index.pools, atom) == told


def waits(index: ClusterIndex, atom: int) -> bool:
    return index._chunks(0)[0] and int(index.pools.words[index._chunks(0)[0] + 6]) == atom


def in_blocks(pools: Pools, name: str, low: int, high: int) -> list[int]:
    """The atoms of the blocks of a range of keys."""
    pools.reserve_atoms(4)
    pools.reserve(100, 100, 0)
    slot = pools.slot(name)
    made = np.zeros(2, np.int64)
    count = take_range(pools.words, pools.longs, pools.heap, NO_TEXT, slot, low, high, made, 0)
    return [int(atom) for atom in made[:count]]


NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**6), 10**6).map(float)


@given(NUMBERS, NUMBERS, st.lists(NUMBERS, max_size=5))
def test_blocks_of_a_range_are_told_as_the_numbers_in_them(
    one: float, other: float, more: list[float]
) -> None:
    low, high = sorted((one, other))
    pools = Pools()
    ends = [key(low), key(high)]
    told = [READER.read(describe(pools, atom)) for atom in in_blocks(pools, "a", *ends)]
    assert 1 <= len(told) <= 2
    for value in (low, high, *(value for value in more if low <= value <= high)):
        assert any(holds(tree, Event({"a": value})) for tree in told)


def key(number: float) -> int:
    found = int(np.float64(number).view(np.int64))
    return 0 if number == 0 else found if found >= 0 else found ^ 0x7FFFFFFFFFFFFFFF


def test_a_key_is_told_as_its_number() -> None:
    for number in (0.0, 1.5, -1.5, 3.0, 1e300, -1e300, 2.0**63, math.nextafter(0, 1)):
        assert number_of(key(number)) == number


def test_blocks_of_moments_are_told_as_moments() -> None:
    pools = Pools()
    pools.be_of_times("w")
    (atom, *_) = in_blocks(pools, "w", 1_577_880_000_000_000, 1_577_880_000_000_000)
    assert describe(pools, atom) == (
        "w >= TIMESTAMP '2020-01-01T12:00:00Z' AND w <= TIMESTAMP '2020-01-01T12:00:00.000001Z'"
    )


def test_a_pair_is_told_as_both_facts() -> None:
    index = ClusterIndex()
    add(index, 0, READER.read("a = 'x'"))
    add(index, 1, READER.read("b = 2"))
    pools = index.pools
    first, second = sorted(
        range(FIRST_ATOM, int(pools.words[H_ATOM_COUNT])), key=lambda n: describe(pools, n)
    )
    pools.reserve_atoms(4)
    pools.reserve(1_000, 100, 0)
    slots = pools.slot("a"), pools.slot("b")
    pair = take_pair(
        pools.words, pools.longs, pools.heap, NO_TEXT, slots[0], first, slots[1], NO_LEVEL, second
    )
    assert describe(pools, int(pair)) == "a = 'x' AND b = 2"


def test_numbers_on_an_attribute_that_has_moments_too_are_told_as_numbers() -> None:
    pools = Pools()
    pools.be_of_times("w")
    for low, high in ((10.0, 11.0), (-5.0, 1e300), (-1e300, 1e300)):
        for atom in in_blocks(pools, "w", key(low), key(high)):
            assert "TIMESTAMP" not in describe(pools, atom)


def test_blocks_of_moments_end_with_the_calendar() -> None:
    pools = Pools()
    pools.be_of_times("w")
    last = 253_402_300_799_999_999
    for low, high in ((last - 10**16, last), (-62_135_596_800_000_000, -62_000_000_000_000_000)):
        for atom in in_blocks(pools, "w", low, high):
            assert READER.read(describe(pools, atom))
