"""CloudEvents SQL: evaluator and lowered filter say what the oracle says, and no text breaks the parser."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from siftmesh.errors import SubscriptionError
from siftmesh.language.dialects.cesql import evaluate, lower, parse, parse_cesql
from siftmesh.language.formatter import format_filter
from siftmesh.language.parser import parse as parse_own
from siftmesh.logic.evaluate import holds
from siftmesh.logic.lower import lower as to_tree
from siftmesh.model.event import Event
from tests.effort import effort, examples
from tests.reference import cesql_oracle
from tests.reference.ast_oracle import truth

NAMES = ("a", "b", "type", "time")
MOMENT = datetime(2018, 4, 26, 14, 48, 9, tzinfo=UTC)
# Few, so that values and constants meet; each is there because some cast treats it in its own way.
TEXTS = (
    *("", "abc", "ab", "com.x", "5", "05", "+5", "-5", "-05", "0", "1", "5.5", "5.0", "1e-07", "5000000000"),
    *(
        "100000000000000000000",
        "true",
        "TRUE",
        "false",
        "falſe",
        "Infinity",
        "-Infinity",
        "[]",
        "{}",
        "a_c",
        "a%",
        "\\",
    ),
    *("2018-04-26T14:48:09Z", "2018-04-26T16:48:09+02:00", "2147483648"),
)
VALUES: tuple[Any, ...] = (
    *(
        0,
        1,
        5,
        -5,
        10,
        2**31,
        5_000_000_000,
        5.0,
        5.5,
        -0.0,
        1e-7,
        1e20,
        float("inf"),
        float("-inf"),
        float("nan"),
    ),
    *(True, False, None, MOMENT, MOMENT.astimezone(timezone(timedelta(hours=2))), [1], [], {"x": 1}, b"x"),
)
PATTERNS = (
    *("%", "", "_", "a%", "%c", "5", "5%", "-%", "tr%", "%e", "%Z", "Inf%", "2018%", "[%", "__"),
    *(r"a\_c", r"a\%", r"\a%", r"%\\%", "\\\\"),
)


def quoted(text: str) -> str:
    return "'" + text.replace("'", "\\'") + "'"


values = st.sampled_from(TEXTS) | st.sampled_from(VALUES)
events = st.dictionaries(st.sampled_from(NAMES), values, max_size=len(NAMES))
names = st.sampled_from(NAMES)
strings = st.sampled_from([text for text in TEXTS if not text.endswith("\\")]).map(quoted)
integers = st.sampled_from(["0", "1", "5", "-5", "10", "2147483647", "-2147483648"])
flags = st.sampled_from(["TRUE", "FALSE"])
constants = strings | integers | flags
comparisons = st.sampled_from(["=", "=", "<>", "!=", "<", "<=", ">", ">="])


def lists(items: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(items, min_size=1, max_size=3).map(", ".join)


def operands(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Values of any kind that are no plain constants."""
    calls = st.one_of(
        st.builds(
            "{}({})".format,
            st.sampled_from(["INT", "BOOL", "STRING", "ABS", "LENGTH", "LOWER", "UPPER"]),
            inner,
        ),
        st.builds(
            "{}({}, {})".format,
            st.sampled_from(["LEFT", "RIGHT", "SUBSTRING", "CONCAT", "CONCAT_WS"]),
            inner,
            inner,
        ),
        st.builds("SUBSTRING({}, {}, {})".format, inner, inner, inner),
    )
    return (
        calls
        | st.builds("({} {} {})".format, inner, st.sampled_from("+-*/%"), inner)
        | inner.map("-{}".format)
    )


plain = names | constants
expressions = st.recursive(plain, operands, max_leaves=4)
negations = st.sampled_from(["", "NOT "])
leaves = st.one_of(
    st.builds("{} {} {}".format, names, comparisons, constants),
    st.builds("{} {} {}".format, constants, comparisons, names),
    st.builds("{} {} {}".format, expressions, comparisons, expressions),
    st.builds("{} {}LIKE {}".format, names | expressions, negations, st.sampled_from(PATTERNS).map(quoted)),
    st.builds("{} {}IN ({})".format, names, negations, lists(constants)),
    st.builds("{} {}IN ({})".format, plain, negations, lists(plain)),
    names.map("EXISTS {}".format),
    plain,
    expressions,
)
filters = st.recursive(
    leaves.map("({})".format),
    lambda inner: st.one_of(
        inner.map("NOT {}".format),
        st.builds("({} {} {})".format, inner, st.sampled_from(["AND", "OR", "XOR"]), inner),
        st.lists(inner, min_size=2, max_size=5).map(lambda parts: f"({' OR '.join(parts)})"),
        st.lists(inner, min_size=2, max_size=5).map(lambda parts: f"({' AND '.join(parts)})"),
    ),
    max_leaves=8,
)


@st.composite
def true_leaves(draw: st.DrawFn, event: dict[str, Any]) -> str:
    """A leaf that is true of the event, if there is one for what it holds."""
    name = draw(st.sampled_from(sorted(event) or ["a"]))
    read = evaluate(name, event)
    if read.error:
        return f"NOT EXISTS {name}"
    text = str(read.value).lower() if isinstance(read.value, bool) else str(read.value)
    if text.endswith("\\"):
        return f"EXISTS {name}"
    asked = [
        f"{name} = {quoted(text)}",
        f"{name} LIKE {quoted(text[:2].replace('_', '%') + '%')}",
        f"EXISTS {name}",
    ]
    asked += [
        f"{name} IN ('zz', {quoted(text)})",
        f"{name} <> 'zz'",
        f"{name} NOT LIKE 'zz%'",
        f"'zz' <> {name}",
    ]
    if isinstance(read.value, bool):
        asked += [f"{name} = {text}", name if read.value else f"NOT {name}"]
    elif isinstance(read.value, int):
        asked += [f"{name} = {read.value}", f"{name} >= {read.value}", f"{name} IN ({read.value}, 77)"]
    return draw(st.sampled_from(asked))


@st.composite
def true_filters(draw: st.DrawFn, event: dict[str, Any], depth: int = 2) -> str:
    if depth == 0:
        return f"({draw(true_leaves(event))})"
    inner, anything = true_filters(event, depth - 1), leaves.map("({})".format)
    form = draw(st.sampled_from(["leaf", "and", "or", "or else", "not", "xor"]))
    if form == "leaf":
        return draw(true_filters(event, 0))
    if form == "not":
        return f"NOT (NOT {draw(inner)})"
    other = draw(anything if form == "or" else inner)
    if form == "or else":  # the first may be an error, and then nothing is true
        return f"({draw(anything)} OR {other})"
    return f"({draw(inner)} {'XOR NOT' if form == 'xor' else form} {other})"


cases = st.one_of(
    st.tuples(events, filters),
    events.flatmap(lambda event: st.tuples(st.just(event), true_filters(event))),
    events.flatmap(lambda event: st.tuples(st.just(event), true_filters(event))),
)


def check(event: dict[str, Any], text: str) -> bool:
    """The lowered filter, the tree made of it and the evaluator say what the oracle says; returns that."""
    expression, known = parse(text), Event.of(event)
    expected = cesql_oracle.matches(expression, known.values)
    condition = lower(text)
    assert (truth(condition, known) is True) == expected
    assert holds(to_tree(condition), known) == expected
    try:
        value = cesql_oracle.value_of(expression, known.values)
    except cesql_oracle.Failure:
        assert evaluate(expression, event).error is not None
    else:
        found = evaluate(expression, event)
        assert (found.value, type(found.value), found.error) == (value, type(value), None)
    return expected


def all_leaves() -> list[str]:
    """Every comparison of one attribute with each of the constants."""
    written = [quoted(text) for text in TEXTS if not text.endswith("\\")]
    written += ["0", "1", "5", "-5", "10", "2147483647", "TRUE", "FALSE"]
    found = [f"a {asked} {constant}" for asked in ("=", "<>", "<", "<=", ">", ">=") for constant in written]
    found += [f"{constant} {asked} a" for asked in ("=", "<") for constant in written]
    found += [f"{name}(a) = {constant}" for name in ("INT", "STRING", "BOOL") for constant in written]
    found += [f"a {negated}LIKE {quoted(pattern)}" for negated in ("", "NOT ") for pattern in PATTERNS]
    found += [f"a IN ({one}, {other})" for one, other in zip(written, written[3:], strict=False)]
    found += [f"a IN ({one}, {other})" for one, other in zip(written, written[11:], strict=False)]
    return [*found, "a IN (1, 0, TRUE)", "a IN ('5', 5)", "EXISTS a", "a", "NOT a", "NOT BOOL(a)", "a = b"]


ALL_EVENTS = [{}, *({"a": value} for value in (*TEXTS, *VALUES))]


def check_all(text: str) -> None:
    expression, tree = parse(text), to_tree(lower(text))
    for event in ALL_EVENTS:
        known = Event.of(event)
        assert holds(tree, known) == cesql_oracle.matches(expression, known.values), (text, event)


@pytest.mark.parametrize(
    "form", ["{}", "NOT ({})", "({}) OR TRUE", "({}) XOR TRUE", "EXISTS b OR ({}) OR TRUE"]
)
def test_every_leaf_on_every_value(form: str) -> None:
    """Also where only whether it can be read at all makes the difference."""
    for text in all_leaves():
        check_all(form.format(text))


@pytest.mark.parametrize("form", ["({}) OR ({})", "NOT (({}) AND ({}))", "({}) XOR ({})"])
def test_pairs_of_leaves_on_every_value(form: str, seed: int) -> None:
    """What one leaf implies of another is not taken too far."""
    drawn, found = random.Random(seed), all_leaves()
    for _ in range(effort(600)):
        check_all(form.format(drawn.choice(found), drawn.choice(found)))


@given(cases)
@examples(300)
def test_everyone_agrees_with_the_oracle(case: tuple[dict[str, Any], str]) -> None:
    check(*case)


@given(cases)
@examples(60)
def test_lowered_filters_can_be_written_and_read(case: tuple[dict[str, Any], str]) -> None:
    condition = lower(case[1])
    assert parse_own(format_filter(condition)) == condition


def test_enough_of_the_cases_are_true() -> None:
    verdicts: list[bool] = []

    @given(cases)
    @settings(max_examples=200, derandomize=True, database=None)
    def collect(case: tuple[dict[str, Any], str]) -> None:
        verdicts.append(check(*case))

    collect()
    assert sum(verdicts) > len(verdicts) / 4


WORDS = """AND OR XOR NOT LIKE EXISTS IN TRUE a type ABS( CONCAT_WS ( ) , + - * / % = <> != < <= 5 -5
    'x' '%' "y" ' \\ _ é"""
words = st.sampled_from(WORDS.split())


@given(st.text() | st.lists(words, max_size=30).map(" ".join) | st.lists(words, max_size=30).map("".join))
@examples(300)
@example("'" + "\\" * 1001)
@example("NOT " * 5000 + "a")
@example("(" * 5000)
@example("a = " * 5000 + "a")
@example("9" * 100_000)
@example("data = 'x'")
@example("a LIKE '" + "%a" * 200 + "'")
def test_any_text_is_a_filter_or_a_subscription_error(text: str) -> None:
    try:
        condition = parse_cesql(text)
    except SubscriptionError as error:
        str(error)  # it can be shown, too
        return
    truth(condition, Event.of({"a": "x"}))


@pytest.mark.parametrize("joined", ["OR", "AND", "XOR"])
@pytest.mark.parametrize(
    "leaf", ["a{} = 'x'", "a = 'x{}'", "a{} = {}", "EXISTS a{}", "(a = '{}' AND b = 'x')", "a{}"]
)
def test_long_chains_stay_small_and_quick(joined: str, leaf: str) -> None:
    """The condition grows in proportion to the text, whatever its shape."""
    text = f" {joined} ".join(leaf.format(place, place) for place in range(1500))
    written = format_filter(parse_cesql(text))
    assert len(written) < 40 * len(text)


@pytest.mark.parametrize("joined", [["AND", "OR"], ["XOR"], ["XOR", "AND", "OR"]])
@pytest.mark.parametrize(
    "form", ["(a{} = 'y' {} {})", "({2} {1} a{0} = 'y')", "(a = 'y{}' {} {})", "NOT ({2} {1} a{0} = 'y')"]
)
def test_deep_filters_need_neither_stack_nor_time(form: str, joined: list[str]) -> None:
    text = "a0 = 'x'"
    for level in range(48):
        text = form.format(level, joined[level % len(joined)], text)
    condition = lower(text)
    assert len(format_filter(condition)) < 40 * len(text)
    known = Event.of({f"a{level}": "x" for level in range(48)} | {"a": "x"})
    assert holds(to_tree(condition), known) == cesql_oracle.matches(parse(text), known.values)
