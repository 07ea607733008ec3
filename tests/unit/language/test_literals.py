"""The text of literals to their values."""

from __future__ import annotations

from typing import Any

import pytest

from siftmesh.errors import SyntaxError
from siftmesh.language.literals import number_value, string_value, timestamp_value
from siftmesh.model.values import INT_MAX, INT_MIN, Timestamp


@pytest.mark.parametrize(
    ("text", "negative", "value"),
    [
        ("0", False, 0),
        ("007", False, 7),
        ("9223372036854775807", False, INT_MAX),
        ("9223372036854775808", True, INT_MIN),
        ("0" * 5_000 + "12", False, 12),
        ("0" * 5_000, False, 0),
        ("1.5", False, 1.5),
        ("1.", False, 1.0),
        (".5", True, -0.5),
        ("1e3", False, 1000.0),
        ("1E-3", True, -0.001),
        ("0.0", True, -0.0),
        ("1e-999", False, 0.0),
        ("90s", False, 90),
        ("5m", False, 300),
        ("2h", False, 7_200),
        ("1d", False, 86_400),
        ("1w", True, -604_800),
        ("1.5d", False, 129_600.0),
    ],
)
def test_numbers(text: str, negative: bool, value: Any) -> None:
    found = number_value(text, text, (0, len(text)), negative)
    assert (type(found), repr(found)) == (type(value), repr(value))


@pytest.mark.parametrize(
    ("text", "negative"),
    [
        *(
            (text, False)
            for text in ("9223372036854775808", "9" * 5_000, "1e999", "15250284452472w", "1e308w")
        ),
        ("9223372036854775809", True),
    ],
)
def test_numbers_out_of_range_are_refused(text: str, negative: bool) -> None:
    with pytest.raises(SyntaxError, match="the number is too large"):
        number_value(text, text, (0, len(text)), negative)


@pytest.mark.parametrize("text", ["1x", "1D", "1_000", "1²", "1٣", "0x10", "1dd", "1" + "x" * 1_000])
def test_what_follows_a_number_is_a_duration_or_nothing(text: str) -> None:
    with pytest.raises(SyntaxError, match="cannot follow a number") as caught:
        number_value(text, text, (0, len(text)))
    assert len(caught.value.what) < 110


@pytest.mark.parametrize(
    ("text", "value"), [("''", ""), ("'a'", "a"), ("'it''s'", "it's"), ("''''", "'"), ("'\\n'", "\\n")]
)
def test_strings(text: str, value: str) -> None:
    assert string_value(text) == value


@pytest.mark.parametrize(
    ("text", "micros"),
    [("'1970-01-01'", 0), ("'1970-01-01T01:00:00.000001+01:00'", 1), ("'1969-12-31'", -86_400_000_000)],
)
def test_timestamps(text: str, micros: int) -> None:
    assert timestamp_value(text, text, (0, len(text))) == Timestamp(micros)


@pytest.mark.parametrize("text", ["''", "'noon'", "'1970-01-01T00:00:00'", "'" + "1" * 1_000 + "'"])
def test_other_texts_are_no_timestamps(text: str) -> None:
    with pytest.raises(SyntaxError, match="is not a timestamp") as caught:
        timestamp_value(text, text, (0, len(text)))
    assert len(caught.value.what) < 110
