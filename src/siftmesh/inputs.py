"""Events in all forms in which they come: mappings, JSON text, and CloudEvents."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from siftmesh.errors import EventError
from siftmesh.model.event import Event

__all__ = ["AnyEvent", "readable", "readable_many"]

# A mapping, an Event, the text or bytes of a JSON object, or a CloudEvent.
AnyEvent = Mapping[str, Any] | Event | bytes | str | Any

_WANTED = "a mapping, an Event, JSON text or a CloudEvent"
_decode = msgspec.json.decode


def readable(event: Any) -> Mapping[str, Any] | Event:
    """An event as a mapping of names to values, or as the Event that it is.

    JSON text is an object. A CloudEvent in its structured JSON form is one too: its context attributes by
    their names, and its data as `data`, also where they came as `data_base64`. A CloudEvent object of an SDK,
    with `get_attributes()` and `get_data()` or with `attributes` and `data`, becomes the same mapping; data
    that are bytes are read if they are JSON.
    """
    if isinstance(event, (dict, Event)):
        return event
    if isinstance(event, (bytes, bytearray, memoryview, str)):
        return _of_json(event)
    parts = _parts(event)
    if parts is not None:
        return _of_cloud_event(*parts)
    if isinstance(event, Mapping):
        return event
    raise EventError(f"an event is a mapping, not {type(event).__name__}", expected=_WANTED)


def readable_many(events: Any) -> list[Mapping[str, Any] | Event]:
    """Many events as mappings or Events; the first that is none is refused with its row."""
    if isinstance(events, (str, bytes, bytearray, memoryview, Mapping, Event)) or not isinstance(
        events, Iterable
    ):
        raise EventError(
            f"{type(events).__name__} is no batch of events", expected="events in a list, or a table of them"
        )
    found = []
    for row, event in enumerate(events):
        try:
            found.append(readable(event))
        except EventError as error:
            raise error.in_row(row) from None
    return found


def _of_json(text: Any) -> Mapping[str, Any]:
    try:
        decoded = _decode(text)
    except (msgspec.MsgspecError, UnicodeError, ValueError) as error:
        raise EventError(f"the event is not JSON: {error}", expected="one JSON object") from None
    except RecursionError:
        raise EventError("the event is nested too deeply to be read") from None
    if not isinstance(decoded, dict):
        raise EventError(
            f"an event is a JSON object, not {_JSON_NAMES.get(type(decoded), 'null')}",
            expected="one JSON object",
        )
    if "data_base64" in decoded and "specversion" in decoded and "data" not in decoded:
        return _of_cloud_event(decoded, _bytes(decoded.pop("data_base64")))
    return decoded


def _bytes(text: Any) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (TypeError, ValueError) as error:
        raise EventError(f"this is no base64: {error}", place="data_base64") from None


_JSON_NAMES: dict[type, str] = {
    list: "an array",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "true or false",
}


def _parts(event: Any) -> tuple[Mapping[str, Any], Any] | None:
    """The context attributes and the data of a CloudEvent object; None of anything else."""
    if hasattr(event, "get_attributes") and hasattr(event, "get_data"):
        return dict(event.get_attributes()), event.get_data()
    attributes = getattr(event, "attributes", None)
    if isinstance(attributes, Mapping) and hasattr(event, "data"):
        return attributes, event.data
    return None


def _of_cloud_event(attributes: Mapping[str, Any], data: Any) -> Mapping[str, Any]:
    if isinstance(data, (bytes, bytearray, memoryview)) and _is_json(attributes.get("datacontenttype")):
        try:
            data = _decode(data)
        except (msgspec.MsgspecError, UnicodeError, ValueError, RecursionError) as error:
            raise EventError(f"the data are not JSON: {error}", place="data") from None
    return {**attributes, "data": data} if data is not None else dict(attributes)


def _is_json(media_type: Any) -> bool:
    """Whether data of a type are JSON, as they are when it is not said."""
    if media_type is None:
        return True
    kind = str(media_type).partition(";")[0].strip().lower()
    return kind in ("application/json", "text/json") or kind.endswith("+json")
