"""Values and events to bytes and back: msgpack in one spelling, so that equal events are equal bytes.

Nothing is lost: 1, 1.0 and TRUE stay apart, as do 0.0 and -0.0, and integers keep all of their 64 bits.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import isnan
from typing import Any

import msgspec

from siftmesh.errors import DamagedData, EventError
from siftmesh.model.event import Event
from siftmesh.model.values import INT_MAX, INT_MIN, OPAQUE, Opaque, Timestamp, Value, to_value

__all__ = [
    "decode_event",
    "decode_value",
    "encode_attributes",
    "encode_event",
    "encode_value",
    "from_plain",
    "pack",
    "to_plain",
    "unpack",
]

# Extension types of msgpack, for what it has no type of its own for.
_TIMESTAMP, _OPAQUE = 1, 2
_NATIVE = frozenset([type(None), bool, int, float, str])

_ENCODER = msgspec.msgpack.Encoder(order="deterministic")
_DECODER = msgspec.msgpack.Decoder()


def pack(thing: Any) -> bytes:
    """Bytes of lists, dicts and plain values, always the same for the same things."""
    return _ENCODER.encode(thing)


def unpack(data: bytes, what: str) -> Any:
    """What `pack` was given; `what` says in an error what the bytes should have been."""
    try:
        return _DECODER.decode(data)
    except (msgspec.MsgspecError, ValueError, TypeError, OverflowError) as error:
        raise DamagedData(f"these bytes are no {what}: {error}") from None
    except RecursionError:
        raise DamagedData(f"these bytes are no {what}: they are nested too deeply") from None


def to_plain(value: Value) -> Any:
    """A value as msgpack has it."""
    if type(value) in _NATIVE:
        return value
    if type(value) is Timestamp:
        return msgspec.msgpack.Ext(_TIMESTAMP, value.micros.to_bytes(8, "big", signed=True))
    if type(value) is tuple:
        return [to_plain(element) for element in value]
    return msgspec.msgpack.Ext(_OPAQUE, b"")


def from_plain(thing: Any, what: str, inside_array: bool = False) -> Value:
    """The value of what msgpack had, or a `DamagedData` if it has none."""
    found = type(thing)
    if found is int:
        if INT_MIN <= thing <= INT_MAX:
            return thing  # type: ignore[no-any-return]  # an int
    elif found is float:
        if not isnan(thing):
            return thing  # type: ignore[no-any-return]  # a float
    elif found in _NATIVE:
        return thing  # type: ignore[no-any-return]  # None, a bool or a string
    elif found is list:
        if not inside_array:
            return tuple([from_plain(element, what, True) for element in thing])
    elif found is msgspec.msgpack.Ext:
        value = _extended(thing)
        if value is not None:
            return value
    raise DamagedData(f"these bytes are no {what}: they hold what is no value")


def _extended(thing: msgspec.msgpack.Ext) -> Timestamp | Opaque | None:
    data = bytes(thing.data)
    if thing.code == _OPAQUE and not data:
        return OPAQUE
    if thing.code == _TIMESTAMP and len(data) == 8:
        moment = Timestamp(int.from_bytes(data, "big", signed=True))
        try:
            to_value(moment)
        except EventError:
            return None
        return moment
    return None


def encode_value(value: Value) -> bytes:
    """The bytes of one value."""
    return pack(to_plain(value))


def decode_value(data: bytes) -> Value:
    """The value that `encode_value` was given; a `DamagedData` for bytes that are none."""
    return from_plain(unpack(data, "value"), "value")


def encode_event(event: Event) -> bytes:
    """The bytes of an event, whatever the order of its attributes."""
    return encode_attributes(event.values.items(), event.closed)


def encode_attributes(values: Iterable[tuple[str, Value]], closed: Iterable[str]) -> bytes:
    """The bytes of an event, given its attributes one by one."""
    return pack([{name: to_plain(value) for name, value in values}, sorted(closed)])


def decode_event(data: bytes) -> Event:
    """The event that `encode_event` was given; a `DamagedData` for bytes that are none."""
    parts = unpack(data, "event")
    if type(parts) is not list or len(parts) != 2:
        raise DamagedData("these bytes are no event: they are no list of two")
    values, closed = parts
    if type(values) is not dict or type(closed) is not list:
        raise DamagedData("these bytes are no event: its attributes are no mapping")
    if not all(type(name) is str for name in (*values, *closed)):
        raise DamagedData("these bytes are no event: a name is no string")
    return Event({name: from_plain(thing, "event") for name, thing in values.items()}, tuple(closed))
