"""Reading filters: the same Tree whether a text's shape is known or not."""

from __future__ import annotations

from typing import Any

import pytest

from siftmesh.errors import LimitExceeded, ParameterError, SubscriptionError, UnknownAttribute
from siftmesh.filters import FilterReader
from siftmesh.language.limits import Limits
from siftmesh.logic.tree import FALSE, And, Operator, Predicate
from siftmesh.model.schema import Schema
from siftmesh.model.values import Kind


def test_a_filter_becomes_its_normal_form() -> None:
    one, other = Predicate("a", Operator.EQ, Kind.NUMBER, 1), Predicate("b", Operator.EQ, Kind.STRING, "x")
    reader = FilterReader()
    assert reader.read("b = 'x' AND a = 1.0") == And((one, other))
    assert reader.read("NOT (NOT (a = 1 AND a = 1) OR b <> 'x')") == And((one, other))
    assert reader.read("a = 1 AND a = 2") == FALSE


@pytest.mark.parametrize("thing", [None, 5, b"a = 1", {"a": 1}, ["a"]])
def test_anything_but_text_is_refused(thing: Any) -> None:
    for use in (FilterReader().read, FilterReader().template):
        with pytest.raises(SubscriptionError, match=f"a filter is text, not {type(thing).__name__}"):
            use(thing)


def test_every_dialect_is_read() -> None:
    reader = FilterReader()
    tree = reader.read("price = 1")
    assert reader.read("price = 1", "sql") == tree
    assert reader.read({"price": [1]}, "eventbridge") != FALSE


def test_a_parameter_needs_a_template() -> None:
    with pytest.raises(ParameterError) as caught:
        FilterReader().read("a = 1 AND b < :limit")
    assert caught.value.span == (14, 20)


@pytest.mark.parametrize(
    ("limits", "fits", "too_large"),
    [
        (Limits(text=5), "a = 1", "a = 12"),
        (Limits(items=2), "a IN (1, 2)", "a IN (1, 2, 3)"),
        (Limits(pattern=2), "a LIKE 'x%'", "a LIKE 'xy%'"),
        (Limits(wildcards=1), "a LIKE 'x%'", "a LIKE '%x'||"),
        (Limits(wildcards=1), "a LIKE 'xy%'", "a LIKE '_x%'"),
        (Limits(nodes=3), "a = 1", "a + 1 = 1"),
        (Limits(depth=1), "(a = 1)", "((a = 1))"),
    ],
)
def test_limits_hold_for_a_shape_that_is_known(limits: Limits, fits: str, too_large: str) -> None:
    reader = FilterReader(limits=limits)
    for _ in range(2):
        assert reader.read(fits) == FilterReader().read(fits)
        with pytest.raises(SubscriptionError) as caught:
            reader.read(too_large)
        assert isinstance(caught.value, LimitExceeded) or "||" in too_large


def test_a_pattern_beyond_a_limit_is_refused_though_its_shape_is_known() -> None:
    reader = FilterReader(limits=Limits(wildcards=1))
    for text in ("a LIKE 'x%'", "a LIKE 'y%'"):
        reader.read(text)
    with pytest.raises(LimitExceeded) as caught:
        reader.read("a LIKE '%x%'")
    assert caught.value.span == (7, 12)


def test_a_known_shape_does_not_let_a_wrong_constant_through() -> None:
    reader = FilterReader()
    for text in ("a = 1 AND a LIKE 'x'", "a = 2 AND a LIKE 'y'"):
        reader.read(text)
    for text in ("a = 1 AND 5", "a = 1 AND 'x'", "a = '\ud800'", "a LIKE 5", "a = 1²"):
        for _ in range(2):
            with pytest.raises(SubscriptionError) as caught:
                reader.read(text)
            assert caught.value.source == text


def test_a_schema_is_asked_about_every_text() -> None:
    reader = FilterReader(Schema.of({"price": "int"}))
    assert reader.read("price = 1") == FilterReader().read("price = 1")
    for _ in range(2):
        with pytest.raises(UnknownAttribute) as caught:
            reader.read("prise = 1")
        assert caught.value.span == (0, 5)
    with pytest.raises(UnknownAttribute):
        reader.read("prise = 1", "jms")


def test_more_shapes_than_are_remembered_are_read_all_the_same() -> None:
    reader = FilterReader()
    first = reader.read("a0 = 1")
    for number in range(5_000):
        for constant in (1, 2):
            reader.read(f"a{number} = {constant}")
    assert reader.read("a0 = 1") == first


@pytest.mark.parametrize("text", ["price < 5", "price < 'x'", "price < ", "prise < 5"])
def test_a_text_is_read_alike_however_often_its_shape_was_seen(text: str) -> None:
    reader = FilterReader(Schema.of({"price": "float"}))
    told = []
    for _ in range(4):
        try:
            told.append(reader.read(text))
        except SubscriptionError as error:
            told.append(str(error))
    assert told == told[:1] * 4


def test_the_template_takes_its_limits_along() -> None:
    template = FilterReader(limits=Limits(wildcards=1)).template("a LIKE :p")
    template.bind(["x%"])
    with pytest.raises(LimitExceeded):
        template.bind(["%x%"])


FOREIGN = [
    ("cesql", "type = '5'", "typ = '5'"),
    ("jms", "type = 'x'", "typ = 'x'"),
    ("cloudevents", {"exact": {"type": "x"}}, {"exact": {"typ": "x"}}),
    ("eventbridge", {"type": ["x"]}, {"typ": ["x"]}),
]


@pytest.mark.parametrize(("dialect", "known", "unknown"), FOREIGN)
def test_a_schema_refuses_only_unknown_names_in_foreign_dialects(
    dialect: str, known: object, unknown: object
) -> None:
    # Implicit casts make one comparison several, for several types: that is no mistake of the writer.
    reader = FilterReader(Schema.of({"type": "string"}))
    reader.read(known, dialect)
    with pytest.raises(UnknownAttribute, match="there is no attribute typ"):
        reader.read(unknown, dialect)


def test_a_known_shape_is_held_to_the_schema_as_well() -> None:
    reader = FilterReader(Schema.of({"price": "float", "title": "string"}))
    for text in ("price < 5", "price < 7.5", "title = 'x'", "title = 'it''s'"):
        assert reader.read(text) == FilterReader().read(text)
    for _ in range(2):
        for text in ("price < 'x'", "title = 5", "prize < 5"):
            with pytest.raises(SubscriptionError) as caught:
                reader.read(text)
            assert caught.value.span is not None
