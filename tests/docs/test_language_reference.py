"""What the language reference says is what happens: its examples, its tables, its lists of names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from siftmesh import Matcher, errors
from siftmesh.language.limits import DEFAULT
from siftmesh.language.parser import parse
from siftmesh.language.tokenizer import RESERVED
from siftmesh.model.event import Event
from siftmesh.model.functions.native import NATIVE
from tests.reference.ast_oracle import truth
from tests.reference.encoded import decoded

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/language.md").read_text(encoding="utf-8")
TRUTHS = {"true": True, "false": False, "unknown": None}


def blocks(kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)


def examples() -> list[Any]:
    """Each line with an arrow of each block, with the filter that the block begins with."""
    found = []
    for block in blocks("filter"):
        lines = block.splitlines()
        text = "\n".join(line for line in lines if "=> " not in line)
        for number, line in enumerate(line for line in lines if "=> " in line):
            given, expected = line.rsplit("=> ", 1)
            found.append(pytest.param(text, given.strip(), expected, id=f"{text} {number}"))
    return found


def objects(given: str) -> list[dict[str, Any]]:
    """The event, and what is bound to the parameters if there are any."""
    return [decoded(thing) for thing in json.loads(f"[{given}]")]


@pytest.mark.parametrize(("text", "given", "expected"), examples())
def test_an_example(text: str, given: str, expected: str) -> None:
    if not given:
        error, place = expected.split(" at ")
        with pytest.raises(getattr(errors, error)) as caught:
            parse(text)
        assert text[slice(*caught.value.span)] == place
        return
    event, *bound = objects(given)
    parameters = bound[0] if bound else {}
    assert truth(parse(text), Event.of(event), parameters) is TRUTHS[expected]
    matcher = Matcher()
    matcher.add_many(text, [{"id": "as written", **parameters}])
    matcher.add_many(f"NOT ({text})", [{"id": "negated", **parameters}])
    matched = {"true": ["as written"], "false": ["negated"], "unknown": []}
    assert matcher.match(event) == matched[expected]


def test_there_are_examples_of_every_truth() -> None:
    outcomes = [example.values[2] for example in examples()]
    assert all(outcomes.count(outcome) > 20 for outcome in TRUTHS)


def test_the_messages_are_what_is_said() -> None:
    for block in blocks("message"):
        text, message = block.split("\n\n", 1)
        with pytest.raises(errors.SubscriptionError) as caught:
            parse(text)
        assert str(caught.value) == message.rstrip("\n")


def table(first_heading: str) -> list[list[str]]:
    """The rows of the table whose first heading is this one, cells without their markup."""
    lines = PAGE.splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {first_heading} |"))
    rows = []
    for line in lines[start:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip(" *`") for cell in line.strip("|").split("|")])
    return [rows[0], *rows[2:]]


EVENT = Event.of({"true": True, "false": False})
OPERANDS = {"true": '"true"', "false": '"false"', "unknown": '"unknown"'}


@pytest.mark.parametrize("operator", ["AND", "OR"])
def test_the_truth_tables(operator: str) -> None:
    (_, *columns), *rows = table(operator)
    assert len(rows) == len(columns) == 3
    for left, *cells in rows:
        for right, cell in zip(columns, cells, strict=True):
            condition = parse(f"{OPERANDS[left]} {operator} {OPERANDS[right]}")
            assert truth(condition, EVENT) is TRUTHS[cell]


def test_the_truth_table_of_not() -> None:
    rows = table("NOT")[1:]
    assert len(rows) == 3
    for operand, cell in rows:
        assert truth(parse(f"NOT {OPERANDS[operand]}"), EVENT) is TRUTHS[cell]


def test_the_functions_are_those_that_exist() -> None:
    named = [row[0].partition("(")[0] for row in table("function")[1:]]
    assert sorted(named) == sorted(function.name for function in NATIVE)


def test_the_limits_are_those_that_hold() -> None:
    written = {name: int(default) for name, default, _ in table("setting")[1:]}
    assert written == {name: getattr(DEFAULT, name) for name in DEFAULT.__struct_fields__}


def test_the_reserved_words_are_all_named() -> None:
    (words,) = re.findall(r"^The words `([A-Z ]+)` are reserved", PAGE, flags=re.MULTILINE)
    assert set(words.split()) == RESERVED


def test_the_errors_exist() -> None:
    for name, _ in table("error")[1:]:
        assert issubclass(getattr(errors, name), errors.SubscriptionError)


def test_every_place_that_the_page_links_to_is_on_it() -> None:
    headings = re.findall(r"^#+ (.*)$", PAGE, flags=re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}
    assert set(re.findall(r"\]\(#([^)]+)\)", PAGE)) <= anchors
