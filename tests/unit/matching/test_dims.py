"""Dimensions have numbers that stay, in a table that kernels read."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.dims import DIM
from siftmesh.matching.dims import Dims


def test_a_dimension_has_one_number_for_good() -> None:
    dims = Dims()
    assert len(dims) == len(dims.table) == 0
    triples = [(slot, tag, how) for slot in range(20) for tag in (0, 3) for how in (0, 2)]
    assert [dims.number(*triple) for triple in triples] == list(range(80))
    assert [dims.number(*triple) for triple in reversed(triples)] == list(range(79, -1, -1))
    assert [dims.describe(number) for number in range(80)] == triples
    assert len(dims) == 80
    assert dims.table.dtype == np.int32
    assert dims.table.reshape(-1, DIM).tolist() == [list(triple) for triple in triples]


def test_what_differs_in_anything_is_another() -> None:
    dims = Dims()
    assert len({dims.number(*triple) for triple in [(1, 2, 0), (2, 1, 0), (1, 2, 1), (0, 2, 1)]}) == 4


def test_a_table_that_was_handed_out_does_not_change() -> None:
    dims = Dims()
    dims.number(1, 2, 0)
    early = dims.table
    for slot in range(100):
        dims.number(slot, 3, 0)
    assert early.tolist() == [1, 2, 0]
    assert len(dims.table) == DIM * 101


def test_what_was_kept_goes_on_where_it_was() -> None:
    first = Dims()
    for slot in range(5):
        first.number(slot, 3, 0)
    kept = first.table.copy()
    kept.flags.writeable = False  # as a mapped file may be
    second = Dims(kept)
    assert len(second) == 5
    assert second.number(3, 3, 0) == 3
    assert second.number(9, 3, 1) == 5
    assert second.describe(5) == (9, 3, 1)
    assert len(first) == 5
    assert len(Dims(np.zeros(0, np.int32))) == 0
    assert Dims(np.zeros(0, np.int32)).number(7, 8, 0) == 0
