"""Events: attribute values by canonical name, flattened from nested mappings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from siftmesh.errors import EventError
from siftmesh.model.path import quote
from siftmesh.model.values import OPAQUE, Opaque, Value, has_surrogate, to_value

__all__ = ["MAX_DEPTH", "Event"]

MAX_DEPTH = 64


class Event(msgspec.Struct, frozen=True):
    """One event: its attributes as values, and the arrays among them that hold objects, closed to paths."""

    values: dict[str, Value]
    closed: tuple[str, ...] = ()

    @classmethod
    def of(cls, attributes: Mapping[str, Any]) -> Event:
        """Read a mapping, nested mappings included; values outside the model are refused with their place."""
        if not isinstance(attributes, Mapping):
            raise EventError(
                f"an event is a mapping, not {type(attributes).__name__}",
                expected="attribute names to values",
            )
        values: dict[str, Value] = {}
        closed: list[str] = []
        _flatten(attributes, "", values, closed, MAX_DEPTH)
        return cls(values, tuple(closed))

    def refuse_paths_into_arrays(self, used: Iterable[str]) -> None:
        """Refuse an event in which a used attribute lies inside an array of objects."""
        for array in self.closed:
            inside = array + "."
            for attribute in used:
                if attribute.startswith(inside):
                    raise EventError(
                        f"{attribute} lies inside an array of objects, which filters cannot look into",
                        place=array,
                        expected="an object, or parallel arrays of scalars for SOME",
                    )


def _flatten(
    attributes: Mapping[str, Any], prefix: str, values: dict[str, Value], closed: list[str], depth: int
) -> None:
    if depth == 0:
        raise EventError(f"objects are nested more than {MAX_DEPTH} deep", place=prefix.rstrip("."))
    for key, thing in attributes.items():
        if not isinstance(key, str):
            raise EventError(
                f"the name {key!r} is not a string",
                place=prefix.rstrip("."),
                expected="attribute names as strings",
            )
        # For ASCII the built-in test agrees with `quote`, and is ten times faster.
        name = prefix + (key if key.isascii() and key.isidentifier() else _odd_step(key, prefix))
        if isinstance(thing, Mapping):
            values[name] = OPAQUE
            _flatten(thing, name + ".", values, closed, depth - 1)
            continue
        value = values[name] = to_value(thing, name)
        if value is OPAQUE and not isinstance(thing, (bytes, bytearray, memoryview, Opaque)):
            closed.append(name)


def _odd_step(key: str, prefix: str) -> str:
    if has_surrogate(key):
        raise EventError(
            f"the name {key!r} holds a lone surrogate",
            place=prefix.rstrip("."),
            expected="valid Unicode text",
        )
    return quote(key)
