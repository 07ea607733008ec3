"""A fixed schema: which attributes events have, and of which type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from siftmesh.errors import ConfigError, nearest_name
from siftmesh.model.path import join, split
from siftmesh.model.values import Kind

__all__ = ["TYPES", "AttributeType", "Schema"]

TYPES: dict[str, Kind] = {
    "bool": Kind.BOOL,
    "int": Kind.NUMBER,
    "float": Kind.NUMBER,
    "number": Kind.NUMBER,
    "string": Kind.STRING,
    "timestamp": Kind.TIMESTAMP,
}
_NAMES = f"{', '.join(TYPES)} or array<...>"


class AttributeType(msgspec.Struct, frozen=True):
    """The kind of an attribute, and for an array the kind of its elements."""

    kind: Kind
    element: Kind | None = None

    @classmethod
    def named(cls, name: object) -> AttributeType:
        """The type with a name: bool, int, float, number, string, timestamp, or array<one of these>."""
        if not isinstance(name, str):
            raise ConfigError(f"{name!r} is not the name of a type; expected one of {_NAMES}")
        if name.startswith("array<") and name.endswith(">") and name[6:-1] in TYPES:
            return cls(Kind.ARRAY, TYPES[name[6:-1]])
        if name not in TYPES:
            near = nearest_name(name, TYPES)
            raise ConfigError(f"{name!r} is not a type; expected {near or f'one of {_NAMES}'}")
        return cls(TYPES[name])

    def name(self) -> str:
        """A name of this type."""
        kind = self.kind if self.element is None else self.element
        name = next(name for name, named in reversed(TYPES.items()) if named == kind)
        return name if self.element is None else f"array<{name}>"


class Schema(msgspec.Struct, frozen=True):
    """The attributes that filters may name, by canonical name."""

    attributes: dict[str, AttributeType]

    @classmethod
    def of(cls, types: Mapping[Any, Any]) -> Schema:
        """A schema from attribute names (dotted paths, odd steps quoted) and the names of their types."""
        if not isinstance(types, Mapping):
            raise ConfigError(f"a schema is a mapping of names to types, not {type(types).__name__}")
        attributes = {}
        for name, type_name in types.items():
            if not isinstance(name, str) or not name:
                raise ConfigError(f"{name!r} is not the name of an attribute; expected a non-empty string")
            try:
                attributes[join(split(name))] = AttributeType.named(type_name)
            except ConfigError as error:
                raise ConfigError(f"attribute {name}: {error}") from None
        return cls(attributes)

    def names(self) -> dict[str, str]:
        """The names of the types by attribute, as `of` takes them."""
        return {attribute: one.name() for attribute, one in self.attributes.items()}
