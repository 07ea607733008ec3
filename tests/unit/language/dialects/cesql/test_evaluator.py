from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from siftmesh.errors import EventError, LimitExceeded
from siftmesh.language.dialects.cesql import Result, evaluate, parse

EVENT = {"type": "com.x", "sequence": "07", "hop": 5, "flag": True, "nothing": None, "tags": ["x"]}


@pytest.mark.parametrize(
    ("text", "value", "error"),
    [
        ("type", "com.x", None),
        ("TYPE = 'com.x'", True, None),
        ("sequence + hop", 12, None),
        ("sequence = 7 AND 7 = sequence", False, None),
        ("flag AND hop", True, None),
        ("hop IN (4, '05')", True, None),
        ("hop NOT IN (4, 'x')", False, "cast"),
        ("type NOT LIKE 'com.%'", False, None),
        ("EXISTS nothing", False, None),
        ("nothing = ''", False, "missingAttribute"),
        ("EXISTS tags AND tags = '[]'", True, None),
        ("missing OR TRUE", False, "missingAttribute"),
        ("TRUE OR missing", True, None),
        ("FALSE AND missing", False, None),
        ("TRUE XOR missing", False, "missingAttribute"),
        ("missing > 1 / 0", False, "missingAttribute"),
        ("1 / 0 < missing", False, "math"),
        ("LOWER(missing)", "", "missingAttribute"),
        ("NOPE(missing)", False, "missingFunction"),
        ("TRUE OR NOPE()", True, None),
        ("LEFT(type)", False, "missingFunction"),
        ("hop * 1000000000", 0, "math"),
        ("hop * ", False, "parse"),
    ],
)
def test_values_and_first_errors(text: str, value: Any, error: str | None) -> None:
    assert evaluate(text, EVENT) == Result(value, error)


def test_python_values_are_read_as_events_read_them() -> None:
    moment = datetime(2018, 4, 26, 14, 48, 9, tzinfo=UTC)
    assert evaluate(parse("time = '2018-04-26T14:48:09Z'"), {"time": moment}) == Result(True)
    with pytest.raises(EventError, match="time"):
        evaluate("EXISTS time", {"time": moment.replace(tzinfo=None)})


def test_limits_are_no_parse_errors() -> None:
    with pytest.raises(LimitExceeded):
        evaluate("(" * 1000, {})
