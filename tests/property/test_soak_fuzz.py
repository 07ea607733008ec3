"""Damaged filters by the thousand, in a soak by the million: each is read, or refused in our own words."""

from __future__ import annotations

import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from siftmesh.errors import SubscriptionError
from siftmesh.filters import FilterReader
from siftmesh.language.formatter import format_filter
from siftmesh.language.parser import parse
from tests.effort import SOAKING, effort
from tests.mutation import damaged, damaged_json, smallest

CONFORMANCE = Path(__file__).resolve().parents[1] / "conformance"
USUAL = 10_000
# Inputs for each reader in a soak, before SOAK_SCALE.
MILLION = 1_000_000
# Reading takes well under a millisecond; this much work is a fault, however busy the machine.
LONGEST_SECONDS = 5.0
REPORT_SECONDS = 20.0

CESQL = r"""
type = 'com.shop.order'
'x' <> subject
sequence >= 10 AND NOT (priority < 3)
EXISTS time
flag
INT(sequence) + 1 * -2 % 3 = 4 / 5 - 6
type IN ('a', "b", 5, TRUE)
type NOT IN (subject, 'x')
subject LIKE 'a\_%c_' OR subject NOT LIKE '%\\%'
a XOR b XOR NOT c
BOOL('TRUE') = flag
-a <= -5
LENGTH(CONCAT('a', "it\"s", type)) > 3
CONCAT_WS('-', a, b) != 'a-b'
LOWER(a) = UPPER(b)
SUBSTRING(type, 2, 3) = LEFT(a, 1) AND RIGHT(a, 2) = TRIM(b)
ABS(-2147483648) = STRING(5)
NOT EXISTS a AND (NOT b OR c = d)
a = 'it\'s' AND b = "x"
2147483647 > a
a = b = TRUE
""".strip().splitlines()


def sections(*names: str) -> Iterator[dict[str, Any]]:
    for name in names:
        for section in json.loads((CONFORMANCE / f"{name}.json").read_text(encoding="utf-8")):
            yield from ({"filter": section.get("filter"), **case} for case in section["cases"])


def corpus(*names: str) -> list[Any]:
    """The filters of the conformance cases; those for the language that are spelled as parts are left out."""
    kinds = (dict, list, str) if names[0] in ("cloudevents", "eventbridge") else str
    return [case["filter"] for case in sections(*names) if isinstance(case["filter"], kinds)]


SQL = corpus(*(f"language/{path.stem}" for path in sorted((CONFORMANCE / "language").glob("*.json"))))
# With many millions of texts the reader forgets shapes, too, so one reader is kept for all.
READER = FilterReader()


def read_and_write(text: str) -> None:
    condition = parse(text)
    assert parse(format_filter(condition)) == condition


def both_ways(text: str) -> None:
    """A text whose shape the reader knows gives the same tree, or error, as one that is parsed."""
    quickly, slowly = outcome(READER.read, text), outcome(READER.read_slowly, text)
    if not isinstance(slowly, SubscriptionError):
        assert quickly == slowly
        return
    assert (type(quickly), str(quickly)) == (type(slowly), str(slowly))
    raise slowly


def outcome(read: Callable[[str], Any], text: str) -> Any:
    try:
        return read(text)
    except SubscriptionError as error:
        return error


def of_dialect(dialect: str) -> Callable[[Any], object]:
    return lambda source: READER.read(source, dialect)


READERS: dict[str, tuple[Callable[[Any], object], list[Any], Callable[[random.Random, list[Any]], Any]]] = {
    "parser": (read_and_write, SQL, damaged),
    "reader": (both_ways, SQL, damaged),
    "cesql": (of_dialect("cesql"), CESQL, damaged),
    "jms": (of_dialect("jms"), corpus("jms"), damaged),
    "cloudevents": (of_dialect("cloudevents"), corpus("cloudevents"), damaged_json),
    "eventbridge": (of_dialect("eventbridge"), corpus("eventbridge"), damaged_json),
}


def verdict(read: Callable[[Any], object], source: Any) -> str:
    """How reading ended: "read", "refused", or what went wrong, its kind in front of a colon."""
    try:
        read(source)
    except SubscriptionError as error:
        return "refused" if str(error) else "refusal without a sentence:"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return "read"


def reduced(read: Callable[[Any], object], source: Any, wrong: str) -> Any:
    """The smallest text that goes wrong in the same way; JSON stays as it is."""
    if not isinstance(source, str):
        return source
    kind = wrong.partition(":")[0]
    return smallest(source, lambda shorter: verdict(read, shorter).partition(":")[0] == kind)


@pytest.mark.parametrize("name", READERS)
def test_every_damaged_filter_is_read_or_refused(
    name: str, seed: int, capsys: pytest.CaptureFixture[str]
) -> None:
    read, valid, damage = READERS[name]
    rng = random.Random(f"{seed} {name}")
    inputs = effort(USUAL, soak=MILLION)
    started = reported = time.monotonic()
    ends: Counter[str] = Counter()
    longest = 0.0
    for number in range(1, inputs + 1):
        source = damage(rng, valid)
        before = time.process_time()
        end = verdict(read, source)
        took = time.process_time() - before
        where = f"{name}, seed {seed}, input {number}"
        if end not in ("read", "refused"):
            pytest.fail(f"{where}: {end}\n{reduced(read, source, end)!r}")
        if took > LONGEST_SECONDS:
            pytest.fail(f"{where} took {took:.1f} s\n{source!r}")
        ends[end] += 1
        longest = max(longest, took)
        if SOAKING and (number == inputs or time.monotonic() - reported > REPORT_SECONDS):
            reported = time.monotonic()
            with capsys.disabled():
                print(
                    f"\n{where} of {inputs}: {ends['refused']} refused, longest {1000 * longest:.0f} ms,"
                    f" {reported - started:.0f} s",
                    end=" ",
                    flush=True,
                )
    # Damage that is always refused, or hardly ever, tries little.
    assert min(ends["read"], ends["refused"]) > inputs / 50 or inputs < 1_000, ends
