"""Events as messages and as columns: whatever form they have, they meet what their values meet."""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import msgspec
import numpy as np
import pytest

from siftmesh.kernels.atoms import find_strings
from siftmesh.kernels.dims import HOW_ATOM, HOW_KEY, HOW_PRESENCE
from siftmesh.kernels.events import (
    B_ATOMS,
    B_ENTRIES,
    B_KIND,
    B_LISTS,
    B_LISTS_VALID,
    B_SLOT,
    B_VALID,
    B_VALUES,
    COLUMN,
    STRANGE,
    V_MISSING,
    V_NULL,
    V_THERE,
    match_columns,
    match_message,
    verify_columns,
    verify_message,
)
from siftmesh.kernels.follow import FULL
from siftmesh.kernels.layout import (
    BOOL,
    C_TAG,
    CELL,
    COUNTERS,
    F_TIMES,
    FLOAT,
    H_SLOT_COUNT,
    INT,
    MISSING,
    N_EVENTS,
    N_ROWS,
    NULL,
    NUMBER,
    OPAQUE,
    S_FLAGS,
    SEEN,
    STRING,
    TIMESTAMP,
)
from siftmesh.kernels.unpack import NO_ROOM
from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import Tree
from siftmesh.matching.packing import pack_event
from siftmesh.model.event import Event
from siftmesh.model.values import OPAQUE as SOMETHING
from siftmesh.model.values import Timestamp
from tests.effort import effort
from tests.reference.rows import Rows, by_chance, parked, rarest, some_event, some_tree, tree_of

# In a column: there is no value at all, not even null.
ABSENT = object()
NAMES = ["a", "b", "c", "d", "e"]
DIMS = [(0, NUMBER, HOW_KEY), (1, STRING, HOW_ATOM), (2, 0, HOW_PRESENCE), (4, TIMESTAMP, HOW_KEY)]


class Batch:
    """Columns as kernels read them, and beside them the values of each row."""

    def __init__(self, rows: Rows, count: int) -> None:
        self.rows = rows
        self.count = count
        self.events: list[dict[str, Any]] = [{} for _ in range(count)]
        self.columns: list[int] = []
        # Nothing begins at 0, which would hide a place that is not added.
        self.raws: list[int] = [-1, -1]
        self.valid: list[int] = [9]
        self.text = b"behind"

    def add(self, name: str, kind: int, values: Sequence[Any], dictionary: bool = False) -> None:
        """A column of values of one kind, some of them None or ABSENT."""
        column = self.described(name, kind)
        self.fill(column, kind, values, dictionary)
        self.columns += column
        for event, value in zip(self.events, values, strict=True):
            if value is not ABSENT:
                event[name] = None if value != value else value

    def add_lists(self, name: str, kind: int, values: Sequence[Any], dictionary: bool = False) -> None:
        """The same of arrays of values of one kind."""
        column = self.described(name, kind)
        there = [value if isinstance(value, tuple) else () for value in values]
        self.fill(column, kind, [element for value in there for element in value], dictionary)
        column[B_LISTS] = len(self.raws)
        self.raws += [sum(map(len, there[:row])) for row in range(self.count + 1)]
        if None in values or ABSENT in values:
            column[B_LISTS_VALID] = len(self.valid)
            self.valid += map(validity, values)
        self.columns += column
        for event, value in zip(self.events, values, strict=True):
            if value is not ABSENT:
                event[name] = value

    def described(self, name: str, kind: int) -> list[int]:
        column = [-1] * COLUMN
        column[B_SLOT], column[B_KIND] = self.rows.pools.slot(name), kind
        return column

    def fill(self, column: list[int], kind: int, values: Sequence[Any], dictionary: bool) -> None:
        if any(value is None or value is ABSENT for value in values):
            column[B_VALID] = len(self.valid)
            self.valid += map(validity, values)
        known = [value if validity(value) == V_THERE else None for value in values]
        if dictionary:
            entries = sorted({value for value in known if value is not None} | {"an entry of nobody"})
            column[B_VALUES] = len(self.raws)
            self.raws += [0 if value is None else entries.index(value) for value in known]
            bounds = self.strings(entries)
            found = np.full(len(entries), -1, np.int64)
            text = np.frombuffer(self.text + bytes(8), np.uint8).copy()
            find_strings(*self.rows.arrays, column[B_SLOT], text, np.array(bounds, np.int64), found)
            column[B_ATOMS] = len(self.raws)
            self.raws += found.tolist()
            column[B_ENTRIES] = len(self.raws)
            self.raws += bounds
        elif kind == STRING:
            bounds = self.strings(["" if value is None else value for value in known])
            column[B_VALUES] = len(self.raws)
            self.raws += bounds
        else:
            column[B_VALUES] = len(self.raws)
            self.raws += [raw_of(kind, value) for value in known]

    def strings(self, values: Sequence[str]) -> list[int]:
        """The bounds of strings, laid end to end behind the text."""
        bounds = [len(self.text)]
        for value in values:
            self.text += value.encode()
            bounds.append(len(self.text))
        return bounds

    def arrays(self) -> tuple[Any, Any, Any, Any]:
        """The text, the columns, the numbers and the validity."""
        return (
            np.frombuffer(self.text + bytes(8), np.uint8).copy(),
            np.array(self.columns, np.int64),
            np.array(self.raws, np.int64),
            np.array(self.valid, np.uint8),
        )


def validity(value: Any) -> int:
    return V_MISSING if value is ABSENT else V_NULL if value is None else V_THERE


def raw_of(kind: int, value: Any) -> int:
    if value is None or kind in (NULL, OPAQUE):
        return 77
    if kind == FLOAT:
        return int(struct.unpack("<q", struct.pack("<d", value))[0])
    return int(value.micros) if kind == TIMESTAMP else int(value)


OF_KIND: dict[int, list[Any]] = {
    INT: [0, 1, 2, 3, 7, 2**53, 2**53 + 1, -1, 2**63 - 1],
    FLOAT: [0.0, -0.0, 0.5, 1.0, 2.0, 7.0, 1e300, float("inf"), float("nan")],
    BOOL: [False, True],
    STRING: ["", "a", "ab", "abc", "b", "x abcdefgh y", "2020-01-01T12:00:00Z", "é"],
    TIMESTAMP: [Timestamp(1_577_880_000_000_000), Timestamp(0), Timestamp(5), Timestamp(-3)],
    OPAQUE: [SOMETHING],
}


def some_batch(rows: Rows, count: int, rng: random.Random) -> Batch:
    batch = Batch(rows, count)
    for name in rng.sample(NAMES, rng.randrange(1, 6)):
        likely = {"a": INT, "b": FLOAT, "c": STRING, "d": STRING, "e": TIMESTAMP}[name]
        kind = likely if rng.random() < 0.7 else rng.choice(list(OF_KIND))
        flags = rows.slot_record(name)[S_FLAGS]
        dictionary = kind == STRING and not flags & F_TIMES and rng.random() < 0.6
        odd = rng.choice([[], [None], [None, ABSENT], [ABSENT]])

        def value(kind: int = kind, odd: list[Any] = odd) -> Any:
            return rng.choice(odd) if odd and rng.random() < 0.2 else rng.choice(OF_KIND[kind])

        if rng.random() < 0.25:
            elements = [one for one in OF_KIND[kind] if one == one] + [None] * rng.randrange(2)
            lists = [
                rng.choice(odd)
                if odd and rng.random() < 0.2
                else tuple(rng.choices(elements, k=rng.randrange(4)))
                for _ in range(count)
            ]
            batch.add_lists(name, kind, lists, dictionary)
        elif rng.random() < 0.05:
            batch.add(name, NULL, [None] * count)
        else:
            batch.add(name, kind, [value() for _ in range(count)], dictionary)
    return batch


class Matching:
    """All that a call needs beside the pools."""

    def __init__(self, rows: Rows, dims: Sequence[tuple[int, int, int]] = DIMS) -> None:
        self.rows = rows
        for name in NAMES:
            rows.pools.slot(name)
        slots = rows.header(H_SLOT_COUNT)
        self.frame = np.zeros(400, np.int64)
        self.cells = np.zeros(CELL * (slots + 200), np.int64)
        self.stamps = np.zeros(max(rows.trees, default=0) + 1, np.int32)
        self.stamp = 0
        self.out = np.zeros(4_000, np.int32)
        self.counters = np.zeros(COUNTERS, np.int64)
        self.seen = np.zeros(SEEN * slots, np.int64)
        self.dims = np.array(dims, np.int32).reshape(-1)
        self.width = len(dims)

    def places(self, count: int) -> tuple[Any, Any, Any]:
        size = count * self.width
        return np.full(size, 9, np.uint8), np.full(size, 9, np.int64), np.full(size, 9, np.int64)

    def message(self, packed: bytes, named: bool, places: Any = None) -> int:
        """What comes back for the event of a message."""
        self.stamp += 1
        text = np.frombuffer(packed, np.uint8).copy()
        event = (text, named, self.frame, self.cells, self.stamps, self.stamp, self.out)
        rest = (self.counters, self.seen, self.dims, *(places or self.places(1)))
        found = int(match_message(*self.rows.arrays, *event, *rest))
        self.is_clean()
        return found

    def codes(self, event: Event, places: Any = None) -> list[int]:
        """The codes that an event meets."""
        found = self.message(pack_event(event, self.rows.pools.slots), False, places)
        assert found >= 0
        return sorted(self.out[:found].tolist())

    def is_clean(self) -> None:
        """The cells of all slots are missing again."""
        assert not self.cells[C_TAG : CELL * self.rows.header(H_SLOT_COUNT) : CELL].any()
        assert MISSING == 0

    def columns(self, batch: Batch, bounds: Any, first: int, last: int, places: Any) -> int:
        """What comes back for some rows of a batch."""
        text, columns, raws, valid = batch.arrays()
        events = (text, columns, raws, valid, first, last, self.frame, self.cells)
        found = (self.stamps, self.stamp + 1, bounds, self.out, self.counters, self.seen)
        after = int(match_columns(*self.rows.arrays, *events, *found, self.dims, *places))
        self.stamp += batch.count
        self.is_clean()
        return after

    def verify(self, packed: bytes, codes: list[int]) -> list[int]:
        """Which codes are left of an event's."""
        array = np.array(codes, np.int32)
        text = np.frombuffer(packed, np.uint8).copy()
        event = (text, False, self.frame, self.cells, array, self.counters)
        kept = int(verify_message(*self.rows.arrays, *event))
        self.is_clean()
        return array[:kept].tolist()


def filled(rng: random.Random, count: int = 40, choose: Any = None) -> Rows:
    rows = Rows()
    for name in NAMES:
        rows.pools.slot(name)
    for sub in rng.sample(range(2 * count), count):
        rows.add_some(sub, some_tree(rng), choose or by_chance(rng), rng)
    return rows


def test_a_message_meets_what_its_values_meet(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(15)):
        rows = filled(rng)
        matching = Matching(rows)
        for number in range(20):
            event = some_event(rng)
            codes = matching.codes(event)
            rows.judge(codes, event)
            assert codes == sorted(rows.found(event))
            assert matching.counters[N_EVENTS] == number + 1


def test_a_message_may_name_its_attributes() -> None:
    rows = Rows()
    for sub, source in enumerate(["a = 1", "b = 'x'", "c IS NULL"]):
        rows.add(sub, tree_of(source), rows.program(tree_of(source)))
    matching = Matching(rows)
    packed = msgspec.msgpack.encode({"b": "x", "nobody asks": [1, 2], "a": 1, "c": None})
    assert sorted(matching.out[: matching.message(packed, True)].tolist()) == [0, 1, 2]
    assert matching.message(packed, False) == STRANGE


def test_what_keeps_a_message_from_being_matched_is_told() -> None:
    rows = Rows()
    for sub in range(3):
        rows.add(sub, tree_of("a CONTAINS 1"), rows.program(tree_of("a CONTAINS 1")))
    matching = Matching(rows)
    event = Event({"a": (1, 2, 3), "b": "x"})
    packed = pack_event(event, rows.pools.slots)
    assert [matching.message(packed[:length], False) for length in range(len(packed))] == [STRANGE] * len(
        packed
    )
    assert matching.message(packed, False) == 3
    out, matching.out = matching.out, np.zeros(2, np.int32)
    assert matching.message(packed, False) == FULL
    matching.out = out
    for room in range(10):
        matching.frame = np.zeros(room, np.int64)
        assert matching.message(packed, False) == NO_ROOM
    matching.frame = np.zeros(10, np.int64)
    assert matching.message(packed, False) == 3
    # None of these was an event.
    assert matching.counters[N_EVENTS] == 2


def run(matching: Matching, batch: Batch, rng: random.Random) -> tuple[list[list[int]], tuple[Any, Any, Any]]:
    """The codes of each row of a batch, and its places; `out` is too short now and then."""
    bounds = np.full(batch.count + 1, -1, np.int64)
    bounds[0] = rng.choice([0, 5])
    places = matching.places(batch.count)
    found: list[list[int]] = []
    row = 0
    while row < batch.count:
        last = rng.choice([batch.count, rng.randint(row + 1, batch.count)])
        after = matching.columns(batch, bounds, row, last, places)
        assert row <= after <= last
        starts = bounds[row : after + 1].tolist()
        assert starts == sorted(starts)
        found += [matching.out[one:other].tolist() for one, other in pairwise(starts)]
        if after < last:
            # What does not fit behind the others may fit by itself, with more room it surely does.
            matching.out = np.zeros(2 * len(matching.out) + 9, np.int32)
            bounds[after] = 0
        row = after
    return [sorted(codes) for codes in found], places


def test_columns_meet_what_their_rows_meet_as_messages(seed: int) -> None:
    rng = random.Random(seed)
    met = 0
    for _ in range(effort(40)):
        rows = filled(rng)
        matching = Matching(rows)
        batch = some_batch(rows, rng.randrange(1, 12), rng)
        if rng.random() < 0.4:
            matching.out = np.zeros(rng.randrange(9), np.int32)
        found, places = run(matching, batch, rng)
        assert len(found) == batch.count
        alone = Matching(rows)
        for row, (codes, values) in enumerate(zip(found, batch.events, strict=True)):
            event = Event(values)
            here = alone.places(1)
            assert codes == alone.codes(event, here), values
            rows.judge(codes, event)
            part = slice(row * matching.width, (row + 1) * matching.width)
            there = here[0].astype(bool)
            assert places[0][part].tolist() == here[0].tolist()
            for one, other in zip(places[1:], here[1:], strict=True):
                assert one[part][there].tolist() == other[there].tolist()
            met += len(codes)
    assert met > 20


def single(source: str, names: str = "a") -> Rows:
    rows = Rows()
    rows.add(0, tree_of(source), rows.program(tree_of(source)))
    for name in names:
        rows.pools.slot(name)
    return rows


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a IS NULL", [1, 2]),
        ("a EXISTS", [0, 1]),
        ("NOT a EXISTS", [2]),
        ("a IS NOT NULL", [0]),
        ("a = 1", [0]),
        ("a <> 2", [0]),
    ],
)
def test_null_is_not_the_same_as_missing(source: str, expected: list[int], seed: int) -> None:
    source = source.replace("a EXISTS", "EXISTS(a)")
    rows = single(source)
    batch = Batch(rows, 3)
    batch.add("a", INT, [1, None, ABSENT])
    found, _ = run(Matching(rows), batch, random.Random(seed))
    assert [row for row, codes in enumerate(found) if codes] == expected


def test_an_array_can_be_null_or_missing_too(seed: int) -> None:
    values = [(1, 2), (), None, ABSENT, (None,), (2,)]
    expected = {
        "a CONTAINS 2": [0, 5],
        "NOT a CONTAINS 2": [1],
        "a IS NULL": [2, 3],
        "EXISTS(a)": [0, 1, 2, 4, 5],
        "a IS NOT NULL": [0, 1, 4, 5],
    }
    for source, rows_met in expected.items():
        rows = single(source)
        batch = Batch(rows, len(values))
        batch.add_lists("a", INT, values)
        found, _ = run(Matching(rows), batch, random.Random(seed))
        assert [row for row, codes in enumerate(found) if codes] == rows_met, source


def test_no_number_is_null(seed: int) -> None:
    rows = single("a IS NULL")
    batch = Batch(rows, 3)
    batch.add("a", FLOAT, [float("nan"), 1.0, None])
    assert run(Matching(rows), batch, random.Random(seed))[0] == [[0], [], [0]]


def test_an_entry_of_a_dictionary_is_a_string_like_others(seed: int) -> None:
    values = ["b", "a", None, "b", "c", ABSENT, "", "a"]
    lists = [("a", "b"), (), ("c", "c"), None, ("b", None), ("z",), ("a",), ("", "z")]
    for source in ["a = 'a'", "a IN ('b', 'c')", "a LIKE '%b'", "a > 'a'", "a = ''", "a <> 'b'", "a IS NULL"]:
        for dictionary in (False, True):
            rows = single(source)
            batch = Batch(rows, len(values))
            batch.add("a", STRING, values, dictionary)
            found, _ = run(Matching(rows), batch, random.Random(seed))
            assert found == [[0] if holds(tree_of(source), Event(event)) else [] for event in batch.events]
    for source in ["a CONTAINS 'a'", "a OVERLAPS ('b', 'c')", "NOT a CONTAINS 'z'"]:
        rows = single(source)
        batch = Batch(rows, len(lists))
        batch.add_lists("a", STRING, lists, dictionary=True)
        found, _ = run(Matching(rows), batch, random.Random(seed))
        assert found == [[0] if holds(tree_of(source), Event(event)) else [] for event in batch.events]


def test_a_subscription_is_met_by_one_row_after_the_other(seed: int) -> None:
    # Met in several chains, it is reported once for each row.
    rows = single("a = 1 OR b = 1 OR a IN (1, 2)", "ab")
    batch = Batch(rows, 4)
    batch.add("a", INT, [1, 1, 2, 3])
    batch.add("b", INT, [1, 1, 0, 1])
    assert run(Matching(rows), batch, random.Random(seed))[0] == [[0]] * 4


def test_a_row_whose_matches_have_no_room_is_told() -> None:
    rows = Rows()
    program = rows.program(tree_of("a = 1"))
    for sub in range(6):
        rows.add(sub, tree_of("a = 1"), program)
    matching = Matching(rows)
    batch = Batch(rows, 4)
    batch.add("a", INT, [1, 0, 1, 1])
    # Six for each of the rows that match, and one more behind them.
    for room, expected in [(0, 0), (6, 0), (7, 2), (12, 2), (13, 3), (18, 3), (19, 4)]:
        bounds = np.full(5, -1, np.int64)
        bounds[0] = 0
        matching.out = np.zeros(room, np.int32)
        assert matching.columns(batch, bounds, 0, 4, matching.places(4)) == expected
        assert bounds.tolist() == [0, 6, 6, 12, 18][: expected + 1] + [-1] * (4 - expected)


def test_a_row_whose_arrays_have_no_room_is_told() -> None:
    rows = single("b CONTAINS 3 AND a = 1", "abc")
    matching = Matching(rows)
    slots = rows.header(H_SLOT_COUNT)
    batch = Batch(rows, 3)
    batch.add("a", INT, [1, 1, 1])
    batch.add_lists("b", INT, [(3,), (1, 2, 3), (3, 3)])
    batch.add_lists("c", STRING, [(), ("x", "y"), ("x",)])
    answers = []
    for spare in range(6):
        bounds = np.zeros(4, np.int64)
        matching.cells = np.zeros(CELL * (slots + spare), np.int64)
        answers.append(matching.columns(batch, bounds, 0, 3, matching.places(3)))
        done = answers[-1] if answers[-1] >= 0 else ~answers[-1]
        assert bounds.tolist()[: done + 1] == list(range(done + 1))
    assert answers == [~0, ~1, ~1, ~1, ~1, 3]
    # It goes on from there with more room.
    bounds = np.array([0, 1, 0, 0], np.int64)
    assert matching.columns(batch, bounds, 1, 3, matching.places(3)) == 3
    assert bounds.tolist() == [0, 1, 2, 3]


def test_without_rows_and_without_columns_there_is_little_to_do(seed: int) -> None:
    rows = single("a IS NULL")
    matching = Matching(rows, dims=())
    batch = Batch(rows, 3)
    assert run(matching, batch, random.Random(seed))[0] == [[0]] * 3
    bounds = np.array([4], np.int64)
    assert matching.columns(Batch(rows, 0), bounds, 0, 0, matching.places(0)) == 0
    assert bounds.tolist() == [4]


# ---- asking again


def expected_codes(codes: list[int], event: Event, trees: dict[int, Tree], kept: list[int]) -> None:
    """Sure codes stay, complements become sure, go, or stay where nobody can tell; in the same order."""
    left = list(kept)
    for code in codes:
        sub = code if code >= 0 else ~code
        if code >= 0:
            assert left.pop(0) == code
        elif left and left[0] == code:
            left.pop(0)  # nobody here can tell
        elif holds(trees[sub], event):
            assert left.pop(0) == sub
        else:
            assert not left or left[0] != sub
    assert left == []


def some_codes(rows: Rows, rng: random.Random) -> list[int]:
    return [sub if rng.random() < 0.3 else ~sub for sub in rng.sample(list(rows.trees), rng.randrange(12))]


def test_complements_are_asked_of_a_message(seed: int) -> None:
    rng = random.Random(seed)
    changed = 0
    for _ in range(effort(15)):
        rows = filled(rng, 30, parked)
        matching = Matching(rows)
        for _ in range(20):
            event, codes = some_event(rng), some_codes(rows, rng)
            before = int(matching.counters[N_ROWS])
            kept = matching.verify(pack_event(event, rows.pools.slots), codes)
            expected_codes(codes, event, rows.trees, kept)
            assert matching.counters[N_ROWS] - before == sum(code < 0 for code in codes)
            changed += kept != codes
    assert changed


def test_only_what_nobody_can_tell_stays_a_complement() -> None:
    rows = Rows()
    for sub, source in enumerate(
        ["a = 1", "a = 2", "lower(b) = c", "a = 1 AND lower(b) = c", "a = 2 AND lower(b) = c"]
    ):
        rows.add(sub, tree_of(source), rows.program(tree_of(source), parked))
    matching = Matching(rows)
    packed = pack_event(Event({"a": 1, "b": "X", "c": "x"}), rows.pools.slots)
    assert matching.verify(packed, [~0, ~1, ~2, ~3, ~4]) == [0, ~2, ~3]
    assert matching.verify(packed, [4, ~0, 1]) == [4, 0, 1]
    assert matching.verify(packed, []) == []


def test_complements_are_asked_of_columns(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(30)):
        rows = filled(rng, 30, parked)
        matching = Matching(rows)
        batch = some_batch(rows, rng.randrange(1, 8), rng)
        text, columns, raws, valid = batch.arrays()
        codes = [some_codes(rows, rng) for _ in range(batch.count)]
        bounds = np.cumsum([0, *map(len, codes)]).astype(np.int64)
        array = np.array([code for one in codes for code in one], np.int32)
        events = (text, columns, raws, valid, matching.frame, matching.cells)
        verify_columns(*rows.arrays, *events, bounds, array, matching.counters)
        matching.is_clean()
        assert bounds[0] == 0
        for row, (before, values) in enumerate(zip(codes, batch.events, strict=True)):
            kept = array[bounds[row] : bounds[row + 1]].tolist()
            assert kept == matching.verify(pack_event(Event(values), rows.pools.slots), before)


def test_what_is_looked_up_is_what_was_asked() -> None:
    # An attribute that is read as a moment somewhere is a string elsewhere.
    rows = Rows()
    for sub, source in enumerate(["a = '2020-01-01T12:00:00Z'", "a > TIMESTAMP '2019-01-01T00:00:00Z'"]):
        rows.add(sub, tree_of(source), rows.program(tree_of(source), rarest))
    assert Matching(rows).codes(Event({"a": "2020-01-01T12:00:00Z"})) == [0, 1]
    batch = Batch(rows, 2)
    batch.add("a", STRING, ["2020-01-01T12:00:00Z", "2020-01-01T12:00:01Z"])
    assert run(Matching(rows), batch, random.Random(0))[0] == [[0, 1], [1]]
