"""Events: nested mappings become attributes by canonical name."""

from __future__ import annotations

import re
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest

from siftmesh.errors import EventError
from siftmesh.model.event import MAX_DEPTH, Event
from siftmesh.model.values import OPAQUE


@pytest.mark.parametrize(
    ("attributes", "values"),
    [
        ({}, {}),
        ({"a": 1, "b": None}, {"a": 1, "b": None}),
        ({"a": {"b": {"c": 1}}}, {"a": OPAQUE, "a.b": OPAQUE, "a.b.c": 1}),
        ({"a": {}}, {"a": OPAQUE}),
        ({"odd name": 1}, {'"odd name"': 1}),
        ({"a": {'say "x"': 1}}, {"a": OPAQUE, 'a."say ""x"""': 1}),
        ({"a.b": 1, "a": {"b": 2}}, {'"a.b"': 1, "a": OPAQUE, "a.b": 2}),
        ({"": 1}, {'""': 1}),
        ({"größe": 1, "1st": 2, "_": 3}, {"größe": 1, '"1st"': 2, "_": 3}),
        ({"and": 1}, {"and": 1}),
        ({"tags": ["a"], "none": []}, {"tags": ("a",), "none": ()}),
        (OrderedDict(a=OrderedDict(b=1)), {"a": OPAQUE, "a.b": 1}),
    ],
)
def test_attributes_are_named_by_their_paths(attributes: Any, values: dict[str, Any]) -> None:
    assert Event.of(attributes) == Event(values)


@pytest.mark.parametrize(
    "array", [[{"a": 1}], [1, {}], [[1]], ({"a": 1},), np.array([{"a": 1}], dtype=object), np.array([[1]])]
)
def test_arrays_of_objects_are_closed_to_paths(array: Any) -> None:
    event = Event.of({"items": array, "more": {"items": array}})
    assert event.closed == ("items", "more.items")
    event.refuse_paths_into_arrays(["items", "item", "items_name", "more", "more.other"])
    for used in ("items.a", "more.items.a.b"):
        with pytest.raises(EventError, match=f"{re.escape(used)} lies inside an array of objects"):
            event.refuse_paths_into_arrays(["x", used])


@pytest.mark.parametrize("thing", [b"bytes", {"a": 1}, [1, 2], OPAQUE])
def test_nothing_else_is_closed(thing: Any) -> None:
    assert Event.of({"a": thing}).closed == ()


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"a": 2**64}, "at a: an integer of 66 bits needs more than 64"),
        ({"a": {"b c": {"d": [1, object()]}}}, 'at a."b c".d[1]: a builtins.object is not a value'),
        ({5: 1}, "the name 5 is not a string"),
        ({"a": {None: 1}}, "at a: the name None is not a string"),
        ({"\ud800": 1}, "the name '\\ud800' holds a lone surrogate"),
        ({"a": {"x\udc00": 1}}, "at a: the name 'x\\udc00' holds a lone surrogate"),
    ],
)
def test_what_is_outside_the_model_is_refused_with_its_place(attributes: Any, message: str) -> None:
    with pytest.raises(EventError) as caught:
        Event.of(attributes)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("thing", [None, 1, "a", ["a"], [("a", 1)]])
def test_an_event_is_a_mapping(thing: Any) -> None:
    with pytest.raises(EventError, match="an event is a mapping, not"):
        Event.of(thing)


def nested(depth: int) -> dict[str, Any]:
    event: dict[str, Any] = {"a": 1}
    for _ in range(depth - 1):
        event = {"a": event}
    return event


def test_events_are_nested_so_deep_and_no_deeper() -> None:
    assert Event.of(nested(MAX_DEPTH)).values[".".join("a" * MAX_DEPTH)] == 1
    with pytest.raises(EventError, match="objects are nested more than 64 deep"):
        Event.of(nested(MAX_DEPTH + 1))


def test_an_event_that_holds_itself_is_refused() -> None:
    event: dict[str, Any] = {}
    event["self"] = event
    with pytest.raises(EventError, match="nested"):
        Event.of(event)
