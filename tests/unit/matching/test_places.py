"""Places: who waits where, said in words, and whether an event would have them looked at."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.filters import FilterReader
from siftmesh.logic.evaluate import holds
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import Tree
from siftmesh.matching.adaptive import AdaptiveEngine
from siftmesh.matching.clusters import ClusterIndex
from siftmesh.matching.places import Places
from siftmesh.matching.shape import example, skeleton
from siftmesh.model.event import Event
from tests.effort import examples
from tests.reference.strategies import events_meeting, trees

READER = FilterReader()


def engine_of(*texts: str, often: float | None = None) -> AdaptiveEngine:
    engine = AdaptiveEngine() if often is None else AdaptiveEngine(often)
    for number, text in enumerate(texts):
        engine.insert(number, READER.read(text))
    return engine


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        ("title = 'Dune'", "title = 'Dune'"),
        ("title = 'Dune' AND price < 10", "title = 'Dune'"),
        ("title = 'Dune' OR author = 'Herbert'", "author = 'Herbert' or title = 'Dune'"),
        ("title IN ('Dune', 'Emma')", "title IN ('Dune', 'Emma')"),
        ("title LIKE 'Du%' AND price < 10", "title LIKE 'Du%'"),
        ("title LIKE '%Dune%ssia%'", "title LIKE '%Dune%ssia%'"),
        ("tags CONTAINS 'x' AND price < 10", "tags CONTAINS 'x'"),
        ("title = 'Dune' OR price IS NULL", "every event"),
        ("SOME (xs AS x: x > 1)", "xs IS NOT NULL"),
        ("price < 10", "bitmap of ranges"),
        ("price >= 10 AND price < 12 AND qty > 3", "bitmap of ranges"),
        ("price < 10 AND title NOT LIKE 'D%'", "bitmap of ranges"),
        ("a IS NULL", "every event"),
        ("TRUE = TRUE", "every event"),
    ],
)
def test_what_a_subscription_waits_for_in_words(text: str, waits: str) -> None:
    engine = engine_of(*(f"title = 'title {number}'" for number in range(100)))
    engine.insert(200, READER.read(text))
    assert engine.access(200) == waits
    kept = AdaptiveEngine.from_arrays({name: array.copy() for name, array in engine.arrays().items()})
    assert kept.access(200) == waits


def test_what_never_matches_waits_for_nothing_that_comes() -> None:
    engine = engine_of("a = 1 AND a = 2")
    assert engine.find({"a": 1}) == []
    assert engine.tree(0) == READER.read("a = 1 AND a = 2")


def reached(text: str, event: dict[str, Any], often: float | None = None) -> bool:
    return engine_of(text, often=often).reached(0, Event.of(event))


def test_who_waits_for_something_is_reached_by_events_that_have_it() -> None:
    assert reached("title = 'Dune' AND price < 10", {"title": "Dune", "price": 20})
    assert not reached("title = 'Dune' AND price < 10", {"title": "Emma", "price": 5})
    assert not reached("title = 'Dune' AND price < 10", {"price": 5})
    assert reached("a = 1 OR b = 2", {"b": 2})
    assert reached("a IS NULL", {})
    assert reached("SOME (xs AS x: x > 1)", {"xs": []})
    assert not reached("SOME (xs AS x: x > 1)", {"xs": None})


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        ({"a": 5, "b": 5}, True),
        ({"a": 0, "b": 5}, False),
        ({"a": 5}, False),
        ({}, False),
        ({"a": "5", "b": 5}, False),
        ({"a": 2**53 + 1, "b": 5}, True),
        # More attributes than an event usually has.
        ({"a": 5, "b": 5} | {f"x{n}": n for n in range(500)}, True),
    ],
)
def test_who_stands_in_the_bitmaps_is_reached_within_its_bounds(
    event: dict[str, Any], expected: bool
) -> None:
    assert reached("a > 1 AND b > 1", event) is expected
    # Where bounds do not say all, they say whether it is looked at.
    assert reached("a > 1 AND b > 1 AND a <> b + 1", event) is expected


def test_looking_is_no_work() -> None:
    engine = engine_of("a > 1 AND b > 1", "a = 1", "a < 1 AND s NOT LIKE 'x%'")
    engine.find({"a": 5, "b": 5})
    before = engine.work
    for number in range(3):
        engine.reached(number, Event.of({"a": 5, "b": 5, "s": "y"}))
        engine.access(number)
        engine.tree(number)
    engine.hottest(5)
    engine.dearest(5)
    assert engine.work == before


@examples(60)
@given(st.lists(trees(), min_size=1, max_size=5), st.data())
def test_who_is_met_is_reached(held: list[Tree], data: st.DataObject) -> None:
    engine = AdaptiveEngine()
    for number, tree in enumerate(held):
        engine.insert(number, normalise(tree))
    for number, tree in enumerate(held):
        event = data.draw(events_meeting(tree))
        assert engine.reached(number, event) or not holds(tree, event)


def test_without_bitmaps_ranges_wait_for_their_attributes() -> None:
    texts = ["price < 10", "price >= 10 AND price < 12 AND qty > 3", "price < 10 AND title NOT LIKE 'D%'"]
    engine = engine_of(*texts, often=1.0)
    assert not engine.bitmaps
    assert [engine.access(number) for number in range(3)] == [
        "price IS NOT NULL",
        "price IS NOT NULL",
        "price IS NOT NULL",
    ]
    assert sorted(engine.find({"price": 11, "qty": 5, "title": "x"})) == [1]
    assert sorted(engine.find({"price": 1, "title": "x"})) == [0, 2]
    assert len(engine_of(*texts).bitmaps) == 3


def test_hottest_is_what_most_wait_for() -> None:
    texts = [f"a = 'x' AND b < {n} AND c + 1 > {n}" for n in range(10)]
    texts += [f"a = 'y' AND b < {n} AND c + 1 > {n}" for n in range(3)]
    texts += ["d IS NULL AND e IS NULL", "f LIKE '%word%'"]
    engine = engine_of(*texts, often=1.0)
    found = engine.hottest(10)
    assert found[:2] == [("a = 'x'", 10), ("a = 'y'", 3)]
    # Of a text inside a stretch will do.
    assert dict(found[2:]) == {"every event": 1, "f LIKE '%wor%'": 1}
    assert engine.hottest(1) == [("a = 'x'", 10)]
    assert engine.hottest(0) == []
    for number in range(10):
        engine.delete(number)
    assert engine.hottest(1) == [("a = 'y'", 3)]
    assert AdaptiveEngine().hottest(3) == []


def test_dearest_has_most_to_be_asked() -> None:
    engine = engine_of(
        "a = 1",
        "a = 1 AND b = 2 AND (c <> 3 OR d NOT LIKE 'x%')",
        "a = 1 AND b < 2",
        "a = 1 AND " + " AND ".join(f"b{n} <> {n}" for n in range(20)),
    )
    found = engine.dearest(10)
    assert [number for number, _ in found] == [3, 1, 2, 0]
    costs = [cost for _, cost in found]
    assert costs[0] == 20
    assert costs == sorted(costs, reverse=True)
    # What it is found by is not asked again.
    assert costs[-1] == 0
    assert engine.dearest(2) == found[:2]
    engine.delete(3)
    assert engine.dearest(1) == found[1:2]
    assert AdaptiveEngine().dearest(3) == []


def test_moving_in_and_out() -> None:
    places = Places(ClusterIndex())
    tree = READER.read("a > 1 AND a < 5")
    terms = places.insert(7, tree)
    assert terms is not None
    assert [len(bounds) for _, bounds in terms] == [1]
    assert places.tree(7) == tree
    assert 7 in places.kept
    assert places.remove(7)
    assert 7 not in places.kept
    assert places.insert(7, READER.read("a = 1")) is None
    assert not places.remove(7)
    # In the bitmaps, with a row to be verified by.
    tree = READER.read("a > 1 AND s > 'x'")
    terms = places.insert(7, tree)
    assert terms is not None
    assert [verify for verify, _ in terms] == [True]
    assert places.tree(7) == tree
    assert places.remove(7)


def test_shapes_that_fit_bitmaps() -> None:
    places = Places(ClusterIndex())
    for text, expected in (
        ("a > 1", True),
        ("a > 1 AND s LIKE 'x%'", True),
        ("tags CONTAINS 'x'", False),
        ("a IS NULL", False),
    ):
        part = skeleton(READER.read(text))
        assert places.fits_bitmaps(part) is expected
        assert normalise(example(part)) == READER.read(text)


def test_paths_of_all_who_stand_anywhere() -> None:
    engine = engine_of("a.b > 1", "a.c = 1", "a.d + 1 > 2 AND e > 1", "a.b < 7")
    assert sorted(engine.places.paths()) == ["a.b", "a.c", "a.d"]
    kept = AdaptiveEngine.from_arrays({name: array.copy() for name, array in engine.arrays().items()})
    assert sorted(kept.places.paths()) == ["a.b", "a.c", "a.d"]
    for known in (engine, kept):
        known.delete(0)
        known.delete(1)
        assert sorted(known.places.paths()) == ["a.b", "a.d"]
        known.delete(3)
        known.delete(2)
        assert known.places.paths() == []
