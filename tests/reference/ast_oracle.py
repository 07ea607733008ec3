"""The meaning of a filter, evaluated slowly and obviously on its syntax tree exactly as written.

This is the oracle that every faster evaluation is held equal to, so it shares no code with
`siftmesh.logic`, with `siftmesh.model.pattern` or with `siftmesh.model.functions`; only the types of
values, events and syntax trees are common property. What it settles (the reference page says the same for
users):

* A value is null, a bool, a number, a string, a timestamp, an array or opaque (an object, bytes, an array
  of objects or of arrays). Null is unknown wherever it is compared; a missing attribute is null
  everywhere except in EXISTS. Arrays and opaque values never compare, not even with themselves.
* Values of one kind compare, others are unknown. Numbers compare exactly, ints with floats too. Of two
  bools only `=` and `<>` are known. Strings compare by code point.
* Where one side is a timestamp by how it is *written* (a TIMESTAMP literal, a parameter bound to a
  timestamp, or an expression of nothing but constants), a string on the other side is read as RFC 3339
  first; a string that is none stays a string, so the comparison is unknown. This holds for comparisons,
  BETWEEN, IN, CONTAINS, OVERLAPS and the terms of SOME. A timestamp of the event beside a string literal
  is unknown.
* RFC 3339 as read here: `YYYY-MM-DD`, then `T`, `t` or one space, then `HH:MM:SS`, a fraction of one or
  more digits or none, then `Z`, `z`, `+HH:MM` or `-HH:MM`. Years 0001 to 9999, only ASCII digits, nothing
  before or after. Digits past the sixth of the fraction are dropped. A leap second (`:60`) is refused,
  and so is a moment that falls outside those years once it is in UTC.
* `a BETWEEN x AND y` is `a >= x AND a <= y`; `a IN (x, y)` is `a = x OR a = y`; OVERLAPS is an OR of
  CONTAINS; the negated forms are NOT of these, by Kleene.
* `a CONTAINS x`: true when an element equals x; else unknown when a is no array, x is null, or an element
  is null or not comparable with x; else false (so an empty array contains nothing, for certain).
* SOME is unknown when an array is missing, null, no array, or of another length than the others.
  Otherwise it is the OR over all indexes of the AND of all terms: arrays without elements make it false.
* LIKE on anything but a string is unknown. `%` stands for any run of characters and `_` for one; a
  character after the escape character stands for itself, whatever it is. ILIKE case-folds both sides
  first, one character may become several by that (`ß` becomes `ss`), and `_` stands for one character of
  the folded string.
* A bare expression as a condition is true or false when its value is that bool, else unknown.
* Arithmetic on ints is exact and null outside 64 bits; `/` of two ints truncates toward zero and `%` has
  the sign of the dividend; with a float on either side both become floats first (IEEE 754, `%` as C's
  fmod). Division by zero, NaN and anything that is no number give null. Infinity is a value.
* Functions give null for an argument they do not take, also for null; `coalesce` and `kind` take
  everything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import zip_longest
from typing import Any

from siftmesh.language import ast
from siftmesh.model.event import Event
from siftmesh.model.functions import FUNCTIONS
from siftmesh.model.values import INT_MAX, INT_MIN, Kind, Timestamp, Value, kind_of, to_value

__all__ = ["like", "read_rfc3339", "truth"]

Truth = bool | None


def truth(condition: ast.Condition, event: Event, parameters: Mapping[str, Any] | None = None) -> Truth:
    """True, False or None (unknown), as the language reference defines it."""
    bound = {name: to_value(value) for name, value in (parameters or {}).items()}
    return _truth(condition, _Scope(event.values, bound))


class _Scope:
    """Where names get their values from: the event's attributes and the template's parameters."""

    def __init__(self, values: Mapping[str, Value], bound: Mapping[str, Value]) -> None:
        self.values = values
        self.bound = bound


# ---- Kleene's three values


def _not(operand: Truth) -> Truth:
    return None if operand is None else not operand


def _and(operands: Iterable[Truth]) -> Truth:
    known = list(operands)
    if False in known:
        return False
    return None if None in known else True


def _or(operands: Iterable[Truth]) -> Truth:
    known = list(operands)
    if True in known:
        return True
    return None if None in known else False


def _negated(operand: Truth, negated: bool) -> Truth:
    return _not(operand) if negated else operand


# ---- conditions


def _truth(condition: ast.Condition, scope: _Scope) -> Truth:
    match condition:
        case ast.Truth():
            return condition.value
        case ast.IsTrue():
            value = _value(condition.operand, scope)
            return value if isinstance(value, bool) else None
        case ast.Comparison():
            return _comparison(condition.operator, condition.left, condition.right, scope)
        case ast.Between():
            above = _comparison(">=", condition.operand, condition.low, scope)
            below = _comparison("<=", condition.operand, condition.high, scope)
            return _negated(_and([above, below]), condition.negated)
        case ast.In():
            equal = [_comparison("=", condition.operand, item, scope) for item in condition.items]
            return _negated(_or(equal), condition.negated)
        case ast.Like():
            return _negated(_like(condition, scope), condition.negated)
        case ast.IsNull():
            return _negated(_value(condition.operand, scope) is None, condition.negated)
        case ast.Exists():
            return condition.attribute.name in scope.values
        case ast.Contains():
            return _contains(condition.array, condition.item, scope)
        case ast.Overlaps():
            return _or([_contains(condition.array, item, scope) for item in condition.items])
        case ast.Some():
            return _some(condition, scope)
        case ast.Not():
            return _not(_truth(condition.operand, scope))
        case ast.And():
            return _and([_truth(operand, scope) for operand in condition.operands])
        case ast.Or():
            return _or([_truth(operand, scope) for operand in condition.operands])
    raise AssertionError(f"the oracle does not know {type(condition).__name__}")


def _comparison(operator: str, left: ast.Expression, right: ast.Expression, scope: _Scope) -> Truth:
    a, b = _value(left, scope), _value(right, scope)
    if _written_timestamp(right, b):
        a = _as_moment(a)
    if _written_timestamp(left, a):
        b = _as_moment(b)
    return _compare(operator, a, b)


def _written_timestamp(node: ast.Expression, value: Value) -> bool:
    return isinstance(value, Timestamp) and not any(
        isinstance(part, ast.Attribute) for part in ast.walk(node)
    )


def _as_moment(value: Value) -> Value:
    if isinstance(value, str):
        moment = read_rfc3339(value)
        return value if moment is None else moment
    return value


def _compare(operator: str, a: Any, b: Any) -> Truth:
    kind = kind_of(a)
    if kind is not kind_of(b) or kind in (Kind.NULL, Kind.ARRAY, Kind.OPAQUE):
        return None
    if operator == "=":
        return bool(a == b)
    if operator == "<>":
        return bool(a != b)
    if kind is Kind.BOOL:
        return None
    # Python orders ints and floats exactly, and strings by code point.
    if operator == "<":
        return bool(a < b)
    if operator == "<=":
        return bool(a <= b)
    if operator == ">":
        return bool(a > b)
    if operator == ">=":
        return bool(a >= b)
    raise AssertionError(operator)


def _like(condition: ast.Like, scope: _Scope) -> Truth:
    text = _value(condition.operand, scope)
    pattern = _value(condition.pattern, scope)
    if not isinstance(text, str) or not isinstance(pattern, str):
        return None
    return like(text, pattern, condition.escape, condition.ignore_case)


def like(text: str, pattern: str, escape: str | None = None, ignore_case: bool = False) -> bool:
    """Whether the whole text fits the pattern as written, decided one character at a time."""
    if ignore_case:
        text = text.casefold()
    # `reached` holds every place of the text that the part of the pattern read so far can lead to.
    reached = {0}
    characters = iter(pattern)
    for character in characters:
        literal = character
        if character == escape:
            following = next(characters, None)
            if following is None:
                raise ValueError("the pattern ends in its escape character")
            literal = following
        elif character == "%":
            reached = set(range(min(reached), len(text) + 1)) if reached else set()
            continue
        elif character == "_":
            reached = {place + 1 for place in reached if place < len(text)}
            continue
        for wanted in literal.casefold() if ignore_case else literal:
            reached = {place + 1 for place in reached if text[place : place + 1] == wanted}
    return len(text) in reached


def _contains(array: ast.Attribute, item: ast.Constant, scope: _Scope) -> Truth:
    elements, wanted = _value(array, scope), _value(item, scope)
    if not isinstance(elements, tuple) or wanted is None:
        return None
    return _or([_compare("=", _beside(element, wanted), wanted) for element in elements])


def _beside(element: Value, constant: Value) -> Value:
    """An element of an array as it is compared with a constant."""
    return _as_moment(element) if isinstance(constant, Timestamp) else element


def _some(condition: ast.Some, scope: _Scope) -> Truth:
    arrays = {binding.variable: _value(binding.array, scope) for binding in condition.bindings}
    if not all(isinstance(array, tuple) for array in arrays.values()):
        return None
    lengths = {len(array) for array in arrays.values()}
    if len(lengths) != 1:
        return None
    (length,) = lengths
    at_each_index = []
    for index in range(length):
        elements = {variable: array[index] for variable, array in arrays.items()}
        terms = []
        for term in condition.terms:
            assert isinstance(term.left, ast.Attribute)
            constant = _value(term.right, scope)
            terms.append(_compare(term.operator, _beside(elements[term.left.name], constant), constant))
        at_each_index.append(_and(terms))
    return _or(at_each_index)


# ---- expressions


def _value(expression: ast.Expression, scope: _Scope) -> Any:
    match expression:
        case ast.Literal():
            return expression.value
        case ast.Attribute():
            return scope.values.get(expression.name)
        case ast.Parameter():
            return scope.bound[expression.name]
        case ast.Negate():
            operand = _value(expression.operand, scope)
            return _as_result(-operand) if _is_number(operand) else None
        case ast.Arithmetic():
            left, right = _value(expression.left, scope), _value(expression.right, scope)
            return _arithmetic(expression.operator, left, right)
        case ast.Call():
            arguments = [_value(argument, scope) for argument in expression.arguments]
            # Functions of foreign dialects have oracles of their own; here they are taken as they are.
            function = _NATIVE.get(expression.function) or FUNCTIONS[expression.function].apply
            return function(*arguments)
    raise AssertionError(f"the oracle does not know {type(expression).__name__}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _as_result(number: int | float) -> Value:
    if isinstance(number, int):
        return number if INT_MIN <= number <= INT_MAX else None
    return None if math.isnan(number) else number


def _arithmetic(operator: str, left: Any, right: Any) -> Value:
    if not _is_number(left) or not _is_number(right):
        return None
    if isinstance(left, int) and isinstance(right, int):
        return _on_ints(operator, left, right)
    return _on_floats(operator, float(left), float(right))


def _on_ints(operator: str, left: int, right: int) -> Value:
    if operator in ("/", "%") and right == 0:
        return None
    if operator == "/":
        return _as_result(math.trunc(Fraction(left, right)))
    if operator == "%":
        return _as_result(left - right * math.trunc(Fraction(left, right)))
    return _as_result({"+": left + right, "-": left - right, "*": left * right}[operator])


def _on_floats(operator: str, left: float, right: float) -> Value:
    if operator in ("/", "%") and right == 0:
        return None
    if operator == "/":
        return _as_result(left / right)
    if operator == "%":
        return _float_remainder(left, right)
    return _as_result({"+": left + right, "-": left - right, "*": left * right}[operator])


def _float_remainder(left: float, right: float) -> Value:
    if math.isinf(left):
        return None
    if math.isinf(right):
        return left
    exact, divisor = Fraction(left), Fraction(right)
    rest = float(exact - divisor * math.trunc(exact / divisor))  # always a double: no rounding here
    return math.copysign(rest, left)


# ---- functions


def _length(value: Any) -> Value:
    return sum(1 for _ in value) if isinstance(value, (str, tuple)) else None


def _absolute(value: Any) -> Value:
    if not _is_number(value):
        return None
    return _as_result(math.copysign(value, 1.0) if isinstance(value, float) else max(value, -value))


def _coalesce(*values: Any) -> Value:
    for value in values:
        if value is not None:
            return value  # type: ignore[no-any-return]  # the arguments are values
    return None


def _concat(*values: Any) -> Value:
    joined = ""
    for value in values:
        if not isinstance(value, str):
            return None
        joined += value
        if len(joined) > 10_000_000:
            return None
    return joined


def _ascii_digits(text: str) -> bool:
    return text != "" and all(character in "0123456789" for character in text)


def _unsigned(text: str) -> str:
    return text[1:] if text[:1] in ("+", "-") else text


def _int(value: Any) -> Value:
    if isinstance(value, bool):
        return 1 if value else 0
    if isinstance(value, int):
        return value
    if isinstance(value, float):
        return None if math.isinf(value) else _as_result(math.trunc(value))
    if isinstance(value, str) and _ascii_digits(_unsigned(value)) and len(_unsigned(value)) <= 19:
        return _as_result(int(value))
    return None


def _looks_like_float(text: str) -> bool:
    mantissa, *exponent = _unsigned(text).replace("E", "e").split("e", 1)
    if exponent and not _ascii_digits(_unsigned(exponent[0])):
        return False
    whole, *fraction = mantissa.split(".", 1)
    digits = whole + (fraction[0] if fraction else "")
    return _ascii_digits(digits)


def _float(value: Any) -> Value:
    if isinstance(value, (bool, int, float)):
        return float(value)
    if isinstance(value, str) and _looks_like_float(value):
        return float(value)
    return None


def _string(value: Any) -> Value:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Timestamp):
        moment = datetime(1970, 1, 1) + timedelta(microseconds=value.micros)
        return moment.isoformat() + "Z"
    return value if isinstance(value, str) else None


def _bool(value: Any) -> Value:
    if isinstance(value, bool):
        return value
    if isinstance(value, int):
        return value != 0
    if isinstance(value, str) and value.lower() in ("true", "false"):
        return value.lower() == "true"
    return None


_KIND_NAMES = {
    Kind.NULL: "null",
    Kind.BOOL: "bool",
    Kind.NUMBER: "number",
    Kind.STRING: "string",
    Kind.TIMESTAMP: "timestamp",
    Kind.ARRAY: "array",
    Kind.OPAQUE: "opaque",
}

_NATIVE: dict[str, Callable[..., Value]] = {
    "lower": lambda value: value.lower() if isinstance(value, str) else None,
    "upper": lambda value: value.upper() if isinstance(value, str) else None,
    "trim": lambda value: value.strip(" ") if isinstance(value, str) else None,
    "length": _length,
    "abs": _absolute,
    "coalesce": _coalesce,
    "concat": _concat,
    "int": _int,
    "float": _float,
    "string": _string,
    "bool": _bool,
    "kind": lambda value: _KIND_NAMES[kind_of(value)],
}


# ---- timestamps in strings


def read_rfc3339(text: str) -> Timestamp | None:
    """The moment that a string names, or None when it is no full RFC 3339 date-time with a zone."""
    if not _fits(text[:19], "dddd-dd-ddTdd:dd:dd"):
        return None
    fraction, zone = _fraction_and_zone(text[19:])
    offset = _offset(zone)
    if fraction is None or offset is None:
        return None
    micros = int((fraction + "000000")[:6])
    numbers = (text[0:4], text[5:7], text[8:10], text[11:13], text[14:16], text[17:19])
    try:
        local = datetime(*map(int, numbers), micros, tzinfo=UTC)  # type: ignore[arg-type, misc]  # six ints
        moment = local - offset
    except (ValueError, OverflowError):  # no such day or hour, or beyond the calendar in UTC
        return None
    return Timestamp((moment - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1))


def _fits(text: str, shape: str) -> bool:
    """Whether each character is the shape's: `d` is any digit and `T` what may part date and time."""
    allowed = {"d": "0123456789", "T": "Tt "}
    pairs = zip_longest(text, shape, fillvalue="")
    return all(got != "" and got in allowed.get(wanted, wanted) for got, wanted in pairs)


def _fraction_and_zone(rest: str) -> tuple[str | None, str]:
    if not rest.startswith("."):
        return "", rest
    digits = rest[1:]
    end = next((at for at, character in enumerate(digits) if character not in "0123456789"), len(digits))
    return (digits[:end] or None), digits[end:]


def _offset(zone: str) -> timedelta | None:
    if zone in ("Z", "z"):
        return timedelta(0)
    if not _fits(zone, "sdd:dd".replace("s", zone[:1])) or zone[:1] not in ("+", "-"):
        return None
    hours, minutes = int(zone[1:3]), int(zone[4:6])
    if hours > 23 or minutes > 59:
        return None
    offset = timedelta(hours=hours, minutes=minutes)
    return offset if zone[0] == "+" else -offset
