"""Why a subscription does or does not match."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from siftmesh.errors import EventError
from siftmesh.filters import FilterReader
from siftmesh.logic.evaluate import truth
from siftmesh.logic.tree import Tree
from siftmesh.matching.explain import explain
from siftmesh.model.event import Event
from tests.reference.leaves import leaf
from tests.reference.strategies import events, trees

TEXT = "price < 10 AND (title = 'Dune' OR author LIKE 'H%') AND NOT tags CONTAINS 'sold'"


def lines(text: str, event: dict[str, Any]) -> list[str]:
    return str(explain("alice", FilterReader().read(text), Event.of(event))).splitlines()


def test_every_part_has_its_verdict_and_what_it_saw() -> None:
    assert lines(TEXT, {"price": 12, "author": "Herbert", "tags": ["new", None]}) == [
        "alice does not match",
        "  false   all of",
        "    false   price < 10   [price is 12]",
        "    unknown NOT tags CONTAINS 'sold'   [tags is ('new', None)]",
        "    true    at least one of",
        "      true    author LIKE 'H%'   [author is 'Herbert']",
        "      unknown title = 'Dune'   [title is missing]",
    ]


@pytest.mark.parametrize(
    ("text", "event", "expected"),
    [
        ("a = 1", {"a": 1}, ["alice matches", "  true    a = 1   [a is 1]"]),
        ("a = 1", {"a": None}, ["alice does not match", "  unknown a = 1   [a is None]"]),
        ("a = 1", {"a": {}}, ["alice does not match", "  unknown a = 1   [a is 'an object']"]),
        ("a IS NULL", {}, ["alice matches", "  true    a IS NULL   [a is missing]"]),
        ("a < b", {"b": 1}, ["alice does not match", "  unknown a < b   [b is 1, a is missing]"]),
        ("TRUE", {}, ["alice matches", "  true    TRUE"]),
        ("FALSE", {}, ["alice does not match", "  false   FALSE"]),
    ],
)
def test_single_leaves(text: str, event: dict[str, Any], expected: list[str]) -> None:
    assert lines(text, event) == expected


@pytest.mark.parametrize(
    ("event", "reasons"),
    [
        (
            {"price": 5, "title": "Dune", "tags": []},
            ["price < 10", "NOT tags CONTAINS 'sold'", "title = 'Dune'"],
        ),
        # That the title is another does not matter, for the author's name will do.
        ({"price": 12, "title": "Emma", "author": "H", "tags": []}, ["price < 10"]),
        ({"price": 5, "title": "Emma", "tags": []}, ["author LIKE 'H%'", "title = 'Dune'"]),
    ],
)
def test_the_reasons_are_the_leaves_that_decide(event: dict[str, Any], reasons: list[str]) -> None:
    explanation = explain("alice", FilterReader().read(TEXT), Event.of(event))
    assert [reason.asks for reason in explanation.reasons()] == reasons


@given(trees(), events())
def test_an_explanation_agrees_with_the_evaluation(tree: Tree, event: Event) -> None:
    explanation = explain(1, tree, event)
    assert explanation.verdict.truth is truth(tree, event)
    assert explanation.matches is (truth(tree, event) is True)
    assert str(explanation).startswith("1 matches" if explanation.matches else "1 does not match")
    assert all((reason.truth is True) == explanation.matches for reason in explanation.reasons())
    assert explanation.reasons()


def test_an_event_that_cannot_be_looked_into_is_refused_as_in_matching() -> None:
    tree = FilterReader().read("items.name = 'x'")
    with pytest.raises(EventError, match="inside an array of objects"):
        explain(1, tree, Event.of({"items": [{"name": "x"}]}))


def test_an_explanation_is_plain_data_as_well() -> None:
    explanation = explain(
        "alice", FilterReader().read(TEXT), Event.of({"price": 12}), access="price < 10", reached=False
    )
    told = explanation.to_dict()
    assert {name: told[name] for name in ("subscription", "matches", "access", "skipped")} == {
        "subscription": "alice",
        "matches": False,
        "access": "price < 10",
        "skipped": True,
    }
    assert told["reason"] == told["verdict"]["parts"][0] == explanation.reason.to_dict()
    assert told["reason"]["truth"] == "false"
    assert told["verdict"]["parts"][2]["parts"][0]["operator"] == "LIKE"
    assert json.loads(explanation.to_json()) == json.loads(json.dumps(told))


@pytest.mark.parametrize(
    ("text", "event", "operator", "operand", "saw"),
    [
        ("a <> 1.5", {"a": 2}, "<>", 1.5, {"a": 2}),
        ("a NOT IN (1, 2)", {"a": 1}, "NOT IN", [1, 2], {"a": 1}),
        ("a IS NULL", {}, "IS NULL", None, {}),
        ("a < TIMESTAMP '2026-01-01T00:00:00Z'", {"a": None}, "<", "2026-01-01T00:00:00Z", {"a": None}),
        (
            "a IN (TIMESTAMP '2026-01-01T00:00:00Z', TIMESTAMP '2027-01-01T00:00:00Z')",
            {"a": [datetime(2026, 1, 1, tzinfo=UTC)]},
            "IN",
            ["2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"],
            {"a": ["2026-01-01T00:00:00Z"]},
        ),
    ],
)
def test_a_leaf_says_what_was_compared_with_what(
    text: str, event: dict[str, Any], operator: str, operand: Any, saw: Any
) -> None:
    leaf = json.loads(explain(1, FilterReader().read(text), Event.of(event)).to_json())["verdict"]
    assert (leaf["operator"], leaf.get("operand"), leaf["saw"]) == (operator, operand, saw)


@pytest.mark.parametrize(("id", "shown"), [(1, 1), (None, None), ((1, "a"), "(1, 'a')"), (b"x", "b'x'")])
def test_ids_that_json_does_not_have_are_text(id: Any, shown: Any) -> None:
    told = explain(id, FilterReader().read("a = 1"), Event.of({"a": 1})).to_json()
    assert json.loads(told)["subscription"] == shown


def test_what_keeps_it_from_matching_in_sentences() -> None:
    tree = FilterReader().read("a = 1 AND b = 2")
    explanation = explain("x", tree, Event.of({"b": 3}), access="a = 1", reached=False)
    assert explanation.skipped
    assert explanation.why_not().splitlines() == [
        "x does not match",
        "  a = 1 is unknown (a is missing)",
        "  b = 2 is false (b is 3)",
        "the index waits for a = 1 and did not look at it",
    ]
    assert explain("x", tree, Event.of({"a": 1, "b": 2})).why_not() == "x matches"


def test_numbers_that_json_does_not_have_are_words_there() -> None:
    told = explain(math.inf, leaf("a", "<", 5), Event({"a": math.inf, "b": -math.inf})).to_json()
    assert json.loads(told)["verdict"]["saw"] == {"a": "Infinity"}
    assert json.loads(told)["subscription"] == "Infinity"
    told = explain(1, leaf("b", "<", 5), Event({"b": -math.inf})).to_json()
    assert json.loads(told)["verdict"]["saw"] == {"b": "-Infinity"}


@pytest.mark.parametrize("subscription", [np.float64(3), "\ud800", ("x", 1), 2**70, b"x"])
def test_ids_that_json_does_not_have_are_text_there(subscription: Any) -> None:
    told = json.loads(explain(subscription, leaf("a", "<", 5), Event({"a": 1})).to_json())
    assert told["subscription"] in (repr(subscription), subscription)
    assert told["matches"] is True
