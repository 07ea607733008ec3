"""Moments in text: `siftmesh.model.rfc3339` for bytes."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import Bytes

__all__ = ["moment_of"]

_ZERO = 48
_DAY = 86_400
# 0001-01-01 and 9999-12-31T23:59:59.999999 in microseconds since 1970: what a Timestamp can be.
_FIRST = -62_135_596_800_000_000
_LAST = 253_402_300_799_999_999


@kernel
def _digits(text: Bytes, at: int, count: int) -> int:
    """The number that so many digits write, or -1 if one of them is none."""
    number = 0
    for place in range(at, at + count):
        digit = np.int64(text[place]) - _ZERO
        if digit < 0 or digit > 9:
            return -1
        number = 10 * number + digit
    return number


@kernel
def _days(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a day of the Gregorian calendar; years are counted from March."""
    if month <= 2:
        year -= 1
        month += 12
    era = year // 400
    of_era = year - 400 * era
    of_year = (153 * (month - 3) + 2) // 5 + day - 1
    return era * 146_097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719_468


@kernel
def _days_in_month(year: int, month: int) -> int:
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month == 4 or month == 6 or month == 9 or month == 11 else 31


@kernel
def moment_of(text: Bytes, start: int, length: int) -> tuple[bool, int]:
    """Whether bytes are an RFC 3339 date-time, and its microseconds since 1970."""
    end = start + length
    if length < 20 or text[start + 4] != 45 or text[start + 7] != 45:
        return False, 0
    separator = text[start + 10]
    if separator != 84 and separator != 116 and separator != 32:
        return False, 0
    if text[start + 13] != 58 or text[start + 16] != 58:
        return False, 0
    year = _digits(text, start, 4)
    month = _digits(text, start + 5, 2)
    day = _digits(text, start + 8, 2)
    hour = _digits(text, start + 11, 2)
    minute = _digits(text, start + 14, 2)
    second = _digits(text, start + 17, 2)
    if year < 1 or month < 1 or month > 12 or day < 1 or day > _days_in_month(year, month):
        return False, 0
    if hour < 0 or hour > 23 or minute < 0 or minute > 59 or second < 0 or second > 59:
        return False, 0
    at = start + 19
    micros = np.int64(0)
    if text[at] == 46:
        at += 1
        first = at
        scale = np.int64(100_000)
        while at < end and _digits(text, at, 1) >= 0:
            micros += scale * (np.int64(text[at]) - _ZERO)
            scale //= 10
            at += 1
        if at == first or at == end:
            return False, 0
    offset = 0
    zone = text[at]
    if zone == 43 or zone == 45:
        if end - at != 6 or text[at + 3] != 58:
            return False, 0
        hours = _digits(text, at + 1, 2)
        minutes = _digits(text, at + 4, 2)
        if hours < 0 or hours > 23 or minutes < 0 or minutes > 59:
            return False, 0
        offset = 60 * (60 * hours + minutes)
        if zone == 45:
            offset = -offset
    elif (zone != 90 and zone != 122) or end - at != 1:
        return False, 0
    seconds = _days(year, month, day) * _DAY + 3600 * hour + 60 * minute + second - offset
    micros += np.int64(seconds) * 1_000_000
    if micros < _FIRST or micros > _LAST:
        return False, 0
    return True, micros
