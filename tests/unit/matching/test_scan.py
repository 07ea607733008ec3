"""The engine that evaluates every tree."""

from __future__ import annotations

import pytest

from siftmesh.errors import EventError
from siftmesh.filters import FilterReader
from siftmesh.logic.tree import TRUE
from siftmesh.matching.scan import ScanEngine
from siftmesh.matching.work import WorkCounters
from siftmesh.model.event import Event

READ = FilterReader().read


@pytest.fixture
def engine() -> ScanEngine:
    made = ScanEngine()
    made.insert(0, READ("price < 10"))
    made.insert(5, READ("title = 'Dune' AND price < 10"))
    made.insert(2, TRUE)
    return made


def test_the_numbers_of_all_that_match_in_the_order_of_inserting(engine: ScanEngine) -> None:
    assert engine.find({"price": 5, "title": "Dune"}) == [0, 5, 2]
    assert engine.find(Event({"price": 15})) == [2]


def test_what_is_deleted_is_gone_and_its_number_free(engine: ScanEngine) -> None:
    engine.delete(0)
    assert engine.find({"price": 5}) == [2]
    engine.insert(0, READ("price > 1"))
    assert engine.find({"price": 5}) == [2, 0]
    assert engine.tree(0) == READ("price > 1")


def test_arrays_of_objects_matter_while_some_subscription_looks_into_them(engine: ScanEngine) -> None:
    event = {"price": 5, "items": [{"name": "x"}]}
    for number, text in ((7, "items.name = 'x'"), (8, "lower(items.name) = 'x' OR price = 1")):
        engine.insert(number, READ(text))
    for number in (7, 8):
        with pytest.raises(EventError, match="inside an array of objects"):
            engine.find(event)
        engine.delete(number)
    assert engine.find(event) == [0, 2]


def test_every_subscription_is_looked_at_with_all_its_leaves(engine: ScanEngine) -> None:
    engine.find({"price": 5})
    engine.find({})
    assert engine.work == WorkCounters(events=2, candidates=6, leaves=6, matches=3)
    engine.delete(5)
    engine.find({})
    assert engine.work - WorkCounters(events=2, candidates=6, leaves=6, matches=3) == WorkCounters(
        events=1, candidates=2, leaves=1, matches=1
    )
    assert engine.access(0) == "every event"
    assert engine.reached(0, Event({}))


def test_reports(engine: ScanEngine) -> None:
    assert engine.hottest(1) == [("price < 10", 2)]
    assert engine.dearest(2) == [(5, 2), (0, 1)]
    assert set(engine.memory()) == {"trees by number", "attributes"}


def test_trees_are_shared(engine: ScanEngine) -> None:
    engine.insert(9, READ("title = 'Dune' AND price < 10"))
    assert engine.tree(9) is engine.tree(5)
