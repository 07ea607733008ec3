"""The matcher as users meet it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import Thread
from timeit import repeat
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from siftmesh import Event, Limits, Matcher
from siftmesh.errors import (
    ConfigError,
    DamagedData,
    DuplicateId,
    EventError,
    LimitExceeded,
    ParameterError,
    SubscriptionError,
    SyntaxError,
    TypeMismatch,
    UnknownAttribute,
    UnknownId,
)
from siftmesh.logic.tree import And, Operator, Or, Predicate
from siftmesh.model.schema import Schema
from siftmesh.model.values import Kind


def together(*jobs: Callable[[], None]) -> None:
    """Each job in a thread of its own, which take turns as often as they can; the first fault is raised."""
    faults: list[BaseException] = []

    def guarded(job: Callable[[], None]) -> None:
        try:
            job()
        except BaseException as fault:
            faults.append(fault)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        threads = [Thread(target=guarded, args=(job,), daemon=True) for job in jobs]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(120)
    finally:
        sys.setswitchinterval(interval)
    assert not any(thread.is_alive() for thread in threads)
    if faults:
        raise faults[0]


@pytest.fixture
def matcher() -> Matcher:
    m = Matcher()
    m.add("alice", "price < 10 AND title = 'Dune'")
    m.add("bob", "author = 'Herbert'")
    m.add(3, "price >= 10")
    return m


DUNE = {"price": 9, "title": "Dune", "author": "Herbert"}


def test_the_ids_of_all_that_match(matcher: Matcher) -> None:
    assert set(matcher.match(DUNE)) == {"alice", "bob"}
    assert set(matcher.match({"price": 10.0, "author": "Herbert"})) == {"bob", 3}
    assert matcher.match({}) == []


@pytest.mark.parametrize(
    "event", [Event.of(DUNE), json.dumps(DUNE), json.dumps(DUNE).encode(), MappingProxyType(DUNE)]
)
def test_an_event_comes_in_many_forms(matcher: Matcher, event: Any) -> None:
    assert set(matcher.match(event)) == {"alice", "bob"}
    assert matcher.explain("alice", event).matches
    assert set(matcher.match_batch([event]).ids(0)) == {"alice", "bob"}


def test_a_cloud_event_is_matched_by_its_attributes_and_data() -> None:
    m = Matcher()
    m.add(1, "type = 'sold' AND data.price < 10")
    event = SimpleNamespace(attributes={"type": "sold", "source": "/"}, data=b'{"price": 9}')
    assert m.match(event) == [1]
    assert m.match(b'{"specversion": "1.0", "type": "sold", "data": {"price": 9}}') == [1]
    assert m.matches_link(event) == []


def test_what_is_removed_matches_no_more_and_may_come_back(matcher: Matcher) -> None:
    matcher.remove("alice")
    assert matcher.match(DUNE) == ["bob"]
    assert "alice" not in matcher
    matcher.add("alice", "TRUE")
    assert set(matcher.match(DUNE)) == {"bob", "alice"}


def test_a_matcher_is_a_collection_of_ids(matcher: Matcher) -> None:
    assert len(matcher) == 3
    assert set(matcher) == {"alice", "bob", 3}
    assert matcher.get("bob") == matcher["bob"]
    assert matcher.get("carol", 5) == 5
    assert "bob" in matcher
    assert "carol" not in matcher


def test_a_subscription_is_looked_up_as_a_tree_in_normal_form(matcher: Matcher) -> None:
    assert matcher["alice"] == And(
        (
            Predicate("price", Operator.LT, Kind.NUMBER, 10),
            Predicate("title", Operator.EQ, Kind.STRING, "Dune"),
        )
    )


@pytest.mark.parametrize("use", [Matcher.remove, Matcher.__getitem__, lambda m, id: m.explain(id, {})])
def test_an_unknown_id_is_refused(matcher: Matcher, use: Any) -> None:
    with pytest.raises(UnknownId, match="there is no subscription 'carol'"):
        use(matcher, "carol")


def test_an_id_is_given_once(matcher: Matcher) -> None:
    with pytest.raises(DuplicateId, match="already a subscription 'alice'"):
        matcher.add("alice", "TRUE")
    assert set(matcher.match(DUNE)) == {"alice", "bob"}


def test_a_refused_filter_leaves_nothing_behind(matcher: Matcher) -> None:
    with pytest.raises(SyntaxError):
        matcher.add("carol", "price <")
    assert "carol" not in matcher


@pytest.mark.parametrize("thing", [None, 5, b"a = 1", ["a = 1"], {"a": 1}])
def test_a_filter_is_text_or_a_tree(thing: Any) -> None:
    with pytest.raises(SubscriptionError, match="a filter is text, not"):
        Matcher().add(1, thing)


def test_a_tree_is_brought_to_normal_form() -> None:
    m = Matcher()
    a, b = (Predicate(name, Operator.EQ, Kind.NUMBER, 1) for name in "ab")
    m.add(1, Or((b, Or((a, b)))))
    assert m[1] == Or((a, b))


def test_other_dialects_are_named() -> None:
    m = Matcher()
    m.add(1, "price BETWEEN 1 AND 2", dialect="jms")
    assert m.match({"price": 1.5}) == [1]
    with pytest.raises(ConfigError, match="there is no dialect 'jmx'; expected jms"):
        m.add(2, "TRUE", dialect="jmx")


def test_the_limits_are_settings() -> None:
    m = Matcher(limits=Limits(items=2))
    m.add(1, "a IN (1, 2)")
    with pytest.raises(LimitExceeded) as caught:
        m.add(2, "a IN (1, 2, 3)")
    assert caught.value.limit == 2


# ---- schemas


def test_a_schema_refuses_what_can_never_match() -> None:
    m = Matcher(schema={"price": "float", "tags": "array<string>", "odd name": "bool", "data.size": "int"})
    m.add(1, "price < 10 AND tags CONTAINS 'x' AND \"odd name\" AND data.size = 1")
    with pytest.raises(UnknownAttribute, match="there is no attribute prise"):
        m.add(2, "prise < 10")
    with pytest.raises(TypeMismatch, match="a number never compares with a string"):
        m.add(2, "price < '10'")
    assert m.match({"price": 1, "tags": ["x"], "odd name": True, "data": {"size": 1}}) == [1]


def test_without_a_schema_a_mistyped_comparison_is_no_match() -> None:
    m = Matcher()
    m.add(1, "price < '10'")
    m.add(2, "NOT price < '10'")
    assert m.match({"price": 5}) == []


def test_a_schema_checks_templates_too() -> None:
    with pytest.raises(UnknownAttribute):
        Matcher(schema={"price": "float"}).template("prise < :p")


# ---- templates

ROWS = [
    {"id": "x", "p": 5, "t": "Dune"},
    {"id": "y", "p": 15, "t": "Dune"},
    {"id": "z", "p": 15, "t": "Emma"},
]


def test_many_rows_of_one_template_are_registered_at_once() -> None:
    m = Matcher()
    assert m.add_many("price < :p AND title = :t", ROWS) == 3
    assert m.match({"price": 9, "title": "Dune"}) == ["y"]
    assert m["x"] == m.template("price < :p AND title = :t").bind({"p": 5, "t": "Dune"})


def test_a_template_object_and_another_id_column_serve_as_well() -> None:
    m = Matcher()
    template = m.template("price < :p")
    assert m.add_many(template, [{"who": 7, "p": 5, "unused": None}], id="who") == 1
    assert m.match({"price": 1}) == [7]


def test_an_arrow_table_serves_as_well() -> None:
    m = Matcher()
    table = pa.table({"id": ["a", "b"], "p": [5.0, None], "unused": [1, 2]})
    assert m.add_many("price < :p", table) == 2
    assert m.match({"price": 1}) == ["a"]


class Frame:
    """What a pandas frame shows of itself, for those who have no pandas."""

    columns = ("id", "p")

    def to_dict(self, orient: str) -> list[dict[str, object]]:
        assert orient == "records"
        return [{"id": "a", "p": 5}, {"id": "b", "p": float("nan")}]


def test_a_frame_serves_as_well_and_nan_is_null() -> None:
    m = Matcher()
    assert m.add_many("price < :p", Frame()) == 2
    assert m.match({"price": 1}) == ["a"]


def test_the_id_may_be_a_parameter() -> None:
    m = Matcher()
    m.add_many("seller = :id", [{"id": "ann"}])
    assert m.match({"seller": "ann"}) == ["ann"]


def test_no_rows_are_no_subscriptions() -> None:
    m = Matcher()
    assert m.add_many("a = :a", []) == 0
    assert len(m) == 0


@pytest.mark.parametrize(
    ("row", "kind", "message"),
    [
        ({"p": 1, "t": "x"}, ParameterError, "row 3 has no column 'id'"),
        ({"id": "x", "p": 1, "t": "x"}, DuplicateId, "row 3: there is already a subscription 'x'"),
        ({"id": "old", "p": 1, "t": "x"}, DuplicateId, "row 3: there is already a subscription 'old'"),
        ({"id": "w", "p": 1}, ParameterError, "row 3: no value for :t"),
        (
            {"id": "w", "p": 2**63, "t": "x"},
            ParameterError,
            "row 3: :p: an integer of 65 bits needs more than 64",
        ),
        ({"id": "w", "p": float("inf"), "t": "x"}, ParameterError, "row 3: :p is infinite"),
        ({"id": "w", "p": [1], "t": "x"}, ParameterError, "row 3: :p is no single value"),
    ],
)
def test_one_wrong_row_and_no_row_is_registered(row: dict[str, Any], kind: type, message: str) -> None:
    m = Matcher()
    m.add("old", "FALSE")
    with pytest.raises(kind) as caught:
        m.add_many("price < :p AND title = :t", [*ROWS, row])
    assert str(caught.value).startswith(message)
    assert list(m) == ["old"]


# ---- events


@pytest.mark.parametrize("event", [None, 5, "5", b"[]", [("price", 5)]])
def test_an_event_is_a_mapping(matcher: Matcher, event: Any) -> None:
    with pytest.raises(EventError, match=r"an event is a (mapping|JSON object), not"):
        matcher.match(event)


def test_an_array_of_objects_is_refused_only_when_a_filter_looks_into_it() -> None:
    m = Matcher()
    m.add(1, "price = 1")
    event = {"price": 1, "items": [{"name": "x"}]}
    assert m.match(event) == [1]
    m.add(2, "items.name = 'x'")
    for use in (m.match, lambda e: m.explain(2, e)):
        with pytest.raises(EventError, match=r"^at items: items\.name lies inside an array of objects"):
            use(event)
    assert m.explain(1, event).matches
    m.remove(2)
    assert m.match(event) == [1]


def test_an_explanation_says_what_was_seen(matcher: Matcher) -> None:
    explanation = matcher.explain("alice", {"price": 12})
    assert not explanation.matches
    assert str(explanation).splitlines() == [
        "alice does not match",
        "  false   all of",
        "    false   price < 10   [price is 12]",
        "    unknown title = 'Dune'   [title is missing]",
    ]


# ---- misuse


@pytest.mark.parametrize("schema", [["price"], {1: "int"}, {"": "int"}, {"a": "flot"}, "price"])
def test_what_is_no_schema_is_refused(schema: Any) -> None:
    with pytest.raises(ConfigError):
        Matcher(schema=schema)


def test_a_schema_object_serves_as_a_schema() -> None:
    m = Matcher(schema=Schema.of({"price": "float"}))
    with pytest.raises(UnknownAttribute, match="there is no attribute prize"):
        m.add("a", "prize < 5")


def test_a_tree_is_held_to_the_schema_too() -> None:
    tree = Matcher().template("prize < :p").bind([5])
    m = Matcher(schema={"price": "float"})
    with pytest.raises(UnknownAttribute, match="there is no attribute prize\nexpected price perhaps"):
        m.add("a", tree)
    assert len(m) == 0


@pytest.mark.parametrize("limits", [{"text": 5}, 5, None])
def test_what_are_no_limits_is_refused(limits: Any) -> None:
    with pytest.raises(ConfigError, match="limits are"):
        Matcher(limits=limits)


@pytest.mark.parametrize("key", [[1], {}, (1, [2])])
def test_an_id_is_hashable(key: Any) -> None:
    m = Matcher()
    with pytest.raises(SubscriptionError, match="this is no id"):
        m.add(key, "a = 1")
    with pytest.raises(SubscriptionError, match="row 0: this is no id"):
        m.add_many("a = :p", [{"id": key, "p": 1}])
    assert len(m) == 0


@pytest.mark.parametrize("table", [None, 5, "ab", {"id": [1], "p": [2]}, [5], ["id"]])
def test_what_is_no_table_is_refused(table: Any) -> None:
    with pytest.raises(ParameterError, match="expected rows as mappings"):
        Matcher().add_many("a = :p", table)


@pytest.mark.parametrize("dialect", [None, 5, "klingon"])
def test_what_is_no_dialect_is_refused(dialect: Any) -> None:
    with pytest.raises(ConfigError, match="there is no dialect"):
        Matcher().add("a", "a = 1", dialect=dialect)


def test_an_unknown_id_is_a_key_error_as_well() -> None:
    with pytest.raises(KeyError):
        Matcher()["nobody"]


def test_an_explanation_is_true_for_a_match() -> None:
    m = Matcher()
    m.add("a", "a = 1")
    assert m.explain("a", {"a": 1})
    assert not m.explain("a", {"a": 2})


def test_why_not_is_told_in_a_few_lines(matcher: Matcher) -> None:
    lines = matcher.why_not("alice", {"price": 12}).splitlines()
    assert lines[:3] == [
        "alice does not match",
        "  price < 10 is false (price is 12)",
        "  title = 'Dune' is unknown (title is missing)",
    ]
    assert lines[3].startswith("the index waits for ")
    assert matcher.why_not("alice", DUNE) == "alice matches"


def test_an_explanation_is_data_too(matcher: Matcher) -> None:
    told = json.loads(matcher.explain("alice", {"price": 12}).to_json())
    assert (told["subscription"], told["matches"]) == ("alice", False)
    assert told["reason"] == {
        "asks": "price < 10",
        "truth": "false",
        "operator": "<",
        "operand": 10,
        "saw": {"price": 12},
        "missing": [],
    }
    assert [part["truth"] for part in told["verdict"]["parts"]] == ["false", "unknown"]
    assert isinstance(told["skipped"], bool)


# ---- replacing


def test_a_filter_is_replaced_at_once(matcher: Matcher) -> None:
    matcher.replace("alice", "price = 9")
    assert "alice" in matcher.match({"price": 9})
    with pytest.raises(UnknownId, match="no subscription 'carol'"):
        matcher.replace("carol", "price = 9")
    with pytest.raises(SyntaxError):
        matcher.replace("alice", "price =")
    assert matcher.match({"price": 9}) == ["alice"]
    assert len(matcher) == 3


# ---- what ends


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_what_has_a_ttl_ends() -> None:
    clock = Clock()
    m = Matcher(clock=clock)
    m.add("short", "a = 1", ttl=10)
    m.add("long", "a = 1", ttl=20.5, link="x")
    m.add("always", "a = 1")
    clock.now = 109.9
    assert set(m.match({"a": 1})) == {"short", "long", "always"}
    clock.now = 110
    assert set(m.match({"a": 1})) == {"long", "always"}
    assert "short" not in m
    clock.now = 121
    assert m.matches_link({"a": 1}) == []
    assert (len(m), list(m), m.stats()["subscriptions"]) == (1, ["always"], 1)


@pytest.mark.parametrize(
    "use",
    [
        lambda m: m["short"],
        lambda m: m.remove("short"),
        lambda m: m.replace("short", "a = 2"),
        lambda m: m.explain("short", {}),
        lambda m: m.why_not("short", {}),
    ],
)
def test_what_has_ended_is_not_there_for_anybody(use: Callable[[Matcher], Any]) -> None:
    clock = Clock()
    m = Matcher(clock=clock)
    m.add("short", "a = 1", ttl=10)
    m.add("other", "a = 1", ttl=10)
    clock.now = 200
    with pytest.raises(UnknownId):
        use(m)
    assert m.get("short") is None
    assert m.match_batch([{"a": 1}]).ids(0) == []
    m.add("short", "a = 1")
    assert list(m) == ["short"]


def test_to_replace_and_to_remove_forget_the_end() -> None:
    clock = Clock()
    m = Matcher(clock=clock)
    m.add(1, "a = 1", ttl=10)
    m.replace(1, "a = 1")
    m.add(2, "a = 1", ttl=10)
    m.remove(2)
    m.add(2, "a = 1")
    m.add(3, "a = 1", ttl=10)
    m.replace(3, "a = 1", ttl=30)
    clock.now = 120
    assert sorted(m.match({"a": 1})) == [1, 2, 3]  # type: ignore[type-var]  # the ids are ints
    clock.now = 131
    assert sorted(m.match({"a": 1})) == [1, 2]  # type: ignore[type-var]  # likewise


def test_a_thousand_end_at_once_and_none_is_reported() -> None:
    clock = Clock()
    m = Matcher(clock=clock)
    m.add_many("a < :p", [{"id": n, "p": 5} for n in range(1_000)], ttl=10)
    m.add("stays", "a < 5")
    clock.now = 110
    for _ in range(20):
        assert m.match({"a": 1}) == ["stays"]
    assert m._matcher.match({"a": 1}) == ["stays"], "they are removed bit by bit"
    m.add_many("a < :p", [{"id": n, "p": 5} for n in range(1_000)], ttl=10)
    clock.now = 120
    assert m.add_many("a < :p", [{"id": n, "p": 5} for n in range(1_000)]) == 1_000
    assert len(m) == 1_001


@pytest.mark.parametrize("ttl", [0, -1, float("nan"), float("inf"), "5", True, [5]])
def test_a_ttl_is_a_number_of_seconds(ttl: Any) -> None:
    m = Matcher()
    for use in (
        lambda: m.add(1, "a = 1", ttl=ttl),
        lambda: m.add_many("a = :p", [{"id": 1, "p": 1}], ttl=ttl),
    ):
        with pytest.raises(ConfigError, match=r"the ttl is .* expected a number of seconds above 0"):
            use()
    assert len(m) == 0


# ---- small and quick


def test_an_empty_matcher_is_small_and_made_in_no_time() -> None:
    Matcher()
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        held = [Matcher() for _ in range(100)]
        assert (tracemalloc.get_traced_memory()[0] - before) / len(held) < 50_000
    finally:
        tracemalloc.stop()
    assert min(repeat(Matcher, number=1_000, repeat=5)) / 1_000 < 100e-6, (
        "a free machine takes 5 microseconds"
    )


def test_the_matcher_adds_little_to_what_the_engine_takes() -> None:
    m = Matcher(index="scan")
    event = Event.of({"a": 1})
    find = m._matcher.engine.find
    count = 20_000
    alone = min(repeat(lambda: find(event), number=count, repeat=9))
    whole = min(repeat(lambda: m.match(event), number=count, repeat=9))
    assert (whole - alone) / count < 2e-6, "a free machine takes about 250 ns"


def test_to_import_siftmesh_loads_no_large_library() -> None:
    code = (
        "import sys, siftmesh\n"
        "m = siftmesh.Matcher()\n"
        "assert m.match({'a': 1}) == []\n"
        "found = {'numba', 'numpy', 'pyarrow', 'llvmlite', 'pandas'} & set(sys.modules)\n"
        "assert not found, found\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


# ---- threads


@pytest.mark.parametrize("index", ["scan", "counting", "adaptive"])
def test_threads_see_what_is_there_throughout_and_nothing_that_never_was(index: str, seed: int) -> None:
    m = Matcher(index=index)
    for number in range(50):
        m.add(("stays", number), f"a = {number % 5} AND b < 100")
    found: Counter[str] = Counter()

    def check(ids: list[Any], value: int) -> None:
        stays = {number for what, number in ids if what == "stays"}
        assert stays == {number for number in range(50) if number % 5 == value}
        assert len(set(ids)) == len(ids)
        for what, number in ids:
            found[what] += 1
            assert what in ("stays", "comes") or (what == "both" and value in (0, 1))
            if what == "comes":
                assert number[1] % 5 == value

    def match(name: int) -> None:
        rng = random.Random(f"{seed} {name}")
        for _ in range(60):
            value = rng.randrange(5)
            event = {"a": value, "b": rng.randrange(100)}
            check(m.match(event), value)
            if rng.random() < 0.2:
                values = [rng.randrange(5) for _ in range(20)]
                for ids, one in zip(m.match_batch([{"a": v, "b": 1} for v in values]), values, strict=True):
                    check(ids, one)
            if rng.random() < 0.2:
                assert m.explain(("stays", value), event).matches
                assert ("stays", 7) in m
                assert len(m) >= 50

    def change(name: int) -> None:
        rng = random.Random(f"{seed} {name} changes")
        mine: list[Any] = []
        m.add(("both", name), "a = 0")
        for turn in range(120):
            form = rng.randrange(5)
            if form < 2:
                id = ("comes", (name, turn))
                m.add(id, f"a = {turn % 5}")
                mine.append(id)
            elif form == 2 and mine:
                m.remove(mine.pop(rng.randrange(len(mine))))
            elif form == 3:
                m.replace(("both", name), f"a = {turn % 2}")
            else:
                ids = [("comes", (name, 1_000 * (turn + 1) + n)) for n in range(5)]
                m.add_many("a = :p", [{"id": id, "p": id[1][1] % 5} for id in ids])
                mine += ids
            if turn % 40 == 0:
                m.compact()
        for id in mine:
            m.remove(id)
        m.remove(("both", name))

    together(*(partial(job, name) for job in (match, change) for name in range(3)))
    assert set(m) == {("stays", number) for number in range(50)}
    assert found["stays"] > 0


def test_one_who_matches_cannot_change_the_matcher_meanwhile() -> None:
    m = Matcher(index="scan")
    m.add(1, "a = 1")

    class Meddling(dict[str, Any]):
        def items(self) -> Any:
            m.add(2, "a = 1")

    with pytest.raises(SubscriptionError, match="in the midst"):
        m.match(Meddling(a=1))
    assert list(m) == [1]
    m.remove(1)


def test_who_only_matches_pays_what_the_index_put_off(monkeypatch: pytest.MonkeyPatch) -> None:
    paid: list[int] = []
    m = Matcher(index="scan")
    monkeypatch.setattr(m._matcher, "tend", paid.append)
    m.match_batch([{"a": 1}] * 1_000)
    assert paid == []  # nothing is owed
    monkeypatch.setattr(m._matcher, "owes", lambda: True)
    for _ in range(1_000):
        m.match({"a": 1})
    assert 2 <= len(paid) <= 10
    # It pays by the events, however they come and however slow they are.
    for rows in (1, 3, 600, 5_000):
        paid.clear()
        for _ in range(5_000 // rows):
            m.match_batch([{"a": 1}] * rows)
        assert 550 <= sum(paid) <= 650


def test_a_match_within_a_match_is_answered() -> None:
    m = Matcher(index="scan")
    m.add(1, "a = 1")
    inner: list[Any] = []

    class Curious(dict[str, Any]):
        def items(self) -> Any:
            inner.append(m.match({"a": 1}))
            return super().items()

    for _ in range(600):
        assert m.match(Curious(a=1)) == [1]
    assert inner == [[1]] * 600


# ---- files


def test_a_matcher_is_saved_with_all_that_is_known(tmp_path: Path) -> None:
    clock = Clock()
    m = Matcher(schema={"a": "int", "odd name": "array<string>"}, limits=Limits(items=2), clock=clock)
    m.add("ends", "a = 1", ttl=10)
    m.add(("x", 1), "a = 1", link="north")
    m.add_many("a = :p", [{"id": n, "p": 1} for n in range(10)])
    m.remove(3)
    path = tmp_path / "file"
    m.save(str(path))
    m.add("later", "a = 1")
    again = Matcher.load(path, clock=clock)
    assert set(again) == set(m) - {"later"}
    assert set(again.match({"a": 1})) == set(again)
    assert again.matches_link({"a": 1}) == ["north"]
    assert {id: again[id] for id in again} == {id: m[id] for id in again}
    with pytest.raises(UnknownAttribute):
        again.add("b", "b = 1")
    with pytest.raises(LimitExceeded):
        again.add("b", "a IN (1, 2, 3)")
    clock.now += 10
    assert "ends" not in again
    again.add("new", "a = 2")
    assert again.match({"a": 2}) == ["new"]
    assert "new" not in Matcher.load(path)


def test_an_empty_matcher_and_a_changed_one_are_saved_too(tmp_path: Path) -> None:
    Matcher().save(tmp_path / "empty")
    m = Matcher.load(tmp_path / "empty")
    assert (len(m), m.match({"a": 1})) == (0, [])
    for number in range(5_000):
        m.add(f"id {number}", f"a = {number % 100}")
    m.save(tmp_path / "full")
    again = Matcher.load(tmp_path / "full")
    assert sorted(again.match({"a": 7})) == sorted(f"id {n}" for n in range(7, 5_000, 100))  # type: ignore[type-var]  # texts


def test_what_cannot_be_saved_or_loaded_is_refused(tmp_path: Path) -> None:
    from siftmesh.matching.file import save

    m = Matcher()
    m.add(frozenset([1]), "a = 1")
    with pytest.raises(ConfigError, match="the id frozenset"):
        m.save(tmp_path / "file")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ConfigError, match="cannot be read"):
        Matcher.load(tmp_path / "none")
    (tmp_path / "text").write_text("price < 10")
    with pytest.raises(DamagedData):
        Matcher.load(tmp_path / "text")
    save(tmp_path / "other", {}, {"something": "else"})
    with pytest.raises(ConfigError, match="no matcher is in it"):
        Matcher.load(tmp_path / "other")


def test_a_profile_helps_a_matcher_that_has_seen_no_event() -> None:
    from siftmesh.matching.api import observe
    from siftmesh.matching.observe import observe as same

    assert observe is same
    profile = observe([{"kind": "a", "name": f"n{number}"} for number in range(200)])
    matcher = Matcher(profile=profile)
    matcher.add("one", "kind = 'a' AND name = 'n7'")
    assert matcher.match({"kind": "a", "name": "n7"}) == ["one"]


def test_threads_that_ask_for_texts_get_their_own() -> None:
    m = Matcher()
    m.add_many("a = :p", [{"id": f"s{n}", "p": n} for n in range(5_000)])

    def ask(thread: int) -> None:
        for turn in range(2_000):
            number = (turn * 7 + thread) % 5_000
            assert f"s{number}" in m
            assert m[f"s{number}"] == Predicate("a", Operator.EQ, Kind.NUMBER, number)
            assert f"t{number}" not in m

    together(*(partial(ask, thread) for thread in range(4)))


def test_threads_may_save_at_once_while_others_add_and_ask(tmp_path: Path) -> None:
    m = Matcher()

    def work(thread: int) -> None:
        if thread == 0:
            for number in range(6_000):
                m.add(number, f"a BETWEEN {number} AND {2 * number + 5} AND b <> {number}")
        elif thread == 1:
            for number in range(300):
                m.match({"a": number, "b": 1})
        else:
            for turn in range(4):
                m.save(tmp_path / ("one" if turn % 2 else f"own {thread}"))

    together(*(partial(work, thread) for thread in range(4)))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["one", "own 2", "own 3"]
    m.save(tmp_path / "one")
    again = Matcher.load(tmp_path / "one")
    for number in (0, 5, 500):
        event = {"a": number, "b": 1}
        assert sorted(again.match(event)) == sorted(m.match(event))  # type: ignore[type-var]  # ints


def test_threads_may_ask_for_links_at_once() -> None:
    for _ in range(10):
        m = Matcher()
        for number in range(40):
            m.add(number, f"a <= {number}", link=number % 4)

        def ask(thread: int, m: Matcher = m) -> None:
            for turn in range(200):
                found = m.matches_link({"a": (turn + thread) % 50})
                assert len(found) == min(4, max(0, 40 - (turn + thread) % 50))

        together(*(partial(ask, thread) for thread in range(4)))
