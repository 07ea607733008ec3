"""From bits to codes: what is set is told once, in any mixture of empty, thin and full words."""

from __future__ import annotations

import numpy as np
import pytest

from siftmesh.kernels.bitmap_emit import clear_owner, emit, places_of
from siftmesh.kernels.bitmap_layout import BLOCK, BLOCK_WORDS, H_MULTI, H_SLOTS, HEADER, SLACK


def words_of(rng: np.random.Generator, count: int) -> np.ndarray:
    """Blocks without any bit, with few, with many, with all."""
    share = rng.choice([0, 0.01, 0.1, 0.6, 1], count * 64 // BLOCK).repeat(BLOCK)
    return np.packbits(rng.random(count * 64) < share, bitorder="little").view(np.int64)


def set_bits(words: np.ndarray) -> np.ndarray:
    return np.flatnonzero(np.unpackbits(words.view(np.uint8), bitorder="little"))


@pytest.mark.parametrize("seed", range(20))
def test_numbers_of_the_bits_that_are_set(seed: int) -> None:
    rng = np.random.default_rng(seed)
    bits = words_of(rng, 6 * BLOCK_WORDS)
    first, last = sorted(rng.integers(0, 7, 2) * BLOCK_WORDS)
    wanted = [place for place in set_bits(bits).tolist() if first <= place // 64 < last]
    out = np.full(3 + len(wanted) + SLACK, -1, np.int32)
    words = np.zeros(last - first + 1, np.int64)
    words[-1] = -7
    assert places_of(bits, first, last, words, out, 3) == 3 + len(wanted)
    assert out[: 3 + len(wanted)].tolist() == [-1, -1, -1, *wanted]
    assert words[-1] == -7


def segment(
    rng: np.random.Generator, single: int, several: int
) -> tuple[np.ndarray, np.ndarray, list[list[int]]]:
    """Head and small of so many blocks of owners with one term, and with several."""
    slots, multi = (single + several) * BLOCK, single * BLOCK
    head = np.zeros(HEADER, np.int64)
    head[H_SLOTS], head[H_MULTI] = slots, multi
    small = np.zeros(3 * slots - 2 * multi + 1, np.int32)
    small[:slots] = rng.permutation(slots)
    rings = []
    left = rng.permutation(np.arange(multi, slots)).tolist()
    while left:
        ring, left = left[:3], left[3:]
        rings.append(ring)
        owner = small[ring[0]]
        for place, slot in enumerate(ring):
            # The last one of each is to be verified.
            small[slot] = owner if place < 2 else ~owner
            small[slots + slot - multi] = ring[0] - multi
            small[2 * slots - multi + slot - multi] = ring[(place + 1) % len(ring)]
    return head, small, rings


@pytest.mark.parametrize(("single", "several"), [(3, 0), (0, 2), (2, 3)])
@pytest.mark.parametrize("seed", range(5))
def test_each_owner_is_told_once(single: int, several: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    head, small, _ = segment(rng, single, several)
    bits = words_of(rng, (single + several) * BLOCK_WORDS)
    wanted = dict[int, int]()
    for slot in set_bits(bits).tolist():
        code = int(small[slot])
        wanted.setdefault(max(code, ~code), code)
    out = np.full(5 + bits.size * 64 + SLACK, -1, np.int32)
    # Of an owner with terms of both kinds that code is told that stands first.
    behind = emit(head, small, bits, rng.integers(-9, 9, bits.size), out, 5)
    assert out[5:behind].tolist() == list(wanted.values())
    assert out[:5].tolist() == [-1] * 5


def test_all_terms_of_an_owner_are_cleared_wherever_one_begins() -> None:
    rng = np.random.default_rng(1)
    head, small, rings = segment(rng, 1, 2)
    slots = 3 * BLOCK
    for ring in rings[:5]:
        for slot in ring:
            alive = np.full(slots // 64, -1, np.int64)
            assert clear_owner(head, small, alive, slot) == len(ring)
            assert sorted(set(range(slots)) - set(set_bits(alive).tolist())) == sorted(ring)
            # They are counted only if they were set.
            assert clear_owner(head, small, alive, ring[0]) == 0
    alive = np.full(slots // 64, -1, np.int64)
    assert clear_owner(head, small, alive, 63) == 1
    assert sorted(set(range(slots)) - set(set_bits(alive).tolist())) == [63]
