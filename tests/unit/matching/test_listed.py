"""Trees come back from a file under their numbers."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.logic.tree import FALSE, TRUE, Tree
from siftmesh.matching.listed import part_of, trees_from, trees_to
from tests.reference.strategies import trees


@given(st.dictionaries(st.integers(0, 2**31 - 1), trees() | st.sampled_from([TRUE, FALSE]), max_size=5))
def test_what_is_kept_comes_back(held: dict[int, Tree]) -> None:
    assert dict(trees_from(trees_to(held.items()))) == held


def test_arrays_are_taken_apart_by_their_names() -> None:
    one, other, third = np.zeros(1), np.zeros(2), np.zeros(3)
    arrays = {"a.x": one, "a.b.c": other, "ab.x": third, "a": third}
    assert part_of(arrays, "a") == {"x": one, "b.c": other}
    assert part_of(arrays, "b") == {}
