"""Which subscriptions are on which link."""

from __future__ import annotations

import pytest

from siftmesh.errors import ConfigError
from siftmesh.matching.links import Links


def test_subscriptions_join_and_leave_links() -> None:
    links = Links()
    links.join((5,), "north")
    links.join((200, 6), ("south", 1))
    links.join((), "nowhere")
    assert len(links) == 2
    assert [links.of(number) for number in (5, 6, 200, 7, 10_000)] == [
        "north",
        ("south", 1),
        ("south", 1),
        None,
        None,
    ]
    array = links.array(300)
    assert len(array) >= 300
    assert links.named({int(array[6]), int(array[5])} - {-1}) in (
        ["north", ("south", 1)],
        [("south", 1), "north"],
    )
    assert (array >= 0).sum() == 3
    links.leave(5)
    links.leave(5)
    links.leave(10_000)
    assert links.of(5) is None
    assert len(links) == 1


def test_numbers_of_links_without_subscriptions_are_used_again() -> None:
    links = Links()
    for turn in range(10):
        links.join((1,), f"link {turn}")
        links.join((2, 3), "stays")
        assert links.of(1) == f"link {turn}"
        for number in (1, 2, 3):
            links.leave(number)
    assert links.room <= 2
    assert len(links) == 0


def test_links_come_back_from_arrays() -> None:
    links = Links()
    links.join((3, 9), "a")
    links.join((4,), "gone")
    links.join((5,), (1, "b"))
    links.leave(4)
    again = Links.from_arrays({name: array.copy() for name, array in links.arrays().items()})
    assert [again.of(number) for number in range(12)] == [links.of(number) for number in range(12)]
    assert len(again) == 2
    again.join((0,), "new")
    assert again.room == 3
    links.join((6,), frozenset())
    with pytest.raises(ConfigError, match="the link frozenset"):
        links.arrays()
