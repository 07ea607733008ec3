"""Every operation of a leaf on every kind of cell, against the evaluation of the predicate itself."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels import leaves
from siftmesh.kernels.layout import (
    CELL,
    NO,
    OP_CONTAINS,
    OP_EQ,
    OP_GT,
    OP_ILIKE,
    OP_IN,
    OP_KEY_EQ,
    OP_KEY_NE,
    OP_LIKE,
    OP_NE,
    OP_NOT_CONTAINS,
    OP_NOT_ILIKE,
    OP_NOT_IN,
    OP_NOT_LIKE,
    OP_NOT_OVERLAPS,
    OP_OVERLAPS,
    OP_TEXT_GT,
    OP_TEXT_LT,
    OP_UNSURE,
    PATTERN,
    TEXT,
    UNSURE,
    YES,
)
from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import Operator, Predicate
from siftmesh.matching.shape import Test as Asked
from siftmesh.matching.shape import pattern_bytes, skeleton
from siftmesh.model.event import Event
from siftmesh.model.values import OPAQUE, Kind, Timestamp
from tests.effort import effort
from tests.reference.cells import Cells, is_double, key_of

INF = float("inf")
WIDE = [2**53 + 1, 2**63 - 1, -(2**63) + 1]
NUMBERS: list[Any] = [0, 1, -1, 7, 0.5, 2**53, 2**53 + 2, *WIDE, -(2**63), 2.0**63, 1e300, INF, -INF]
TEXTS = ["", "a", "ab", "abc", "b", "B", "é", "éa", "漢", "a%", "k", "\N{KELVIN SIGN}"]
MOMENTS = ["2026-11-18T10:00:00Z", "1970-01-01T00:00:00.000001Z", "2026-11-18T11:00:00+01:00"]
TIMES = [Timestamp(0), Timestamp(1), Timestamp(1_795_082_400_000_000), Timestamp(-5)]
PATTERNS = ["%", "a%", "%b", "a_", "_%_", "%é%", "ab%c", "\\%%", "a\\%", "k", "%k%", "2026%"]
SCALARS: list[Any] = [*NUMBERS, *TEXTS, *MOMENTS, *TIMES, True, False]
ARRAYS: list[Any] = [
    (),
    (1,),
    (1, 7),
    ("a", "b"),
    ("a", None),
    (None,),
    (1, "a"),
    (True,),
    (False, True),
    (2**53 + 1, 0.5),
    (Timestamp(0),),
    (Timestamp(1), MOMENTS[0]),
    tuple(MOMENTS),
    (OPAQUE, 1),
    (INF, -0.0),
]
VALUES: list[Any] = [None, OPAQUE, -0.0, *SCALARS, *ARRAYS]
COMPARISONS = [Operator.EQ, Operator.NE, Operator.LT, Operator.GE, Operator.LE, Operator.GT]
BY_KIND: dict[Kind, list[Any]] = {
    Kind.NUMBER: NUMBERS,
    Kind.STRING: [*TEXTS, *MOMENTS],
    Kind.TIMESTAMP: [time.micros for time in TIMES],
    Kind.BOOL: [False, True],
}


def events() -> Iterator[Event]:
    yield Event({})
    for value in VALUES:
        yield Event({"a": value})


def truth(cells: Cells, operation: int, tag: int, operand: int) -> int:
    pools = cells.pools
    cell = CELL * pools.slots["a"]
    arrays = (pools.words, pools.longs, pools.heap, cells.text, cells.cells)
    return int(leaves.leaf(*arrays, cell, operation, tag, operand))


def value_of(held: Any, kind: Kind) -> Any:
    return Timestamp(held) if kind == Kind.TIMESTAMP else held


def operand(cells: Cells, leaf: Predicate, operation: int) -> int:
    """What stands in a row for the constants of a predicate."""
    held, kind = leaf.value, leaf.kind
    if operation in (OP_EQ, OP_NE, OP_CONTAINS, OP_NOT_CONTAINS):
        return cells.constant("a", value_of(held, kind))
    if operation in (OP_IN, OP_NOT_IN, OP_OVERLAPS, OP_NOT_OVERLAPS):
        return cells.listed([cells.constant("a", value_of(one, kind)) for one in held])
    if operation in (OP_LIKE, OP_NOT_LIKE, OP_ILIKE, OP_NOT_ILIKE):
        return cells.atom("a", PATTERN, pattern_bytes(held))
    if OP_TEXT_LT <= operation <= OP_TEXT_GT:
        return cells.atom("a", TEXT, held.encode())
    if operation <= OP_GT or operation in (OP_KEY_EQ, OP_KEY_NE):
        return int(held) if kind in (Kind.TIMESTAMP, Kind.BOOL) else key_of(held)
    return 0


def predicates() -> Iterator[Predicate]:
    for kind, constants in BY_KIND.items():
        for held in constants:
            for operator in COMPARISONS[: 2 if kind == Kind.BOOL else 6]:
                yield Predicate("a", operator, kind, held)
            for operator in (Operator.CONTAINS, Operator.NOT_CONTAINS):
                yield Predicate("a", operator, kind, held)
        lists = [constants[:2], constants[::2], constants[1::3], constants]
        for listed in lists:
            for operator in (Operator.IN, Operator.NOT_IN, Operator.OVERLAPS, Operator.NOT_OVERLAPS):
                yield Predicate("a", operator, kind, tuple(sorted(listed)))
    for pattern in PATTERNS:
        for operator in (Operator.LIKE, Operator.NOT_LIKE):
            yield Predicate("a", operator, Kind.STRING, pattern)
        for operator in (Operator.ILIKE, Operator.NOT_ILIKE):
            yield Predicate("a", operator, Kind.STRING, pattern.casefold())
    for operator in (Operator.IS_NULL, Operator.IS_NOT_NULL, Operator.EXISTS, Operator.NOT_EXISTS):
        yield Predicate("a", operator, Kind.NULL)


def may_be_unsure(leaf: Predicate, value: Any) -> bool:
    """What nobody decides who has only cells: case beyond ASCII, moments in arrays or lists, odd numbers."""
    if leaf.operator in (Operator.ILIKE, Operator.NOT_ILIKE):
        return isinstance(value, str) and not value.isascii()
    if leaf.kind == Kind.TIMESTAMP:
        return leaf.operator not in COMPARISONS
    if leaf.kind == Kind.NUMBER and leaf.operator in COMPARISONS[2:]:
        return not is_double(leaf.value)
    return False


def test_every_operation_says_of_every_cell_what_the_predicate_says() -> None:
    every = list(predicates())
    assert {leaf.operator for leaf in every} == set(Operator) - {Operator.SOME, Operator.NOT_SOME}
    cells = Cells("z", "a")
    asked = []
    for leaf in every:
        test = skeleton(leaf)
        assert isinstance(test, Asked)
        asked.append((leaf, test.operation, operand(cells, leaf, test.operation)))
    unsure = 0
    for event in events():
        cells.put(event)
        for leaf, operation, number in asked:
            found = truth(cells, operation, int(leaf.kind) + 1, number)
            value = event.values.get("a")
            if found == UNSURE:
                unsure += 1
                assert may_be_unsure(leaf, value), (leaf, value)
            else:
                assert found == (YES if holds(leaf, event) else NO), (leaf, event)
    assert unsure


def test_an_operation_and_its_opposite_are_never_both_true() -> None:
    cells = Cells("z", "a")
    for event in events():
        cells.put(event)
        for leaf in list(predicates())[::7]:
            test = skeleton(leaf)
            assert isinstance(test, Asked)
            number = operand(cells, leaf, test.operation)
            found = {truth(cells, test.operation ^ side, int(leaf.kind) + 1, number) for side in (0, 1)}
            assert found in ({YES, NO}, {NO}, {UNSURE})


def test_strings_that_are_moments_are_strings_too() -> None:
    # The same predicates on strings, in a slot that is compared with moments and in one that is not.
    for flags in (1 | 2, 1 | 2 | 4):
        cells = Cells("z", "a", flags=flags)
        leaf = Predicate("a", Operator.LIKE, Kind.STRING, "2026%")
        number = operand(cells, leaf, OP_LIKE)
        cells.put({"a": MOMENTS[0]})
        assert truth(cells, OP_LIKE, int(Kind.STRING) + 1, number) == YES
        assert truth(cells, OP_NE, int(Kind.STRING) + 1, cells.constant("a", "other")) == YES


def test_what_no_kernel_knows_is_unsure() -> None:
    cells = Cells("z", "a")
    cells.put({"a": 1})
    assert truth(cells, OP_UNSURE, 0, 0) == UNSURE


def test_the_same_leaf_apart_says_the_same() -> None:
    if not hasattr(leaves, "leaf_apart"):
        pytest.skip("there is no such kernel")
    cells = Cells("z", "a")
    atom = cells.constant("a", 7)
    for value in (7, 8, "7"):
        cells.put({"a": value})
        pools = cells.pools
        arrays = (pools.words, pools.longs, pools.heap, cells.text, cells.cells)
        for operation in (OP_EQ, OP_NE):
            apart = leaves.leaf_apart(*arrays, CELL, operation, int(Kind.NUMBER) + 1, atom)
            assert apart == truth(cells, operation, int(Kind.NUMBER) + 1, atom)


def test_an_atom_is_in_a_list_or_not(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(300)):
        listed = sorted(rng.sample(range(1, 60), rng.randrange(20)))
        before = rng.randrange(5)
        words = np.array(
            [9] * before + [len(listed), *listed] + [rng.randrange(1, 60) for _ in range(4)], np.int32
        )
        for atom in range(62):
            assert bool(leaves.in_list(words, before, atom)) is (atom in listed)
