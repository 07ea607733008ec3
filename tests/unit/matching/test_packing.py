"""Events as messages: what is plain is written as it is, all else goes the slow way."""

from __future__ import annotations

from collections import OrderedDict
from datetime import UTC, datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

import msgspec
import numpy as np
import pytest

from siftmesh.kernels.unpack import FOREIGN, unpack_event
from siftmesh.matching.packing import pack_event, pack_plain
from siftmesh.matching.pools import Pools
from siftmesh.model.event import Event
from siftmesh.model.values import OPAQUE, Timestamp

decode = msgspec.msgpack.Decoder(ext_hook=lambda code, data: (code, bytes(data))).decode


class Colour(StrEnum):
    RED = "red"


class Number(int):
    pass


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"a": 1},
        {"a": 2**63 - 1, "b": -(2**63), "c": 1.5, "d": "é", "e": None, "f": True, "": "", "a b": 0, "a.b": 1},
        {f"a{number}": number for number in range(70_000)},
    ],
    ids=["empty", "one", "each type", "many"],
)
def test_plain_events_are_written_as_they_are(event: dict[str, Any]) -> None:
    packed = pack_plain(event)
    assert packed is not None
    assert decode(packed) == event
    assert list(map(type, decode(packed).values())) == list(map(type, event.values()))


@pytest.mark.parametrize(
    "event",
    [
        OrderedDict(a=1),
        {"a": [1, 2]},
        {"a": (1, 2)},
        {"a": {"b": 1}},
        {"a": b"bytes"},
        {"a": datetime.now(tz=UTC)},
        {"a": Timestamp(0)},
        {"a": Decimal(1)},
        {"a": Colour.RED},
        {"a": Number(1)},
        {"a": 2**64},
        {"a": "\ud800"},
        {"\ud800": 1},
        Event({"a": 1}),
        [("a", 1)],
        None,
    ],
    ids=repr,
)
def test_what_is_not_plain_is_not_written(event: Any) -> None:
    assert pack_plain(event) is None


@pytest.mark.parametrize(
    "event", [{"a": 2**63}, {"a": 1, "b": 2**64 - 1}, {1: 1}, {"a": 1, None: 1}, {(1, 2): 1}]
)
def test_the_kernel_tells_what_else_is_not_ours(event: dict[Any, Any]) -> None:
    packed = pack_plain(event)
    assert packed is not None
    pools = Pools()
    text = np.frombuffer(packed, np.uint8).copy()
    frame = np.zeros(64, np.int64)
    assert unpack_event(pools.words, pools.longs, pools.heap, text, True, frame) == FOREIGN


def test_events_are_written_by_slots() -> None:
    event = Event.of({"a": 1, "b": {"c": "x"}, "unknown": 5, "d": [1.5, None, True], "e": None})
    packed = pack_event(event, {"b.c": 7, "a": 300, "d": 0, "e": 1, "never there": 2})
    assert decode(packed) == {300: 1, 7: "x", 0: [1.5, None, True], 1: None}


@pytest.mark.parametrize("micros", [0, -1, 253_402_300_799_999_999, -62_135_596_800_000_000])
def test_moments_are_written_as_their_microseconds(micros: int) -> None:
    event = Event({"a": Timestamp(micros), "b": (Timestamp(micros), 1)})
    moment = (1, micros.to_bytes(8, "big", signed=True))
    assert decode(pack_event(event, {"a": 0, "b": 1})) == {0: moment, 1: [moment, 1]}


def test_what_never_compares_is_written_as_no_bytes() -> None:
    event = Event.of({"a": {"b": 1}, "c": b"x" * 1_000, "d": [{"e": 1}], "f": [b"x", 1, "y"]})
    assert event.values["f"] == (OPAQUE, 1, "y")
    packed = pack_event(event, {"a": 0, "c": 1, "d": 2, "f": 3})
    assert decode(packed) == {0: b"", 1: b"", 2: b"", 3: [b"", 1, "y"]}


def test_nothing_that_nobody_asks_for_is_written() -> None:
    assert decode(pack_event(Event({"a": 1, "b": OPAQUE}), {})) == {}
