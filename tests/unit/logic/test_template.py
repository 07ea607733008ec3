"""Templates: what a row may hold, and what it makes."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from siftmesh.errors import LimitExceeded, ParameterError, SyntaxError
from siftmesh.language import ast
from siftmesh.language.limits import Limits
from siftmesh.language.parser import parse
from siftmesh.logic.lower import lower
from siftmesh.logic.normalise import normalise
from siftmesh.logic.template import Template, substitute
from siftmesh.logic.tree import FALSE, TRUE, Tree


def read(text: str) -> Tree:
    return normalise(lower(parse(text)))


def bind(text: str, *row: Any) -> Tree:
    template = Template(parse(text))
    tree = template.bind(row)
    assert tree == template.bind_slowly(row)
    return tree


@pytest.mark.parametrize(
    ("template", "row", "filled"),
    [
        ("price < :p AND title = :t", [9.5, "Dune"], "price < 9.5 AND title = 'Dune'"),
        ("title = :t AND price < :p", ["Dune", 9.0], "price < 9 AND title = 'Dune'"),
        ("a = :p OR a = :q", [2, 1], "a IN (1, 2)"),
        ("a = :p OR a = :p", [1], "a = 1"),
        ("a > :p AND a < :q", [5, 1], "FALSE"),
        ("NOT (a = :p AND b < :q)", [1, 2], "a <> 1 OR b >= 2"),
        ("a IN (:p, 2, :q)", [1, 3], "a IN (1, 2, 3)"),
        ("a LIKE :p", ["x%"], "a LIKE 'x%'"),
        ("a LIKE :p ESCAPE '!'", ["x!%"], "a = 'x%'"),
        ("a + :p > :q", [1, 2], "a + 1 > 2"),
        ("a = :p + 1", [1], "a = 2"),
        (
            "tags CONTAINS :p AND tags OVERLAPS (:p, :q)",
            ["x", "y"],
            "tags CONTAINS 'x' AND tags OVERLAPS ('x', 'y')",
        ),
        ("SOME (xs AS x: x > :p AND x < :q)", [1, 2], "SOME (xs AS x: x > 1 AND x < 2)"),
        ("a < :p", [""], "FALSE"),
        ("a = 1 AND b < :p", [""], "FALSE"),
        ("a = 1 OR b < :p", [""], "a = 1"),
        (":p AND a = 1", [True], "a = 1"),
        (":p OR a = 1", [False], "a = 1"),
        (
            "(a = :p AND b < :q) OR (a = :r AND b < :s)",
            [1, 5, 1, 5],
            "a = 1 AND b < 5",
        ),
        (
            "(a = :p AND b < :q) OR (a = :r AND b < :s)",
            [2, 5, 1, 6],
            "(a = 1 AND b < 6) OR (a = 2 AND b < 5)",
        ),
        ("(a < :p AND b < :q) OR (a < :r AND b < :s)", [1, 1, 2, 2], "a < 2 AND b < 2"),
        ("a = 1", [], "a = 1"),
    ],
)
def test_a_bound_template_is_the_filter_with_the_constants(
    template: str, row: list[Any], filled: str
) -> None:
    assert bind(template, *row) == read(filled)


@pytest.mark.parametrize(
    ("value", "literal"),
    [
        (1, "1"),
        (1.0, "1"),
        (np.float32(0.5), "0.5"),
        (np.int64(7), "7"),
        (Decimal("0.5"), "0.5"),
        (2**53 + 1, "9007199254740993"),
        (2.0**63, "9223372036854775808.0"),
        (-0.0, "0"),
        (True, "TRUE"),
        ("it's", "'it''s'"),
        (date(2024, 1, 1), "TIMESTAMP '2024-01-01'"),
        (datetime(2024, 1, 1, 12, tzinfo=UTC), "TIMESTAMP '2024-01-01T12:00:00Z'"),
        (np.str_("x"), "'x'"),
    ],
)
def test_a_constant_may_be_whatever_an_event_may_hold(value: Any, literal: str) -> None:
    assert bind("a = :p AND b <> 1", value) == read(f"a = {literal} AND b <> 1")


@pytest.mark.parametrize("null", [None, math.nan, np.float64("nan")])
@pytest.mark.parametrize(
    ("template", "filled"),
    [
        ("a = :p", "FALSE"),
        ("a <> :p", "FALSE"),
        ("a = :p OR b = 1", "b = 1"),
        ("a IN (1, :p)", "a = 1"),
        ("a NOT IN (1, :p)", "FALSE"),
        ("a LIKE :p", "FALSE"),
        ("a BETWEEN 1 AND :p", "FALSE"),
        ("a NOT BETWEEN 1 AND :p", "a < 1"),
        (":p IS NULL", "TRUE"),
        (":p OR a = 1", "a = 1"),
        ("coalesce(:p, 5) = a", "a = 5"),
    ],
)
def test_a_comparison_with_null_is_never_true(template: str, filled: str, null: Any) -> None:
    assert bind(template, null) == read(filled)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ([], "0 values were given\nexpected 2 parameters: :p, :q"),
        ([1, 2, 3], "3 values were given\nexpected 2 parameters: :p, :q"),
        ({"p": 1}, "no value for :q\nexpected 2 parameters: :p, :q"),
        ({"p": 1, "q": 2, "r": 3}, "the template has no parameter :r\nexpected 2 parameters: :p, :q"),
        ([1, 2**63], ":q: an integer of 65 bits needs more than 64"),
        ([datetime(2024, 1, 1), 1], ":p: a datetime without a time zone does not say which moment it is"),
        (["\ud800", 1], ":p: the string holds a lone surrogate"),
        ([object(), 1], ":p: a builtins.object is not a value"),
        ([math.inf, 1], ":p is infinite"),
        ([1, -math.inf], ":q is infinite"),
        ([Decimal("1e400"), 1], ":p is infinite"),
        ([[1, 2], 1], ":p is no single value\nexpected a number, string, bool, time or null"),
        ([1, {"a": 1}], ":q is no single value"),
        ([1, b"x"], ":q is no single value"),
    ],
)
def test_a_row_that_does_not_fit_is_refused(row: Any, message: str) -> None:
    template = Template(parse("a = :p AND b = :q"))
    for bound in (template.bind, template.bind_slowly):
        with pytest.raises(ParameterError) as caught:
            bound(row)
        assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "value", "message"),
    [
        ("a LIKE :p", 5, "a LIKE pattern is a string, not 5"),
        ("a = 1 AND :p", 5, "a condition is TRUE or FALSE, not 5"),
        ("SOME (xs AS x: x = :p)", None, "a bound inside SOME cannot be null"),
    ],
)
def test_a_constant_of_the_wrong_sort_is_refused(text: str, value: Any, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        bind(text, value)
    assert caught.value.what == message


def test_a_bound_pattern_is_checked_like_a_written_one() -> None:
    template = Template(parse("a LIKE :p ESCAPE '!'"), Limits(pattern=4, wildcards=1))
    with pytest.raises(LimitExceeded):
        template.bind(["abcde"])
    with pytest.raises(LimitExceeded):
        template.bind(["%a%"])
    with pytest.raises(SyntaxError):
        template.bind(["a!"])


def test_parameters_come_in_the_order_they_appear_or_as_asked() -> None:
    condition = parse("b = :q AND a = :p AND c = :q")
    assert Template(condition).parameters == ("q", "p")
    asked = Template(condition, parameters=["p", "q"])
    assert asked.parameters == ("p", "q")
    assert asked.bind([1, 2]) == read("a = 1 AND b = 2 AND c = 2")


def test_a_template_without_parameters_is_a_filter() -> None:
    assert bind("TRUE") == TRUE
    assert Template(parse("a = 1 AND FALSE")).bind({}) == FALSE


def test_binding_leaves_the_row_and_the_template_alone() -> None:
    template, row = Template(parse("a = :p AND b = :q")), [1.0, 2.0]
    before = template.condition
    assert template.bind(row) == template.bind(tuple(row)) == read("a = 1 AND b = 2")
    assert row == [1.0, 2.0]
    assert [type(value) for value in row] == [float, float]
    assert template.condition == before


def test_substituting_fills_every_place() -> None:
    condition = parse("a = :p AND b IN (:p, :q) AND SOME (xs AS x: x = :q)")
    assert substitute(condition, {"p": 1, "q": "x"}) == parse(
        "a = 1 AND b IN (1, 'x') AND SOME (xs AS x: x = 'x')"
    )
    assert ast.parameters(condition) == ("p", "q")


@pytest.mark.parametrize("row", [5, None, "x", b"x", {1}])
def test_what_is_no_row_is_refused(row: Any) -> None:
    with pytest.raises(ParameterError, match="is no row of values"):
        Template(parse("a = :p")).bind(row)
