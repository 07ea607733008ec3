"""Moments in bytes, against the reader of text."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest

from siftmesh.kernels.moments import moment_of
from siftmesh.model.rfc3339 import parse_rfc3339
from tests.effort import effort
from tests.reference.arrays import amid_noise


def read(text: str, rng: random.Random) -> int | None:
    """The microseconds of a text that stands amid other bytes."""
    before = rng.randrange(9)
    data = text.encode()
    known, micros = moment_of(amid_noise(rng.randbytes(before) + data, rng), before, len(data))
    return int(micros) if known else None


def expected(text: str) -> int | None:
    moment = parse_rfc3339(text)
    return None if moment is None else moment.micros


def written(rng: random.Random) -> str:
    """A moment as somebody may write it; sometimes one that there is not."""
    year = rng.choice([0, 1, 2, 1899, 1900, 1970, 2000, 2024, 2100, 9998, 9999, rng.randrange(10_000)])
    month = rng.choice([0, 1, 2, 2, 12, 13, rng.randrange(1, 13)])
    day = rng.choice([0, 1, 28, 29, 30, 31, 32, rng.randrange(1, 29)])
    hour, minute = rng.choice([0, 23, 24, rng.randrange(24)]), rng.choice([0, 59, 60, rng.randrange(60)])
    second = rng.choice([0, 59, 60, rng.randrange(60)])
    fraction = rng.choice(
        ["", "", ".0", ".5", f".{rng.randrange(10**9)}", ".999999", ".9999999", "." + "1" * 40]
    )
    offset = f"{rng.choice('+-')}{rng.choice([0, 1, 14, 23, 24]):02}:{rng.choice([0, 30, 59, 60]):02}"
    zone = rng.choice(["Z", "z", offset, offset])
    separator = rng.choice("TTTt ")
    return f"{year:04}-{month:02}-{day:02}{separator}{hour:02}:{minute:02}:{second:02}{fraction}{zone}"


def damaged(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text))
    sign = rng.choice("0123456789-:.TZ+ /;xé٣\x00")
    return rng.choice(
        [
            text[:at] + text[at + 1 :],
            text[:at] + sign + text[at + 1 :],
            text[:at] + sign + text[at:],
            text[:at],
            text + sign,
            sign + text,
        ]
    )


def test_what_is_written_is_read(seed: int) -> None:
    rng = random.Random(seed)
    good = 0
    for _ in range(effort(6_000)):
        text = written(rng)
        assert read(text, rng) == expected(text), text
        good += expected(text) is not None
    assert good > effort(6_000) // 20


def test_every_moment_is_read(seed: int) -> None:
    rng = random.Random(seed)
    span = datetime.max - datetime.min
    for _ in range(effort(3_000)):
        moment = datetime.min + timedelta(
            days=rng.randrange(span.days), microseconds=rng.randrange(86_400 * 10**6)
        )
        aware = moment.replace(tzinfo=UTC)
        micros = (aware - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)
        assert read(aware.isoformat(), rng) == micros


def test_every_day_of_some_years_is_the_day_after_the_day_before() -> None:
    rng = random.Random(0)
    for year in (1, 4, 1600, 1900, 1999, 2000, 9999)[: effort(7)]:
        day, before = datetime(year, 1, 1), None
        while day.year == year:
            micros = read(f"{day:%Y-%m-%d}".zfill(10) + "T00:00:00Z", rng)
            assert micros is not None
            assert before is None or micros == before + 86_400_000_000
            before = micros
            if day.date() == datetime.max.date():
                break
            day += timedelta(days=1)


def test_damaged_moments_are_none_or_others(seed: int) -> None:
    rng = random.Random(seed)
    bad = 0
    for _ in range(effort(8_000)):
        text = damaged(written(rng), rng)
        if rng.random() < 0.2:
            text = damaged(text or "2", rng)
        assert read(text, rng) == expected(text), text
        bad += expected(text) is None
    assert bad > effort(8_000) // 2


@pytest.mark.parametrize(
    "text",
    [
        "0001-01-01T00:00:00Z",
        "0001-01-01T00:00:00+00:01",
        "0001-01-01T00:00:00-00:01",
        "9999-12-31T23:59:59.999999Z",
        "9999-12-31T23:59:59.9999999Z",
        "9999-12-31T23:59:59-00:01",
        "9999-12-31T23:59:59+23:59",
        "2016-12-31T23:59:60Z",
        "2026-11-18T10:00:00",
        "2026-11-18T10:00:00.Z",
        "2026-11-18T10:00:00.5",
        "2026-11-18",
        "",
        "2026-11-18T10:00:00Z\n",
        "2026-11-18T10:00:00+01",
        "2026-11-18T10:00:00+0100",
        "2026-11-18T10:00:00−01:00",
        "२०२६-11-18T10:00:00Z",
    ],
)
def test_corners(text: str, seed: int) -> None:
    assert read(text, random.Random(seed)) == expected(text)
