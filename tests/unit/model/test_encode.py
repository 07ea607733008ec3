"""Values and events to bytes and back, with nothing lost and nothing believed."""

from __future__ import annotations

import math

import msgspec
import pytest

from siftmesh.errors import DamagedData
from siftmesh.model.encode import decode_event, decode_value, encode_event, encode_value, pack, unpack
from siftmesh.model.event import Event
from siftmesh.model.values import INT_MAX, INT_MIN, OPAQUE, Timestamp, Value

VALUES: list[Value] = [
    None,
    True,
    False,
    0,
    1,
    1.0,
    0.0,
    -0.0,
    2**53 + 1,
    INT_MIN,
    INT_MAX,
    math.inf,
    -math.inf,
    5e-324,
    "",
    "é\0\U0010ffff",
    Timestamp(0),
    Timestamp(-1),
    OPAQUE,
    (),
    (1, 1.0, None, "x", True, Timestamp(5), OPAQUE),
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_a_value_comes_back_as_it_was(value: Value) -> None:
    again = decode_value(encode_value(value))
    assert repr(again) == repr(value)
    assert type(again) is type(value)


def test_different_values_have_different_bytes() -> None:
    assert len({encode_value(value) for value in VALUES}) == len(VALUES)


def test_an_event_comes_back_as_it_was() -> None:
    event = Event({f"a{place}": value for place, value in enumerate(VALUES)}, ("a18", "a0"))
    again = decode_event(encode_event(event))
    assert repr(sorted(again.values.items())) == repr(sorted(event.values.items()))
    assert sorted(again.closed) == sorted(event.closed)
    assert decode_event(encode_event(Event({}))) == Event({})


def test_the_order_of_attributes_plays_no_part() -> None:
    assert encode_event(Event({"a": 1, "b": 2}, ("x", "y"))) == encode_event(
        Event({"b": 2, "a": 1}, ("y", "x"))
    )


@pytest.mark.parametrize(
    "thing",
    [
        2**64 - 1,
        math.nan,
        b"bytes",
        [[1]],
        {"a": 1},
        msgspec.msgpack.Ext(1, b"short"),
        msgspec.msgpack.Ext(1, b"\x7f" * 8),
        msgspec.msgpack.Ext(2, b"x"),
        msgspec.msgpack.Ext(77, b""),
    ],
    ids=repr,
)
def test_what_is_no_value_is_refused(thing: object) -> None:
    with pytest.raises(DamagedData, match="these bytes are no value: they hold what is no value"):
        decode_value(pack(thing))
    with pytest.raises(DamagedData):
        decode_event(pack([{"a": thing}, []]))


@pytest.mark.parametrize(
    "thing", [None, [], [{}], [{}, [], 1], [[], []], [{}, {}], [{"a": 1}, [1]]], ids=repr
)
def test_what_is_no_event_is_refused(thing: object) -> None:
    with pytest.raises(DamagedData, match="these bytes are no event"):
        decode_event(pack(thing))
    with pytest.raises(DamagedData, match="these bytes are no event: a name is no string"):
        decode_event(b"\x92\x81\x01\x02\x90")


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\xc1",
        b"\x01\x02",
        b"\xa3\xed\xa0\x80",
        b"\xdd\xff\xff\xff\xff",
        b"\x91" * 100_000,
        b"\x81\x91\x81\x01\x02\x01",
        b"\xd6\xff\0\0\0\0",
    ],
)
def test_bytes_that_are_nothing_are_refused(data: bytes) -> None:
    with pytest.raises(DamagedData):
        decode_value(data)
    with pytest.raises(DamagedData):
        decode_event(data)


def test_what_the_bytes_should_have_been_is_said() -> None:
    with pytest.raises(DamagedData, match="these bytes are no picture: Input data was truncated"):
        unpack(b"", "picture")
    with pytest.raises(DamagedData, match="these bytes are no picture: they are nested too deeply"):
        unpack(b"\x91" * 100_000, "picture")
