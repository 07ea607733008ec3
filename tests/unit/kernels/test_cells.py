"""Cells of values: keys in the exact order of numbers, atoms of known constants, elements of arrays."""

from __future__ import annotations

import math
import random
import struct
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels.cells import (
    clear_cells,
    double_of_key,
    fill_cells,
    is_nan,
    key_of_double,
    whole_is_double,
)
from siftmesh.kernels.layout import (
    ARRAY,
    BOOL,
    C_HIGH,
    C_LOW,
    C_SPAN,
    C_TAG,
    CELL,
    F_SCALARS,
    F_STRINGS,
    F_TIMES,
    FLOAT,
    MISSING,
    NULL,
    NUMBER,
    OPAQUE,
    STRING,
    TIMED,
    TIMESTAMP,
)
from siftmesh.model.rfc3339 import parse_rfc3339
from siftmesh.model.values import OPAQUE as SOMETHING
from siftmesh.model.values import Timestamp
from tests.effort import effort
from tests.reference.cells import ALL_FLAGS, Cells, is_double, key_of

BIG = [2**53, 2**54, 2**60, 2**62, 2**63]
FLOATS = [
    0.0,
    5e-324,
    2.2250738585072014e-308,
    1e-9,
    0.5,
    1.0,
    1.5,
    2.0**53,
    2.0**63,
    1e300,
    1.7976931348623157e308,
]
FLOATS = sorted({sign * one for one in [*FLOATS, math.inf, *map(float, BIG)] for sign in (1.0, -1.0)})
WHOLES = sorted({sign * (one + more) for one in [0, *BIG] for more in range(-3, 4) for sign in (1, -1)})
WHOLES = [one for one in WHOLES if -(2**63) <= one < 2**63] + [2**63 - more for more in (511, 512, 513)]


def bits(number: float) -> int:
    return int(struct.unpack("<q", struct.pack("<d", number))[0])


def exact(number: float) -> Fraction | float:
    return number if math.isinf(number) else Fraction(number)


def some_float(rng: random.Random) -> float:
    number = math.nan
    while math.isnan(number):
        (number,) = struct.unpack("<d", rng.randbytes(8))
    return rng.choice([number, float(rng.randrange(-(2**63), 2**63)), rng.random(), rng.choice(FLOATS)])


def test_keys_are_in_the_order_of_numbers(seed: int) -> None:
    rng = random.Random(seed)
    numbers = [*FLOATS, -0.0, *(some_float(rng) for _ in range(effort(2_000)))]
    keys = {number: int(key_of_double(bits(number))) for number in numbers}
    ordered = sorted(numbers, key=exact)
    for one, other in pairwise(ordered):
        assert (keys[one] < keys[other]) is (exact(one) < exact(other)), (one, other)
        assert (keys[one] == keys[other]) is (exact(one) == exact(other)), (one, other)


def test_keys_of_neighbours_are_neighbours(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(1_000)):
        number = abs(some_float(rng))
        if math.isfinite(number):
            assert key_of_double(bits(math.nextafter(number, math.inf))) == key_of_double(bits(number)) + 1
            assert key_of_double(bits(number)) == key_of(number)
            assert key_of_double(bits(-number)) == key_of(-number)


def test_a_key_gives_its_double_back(seed: int) -> None:
    rng = random.Random(seed)
    for number in [*FLOATS, *(some_float(rng) for _ in range(effort(1_000)))]:
        found = float(double_of_key(int(key_of_double(bits(number)))))
        # The two zeros have one key.
        assert bits(found) == bits(number + 0.0)


@pytest.mark.parametrize("number", [math.nan, -math.nan, *FLOATS, -0.0])
def test_what_is_no_number_is_known_by_its_bits(number: float) -> None:
    assert bool(is_nan(bits(number))) is math.isnan(number)


def test_every_sort_of_nan_is_known(seed: int) -> None:
    rng = random.Random(seed)
    for fraction in [1, 2**51, 2**52 - 1, *(rng.randrange(1, 2**52) for _ in range(100))]:
        for sign in (0, -(2**63)):
            assert is_nan(sign | 0x7FF << 52 | fraction)


def test_whole_numbers_that_are_doubles_are_told(seed: int) -> None:
    rng = random.Random(seed)
    for whole in [*WHOLES, *(rng.randrange(-(2**63), 2**63) for _ in range(effort(1_000)))]:
        assert bool(whole_is_double(whole)) is is_double(whole), whole


# ---- cells


def tag_of(cell: list[int]) -> int:
    return cell[C_TAG] & 255


def atom_of(cell: list[int]) -> int:
    return cell[C_TAG] >> 8


def numbers(rng: random.Random) -> list[float]:
    whole = [rng.randrange(-(2**63), 2**63) for _ in range(effort(200))]
    return [*WHOLES, *FLOATS, *whole, *(some_float(rng) for _ in range(effort(200)))]


def test_a_number_lies_between_its_keys(seed: int) -> None:
    rng = random.Random(seed)
    cells = Cells("n")
    every = numbers(rng)
    constants = [number for number in every if isinstance(number, float)]
    for number in every:
        cells.put({"n": number})
        cell = cells.cell("n")
        assert tag_of(cell) == NUMBER
        single = cell[C_LOW] == cell[C_HIGH]
        assert single is is_double(number)
        near = [math.nextafter(float(number), towards) for towards in (math.inf, -math.inf)]
        for constant in [float(number), *near, *rng.sample(constants, 20)]:
            key = key_of(constant)
            # How leaves ask, see `leaves`.
            assert (cell[C_LOW] < key) is (exact(number) < exact(constant)), (number, constant)
            assert (cell[C_LOW] >= key) is (exact(number) >= exact(constant)), (number, constant)
            assert (cell[C_HIGH] <= key) is (exact(number) <= exact(constant)), (number, constant)
            assert (cell[C_HIGH] > key) is (exact(number) > exact(constant)), (number, constant)


def test_equal_numbers_have_one_atom_and_others_another(seed: int) -> None:
    rng = random.Random(seed)
    cells = Cells("n")
    every = numbers(rng)
    known: dict[Any, int] = {}
    for number in every[::2]:
        known[number] = cells.constant("n", number)
    assert len(set(known.values())) == len(known)
    for number in every:
        cells.put({"n": number})
        # Python compares numbers exactly, whatever their types.
        assert atom_of(cells.cell("n")) == known.get(number, 0), number
    for zero in (0, 0.0, -0.0):
        cells.put({"n": zero})
        assert atom_of(cells.cell("n")) == known.get(0, 0)


def test_each_kind_of_value_has_its_tag_and_its_atom() -> None:
    values = [
        None,
        True,
        False,
        0,
        1,
        1.5,
        "",
        "text",
        "1",
        "true",
        Timestamp(0),
        Timestamp(1),
        SOMETHING,
        (1, 2),
    ]
    tags = [NULL, BOOL, BOOL, NUMBER, NUMBER, NUMBER, *[STRING] * 4, TIMESTAMP, TIMESTAMP, OPAQUE, ARRAY]
    cells = Cells("a", "b")
    known = [value for value in values if not isinstance(value, tuple) and value not in (None, SOMETHING)]
    atoms = {repr(value): cells.constant("a", value) for value in known}
    assert len(set(atoms.values())) == len(known)
    for value, tag in zip(values, tags, strict=True):
        cells.put({"a": value, "b": value})
        assert (tag_of(cells.cell("a")), atom_of(cells.cell("a"))) == (tag, atoms.get(repr(value), 0))
        # Of the other attribute nobody knows a constant.
        assert (tag_of(cells.cell("b")), atom_of(cells.cell("b"))) == (tag, 0)
        if isinstance(value, (bool, Timestamp)):
            raw = value.micros if isinstance(value, Timestamp) else int(value)
            assert cells.cell("a")[C_LOW] == cells.cell("a")[C_HIGH] == raw


def test_what_nobody_has_constants_of_is_not_looked_up() -> None:
    cells = Cells("a", flags=F_SCALARS)
    atoms = [cells.constant("a", value) for value in (1, "x", True)]
    for value, atom in zip((1, "x", True), (atoms[0], 0, atoms[2]), strict=True):
        cells.put({"a": value})
        assert atom_of(cells.cell("a")) == atom
    cells = Cells("a", flags=F_STRINGS)
    atoms = [cells.constant("a", value) for value in (1, "x", True)]
    for value, atom in zip((1, "x", True), (0, atoms[1], 0), strict=True):
        cells.put({"a": value})
        assert atom_of(cells.cell("a")) == atom


@pytest.mark.parametrize("text", ["", "a", "é漢😀", "x" * 70_000, "2026-11-18T10:00:00Z"])
def test_a_string_says_where_its_bytes_are(text: str) -> None:
    cells = Cells("a", "b")
    cells.put({"b": "before", "a": text})
    span = cells.cell("a")[C_SPAN]
    assert cells.text[span >> 32 : (span >> 32) + (span & 0xFFFFFFFF)].tobytes().decode() == text


MOMENTS = ["2026-11-18T10:00:00Z", "0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999-00:00"]


@pytest.mark.parametrize("text", [*MOMENTS, "2026-11-18", "2026-11-18T10:00:60Z", "text", ""])
def test_a_string_is_a_moment_where_somebody_asks_for_moments(text: str) -> None:
    moment = parse_rfc3339(text)
    cells = Cells("a")
    atom = cells.constant("a", text)
    cells.put({"a": text})
    cell = cells.cell("a")
    assert (tag_of(cell), atom_of(cell)) == (TIMED if moment else STRING, atom)
    if moment:
        assert cell[C_LOW] == cell[C_HIGH] == moment.micros
    cells = Cells("a", flags=ALL_FLAGS & ~F_TIMES)
    cells.put({"a": text})
    assert tag_of(cells.cell("a")) == STRING


def test_elements_of_arrays_have_cells_of_their_own() -> None:
    cells = Cells("a", "b", "c")
    known = {name: cells.constant(name, "x") for name in "abc"}
    values = {"a": ("x", 1, None, "y"), "b": (), "c": (2**53 + 1, "x", Timestamp(5), True, MOMENTS[0])}
    cells.put(values)
    seen: list[int] = []
    for name, expected in values.items():
        cell = cells.cell(name)
        assert cell[C_TAG] == ARRAY
        first, count = cell[C_SPAN] >> 32, cell[C_SPAN] & 0xFFFFFFFF
        assert count == len(expected)
        seen += range(first, first + count)
        found = [cells.at(number) for number in range(first, first + count)]
        assert [tag_of(one) for one in found] == {
            "a": [STRING, NUMBER, NULL, STRING],
            "b": [],
            "c": [NUMBER, STRING, TIMESTAMP, BOOL, TIMED],
        }[name]
        assert [atom_of(one) for one in found] == [known[name] if value == "x" else 0 for value in expected]
    # No two share a cell, and none is that of an attribute.
    assert len(set(seen)) == len(seen) == 9
    assert min(seen) >= 3


def test_what_is_no_number_is_null() -> None:
    cells = Cells("a")
    frame = np.array([FLOAT << 32, bits(math.nan)], np.int64)
    pools = cells.pools
    fill_cells(pools.words, pools.longs, pools.heap, frame, 0, 1, cells.text, cells.cells)
    assert cells.cell("a")[C_TAG] == NULL


def test_cleared_cells_are_missing() -> None:
    cells = Cells("a", "b", "c")
    cells.put({"a": 1, "c": (1, 2)})
    assert [tag_of(cells.cell(name)) for name in "abc"] == [NUMBER, MISSING, ARRAY]
    clear_cells(cells.frame, 0, cells.count, cells.cells)
    assert [cells.cell(name)[C_TAG] for name in "abc"] == [MISSING] * 3
    cells.put({"b": "x"})
    assert [tag_of(cells.cell(name)) for name in "abc"] == [MISSING, STRING, MISSING]


def test_part_of_a_frame_can_be_filled() -> None:
    # Frames of many events hold their values one event after the other.
    cells = Cells("a", "b", "c")
    frame = np.array([0 | NULL << 32, 0, 1 | NULL << 32, 0, 2 | NULL << 32, 0], np.int64)
    pools = cells.pools
    fill_cells(pools.words, pools.longs, pools.heap, frame, 1, 2, cells.text, cells.cells)
    assert cells.cells[C_TAG::CELL].tolist()[:3] == [MISSING, NULL, MISSING]
