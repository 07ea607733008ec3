"""The matcher that evaluates every tree."""

from __future__ import annotations

import pytest

from siftmesh.errors import DuplicateId, EventError, UnknownId
from siftmesh.filters import FilterReader
from siftmesh.logic.tree import FALSE, TRUE
from siftmesh.matching.scan import ScanMatcher
from siftmesh.model.event import Event

READ = FilterReader().read


@pytest.fixture
def matcher() -> ScanMatcher:
    m = ScanMatcher()
    m.add("cheap", READ("price < 10"))
    m.add(("a", 2), READ("title = 'Dune'"))
    m.add(None, TRUE)
    return m


def test_the_ids_of_all_that_match_in_the_order_of_adding(matcher: ScanMatcher) -> None:
    assert matcher.match(Event({"price": 5, "title": "Dune"})) == ["cheap", ("a", 2), None]
    assert matcher.match(Event({"price": 15})) == [None]


def test_ids_are_unique(matcher: ScanMatcher) -> None:
    with pytest.raises(DuplicateId, match="already a subscription 'cheap'"):
        matcher.add("cheap", FALSE)
    assert matcher["cheap"] == READ("price < 10")


def test_what_is_removed_is_gone(matcher: ScanMatcher) -> None:
    matcher.remove("cheap")
    assert list(matcher) == [("a", 2), None]
    assert len(matcher) == 2
    assert "cheap" not in matcher
    for use in (matcher.remove, matcher.__getitem__):
        with pytest.raises(UnknownId, match="no subscription 'cheap'"):
            use("cheap")


def test_arrays_of_objects_matter_while_some_subscription_looks_into_them(matcher: ScanMatcher) -> None:
    event = Event.of({"price": 5, "items": [{"name": "x"}]})
    for id, text in (("one", "items.name = 'x'"), ("other", "lower(items.name) = 'x' OR price = 1")):
        matcher.add(id, READ(text))
    for id in ("one", "other"):
        with pytest.raises(EventError, match="inside an array of objects"):
            matcher.match(event)
        matcher.remove(id)
    assert matcher.match(event) == ["cheap", None]
