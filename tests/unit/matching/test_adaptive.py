"""The default engine as a whole: it finds, counts what that took, and forgets what it should."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from siftmesh.errors import EventError
from siftmesh.filters import FilterReader
from siftmesh.logic.profile import Profile
from siftmesh.matching.adaptive import AdaptiveEngine
from siftmesh.matching.scan import ScanEngine
from siftmesh.matching.work import WorkCounters
from siftmesh.model.event import Event

READER = FilterReader()
TEXTS = [
    "title = 'Dune' AND price < 10",
    "title = 'Dune' AND price < 20 AND cond = 'new'",
    "title = 'Emma'",
    "price >= 5 AND price <= 15",
    "price > 100 AND qty > 3",
    "price > 1 AND s > 'm'",
    "price > 1 AND length(s) = 2",
    "tags OVERLAPS ('x', 'y')",
    "qty IS NULL",
    "s LIKE '%word%'",
]
EVENTS: list[dict[str, Any]] = [
    {"title": "Dune", "price": 9, "cond": "new", "qty": 5, "s": "no"},
    {"title": "Emma", "price": 200, "qty": 5, "tags": ["x", "y"], "s": "a word here"},
    {},
    {"price": 2**53 + 1, "qty": 4, "s": "ö!"},
    {"title": None, "price": "9", "when": datetime(2024, 1, 1, tzinfo=UTC), "odd": {"a": [1]}},
]


def engine_of(*texts: str) -> AdaptiveEngine:
    engine = AdaptiveEngine()
    for number, text in enumerate(texts or TEXTS):
        engine.insert(number, READER.read(text))
    return engine


def oracle_of(*texts: str) -> ScanEngine:
    engine = ScanEngine()
    for number, text in enumerate(texts or TEXTS):
        engine.insert(number, READER.read(text))
    return engine


def copied(engine: AdaptiveEngine) -> AdaptiveEngine:
    return AdaptiveEngine.from_arrays({name: array.copy() for name, array in engine.arrays().items()})


def listed(found: tuple[Any, Any]) -> list[list[int]]:
    bounds, numbers = found
    return [sorted(numbers[bounds[row] : bounds[row + 1]].tolist()) for row in range(len(bounds) - 1)]


def test_all_sorts_stand_side_by_side() -> None:
    engine = engine_of()
    expected = [sorted(oracle_of().find(event)) for event in EVENTS]
    assert [sorted(engine.find(event)) for event in EVENTS] == expected
    assert [sorted(engine.find(Event.of(event))) for event in EVENTS] == expected
    assert listed(engine.find_batch(EVENTS)) == expected
    assert any(engine.access(number).startswith("bitmap") for number in range(len(TEXTS)))
    assert any(engine.access(number) == "every event" for number in range(len(TEXTS)))


# ---- what it took


def test_counters_add_up() -> None:
    engine = engine_of()
    assert engine.work == WorkCounters()
    matches = 0
    for count, event in enumerate(EVENTS, 1):
        matches += len(engine.find(event))
        assert engine.work.events == count
        assert engine.work.matches == matches
    assert engine.work.candidates >= matches - 2
    assert engine.work.leaves > 0
    assert engine.work.probes > 0
    ranges = engine_of(*(f"price > {n} AND price < {n + 500}" for n in range(1_000)))
    ranges.compact()
    assert len(ranges.find({"price": 600})) == 499
    assert ranges.work.words > 0
    assert (ranges.work.events, ranges.work.matches) == (1, 499)


def test_a_batch_counts_as_its_events_do() -> None:
    rows = [event for event in EVENTS[:2] for _ in range(100)]
    table = pa.table(
        {
            "title": [row.get("title") for row in rows],
            "price": pa.array([row.get("price") for row in rows], pa.int64()),
            "qty": [row.get("qty") for row in rows],
            "s": [row.get("s") for row in rows],
        }
    )
    one, many = engine_of(), engine_of()
    found = sum(
        len(one.find({name: value for name, value in row.items() if value is not None}))
        for row in table.to_pylist()
    )
    _, numbers = many.find_batch(table)
    assert len(numbers) == found
    for name in ("events", "candidates", "leaves", "probes", "verified", "matches"):
        assert getattr(one.work, name) == getattr(many.work, name), name
    assert one.work.events == 200
    assert one.work.matches == found


def test_what_is_asked_again_slowly_is_counted() -> None:
    engine = engine_of("k = 'x' AND a + 1 > 2", "a > 1 AND a + b > 5")
    assert engine.find({"k": "x", "a": 5}) == [0]
    assert (engine.work.verified, engine.work.matches) == (2, 1)
    assert sorted(engine.find({"k": "x", "a": 5, "b": 5})) == [0, 1]
    assert (engine.work.verified, engine.work.matches) == (4, 3)
    assert engine.find({"k": "x", "a": -5}) == []
    assert (engine.work.verified, engine.work.matches) == (5, 3)
    assert engine.find({"k": "y", "a": -5}) == []
    assert engine.work.verified == 5
    bounds, _ = engine.find_batch(pa.table({"k": ["x", "x"], "a": [5, -5], "b": [5, 5]}))
    assert bounds.tolist() == [0, 2, 2]
    assert (engine.work.verified, engine.work.matches) == (8, 5)


def test_only_who_waits_for_what_an_event_has_is_looked_at() -> None:
    engine = engine_of(*(f"k = {n} AND price < 10" for n in range(1_000)))
    engine.find({"k": 7, "price": 5})
    assert (engine.work.candidates, engine.work.leaves, engine.work.matches) == (1, 1, 1)
    engine.find({"k": 5_000, "price": 5})
    assert (engine.work.candidates, engine.work.events) == (1, 2)


def test_memory_is_told_by_structure() -> None:
    empty, full = (
        AdaptiveEngine().memory(),
        engine_of(*(f"k = 'key {n}' AND price < {n}" for n in range(2_000))).memory(),
    )
    assert set(empty) == set(full)
    assert all(type(size) is int and size >= 0 for size in (*empty.values(), *full.values()))
    assert sum(full.values()) > 2_000 * 20
    assert sum(full.values()) < 2_000 * 200
    ranges = engine_of(*(f"price > {n} AND price < {n + 500}" for n in range(2_000))).memory()
    assert sum(size for name, size in ranges.items() if name.startswith("bitmap")) > 2_000
    assert ranges["kept trees"] > 2_000


# ---- events of all sizes


def test_an_event_with_very_many_attributes() -> None:
    engine = engine_of("a777 = 1 AND a9999 = 2", "a5 > 1 AND a5 < 9", "a12345 IS NOT NULL")
    event: dict[str, Any] = {f"a{n}": 1 for n in range(10_000)} | {"a9999": 2, "a5": 5}
    assert sorted(engine.find(event)) == [0, 1]
    assert sorted(engine.find(Event.of(event))) == [0, 1]
    assert engine.find({"a12345": 0}) == [2]
    table = pa.table({name: [value, None] for name, value in event.items()})
    assert listed(engine.find_batch(table)) == [[0, 1], []]


def test_an_event_with_very_long_values() -> None:
    engine = engine_of(
        "s LIKE '%needle%' AND t = 1", "s = 'short'", "xs CONTAINS 77777", "SOME (xs AS x: x > 99998)"
    )
    long = "hay " * 250_000 + "needle" + " hay" * 10
    assert engine.find({"s": long, "t": 1}) == [0]
    assert sorted(engine.find({"xs": list(range(100_000))})) == [2, 3]
    table = pa.table({"s": [long, "short"], "t": [1, 1], "xs": [list(range(100_000)), [77777]]})
    assert listed(engine.find_batch(table)) == [[0, 2, 3], [1, 2]]
    # And short ones again.
    assert engine.find({"s": "short"}) == [1]


def test_an_event_that_very_many_subscriptions_meet() -> None:
    engine = engine_of(*(f"k = 'x' AND n >= {n}" for n in range(5_000)))
    assert sorted(engine.find({"k": "x", "n": 4_999})) == list(range(5_000))
    assert len(engine.find({"k": "x", "n": 2_499})) == 2_500
    assert engine.work.matches == 7_500
    table = pa.table({"k": ["x"] * 40, "n": [4_999] * 40})
    bounds, numbers = engine.find_batch(table)
    assert bounds.tolist() == list(range(0, 200_001, 5_000))
    assert sorted(numbers[:5_000].tolist()) == list(range(5_000))
    assert engine.work.events == 42


def test_a_subscription_in_several_chains_is_found_once() -> None:
    engine = engine_of(
        "tags OVERLAPS ('x', 'y', 'z')", "a = 1 OR b = 1 OR c = 1", "s LIKE '%abc%'", "a IN (1, 2) OR c = 1"
    )
    event = {"tags": ["x", "y", "x", "z"], "a": 1, "b": 1, "c": 1, "s": "abcabcabc"}
    for _ in range(3):
        assert sorted(engine.find(event)) == [0, 1, 2, 3]
    assert listed(engine.find_batch(pa.Table.from_pylist([event] * 3))) == [[0, 1, 2, 3]] * 3


# ---- what is no event

WRONG: list[Any] = [
    {1: 2},
    {"a": 2**63},
    {"a": "\ud800"},
    {"\ud800": 1},
    {"a": object()},
    {"a": datetime(2024, 1, 1)},
    {"p": [{"q": 1}]},
    [("a", 1)],
    5,
]


@pytest.mark.parametrize("event", WRONG, ids=lambda event: ascii(event)[:30])
def test_what_is_no_event_is_refused_as_the_oracle_does(event: Any) -> None:
    texts = ("a = 1", "p.q = 1 AND a > 3", "b > 1")
    engine, oracle = engine_of(*texts), oracle_of(*texts)
    told = []
    for one in (engine, oracle):
        with pytest.raises(EventError) as caught:
            one.find(event)
        told.append(str(caught.value))
        with pytest.raises(EventError, match=r"^row 1: "):
            one.find_batch([{}, event])
    assert told[0] == told[1]
    # And nothing is left of it.
    assert engine.find({"a": 1}) == [0]
    for _ in range(50):
        with pytest.raises(EventError):
            engine.find(event)
    assert len(engine._scratches.all) <= 2


def test_arrays_of_objects_are_refused_only_while_somebody_looks_into_them() -> None:
    engine = engine_of("p.q = 1", "p.r + a > 1 AND a = 1", "p.s > 1")
    event = {"p": [{"q": 1}], "a": 1}
    for number in range(3):
        with pytest.raises(EventError, match=r"lies inside an array of objects"):
            engine.find(event)
        with pytest.raises(EventError, match=r"lies inside an array of objects"):
            copied(engine).find(event)
        engine.delete(number)
    assert engine.find(event) == []


# ---- changes


def test_numbers_are_used_again() -> None:
    engine = engine_of()
    for number in range(len(TEXTS)):
        engine.delete(number)
        engine.insert(number, READER.read("title = 'Other' OR price = 77"))
        assert number in engine.find({"price": 77, "qty": 0})
        assert number not in engine.find(EVENTS[0] | {"price": 9})
    assert sorted(engine.find({"title": "Other", "qty": 1})) == list(range(len(TEXTS)))


def test_a_great_number_is_one_like_others() -> None:
    engine = AdaptiveEngine()
    for number in (1_000_000, 0, 5_000):
        engine.insert(number, READER.read("k = 1 AND price < 5"))
        engine.insert(number + 1, READER.read("price < 5"))
    expected = [0, 1, 5_000, 5_001, 1_000_000, 1_000_001]
    assert sorted(engine.find({"k": 1, "price": 1})) == expected
    assert sorted(copied(engine).find({"k": 1, "price": 1})) == expected
    engine.delete(1_000_000)
    assert 1_000_000 not in engine.find({"k": 1, "price": 1})


def test_an_engine_out_of_arrays_is_by_itself() -> None:
    engine = engine_of()
    arrays = {name: array.copy() for name, array in engine.arrays().items()}
    assert all(isinstance(array, np.ndarray) and array.ndim == 1 for array in arrays.values())
    kept = AdaptiveEngine.from_arrays(arrays)
    expected = [sorted(engine.find(event)) for event in EVENTS]
    for number in range(0, len(TEXTS), 2):
        kept.delete(number)
    kept.insert(50, READER.read("price > 0 AND s <> 'never'"))
    kept.compact()
    assert [sorted(engine.find(event)) for event in EVENTS] == expected
    assert kept.find({"price": 1, "s": "x", "qty": 1}) == [50]
    # It can be kept again.
    assert [sorted(copied(kept).find(event)) for event in EVENTS] == [
        sorted(kept.find(event)) for event in EVENTS
    ]
    assert AdaptiveEngine.from_arrays(AdaptiveEngine().arrays()).find({"a": 1}) == []


def test_a_profile_changes_the_order_of_evaluation_and_nothing_else() -> None:
    class Told(Profile):
        """Says that `cond` is hardly ever new."""

        def probability(self, tree: Any) -> float:
            return 0.01 if getattr(tree, "attribute", "") == "cond" else 0.9

    texts = [f"k = {n} AND price < 10 AND cond <> 'x'" for n in range(5)]
    event = {"k": 3, "price": 5, "cond": "x"}
    leaves = []
    for profile in (None, Told(events=100)):
        engine = AdaptiveEngine()
        engine.use(profile)
        for number, text in enumerate(texts):
            engine.insert(number, READER.read(text))
        assert engine.find(event) == []
        assert engine.find(event | {"cond": "y"}) == [3]
        before = engine.work
        engine.find(event)
        leaves.append((engine.work - before).leaves)
    assert leaves == [2, 1]


def test_several_threads_ask_at_once() -> None:
    engine = engine_of()
    expected = [sorted(engine.find(event)) for event in EVENTS]
    before = engine.work
    wrong: list[Any] = []

    def ask() -> None:
        for _ in range(200):
            for event, known in zip(EVENTS, expected, strict=True):
                if sorted(engine.find(event)) != known:
                    wrong.append(event)

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    assert (engine.work - before).events == 4 * 200 * len(EVENTS)
