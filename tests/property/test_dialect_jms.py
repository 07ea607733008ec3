"""Any selector, written as text, matches the messages that the specification's own rules say it does."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from siftmesh.errors import SubscriptionError
from siftmesh.language.ast import Condition
from siftmesh.language.dialects.jms import parse_jms
from siftmesh.language.formatter import format_filter
from siftmesh.language.parser import parse
from siftmesh.logic.evaluate import holds
from siftmesh.logic.lower import lower
from siftmesh.model.event import Event
from tests.effort import examples
from tests.reference.ast_oracle import truth
from tests.reference.jms_selectors import evaluate, text

NAMES = ("a", "b", "$c", "größe")
TEXTS = ("", "a", "ab", "a%b", "it's", "A", "_", "b\nb")
PATTERNS = ("%", "a%", "%b", "a_", "_%b", "!%", "a!%%", "!!", "")
LONGS = (0, 1, -1, 2, 3, 7, 2**53, 2**53 + 1, -(2**53) - 1, 2**62 + 1, 2**63 - 1, -(2**63))
DOUBLES = (
    0.0,
    -0.0,
    0.5,
    1.0,
    -1.0,
    2.5,
    2.0**53,
    2.0**53 + 2,
    2.0**54,
    -(2.0**53),
    2.0**63,
    -(2.0**63),
    1e300,
)
MISFITS = ([1, 2], {"inside": 1}, datetime(2026, 11, 18, tzinfo=UTC))

names = st.sampled_from(NAMES).map(lambda name: ("name", name))
numbers = st.one_of(
    st.sampled_from(LONGS).map(lambda number: ("long", number)),
    st.sampled_from(DOUBLES).map(lambda number: ("double", number)),
)
strings = st.sampled_from(TEXTS).map(lambda word: ("string", word))
booleans = st.booleans().map(lambda truth: ("bool", truth))
arithmetic = st.recursive(
    st.one_of(names, names, numbers),
    lambda below: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "*", "/"]), below, below),
        st.tuples(st.sampled_from(["negative", "positive"]), below),
    ),
    max_leaves=4,
)
any_value = st.one_of(names, arithmetic, strings, booleans)
word = st.sampled_from(NAMES)
predicates = st.one_of(
    names,
    booleans,
    st.tuples(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), names, numbers),
    st.tuples(st.sampled_from(["=", "<>", "<", "<=", ">", ">="]), arithmetic, arithmetic),
    st.tuples(st.sampled_from(["=", "<>"]), any_value, any_value),
    st.tuples(st.sampled_from(["between", "not between"]), arithmetic, arithmetic, arithmetic),
    st.tuples(
        st.sampled_from(["in", "not in"]),
        word,
        st.lists(st.sampled_from(TEXTS), min_size=1, max_size=3).map(tuple),
    ),
    st.tuples(
        st.sampled_from(["like", "not like"]),
        word,
        st.sampled_from(PATTERNS),
        st.sampled_from([None, "!"]),
    ).filter(lambda tree: tree[2] != "!" or tree[3] is None),
    st.tuples(st.sampled_from(["is null", "is not null"]), word),
)
selectors = st.recursive(
    predicates,
    lambda below: st.one_of(
        st.tuples(st.just("not"), below),
        st.tuples(st.sampled_from(["and", "or"]), below, below),
    ),
    max_leaves=5,
)
values = st.one_of(
    st.sampled_from(LONGS),
    st.sampled_from(DOUBLES),
    st.sampled_from(TEXTS),
    st.booleans(),
    st.none(),
    st.sampled_from(MISFITS),
)
messages = st.dictionaries(word, values, max_size=len(NAMES))


@examples(400)
@given(selectors, messages)
def test_the_lowered_selector_is_true_exactly_when_the_selector_is(
    tree: Any, message: dict[str, Any]
) -> None:
    event = Event.of(message)
    for selector, expected in ((tree, True), (("not", tree), False)):
        condition = parse_jms(text(selector))
        wanted = evaluate(tree, message) is expected
        assert (truth(condition, event) is True) is wanted, format_filter(condition)
        assert holds(lower(condition), event) is wanted


@given(selectors)
def test_the_lowered_selector_can_be_written_in_the_language(tree: Any) -> None:
    condition = parse_jms(text(tree))
    assert parse(format_filter(condition)) == condition


@examples(200)
@given(
    st.floats(2.0**52, 2.0**63) | st.integers(53, 63).map(lambda power: 2.0**power),
    st.integers(-1030, 1030) | st.sampled_from([-2, -1, 0, 1, 2]),
    st.sampled_from([1, -1]),
    st.sampled_from(["=", "<>", "<", "<=", ">", ">="]),
    st.booleans(),
)
def test_longs_around_a_large_double_compare_as_java_has_it(
    double: float, offset: int, sign: int, operator: str, negated: bool
) -> None:
    number = max(-(2**63), min(2**63 - 1, sign * (int(double) + offset)))
    for tree, value in (
        ((operator, ("name", "a"), ("double", sign * double)), number),
        ((operator, ("name", "a"), ("long", number)), sign * double),
    ):
        selector = ("not", tree) if negated else tree
        verdict = truth(parse_jms(text(selector)), Event.of({"a": value})) is True
        assert verdict is (evaluate(selector, {"a": value}) is True)


@pytest.mark.parametrize("outcome", [True, False, None])
def test_the_generated_cases_have_every_outcome(outcome: bool | None) -> None:
    compound = selectors.filter(lambda tree: tree[0] in ("and", "or", "not"))
    find(st.tuples(compound, messages), lambda pair: evaluate(*pair) is outcome)


def condition_or_refusal(source: str) -> Condition | SubscriptionError:
    try:
        return parse_jms(source)
    except SubscriptionError as error:
        return error


@given(st.text(alphabet="ab'\"<>=()!,.+-*/0xeE1L_% \t\nANDORNOTLIKEISNULL\\\U0001f600\ud800", max_size=40))
def test_no_text_makes_the_parser_raise_anything_but_its_own_errors(source: str) -> None:
    found = condition_or_refusal(source)
    if isinstance(found, SubscriptionError):
        assert str(found)
    else:
        assert parse(format_filter(found)) == found


@given(selectors.map(text), st.data())
def test_no_damage_to_a_selector_makes_it_raise_anything_else(source: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(source)))
    inserted = data.draw(st.sampled_from(["", "'", "(", ")", "NOT ", " AND ", "-", "9", ".", "x", "ESCAPE"]))
    removed = data.draw(st.integers(0, 3))
    found = condition_or_refusal(source[:at] + inserted + source[at + removed :])
    if isinstance(found, SubscriptionError):
        assert found.source is not None
        assert str(found)
