"""EventBridge patterns, evaluated straight from their description on an event as nested JSON."""

from __future__ import annotations

import ipaddress
import re
from typing import Any

__all__ = ["matches"]


def matches(pattern: dict[str, Any], event: Any) -> bool:
    """Whether a JSON event matches; a name in the pattern that is no object in the event has no fields."""
    inside = event if isinstance(event, dict) else {}
    for name, wanted in pattern.items():
        if name == "$or":
            if not any(matches(branch, event) for branch in wanted):
                return False
        elif isinstance(wanted, dict):
            if not matches(wanted, inside.get(name)):
                return False
        elif not any(alternative_holds(alternative, leaves(inside, name)) for alternative in wanted):
            return False
    return True


def leaves(event: dict[str, Any], name: str) -> list[Any]:
    """The values of a field: its one value, the elements of its array, or none."""
    if name not in event or isinstance(event[name], dict):
        return []
    value = event[name]
    return value if isinstance(value, list) else [value]


def alternative_holds(alternative: Any, values: list[Any]) -> bool:
    if alternative == {"exists": False}:
        return values == []
    return any(value_holds(alternative, value) for value in values)


def value_holds(alternative: Any, value: Any) -> bool:
    if not isinstance(alternative, dict):
        return same(alternative, value)
    ((name, wanted),) = alternative.items()
    if name == "exists":
        return True
    if name == "anything-but":
        if isinstance(wanted, dict):
            ((test, words),) = wanted.items()
            return not any(value_holds({test: word}, value) for word in listed(words))
        return not any(same(word, value) for word in listed(wanted))
    if name == "numeric":
        return is_number(value) and all(
            ordered(operator, value, bound) for operator, bound in zip(wanted[::2], wanted[1::2], strict=True)
        )
    if not isinstance(value, str):
        return False
    if isinstance(wanted, dict):
        wanted, value = wanted["equals-ignore-case"].casefold(), value.casefold()
    if name == "exactly":
        return value == wanted
    if name == "equals-ignore-case":
        return value.casefold() == wanted.casefold()
    if name == "prefix":
        return value[: len(wanted)] == wanted
    if name == "suffix":
        return wanted == "" or value[-len(wanted) :] == wanted
    if name == "wildcard":
        return wild(wanted, value)
    assert name == "cidr"
    try:
        return ipaddress.ip_address(value) in ipaddress.ip_network(wanted, strict=False)
    except ValueError:
        return False


def listed(thing: Any) -> list[Any]:
    return thing if isinstance(thing, list) else [thing]


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def same(wanted: Any, value: Any) -> bool:
    if is_number(wanted) and is_number(value):
        return bool(wanted == value)
    return type(wanted) is type(value) and bool(wanted == value)


def ordered(operator: str, value: Any, bound: Any) -> bool:
    below, equal = value < bound, value == bound
    return {"<": below, "<=": below or equal, "=": equal, ">=": not below, ">": not below and not equal}[
        operator
    ]


def wild(pattern: str, value: str) -> bool:
    """Wildcards by a regular expression, made only here, of patterns that the tests themselves wrote."""
    parts = re.findall(r"\\.|[^\\]", pattern, flags=re.DOTALL)
    expression = "".join(".*" if part == "*" else re.escape(part[-1]) for part in parts)
    return re.fullmatch(expression, value, flags=re.DOTALL) is not None
