"""Messages to frames: what the encoder writes comes back, and bytes that are no message do no harm."""

from __future__ import annotations

import math
import random
import struct
from collections.abc import Mapping
from typing import Any

import msgspec
import numpy as np
import pytest

from siftmesh.kernels.layout import ARRAY, BOOL, FLOAT, INT, NULL, OPAQUE, STRING, TIMESTAMP
from siftmesh.kernels.unpack import FOREIGN, NO_ROOM, unpack_event, unpack_row
from siftmesh.matching.pools import Pools
from siftmesh.model.values import OPAQUE as SOMETHING
from siftmesh.model.values import Timestamp
from tests.effort import INTERPRETED, effort
from tests.reference.arrays import amid_noise, fenced, is_fenced

encode = msgspec.msgpack.encode
LOW = 0xFFFFFFFF


def moment(micros: int) -> Any:
    return msgspec.msgpack.Ext(1, micros.to_bytes(8, "big", signed=True))


def scalar(kind: int, raw: int, message: bytes) -> Any:
    if kind == INT:
        return raw
    if kind == FLOAT:
        return struct.unpack("<d", struct.pack("<q", raw))[0]
    if kind == BOOL:
        return {0: False, 1: True}[raw]
    if kind == TIMESTAMP:
        return Timestamp(raw)
    if kind in (STRING, OPAQUE):
        held = message[raw >> 32 : (raw >> 32) + (raw & LOW)]
        assert len(held) == raw & LOW
        return held.decode() if kind == STRING else SOMETHING
    assert kind == NULL
    return None


def framed(frame: Any, count: int, message: bytes) -> list[tuple[int, Any]]:
    """The values of a frame, each with its slot."""
    found = []
    for head, raw in frame[: 2 * count].reshape(-1, 2).tolist():
        slot, kind = head & LOW, head >> 32
        if kind == ARRAY:
            elements = frame[2 * (raw >> 32) : 2 * ((raw >> 32) + (raw & LOW))].reshape(-1, 2).tolist()
            assert {head & LOW for head, _ in elements} <= {slot}
            found.append((slot, tuple(scalar(head >> 32, raw, message) for head, raw in elements)))
        else:
            found.append((slot, scalar(kind, raw, message)))
    return found


def row(message: bytes, rng: random.Random, room: int = 64) -> Any:
    frame = fenced(room)
    count = int(unpack_row(amid_noise(message, rng), frame))
    assert is_fenced(frame)
    return count if count < 0 else [value for _, value in framed(frame, count, message)]


def event(pools: Pools, message: bytes, rng: random.Random, named: bool = True, room: int = 64) -> Any:
    frame = fenced(room)
    packed = amid_noise(message, rng)
    count = int(unpack_event(pools.words, pools.longs, pools.heap, packed, named, frame))
    assert is_fenced(frame)
    return count if count < 0 else dict(framed(frame, count, message))


def exactly(value: Any) -> Any:
    """A form in which 1, 1.0 and True differ."""
    if isinstance(value, tuple):
        return tuple(map(exactly, value))
    return type(value).__name__, struct.pack("<d", value) if isinstance(value, float) else value


INTS = sorted(
    {
        sign * (2**power + more)
        for power in (0, 4, 5, 7, 8, 15, 16, 31, 32, 62, 63)
        for more in (-1, 0, 1)
        for sign in (1, -1)
    }
    - {2**63, 2**63 + 1, -(2**63) - 1}
)
STRINGS = ["x" * length for length in (0, 1, 31, 32, 255, 256, 65_535, 65_536)] + ["é漢😀", "\x00"]
SCALARS: list[Any] = [*INTS, *STRINGS, True, False, None, 0.0, -0.0, 1.5, math.inf, 5e-324, -1e308]
COUNTS = [0, 1, 15, 16, 255, 65_536, *([] if INTERPRETED else [65_535, 70_000])]
MOMENTS = [0, -1, 1, 253_402_300_799_999_999, -62_135_596_800_000_000]


@pytest.mark.parametrize("value", SCALARS, ids=lambda value: repr(value)[:24])
def test_each_scalar_comes_back(value: Any, seed: int) -> None:
    rng = random.Random(seed)
    assert exactly(tuple(row(encode([value]), rng))) == exactly((value,))
    assert exactly(tuple(row(encode([[value], value]), rng))) == exactly(((value,), value))


@pytest.mark.parametrize("micros", MOMENTS)
def test_moments_come_back(micros: int, seed: int) -> None:
    message = encode([moment(micros), [moment(micros), None]])
    assert row(message, random.Random(seed)) == [Timestamp(micros), (Timestamp(micros), None)]


@pytest.mark.parametrize("length", [0, 1, 255, 256, 65_535, 65_536])
def test_bytes_are_something_that_is_skipped(length: int, seed: int) -> None:
    message = encode([bytes(length), 7, [b"\xff" * length]])
    assert row(message, random.Random(seed)) == [SOMETHING, 7, (SOMETHING,)]


def test_short_floats_are_floats(seed: int) -> None:
    rng = random.Random(seed)
    kept = [0.0, -0.0, 1.0, -1.5, math.inf, -math.inf, 2.0**-149, 2.0**-126, 3.4028234663852886e38]
    kept += [struct.unpack(">f", rng.randbytes(4))[0] for _ in range(effort(300))]
    for value in kept:
        (found,) = row(b"\x91\xca" + struct.pack(">f", value), rng)
        assert exactly(found) == exactly(value) or (math.isnan(found) and math.isnan(value))


@pytest.mark.parametrize("count", COUNTS)
def test_lists_of_each_length_come_back(count: int, seed: int) -> None:
    rng = random.Random(seed)
    values = [rng.choice([number, -number, str(number)]) for number in range(count)]
    assert row(encode(values), rng, room=2 * count) == values
    assert row(encode([values]), rng, room=2 * (count + 1)) == [tuple(values)]


@pytest.mark.parametrize("count", COUNTS)
def test_events_of_each_length_come_back(count: int, seed: int) -> None:
    pools = Pools()
    slots = [pools.slot(name) for name in ("known", "é")]
    values: dict[str, Any] = {f"other {number}": number for number in range(count)}
    if count > 1:
        values |= {"known": "here", "é": [1, "two"]}
        # Somewhere in the middle.
        values = {"é": 0, **values} if count % 2 else values
    found = event(pools, encode(values), random.Random(seed), room=2 * (len(values) + 3))
    assert found == ({slots[0]: "here", slots[1]: (1, "two")} if count > 1 else {})


@pytest.mark.parametrize("length", [0, 1, 31, 32, 255, 256, 65_535, 65_536])
def test_names_of_each_length_are_found(length: int, seed: int) -> None:
    rng = random.Random(seed)
    name = "n" * length
    pools = Pools()
    pools.slot("some other")
    message = encode({name: 1, "m": 2})
    assert event(pools, message, rng) == {}
    # A name of no characters cannot be written in a filter except in quotes.
    slot = pools.slot(name or '""')
    assert event(pools, message, rng) == {slot: 1}


@pytest.mark.parametrize("slot", [0, 1, 127, 128, 255, 256, *([] if INTERPRETED else [65_535, 65_536])])
def test_events_can_name_slots(slot: int, seed: int) -> None:
    rng = random.Random(seed)
    pools = Pools()
    for number in range(slot):
        pools.slot(f"a{number}")
    assert event(pools, encode({slot: "x"}), rng, named=False) == FOREIGN
    assert pools.slot("last") == slot
    assert event(pools, encode({slot: "x", 0: 1} if slot else {0: "x"}), rng, named=False)[slot] == "x"
    assert event(pools, encode({slot + 1: "x"}), rng, named=False) == FOREIGN


def some_value(rng: random.Random) -> Any:
    if rng.random() < 0.2:
        return [rng.choice(SCALARS) for _ in range(rng.choice([0, 1, 3, 15, 16]))]
    return rng.choice([*SCALARS, rng.randrange(-(2**63), 2**63), rng.random()])


def as_value(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def test_random_events_come_back(seed: int) -> None:
    rng = random.Random(seed)
    names = [f"name {number}" for number in range(12)]
    for _ in range(effort(300)):
        pools = Pools()
        slots = {name: pools.slot(name) for name in rng.sample(names, rng.randrange(len(names)))}
        values = {name: some_value(rng) for name in rng.sample(names, rng.randrange(len(names) + 1))}
        expected = {slots[name]: as_value(value) for name, value in values.items() if name in slots}
        found = event(pools, encode(values), rng, room=600)
        assert {slot: exactly(value) for slot, value in found.items()} == {
            slot: exactly(value) for slot, value in expected.items()
        }
        by_slot = {slots[name]: value for name, value in values.items() if name in slots}
        assert event(pools, encode(by_slot), rng, named=False, room=600).keys() == expected.keys()


# ---- what is none of ours


NESTED: list[Any] = [[[1]], {"a": 1}, [{"a": 1}], [[]]]
STRANGE = [2**63, 2**64 - 1, msgspec.msgpack.Ext(2, bytes(8)), msgspec.msgpack.Ext(1, bytes(4)), *NESTED]


@pytest.mark.parametrize("value", STRANGE, ids=repr)
def test_values_that_are_not_ours_are_told(value: Any, seed: int) -> None:
    rng = random.Random(seed)
    pools = Pools()
    pools.slot("a")
    if value not in NESTED[:1] and value != [[]]:
        assert row(encode([value]), rng) == FOREIGN
    assert row(encode([[value]]), rng) == FOREIGN
    assert row(encode([1, [1, value]]), rng) == FOREIGN
    for name in ("a", "b"):
        told = event(pools, encode({name: [value]}), rng)
        assert told == FOREIGN


@pytest.mark.parametrize("message", [b"", b"\x01", b"\xa1a", b"\xc0", b"\xc1", b"\xdc", b"\xde\x00"])
def test_messages_that_are_not_ours_are_told(message: bytes, seed: int) -> None:
    rng = random.Random(seed)
    assert row(message, rng) == FOREIGN
    assert event(Pools(), message, rng) == FOREIGN
    assert event(Pools(), message, rng, named=False) == FOREIGN


@pytest.mark.parametrize("key", [1, 1.5, None, True, b"a"])
def test_names_that_are_no_strings_are_told(key: Any, seed: int) -> None:
    message = b"\x81" + encode(key) + encode(1)
    assert event(Pools(), message, random.Random(seed)) == FOREIGN
    if key != 1:
        assert event(Pools(), message, random.Random(seed), named=False) == FOREIGN


def test_a_message_that_claims_to_be_long_asks_for_no_room(seed: int) -> None:
    # Four thousand million elements would be made room for, if there were that many.
    rng = random.Random(seed)
    for lead in (b"\xdd\xff\xff\xff\xff", b"\xdc\xff\xff"):
        assert row(lead + bytes(100), rng) == FOREIGN
        assert row(b"\x91" + lead + bytes(100), rng) == FOREIGN
    for lead in (b"\xdf\xff\xff\xff\xff", b"\xde\xff\xff"):
        assert event(Pools(), lead + b"\xa0\x01" * 50, rng) == FOREIGN
    # An entry has two bytes at least.
    assert event(Pools(), b"\xde\x00\x65" + b"\xa0\x01" * 100, rng) == FOREIGN
    assert event(Pools(), b"\xde\x00\x64" + b"\xa0\x01" * 100, rng) == NO_ROOM
    for lead in (b"\xdb\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xda\xff\xff"):
        assert row(b"\x91" + lead + bytes(100), rng) == FOREIGN
        assert event(Pools(), b"\x81\xa1a" + lead + bytes(100), rng) == FOREIGN
        if lead[0] != 0xC6:
            assert event(Pools(), b"\x81" + lead + bytes(100), rng) == FOREIGN


def test_a_frame_that_is_too_short_is_told_and_not_written_past(seed: int) -> None:
    rng = random.Random(seed)
    pools = Pools()
    pools.slot("a")
    message = encode([1, "two", [3, 4, 5], [6]])
    assert [row(message, rng, room) for room in range(16)] == [NO_ROOM] * 16
    assert row(message, rng, 16) == [1, "two", (3, 4, 5), (6,)]
    message = encode({"a": [1, 2, 3], "b": 4})
    assert [event(pools, message, rng, room=room) for room in range(10)] == [NO_ROOM] * 10
    assert event(pools, message, rng, room=10) == {0: (1, 2, 3)}


def messages(rng: random.Random) -> tuple[Mapping[Any, Any], list[Any]]:
    values = [some_value(rng) for _ in range(rng.randrange(5))]
    values = [value if not isinstance(value, str) else value[:300] for value in values]
    return {f"name {number}": value for number, value in enumerate(values)}, values


def test_messages_that_end_too_early_are_told(seed: int) -> None:
    rng = random.Random(seed)
    pools = Pools()
    for number in range(5):
        pools.slot(f"name {number}")
    for _ in range(effort(30)):
        named, listed = messages(rng)
        one, other, third = encode(named), encode(listed), encode(dict(enumerate(listed)))
        for end in {*range(min(len(one), 40)), rng.randrange(len(one))}:
            assert event(pools, one[:end], rng, room=400) == FOREIGN
        for end in {*range(min(len(other), 40)), rng.randrange(len(other))}:
            assert row(other[:end], rng, room=400) == FOREIGN
        for end in {*range(min(len(third), 40)), rng.randrange(len(third))}:
            assert event(pools, third[:end], rng, named=False, room=400) == FOREIGN


def read_twice(read: Any, message: bytes, rng: random.Random) -> None:
    """Whatever stands behind a message makes no difference, so nobody reads it."""
    answers = []
    for _ in range(2):
        frame = fenced(64)
        count = int(read(amid_noise(message, rng), frame))
        assert is_fenced(frame)
        assert count in (FOREIGN, NO_ROOM) or 0 <= count <= 32
        answers.append((count, frame[: 2 * max(count, 0)].tolist()))
        for head, raw in frame[: 2 * max(count, 0)].reshape(-1, 2).tolist():
            if head >> 32 in (STRING, OPAQUE):
                assert 0 <= raw >> 32 <= (raw >> 32) + (raw & LOW) <= len(message)
            if head >> 32 == ARRAY:
                assert count <= raw >> 32 <= (raw >> 32) + (raw & LOW) <= 32
    assert answers[0] == answers[1]


def test_any_bytes_are_harmless(seed: int) -> None:
    rng = random.Random(seed)
    pools = Pools()
    for name in ("a", "b", "name 0", "name 1"):
        pools.slot(name)

    def named(packed: Any, frame: Any) -> int:
        return int(unpack_event(pools.words, pools.longs, pools.heap, packed, True, frame))

    def slotted(packed: Any, frame: Any) -> int:
        return int(unpack_event(pools.words, pools.longs, pools.heap, packed, False, frame))

    leads = bytes([0x80, 0x81, 0x82, 0x90, 0x91, 0x93, 0xDC, 0xDD, 0xDE, 0xDF, 0xA1, 0xD7, 0xCB, 0xCF])
    for _ in range(effort(4_000)):
        if rng.random() < 0.5:
            message = bytearray(bytes(rng.choices(leads)) + rng.randbytes(rng.randrange(40)))
        else:
            message = bytearray(encode(rng.choice(messages(rng))))[:80]
        for _ in range(rng.randrange(4)):
            message[rng.randrange(len(message))] = rng.choice([rng.randrange(256), *leads])
        for read in (named, slotted, unpack_row):
            read_twice(read, bytes(message), rng)


def test_bytes_behind_a_message_are_not_looked_at(seed: int) -> None:
    assert row(encode([1, "a"]) + b"more", random.Random(seed)) == [1, "a"]


def test_an_attribute_that_is_named_twice_has_both_values() -> None:
    # No dict can be so; it is the last that counts, as cells are written in this order.
    pools = Pools()
    pools.slot("a")
    frame = np.zeros(64, np.int64)
    packed = np.frombuffer(b"\x82\xa1a\x01\xa1a\x02", np.uint8).copy()
    count = int(unpack_event(pools.words, pools.longs, pools.heap, packed, True, frame))
    assert framed(frame, count, b"") == [(0, 1), (0, 2)]
