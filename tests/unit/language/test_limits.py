"""The defaults let ordinary filters through and stop absurd ones."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from siftmesh.errors import ConfigError, LimitExceeded
from siftmesh.language.limits import DEEPEST, DEFAULT, Limits
from siftmesh.language.parser import parse


def test_limits_are_values() -> None:
    assert Limits() == DEFAULT
    assert Limits(items=5) != DEFAULT
    with pytest.raises(AttributeError):
        DEFAULT.items = 5  # type: ignore[misc]  # what is tested
    assert msgspec.structs.replace(DEFAULT, items=5) == Limits(items=5)


def test_the_default_depth_is_possible() -> None:
    assert DEFAULT.depth <= DEEPEST


def test_the_defaults_take_large_filters() -> None:
    parse("a IN (" + ", ".join(map(str, range(50_000))) + ")")
    parse(" OR ".join(f"a{n} = {n}" for n in range(6_000)))
    parse("(" * 100 + "a" + ")" * 100)


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        ("a = '" + "x" * 1_000_000 + "'", 1_000_000),
        ("a IN (" + ", ".join(map(str, range(50_001))) + ")", 50_000),
        (" OR ".join(f"a{n} = {n}" for n in range(7_000)), 20_000),
        ("(" * 101 + "a" + ")" * 101, 100),
        ("a LIKE '" + "x" * 4_097 + "'", 4_096),
        ("a LIKE '" + "%x" * 65 + "'", 64),
    ],
    ids=["text", "items", "nodes", "depth", "pattern", "wildcards"],
)
def test_the_defaults_stop_absurd_ones(text: str, limit: int) -> None:
    with pytest.raises(LimitExceeded) as caught:
        parse(text)
    assert caught.value.limit == limit


@pytest.mark.parametrize("value", [-1, "x", 5.0, None, True])
def test_a_limit_is_a_whole_number(value: Any) -> None:
    with pytest.raises(ConfigError, match=r"the limit text is .*; expected a whole number, at least 0"):
        Limits(text=value)
