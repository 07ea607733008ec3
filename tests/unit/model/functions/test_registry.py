"""How many arguments a function takes."""

from __future__ import annotations

import pytest

from siftmesh.model.functions import FUNCTIONS
from siftmesh.model.functions.registry import Function


@pytest.mark.parametrize(
    ("least", "most", "accepted", "arity"),
    [
        (0, 0, {0}, "0 arguments"),
        (1, 1, {1}, "1 argument"),
        (2, 2, {2}, "2 arguments"),
        (1, 3, {1, 2, 3}, "1 to 3 arguments"),
        (2, None, {2, 3, 4, 5}, "2 or more arguments"),
    ],
)
def test_a_function_knows_its_arity(least: int, most: int | None, accepted: set[int], arity: str) -> None:
    function = Function("f", least, most, None, lambda *_: None)
    assert {count for count in range(6) if function.accepts(count)} == accepted
    assert function.arity == arity


def test_every_function_is_found_by_its_name() -> None:
    assert all(function.name == name == name.lower() for name, function in FUNCTIONS.items())
