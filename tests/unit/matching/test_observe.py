"""Predicates asked of many events, and profiles of them, from every form that events have."""

from __future__ import annotations

import pyarrow as pa
import pytest

from siftmesh.errors import ConfigError, EventError
from siftmesh.filters import FilterReader
from siftmesh.logic.profile import Counter
from siftmesh.logic.tree import leaves
from siftmesh.matching.observe import evaluate_predicates, observe
from siftmesh.model.event import Event
from siftmesh.workload import auction, subscriptions
from siftmesh.workload.auction import AuctionModel
from tests.reference.leaves import leaf

ROWS = [{"price": 5, "title": "Dune"}, {"price": 2.5, "title": None}, {"price": None, "title": "Emma"}]
FORMS = {
    "mappings": ROWS,
    "events": [Event.of(row) for row in ROWS],
    "table": pa.Table.from_pylist(ROWS),
    "batch": pa.RecordBatch.from_pylist(ROWS),
    "iterator": None,
}
OBJECTS = [{"xs": None}, {"xs": [{"a": 1}]}]
CHEAP, DUNE = leaf("price", "<", 4), leaf("title", "=", "Dune")


def form(name: str) -> object:
    return iter(ROWS) if name == "iterator" else FORMS[name]


@pytest.mark.parametrize("name", FORMS)
def test_each_predicate_has_a_row_of_bits(name: str) -> None:
    found = evaluate_predicates([CHEAP, DUNE], form(name))
    assert found.events == 3
    assert found.true.tolist() == [[0b010], [0b001]]
    assert found.unknown.tolist() == [[0b100], [0b010]]
    assert found.truths().tolist() == [[False, True, False], [True, False, False]]
    assert found.unknowns().tolist() == [[False, False, True], [False, True, False]]


@pytest.mark.parametrize("name", FORMS)
def test_a_profile_is_made_of_any_of_them(name: str) -> None:
    found = observe(form(name), [CHEAP, DUNE, CHEAP])
    assert found.events == len(found.sample) == 3
    assert found.counters == {CHEAP: Counter(1, 1, 1), DUNE: Counter(1, 1, 1)}
    assert sorted(found.attributes) == ["price", "title"]
    if name not in ("table", "batch"):  # there a column has one type
        assert found == observe(ROWS, [DUNE, CHEAP])


def test_nothing_of_nothing() -> None:
    assert evaluate_predicates([], ROWS).true.shape == (0, 1)
    assert evaluate_predicates([CHEAP], []).true.shape == (1, 0)
    assert observe([]).events == 0
    assert observe([], [CHEAP]).counters == {CHEAP: Counter()}


def test_many_events_take_several_words() -> None:
    found = evaluate_predicates([CHEAP], [{"price": number} for number in range(130)])
    assert found.true.tolist() == [[0b1111, 0, 0]]
    assert found.unknown.tolist() == [[0, 0, 0]]


def test_what_is_refused_names_its_row() -> None:
    with pytest.raises(EventError) as caught:
        observe([*ROWS, {"price": 2**70}])
    assert (caught.value.row, caught.value.place) == (3, "price")


@pytest.mark.parametrize("events", [OBJECTS, pa.Table.from_pylist(OBJECTS)], ids=["mappings", "table"])
def test_a_predicate_cannot_look_into_an_array_of_objects(events: object) -> None:
    for asked in (evaluate_predicates, lambda predicates, events: observe(events, predicates)):
        with pytest.raises(EventError) as caught:
            asked([leaf("xs.a", "=", 1)], events)
        assert (caught.value.row, caught.value.place) == (1, "xs")
    assert observe(events, [leaf("xs", "EXISTS")]).events == 2


def test_keys_choose_the_sample() -> None:
    events = [{"n": number} for number in range(100)]
    by_position = observe(events, sample=10)
    assert len(by_position.sample) == 10
    assert by_position == observe(events, sample=10, keys=list(range(100)))
    assert by_position == observe(pa.Table.from_pylist(events), sample=10, keys=pa.array(range(100)))
    assert by_position != observe(events, sample=10, start=1)
    assert by_position != observe(events, sample=10, keys=[str(number) for number in range(100)])
    parts = [observe(events[at : at + 7], sample=10, start=at) for at in range(0, 100, 7)]
    merged = parts.pop()
    for part in parts:
        merged = part.merge(merged)
    assert merged == by_position


def test_a_sample_may_be_left_out() -> None:
    assert len(observe(ROWS, sample=0).sample) == 0


@pytest.mark.parametrize("wrong", [{"keys": [1]}, {"sample": -1}])
def test_what_makes_no_sense_is_refused(wrong: dict) -> None:
    with pytest.raises(ConfigError):
        observe(ROWS, **wrong)


def test_probabilities_that_nobody_counted_are_about_right() -> None:
    """On book auctions: equalities with titles and authors, and bounds of prices and times."""
    model = AuctionModel()
    table = pa.Table.from_batches(auction.events(model, 20_000, 1))
    reader = FilterReader()
    texts = subscriptions.texts(subscriptions.mixed(600, 3, model))["filter"].to_pylist()
    predicates = list(dict.fromkeys(one for text in texts for one in leaves(reader.read(text))))
    exact, found = observe(table, predicates, sample=0), observe(table)
    errors = [abs(found.probability(one) - exact.probability(one)) for one in predicates]
    assert len(predicates) > 500
    assert sum(errors) / len(errors) < 0.0005
    assert max(errors) < 0.01
