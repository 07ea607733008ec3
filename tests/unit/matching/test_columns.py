"""Columns of Arrow are read as the rows they stand for, whatever their types, and refuse what rows refuse."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from siftmesh.errors import EventError
from siftmesh.filters import FilterReader
from siftmesh.kernels.events import COLUMN
from siftmesh.matching.adaptive import AdaptiveEngine
from siftmesh.matching.columns import encode_columns
from siftmesh.matching.scan import ScanEngine
from tests.effort import effort

READER = FilterReader()
NOON = datetime(2024, 1, 1, 12, tzinfo=UTC)
BIG = 2**53 + 1

# What is asked of each column: every way in which a kernel looks at a value.
ASKED = [
    *(
        f"a {sign} {value}"
        for sign in ("=", "<>", "<", ">=")
        for value in ("1", "-1", "0.5", str(BIG), "'b'")
    ),
    *(f"a {sign} TIMESTAMP '2024-01-01T12:00:00Z'" for sign in ("=", "<>", "<", ">=")),
    "a = TRUE",
    "a <> TRUE",
    "a IN (1, 2, 9223372036854775807)",
    "a IN ('b', '')",
    "a = 'bb'",
    "a = 'größer'",
    "a > 'a'",
    "a LIKE 'b%'",
    "a LIKE '%rö%'",
    "a LIKE '_'",
    "a ILIKE '%B'",
    "a IS NULL",
    "a IS NOT NULL",
    "EXISTS(a)",
    "NOT EXISTS(a)",
    "a CONTAINS 1",
    "a CONTAINS 'b'",
    "NOT a CONTAINS 1",
    "a OVERLAPS (1, 2)",
    "NOT a OVERLAPS ('b', 'c')",
    "SOME (a AS x: x > 1)",
    "NOT SOME (a AS x: x > 1)",
    "length(a) = 1",
    "a + 1 > 2",
    "kind(a) = 'opaque'",
    "kind(a) = 'timestamp'",
    "a.x = 1",
    "a.x IS NULL",
    "EXISTS(a.x)",
    "a.y LIKE 'b%'",
    'a."o d".z = 2',
    'EXISTS(a."o d")',
    'a."o d".z IS NULL',
    "n > 3 AND a IS NOT NULL",
    "n = 3",
]


def holding(engine: Any, numbers: Iterable[int]) -> Any:
    for number in numbers:
        engine.insert(number, READER.read(ASKED[number]))
    return engine


# What no kernel decides by itself, for which events are read the slow way after all.
SLOW = {
    n for n, text in enumerate(ASKED) if "(a) =" in text or "+" in text or ("<" in text and str(BIG) in text)
}
# Where nobody asks for moments, entries of dictionaries are looked up.
MOMENTS_ASKED = {n for n, text in enumerate(ASKED) if "TIMESTAMP" in text}
WHOLE = set(range(len(ASKED)))
ENGINES = [
    (AdaptiveEngine(), numbers)
    for numbers in (
        WHOLE,
        WHOLE - SLOW,
        WHOLE - MOMENTS_ASKED,
        WHOLE - SLOW - MOMENTS_ASKED,
        {ASKED.index("EXISTS(a.x)")},
    )
]
for made, held in ENGINES:
    holding(made, held)
ENGINE = ENGINES[0][0]
ORACLE = holding(ScanEngine(), WHOLE)


def answer(engine: Any, events: Any) -> Any:
    try:
        bounds, numbers = engine.find_batch(events)
    except EventError as error:
        return str(error)
    assert (bounds.dtype, numbers.dtype, len(bounds)) == (np.int64, np.int32, events.num_rows + 1)
    return [sorted(numbers[start:stop].tolist()) for start, stop in pairwise(bounds)]


def check(events: Any) -> Any:
    """Engines say of a table what the oracle says of it."""
    expected = answer(ORACLE, events)
    for engine, numbers in ENGINES:
        found = answer(engine, events)
        if isinstance(expected, str):
            assert found == expected
        else:
            assert found == [[number for number in row if number in numbers] for row in expected]
    return expected


def check_column(column: pa.Array, encoded: bool = True) -> None:
    """A column, slices of it, pieces of it, and within objects and arrays, are as their rows."""
    size = len(column)
    numbers = pa.array(range(size))
    batch = pa.RecordBatch.from_arrays([column, numbers], names=["a", "n"])
    found = check(batch)
    assert isinstance(found, str) or any(found)
    for first, length in ((1, size), (2, 3), (size - 1, 1), (3, 0)):
        check(batch.slice(first, length))
    check(pa.table(batch))
    check(pa.table({"a": pa.chunked_array([column.slice(0, 2), column.slice(2)]), "n": numbers}))
    slots = {"a": 0, "n": 1}
    assert (encode_columns(batch, slots, lambda *_: None) is not None) == encoded
    # Somebody else's column is no less refused.
    check(pa.RecordBatch.from_arrays([column, numbers], names=["other", "a"]))
    lists = pa.ListArray.from_arrays(pa.array([0, 0, 2, None, 3, size], pa.int32()), column)
    for listed in (lists, lists.cast(pa.large_list(column.type)), lists.slice(1, 3)):
        check(pa.RecordBatch.from_arrays([listed], names=["a"]))
    mask = pa.array([row % 3 == 1 for row in range(size)])
    struct = pa.StructArray.from_arrays([column, numbers], names=["x", "y"], mask=mask)
    for objects in (struct, struct.slice(1), struct.slice(2, 3)):
        check(pa.RecordBatch.from_arrays([objects], names=["a"]))


INTS: list[Any] = [1, None, 2, 0, 3, 100, 1]
SIGNED: list[Any] = [1, None, -1, 0, 2, -100, 3]
TEXTS: list[Any] = ["b", None, "", "bb", "größer", "2024-01-01T12:00:00Z", "b"]


@pytest.mark.parametrize("kind", [pa.uint8(), pa.uint16(), pa.uint32(), pa.uint64()], ids=str)
def test_whole_numbers_without_sign(kind: pa.DataType) -> None:
    check_column(pa.array(INTS, kind))


@pytest.mark.parametrize("kind", [pa.int8(), pa.int16(), pa.int32(), pa.int64()], ids=str)
def test_whole_numbers(kind: pa.DataType) -> None:
    check_column(pa.array(SIGNED, kind))


def test_numbers_that_no_double_equals() -> None:
    check_column(pa.array([BIG, None, BIG - 1, -BIG, 2**63 - 1, -(2**63), 1]))
    check_column(pa.array([BIG, None, 2**63 - 1, 1, 2, 0, 5], pa.uint64()))


def test_a_whole_number_beyond_64_bits_is_refused_with_its_row() -> None:
    column = pa.array([1, None, 2**63, 0, 2**64 - 1, 2, 3], pa.uint64())
    batch = pa.RecordBatch.from_arrays([column], names=["a"])
    assert answer(ENGINE, batch) == answer(ORACLE, batch)
    with pytest.raises(EventError, match=r"^row 2: at a: an integer of 65 bits needs more than 64"):
        ENGINE.find_batch(batch)
    check_column(column, encoded=False)
    # What is null may hold anything.
    hidden = pa.array([2**64 - 1, 7, 1, 2, 0, 5, 6], pa.uint64(), mask=np.arange(7) == 0)
    check_column(hidden)
    # In the second block of a table, and in its second piece.
    table = pa.table({"a": pa.array([1] * 3_000 + [2**63], pa.uint64())})
    for events in (table, pa.concat_tables([table.slice(0, 10), table.slice(10)])):
        with pytest.raises(EventError, match=r"^row 3000: at a: "):
            ENGINE.find_batch(events)


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64()], ids=str)
def test_floats(kind: pa.DataType) -> None:
    values = [1.0, None, 0.5, -0.0, float("nan"), float("inf"), -1.5]
    dtype = kind.to_pandas_dtype()
    held = np.array([0 if value is None else value for value in values], dtype)
    check_column(pa.array(held, kind, mask=np.array([value is None for value in values])))


def test_bools() -> None:
    check_column(pa.array([True, None, False, False, True, None, True]))


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_strings(kind: pa.DataType) -> None:
    check_column(pa.array(TEXTS, kind))
    check_column(pa.array(["x" * 100_000, "b" * 20, None, "", "b", "b", "größer"], kind))


@pytest.mark.parametrize("kind", [pa.int8(), pa.uint16(), pa.int32(), pa.int64(), pa.uint64()], ids=str)
@pytest.mark.parametrize("text", [pa.string(), pa.large_string()], ids=str)
def test_dictionaries(kind: pa.DataType, text: pa.DataType) -> None:
    indices = pa.array([0, None, 2, 1, 0, 2, 2], kind)
    for entries in (
        ["b", "", "größer"],
        ["b", None, "bb"],
        ["b"] * 3,
        [f"b{number}" for number in range(100)],
    ):
        check_column(pa.DictionaryArray.from_arrays(indices, pa.array(entries, text)))
    nothing = pa.DictionaryArray.from_arrays(pa.array([None] * 7, kind), pa.array([], text))
    check_column(nothing)


def test_dictionaries_of_views_and_of_slices() -> None:
    indices = pa.array([0, None, 2, 1, 0, 2, 2])
    long = pa.array(["?", "b", "bb", "größer", "x"]).slice(1, 3)
    check_column(pa.DictionaryArray.from_arrays(indices, long))
    views = pa.array(["b", "bb" * 20, "größer"], pa.string_view())
    batch = pa.RecordBatch.from_arrays([pa.DictionaryArray.from_arrays(indices, views)], names=["a"])
    check(batch)


def test_a_dictionary_of_numbers_is_read_value_by_value() -> None:
    check_column(pa.array(INTS).dictionary_encode(), encoded=False)


def test_the_entries_of_a_dictionary_are_looked_up_once() -> None:
    asked: list[int] = []

    def find(slot: int, text: Any, bounds: Any) -> Any:
        asked.append(len(bounds) - 1)
        return np.zeros(len(bounds) - 1, np.int64)

    column = pa.array(["x", "y"] * 50).dictionary_encode()
    batch = pa.RecordBatch.from_arrays([column], names=["a"])
    assert encode_columns(batch, {"a": 0}, find) is not None
    assert asked == [2]
    # Nobody asks about it, or there are more entries than values.
    assert encode_columns(batch, {}, find) is not None
    assert encode_columns(batch.slice(0, 1), {"a": 0}, find) is not None
    assert asked == [2]


MOMENTS = [NOON, None, NOON + timedelta(seconds=1), NOON - timedelta(days=9_999), NOON, NOON, None]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", ["UTC", "+02:00", "Europe/Berlin", "America/New_York"])
def test_moments(unit: str, zone: str) -> None:
    check_column(pa.array(MOMENTS, pa.timestamp(unit, zone)))


def test_moments_finer_than_microseconds_are_cut_off() -> None:
    noon = round(NOON.timestamp()) * 10**9
    column = pa.array([noon + 999, noon - 1, None, noon + 1, -1, -999, -1_001], pa.timestamp("ns", "UTC"))
    check_column(column)


@pytest.mark.parametrize(
    ("unit", "first", "last"),
    [("s", -62_135_596_800, 253_402_300_799), ("us", -62_135_596_800_000_000, 253_402_300_799_999_999)],
)
def test_moments_outside_the_calendar_are_refused(unit: str, first: int, last: int) -> None:
    for zone in ("UTC", "+02:00", "-05:00"):
        kind = pa.timestamp(unit, zone)
        for value in (first, last, first + 5, last - 5, first - 1, last + 1, 2**62):
            column = pa.array([0, value, None], pa.int64()).cast(kind, safe=False)
            check(pa.RecordBatch.from_arrays([column], names=["a"]))
    outside = pa.array([0, last + 1]).cast(pa.timestamp(unit, "UTC"))
    with pytest.raises(EventError, match=r"^at a: a value cannot be read: "):
        ENGINE.find_batch(pa.table({"a": outside}))


def test_moments_without_zone_are_refused() -> None:
    naive = pa.array([None, datetime(2024, 1, 1), None, None, None, None, None])
    check_column(naive, encoded=False)
    with pytest.raises(EventError, match=r"^row 1: at a: "):
        ENGINE.find_batch(pa.table({"a": naive}))
    check_column(pa.array([None] * 7, pa.timestamp("us")), encoded=False)


def test_days() -> None:
    days = [
        date(2024, 1, 1),
        None,
        date(1, 1, 1),
        date(9999, 12, 31),
        date(1970, 1, 1),
        None,
        date(2024, 2, 29),
    ]
    for kind in (pa.date32(), pa.date64()):
        check_column(pa.array(days, kind))
    # What no calendar has, and a day that is not whole.
    check(pa.table({"a": pa.array([0, 3_000_000], pa.int32()).cast(pa.date32())}))
    noon = np.array([0, round(NOON.timestamp() * 1_000)])
    check(pa.table({"a": pa.Array.from_buffers(pa.date64(), 2, [None, pa.py_buffer(noon)])}))


@pytest.mark.parametrize(
    "column",
    [
        pa.array([Decimal(1), None, Decimal("0.5"), Decimal(-1), Decimal(BIG), Decimal(10**19), Decimal(2)]),
        pa.array([timedelta(1), None, timedelta(0)] * 2 + [None]),
        pa.array([[1, 2], None, [0, 1], [2, 2], [1, 1], None, [3, 3]], pa.list_(pa.int64(), 2)),
        pa.array([[1], None, [], [2], [1, None], [3], []], pa.list_view(pa.int64())),
        pa.array([[1], None, [], [2], [1, None], [3], []], pa.list_(pa.list_(pa.int64())).value_type),
        pa.array([b"b", None, b"", b"bb", b"c", b"b", b"b"], pa.binary(-1)),
        pa.array([b"b", None, b"a", b"c", b"c", b"b", b"b"], pa.binary(1)),
        pa.array([b"b", None, b"", b"bb", b"c", b"b", b"b"], pa.large_binary()),
        pa.array([b"b", None, b"", b"bb", b"c", b"b", b"b"], pa.binary_view()),
        pa.array([[("k", 1)], None, [], [("x", 2)], [], [], []], pa.map_(pa.string(), pa.int64())),
        pa.array([{"x": 1, "y": "b"}, None, {"x": None, "y": "c"}, {}, {"x": 5}, {"y": "bb"}, None]),
        pa.nulls(7),
    ],
    ids=lambda column: str(column.type),
)
def test_whatever_else_there_is(column: pa.Array) -> None:
    size = len(column)
    for events in (
        pa.RecordBatch.from_arrays([column], names=["a"]),
        pa.table({"a": column, "n": range(size)}).slice(1, 4),
        pa.table({"n": range(size), "other": column}),
    ):
        check(events)
    values = column.to_pylist()
    lists = pa.array([[], values[:2], values[2:3], None, values[3:]], pa.list_(column.type))
    check(pa.table({"a": lists}))
    check(pa.table({"a": pa.StructArray.from_arrays([column], names=["x"])}))


def test_lists_in_every_length() -> None:
    rng = random.Random(5)
    values = [rng.choice([None, [], [1], [None], [1, 2, 3], [0] * 40]) for _ in range(300)]
    for kind in (pa.int8(), pa.int64(), pa.float64()):
        for listed in (pa.list_(kind), pa.large_list(kind)):
            column = pa.array(values, listed)
            check(pa.table({"a": column}))
            check(pa.table({"a": column.slice(17, 200)}))
    texts = pa.array([None if value is None else ["b"] * len(value) for value in values])
    check(pa.table({"a": texts}))
    check(pa.table({"a": texts.cast(pa.list_(pa.dictionary(pa.int32(), pa.string())))}))


def test_objects_within_objects() -> None:
    rows = [
        {"x": 1, "o d": {"z": 2}},
        None,
        {"x": None, "o d": None},
        {"x": 2, "o d": {"z": None}},
        {"x": 1, "o d": {"z": 2}},
    ]
    kind = pa.struct([("x", pa.int64()), ("o d", pa.struct([("z", pa.float64())]))])
    column = pa.array(rows, kind)
    for first in range(5):
        found = check(pa.table({"a": column.slice(first), "n": range(5 - first)}))
        # Of null the children are missing, not null.
        assert (ASKED.index("EXISTS(a.x)") in found[0]) == (rows[first] is not None)


def test_objects_whose_children_know_no_nulls_of_their_parents() -> None:
    children = [pa.array([1, 2, 3]), pa.array(["b", "bb", "b"])]
    column = pa.StructArray.from_arrays(children, names=["x", "y"], mask=pa.array([False, True, False]))
    found = check(pa.table({"a": column}))
    assert ASKED.index("a.y LIKE 'b%'") in found[0]
    assert ASKED.index("a.y LIKE 'b%'") not in found[1]


def test_objects_too_deep_are_refused() -> None:
    column = pa.array([1, 2])
    for depth in range(70):
        column = pa.StructArray.from_arrays([column], names=["x"])
        if depth in (60, 61, 62, 63, 64, 65, 69):
            check(pa.table({"a": column}))


def test_a_name_that_is_there_twice_is_refused() -> None:
    column = pa.array([1, 2])
    for rows in (2, 1, 0):
        batch = pa.RecordBatch.from_arrays([column, column], names=["a", "a"]).slice(0, rows)
        with pytest.raises(EventError, match=r"^two columns are called 'a'"):
            ENGINE.find_batch(batch)
        check(batch)
        check(pa.table(batch))
    check(pa.table({"a": pa.StructArray.from_arrays([column, column], names=["x", "x"])}))


def test_odd_names_are_read_as_paths_are_written() -> None:
    column = pa.array([1, 2])
    for names in (("a.x", "a"), ("o d", "a."), ("", "a\n"), ("a", "A")):
        check(pa.RecordBatch.from_arrays([column, column], names=list(names)))


def test_batches_without_rows_or_columns() -> None:
    schema = pa.schema([("a", pa.int64()), ("b", pa.list_(pa.string())), ("c", pa.timestamp("us"))])
    assert check(schema.empty_table()) == []
    assert check(pa.RecordBatch.from_pylist([], schema=schema)) == []
    bare = pa.table({"a": [1, 2, 3]}).select([])
    assert len(check(bare)) == 3
    assert check(pa.table({})) == []
    pieces = [pa.array([], pa.int64()), pa.array([1, 2]), pa.array([], pa.int64()), pa.array([3])]
    assert len(check(pa.table({"a": pa.chunked_array(pieces)}))) == 3


def random_column(rng: random.Random, size: int) -> pa.Array:
    kinds: list[tuple[pa.DataType, Callable[[], Any]]] = [
        (pa.int16(), lambda: rng.randint(-2, 3)),
        (pa.int64(), lambda: rng.choice([0, 1, 2, BIG, -BIG])),
        (pa.uint64(), lambda: rng.choice([0, 1, 2, BIG])),
        (pa.float32(), lambda: rng.choice([0.5, 1.0, -1.0, float("nan")])),
        (pa.bool_(), lambda: rng.random() < 0.5),
        (pa.string(), lambda: rng.choice(["", "b", "bb", "größer", "2024-01-01T12:00:00Z"])),
        (pa.dictionary(pa.int8(), pa.string()), lambda: rng.choice(["b", "bb", ""])),
        (pa.timestamp("ms", "UTC"), lambda: NOON + timedelta(seconds=rng.randint(-1, 1))),
        (pa.date32(), NOON.date),
        (pa.list_(pa.int32()), lambda: [rng.randint(0, 3) for _ in range(rng.randint(0, 4))]),
        (
            pa.large_list(pa.string()),
            lambda: [rng.choice(["b", None, "c"]) for _ in range(rng.randint(0, 4))],
        ),
        (pa.struct([("x", pa.int8()), ("y", pa.string())]), lambda: {"x": rng.choice([1, None]), "y": "b"}),
        (pa.null(), lambda: None),
    ]
    kind, make = rng.choice(kinds)
    nulls = rng.choice([0, 0.2, 1])
    return pa.array([None if rng.random() < nulls else make() for _ in range(size)], kind)


def test_any_columns_side_by_side(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(60)):
        size = rng.choice([0, 1, 5, 40])
        names = rng.sample(["a", "n", "b", "c"], rng.randint(1, 4))
        table = pa.table({name: random_column(rng, size) for name in names})
        cut = rng.randint(0, size)
        for events in (table, table.slice(cut), pa.concat_tables([table.slice(0, cut), table.slice(cut)])):
            assert isinstance(check(events), list)


def test_a_batch_longer_than_what_is_matched_at_a_time() -> None:
    size = 5_000
    table = pa.table({"a": [None if row % 7 == 0 else row % 5 for row in range(size)], "n": range(size)})
    found = check(table)
    assert [ASKED.index("n = 3") in row for row in found[:5]] == [False, False, False, True, False]


def test_columns_are_described_side_by_side() -> None:
    batch = pa.record_batch({"a": [1, 2], "b": ["x", "yz"], "c": [True, None]})
    made = encode_columns(batch, {"a": 4, "c": 1, "x": 2}, lambda *_: None)
    assert made is not None
    described, raws, valid, text = made.arrays()
    assert described.reshape(-1, COLUMN)[:, 0].tolist() == [4, 1]
    assert raws.dtype == np.int64
    assert raws[:2].tolist() == [1, 2]
    assert valid.tolist() == [1, 0]
    # Kernels look at eight bytes at a time.
    assert not text[-8:].any()


def test_zones_do_not_matter() -> None:
    moments = [NOON, NOON.astimezone(timezone(timedelta(hours=2)))]
    for zone in ("UTC", "Asia/Tokyo"):
        found = check(pa.table({"a": pa.array(moments, pa.timestamp("us", zone))}))
        asked = ASKED.index("a = TIMESTAMP '2024-01-01T12:00:00Z'")
        assert [asked in row for row in found] == [True, True]


TORN = pa.Array.from_buffers(
    pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"x\xff")]
)


@pytest.mark.parametrize(
    "column", [TORN, TORN.dictionary_encode(), pa.ListArray.from_arrays([0, 1, 2], TORN)]
)
def test_strings_that_are_no_unicode_are_left_to_who_can_say_where(column: Any) -> None:
    assert encode_columns(pa.RecordBatch.from_arrays([column], names=["s"]), {"s": 0}, nowhere) is None
    whole = pa.RecordBatch.from_arrays([column.slice(0, 1)], names=["s"])
    if not isinstance(column, pa.DictionaryArray):
        assert encode_columns(whole, {"s": 0}, nowhere) is not None


def nowhere(*_: Any) -> None:
    """No atom is known."""
