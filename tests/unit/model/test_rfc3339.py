"""Timestamps as text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.model.rfc3339 import parse_date, parse_rfc3339
from siftmesh.model.values import Timestamp


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("2024-01-01T12:00:00Z", "2024-01-01T12:00:00+00:00"),
        ("2024-01-01t12:00:00z", "2024-01-01T12:00:00+00:00"),
        ("2024-01-01 12:00:00Z", "2024-01-01T12:00:00+00:00"),
        ("2024-01-01T12:00:00-00:00", "2024-01-01T12:00:00+00:00"),
        ("2024-01-01T14:30:00+02:30", "2024-01-01T12:00:00+00:00"),
        ("2024-01-01T12:00:00.5Z", "2024-01-01T12:00:00.500000+00:00"),
        ("2024-01-01T12:00:00.123456999Z", "2024-01-01T12:00:00.123456+00:00"),
        ("1969-12-31T23:59:59.9999999Z", "1969-12-31T23:59:59.999999+00:00"),
        ("2024-02-29T00:00:00Z", "2024-02-29T00:00:00+00:00"),
        ("0001-01-01T00:00:00Z", "0001-01-01T00:00:00+00:00"),
    ],
)
def test_date_times_name_a_moment(text: str, same_as: str) -> None:
    assert parse_rfc3339(text) == Timestamp.of(datetime.fromisoformat(same_as))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "noon",
        "2024-01-01",
        "2024-01-01T12:00:00",
        "2024-01-01T12:00Z",
        "2024-01-01T12:00:00.Z",
        "2024-1-1T12:00:00Z",
        "2024-01-01T12:00:00Z ",
        "2024-01-01T12:00:00Z\n",
        " 2024-01-01T12:00:00Z",
        "2024-01-01T12:00:60Z",
        "2024-01-01T24:00:00Z",
        "2023-02-29T00:00:00Z",
        "2024-13-01T00:00:00Z",
        "0000-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01",
        "2024-01-01T12:00:00+24:00",
        "2024-01-01T12:00:00+01:60",
        "2024-01-01T12:00:00+0100",
        "٢٠٢٤-01-01T12:00:00Z",
    ],
)
def test_other_texts_name_none(text: str) -> None:
    assert parse_rfc3339(text) is None


@given(
    st.datetimes(min_value=datetime(2, 1, 1), max_value=datetime(9998, 1, 1)),
    st.integers(-23 * 60 - 59, 23 * 60 + 59),
)
def test_what_python_writes_is_read(moment: datetime, minutes: int) -> None:
    zoned = moment.replace(tzinfo=timezone(timedelta(minutes=minutes)))
    assert parse_rfc3339(zoned.isoformat()) == Timestamp.of(zoned)


def test_a_date_is_midnight_utc() -> None:
    assert parse_date("2024-02-29") == Timestamp.of(datetime(2024, 2, 29, tzinfo=UTC))


@pytest.mark.parametrize(
    "text", ["", "2024-02-30", "2024-2-1", "2024-01-01T00:00:00Z", "0000-01-01", "2024-01-01\n"]
)
def test_other_texts_are_no_date(text: str) -> None:
    assert parse_date(text) is None
