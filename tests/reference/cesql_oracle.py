"""CloudEvents SQL, written out once more from its specification: the oracle of evaluator and lowering.

It takes the parsed expression, and shares nothing else with `siftmesh.language.dialects.cesql` or with the
scalar functions. An error is an exception: it ends the evaluation, as a filter's error does. Only whether
there is an error is told, not which, and the value where there is none.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from siftmesh.language.dialects.cesql import tree
from siftmesh.model.values import OPAQUE, Timestamp

__all__ = ["Failure", "matches", "value_of"]


class Failure(Exception):
    """Any error of CloudEvents SQL."""


def matches(node: tree.Expression, values: Mapping[str, Any]) -> bool:
    """Whether the expression, as a filter, lets an event with these values pass."""
    try:
        return value_of(node, values) is True
    except Failure:
        return False


def value_of(node: tree.Expression, values: Mapping[str, Any]) -> Any:
    match node:
        case tree.Literal():
            return node.value
        case tree.Attribute():
            return represented(values.get(node.name))
        case tree.Exists():
            return values.get(node.attribute.name) is not None
        case tree.Not():
            operand = value_of(node.operand, values)
            if is_integer(operand):
                raise Failure
            return not to_bool(operand)
        case tree.Logic():
            return logic(node, values)
        case tree.Like():
            return like(to_text(value_of(node.operand, values)), node.pattern)
        case tree.In():
            left, *items = (value_of(operand, values) for operand in (node.operand, *node.items))
            return left in [as_kind_of(left, item) for item in items]
        case tree.Apply():
            return operator(node.operator, [value_of(operand, values) for operand in node.operands])
        case tree.Call():
            return function(node.function, [value_of(argument, values) for argument in node.arguments])


def logic(node: tree.Logic, values: Mapping[str, Any]) -> bool:
    found = to_bool(value_of(node.operands[0], values))
    for operand in node.operands[1:]:
        if node.operator == "AND":
            found = found and to_bool(value_of(operand, values))
        elif node.operator == "OR":
            found = found or to_bool(value_of(operand, values))
        else:
            found = found != to_bool(value_of(operand, values))
    return found


def represented(value: Any) -> Any:
    """An attribute's value as one of CloudEvents SQL's three kinds."""
    if value is None:
        raise Failure
    if value is OPAQUE:
        return "{}"
    if isinstance(value, tuple):
        return "[]"
    if isinstance(value, Timestamp):
        return value.isoformat()
    if isinstance(value, float):
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        if value != math.floor(value):
            return str(value)
        value = math.floor(value)
    if is_integer(value) and not -(2**31) <= value < 2**31:
        return str(value)
    return value


def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def to_int(value: Any) -> int:
    if isinstance(value, bool):
        return 1 if value else 0
    if isinstance(value, int):
        return value
    digits = value[1:] if value[:1] in ("+", "-") else value
    if not digits or any(digit not in "0123456789" for digit in digits):
        raise Failure
    return in_range(-int(digits) if value[0] == "-" else int(digits))


def to_bool(value: Any) -> bool:
    if isinstance(value, str):
        if value.lower() not in ("true", "false"):
            raise Failure
        return value.lower() == "true"
    return value if isinstance(value, bool) else value != 0


def to_text(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else str(value)


def as_kind_of(model: Any, value: Any) -> Any:
    if isinstance(model, bool):
        return to_bool(value)
    return to_int(value) if isinstance(model, int) else to_text(value)


def in_range(number: int) -> int:
    if not -(2**31) <= number < 2**31:
        raise Failure
    return number


def operator(name: str, operands: list[Any]) -> Any:
    if name == "equal":
        left, right = operands
        return as_kind_of(right, left) == right
    numbers = [to_int(operand) for operand in operands]
    if name == "negate":
        return in_range(-numbers[0])
    left, right = numbers
    if name in ("divide", "remainder"):
        if right == 0:
            raise Failure
        # By definition: rounded toward zero, and what is left over.
        quotient = (abs(left) // abs(right)) * (1 if left * right >= 0 else -1)
        return in_range(quotient if name == "divide" else left - quotient * right)
    if name in ("add", "subtract", "multiply"):
        return in_range({"add": left + right, "subtract": left - right, "multiply": left * right}[name])
    return {"less": left < right, "at_most": left <= right, "more": left > right, "at_least": left >= right}[
        name
    ]


def like(text: str, pattern: str) -> bool:
    """A canonical pattern (a backslash escapes), by the obvious recursion on its first character."""
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(like(text[skipped:], pattern[1:]) for skipped in range(len(text) + 1))
    if not text:
        return False
    if pattern[0] == "\\":
        return text[0] == pattern[1] and like(text[1:], pattern[2:])
    return pattern[0] in ("_", text[0]) and like(text[1:], pattern[1:])


def function(name: str, arguments: list[Any]) -> Any:
    match name, arguments:
        case "INT", [value]:
            return to_int(value)
        case "BOOL", [value]:
            return to_bool(value)
        case "STRING", [value]:
            return to_text(value)
        case "ABS", [value]:
            return in_range(abs(to_int(value)))
        case "LENGTH", [value]:
            return len(to_text(value))
        case "CONCAT", values:
            return "".join(to_text(value) for value in values)
        case "CONCAT_WS", [between, *values]:
            return to_text(between).join([to_text(value) for value in values])
        case "LOWER", [value]:
            return to_text(value).lower()
        case "UPPER", [value]:
            return to_text(value).upper()
        case "TRIM", [value]:
            return to_text(value).strip(" \t\n\r")
        case (("LEFT" | "RIGHT"), [value, count]):
            text, length = to_text(value), to_int(count)
            if length < 0:
                raise Failure
            return "".join(text[:length] if name == "LEFT" else text[::-1][:length][::-1])
        case "SUBSTRING", [value, position, *rest]:
            return substring(to_text(value), to_int(position), *(to_int(length) for length in rest))
    raise Failure


def substring(text: str, position: int, length: int = 2**31) -> str:
    if abs(position) > len(text) or length < 0:
        raise Failure
    if position == 0:
        return ""
    first = position if position > 0 else len(text) + position + 1
    return "".join(c for place, c in enumerate(text, start=1) if first <= place < first + length)
