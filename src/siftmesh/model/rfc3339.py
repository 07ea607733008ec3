"""Timestamps as text: RFC 3339 date-times, and plain dates where a literal is meant."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta, timezone

from siftmesh.model.values import Timestamp

__all__ = ["parse_date", "parse_rfc3339"]

_DATE_TIME = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[Tt ]([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]+))?"
    r"(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))\Z"
)
_DATE = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})\Z")


def parse_rfc3339(text: str) -> Timestamp | None:
    """The moment a full date-time names, or None; digits below the microsecond are cut off.

    A leap second (`:60`) and years that a datetime cannot hold are None.
    """
    match = _DATE_TIME.match(text)
    if match is None:
        return None
    year, month, day, hour, minute, second, fraction, sign, off_hours, off_minutes = match.groups()
    zone = UTC
    if sign is not None:
        if int(off_hours) > 23 or int(off_minutes) > 59:
            return None
        offset = timedelta(hours=int(off_hours), minutes=int(off_minutes))
        zone = timezone(offset if sign == "+" else -offset)
    micros = int(fraction[:6].ljust(6, "0")) if fraction else 0
    try:
        moment = datetime(int(year), int(month), int(day), int(hour), int(minute), int(second), micros, zone)
        return Timestamp.of(moment.astimezone(UTC))
    except (ValueError, OverflowError):
        return None


def parse_date(text: str) -> Timestamp | None:
    """Midnight UTC of a plain date such as 2026-11-18, or None."""
    match = _DATE.match(text)
    if match is None:
        return None
    try:
        return Timestamp.of(datetime(*(int(part) for part in match.groups()), tzinfo=UTC))  # type: ignore[arg-type,misc]  # three ints
    except ValueError:
        return None
