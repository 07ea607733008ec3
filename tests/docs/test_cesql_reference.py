"""What the page on CloudEvents SQL says is what happens: its examples, functions, errors and refusals."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from siftmesh import Matcher
from siftmesh.errors import SubscriptionError
from siftmesh.language.dialects.cesql import parse_cesql
from siftmesh.language.formatter import format_filter
from siftmesh.model.functions.cesql import BUILT_IN

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/dialects/cesql.md").read_text(encoding="utf-8")


def block(kind: str) -> str:
    found = re.search(rf"^```{kind}\n(.*?)^```", PAGE, flags=re.MULTILINE | re.DOTALL)
    assert found is not None
    return found[1]


def examples() -> list[tuple[str, str, bool]]:
    found = []
    text = ""
    for line in block("cesql").splitlines():
        if line.startswith("    "):
            event, verdict = line.split(" => ")
            found.append((text, event, verdict == "true"))
        else:
            text = line
    return found


@pytest.mark.parametrize(("text", "event", "matches"), examples())
def test_an_example(text: str, event: str, matches: bool) -> None:
    matcher = Matcher()
    matcher.add("it", text, dialect="cesql")
    assert matcher.match(json.loads(event)) == (["it"] if matches else [])


def test_the_first_example_runs() -> None:
    known: dict[str, Matcher] = {}
    exec(block("python"), known)
    assert known["m"].match({"type": "com.shop.order", "subject": "book/1"}) == ["alice"]


def test_the_lowered_filter_is_the_one_shown() -> None:
    assert format_filter(parse_cesql("sequence = 10")) == block("sql").strip()


def test_all_functions_are_listed() -> None:
    row = next(line for line in PAGE.splitlines() if line.startswith("| `INT BOOL STRING`"))
    assert set(re.findall(r"\b[A-Z_]{2,}\b", row)) == set(BUILT_IN)


@pytest.mark.parametrize(
    "text", ["data = 'x'", "EXISTS data", "MINE(type) = 'x'", "TRUE OR MINE()", "type = 'it''s'"]
)
def test_what_is_refused(text: str) -> None:
    with pytest.raises(SubscriptionError):
        parse_cesql(text)
