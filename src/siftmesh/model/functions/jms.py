"""Comparison and arithmetic as JMS selectors have them: Java's numeric promotion over longs and doubles.

An exact number is a long that wraps around at 64 bits, an approximate one a double; where both meet, the long
becomes a double first. Null in, null out. A value that is no number makes arithmetic OPAQUE: neither null nor
like anything else. What Java calls NaN is null here, as it is in events.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from typing import Any

from siftmesh.model.functions.registry import Function
from siftmesh.model.values import INT_MIN, OPAQUE, Kind, Value, kind_of

__all__ = ["JMS"]

_COMPARABLE = (Kind.BOOL, Kind.NUMBER, Kind.STRING)


def _java(number: Any) -> Value:
    """What Java's arithmetic leaves of an exact result: a long of 64 bits, or a double."""
    if type(number) is int:
        return (number - INT_MIN) % 2**64 + INT_MIN
    return None if number is None or math.isnan(number) else number


def _arithmetic(compute: Callable[[Any, Any], Any]) -> Callable[[Value, Value], Value]:
    def apply(left: Value, right: Value) -> Value:
        if left is None or right is None:
            return None
        # Exact types: bool is an int to Python, and is no number here.
        if type(left) not in (int, float) or type(right) not in (int, float):
            return OPAQUE
        if type(left) is not type(right):
            return _java(compute(float(left), float(right)))  # type: ignore[arg-type]  # an int and a float
        return _java(compute(left, right))

    return apply


def _divide(left: Any, right: Any) -> Any:
    """A quotient of two longs or of two doubles."""
    if type(left) is int:
        if right == 0:
            return None
        quotient = abs(left) // abs(right)  # truncated, as in Java; Python's // floors
        return quotient if (left < 0) == (right < 0) else -quotient
    if right == 0:  # IEEE 754: a signed infinity, or NaN for 0/0
        return math.nan if left == 0 else math.copysign(math.inf, left) * math.copysign(1.0, right)
    return left / right


def _negate(value: Value) -> Value:
    if value is None or type(value) in (int, float):
        return None if value is None else _java(-value)  # type: ignore[operator]  # a number, just checked
    return OPAQUE


def _test(compare: Callable[[Any, Any], bool], ordered: bool) -> Callable[[Value, Value], Value]:
    """A comparison: null if either side is null, false for values that are not alike or have no order."""

    def apply(left: Value, right: Value) -> Value:
        if left is None or right is None:
            return None
        kind = kind_of(left)
        if kind is not kind_of(right) or kind not in _COMPARABLE or (ordered and kind is not Kind.NUMBER):
            return False
        if type(left) is not type(right):
            return compare(float(left), float(right))  # type: ignore[arg-type]  # an int and a float
        return compare(left, right)

    return apply


JMS: tuple[Function, ...] = (
    Function("jms_add", 2, 2, Kind.NUMBER, _arithmetic(operator.add)),
    Function("jms_subtract", 2, 2, Kind.NUMBER, _arithmetic(operator.sub)),
    Function("jms_multiply", 2, 2, Kind.NUMBER, _arithmetic(operator.mul)),
    Function("jms_divide", 2, 2, Kind.NUMBER, _arithmetic(_divide)),
    Function("jms_negate", 1, 1, Kind.NUMBER, _negate),
    Function("jms_eq", 2, 2, Kind.BOOL, _test(operator.eq, ordered=False)),
    Function("jms_ne", 2, 2, Kind.BOOL, _test(operator.ne, ordered=False)),
    Function("jms_lt", 2, 2, Kind.BOOL, _test(operator.lt, ordered=True)),
    Function("jms_le", 2, 2, Kind.BOOL, _test(operator.le, ordered=True)),
)
