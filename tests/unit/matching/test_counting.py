"""The engine that counts fulfilled predicates."""

from __future__ import annotations

import subprocess
import sys

import pytest

from siftmesh.errors import EventError
from siftmesh.filters import FilterReader
from siftmesh.logic.tree import FALSE, TRUE, And, Operator, Or, Predicate, leaves
from siftmesh.matching.counting import CountingEngine, CountingWork
from siftmesh.matching.work import WorkCounters
from siftmesh.model.event import Event
from siftmesh.model.values import Kind
from tests.reference.leaves import leaf

READ = FilterReader().read
A, B, C = (leaf(name, "=", 1) for name in "abc")


@pytest.fixture
def engine() -> CountingEngine:
    made = CountingEngine()
    made.insert(0, READ("price < 10"))
    made.insert(1, READ("title = 'Dune'"))
    made.insert(2, TRUE)
    return made


def found(engine: CountingEngine, event: dict[str, object]) -> set[int]:
    numbers = engine.find(event)
    assert len(set(numbers)) == len(numbers)
    return set(numbers)


def test_the_numbers_of_all_that_match(engine: CountingEngine) -> None:
    assert found(engine, {"price": 5, "title": "Dune"}) == {0, 1, 2}
    assert found(engine, {"price": 15}) == {2}
    assert found(engine, {}) == {2}


def test_what_is_deleted_is_gone(engine: CountingEngine) -> None:
    engine.delete(0)
    engine.delete(2)
    assert found(engine, {"price": 5, "title": "Dune"}) == {1}
    engine.insert(0, READ("price < 5"))
    assert found(engine, {"price": 5}) == set()
    assert found(engine, {"price": 4}) == {0}


def test_a_refused_leaf_changes_nothing(engine: CountingEngine) -> None:
    had = engine.memory()
    with pytest.raises(TypeError):
        engine.insert(
            3,
            And((leaf("fresh", "=", 1), leaf("a", "=", 1), Predicate("b", Operator.IN, Kind.NUMBER, ([],)))),
        )
    assert engine.memory() == had
    assert found(engine, {"fresh": 1}) == {2}


def test_trees_come_back_equal_with_their_leaves_shared(engine: CountingEngine) -> None:
    tree = Or((And((A, B)), C, TRUE))
    engine.insert(3, tree)
    engine.insert(4, And((leaf("a", "=", 1), leaf("c", "=", 1.0))))
    assert engine.tree(3) == tree
    assert next(leaves(engine.tree(4))) is next(leaves(engine.tree(3)))


def test_a_leaf_that_stands_twice_counts_twice() -> None:
    made = CountingEngine()
    made.insert(1, And((Or((A, B)), Or((A, C)))))
    made.insert(2, And((A, A)))
    assert found(made, {"a": 1}) == {1, 2}
    assert found(made, {"b": 1, "c": 1}) == {1}
    assert found(made, {"b": 1}) == set()
    made.delete(2)
    assert found(made, {"a": 1}) == {1}


def test_arrays_of_objects_matter_while_some_subscription_looks_into_them(engine: CountingEngine) -> None:
    event = {"price": 5, "items": [{"name": "x"}]}
    for number, text in ((7, "items.name = 'x'"), (8, "lower(items.name) = 'x' OR price = 1")):
        engine.insert(number, READ(text))
    for number in (7, 8):
        with pytest.raises(EventError, match="inside an array of objects"):
            engine.find(event)
        engine.delete(number)
    assert found(engine, event) == {0, 2}


def test_work_is_counted(engine: CountingEngine) -> None:
    assert engine.counted == CountingWork()
    engine.insert(3, READ("price < 10 AND (title = 'Dune' OR price < 3)"))
    found(engine, {"price": 5, "title": "Dune"})
    found(engine, {"price": 2})
    # True are price < 10 and title = 'Dune', then price < 10 and price < 3; price < 10 is held twice.
    assert engine.counted == CountingWork(
        events=2, fulfilled=4, increments=7, candidates=5, trees=2, tests=5, matches=7
    )
    assert engine.work == WorkCounters(events=2, probes=4, candidates=5, leaves=5, matches=7)


def test_a_subscription_waits_for_its_minimum_count(engine: CountingEngine) -> None:
    engine.insert(3, READ("price < 10 AND (title = 'Dune' OR price < 3)"))
    engine.insert(4, FALSE)
    waits = [engine.access(number) for number in (3, 2, 4)]
    assert waits == ["2 of its 3 predicates", "every event", "nothing: it is never true"]
    assert [engine.reached(3, Event({"price": price})) for price in (5, 2)] == [False, True]


def test_reports(engine: CountingEngine) -> None:
    engine.insert(3, READ("price < 10 AND tag = 1"))
    assert engine.hottest(1) == [("price < 10", 2)]
    assert engine.dearest(1) == [(3, 2)]
    assert not engine.parallel


def test_selectivities_are_learned(engine: CountingEngine) -> None:
    for price in range(20):
        engine.find({"price": price})
    tallies = engine.selectivities()
    assert tallies[leaf("price", "<", 10)] == (10, 20)
    assert tallies[leaf("title", "=", "Dune")] == (0, 20)


def test_churn_leaves_nothing_behind() -> None:
    made = CountingEngine()
    texts = [
        f"price < {number} AND (title = '{number}' OR tag IN ({number % 7}, 8)) AND NOT x = {number % 3}"
        for number in range(100)
    ]
    sizes = []
    for _ in range(4):
        for number, text in enumerate(texts):
            made.insert(number, READ(text))
        assert found(made, {"price": 50, "tag": 8, "x": 1}) == {n for n in range(51, 100) if n % 3 != 1}
        sizes.append(sum(made.memory().values()))
        for number in range(100):
            made.delete(number)
        assert made.selectivities() == {}
        assert found(made, {"price": 50, "tag": 8, "x": 1}) == set()
    assert sizes[-1] <= 1.2 * sizes[0]


def test_the_compiler_is_imported_when_it_is_needed() -> None:
    code = (
        "import sys\n"
        "from siftmesh.matching.counting import CountingEngine\n"
        "from siftmesh.logic.tree import TRUE\n"
        "engine = CountingEngine()\n"
        "engine.find({})\n"
        "assert 'numba' not in sys.modules\n"
        "engine.insert(1, TRUE)\n"
        "assert 'numba' in sys.modules\n"
        "assert engine.find({}) == [1]\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
