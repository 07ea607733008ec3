"""Any event pattern matches the events that the description of the operators says it does."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import find, given
from hypothesis import strategies as st

from siftmesh.errors import SubscriptionError
from siftmesh.language.dialects.eventbridge import parse_eventbridge
from siftmesh.language.formatter import format_filter
from siftmesh.language.parser import parse
from siftmesh.logic.evaluate import holds
from siftmesh.logic.lower import lower
from siftmesh.model.event import Event
from tests.effort import examples
from tests.reference.ast_oracle import truth
from tests.reference.eventbridge_patterns import matches

NAMES = ("a", "b", "odd-name")
TEXTS = (
    "",
    "a",
    "ab",
    "abc",
    "Ab",
    "ß",
    "SS",
    "a*b",
    "a%b",
    "a_b",
    "\\",
    "10.0.0.7",
    "::1",
    "2001:db8::7",
    "\U0010ffff",
)
NUMBERS = (0, 1, -1, 5, 5.0, 0.5, 2**53 + 1, 2.0**53, 1e300)

texts, numbers = st.sampled_from(TEXTS), st.sampled_from(NUMBERS)
nonempty = st.sampled_from(TEXTS[1:])
wildcards = st.sampled_from(["*", "a*", "*b", "a\\*b", "*\\\\*", "a*b*", "a%*", "_", "*b*c", ""])
folded = texts.map(lambda word: {"equals-ignore-case": word})
blocks = st.sampled_from(["10.0.0.0/24", "10.0.0.7/31", "0.0.0.0/0", "::/0", "2001:db8::/32", "10.0.1.0/24"])


def one_or_several(items: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(items, st.lists(items, min_size=1, max_size=3))


def expression(name: str, value: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return value.map(lambda taken: {name: taken})


ranges = st.one_of(
    st.tuples(st.sampled_from(["=", "<", "<=", ">", ">="]), numbers),
    st.tuples(st.sampled_from([">", ">="]), numbers, st.sampled_from(["<", "<="]), numbers).filter(
        lambda bounds: bounds[1] < bounds[3]
    ),
).map(list)
excluded = st.one_of(
    one_or_several(texts),
    one_or_several(numbers),
    expression("prefix", one_or_several(nonempty)),
    expression("suffix", one_or_several(nonempty)),
    expression("wildcard", one_or_several(wildcards)),
    expression("equals-ignore-case", one_or_several(texts)),
)
EXPRESSIONS = {
    "exactly": texts,
    "prefix": st.one_of(texts, folded),
    "suffix": st.one_of(texts, folded),
    "equals-ignore-case": texts,
    "wildcard": wildcards,
    "anything-but": excluded,
    "numeric": ranges,
    "cidr": blocks,
    "exists": st.booleans(),
}
scalars = st.one_of(texts, numbers, st.booleans(), st.none())
alternatives = st.one_of(scalars, *(expression(name, value) for name, value in EXPRESSIONS.items()))
leaves = st.lists(alternatives, min_size=1, max_size=3)


def objects(names: tuple[str, ...], depth: int) -> st.SearchStrategy[dict[str, Any]]:
    """Objects that ask every field at most once: some names go into an $or, the others stand beside it."""
    field = leaves if depth == 0 else st.one_of(leaves, st.deferred(lambda: objects(NAMES, depth - 1)))
    plain = st.dictionaries(st.sampled_from(names), field, min_size=1, max_size=2)
    if depth == 0 or len(names) < 2:
        return plain
    branches = st.lists(objects(names[1:], 0), min_size=2, max_size=3)
    either = st.tuples(branches, st.dictionaries(st.just(names[0]), field)).map(
        lambda pair: {"$or": pair[0], **pair[1]}
    )
    return st.one_of(plain, either)


patterns = objects(NAMES, 2)
values = st.one_of(scalars, st.lists(scalars, max_size=3))
events = st.recursive(
    st.dictionaries(st.sampled_from(NAMES), values, max_size=3),
    lambda below: st.dictionaries(st.sampled_from(NAMES), st.one_of(values, below), max_size=3),
    max_leaves=6,
)


def agree(pattern: Any, event: Any) -> None:
    wanted = matches(pattern, event)
    condition = parse_eventbridge(pattern)
    read = Event.of(event)
    assert (truth(condition, read) is True) is wanted, format_filter(condition)
    assert holds(lower(condition), read) is wanted
    assert parse(format_filter(condition)) == condition


@examples(300)
@given(patterns, events)
def test_the_lowered_pattern_is_true_exactly_when_the_pattern_matches(pattern: Any, event: Any) -> None:
    agree(pattern, event)


@examples(400)
@given(leaves, values)
def test_the_same_for_one_field_that_is_there(alternatives: Any, value: Any) -> None:
    agree({"a": alternatives}, {"a": value})


@given(patterns, events)
def test_text_means_what_it_decodes_to(pattern: Any, event: Any) -> None:
    assert parse_eventbridge(json.dumps(pattern)) == parse_eventbridge(pattern)


@pytest.mark.parametrize("name", EXPRESSIONS)
@pytest.mark.parametrize("is_array", [True, False])
def test_the_generated_cases_match_by_every_expression(name: str, is_array: bool) -> None:
    single = expression(name, EXPRESSIONS[name])

    def meets(pair: tuple[Any, Any]) -> bool:
        return isinstance(pair[1], list) is is_array and matches({"a": [pair[0]]}, {"a": pair[1]})

    find(st.tuples(single, values), meets)


keys = st.sampled_from([*EXPRESSIONS, "$or", "a", "", "="])
anything = st.recursive(
    st.one_of(scalars, st.floats(), st.text(max_size=3), st.integers()),
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(keys, below, max_size=2)),
    max_leaves=8,
)


def refusal(thing: Any) -> SubscriptionError | None:
    try:
        parse_eventbridge(thing)
    except SubscriptionError as error:
        return error
    return None


@examples(200)
@given(
    st.one_of(
        anything,
        anything.map(lambda thing: {"a": [{"anything-but": thing}]}),
        keys.map(lambda k: {"a": [{k: []}]}),
    )
)
def test_nothing_makes_the_reader_raise_anything_but_its_own_errors(thing: Any) -> None:
    error = refusal(thing)
    assert error is None or str(error)


@given(st.one_of(st.text(max_size=20), patterns.map(json.dumps).map(lambda text: text[:-1])))
def test_no_text_makes_the_reader_raise_anything_but_its_own_errors(source: str) -> None:
    error = refusal(source)
    assert error is None or str(error)
