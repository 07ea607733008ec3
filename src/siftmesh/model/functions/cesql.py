"""CloudEvents SQL on plain values: its casts, operators and functions, with the errors they may end in.

CESQL is total: every operation yields a value even when it fails. `Result` carries both. The same
operations are registered as scalar functions named `cesql_*`, for filters that cannot be said with
ordinary comparisons; there an error is null, and a null argument is CESQL's missing attribute.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec

from siftmesh.model.functions.registry import LONGEST_STRING, Function
from siftmesh.model.pattern import compile_pattern
from siftmesh.model.values import Kind, Timestamp, Value

__all__ = [
    "ABSENT",
    "BUILT_IN",
    "CESQL",
    "INT32_MAX",
    "INT32_MIN",
    "OPERATORS",
    "Operation",
    "Primitive",
    "Result",
    "all_true",
    "any_true",
    "cast",
    "odd_true",
    "perform",
    "primitive",
    "result_of",
]

INT32_MIN = -(2**31)
INT32_MAX = 2**31 - 1

Primitive = bool | int | str

# What CESQL makes of values that no CloudEvents attribute holds but an event of ours may.
_ARRAY, _OBJECT = "[]", "{}"

_INTEGER = re.compile(r"([+-]?)0*([0-9]{1,10})\Z")
# Unicode's White_Space; str.strip() would also take the separators U+001C to U+001F.
_WHITE_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)


class Result(NamedTuple):
    """The value of an expression, and the name of the first error met on the way (None: none)."""

    value: Primitive
    error: str | None = None


ABSENT = Result(False, "missingAttribute")

_ZERO: dict[type, Primitive] = {bool: False, int: 0, str: ""}


def primitive(value: Value) -> Primitive | None:
    """An event's value as a CESQL value, or None where CESQL sees no attribute at all.

    Whole numbers of at most 32 bits are integers; whatever else is no string or bool reads as a string.
    """
    if value is None or type(value) in (bool, str):
        return value  # type: ignore[return-value]  # None, bool and str are what is left
    if type(value) is float:
        if math.isinf(value):
            return "Infinity" if value > 0 else "-Infinity"
        if not value.is_integer():
            return repr(value)
        value = int(value)
    if type(value) is int:
        return value if INT32_MIN <= value <= INT32_MAX else str(value)
    if type(value) is Timestamp:
        return value.isoformat()
    return _ARRAY if type(value) is tuple else _OBJECT


def result_of(value: Value) -> Result:
    """What CESQL reads where an attribute has this value (null: the attribute is not there)."""
    known = primitive(value)
    return ABSENT if known is None else Result(known)


# ---- casts


def cast(value: Primitive, kind: type) -> Result:
    """The value as a bool, int or str; where that fails, the kind's zero value and the error."""
    if type(value) is kind:
        return Result(value)
    if kind is str:
        return Result(("false", "true")[value] if type(value) is bool else str(value))
    if type(value) is not str:
        return Result(int(value) if kind is int else value != 0)
    return _integer(value) if kind is int else _boolean(value)


def _integer(text: str) -> Result:
    match = _INTEGER.match(text)
    number = int(match.group(1) + match.group(2)) if match else INT32_MAX + 1
    return Result(number) if INT32_MIN <= number <= INT32_MAX else Result(0, "cast")


def _boolean(text: str) -> Result:
    lowered = text.lower()
    return Result(lowered == "true") if lowered in ("true", "false") else Result(False, "cast")


# ---- logic: these read their operands one by one and stop as soon as the verdict stands


def all_true(operands: Iterable[Result]) -> Result:
    """AND: stops at the first operand that is false, or fails."""
    for operand in operands:
        verdict = _truth(operand)
        if verdict.error or not verdict.value:
            return verdict
    return Result(True)


def any_true(operands: Iterable[Result]) -> Result:
    """OR: stops at the first operand that is true, or fails."""
    for operand in operands:
        verdict = _truth(operand)
        if verdict.error or verdict.value:
            return verdict
    return Result(False)


def odd_true(operands: Iterable[Result]) -> Result:
    """XOR: true when an odd number of operands is; stops only at one that fails."""
    odd = False
    for operand in operands:
        verdict = _truth(operand)
        if verdict.error:
            return verdict
        odd ^= bool(verdict.value)
    return Result(odd)


def _truth(operand: Result) -> Result:
    return Result(False, operand.error) if operand.error else cast(operand.value, bool)


# ---- operations


class Operation(msgspec.Struct, frozen=True):
    """An operator or a function: the kinds of its parameters and of its result, and what it computes.

    A parameter of kind `object` is taken uncast. `rest` is the kind of further arguments, None for none.
    """

    parameters: tuple[type, ...]
    result: type
    compute: Callable[..., Result | Primitive]
    rest: type | None = None

    def accepts(self, count: int) -> bool:
        return count == len(self.parameters) or (self.rest is not None and count > len(self.parameters))


def perform(operation: Operation, operands: Iterable[Result]) -> Result:
    """Apply an operation; an operand or a cast that fails gives the zero value of its result."""
    values: list[Primitive] = []
    zero = _ZERO[operation.result]
    for operand in operands:
        if operand.error:
            return Result(zero, operand.error)
        values.append(operand.value)
    for place, value in enumerate(values):
        kind = operation.parameters[place] if place < len(operation.parameters) else operation.rest
        if kind is not None and kind is not object:
            found = cast(value, kind)
            if found.error:
                return Result(zero, found.error)
            values[place] = found.value
    outcome = operation.compute(*values)
    return outcome if isinstance(outcome, Result) else Result(outcome)


def _not(value: Primitive) -> Result:
    # The conformance kit wants an error and `true` for NOT of an integer, though integers cast to booleans.
    if type(value) is int:
        return Result(True, "cast")
    verdict = cast(value, bool)
    return Result(not verdict.value, verdict.error)


def _fit(number: int) -> Result:
    return Result(number) if INT32_MIN <= number <= INT32_MAX else Result(0, "math")


def _divide(left: int, right: int) -> Result:
    if right == 0:
        return Result(0, "math")
    quotient = abs(left) // abs(right)
    return _fit(quotient if (left < 0) == (right < 0) else -quotient)


def _remainder(left: int, right: int) -> Result:
    if right == 0:
        return Result(0, "math")
    rest = abs(left) % abs(right)
    return Result(-rest if left < 0 else rest)


def _equal(left: Primitive, right: Primitive) -> Result:
    # The right side says what both are compared as.
    converted = cast(left, type(right))
    return Result(False, converted.error) if converted.error else Result(converted.value == right)


def _member(left: Primitive, *items: Primitive) -> Result:
    # Here the left side says it. Every item is cast, also after an equal one: only AND and OR stop early.
    found = False
    for item in items:
        converted = cast(item, type(left))
        if converted.error:
            return Result(False, converted.error)
        found |= converted.value == left
    return Result(found)


def _like(text: str, pattern: str) -> bool:
    return compile_pattern(pattern).matches(text)


def _joined(between: str, texts: tuple[str, ...]) -> Result:
    if sum(map(len, texts)) + len(between) * len(texts) > LONGEST_STRING:
        return Result("", "functionEvaluation")
    return Result(between.join(texts))


def _absolute(number: int) -> Result:
    return Result(INT32_MAX, "math") if number == INT32_MIN else Result(abs(number))


def _left(text: str, count: int) -> Result:
    return Result(text, "functionEvaluation") if count < 0 else Result(text[:count])


def _right(text: str, count: int) -> Result:
    return Result(text, "functionEvaluation") if count < 0 else Result(text[max(0, len(text) - count) :])


def _substring(text: str, position: int, length: int | None = None) -> Result:
    if abs(position) > len(text) or (length is not None and length < 0):
        return Result("", "functionEvaluation")
    if position == 0:
        return Result("")
    start = position - 1 if position > 0 else len(text) + position
    return Result(text[start:] if length is None else text[start : start + length])


# The operators, by the name that they have among the scalar functions. `like` takes a canonical pattern.
OPERATORS: dict[str, Operation] = {
    "not": Operation((object,), bool, _not),
    "negate": Operation((int,), int, lambda number: _fit(-number)),
    "add": Operation((int, int), int, lambda left, right: _fit(left + right)),
    "subtract": Operation((int, int), int, lambda left, right: _fit(left - right)),
    "multiply": Operation((int, int), int, lambda left, right: _fit(left * right)),
    "divide": Operation((int, int), int, _divide),
    "remainder": Operation((int, int), int, _remainder),
    "equal": Operation((object, object), bool, _equal),
    "less": Operation((int, int), bool, lambda left, right: left < right),
    "at_most": Operation((int, int), bool, lambda left, right: left <= right),
    "more": Operation((int, int), bool, lambda left, right: left > right),
    "at_least": Operation((int, int), bool, lambda left, right: left >= right),
    "like": Operation((str, str), bool, _like),
    "in": Operation((object, object), bool, _member, rest=object),
}

# The functions that an expression can call, by name; a name may stand for several numbers of arguments.
BUILT_IN: dict[str, tuple[Operation, ...]] = {
    "INT": (Operation((int,), int, Result),),
    "BOOL": (Operation((bool,), bool, Result),),
    "STRING": (Operation((str,), str, Result),),
    "ABS": (Operation((int,), int, _absolute),),
    "LENGTH": (Operation((str,), int, len),),
    "CONCAT": (Operation((), str, lambda *texts: _joined("", texts), rest=str),),
    "CONCAT_WS": (Operation((str,), str, lambda between, *texts: _joined(between, texts), rest=str),),
    "LOWER": (Operation((str,), str, str.lower),),
    "UPPER": (Operation((str,), str, str.upper),),
    "TRIM": (Operation((str,), str, lambda text: text.strip(_WHITE_SPACE)),),
    "LEFT": (Operation((str, int), str, _left),),
    "RIGHT": (Operation((str, int), str, _right),),
    "SUBSTRING": (Operation((str, int), str, _substring), Operation((str, int, int), str, _substring)),
}

# ---- the same as scalar functions

_KINDS: dict[type, Kind] = {bool: Kind.BOOL, int: Kind.NUMBER, str: Kind.STRING}


def _scalar(name: str, overloads: tuple[Operation, ...]) -> Function:
    least = min(len(operation.parameters) for operation in overloads)
    unbounded = any(operation.rest is not None for operation in overloads)
    most = None if unbounded else max(len(operation.parameters) for operation in overloads)

    def apply(*values: Value) -> Value:
        chosen = next((operation for operation in overloads if operation.accepts(len(values))), None)
        return None if chosen is None else _answer(perform(chosen, map(result_of, values)))

    return Function(f"cesql_{name}", least, most, _KINDS[overloads[0].result], apply)


def _answer(result: Result) -> Value:
    return None if result.error else result.value


def _logical(name: str, decide: Callable[[Iterable[Result]], Result]) -> Function:
    # The arguments are values already, but one that failed after the verdict stands is still not looked at.
    return Function(
        f"cesql_{name}", 2, None, Kind.BOOL, lambda *values: _answer(decide(map(result_of, values)))
    )


def _type_name(value: Value) -> Value:
    known: Any = primitive(value)
    return {bool: "boolean", int: "integer", str: "string"}.get(type(known))


CESQL: tuple[Function, ...] = (
    *(_scalar(name, (operation,)) for name, operation in OPERATORS.items()),
    *(_scalar(name.lower(), overloads) for name, overloads in BUILT_IN.items()),
    _logical("and", all_true),
    _logical("or", any_true),
    _logical("xor", odd_true),
    Function("cesql_exists", 1, 1, Kind.BOOL, lambda value: value is not None),
    Function("cesql_type", 1, 1, Kind.STRING, _type_name),
)
