"""Filters of the CloudEvents Subscriptions API, evaluated straight from its specification."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

__all__ = ["matches", "text_of"]


def matches(filters: Any, event: Mapping[str, Any]) -> bool:
    """Whether an event passes a filter, or every filter of a list."""
    if isinstance(filters, list):
        return all(matches(one, event) for one in filters)
    ((dialect, value),) = filters.items()
    if dialect == "all":
        return all(matches(one, event) for one in value)
    if dialect == "any":
        return any(matches(one, event) for one in value)
    if dialect == "not":
        return not matches(value, event)
    passes = {"exact": str.__eq__, "prefix": str.startswith, "suffix": str.endswith}[dialect]
    texts = {name: text_of(event.get(name)) for name in value}
    return all(texts[name] is not None and passes(texts[name], word) for name, word in value.items())


def text_of(value: Any) -> Any:
    """The canonical string encoding of an attribute, None if it is missing or of no type of CloudEvents."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return {True: "true", False: "false"}[value]
    if isinstance(value, (int, float)):
        # JSON knows no difference between 5 and 5.0.
        return f"{int(value):d}" if value == value // 1 and -(2**63) <= value < 2**63 else None
    if isinstance(value, datetime):
        moment = value.astimezone(UTC)
        fraction = f".{moment.microsecond:06d}" if moment.microsecond else ""
        return moment.strftime("%Y-%m-%dT%H:%M:%S").rjust(19, "0") + fraction + "Z"
    return None
