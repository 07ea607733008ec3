"""Calls with one address in place of all arrays do what the calls with the arrays do."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pytest

from siftmesh.kernels import entry
from siftmesh.kernels.dims import HOW_KEY, HOW_PRESENCE
from siftmesh.kernels.entry import (
    CONTEXT,
    DOUBT,
    LAST_STAMP,
    X_STAMP,
    add_message,
    finish_add,
    match_event,
    remove,
    verify_event,
)
from siftmesh.kernels.events import STRANGE
from siftmesh.kernels.follow import FULL
from siftmesh.kernels.layout import (
    C_TAG,
    CELL,
    COUNTERS,
    H_HEAP,
    H_LONGS,
    H_SLOT_COUNT,
    N_EVENTS,
    NUMBER,
    SEEN,
)
from siftmesh.kernels.rows import DONE, FRAME_TOO_SHORT, LACKS_ROOM
from siftmesh.kernels.unpack import NO_ROOM
from siftmesh.logic.tree import Tree
from siftmesh.matching.packing import pack_event
from siftmesh.matching.program import Program
from siftmesh.matching.shape import shape_of
from siftmesh.model.event import Event
from tests.effort import effort
from tests.reference.rows import Rows, by_chance, parked, rarest, some_event, some_tree, tree_of

# The arrays in the order of the context.
ARRAYS = ["WORDS", "LONGS", "HEAP", "FRAME", "CELLS", "STAMPS", "OUT", "COUNTERS", "MADE"]
ARRAYS += ["DIMS", "PRESENT", "LOWS", "HIGHS", "SEEN", "NAMED"]


class Context:
    """The arrays of a call, and their addresses."""

    def __init__(self, rows: Rows, subs: int = 200) -> None:
        self.rows = rows
        for name in "abcde":
            rows.pools.slot(name)
        slots = rows.header(H_SLOT_COUNT)
        dims = [(rows.pools.slot("a"), NUMBER, HOW_KEY), (rows.pools.slot("c"), 0, HOW_PRESENCE)]
        self.of: dict[str, Any] = {
            "FRAME": np.zeros(400, np.int64),
            "CELLS": np.zeros(CELL * (slots + 200), np.int64),
            "STAMPS": np.zeros(subs, np.int32),
            "OUT": np.zeros(4_000, np.int32),
            "COUNTERS": np.zeros(COUNTERS, np.int64),
            "MADE": np.zeros(600, np.int64),
            "DIMS": np.array(dims, np.int32).reshape(-1),
            "PRESENT": np.full(len(dims), 9, np.uint8),
            "LOWS": np.full(len(dims), 9, np.int64),
            "HIGHS": np.full(len(dims), 9, np.int64),
            "SEEN": np.zeros(SEEN * slots, np.int64),
            "NAMED": np.zeros(4_000, np.int64),
        }
        self.context = np.zeros(CONTEXT, np.int64)

    @property
    def address(self) -> int:
        words, longs, heap = self.rows.arrays
        self.of |= {"WORDS": words, "LONGS": longs, "HEAP": heap}
        for name, array in self.of.items():
            place = getattr(entry, f"X_{name}")
            self.context[place : place + 2] = array.ctypes.data, len(array)
        return int(self.context.ctypes.data)

    def packed(self, event: Event) -> bytes:
        return pack_event(event, self.rows.pools.slots)

    def match(self, packed: bytes, named: bool = False, ids: int = 0) -> int:
        found = int(match_event(self.address, packed, named, ids))
        assert not self.of["CELLS"][C_TAG : CELL * self.rows.header(H_SLOT_COUNT) : CELL].any()
        return found

    def codes(self, event: Event) -> list[int]:
        found = self.match(self.packed(event))
        assert found >= 0
        codes: list[int] = self.of["OUT"][: found % DOUBT].tolist()
        assert (found >= DOUBT) is any(code < 0 for code in codes)
        return sorted(codes)


def filled(rng: random.Random, choose: Any = None, count: int = 40) -> Rows:
    rows = Rows()
    for sub in rng.sample(range(2 * count), count):
        rows.add_some(sub, some_tree(rng), choose or by_chance(rng), rng)
    return rows


def test_each_array_has_a_place_for_its_address_and_one_for_its_length() -> None:
    places = [getattr(entry, f"X_{name}") for name in ARRAYS]
    assert places == list(range(0, 2 * len(ARRAYS), 2))
    assert 2 * len(ARRAYS) == X_STAMP
    assert CONTEXT == X_STAMP + 1
    exported = {name for name in entry.__all__ if name.startswith("X_")}
    assert exported == {f"X_{name}" for name in ARRAYS} | {"X_STAMP"}
    assert all(one < other for one, other in pairwise(places))
    # Marks are words, and the next one is a word too.
    assert np.iinfo(np.int32).max >= LAST_STAMP + 1


def test_an_event_meets_what_it_meets_with_the_arrays_at_hand(seed: int) -> None:
    rng = random.Random(seed)
    doubtful = 0
    for _ in range(effort(15)):
        rows = filled(rng)
        context = Context(rows)
        for number in range(20):
            event = some_event(rng)
            codes = context.codes(event)
            assert codes == sorted(rows.found(event))
            rows.judge(codes, event)
            doubtful += any(code < 0 for code in codes)
            assert context.context[X_STAMP] == number + 1
            assert context.of["COUNTERS"][N_EVENTS] == number + 1
            values = event.values
            wanted = isinstance(values.get("a"), (int, float)) and not isinstance(values.get("a"), bool)
            assert context.of["PRESENT"].tolist() == [wanted, values.get("c") is not None]
    assert doubtful


def test_an_event_may_name_its_attributes() -> None:
    rows = Rows()
    rows.add(0, tree_of("a = 1"), rows.program(tree_of("a = 1")))
    context = Context(rows)
    assert context.match(msgspec.msgpack.encode({"z": 3, "a": 1}), True) == 1
    assert context.match(msgspec.msgpack.encode({"a": 1}), False) == STRANGE
    assert context.match(msgspec.msgpack.encode({rows.pools.slot("a"): 1}), False) == 1
    assert context.of["OUT"][0] == 0


def test_the_ids_of_what_is_found_are_put_down_where_all_is_certain() -> None:
    rows = Rows()
    for sub, source in enumerate(["a = 1", "a = 2", "a = 1 AND b = 2", "c = 1 AND lower(b) = 'x'"]):
        rows.add(sub, tree_of(source), rows.program(tree_of(source)))
    context = Context(rows)
    ids = np.arange(len(context.of["STAMPS"]), dtype=np.int64) * 10**15 - 7
    names = int(ids.ctypes.data)
    packed = context.packed(Event({"a": 1, "b": 2}))
    assert context.match(packed, ids=names) == 2
    found = context.of["OUT"][:2].tolist()
    assert sorted(found) == [0, 2]
    assert context.of["NAMED"][:3].tolist() == [*(10**15 * number - 7 for number in found), 0]
    context.of["NAMED"][:] = 5
    assert context.match(packed) == 2
    assert context.match(context.packed(Event({"a": 1, "b": "X", "c": 1})), ids=names) == 2 + DOUBT
    assert context.match(context.packed(Event({"a": 3})), ids=names) == 0
    assert context.match(b"", ids=names) == STRANGE
    assert set(context.of["NAMED"].tolist()) == {5}


def test_what_keeps_an_event_from_being_matched_is_told() -> None:
    rows = Rows()
    tree = tree_of("a CONTAINS 1 AND lower(b) = c")
    program = rows.program(tree)
    for sub in range(3):
        rows.add(sub, tree, program)
    context = Context(rows)
    packed = context.packed(Event({"a": (1, 2), "b": "X", "c": "x"}))
    assert context.match(packed) == 3 + DOUBT
    assert context.match(packed[:-1]) == STRANGE
    assert context.match(b"") == STRANGE
    frame, context.of["FRAME"] = context.of["FRAME"], np.zeros(4, np.int64)
    assert context.match(packed) == NO_ROOM
    context.of["FRAME"] = frame
    context.of["OUT"] = np.zeros(3, np.int32)
    assert context.match(packed) == FULL
    # Each attempt has a mark of its own.
    assert context.context[X_STAMP] == 5
    context.of["OUT"] = np.zeros(4, np.int32)
    assert context.match(packed) == 3 + DOUBT


def test_the_marks_begin_anew_after_the_last(seed: int) -> None:
    rows = Rows()
    # Met in several chains, it is told by its mark that it was reported.
    tree = tree_of("a = 1 OR b = 1")
    rows.add(7, tree, rows.program(tree))
    context = Context(rows)
    event = Event({"a": 1, "b": 1})
    context.context[X_STAMP] = LAST_STAMP - 2
    # This subscription was met long ago, by events whose marks come again.
    for mark, stale in [(LAST_STAMP - 1, 5), (LAST_STAMP, 1), (1, 1), (2, 1), (3, 2)]:
        context.of["STAMPS"][7] = stale
        context.of["STAMPS"][8] = stale
        assert context.codes(event) == [7]
        assert context.context[X_STAMP] == mark
        assert context.of["STAMPS"][7] == mark
        assert context.of["STAMPS"][8] == (0 if mark == 1 else stale)


def test_complements_are_asked_again() -> None:
    rows = Rows()
    for sub, source in enumerate(["a = 1", "a = 2", "lower(b) = c", "d = 4"]):
        rows.add(sub, tree_of(source), rows.program(tree_of(source), parked))
    context = Context(rows)
    packed = context.packed(Event({"a": 1, "b": "X", "c": "x"}))
    codes = np.array([~0, 3, ~1, ~2, ~3], np.int32)
    assert verify_event(context.address, packed, False, codes) == 3
    assert codes[:3].tolist() == [0, 3, ~2]
    named = msgspec.msgpack.encode({"a": 2})
    codes = np.array([~0, ~1, ~3], np.int32)
    assert verify_event(context.address, named, True, codes) == 1
    assert codes[0] == 1


class Adding(Context):
    """Subscriptions that come as messages."""

    def try_to_add(self, sub: int, tree: Tree, program: Program, packed: bytes | None = None) -> int:
        message = msgspec.msgpack.encode(shape_of(tree)[1]) if packed is None else packed
        return int(add_message(self.address, message, program.place, sub))

    def add(self, sub: int, tree: Tree, program: Program) -> list[int]:
        """Take a subscription in, and whatever was lacking."""
        answers = []
        done = LACKS_ROOM
        while done < DONE:
            done = self.try_to_add(sub, tree, program)
            answers.append(done)
            if done == LACKS_ROOM:
                self.rows.pools.reserve_directory(sub + 1)
                self.rows.pools.reserve_atoms(500)
                self.rows.lengthen()
            elif done == FRAME_TOO_SHORT:
                self.of["FRAME"] = np.zeros(len(self.of["FRAME"]) + 2, np.int64)
                self.of["MADE"] = np.zeros(len(self.of["MADE"]) + 2, np.int64)
        while done != DONE:
            self.rows.lengthen()
            done = int(finish_add(self.address, program.place, sub, done - 1))
            answers.append(done)
        program.subscriptions += 1
        self.rows.trees[sub] = tree
        return answers


def test_subscriptions_come_as_messages_and_go_by_their_number(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(10)):
        rows = Rows(step=rng.choice([60, 1_000]))
        adding = Adding(rows)
        adding.of["FRAME"], adding.of["MADE"] = np.zeros(2, np.int64), np.zeros(2, np.int64)
        places = {}
        for sub in rng.sample(range(80), 25):
            tree = some_tree(rng)
            program = rows.program(tree, rarest)
            if program.texts:
                continue  # the texts that are looked up are for the caller to add
            adding.add(sub, tree, program)
            places[sub] = program.place
        rows.check()
        adding = Adding(rows)
        for _ in range(5):
            event = some_event(rng)
            rows.judge(adding.codes(event), event)
        for sub in rng.sample(list(places), len(places)):
            assert remove(adding.address, sub) == places[sub]
            del rows.trees[sub]
        rows.check()
        for place in list(rows.programs):
            rows.forget(place)
        assert rows.atoms() == []


def test_what_keeps_a_subscription_out_is_told() -> None:
    rows = Rows()
    tree = tree_of("a = 1 AND b > 2")
    adding = Adding(rows)
    program = rows.program(tree)
    rows.lengthen()
    assert adding.try_to_add(0, tree, program) == LACKS_ROOM
    rows.pools.reserve_directory(1)
    rows.pools.reserve_atoms(100)
    for packed in (b"", b"\x92\x01", b"\x92\x01\xc1", b"\x01"):
        assert adding.try_to_add(0, tree, program, packed) == STRANGE
    frame, adding.of["FRAME"] = adding.of["FRAME"], np.zeros(2, np.int64)
    assert adding.try_to_add(0, tree, program) == FRAME_TOO_SHORT
    adding.of["FRAME"] = frame
    made, adding.of["MADE"] = adding.of["MADE"], np.zeros(len(frame) // 2 + 8, np.int64)
    assert adding.try_to_add(0, tree, program) == FRAME_TOO_SHORT
    adding.of["MADE"] = made
    rows.pools.longs = rows.pools.longs[: rows.header(H_LONGS) + 10].copy()
    assert adding.try_to_add(0, tree, program) == 1
    assert finish_add(adding.address, program.place, 0, 0) == 1
    rows.lengthen()
    assert finish_add(adding.address, program.place, 0, 0) == DONE
    rows.trees[0] = tree
    rows.check()
    assert adding.codes(Event({"a": 1, "b": 3})) == [0]


@pytest.mark.parametrize("length", [3, 40, 3_000])
def test_room_for_strings_is_asked_for_by_the_length_of_the_message(length: int) -> None:
    rows = Rows(step=length + 1_000)
    tree = tree_of(f"a = '{'x' * length}'")
    adding = Adding(rows)
    program = rows.program(tree)
    rows.pools.reserve_directory(1)
    rows.pools.reserve_atoms(200)
    rows.pools.reserve(5_000, 5_000, 0)
    # There would be room for what is short.
    rows.pools.heap = np.zeros(8 * rows.header(H_HEAP) + 1_000, np.uint8)
    answers = adding.add(0, tree, program)
    assert answers == ([DONE] if length < 1_000 else [LACKS_ROOM, DONE])
    assert adding.codes(Event({"a": "x" * length})) == [0]
