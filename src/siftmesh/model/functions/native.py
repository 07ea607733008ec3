"""The language's own scalar functions and its arithmetic."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

from siftmesh.model.functions.registry import LONGEST_STRING, Function
from siftmesh.model.values import INT_MAX, INT_MIN, Kind, Timestamp, Value, kind_of

__all__ = ["ARITHMETIC", "NATIVE", "negate"]

_INT_TEXT = re.compile(r"[+-]?[0-9]{1,19}\Z")
_FLOAT_TEXT = re.compile(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?\Z")


def _fit(number: int | float) -> Value:
    """The number if it is a value: an int of at most 64 bits, a float that is not NaN."""
    if type(number) is int:
        return number if INT_MIN <= number <= INT_MAX else None
    return None if number != number else number


def _arithmetic(
    compute: Callable[[int | float, int | float], int | float],
) -> Callable[[Value, Value], Value]:
    def apply(left: Value, right: Value) -> Value:
        # Exact types: bool is an int to Python, and is no number here.
        if type(left) not in (int, float) or type(right) not in (int, float):
            return None
        try:
            return _fit(compute(left, right))  # type: ignore[arg-type]  # both are numbers, checked above
        except (ArithmeticError, ValueError):
            return None

    return apply


def _divide(left: int | float, right: int | float) -> int | float:
    if type(left) is int and type(right) is int:
        quotient = abs(left) // abs(right)  # truncated, as in SQL; Python's // floors
        return quotient if (left < 0) == (right < 0) else -quotient
    return left / right


def _remainder(left: int | float, right: int | float) -> int | float:
    if type(left) is int and type(right) is int:
        rest = abs(left) % abs(right)  # the sign of the dividend, as in SQL
        return -rest if left < 0 else rest
    return math.fmod(left, right)


ARITHMETIC: dict[str, Callable[[Value, Value], Value]] = {
    "+": _arithmetic(lambda left, right: left + right),
    "-": _arithmetic(lambda left, right: left - right),
    "*": _arithmetic(lambda left, right: left * right),
    "/": _arithmetic(_divide),
    "%": _arithmetic(_remainder),
}


def negate(value: Value) -> Value:
    """Minus a number, null for anything else."""
    return _fit(-value) if type(value) in (int, float) else None  # type: ignore[operator]  # a number, just checked


def _of_string(compute: Callable[[str], Value]) -> Callable[[Value], Value]:
    return lambda value: compute(value) if type(value) is str else None


def _length(value: Value) -> Value:
    return len(value) if isinstance(value, (str, tuple)) else None


def _absolute(value: Value) -> Value:
    return _fit(abs(value)) if type(value) in (int, float) else None  # type: ignore[arg-type]  # a number


def _coalesce(*values: Value) -> Value:
    return next((value for value in values if value is not None), None)


def _concat(*values: Value) -> Value:
    length = 0
    for value in values:
        if type(value) is not str:
            return None
        length += len(value)
    return "".join(values) if length <= LONGEST_STRING else None  # type: ignore[arg-type]  # strings, just seen


def _to_int(value: Value) -> Value:
    if type(value) is bool:
        return int(value)
    if type(value) is int:
        return value
    if type(value) is float:
        return _fit(int(value)) if math.isfinite(value) else None
    if type(value) is str and _INT_TEXT.match(value):
        return _fit(int(value))
    return None


def _to_float(value: Value) -> Value:
    if type(value) in (bool, int, float):
        return float(value)  # type: ignore[arg-type]  # one of the three
    if type(value) is str and _FLOAT_TEXT.match(value):
        return float(value)
    return None


def _to_string(value: Value) -> Value:
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) in (int, float):
        return repr(value)
    if type(value) is Timestamp:
        return value.isoformat()
    return value if type(value) is str else None


def _to_bool(value: Value) -> Value:
    if type(value) is bool:
        return value
    if type(value) is int:
        return value != 0
    if type(value) is str:
        return {"true": True, "false": False}.get(value.lower())
    return None


def _kind(value: Value) -> Value:
    return kind_of(value).name.lower()


NATIVE: tuple[Function, ...] = (
    Function("lower", 1, 1, Kind.STRING, _of_string(str.lower), (Kind.STRING,)),
    Function("upper", 1, 1, Kind.STRING, _of_string(str.upper), (Kind.STRING,)),
    Function("trim", 1, 1, Kind.STRING, _of_string(lambda text: text.strip(" ")), (Kind.STRING,)),
    Function("length", 1, 1, Kind.NUMBER, _length, (Kind.STRING, Kind.ARRAY)),
    Function("abs", 1, 1, Kind.NUMBER, _absolute, (Kind.NUMBER,)),
    Function("coalesce", 1, None, None, _coalesce),
    Function("concat", 0, None, Kind.STRING, _concat, (Kind.STRING,)),
    Function("int", 1, 1, Kind.NUMBER, _to_int),
    Function("float", 1, 1, Kind.NUMBER, _to_float),
    Function("string", 1, 1, Kind.STRING, _to_string),
    Function("bool", 1, 1, Kind.BOOL, _to_bool),
    Function("kind", 1, 1, Kind.STRING, _kind),
)
