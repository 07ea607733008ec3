"""The matcher as users meet it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from siftmesh import Event, Limits, Matcher
from siftmesh.errors import (
    ConfigError,
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


@pytest.fixture
def matcher() -> Matcher:
    m = Matcher()
    m.add("alice", "price < 10 AND title = 'Dune'")
    m.add("bob", "author = 'Herbert'")
    m.add(3, "price >= 10")
    return m


DUNE = {"price": 9, "title": "Dune", "author": "Herbert"}


def test_the_ids_come_in_the_order_of_adding(matcher: Matcher) -> None:
    assert matcher.match(DUNE) == ["alice", "bob"]
    assert matcher.match({"price": 10.0, "author": "Herbert"}) == ["bob", 3]
    assert matcher.match({}) == []


def test_an_event_object_is_taken_as_it_is(matcher: Matcher) -> None:
    assert matcher.match(Event.of(DUNE)) == ["alice", "bob"]


def test_what_is_removed_matches_no_more_and_may_come_back(matcher: Matcher) -> None:
    matcher.remove("alice")
    assert matcher.match(DUNE) == ["bob"]
    assert "alice" not in matcher
    matcher.add("alice", "TRUE")
    assert matcher.match(DUNE) == ["bob", "alice"]


def test_a_matcher_is_a_collection_of_ids(matcher: Matcher) -> None:
    assert len(matcher) == 3
    assert list(matcher) == ["alice", "bob", 3]
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
    assert matcher.match(DUNE) == ["alice", "bob"]


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


@pytest.mark.parametrize("event", [None, 5, "price", [("price", 5)]])
def test_an_event_is_a_mapping(matcher: Matcher, event: Any) -> None:
    with pytest.raises(EventError, match="an event is a mapping"):
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
