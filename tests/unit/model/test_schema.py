"""Schemas: names of attributes to names of types."""

from __future__ import annotations

from typing import Any

import pytest

from siftmesh.errors import ConfigError
from siftmesh.model.schema import AttributeType, Schema
from siftmesh.model.values import Kind


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bool", AttributeType(Kind.BOOL)),
        ("int", AttributeType(Kind.NUMBER)),
        ("float", AttributeType(Kind.NUMBER)),
        ("number", AttributeType(Kind.NUMBER)),
        ("string", AttributeType(Kind.STRING)),
        ("timestamp", AttributeType(Kind.TIMESTAMP)),
        ("array<string>", AttributeType(Kind.ARRAY, Kind.STRING)),
        ("array<int>", AttributeType(Kind.ARRAY, Kind.NUMBER)),
    ],
)
def test_types_have_names(name: str, expected: AttributeType) -> None:
    assert AttributeType.named(name) == expected


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("String", "'String' is not a type; expected string"),
        ("strng", "'strng' is not a type; expected string"),
        (
            "blob",
            "'blob' is not a type; expected one of bool, int, float, number, string, timestamp or array<...>",
        ),
        ("array<array<int>>", "'array<array<int>>' is not a type"),
        ("array<>", "'array<>' is not a type"),
        (float, "<class 'float'> is not the name of a type"),
        (None, "None is not the name of a type"),
    ],
)
def test_other_names_are_refused_with_the_nearest(name: Any, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        Schema.of({"a": name})
    assert str(caught.value).startswith(f"attribute a: {message}")


def test_attributes_are_named_by_their_canonical_names() -> None:
    schema = Schema.of({"price": "int", "data.size": "int", "odd name": "bool", '"quoted one"': "bool"})
    assert list(schema.attributes) == ["price", "data.size", '"odd name"', '"quoted one"']


def test_a_schema_is_written_by_the_names_of_its_types() -> None:
    types = {"a": "int", "b.c": "string", '"odd name"': "array<bool>", "t": "timestamp", "n": "array<float>"}
    schema = Schema.of(types)
    assert schema.names() == {
        "a": "number",
        "b.c": "string",
        '"odd name"': "array<bool>",
        "t": "timestamp",
        "n": "array<number>",
    }
    assert Schema.of(schema.names()) == schema
