"""LIKE over bytes, against a matcher that tries everything and against patterns over characters."""

from __future__ import annotations

import random
from functools import cache
from typing import Any

import pytest

from siftmesh.kernels.layout import MANY, NO, ONE, UNSURE, YES
from siftmesh.kernels.likes import compare_bytes, fits, fits_folded
from siftmesh.model.pattern import compile_pattern
from tests.effort import effort
from tests.reference.arrays import amid_noise

# Few letters, so that patterns nearly fit; of one, two, three and four bytes, and with bytes in common.
LETTERS = "aab" + "éèb" + "漢字" + "😀😁"
ASCII = "aabBAZz"


def packed(pattern: str) -> bytes:
    """A pattern of letters, % and _ as kernels read it."""
    return b"".join({"%": bytes([MANY]), "_": bytes([ONE])}.get(one, one.encode()) for one in pattern)


def by_trying(pattern: str, text: str) -> bool:
    @cache
    def rest(place: int, at: int) -> bool:
        if place == len(pattern):
            return at == len(text)
        if pattern[place] == "%":
            return rest(place + 1, at) or (at < len(text) and rest(place, at + 1))
        return at < len(text) and pattern[place] in ("_", text[at]) and rest(place + 1, at + 1)

    return rest(0, 0)


def asked(kernel: Any, pattern: bytes, text: bytes, rng: random.Random) -> int:
    """What a kernel says of a pattern and a text that stand amid other bytes."""
    before = rng.randrange(12)
    heap = amid_noise(rng.randbytes(before) + pattern, rng)
    array = amid_noise(rng.randbytes(before) + text, rng)
    return int(kernel(array, before, len(text), heap, before, len(pattern)))


def some(rng: random.Random, letters: str, most: int) -> str:
    return "".join(rng.choices(letters, k=rng.randrange(most)))


def related(rng: random.Random, letters: str) -> tuple[str, str]:
    """A pattern, and a text that fits it or nearly does."""
    pattern = some(rng, letters + "%%%__", 9)
    text = "".join(
        some(rng, letters, 4) if one == "%" else rng.choice(letters) if one == "_" else one for one in pattern
    )
    if rng.random() < 0.4 and text:
        at = rng.randrange(len(text))
        text = text[:at] + rng.choice(["", rng.choice(letters)]) + text[at + 1 :]
    return pattern, text


def test_patterns_fit_what_trying_everything_finds(seed: int) -> None:
    rng = random.Random(seed)
    found = 0
    for number in range(effort(6_000)):
        pattern, text = related(rng, LETTERS) if number % 2 else (some(rng, "ab%_", 7), some(rng, "ab", 9))
        expected = by_trying(pattern, text)
        assert asked(fits, packed(pattern), text.encode(), rng) == (YES if expected else NO), (pattern, text)
        assert compile_pattern(pattern).matches(text) is expected
        found += expected
    assert found > effort(6_000) // 4


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        ("", "", True),
        ("", "a", False),
        ("%", "", True),
        ("_", "", False),
        ("_", "😀", True),
        ("__", "😀", False),
        ("%_", "é", True),
        ("_%", "", False),
        ("%a%a%", "a", False),
        ("%aab", "aaab", True),
        ("a%b%c", "a" * 50 + "b" * 50, False),
        ("%" + "a" * 20 + "b", "a" * 300, False),
        ("é", "è", False),  # the same first byte
        ("%é", "aé", True),
        ("%é%é", "éé", True),
    ],
)
def test_corners(pattern: str, text: str, expected: bool, seed: int) -> None:
    assert by_trying(pattern, text) is expected
    assert asked(fits, packed(pattern), text.encode(), random.Random(seed)) == (YES if expected else NO)


def test_a_pattern_that_nearly_fits_everywhere_takes_no_time() -> None:
    # To try everything would take longer than the sun will shine.
    rng = random.Random(0)
    pattern = "%" + "a%" * 30 + "b"
    assert asked(fits, packed(pattern), b"a" * effort(20_000, soak=20_000), rng) == NO


def folded(pattern: str, text: str) -> int:
    if not text.isascii():
        return UNSURE
    return YES if compile_pattern(pattern, True).matches(text, True) else NO


def test_without_case_only_ascii_is_decided(seed: int) -> None:
    rng = random.Random(seed)
    found = set()
    for number in range(effort(4_000)):
        pattern, text = related(rng, ASCII if number % 8 else ASCII + "éK")
        # Predicates hold patterns that are case-folded.
        pattern = pattern.casefold()
        expected = folded(pattern, text)
        assert asked(fits_folded, packed(pattern), text.encode(), rng) == expected, (pattern, text)
        found.add(expected)
    assert found == {YES, NO, UNSURE}


def test_a_letter_that_only_looks_like_ascii_is_not_decided(seed: int) -> None:
    # The Kelvin sign is a k when case is ignored.
    assert asked(fits_folded, b"k", "\N{KELVIN SIGN}".encode(), random.Random(seed)) == UNSURE


def test_signs_between_the_letters_are_not_folded(seed: int) -> None:
    rng = random.Random(seed)
    for code in range(128):
        for wanted in range(128):
            expected = YES if chr(code).lower() == chr(wanted) else NO
            if chr(wanted).lower() == chr(wanted):
                assert asked(fits_folded, bytes([wanted]), bytes([code]), rng) == expected, (code, wanted)


def test_bytes_that_are_no_text_do_no_harm(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(3_000)):
        pattern = bytes(rng.choices(b"ab\xe2\xf0\xc3" + bytes([MANY, ONE]), k=rng.randrange(8)))
        text = bytes(rng.choices(b"ab\xe2\xf0\xc3\xff\x80", k=rng.randrange(8)))
        # What stands around differs each time.
        answers = {asked(fits, pattern, text, rng) for _ in range(3)}
        assert answers in ({YES}, {NO})


def test_bytes_are_in_the_order_of_characters(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(3_000)):
        one = some(rng, "abé漢\uffff😀\x00\x7f", 5)
        other = one[: rng.randrange(6)] + some(rng, "abé漢\uffff😀\x00\x7f", 4)
        left, right = one.encode(), other.encode()
        at, there = rng.randrange(9), rng.randrange(9)
        first = amid_noise(rng.randbytes(at) + left, rng)
        second = amid_noise(rng.randbytes(there) + right, rng)
        order = int(compare_bytes(first, at, len(left), second, there, len(right)))
        assert (order > 0) - (order < 0) == (one > other) - (one < other), (one, other)
