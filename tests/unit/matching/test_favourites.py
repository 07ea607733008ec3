"""Which links an event concerns: always what all subscriptions say, with less work where that can be."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from siftmesh.logic.tree import Tree
from siftmesh.matching.favourites import Favourites
from siftmesh.matching.scan import ScanEngine
from siftmesh.model.event import Event
from tests.reference.leaves import leaf

LINKS = 4


class Watched(ScanEngine):
    """A scan that counts how often it is asked."""

    def __init__(self) -> None:
        super().__init__()
        self.asked = 0

    def find(self, event: Any) -> list[int]:
        self.asked += 1
        return super().find(event)


def filled(share: float, count: int, rng: random.Random) -> tuple[Watched, Favourites, Any]:
    """Subscriptions of which each is met by a share of the events, on four links and on none."""
    engine = Watched()
    link_of = np.array([rng.randrange(-1, LINKS) for _ in range(count)], np.int32)
    for number in range(count):
        engine.insert(number, threshold(share * (0.5 + rng.random())))
    return engine, Favourites(engine, ScanEngine), link_of


def threshold(share: float) -> Tree:
    return leaf("x", "<", share)


def links_by_hand(engine: Watched, event: Event, link_of: Any) -> list[int]:
    return sorted({int(link_of[number]) for number in ScanEngine.find(engine, event)} - {-1})


def test_links_are_those_of_all_that_is_met(seed: int) -> None:
    rng = random.Random(seed)
    for share in (0.001, 0.2, 0.9):
        engine, favourites, link_of = filled(share, 200, rng)
        gone: list[int] = []
        for _ in range(400):
            event = Event.of({"x": rng.random()})
            assert favourites.find(event, link_of) == links_by_hand(engine, event, link_of)
            if rng.random() < 0.05 and len(gone) < 150:
                number = rng.choice([one for one in range(200) if one not in gone])
                engine.delete(number)
                link_of[number] = -1
                favourites.deleted(number)
                gone.append(number)


def test_where_nearly_all_links_are_hit_most_events_ask_only_favourites(seed: int) -> None:
    rng = random.Random(seed)
    engine, favourites, link_of = filled(0.95, 400, rng)
    for _ in range(300):
        favourites.find(Event.of({"x": rng.random() * 0.5}), link_of)
    assert engine.asked < 200


def test_where_links_are_seldom_hit_favourites_are_given_up(seed: int) -> None:
    rng = random.Random(seed)
    engine, favourites, link_of = filled(0.01, 400, rng)
    for _ in range(800):
        favourites.find(Event.of({"x": rng.random()}), link_of)
    before = engine.asked
    for _ in range(50):
        favourites.find(Event.of({"x": rng.random()}), link_of)
    assert engine.asked == before + 50


def test_a_new_subscription_on_a_new_link_is_seen_at_once(seed: int) -> None:
    rng = random.Random(seed)
    engine, favourites, link_of = filled(0.95, 400, rng)
    event = Event.of({"x": 0.1})
    for _ in range(200):
        favourites.find(event, link_of)
    engine.insert(400, threshold(1.0))
    favourites.inserted()
    link_of = np.append(link_of, np.int32(LINKS))
    for _ in range(200):
        assert favourites.find(event, link_of) == links_by_hand(engine, event, link_of)
    assert LINKS in favourites.find(event, link_of)


def test_a_second_thread_leaves_the_learning_to_the_first(seed: int) -> None:
    engine, favourites, link_of = filled(0.5, 50, random.Random(seed))
    (token,) = favourites._tokens
    favourites._tokens.clear()
    event = Event.of({"x": 0.1})
    for _ in range(200):
        assert favourites.find(event, link_of) == links_by_hand(engine, event, link_of)
    assert favourites._chosen is None
    favourites._tokens.append(token)
    for _ in range(200):
        assert favourites.find(event, link_of) == links_by_hand(engine, event, link_of)
    assert favourites._chosen is not None
    assert favourites._tokens == [token]


def test_a_fault_while_it_learns_leaves_it_able_to_learn(seed: int) -> None:
    engine, favourites, link_of = filled(0.5, 50, random.Random(seed))
    with pytest.raises(IndexError):
        favourites._alone(list("x").pop, 5)
    assert len(favourites._tokens) == 1
    assert favourites.find(Event.of({"x": 0.1}), link_of) == links_by_hand(
        engine, Event.of({"x": 0.1}), link_of
    )
