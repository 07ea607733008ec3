"""The text of a literal to its value."""

from __future__ import annotations

import math
import re

from siftmesh.errors import Span, SyntaxError, shown
from siftmesh.model.rfc3339 import parse_date, parse_rfc3339
from siftmesh.model.values import INT_MAX, INT_MIN, Timestamp

__all__ = ["DURATIONS", "number_value", "string_value", "timestamp_value"]

DURATIONS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800}
_NUMBER = re.compile(r"((?:[0-9]+(\.[0-9]*)?|(\.[0-9]+))([eE][+-]?[0-9]+)?)(\w*)\Z")
# Longer than any 64-bit integer: refused before Python spends quadratic time on converting it.
_MOST_DIGITS = 40


def number_value(text: str, source: str, span: Span, negative: bool = False) -> int | float:
    """The value of a number literal: an int, a float if it has a point or exponent, a duration in seconds."""
    if len(text) < 19 and text.isascii() and text.isdigit():
        return -int(text) if negative else int(text)
    match = _NUMBER.match(text)
    if match is None:
        raise SyntaxError(f"{shown(text)} is not a number", source=source, span=span)
    digits, point, leading, exponent, suffix = match.groups()
    number: int | float
    if point is not None or leading is not None or exponent is not None:
        number = float(digits)
    else:
        digits = digits.lstrip("0")
        number = int(digits or "0") if len(digits) <= _MOST_DIGITS else math.inf
    if suffix:
        if suffix not in DURATIONS:
            raise SyntaxError(
                f"{shown(suffix)} cannot follow a number",
                source=source,
                span=span,
                expected="a duration such as 90s, 5m, 2h, 1d or 1w",
            )
        number *= DURATIONS[suffix]
    if negative:
        number = -number
    if type(number) is int and not INT_MIN <= number <= INT_MAX:
        number = math.inf
    if math.isinf(number):
        raise SyntaxError(
            "the number is too large", source=source, span=span, expected="a 64-bit integer or a double"
        )
    return number


def string_value(text: str) -> str:
    """The value of a string literal, its quotes included in `text`."""
    inside = text[1:-1]
    return inside.replace("''", "'") if "'" in inside else inside


def timestamp_value(text: str, source: str, span: Span) -> Timestamp:
    """The value of the string after TIMESTAMP, quotes included: RFC 3339, or a date for midnight UTC."""
    written = string_value(text)
    moment = parse_rfc3339(written) or parse_date(written)
    if moment is None:
        raise SyntaxError(
            f"{shown(text)} is not a timestamp",
            source=source,
            span=span,
            expected="RFC 3339 with a time zone, such as '2026-11-18T09:30:00Z', or a date",
        )
    return moment
