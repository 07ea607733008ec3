"""Every dialect is found by its name and read when it is first used."""

from __future__ import annotations

from typing import Any

import pytest

from siftmesh.errors import ConfigError, LimitExceeded
from siftmesh.language import ast
from siftmesh.language.dialects import DIALECTS, read
from siftmesh.language.limits import Limits

SAME = {
    "sql": "price = 1",
    "jms": "price = 1",
    "cesql": "price = 1",
    "cloudevents": {"sql": "price = 1"},
    "eventbridge": {"price": [1]},
}


def test_there_is_an_example_of_each() -> None:
    assert SAME.keys() == DIALECTS.keys()


@pytest.mark.parametrize("dialect", SAME)
def test_every_dialect_gives_a_condition(dialect: str) -> None:
    condition = read(SAME[dialect], dialect)
    assert isinstance(condition, ast.Condition)
    assert "price" in [node.name for node in ast.walk(condition) if isinstance(node, ast.Attribute)]


def test_our_own_language_is_one_of_them() -> None:
    assert read("price = 1", "sql") == ast.Comparison("=", ast.Attribute("price"), ast.Literal(1))


@pytest.mark.parametrize("dialect", ["sql", "jms", "cesql"])
def test_limits_hold_in_every_dialect(dialect: str) -> None:
    with pytest.raises(LimitExceeded):
        read("price = 1", dialect, Limits(text=5))


@pytest.mark.parametrize(
    ("dialect", "message"),
    [
        ("SQL", "there is no dialect 'SQL'; expected sql"),
        ("jmx", "there is no dialect 'jmx'; expected jms"),
        ("zzz", "there is no dialect 'zzz'; expected cesql, cloudevents, eventbridge, jms, sql"),
    ],
)
def test_an_unknown_dialect_is_refused(dialect: str, message: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        read("price = 1", dialect)
    assert str(caught.value) == message


@pytest.mark.parametrize("dialect", [None, [], 5, {"sql"}])
def test_a_dialect_is_a_name(dialect: object) -> None:
    with pytest.raises(ConfigError, match="there is no dialect"):
        read("a = 1", dialect)
