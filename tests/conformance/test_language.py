"""The language's behaviour as data: each case of `language/*.json` by oracle, by logic and by matcher.

A case is a filter with an event and the expected truth (true, false or null for unknown), or with the error
that it must give. Filter, event and parameters may stand on the section for all of its cases. What JSON
cannot say is spelled as an object with one key: values as in `tests.reference.encoded`, long filters as in
`text_of`.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from siftmesh import Matcher, errors
from siftmesh.language import ast
from siftmesh.language.formatter import format_filter
from siftmesh.language.parser import parse
from siftmesh.logic.evaluate import holds
from siftmesh.logic.lower import lower
from siftmesh.logic.template import Template
from siftmesh.logic.tree import Tree
from siftmesh.model.event import Event
from tests.reference.ast_oracle import truth
from tests.reference.encoded import decoded

FOLDER = Path(__file__).parent / "language"
INHERITED = ("filter", "event", "parameters")


def text_of(written: Any) -> str:
    """A filter: a string, or a list of parts of which some are repeated or are lists of numbers."""
    if isinstance(written, str):
        return written
    if isinstance(written, list):
        return "".join(text_of(part) for part in written)
    if "$repeat" in written:
        return str(written["$repeat"]) * int(written["times"])
    first, end = written["$numbers"]
    return ", ".join(str(number) for number in range(first, end))


def cases() -> Iterator[Any]:
    for path in sorted(FOLDER.glob("*.json")):
        numbers: Counter[str] = Counter()
        for section in json.loads(path.read_text(encoding="utf-8")):
            for case in section["cases"]:
                whole = {key: section[key] for key in INHERITED if key in section} | case
                numbers[section["section"]] += 1
                name = f"{path.stem}-{section['section']}-{numbers[section['section']]}"
                yield pytest.param(whole, id=name)


CASES = list(cases())
OF_TRUTH = [case for case in CASES if "truth" in case.values[0]]
OF_ERRORS = [case for case in CASES if "error" in case.values[0]]


def test_every_case_says_what_it_expects() -> None:
    assert len(OF_TRUTH) + len(OF_ERRORS) == len(CASES)
    assert len(OF_TRUTH) > 700
    assert len(OF_ERRORS) > 100
    truths = Counter(case.values[0]["truth"] for case in OF_TRUTH)
    assert min(truths[True], truths[False], truths[None]) > 100


def bound(condition: ast.Condition, parameters: dict[str, Any]) -> Tree:
    return Template(condition).bind(parameters) if parameters else lower(condition)


def matches(filter_text: str, event: Any, parameters: dict[str, Any]) -> bool:
    matcher = Matcher()
    if parameters:
        matcher.add_many(filter_text, [{"id": "it", **parameters}])
    else:
        matcher.add("it", filter_text)
    return matcher.match(event) == ["it"]


def use(filter_text: str, event: Any, parameters: dict[str, Any] | None) -> None:
    if parameters is None:
        matches(filter_text, event, {})
    else:
        Matcher().template(filter_text).bind(parameters)


@pytest.mark.parametrize("case", OF_TRUTH)
def test_truth(case: dict[str, Any]) -> None:
    text, expected = text_of(case["filter"]), case["truth"]
    raw, parameters = decoded(case["event"]), decoded(case.get("parameters", {}))
    event = Event.of(raw)
    condition = parse(text)
    opposite = ast.Not(condition)

    assert truth(condition, event, parameters) is expected
    assert truth(opposite, event, parameters) is (None if expected is None else not expected)
    # A Tree says when it is true, and the opposite's Tree when it is false: together that is the truth.
    assert holds(bound(condition, parameters), event) is (expected is True)
    assert holds(bound(opposite, parameters), event) is (expected is False)
    assert matches(text, raw, parameters) is (expected is True)
    # The text as the formatter writes it means the same.
    written = format_filter(condition)
    assert parse(written) == condition
    assert matches(written, raw, parameters) is (expected is True)
    if len(text) < 150:  # one level deeper would pass a limit that some long texts just meet
        assert matches(f"NOT ({text})", raw, parameters) is (expected is False)


@pytest.mark.parametrize("case", OF_ERRORS)
def test_error(case: dict[str, Any]) -> None:
    kind = getattr(errors, case["error"])
    text = text_of(case["filter"])
    event, parameters = decoded(case.get("event", {})), decoded(case.get("parameters"))
    with pytest.raises(kind) as caught:
        use(text, event, parameters)
    error = caught.value
    if case["error"] != "SubscriptionError":
        assert type(error) is kind
    if "at" in case:
        check_place(error, text, case["at"], last=case.get("last", False))
    if "place" in case:
        assert error.place == case["place"]
    if "expected" in case:
        assert case["expected"] in str(error)
    if isinstance(error, errors.LimitExceeded):
        assert error.limit is not None
        assert str(error.limit) in str(error)


def check_place(error: Any, text: str, at: str, last: bool) -> None:
    """The span covers exactly `at`, its last occurrence if so asked; an empty `at` is the filter's end."""
    assert error.source == text
    assert error.span is not None
    start, end = error.span
    if at == "":
        assert start == len(text)
        return
    assert text[start:end] == at
    if last:
        assert start == text.rindex(at)


@pytest.mark.parametrize("case", [case for case in OF_ERRORS if case.values[0].get("at")])
def test_the_message_marks_the_place(case: dict[str, Any]) -> None:
    text = text_of(case["filter"])
    with pytest.raises(errors.SubscriptionError) as caught:
        parse(text)
    lines = str(caught.value).split("\n")
    marked = next(number for number, line in enumerate(lines) if line.strip() and set(line.strip()) == {"^"})
    column = lines[marked].index("^")
    shown = lines[marked - 1][column : column + lines[marked].count("^")]
    expected = "".join(character if character.isprintable() else " " for character in case["at"])
    assert shown == expected
