"""Machine code and its slow twins do the same, at the ends of the words too."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest
from numba.core import config

from siftmesh.kernels import bitmap_words
from siftmesh.kernels.bitmap_layout import BLOCK_WORDS, EARLY, ON
from tests.reference.bound_terms import HIGHEST, LOWEST

rng = np.random.default_rng(5)
WORDS = [
    0,
    1,
    2,
    3,
    5 << 40,
    -1,
    -2,
    LOWEST,
    LOWEST + 1,
    HIGHEST,
    HIGHEST - 1,
    *rng.integers(LOWEST, HIGHEST, 50),
]


def both(name: str) -> list[Any]:
    """What kernels call, callable from here, and the twin that they call when nothing is compiled."""
    chosen = getattr(bitmap_words, name)
    slow = getattr(bitmap_words, f"_{name}_slowly")
    arguments = slow.__code__.co_varnames[: slow.__code__.co_argcount]
    scope: dict[str, Any] = {"chosen": chosen}
    exec(f"def call({', '.join(arguments)}): return chosen({', '.join(arguments)})", scope)
    compiled = numba.njit(scope["call"])
    return [pytest.param(slow, id="slow"), pytest.param(compiled, id="compiled")]


def bits_of(word: int) -> str:
    return f"{int(word) & (1 << 64) - 1:064b}"


@pytest.mark.parametrize("trailing", both("trailing"))
def test_zeros_below_the_lowest_one(trailing: Any) -> None:
    for word in WORDS:
        assert trailing(np.int64(word)) == (
            len(bits_of(word)) - bits_of(word).rindex("1") - 1 if word else 64
        )


@pytest.mark.parametrize("without_lowest", both("without_lowest"))
def test_the_lowest_one_cleared(without_lowest: Any) -> None:
    for word in WORDS:
        head, one, tail = bits_of(word).rpartition("1")
        assert bits_of(without_lowest(np.int64(word))) == head + "0" * len(one) + tail


@pytest.mark.parametrize("population", both("population"))
def test_the_number_of_ones(population: Any) -> None:
    for word in WORDS:
        assert population(np.int64(word)) == bits_of(word).count("1")


@pytest.mark.parametrize("word_at", both("word_at"))
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_a_number_from_a_place(word_at: Any, kind: Any) -> None:
    array = np.array([3, -1, np.iinfo(kind).min, np.iinfo(kind).max], kind)
    assert [word_at(array, place) for place in range(4)] == array.tolist()
    # It is a word of 64 bits, so that it can be shifted.
    assert word_at(array, 1) << 40 == -(1 << 40)


@pytest.mark.parametrize("put", both("put"))
@pytest.mark.parametrize("kind", [np.int32, np.int64])
def test_a_number_to_a_place(put: Any, kind: Any) -> None:
    array = np.zeros(4, kind)
    for place, word in enumerate([7, -7, np.iinfo(kind).min]):
        put(array, place, np.int64(word))
    assert array.tolist() == [7, -7, np.iinfo(kind).min, 0]


@pytest.mark.parametrize("toggle", both("toggle"))
def test_one_bit_changed(toggle: Any) -> None:
    bits = np.zeros(3, np.int64)
    ids = np.array([0, 63 | ON, 64 | EARLY, 191 | ON | EARLY, 63], np.int32)
    for place in range(4):
        toggle(bits, ids, place)
    assert bits.tolist() == [LOWEST | 1, 1, LOWEST]
    toggle(bits, ids, 4)
    assert bits.tolist() == [1, 1, LOWEST]


@pytest.mark.parametrize("copy", both("copy"))
def test_copied_numbers(copy: Any) -> None:
    source = np.arange(100, dtype=np.int32)
    for at, place, count in [(0, 0, 0), (3, 5, 1), (10, 1, 90), (99, 99, 1)]:
        target = np.full(100, -1, np.int32)
        copy(target, at, source, place, count)
        wanted = [-1] * 100
        wanted[at : at + count] = range(place, place + count)
        assert target.tolist() == wanted


@pytest.mark.parametrize("fetch", both("fetch"))
def test_what_is_fetched_stays_what_it_is(fetch: Any) -> None:
    array = np.arange(10)
    fetch(array, 9)
    # Nor has the place to be one.
    fetch(array, 10**6)
    assert array.tolist() == list(range(10))


def blocks() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    target, rows, changes = rng.integers(LOWEST, HIGHEST, (3, 4 * BLOCK_WORDS))
    return target, rows, changes


@pytest.mark.parametrize("and_block", both("and_block"))
def test_a_block_with_another(and_block: Any) -> None:
    target, rows, _ = blocks()
    wanted = target.copy()
    wanted[3 : 3 + BLOCK_WORDS] &= rows[17 : 17 + BLOCK_WORDS]
    and_block(target, 3, rows, 17)
    np.testing.assert_array_equal(target, wanted)


@pytest.mark.parametrize("change_and_block", both("change_and_block"))
def test_a_block_with_a_changed_one(change_and_block: Any) -> None:
    target, rows, changes = blocks()
    wanted, left = target.copy(), changes.copy()
    wanted[8 : 8 + BLOCK_WORDS] &= rows[1 : 1 + BLOCK_WORDS] ^ changes[5 : 5 + BLOCK_WORDS]
    left[5 : 5 + BLOCK_WORDS] = 0
    change_and_block(target, 8, rows, 1, changes, 5)
    np.testing.assert_array_equal(target, wanted)
    np.testing.assert_array_equal(changes, left)


@pytest.mark.parametrize("any_of_block", both("any_of_block"))
def test_whether_a_block_has_a_one(any_of_block: Any) -> None:
    bits = np.zeros(3 * BLOCK_WORDS, np.int64)
    bits[BLOCK_WORDS + 1] = LOWEST
    assert [bool(any_of_block(bits, at)) for at in (0, 2, BLOCK_WORDS + 1, BLOCK_WORDS + 2)] == [
        False,
        True,
        True,
        False,
    ]


def test_kernels_get_the_twin_if_nothing_is_compiled() -> None:
    slow = bitmap_words.trailing is bitmap_words._trailing_slowly
    assert slow == bool(config.DISABLE_JIT)
