"""The defaults let ordinary filters through and stop absurd ones."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from siftmesh.errors import ConfigError, LimitExceeded
from siftmesh.language.dialects import read
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
    ("text", "setting"),
    [
        ("a = '" + "x" * 1_000_000 + "'", "text"),
        ("a IN (" + ", ".join(map(str, range(50_001))) + ")", "items"),
        (" OR ".join(f"a{n} = {n}" for n in range(7_000)), "nodes"),
        ("(" * 101 + "a" + ")" * 101, "depth"),
        ("a LIKE '" + "x" * 4_097 + "'", "pattern"),
        ("a LIKE '" + "%x" * 65 + "'", "wildcards"),
    ],
    ids=lambda value: value if len(value) < 10 else "",
)
def test_the_defaults_stop_absurd_ones(text: str, setting: str) -> None:
    with pytest.raises(LimitExceeded) as caught:
        parse(text)
    assert (caught.value.setting, caught.value.limit) == (setting, getattr(DEFAULT, setting))


@pytest.mark.parametrize(
    ("dialect", "source", "limits"),
    [
        ("jms", "a = 1", Limits(text=2)),
        ("jms", "((a = 1))", Limits(depth=1)),
        ("jms", "a = 1 AND b = 2", Limits(nodes=2)),
        ("jms", "a IN ('x', 'y')", Limits(items=1)),
        ("jms", "a LIKE 'xyz'", Limits(pattern=2)),
        ("jms", "a LIKE '%x%'", Limits(wildcards=1)),
        ("cesql", "a = 1", Limits(text=2)),
        ("cesql", "((a = 1))", Limits(depth=1)),
        ("cesql", "a = 1 AND b = 2", Limits(nodes=2)),
        ("cesql", "a IN ('x', 'y')", Limits(items=1)),
        ("cesql", "a LIKE 'xyz'", Limits(pattern=2)),
        ("eventbridge", '{"a": ["x"]}', Limits(text=2)),
        ("eventbridge", {"a": ["xyz"]}, Limits(text=2)),
        ("eventbridge", {"a": ["x"]}, Limits(depth=1)),
        ("eventbridge", {"a": ["x"], "b": ["x"]}, Limits(nodes=2)),
        ("eventbridge", {"a": ["x", "y"]}, Limits(items=1)),
        ("eventbridge", {"a": [{"wildcard": "*x*"}]}, Limits(wildcards=1)),
        ("cloudevents", [{"prefix": {"a": "xyz"}}], Limits(text=2)),
    ],
)
def test_every_dialect_names_the_limit_that_was_passed(dialect: str, source: Any, limits: Limits) -> None:
    with pytest.raises(LimitExceeded) as caught:
        read(source, dialect, limits)
    (changed,) = (
        name for name in Limits.__struct_fields__ if getattr(limits, name) != getattr(DEFAULT, name)
    )
    assert (caught.value.setting, caught.value.limit) == (changed, getattr(limits, changed))


@pytest.mark.parametrize("value", [-1, "x", 5.0, None, True])
def test_a_limit_is_a_whole_number(value: Any) -> None:
    with pytest.raises(ConfigError, match=r"the limit text is .*; expected a whole number, at least 0"):
        Limits(text=value)
