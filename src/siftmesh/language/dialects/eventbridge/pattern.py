"""The structure of an event pattern: objects nested as in the event, `$or`, and alternatives of fields."""

from __future__ import annotations

from typing import Any

from siftmesh.language.ast import Attribute, Condition
from siftmesh.language.dialects.combine import all_of, any_of
from siftmesh.language.dialects.document import Document, Path, read_document
from siftmesh.language.dialects.eventbridge.alternatives import Field
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.model.path import join

__all__ = ["parse_eventbridge"]

_OR = "$or"
# Names that no field inside $or may have: they are, or are kept to become, names of match expressions.
_RESERVED = frozenset(
    [
        *[
            "exactly",
            "equals-ignore-case",
            "prefix",
            "suffix",
            "anything-but",
            "exists",
            "wildcard",
            "numeric",
            "cidr",
        ],
        *["=", "<", "<=", ">", ">=", "regex", "not-wildcard", "not-equals-ignore-case"],
        *["date-after", "date-on-or-after", "date-before", "date-on-or-before", "in-date-range"],
        *["ip-address-in-range", "ip-address-not-in-range"],
    ]
)

_Steps = tuple[str, ...]


def parse_eventbridge(pattern: object, limits: Limits = DEFAULT) -> Condition:
    """Read an event pattern, as decoded JSON or as its text."""
    document = read_document(pattern, limits)
    if not isinstance(document.root, dict):
        document.refuse((), "a pattern is a JSON object", "an object of fields")
    return _Reader(document, limits).fields(document.root, (), (), inside_or=False)[0]


class _Reader:
    """One pattern being read."""

    def __init__(self, document: Document, limits: Limits) -> None:
        self.document = document
        self.limits = limits

    def fields(
        self, thing: dict[str, Any], path: Path, steps: _Steps, inside_or: bool
    ) -> tuple[Condition, set[_Steps]]:
        """What an object asks, all of it, and which fields it names."""
        if not thing:
            self.document.refuse(path, "an empty object matches nothing in particular", "at least one field")
        conditions: list[Condition] = []
        named: set[_Steps] = set()
        for name, value in thing.items():
            condition, fields = self.field(name, value, (*path, name), steps, inside_or)
            twice = named & fields
            if twice:
                self.document.refuse(
                    (*path, name),
                    f"the field {join(min(twice))} is asked twice at once",
                    "each field once on every way through $or",
                    key=True,
                )
            conditions.append(condition)
            named |= fields
        return all_of(conditions), named

    def field(
        self, name: str, value: object, path: Path, steps: _Steps, inside_or: bool
    ) -> tuple[Condition, set[_Steps]]:
        if name == _OR:
            return self.branches(value, path, steps)
        if inside_or and name in _RESERVED:
            self.document.refuse(path, f"{name} cannot name a field inside $or", "another field", key=True)
        steps = (*steps, name)
        if isinstance(value, dict):
            return self.fields(value, path, steps, inside_or)
        if not isinstance(value, list):
            what = f"the value of {join(steps)} stands outside an array"
            self.document.refuse(path, what, "an array of alternatives, or an object")
        if not value:
            self.document.refuse(path, "an empty array matches nothing", "at least one alternative")
        field = Field(self.document, path, Attribute(join(steps)), self.limits)
        return field.any_of(value), {steps}

    def branches(self, thing: object, path: Path, steps: _Steps) -> tuple[Condition, set[_Steps]]:
        """$or: [ object, object, ... ], of which one must match."""
        if not isinstance(thing, list) or len(thing) < 2:
            self.document.refuse(path, "$or takes an array", "at least two objects")
        conditions: list[Condition] = []
        named: set[_Steps] = set()
        for index, branch in enumerate(thing):
            if not isinstance(branch, dict):
                self.document.refuse((*path, index), "$or takes objects only", "an object of fields")
            condition, fields = self.fields(branch, (*path, index), steps, inside_or=True)
            conditions.append(condition)
            named |= fields
        return any_of(conditions), named
