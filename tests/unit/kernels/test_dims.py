"""The places of an event in the dimensions of the bitmaps, from its cells and from its values."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from siftmesh.kernels.dims import DIM, HOW_ATOM, HOW_KEY, HOW_PRESENCE, fill_dims
from siftmesh.kernels.layout import BOOL, F_SCALARS, F_STRINGS, NUMBER, STRING, TIMESTAMP
from siftmesh.model.values import OPAQUE, Timestamp
from tests.reference.cells import Cells, is_double, key_of

NOON = "2020-01-01T12:00:00Z"
MICROS = 1_577_880_000_000_000
VALUES: list[Any] = [None, OPAQUE, 0, 1, -3, 0.5, float("-inf"), 2**53, 2**53 + 1, -(2**53) - 1, 2**63 - 1]
VALUES += [True, False, "", "x", "y", NOON, Timestamp(0), Timestamp(-7), (), (1, "x"), (NOON,)]
KNOWN: list[Any] = [0, 2**53 + 1, "x", NOON, True, Timestamp(-7)]
TAGS = [BOOL, NUMBER, STRING, TIMESTAMP]
# Of any value that is there, its place is 0.
DIMS = [
    (slot, tag, how)
    for slot in range(3)
    for tag, how in [(0, HOW_PRESENCE), *((tag, how) for tag in TAGS for how in (HOW_KEY, HOW_ATOM))]
]


def tags_of(value: Any) -> set[int]:
    """The kinds with which a value compares."""
    if isinstance(value, bool):
        return {BOOL}
    if isinstance(value, (int, float)):
        return {NUMBER}
    if isinstance(value, Timestamp):
        return {TIMESTAMP}
    return {STRING, TIMESTAMP} if value == NOON else {STRING} if isinstance(value, str) else set()


def keys_of(value: Any) -> tuple[int, int]:
    if isinstance(value, Timestamp):
        return value.micros, value.micros
    if isinstance(value, str):
        return MICROS, MICROS
    if isinstance(value, bool) or is_double(value):
        key = int(value) if isinstance(value, bool) else key_of(value)
        return key, key
    near = key_of(float(value))
    return (near - 1, near) if float(value) > value else (near, near + 1)


def expected(values: dict[str, Any], atoms: dict[Any, int]) -> list[tuple[int, int, int]]:
    found = []
    for slot, tag, how in DIMS:
        value = values.get("abc"[slot])
        if how == HOW_PRESENCE:
            found.append((int(value is not None), 0, 0))
        elif tag not in tags_of(value):
            found.append((0, 0, 0))
        elif how == HOW_ATOM:
            atom = atoms.get(("abc"[slot], type(value), value), 0)
            found.append((1, atom, atom))
        elif tag == STRING:
            # Nobody asks where strings lie.
            found.append((1, -1, -1))
        else:
            found.append((1, *keys_of(value)))
    return found


def test_each_value_has_its_place_in_each_dimension(seed: int) -> None:
    rng = random.Random(seed)
    cells = Cells("a", "b", "c")
    atoms = {(name, type(value), value): cells.constant(name, value) for name in "ab" for value in KNOWN}
    dims = np.array(DIMS, np.int32).reshape(-1)
    for number, value in enumerate(VALUES):
        values = {"a": value, "b": rng.choice(VALUES), "c": rng.choice(VALUES)}
        if number % 3 == 0:
            del values["b"]
        cells.put(values)
        at = rng.choice([0, 1, len(DIMS)])
        arrays: list[Any] = [np.full(at + len(DIMS) + 2, 77, kind) for kind in (np.uint8, np.int64, np.int64)]
        fill_dims(cells.cells, dims, *arrays, at)
        for place, (there, low, high) in enumerate(expected(values, atoms)):
            found = [int(array[at + place]) for array in arrays]
            assert found[0] == there, (values, DIMS[place])
            if there and (low, high) != (-1, -1):
                assert found[1:] == [low, high], (values, DIMS[place])
        # Nothing else is written to.
        for array in arrays:
            assert [*array[:at].tolist(), *array[at + len(DIMS) :].tolist()] == [77] * (at + 2)


def test_a_string_is_a_moment_only_where_it_is_read_as_one() -> None:
    cells = Cells("a", flags=F_SCALARS | F_STRINGS)
    cells.put({"a": NOON})
    dims = np.array([[0, STRING, HOW_ATOM], [0, TIMESTAMP, HOW_KEY]], np.int32).reshape(-1)
    present = np.full(2, 7, np.uint8)
    fill_dims(cells.cells, dims, present, np.zeros(2, np.int64), np.zeros(2, np.int64), 0)
    assert present.tolist() == [1, 0]


def test_without_dimensions_nothing_is_written() -> None:
    cells = Cells("a")
    cells.put({"a": 1})
    nothing = np.zeros(0, np.int64)
    fill_dims(cells.cells, np.zeros(0, np.int32), np.zeros(0, np.uint8), nothing, nothing, 0)
    assert DIM * len(DIMS) == np.array(DIMS).size
