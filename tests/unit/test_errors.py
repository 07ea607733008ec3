"""Errors carry their facts, show the place, and survive a process boundary."""

from __future__ import annotations

import pickle

import pytest

from siftmesh import errors
from siftmesh.errors import (
    EventError,
    LimitExceeded,
    SubscriptionError,
    SyntaxError,
    nearest_name,
    point_at,
    shown,
)

SUBSCRIPTION_ERRORS = [
    errors.SyntaxError,
    errors.UnknownAttribute,
    errors.TypeMismatch,
    errors.LimitExceeded,
    errors.UnsupportedFeature,
    errors.ParameterError,
    errors.DuplicateId,
    errors.UnknownId,
]


@pytest.mark.parametrize("kind", SUBSCRIPTION_ERRORS)
def test_every_refusal_of_a_filter_is_a_value_error_with_its_facts(kind: type[SubscriptionError]) -> None:
    error = kind("wrong", source="a = 1", span=(0, 1), expected="b", limit=3)
    assert isinstance(error, ValueError)
    assert isinstance(error, errors.SiftmeshError)
    assert (error.what, error.source, error.span, error.expected, error.limit) == (
        "wrong",
        "a = 1",
        (0, 1),
        "b",
        3,
    )


@pytest.mark.parametrize("kind", SUBSCRIPTION_ERRORS)
def test_subscription_errors_survive_pickling(kind: type[SubscriptionError]) -> None:
    error = kind("wrong", source="a =\n1", span=(4, 5), expected="b", limit=3)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert vars(again) == vars(error)
    assert str(again) == str(error)


def test_a_passed_limit_is_named_also_after_pickling() -> None:
    error = LimitExceeded("too many", limit=3, setting="items")
    again = pickle.loads(pickle.dumps(error))
    assert (again.what, again.limit, again.setting) == ("too many", 3, "items")
    assert LimitExceeded("too many").setting is None


def test_event_errors_survive_pickling() -> None:
    error = EventError("wrong", place="a.b[2]", expected="a string")
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is EventError
    assert vars(again) == vars(error)
    assert str(again) == "at a.b[2]: wrong (expected a string)"


@pytest.mark.parametrize(
    "kind", [errors.ConfigError, errors.DamagedData, errors.ProtocolError, errors.ConnectionClosed]
)
def test_the_other_errors_survive_pickling(kind: type[errors.SiftmeshError]) -> None:
    again = pickle.loads(pickle.dumps(kind("wrong")))
    assert type(again) is kind
    assert str(again) == "wrong"


def test_only_faults_in_what_was_given_are_value_errors() -> None:
    assert issubclass(errors.ConfigError, ValueError)
    assert issubclass(errors.DamagedData, ValueError)
    assert not issubclass(errors.ProtocolError, ValueError)
    assert not issubclass(errors.ConnectionClosed, ValueError)


def test_an_event_error_without_a_place_says_only_what_is_wrong() -> None:
    assert str(EventError("wrong")) == "wrong"


def test_a_message_without_a_source_has_no_marker() -> None:
    assert str(LimitExceeded("too long", span=(0, 1), expected="less", limit=5)) == "too long\nexpected less"


# ---- the marker


@pytest.mark.parametrize(
    ("source", "span", "lines"),
    [
        ("abc", (1, 2), ["  abc", "   ^"]),
        ("abc", (0, 3), ["  abc", "  ^^^"]),
        ("abc", (3, 3), ["  abc", "     ^"]),
        ("", (0, 1), ["  ", "  ^"]),
        ("a\tb", (2, 3), ["  a b", "    ^"]),
        ("ab\ncd\nef", (3, 5), ["  line 2, column 1:", "  cd", "  ^^"]),
        ("ab\ncd\nef", (4, 8), ["  line 2, column 2:", "  cd", "   ^"]),
        ("ab\n", (3, 4), ["  line 2, column 1:", "  ", "  ^"]),
        ("ab\n\ncd", (3, 4), ["  line 2, column 1:", "  ", "  ^"]),
    ],
)
def test_the_marker_stands_under_the_span(source: str, span: tuple[int, int], lines: list[str]) -> None:
    assert point_at(source, span) == lines


@pytest.mark.parametrize("place", [0, 10, 500_000, 999_990, 999_999])
def test_of_a_very_long_line_only_the_surroundings_are_shown(place: int) -> None:
    source = "x" * place + "!" + "y" * (999_999 - place)
    excerpt, marker = point_at(source, (place, place + 1))
    assert len(excerpt) <= errors.EXCERPT + 8
    assert excerpt[marker.index("^")] == "!"
    assert excerpt.startswith("  ...") == (place > errors.EXCERPT // 2)
    assert excerpt.endswith("...") == (place + errors.EXCERPT < len(source))


def test_a_marker_is_no_longer_than_what_is_shown() -> None:
    excerpt, marker = point_at("x" * 10_000, (5_000, 9_000))
    assert len(marker) <= len(excerpt)


def test_only_the_line_of_the_fault_is_shown() -> None:
    source = "\n".join(f"line{n} = {n}" for n in range(1_000))
    start = source.index("line500")
    assert point_at(source, (start, start + 7)) == ["  line 501, column 1:", "  line500 = 500", "  ^^^^^^^"]


# ---- one line


@pytest.mark.parametrize(
    ("error", "line"),
    [
        (SyntaxError("wrong"), "wrong"),
        (SyntaxError("wrong", expected="right"), "wrong; expected right"),
        (SyntaxError("wrong", source="abc", span=(0, 1)), "wrong at column 1"),
        (SyntaxError("wrong", source="abc", span=(3, 4), expected="d"), "wrong at column 4; expected d"),
        (SyntaxError("wrong", source="ab\ncd", span=(4, 5)), "wrong at line 2, column 2"),
        (SyntaxError("wrong", source="ab\ncd", span=(1, 2)), "wrong at column 2"),
    ],
)
def test_the_facts_fit_in_one_line(error: SubscriptionError, line: str) -> None:
    assert error.in_one_line() == line


@pytest.mark.parametrize(
    ("text", "as_shown"),
    [("abc", "abc"), ("a\nb\x00c", "a b c"), ("x" * 72, "x" * 72), ("x" * 73, "x" * 72 + "..."), ("", "")],
)
def test_a_piece_of_a_filter_is_shown_on_one_line_and_cut(text: str, as_shown: str) -> None:
    assert shown(text) == as_shown


# ---- suggestions


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("PRICE", "price"),
        ("prise", "price"),
        ("titel", "title"),
        ("zzz", None),
        ("", None),
        ("STRASSE", "straße"),
    ],
)
def test_the_nearest_name_is_suggested_if_it_is_near(name: str, nearest: str | None) -> None:
    assert nearest_name(name, ["price", "title", "straße"]) == nearest


def test_nothing_is_near_when_nothing_is_known() -> None:
    assert nearest_name("price", []) is None


def test_an_event_among_many_has_its_row() -> None:
    error = EventError("wrong", place="a.b", expected="a string").in_row(3)
    assert str(error) == "row 3: at a.b: wrong (expected a string)"
    again = pickle.loads(pickle.dumps(error))
    assert (again.what, again.place, again.row) == ("wrong", "a.b", 3)
    assert str(EventError("wrong", row=0)) == "row 0: wrong"


def test_a_row_that_is_refused_keeps_all_facts_but_the_text() -> None:
    error = LimitExceeded("too long", source="x", span=(0, 1), expected="less", limit=7, setting="text")
    found = error.in_row(2)
    assert type(found) is LimitExceeded
    assert str(found) == "row 2: too long\nexpected less"
    assert (found.limit, found.setting, found.source, found.args) == (7, "text", None, ("row 2: too long",))
    assert error.what == "too long"
