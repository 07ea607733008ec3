"""Keys have the order of the values that they stand for."""

from __future__ import annotations

import math

import pytest

from siftmesh.logic.keys import has_own_key, key_of, keys_of, number_of
from siftmesh.model.values import Kind

NUMBERS = [-math.inf, -1e300, -2, -1.5, -5e-324, 0, 5e-324, 0.5, 1, 2**53 - 1, 2**62, math.inf]
STRINGS = ["", "\0", "a", "ab", "abcdefg", "abcdefgh", "b", "é", "\ud7ff", "\ue000", "\U0010ffff"]


def test_keys_of_numbers_are_in_order() -> None:
    keys = keys_of(Kind.NUMBER, NUMBERS).tolist()
    assert keys == sorted(set(keys))
    assert keys == [key_of(Kind.NUMBER, number) for number in NUMBERS]
    assert [number_of(key) for key in keys] == NUMBERS
    assert key_of(Kind.NUMBER, 0) == key_of(Kind.NUMBER, -0.0) == 0
    assert type(number_of(keys[8])) is int


def test_equal_numbers_have_one_key_and_large_neighbours_may_share_it() -> None:
    assert key_of(Kind.NUMBER, 3) == key_of(Kind.NUMBER, 3.0)
    assert key_of(Kind.NUMBER, 2**53) == key_of(Kind.NUMBER, 2**53 + 1)
    assert has_own_key(Kind.NUMBER, 2**53 - 1)
    assert has_own_key(Kind.NUMBER, -0.5)
    assert not has_own_key(Kind.NUMBER, 2**53)
    assert not has_own_key(Kind.NUMBER, -(2**53))
    assert not has_own_key(Kind.NUMBER, math.inf)


def test_keys_of_strings_are_those_of_their_beginnings() -> None:
    keys = keys_of(Kind.STRING, STRINGS).tolist()
    assert keys == sorted(keys)
    assert keys == [key_of(Kind.STRING, text) for text in STRINGS]
    assert key_of(Kind.STRING, "abcdefgh1") == key_of(Kind.STRING, "abcdefgh2")
    assert not has_own_key(Kind.STRING, "a")


@pytest.mark.parametrize("micros", [-(2**63), -1, 0, 2**63 - 1])
def test_moments_are_their_own_keys(micros: int) -> None:
    assert key_of(Kind.TIMESTAMP, micros) == micros
    assert has_own_key(Kind.TIMESTAMP, micros)
