"""Any filter of the Subscriptions API passes the events that the specification's own rules say it does."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.errors import SubscriptionError
from siftmesh.language.dialects.cloudevents import parse_cloudevents
from siftmesh.language.formatter import format_filter
from siftmesh.language.parser import parse
from siftmesh.logic.evaluate import holds
from siftmesh.logic.lower import lower
from siftmesh.model.event import Event
from tests.effort import examples
from tests.reference.ast_oracle import truth
from tests.reference.cloudevents_filters import matches, text_of

NAMES = ("type", "id", "time", "odd name")
MOMENTS = (
    datetime(2026, 11, 18, 9, 30, tzinfo=UTC),
    datetime(2026, 11, 18, 9, 30, 0, 250_000, tzinfo=UTC),
    datetime(1, 1, 1, tzinfo=UTC),
    datetime(2026, 11, 18, 10, 30, tzinfo=timezone(timedelta(hours=1))),
)
VALUES = (
    *("com.example.push", "push", "5", "-12", "true", "false", "e", "", "50%_x", "2026-11-18T09:30:00Z"),
    *(0, 5, 12, -12, 51, 2**63 - 1, -(2**63), 0.0, -0.0, 5.0, 0.5, 1e300, 2.0**60),
    *(True, False, None, *MOMENTS),
)
WHOLE = tuple(dict.fromkeys(text for value in VALUES if (text := text_of(value))))

# Whole texts, and their beginnings and ends: what filters ask for and events have.
words = st.one_of(
    st.sampled_from(WHOLE),
    st.tuples(st.sampled_from(WHOLE), st.integers(1, 20)).map(lambda pair: pair[0][: pair[1]]),
    st.tuples(st.sampled_from(WHOLE), st.integers(1, 6)).map(lambda pair: pair[0][-pair[1] :]),
    st.sampled_from(["-", "Z", "%", "_", "x", "05", "2026-", "T09", "0.5", "-0", "9223372036854775808"]),
)
tests = st.tuples(
    st.sampled_from(["exact", "prefix", "suffix"]),
    st.dictionaries(st.sampled_from(NAMES), words, min_size=1, max_size=2),
).map(lambda pair: {pair[0]: pair[1]})
filters = st.recursive(
    tests,
    lambda below: st.one_of(
        below.map(lambda inner: {"not": inner}),
        st.tuples(st.sampled_from(["all", "any"]), st.lists(below, min_size=1, max_size=3)).map(
            lambda pair: {pair[0]: pair[1]}
        ),
    ),
    max_leaves=5,
)
events = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([*VALUES, ["push"]]), max_size=len(NAMES))


@examples(400)
@given(filters, events)
def test_the_lowered_filter_is_true_exactly_when_the_filter_is(written: Any, event: dict[str, Any]) -> None:
    read = Event.of(event)
    for wanted, spelled in (
        (matches(written, event), written),
        (not matches(written, event), {"not": written}),
    ):
        condition = parse_cloudevents(spelled)
        assert (truth(condition, read) is True) is wanted, format_filter(condition)
        assert holds(lower(condition), read) is wanted
        assert parse(format_filter(condition)) == condition


@given(st.lists(filters, max_size=3), events)
def test_a_list_of_filters_is_all_of_them(written: list[Any], event: dict[str, Any]) -> None:
    condition = parse_cloudevents(json.dumps(written))
    assert (truth(condition, Event.of(event)) is True) is matches(written, event)


@pytest.mark.parametrize("kind", [str, int, float, bool, datetime])
@given(st.data())
def test_values_of_every_kind_are_found_by_their_text(kind: type, data: st.DataObject) -> None:
    value = data.draw(st.sampled_from([value for value in VALUES if type(value) is kind and text_of(value)]))
    whole = text_of(value)
    size = data.draw(st.integers(1, len(whole)))
    for asked in (
        {"exact": {"id": whole}},
        {"prefix": {"id": whole[:size]}},
        {"suffix": {"id": whole[-size:]}},
    ):
        assert matches(asked, {"id": value})
        assert truth(parse_cloudevents(asked), Event.of({"id": value})) is True
        assert truth(parse_cloudevents({"not": asked}), Event.of({"id": value})) is not True


scalars = st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.floats(), st.text(max_size=4))
keys = st.sampled_from(["exact", "prefix", "suffix", "all", "any", "not", "sql", "type", "", "\ud800"])
anything = st.recursive(
    scalars,
    lambda below: st.one_of(st.lists(below, max_size=3), st.dictionaries(keys, below, max_size=2)),
    max_leaves=8,
)


def refusal(thing: Any) -> SubscriptionError | None:
    try:
        parse_cloudevents(thing)
    except SubscriptionError as error:
        return error
    return None


@examples(200)
@given(anything)
def test_nothing_makes_the_reader_raise_anything_but_its_own_errors(thing: Any) -> None:
    error = refusal(thing)
    assert error is None or str(error)


@given(st.one_of(st.text(max_size=20), anything.map(json.dumps).map(lambda text: text[:-1])))
def test_no_text_makes_the_reader_raise_anything_but_its_own_errors(source: str) -> None:
    error = refusal(source)
    assert error is None or str(error)
