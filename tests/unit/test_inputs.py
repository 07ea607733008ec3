"""Events in all forms."""

from __future__ import annotations

import json
from collections import ChainMap
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest

from siftmesh.errors import EventError
from siftmesh.inputs import readable, readable_many
from siftmesh.model.event import Event


@pytest.mark.parametrize(
    "event",
    [{"a": 1}, Event({"a": 1}), MappingProxyType({"a": 1}), ChainMap({"a": 1})],
    ids=lambda e: type(e).__name__,
)
def test_mappings_and_events_are_taken_as_they_are(event: Any) -> None:
    assert readable(event) is event


@pytest.mark.parametrize(
    "text",
    [
        b'{"a": [1, "x", null]}',
        '{"a": [1, "x", null]}',
        bytearray(b'{"a": [1, "x", null]}'),
        memoryview(b'{"a": [1,"x",null]}'),
    ],
)
def test_text_is_json(text: Any) -> None:
    assert readable(text) == {"a": [1, "x", None]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the event is not JSON"),
        (b'{"a":', "the event is not JSON"),
        (b"\xff", "the event is not JSON"),
        ('{"a": NaN}', "the event is not JSON"),
        ('"\ud800"', "the event is not JSON"),
        (b"[1]", "an event is a JSON object, not an array"),
        ("5", "an event is a JSON object, not a number"),
        ("null", "an event is a JSON object, not null"),
        ("[" * 100_000, "the event is"),
    ],
)
def test_text_that_is_no_object_is_refused(text: Any, message: str) -> None:
    with pytest.raises(EventError, match=message):
        readable(text)


def test_numbers_of_json_keep_all_digits() -> None:
    assert readable('{"a": 9007199254740993, "b": -0.0, "c": 18446744073709551616}') == {
        "a": 2**53 + 1,
        "b": -0.0,
        "c": 2**64,
    }


@pytest.mark.parametrize("thing", [None, 5, [("a", 1)], object()])
def test_other_things_are_refused(thing: Any) -> None:
    with pytest.raises(EventError, match=f"an event is a mapping, not {type(thing).__name__}"):
        readable(thing)


# ---- CloudEvents

CONTEXT = {"specversion": "1.0", "type": "com.example.sold", "source": "/shop", "id": "1"}


class Sdk:
    """As the SDK's abstract class has it."""

    def __init__(self, attributes: dict[str, Any], data: Any) -> None:
        self._attributes, self._data = attributes, data

    def get_attributes(self) -> Any:
        return MappingProxyType(self._attributes)

    def get_data(self) -> Any:
        return self._data


def bare(attributes: dict[str, Any], data: Any) -> Any:
    return SimpleNamespace(attributes=attributes, data=data)


@pytest.mark.parametrize("make", [Sdk, bare])
@pytest.mark.parametrize(
    ("content", "data", "expected"),
    [
        (None, {"price": 9}, {"price": 9}),
        (None, b'{"price": 9}', {"price": 9}),
        ("application/json; charset=utf-8", b'{"price": 9}', {"price": 9}),
        ("application/vnd.shop+json", b"[1]", [1]),
        ("text/plain", b'{"price": 9}', b'{"price": 9}'),
        ("application/json", '{"price": 9}', '{"price": 9}'),
    ],
)
def test_a_cloud_event_is_its_attributes_and_its_data(
    make: Any, content: Any, data: Any, expected: Any
) -> None:
    context = {**CONTEXT, "datacontenttype": content} if content else CONTEXT
    assert readable(make(context, data)) == {**context, "data": expected}


def test_a_cloud_event_without_data_has_none() -> None:
    assert readable(Sdk(CONTEXT, None)) == CONTEXT


def test_data_that_should_be_json_and_are_not_are_refused() -> None:
    with pytest.raises(EventError, match=r"^at data: the data are not JSON"):
        readable(Sdk({**CONTEXT, "datacontenttype": "application/json"}, b"{"))


def test_the_structured_form_is_a_json_object() -> None:
    assert readable(b'{"specversion": "1.0", "type": "sold", "data": {"price": 9}}') == {
        "specversion": "1.0",
        "type": "sold",
        "data": {"price": 9},
    }


# ---- many


def test_many_events() -> None:
    assert readable_many(iter([{"a": 1}, b'{"a": 2}', Event({})])) == [{"a": 1}, {"a": 2}, Event({})]
    with pytest.raises(EventError, match=r"^row 1: an event is a mapping, not int"):
        readable_many([{}, 5])


@pytest.mark.parametrize("thing", [{"a": 1}, Event({}), b"{}", "{}", None, 5])
def test_what_is_no_batch_is_refused(thing: Any) -> None:
    with pytest.raises(EventError, match="is no batch of events"):
        readable_many(thing)


def test_data_in_base64_are_read_if_they_are_json() -> None:
    def event(data: str, **more: str) -> str:
        return json.dumps({"specversion": "1.0", "id": "1", "data_base64": data, **more})

    told = {"specversion": "1.0", "id": "1"}
    assert readable(event("eyJyYXRpbmciOiA1fQ==")) == {**told, "data": {"rating": 5}}
    text = readable(event("eA==", datacontenttype="text/plain"))
    assert text == {**told, "datacontenttype": "text/plain", "data": b"x"}
    for wrong, place in (("eA", "data_base64"), ("%%%%", "data_base64"), ("eA==", "data")):
        with pytest.raises(EventError) as caught:
            readable(event(wrong))
        assert caught.value.place == place
    # Whatever has no version is no CloudEvent.
    assert readable('{"data_base64": "eA=="}') == {"data_base64": "eA=="}
