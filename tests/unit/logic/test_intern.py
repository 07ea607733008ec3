from __future__ import annotations

import gc

from siftmesh.filters import FilterReader
from siftmesh.logic.intern import Interner
from siftmesh.logic.tree import And, Or


def test_equal_trees_become_one_object() -> None:
    reader, interner = FilterReader(), Interner()
    first = interner.share(reader.read("a = 1 AND (b < 2 OR c = 'x')"))
    second = interner.share(reader.read("(c = 'x' OR b < 2) AND a = 1"))
    assert first is second


def test_equal_parts_of_different_trees_become_one_object() -> None:
    reader, interner = FilterReader(), Interner()
    first = interner.share(reader.read("a = 1 AND (b < 2 OR c = 'x')"))
    second = interner.share(reader.read("d = 1 AND (b < 2 OR c = 'x')"))
    assert isinstance(first, And)
    assert isinstance(second, And)
    assert isinstance(first.children[-1], Or)
    assert first is not second
    assert first.children[-1] is second.children[-1]


def test_numbers_and_bools_stay_apart() -> None:
    reader, interner = FilterReader(), Interner()
    assert interner.share(reader.read("a = 1")) is not interner.share(reader.read("a = TRUE"))


def test_what_nobody_holds_is_forgotten() -> None:
    reader, interner = FilterReader(), Interner()
    kept = interner.share(reader.read("a = 1 AND b = 2"))
    dropped = interner.share(reader.read("a = 1 AND c = 3"))
    assert len(interner) == 5
    del dropped
    gc.collect()
    assert len(interner) == 3
    assert interner.share(kept) is kept
