"""Matchers of trees; what each index must do is in tests/contracts/matcher_contract.py."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from siftmesh.errors import ConfigError, DuplicateId, UnknownId
from siftmesh.filters import FilterReader
from siftmesh.logic.tree import FALSE, TRUE, Tree
from siftmesh.matching import api
from siftmesh.matching.api import INDEXES, Index, TreeMatcher, evaluate_predicates, make_matcher, observe
from siftmesh.matching.scan import ScanEngine
from siftmesh.matching.work import WorkCounters

READ = FilterReader().read
A = READ("a = 1")


class Breaking(ScanEngine):
    """An engine that fails at the trees it is told to, in the midst of its work."""

    broken: Tree | None = None

    def insert(self, number: int, tree: Tree) -> None:
        if tree == self.broken:
            raise MemoryError
        super().insert(number, tree)


@pytest.fixture
def breaking(monkeypatch: pytest.MonkeyPatch) -> TreeMatcher:
    monkeypatch.setitem(INDEXES, "breaking", Index(Breaking, parallel=True))
    matcher = make_matcher("breaking")
    matcher.add("a", A, link="north")
    matcher.add("b", READ("b = 1"))
    matcher.engine.broken = FALSE  # type: ignore[attr-defined]  # the engine above
    return matcher


def held(matcher: TreeMatcher) -> Any:
    both = {"a": 1, "b": 1}
    return {id: matcher[id] for id in matcher}, sorted(matcher.match(both)), matcher.matches_link(both)  # type: ignore[type-var]  # texts


def test_whatever_fails_leaves_all_as_it_was(breaking: TreeMatcher) -> None:
    before = held(breaking)
    for use in (
        lambda: breaking.add("c", FALSE, "south"),
        lambda: breaking.replace("a", FALSE, "south"),
        lambda: breaking.replace("b", FALSE, "south"),
        lambda: breaking.add_trees(["c", "d"], [A, FALSE], "south"),
        lambda: breaking.add_rows(["c", "d"], FilterReader().template("a = :p OR FALSE"), {}, "south"),
    ):
        with pytest.raises((MemoryError, KeyError)):
            use()
        assert held(breaking) == before
    assert breaking.add("c", A) in (2, 3)


def test_replacing_keeps_number_and_forgets_the_link(breaking: TreeMatcher) -> None:
    number = breaking.number("a")
    assert breaking.replace("a", TRUE) == number
    assert breaking.matches_link({}) == []
    assert breaking.replace("a", TRUE, "west") == number
    assert breaking.matches_link({}) == ["west"]
    assert breaking.link(number) == "west"


def test_the_index_is_named() -> None:
    assert make_matcher("scan").index == "scan"
    with pytest.raises(ConfigError, match="there is no index 'adaptiv'; expected adaptive"):
        make_matcher("adaptiv")
    for odd in (None, 5, [], "?"):
        with pytest.raises(ConfigError, match=r"there is no index .* expected adaptive or counting or scan"):
            make_matcher(odd)


@pytest.mark.parametrize("index", ["counting", "adaptive"])
def test_the_compiler_is_loaded_with_the_first_subscription(index: str) -> None:
    code = (
        "import sys\n"
        "from siftmesh import Matcher\n"
        f"m = Matcher(index={index!r})\n"
        "assert m.match({'a': 1}) == []\n"
        "assert not {'numba', 'numpy', 'pyarrow'} & set(sys.modules), 'loaded too early'\n"
        "m.add(1, 'a = 1')\n"
        "assert m.match({'a': 1}) == [1]\n"
        "assert 'numba' in sys.modules\n"
        "assert m.work.events == 2\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_work_goes_on_when_the_engine_is_made() -> None:
    matcher = make_matcher("counting")
    matcher.match({})
    matcher.add(1, A)
    matcher.match({"a": 1})
    assert (matcher.work.events, matcher.work.matches) == (2, 1)
    assert matcher.match_batch([{"a": 1}] * 3).work == WorkCounters(
        events=3, probes=3, candidates=3, matches=3
    )


@pytest.mark.parametrize("one_by_one", [True, False])
def test_many_ids_become_compact_and_matches_stay(one_by_one: bool) -> None:
    matcher = make_matcher("counting")
    matcher.add(0, A)
    early = matcher.match_batch([{"a": 1}])
    if one_by_one:
        for number in range(1, 5_000):
            matcher.add(number, FALSE)
    else:
        matcher.add_rows(
            pa.array(range(1, 5_000)), FilterReader().template("a = :p"), {"p": pa.array(range(2, 5_001))}
        )
    assert "bytes of ids" in matcher.stats()["ids"]
    assert early.ids(0) == [0]
    assert matcher.match({"a": 1}) == [0]
    assert len(matcher) == 5_000
    matcher.remove(0)
    matcher.add("other", A)
    assert early.ids(0) == [0]
    assert matcher.match({"a": 1}) == ["other"]
    matcher.compact()
    assert set(matcher) == {*range(1, 5_000), "other"}


def test_a_scan_has_no_need_of_a_compiler() -> None:
    code = (
        "import sys\n"
        "from siftmesh.logic.tree import FALSE, TRUE\n"
        "from siftmesh.matching.api import make_matcher\n"
        "m = make_matcher('scan')\n"
        "for number in range(6_000):\n"
        "    m.add(number, TRUE if number == 7 else FALSE)\n"
        "assert m.match({}) == [7]\n"
        "assert not {'numba', 'numpy', 'pyarrow'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


class Linked(ScanEngine):
    """An engine with a way of its own to find links."""

    def find_links(self, event: Any, link_of: Any, links: int) -> list[int]:
        assert link_of.dtype == np.int32
        assert links == 2
        return sorted({int(link_of[number]) for number in self.find(event)} - {-1})


class Tended(ScanEngine):
    """An engine that puts something off."""

    left = 100

    def tend(self, steps: int) -> bool:
        self.left = max(0, self.left - steps)
        return self.left > 0


def test_what_an_engine_puts_off_is_done_step_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(INDEXES, "tended", Index(Tended, parallel=True))
    matcher = make_matcher("tended")
    assert not matcher.tend(10), "there is no engine yet"
    matcher.add(1, A)
    assert [matcher.tend(40) for _ in range(3)] == [True, True, False]
    assert not make_matcher("scan").tend(10)


def test_an_engine_may_find_links_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(INDEXES, "linked", Index(Linked, parallel=True))
    matcher = make_matcher("linked")
    matcher.add(1, A, "north")
    matcher.add(2, TRUE, "south")
    matcher.add(3, TRUE)
    assert set(matcher.matches_link({"a": 1})) == {"north", "south"}
    assert matcher.matches_link({}) == ["south"]


def test_ids_and_numbers() -> None:
    matcher = make_matcher("scan")
    number = matcher.add("a", A)
    assert matcher.number("a") == number
    assert matcher.number("b") == -1
    assert matcher.of([number]) == ["a"]
    assert matcher.find({"a": 1}) == [number]
    assert matcher.remove("a") == number
    with pytest.raises(UnknownId):
        matcher.remove("a")
    with pytest.raises(DuplicateId):
        matcher.add_trees(["x", "x"], [A, A])


def test_predicates_over_a_table() -> None:
    found = evaluate_predicates([A, TRUE], pa.table({"a": [1, 2, None]}))
    assert found.truths().tolist() == [[True, False, False], [True, True, True]]
    assert type(observe([{"a": 1}])).__name__ == "Profile"
    with pytest.raises(AttributeError, match="no attribute 'evaluate'"):
        api.evaluate  # noqa: B018 - what is asked for is refused
