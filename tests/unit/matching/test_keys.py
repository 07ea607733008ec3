"""Ids of any sort as bytes."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import Any

import pytest

from siftmesh.errors import ConfigError
from siftmesh.matching.keys import pack_keys, unpack_keys

GOOD = [
    "",
    "ü",
    0,
    -1,
    2**63 - 1,
    2**64 - 1,
    0.5,
    float("inf"),
    True,
    None,
    b"",
    b"x",
    (),
    (1, ("a", (None, 2.5))),
]


def test_what_is_packed_comes_back_of_the_same_type() -> None:
    again = unpack_keys(pack_keys(GOOD, "id"))
    assert [(one, type(one)) for one in again] == [(one, type(one)) for one in GOOD]
    (nan,) = unpack_keys(pack_keys([float("nan")], "id"))
    assert nan != nan
    assert unpack_keys(pack_keys([], "id")) == []


@pytest.mark.parametrize(
    "key", [2**64, "\ud800", frozenset([1]), Decimal("0.1"), (1, frozenset()), date(2026, 1, 1), object(), 1j]
)
def test_what_would_not_come_back_is_refused(key: Any) -> None:
    with pytest.raises(
        ConfigError, match=r"the link .* cannot be written to a file: links there are strings"
    ):
        pack_keys(["fine", key], "link")
