"""Eight bytes at once, the bits of doubles, and a mixer, against arithmetic of Python."""

from __future__ import annotations

import math
import random
import struct
from typing import Any

import numba
import numpy as np
import pytest

from siftmesh.kernels import bits
from tests.effort import effort
from tests.reference.arrays import amid_noise

MASK = 2**64 - 1


@numba.njit
def load64(array: Any, at: int) -> int:
    return bits.load64(array, at)


@numba.njit
def bits_of(value: float) -> int:
    return bits.bits_of(value)


@numba.njit
def double_of(number: int) -> float:
    return bits.double_of(number)


def signed(number: int) -> int:
    return (number & MASK) - (2**64 if number & 2**63 else 0)


def test_eight_bytes_are_read_at_any_place(seed: int) -> None:
    rng = random.Random(seed)
    data = rng.randbytes(64) + bytes(8) + b"\xff" * 8
    array = amid_noise(data, rng)
    for at in range(len(data) - 7):
        assert load64(array, at) == int.from_bytes(data[at : at + 8], "little", signed=True)


DOUBLES = [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, 5e-324, -5e-324, 2.0**63, 1.7976931348623157e308]


@pytest.mark.parametrize("value", DOUBLES)
def test_a_double_and_its_bits(value: float) -> None:
    (expected,) = struct.unpack("<q", struct.pack("<d", value))
    assert bits_of(value) == expected
    assert struct.pack("<d", double_of(expected)) == struct.pack("<d", value)


def test_random_bits_and_their_doubles(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(2_000)):
        number = signed(rng.getrandbits(64))
        value = double_of(number)
        if not math.isnan(value):  # the bits of no number may change on their way through Python
            assert bits_of(value) == number


def mixed(key: int) -> int:
    """What the kernel does, in numbers without end; its shifts carry the sign down."""
    key = signed((key ^ (key >> 32)) * -0x61C8864680B583EB)
    key = signed((key ^ (key >> 29)) * -0x3B314601E57A13AD)
    return signed(key ^ (key >> 32))


def test_mixing_agrees_with_arithmetic(seed: int) -> None:
    rng = random.Random(seed)
    keys = [0, 1, -1, 2**63 - 1, -(2**63), *(signed(rng.getrandbits(64)) for _ in range(effort(2_000)))]
    for key in keys:
        assert bits.mix(key) == mixed(key)


def test_each_bit_of_a_key_moves_the_low_bits(seed: int) -> None:
    rng = random.Random(seed)
    tries = 64
    for bit in range(64):
        changed = 0
        for _ in range(tries):
            key = signed(rng.getrandbits(64))
            changed += (mixed(key) ^ mixed(signed(key ^ (1 << bit)))) & 0xFFF != 0
        assert changed > 0.9 * tries, bit


def test_small_numbers_spread_evenly() -> None:
    # Keys of tables are mostly small or equal but for a few bits.
    for spread in (lambda n: n, lambda n: n << 40, lambda n: -n, lambda n: n << 52):
        counts = np.bincount([mixed(spread(number)) & 255 for number in range(4_096)], minlength=256)
        assert counts.max() < 48
        assert counts.min() > 0
