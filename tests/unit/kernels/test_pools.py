"""Blocks of the pools: none overlaps another, what comes back is used again, none is much too long."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pytest

from siftmesh.kernels.layout import CLASSES, H_HEAP, H_LONGS, H_WORDS, HEADER
from siftmesh.kernels.pools import (
    free_bytes,
    free_longs,
    free_words,
    room_of_class,
    size_class,
    take_bytes,
    take_longs,
    take_words,
)
from tests.effort import effort

ROOM = 400_000


class Pool(NamedTuple):
    """One of the three pools: its array, how much of it is in use, how blocks are taken and given back."""

    array: Any
    used: Callable[[], int]
    take: Callable[[int], int]
    free: Callable[[int, int], None]


def header() -> Any:
    words = np.zeros(HEADER, np.int32)
    words[[H_WORDS, H_LONGS, H_HEAP]] = HEADER, 1, 1
    return words


def pool_of(kind: str) -> Pool:
    words = header()
    if kind == "words":
        array = np.concatenate([words, np.zeros(ROOM, np.int32)])
        return Pool(
            array,
            lambda: int(array[H_WORDS]),
            lambda size: int(take_words(array, size)),
            lambda at, size: free_words(array, at, size),
        )
    if kind == "longs":
        longs = np.zeros(ROOM, np.int64)
        return Pool(
            longs,
            lambda: int(words[H_LONGS]),
            lambda size: int(take_longs(words, longs, size)),
            lambda at, size: free_longs(words, longs, at, size),
        )
    heap = np.zeros(ROOM, np.uint8)
    return Pool(
        heap,
        lambda: 8 * int(words[H_HEAP]),
        lambda size: int(take_bytes(words, heap, size)),
        lambda at, size: free_bytes(words, heap, at, size),
    )


def test_each_size_has_the_smallest_class_that_holds_it() -> None:
    rooms = [int(room_of_class(number)) for number in range(CLASSES - 8)]
    assert rooms == sorted(set(rooms))
    assert rooms[-1] >= 2**31 - 1
    for size in [*range(1, 5_000), *(2**power + more for power in range(12, 31) for more in (-1, 0, 1))]:
        number = int(size_class(size))
        assert rooms[number] >= size
        assert number == 0 or rooms[number - 1] < size
        assert rooms[number] <= 1.25 * size


@pytest.mark.parametrize("kind", ["words", "longs", "bytes"])
def test_blocks_do_not_overlap(kind: str, seed: int) -> None:
    rng = random.Random(seed)
    pool = pool_of(kind)
    # Seven bytes behind a string are read along with its last ones.
    more = 7 if kind == "bytes" else 0
    owner = np.zeros(len(pool.array), np.int32)
    owner[: HEADER if kind == "words" else 1] = -1
    live: list[tuple[int, int, int]] = []
    for step in range(1, effort(3_000)):
        if live and rng.random() < 0.5:
            at, size, mark = live.pop(rng.randrange(len(live)))
            assert (owner[at : at + size + more] == mark).all()
            assert (pool.array[at : at + size] == mark % 251).all()
            owner[at : at + size + more] = 0
            pool.free(at, size)
            continue
        size = rng.choice(
            [1, 2, 3, rng.randrange(1, 40), rng.randrange(1, 9_000) if rng.random() < 0.05 else 9]
        )
        at = pool.take(size)
        assert at > 0
        assert at + size + more <= pool.used() <= len(pool.array)
        assert not owner[at : at + size + more].any()
        owner[at : at + size + more] = step
        pool.array[at : at + size] = step % 251
        live.append((at, size, step))
    for at, size, mark in live:
        assert (owner[at : at + size + more] == mark).all()
        assert (pool.array[at : at + size] == mark % 251).all()


@pytest.mark.parametrize("kind", ["words", "longs", "bytes"])
def test_what_comes_back_is_used_again(kind: str, seed: int) -> None:
    rng = random.Random(seed)
    pool = pool_of(kind)
    sizes = [rng.randrange(1, 60) for _ in range(200)]
    used = []
    for _ in range(10):
        blocks = [(pool.take(size), size) for size in sizes]
        used.append(pool.used())
        rng.shuffle(blocks)
        for at, size in blocks:
            pool.free(at, size)
    assert used[-1] == used[0]


@pytest.mark.parametrize("kind", ["words", "longs"])
def test_a_table_that_has_grown_leaves_room_for_small_blocks(kind: str) -> None:
    pool = pool_of(kind)
    big = pool.take(1 << 14)
    before = pool.used()
    pool.free(big, 1 << 14)
    blocks = [pool.take(16) for _ in range(1 << 10)]
    assert pool.used() == before
    assert len(set(blocks)) == len(blocks)
    assert {at // 16 for at in blocks} <= {at // 16 for at in range(big, big + (1 << 14))}
    assert pool.take(16) >= before


def test_an_empty_string_has_a_place_too() -> None:
    pool = pool_of("bytes")
    first, second = pool.take(0), pool.take(0)
    assert 0 < first < second
    assert second % 8 == 0
