"""Values of events and of filters: their kinds, their exact order, and how Python objects become values.

A value is None (null), bool, int (64-bit), float (64-bit, never NaN), str, Timestamp, or a tuple of scalars
(an array). Values of different kinds are not comparable; ints and floats are one kind, NUMBER, and compare by
exact numeric value.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import IntEnum
from typing import Any, NoReturn

import msgspec

from siftmesh.errors import EventError

__all__ = [
    "FIRST_MICROSECOND",
    "INT_MAX",
    "INT_MIN",
    "LAST_MICROSECOND",
    "OPAQUE",
    "Kind",
    "Opaque",
    "Scalar",
    "Timestamp",
    "Value",
    "has_surrogate",
    "kind_of",
    "to_value",
]

INT_MIN = -(2**63)
INT_MAX = 2**63 - 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
# What has a year of four digits in UTC, and so an RFC 3339 text.
FIRST_MICROSECOND = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
LAST_MICROSECOND = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND


class Kind(IntEnum):
    """What sort of value something is; only values of one kind compare."""

    NULL = 0
    BOOL = 1
    NUMBER = 2
    STRING = 3
    TIMESTAMP = 4
    ARRAY = 5
    OPAQUE = 6

    # Enum hashes by name, in Python; kinds are part of every predicate that is hashed.
    __hash__ = int.__hash__


class Timestamp(msgspec.Struct, frozen=True, order=True):
    """A moment in UTC, in microseconds since 1970."""

    micros: int

    @classmethod
    def of(cls, moment: datetime) -> Timestamp:
        """The timestamp of an aware datetime (a naive one has no moment: ValueError)."""
        if moment.utcoffset() is None:
            raise ValueError("a datetime without a time zone does not say which moment it is")
        micros = (moment - _EPOCH) // _MICROSECOND
        if not FIRST_MICROSECOND <= micros <= LAST_MICROSECOND:
            raise ValueError("the moment is not within the years 1 to 9999 of UTC")
        return cls(micros)

    def to_datetime(self) -> datetime:
        return _EPOCH + self.micros * _MICROSECOND

    def isoformat(self) -> str:
        """RFC 3339 text, ending in Z."""
        return self.to_datetime().isoformat().replace("+00:00", "Z")


class Opaque:
    """A value that is present but never compares: an object, bytes, or an array of objects."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "OPAQUE"

    def __reduce__(self) -> str:
        return "OPAQUE"


OPAQUE = Opaque()

Scalar = bool | int | float | str | Timestamp
Value = None | bool | int | float | str | Timestamp | tuple[Any, ...] | Opaque

_KINDS: dict[type, Kind] = {
    type(None): Kind.NULL,
    bool: Kind.BOOL,
    int: Kind.NUMBER,
    float: Kind.NUMBER,
    str: Kind.STRING,
    Timestamp: Kind.TIMESTAMP,
    tuple: Kind.ARRAY,
    Opaque: Kind.OPAQUE,
}


def kind_of(value: Value) -> Kind:
    """The kind of a value (of one that `to_value` made: exact types, no subclasses)."""
    return _KINDS[type(value)]


def has_surrogate(text: str) -> bool:
    """Whether the text holds half of a UTF-16 pair, which no UTF-8 file or wire can carry."""
    if text.isascii():
        return False
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


def to_value(thing: object, place: str = "") -> Value:
    """Turn a Python object into a value, or refuse it with its place.

    NaN becomes null, Decimal an exact int or the nearest double, date midnight UTC. Naive datetimes, integers
    beyond 64 bits and lone surrogates are refused. Bytes and objects are present but compare with nothing.
    """
    exact = _SCALARS.get(type(thing))
    if exact is not None:
        return exact(thing, place)  # type: ignore[no-any-return]  # converters return Value
    if isinstance(thing, (list, tuple)):
        return _array(thing, place)
    if isinstance(thing, (bytes, bytearray, memoryview, Mapping)):
        return OPAQUE
    return _other(thing, place)


def _same(thing: Any, _place: str) -> Value:
    return thing  # type: ignore[no-any-return]  # exact type was looked up in _SCALARS


def _int(thing: Any, place: str) -> Value:
    if INT_MIN <= thing <= INT_MAX:
        return int(thing)
    raise EventError(
        f"an integer of {int(thing).bit_length() + 1} bits needs more than 64",
        place=place,
        expected="a smaller one, a float, or its digits as a string",
    )


def _float(thing: Any, _place: str) -> Value:
    number = float(thing)
    return None if number != number else number


def _str(thing: Any, place: str) -> Value:
    # An Enum's str() is its name, not its text.
    text = thing if type(thing) is str else str.__str__(thing)
    if has_surrogate(text):
        raise EventError("the string holds a lone surrogate", place=place, expected="valid Unicode text")
    return text


def _datetime(thing: Any, place: str) -> Value:
    if thing != thing:  # pandas' NaT
        return None
    try:
        return Timestamp.of(thing)
    except ValueError as error:
        raise EventError(str(error), place=place, expected="a datetime with a time zone") from None


def _timestamp(thing: Any, place: str) -> Value:
    if type(thing.micros) is int and FIRST_MICROSECOND <= thing.micros <= LAST_MICROSECOND:
        return thing  # type: ignore[no-any-return]  # a Timestamp, by the tables below
    raise EventError(f"{thing!r} is no moment of the years 1 to 9999", place=place)


def _date(thing: Any, _place: str) -> Value:
    return Timestamp.of(datetime(thing.year, thing.month, thing.day, tzinfo=UTC))


def _decimal(thing: Any, _place: str) -> Value:
    number: Decimal = thing
    if number.is_nan():
        return None
    # The exponent is looked at first: int(Decimal("1e999999999")) would fill the memory.
    if number.is_finite() and number.adjusted() < 20 and number == number.to_integral_value():
        whole = int(number)
        if INT_MIN <= whole <= INT_MAX:
            return whole
    return float(number)


_SCALARS: dict[type, Any] = {
    type(None): _same,
    bool: _same,
    Timestamp: _timestamp,
    Opaque: _same,
    int: _int,
    float: _float,
    str: _str,
    datetime: _datetime,
    date: _date,
    Decimal: _decimal,
}
_SUBCLASSES: tuple[tuple[type, Any], ...] = (
    (str, _str),
    (int, _int),
    (float, _float),
    (datetime, _datetime),
    (date, _date),
    (Decimal, _decimal),
)


def _array(items: list[Any] | tuple[Any, ...], place: str) -> Value:
    elements = []
    for index, item in enumerate(items):
        if isinstance(item, (list, tuple, Mapping)):
            return OPAQUE
        element = to_value(item, f"{place}[{index}]")
        if type(element) is tuple:  # an array that was no list, such as numpy's
            return OPAQUE
        elements.append(element)
    return tuple(elements)


def _other(thing: Any, place: str) -> Value:
    """Subclasses of the known types, and numpy's and pandas' scalars and arrays, without importing either."""
    for base, convert in _SUBCLASSES:
        if isinstance(thing, base):
            return convert(thing, place)  # type: ignore[no-any-return]  # converters return Value
    module = type(thing).__module__.partition(".")[0]
    if module == "numpy":
        return _of_numpy(thing, place)
    if module == "pandas" and type(thing).__name__ == "NAType":
        return None
    return _refuse(thing, place)


def _refuse(thing: object, place: str) -> NoReturn:
    raise EventError(
        f"a {type(thing).__module__}.{type(thing).__qualname__} is not a value",
        place=place,
        expected="null, bool, int, float, str, datetime, date, Decimal, a list of these, or a nested mapping",
    )


# The letters by which numpy's dtypes tell bools, integers, floats, strings and Python objects.
_NUMPY_KINDS = frozenset("biufUO")


def _of_numpy(thing: Any, place: str) -> Value:
    kind = getattr(getattr(thing, "dtype", None), "kind", None)
    if kind == "M":
        if thing.shape == () and thing != thing:  # NaT
            return None
        # numpy's datetime64 has no zone; like a naive datetime it does not say which moment it is.
        raise EventError("a datetime64 has no time zone", place=place, expected="datetimes with a time zone")
    plain = thing.tolist() if kind in _NUMPY_KINDS else thing
    if type(plain) is type(thing):  # complex numbers, timedeltas, records, more digits than a float has, ...
        return _refuse(thing, place)
    return to_value(plain, place)
