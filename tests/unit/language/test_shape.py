"""The shape of a text: the same for texts that differ in their constants only."""

from __future__ import annotations

import pytest

from siftmesh.language.parser import parse
from siftmesh.language.shape import split, template_text


@pytest.mark.parametrize(
    ("text", "constants"),
    [
        ("a = 1", [1]),
        ("a = 'x' AND b < 2.5", ["x", 2.5]),
        ("a < 2.5 AND b = 'x'", ["x", 2.5]),
        ("a1 = -5 OR b IN (-1,2, -3)", [-5, -1, 2, -3]),
        ("a = 'it''s 5'", ["it's 5"]),
        ("a - 5 > 007", [5, 7]),
        ("a = TRUE", []),
        ("a = 1d OR b = 1e5", []),
    ],
)
def test_constants_are_taken_out(text: str, constants: list[object]) -> None:
    parts = split(text)
    assert parts is not None
    assert parts[1] == constants
    assert [type(value) for value in parts[1]] == [type(value) for value in constants]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("a = 1", "a = 22", True),
        ("a = 1", "a = 2.5", True),
        ("a = 'x'", "a = 'it''s'", True),
        ("a = 1", "a = 'x'", False),
        ("a = 1", "b = 1", False),
        ("a = 1", "a = 1d", False),
        ("a1 = 1", "a2 = 1", False),
        ("a IN (1, 2)", "a IN (1, 2, 3)", False),
    ],
)
def test_texts_of_one_shape_differ_in_constants_only(one: str, other: str, alike: bool) -> None:
    first, second = split(one), split(other)
    assert first is not None
    assert second is not None
    assert (first[0] == second[0]) is alike


@pytest.mark.parametrize(
    "text",
    ["a = 'x", '"a" = 1', "a = ''", "a = 1234567890123456789", "a = '\ud800'", "a = '''' \0"],
)
def test_some_texts_must_be_parsed_to_know(text: str) -> None:
    assert split(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "a = :p",
        "SOME (xs AS x: x = 1)",
        "a = 1 -- b",
        "a = 1 /* b */",
        "a LIKE 'x' ESCAPE '!'",
        "a = timestamp 'x'",
    ],
)
def test_some_shapes_have_no_template(text: str) -> None:
    parts = split(text)
    assert parts is not None
    assert template_text(parts[0]) is None


@pytest.mark.parametrize(
    ("text", "template"),
    [
        ("a = 1 AND b = 'x' AND c = 2", "a = :_n0 AND b = :_s0 AND c = :_n1"),
        ("a IN ('x', 'y')", "a IN (:_s0, :_s1)"),
        ("a = TRUE", "a = TRUE"),
    ],
)
def test_a_shape_is_a_template(text: str, template: str) -> None:
    parts = split(text)
    assert parts is not None
    made = template_text(parts[0])
    assert made is not None
    assert parse(made[0]) == parse(template)
    assert len(made[1]) == len(parts[1])
