"""The matcher that counts fulfilled predicates."""

from __future__ import annotations

import subprocess
import sys

import pytest

from siftmesh.errors import DuplicateId, EventError, SubscriptionError, UnknownId
from siftmesh.filters import FilterReader
from siftmesh.logic.tree import FALSE, TRUE, And, Or, leaves
from siftmesh.matching.counting import CountingMatcher, CountingWork
from siftmesh.model.event import Event
from tests.reference.leaves import leaf

READ = FilterReader().read
A, B, C = (leaf(name, "=", 1) for name in "abc")


@pytest.fixture
def matcher() -> CountingMatcher:
    m = CountingMatcher()
    m.add("cheap", READ("price < 10"))
    m.add(("a", 2), READ("title = 'Dune'"))
    m.add(None, TRUE)
    return m


def matches(m: CountingMatcher, event: dict[str, object]) -> set[object]:
    found = m.match(Event(event))  # type: ignore[arg-type]  # values of the model
    assert len(set(found)) == len(found)
    return set(found)


def test_the_ids_of_all_that_match(matcher: CountingMatcher) -> None:
    assert matches(matcher, {"price": 5, "title": "Dune"}) == {"cheap", ("a", 2), None}
    assert matches(matcher, {"price": 15}) == {None}
    assert matches(matcher, {}) == {None}
    assert [set(found) for found in matcher.match_batch([Event({"price": 5}), Event({})])] == [
        {"cheap", None},
        {None},
    ]


def test_ids_are_unique_and_hashable(matcher: CountingMatcher) -> None:
    with pytest.raises(DuplicateId, match="already a subscription 'cheap'"):
        matcher.add("cheap", FALSE)
    with pytest.raises(SubscriptionError, match="this is no id"):
        matcher.add([], FALSE)  # type: ignore[arg-type]  # what is refused
    assert matcher["cheap"] == READ("price < 10")


def test_what_is_removed_is_gone(matcher: CountingMatcher) -> None:
    matcher.remove("cheap")
    matcher.remove(None)
    assert list(matcher) == [("a", 2)]
    assert len(matcher) == 1
    assert "cheap" not in matcher
    for use in (matcher.remove, matcher.__getitem__):
        with pytest.raises(UnknownId, match="no subscription 'cheap'"):
            use("cheap")
    assert matches(matcher, {"price": 5, "title": "Dune"}) == {("a", 2)}
    matcher.add("cheap", READ("price < 5"))
    assert matches(matcher, {"price": 5}) == set()
    assert matches(matcher, {"price": 4}) == {"cheap"}


def test_a_refused_leaf_changes_nothing(matcher: CountingMatcher) -> None:
    had = matcher.memory()
    with pytest.raises(TypeError):
        matcher.add("odd", And((leaf("fresh", "=", 1), leaf("a", "=", 1), leaf("b", "IN", ([],)))))
    assert matcher.memory() == had
    assert "odd" not in matcher


def test_trees_come_back_equal_with_their_leaves_shared(matcher: CountingMatcher) -> None:
    tree = Or((And((A, B)), C, TRUE))
    matcher.add(1, tree)
    matcher.add(2, And((leaf("a", "=", 1), leaf("c", "=", 1.0))))
    assert matcher[1] == tree
    assert next(leaves(matcher[2])) is next(leaves(matcher[1]))


def test_a_leaf_that_stands_twice_counts_twice() -> None:
    m = CountingMatcher()
    m.add(1, And((Or((A, B)), Or((A, C)))))
    m.add(2, And((A, A)))
    assert matches(m, {"a": 1}) == {1, 2}
    assert matches(m, {"b": 1, "c": 1}) == {1}
    assert matches(m, {"b": 1}) == set()
    m.remove(2)
    assert matches(m, {"a": 1}) == {1}


def test_arrays_of_objects_matter_while_some_subscription_looks_into_them(matcher: CountingMatcher) -> None:
    event = Event.of({"price": 5, "items": [{"name": "x"}]})
    for id, text in (("one", "items.name = 'x'"), ("other", "lower(items.name) = 'x' OR price = 1")):
        matcher.add(id, READ(text))
    for id in ("one", "other"):
        with pytest.raises(EventError, match="inside an array of objects"):
            matcher.match(event)
        matcher.remove(id)
    assert set(matcher.match(event)) == {"cheap", None}


def test_work_is_counted(matcher: CountingMatcher) -> None:
    assert matcher.work == CountingWork()
    matcher.add("both", READ("price < 10 AND (title = 'Dune' OR price < 3)"))
    matches(matcher, {"price": 5, "title": "Dune"})
    matches(matcher, {"price": 2})
    # True are price < 10 and title = 'Dune', then price < 10 and price < 3; price < 10 is held twice.
    assert matcher.work == CountingWork(
        events=2, fulfilled=4, increments=7, candidates=5, trees=2, tests=5, matches=7
    )


def test_selectivities_are_learned(matcher: CountingMatcher) -> None:
    for price in range(20):
        matcher.match(Event({"price": price}))
    tallies = matcher.selectivities()
    assert tallies[leaf("price", "<", 10)] == (10, 20)
    assert tallies[leaf("title", "=", "Dune")] == (0, 20)


def test_churn_leaves_nothing_behind() -> None:
    m = CountingMatcher()
    texts = [
        f"price < {number} AND (title = '{number}' OR tag IN ({number % 7}, 8)) AND NOT x = {number % 3}"
        for number in range(100)
    ]
    sizes = []
    for _ in range(4):
        for number, text in enumerate(texts):
            m.add(number, READ(text))
        assert matches(m, {"price": 50, "tag": 8, "x": 1}) == {n for n in range(51, 100) if n % 3 != 1}
        sizes.append(sum(m.memory().values()))
        for number in range(100):
            m.remove(number)
        assert m.selectivities() == {}
        assert matches(m, {"price": 50, "tag": 8, "x": 1}) == set()
    assert sizes[-1] <= 1.2 * sizes[0]


def test_the_compiler_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys\n"
        "from siftmesh.matching.counting import CountingMatcher\n"
        "from siftmesh.logic.tree import TRUE\n"
        "from siftmesh.model.event import Event\n"
        "matcher = CountingMatcher()\n"
        "matcher.match(Event({}))\n"
        "assert 'numba' not in sys.modules\n"
        "matcher.add(1, TRUE)\n"
        "assert 'numba' in sys.modules\n"
        "assert matcher.match(Event({})) == [1]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
