"""One event as a message for the kernels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from siftmesh.model.event import Event
from siftmesh.model.values import Opaque, Timestamp

__all__ = ["pack_event", "pack_plain"]

_encode = msgspec.msgpack.Encoder().encode
# Values of these very types are written as they are.
_PLAIN = frozenset([str, int, float, bool, type(None)])


def pack_plain(event: Any) -> bytes | None:
    """The message of a dict of plain values, by names; None of anything else."""
    if type(event) is not dict or not _PLAIN.issuperset(map(type, event.values())):
        return None
    try:
        return _encode(event)
    except (OverflowError, UnicodeEncodeError, TypeError, ValueError):
        return None  # the slow way says what is wrong


def pack_event(event: Event, slots: Mapping[str, int]) -> bytes:
    """The message of any event, by slots."""
    return _encode(
        {
            slots[name]: convert(value) if (convert := _CONVERT.get(type(value))) else value
            for name, value in event.values.items()
            if name in slots
        }
    )


def _moment(moment: Any) -> Any:
    return msgspec.msgpack.Ext(1, moment.micros.to_bytes(8, "big", signed=True))


def _array(values: Any) -> list[Any]:
    return [convert(value) if (convert := _CONVERT.get(type(value))) else value for value in values]


_CONVERT: dict[type, Callable[[Any], Any]] = {
    Timestamp: _moment,
    tuple: _array,
    Opaque: lambda _: b"",
}
