"""Whatever the text, the parser returns a filter or says what is wrong, and its work grows with the text."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from siftmesh.errors import LimitExceeded, SubscriptionError, SyntaxError
from siftmesh.filters import FilterReader
from siftmesh.language import ast
from siftmesh.language.formatter import format_filter
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.language.parser import parse
from siftmesh.logic.template import substitute
from tests.reference.filters import conditions, with_parameters
from tests.reference.filters import constants as constant_expressions

# fmt: off
PIECES = [
    "a", "data.price", '"odd"', '""', "é", "x", "1", "1.5", "1e9", ".5", "2d", "9223372036854775808",
    "1²", "1٣", "1_0", "'s'", "''", "'", '"', "'it''s'", ":p", ":", "::", "(", ")", ",", ".", "..", "=",
    "==", "<>", "!=", "<", "<=", ">", ">=", "+", "-", "--", "*", "/", "/*", "%", "AND", "or", "Not", "IN",
    "like", "ILIKE", "BETWEEN", "IS", "NULL", "TRUE", "false", "EXISTS", "CONTAINS", "OVERLAPS", "SOME",
    "AS", "ESCAPE", "TIMESTAMP", "'2024-01-01T00:00:00Z'", "lower", "coalesce", "nosuch", "\n", "\t",
    "\x00", "\u00a0", "\ufeff", "\ud800", "ı", "ıs", "lıke", "\U0001f600", ";", "`", "[", "$",
]
# fmt: on


def judge(text: str) -> None:
    """Parse, and check what must hold of an answer and of a refusal."""
    try:
        condition = parse(text)
    except SubscriptionError as error:
        check_refusal(error, text)
        return
    again = format_filter(condition)
    assert parse(again) == condition
    assert hash(parse(again)) == hash(condition)


def check_refusal(error: SubscriptionError, text: str) -> None:
    assert error.what
    assert str(error).startswith(error.what)
    if isinstance(error, LimitExceeded):
        assert error.limit is not None
    else:
        assert error.source == text
        assert error.span is not None
        start, end = error.span
        assert 0 <= start <= len(text)
        assert start < end


@given(st.text(max_size=60))
@example("a = 1²")
@example("a = '")
@example("")
def test_any_text(text: str) -> None:
    judge(text)


@given(st.binary(max_size=60))
def test_any_bytes_as_text(data: bytes) -> None:
    judge(data.decode("utf-8", "surrogateescape"))
    judge(data.decode("latin-1"))


@given(st.lists(st.sampled_from(PIECES), max_size=25), st.sampled_from(["", " "]))
def test_any_sequence_of_pieces_of_filters(pieces: list[str], between: str) -> None:
    judge(between.join(pieces))


@given(conditions(), st.data())
def test_mutations_of_filters(condition: ast.Condition, data: st.DataObject) -> None:
    text = format_filter(condition)
    for _ in range(data.draw(st.integers(1, 3))):
        start = data.draw(st.integers(0, len(text)))
        end = min(len(text), start + data.draw(st.integers(0, 4)))
        text = text[:start] + data.draw(st.sampled_from(["", *PIECES, text[end : end + 9]])) + text[end:]
    judge(text)


@given(conditions(), st.integers(0, 200))
def test_every_beginning_of_a_filter_is_judged(condition: ast.Condition, cut: int) -> None:
    judge(format_filter(condition)[:cut])


def outcome(read: Callable[[str], Any], text: str) -> Any:
    try:
        return read(text)
    except SubscriptionError as error:
        return type(error), error.what, error.span, error.expected


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=8), min_size=1, max_size=4))
def test_a_remembered_shape_changes_no_answer(filters: list[list[str]]) -> None:
    """A reader of filters remembers the shapes of texts; the answer is the same as without that."""
    reader = FilterReader()
    for pieces in filters:
        text = " ".join(pieces)
        assert outcome(reader.read, text) == outcome(reader.read_slowly, text)


@given(conditions(max_leaves=4), st.data())
def test_a_remembered_shape_with_other_constants(condition: ast.Condition, data: st.DataObject) -> None:
    reader = FilterReader()
    template, bound = data.draw(with_parameters(condition))
    for _ in range(3):
        constants = {name: data.draw(constant_expressions()).value for name in bound}
        try:
            text = format_filter(substitute(template, constants))
        except SubscriptionError:
            continue  # the escape of a pattern does not go with this constant
        assert outcome(reader.read, text) == outcome(reader.read_slowly, text)


@pytest.mark.parametrize("text", ["5", "'text'", "a = '\ud800'", "a = 1 AND 5", "a LIKE 5", "a = 1²"])
def test_what_parsing_refuses_is_refused_the_second_time_too(text: str) -> None:
    reader = FilterReader()
    slowly = outcome(reader.read_slowly, text)
    assert isinstance(slowly, tuple)
    assert outcome(reader.read, text) == slowly
    assert outcome(reader.read, text) == slowly


# ---- large inputs

Family = Callable[[int], str]

FAMILIES: dict[str, Family] = {
    "opening parentheses": lambda n: "(" * n,
    "balanced parentheses": lambda n: "(" * (n // 2) + "a" + ")" * (n // 2),
    "closing parentheses": lambda n: "a" + ")" * n,
    "NOT": lambda n: "NOT " * (n // 4) + "a",
    "minus": lambda n: "- " * (n // 2) + "a = 1",
    "calls in calls": lambda n: "lower(" * (n // 6),
    "one long call": lambda n: "coalesce(" + "a," * (n // 2) + "a) = 1",
    "single quotes": lambda n: "'" * n,
    "single quotes, odd": lambda n: "'" * (n | 1),
    "double quotes": lambda n: '"' * (n | 1),
    "an unclosed string": lambda n: "a = '" + "x''" * (n // 3),
    "strings that never close": lambda n: "'a" * (n | 1),
    "digits": lambda n: "a = " + "9" * n,
    "leading zeros": lambda n: "a = " + "0" * n + "1",
    "digits after the point": lambda n: "a = 0." + "1" * n,
    "exponents": lambda n: "a = 1" + "e1" * (n // 2),
    "dots": lambda n: "a" + "." * n,
    "a long path": lambda n: "a" + ".b" * (n // 2) + " = 1",
    "a long quoted path": lambda n: '"a"' + '."b"' * (n // 4) + " = 1",
    "a long name": lambda n: "a" * n + " = 1",
    "space": lambda n: " " * n,
    "space in front": lambda n: " " * n + "a = 1",
    "space behind": lambda n: "a = 1" + " " * n,
    "lines": lambda n: "\n" * n + "a = ?",
    "AND": lambda n: " AND ".join(["a = 1"] * (n // 10)),
    "OR": lambda n: " OR ".join(["a"] * (n // 5)),
    "AND and OR in turn": lambda n: "a" + " AND b OR c" * (n // 11),
    "plus": lambda n: "a" + " + 1" * (n // 4) + " = 1",
    "plus and times": lambda n: "a" + " + 2 * 3" * (n // 8) + " = 1",
    "comparisons": lambda n: "a" + " = 1" * (n // 4),
    "a list": lambda n: "a IN (" + "1, " * (n // 3) + "1)",
    "a list without end": lambda n: "a IN (" + "'x'," * (n // 4),
    "lists in a row": lambda n: " OR ".join(["a IN (1, 2)"] * (n // 15)),
    "bindings of SOME": lambda n: "SOME (" + ", ".join(f"a AS x{i}" for i in range(n // 12)) + ": x0 = 1)",
    "terms of SOME": lambda n: "SOME (a AS x: x = 1" + " AND x = 1" * (n // 10) + ")",
    "a pattern": lambda n: "a LIKE '" + "%a" * (n // 2) + "'",
    "a pattern of underscores": lambda n: "a LIKE '" + "_%" * (n // 2) + "'",
    "an unknown function": lambda n: "f" * n + "(1) = 1",
    "parameters": lambda n: " AND ".join(f"a = :p{i}" for i in range(n // 13)),
    "colons": lambda n: ":" * n,
    "between": lambda n: "a" + " BETWEEN 1 AND 2" * (n // 16),
    "is": lambda n: "a" + " IS NOT NULL" * (n // 12),
}


def calls(text: str, limits: Limits) -> int:
    """How many calls of functions, Python's and C's, the parser makes before it answers."""
    count = 0

    def counted(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    earlier = sys.getprofile()
    sys.setprofile(counted)
    try:
        parse(text, limits)
    except SubscriptionError:
        pass
    finally:
        sys.setprofile(earlier)
    return count


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize(
    "limits",
    [DEFAULT, Limits(nodes=10**7, items=10**7, wildcards=10**7, pattern=10**7)],
    ids=["default", "generous"],
)
def test_work_grows_with_the_length(family: str, limits: Limits) -> None:
    short, long = (calls(FAMILIES[family](size), limits) for size in (2_000, 8_000))
    assert long <= 4.5 * short + 200


@pytest.mark.parametrize("family", FAMILIES)
def test_long_texts_take_no_time_to_speak_of(family: str) -> None:
    # Work inside one C call is seen only by a clock. Linear work takes a few hundredths of a second here;
    # quadratic work would take minutes, so that a busy machine cannot tip the scale.
    text = FAMILIES[family](100_000)
    started = time.process_time()
    try:
        parse(text)
    except SubscriptionError as error:
        check_refusal(error, text)
    assert time.process_time() - started < 5


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("depth", [50, 100_000])
def test_what_is_accepted_can_be_used(family: str, depth: int) -> None:
    """A tree that parse returns is never too deep for the rest, however generous the limits."""
    limits = Limits(nodes=10**7, depth=depth)
    try:
        condition = parse(FAMILIES[family](3_000), limits)
    except SubscriptionError:
        return
    assert parse(format_filter(condition), limits) == condition
    hash(condition)


# ---- limits


@pytest.mark.parametrize(
    ("limits", "fits", "too_large"),
    [
        (Limits(text=5), "a = 1", "a = 12"),
        (Limits(depth=3), "(((a = 1)))", "((((a = 1))))"),
        (Limits(depth=3), "NOT NOT NOT a", "NOT NOT NOT NOT a"),
        (Limits(depth=3), "(a = 1) OR (a = 2) OR (a = 3) OR (a = 4)", "NOT (NOT (a = 1))"),
        (Limits(depth=3), "lower(upper(trim(a))) = 'x'", "lower(upper(trim(lower(a)))) = 'x'"),
        (Limits(items=2), "a IN (1, 2)", "a IN (1, 2, 3)"),
        (Limits(items=2), "a OVERLAPS (1, 2)", "a OVERLAPS (1, 2, 3)"),
        (Limits(pattern=3), "a LIKE 'abc'", "a LIKE 'abcd'"),
        (Limits(wildcards=2), "a LIKE '%a%'", "a LIKE '%a%b%'"),
        (Limits(wildcards=2), "a LIKE '%a%%%'", "a LIKE '_a_b_'"),
        (Limits(nodes=7), "a = 1 AND b = 2", "a = 1 AND b = 2 AND c = 3"),
        (Limits(nodes=3), "a IN (1, 2, 3, 4, 5, 6)", "a = 1 AND b IN (1)"),
    ],
    ids=lambda value: None if isinstance(value, Limits) else value,
)
def test_a_limit_is_the_last_size_that_fits(limits: Limits, fits: str, too_large: str) -> None:
    parse(fits, limits)
    with pytest.raises(LimitExceeded) as caught:
        parse(too_large, limits)
    assert caught.value.limit in (
        limits.text,
        limits.depth,
        limits.items,
        limits.pattern,
        limits.wildcards,
        limits.nodes,
    )


def test_a_refused_text_is_shown_around_its_place_only() -> None:
    text = " AND ".join(["a = 1"] * 5_000) + " AND = 2 AND " + " AND ".join(["b = 1"] * 5_000)
    with pytest.raises(SyntaxError) as caught:
        parse(text)
    assert caught.value.span is not None
    assert text[slice(*caught.value.span)] == "="
    assert len(str(caught.value)) < 400
