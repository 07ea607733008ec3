"""What Python objects become values, and which are refused where."""

from __future__ import annotations

import enum
import math
import pickle
from collections import OrderedDict, namedtuple
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.errors import EventError
from siftmesh.model.values import (
    INT_MAX,
    INT_MIN,
    OPAQUE,
    Kind,
    Timestamp,
    has_surrogate,
    kind_of,
    to_value,
)


class Colour(str, enum.Enum):  # noqa: UP042 - unlike a StrEnum, its str() is not its text
    RED = "red"


class Level(enum.IntEnum):
    HIGH = 3


class NotATime(datetime):
    """Like pandas' NaT: a datetime that does not equal itself."""

    def __eq__(self, other: object) -> bool:
        return False

    def __ne__(self, other: object) -> bool:
        return True

    __hash__ = datetime.__hash__


class NAType:
    """Like pandas' NA."""

    __module__ = "pandas._libs.missing"


Pair = namedtuple("Pair", "left right")
NOON = datetime(2024, 1, 1, 12, tzinfo=UTC)
NOON_MICROS = 1_704_110_400_000_000


def same(left: Any, right: Any) -> bool:
    return type(left) is type(right) and left == right


@pytest.mark.parametrize(
    ("thing", "value"),
    [
        (None, None),
        (True, True),
        (0, 0),
        (INT_MAX, INT_MAX),
        (INT_MIN, INT_MIN),
        (1.5, 1.5),
        (-0.0, -0.0),
        (math.inf, math.inf),
        (math.nan, None),
        ("", ""),
        ("\U0001f600", "\U0001f600"),
        (Timestamp(5), Timestamp(5)),
        (NOON, Timestamp(NOON_MICROS)),
        (NOON.astimezone(timezone(timedelta(hours=2))), Timestamp(NOON_MICROS)),
        (date(2024, 1, 1), Timestamp(NOON_MICROS - 12 * 3600 * 10**6)),
        (datetime(1, 1, 1, tzinfo=UTC), Timestamp(-62_135_596_800_000_000)),
        (NotATime(2024, 1, 1), None),
        (NAType(), None),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        ([], ()),
        ([1, "a", None, 2.5], (1, "a", None, 2.5)),
        ((True, NOON), (True, Timestamp(NOON_MICROS))),
        (Pair(1, 2), (1, 2)),
        ([math.nan], (None,)),
    ],
)
def test_python_objects_become_values(thing: Any, value: Any) -> None:
    assert same(to_value(thing), value)


@pytest.mark.parametrize(
    ("number", "value"),
    [
        ("1", 1),
        ("1.00", 1),
        ("1E+3", 1000),
        ("-0", 0),
        ("0.1", 0.1),
        ("9007199254740993", 2**53 + 1),
        ("9223372036854775807", INT_MAX),
        ("9223372036854775808", 2.0**63),
        ("-9223372036854775808", INT_MIN),
        ("1E+999999999", math.inf),
        ("-1E+999999999", -math.inf),
        ("1E-999999999", 0.0),
        ("0." + "1" * 5_000, 1 / 9),
        ("NaN", None),
        ("sNaN", None),
        ("Infinity", math.inf),
    ],
)
def test_decimals_become_exact_ints_or_the_nearest_doubles(number: str, value: Any) -> None:
    assert same(to_value(Decimal(number)), value)


@pytest.mark.parametrize(
    ("thing", "value"),
    [
        (np.int64(3), 3),
        (np.uint8(255), 255),
        (np.uint64(INT_MAX), INT_MAX),
        (np.float64(0.5), 0.5),
        (np.float32(0.5), 0.5),
        (np.float16("nan"), None),
        (np.float64("nan"), None),
        (np.bool_(True), True),
        (np.str_("x"), "x"),
        (np.datetime64("NaT"), None),
        (np.array(5), 5),
        (np.array([1, 2]), (1, 2)),
        (np.array([0.5, np.nan]), (0.5, None)),
        (np.array(["a", "b"]), ("a", "b")),
        (np.array([True]), (True,)),
        (np.array(["a", None], dtype=object), ("a", None)),
        (np.array([], dtype=float), ()),
        ([np.int32(1), np.float64(2.5)], (1, 2.5)),
    ],
)
def test_numpy_scalars_and_arrays_become_plain_values(thing: Any, value: Any) -> None:
    assert same(to_value(thing), value)
    if isinstance(value, tuple):
        assert [type(element) for element in to_value(thing)] == [type(element) for element in value]


@pytest.mark.parametrize(
    "thing",
    [
        b"x",
        bytearray(b"x"),
        memoryview(b"x"),
        {},
        {"a": 1},
        OrderedDict(a=1),
        [{}],
        [1, {"a": 1}],
        [[1]],
        ((),),
        np.array([[1]]),
        [np.array([1])],
        np.array([{"a": 1}], dtype=object),
        OPAQUE,
    ],
)
def test_objects_and_bytes_are_present_without_comparing(thing: Any) -> None:
    assert to_value(thing) is OPAQUE


@pytest.mark.parametrize(
    ("thing", "what"),
    [
        (INT_MAX + 1, "an integer of 65 bits needs more than 64"),
        (INT_MIN - 1, "an integer of 65 bits needs more than 64"),
        pytest.param(10**5_000, "needs more than 64", id="an int too long for str()"),
        (np.uint64(2**64 - 1), "needs more than 64"),
        ("\ud800", "the string holds a lone surrogate"),
        ("a\udfff", "the string holds a lone surrogate"),
        (datetime(2024, 1, 1), "a datetime without a time zone"),
        (datetime.max.replace(tzinfo=timezone(timedelta(hours=-1))), "not within the years 1 to 9999"),
        (datetime.min.replace(tzinfo=timezone(timedelta(hours=1))), "not within the years 1 to 9999"),
        (Timestamp(2**62), "no moment of the years 1 to 9999"),
        (Timestamp(0.5), "no moment of the years 1 to 9999"),  # type: ignore[arg-type]  # what is tested
        (np.datetime64("2024-01-01"), "a datetime64 has no time zone"),
        (np.datetime64("30000-01-01"), "a datetime64 has no time zone"),
        (np.array(["2024-01-01"], dtype="datetime64[ns]"), "a datetime64 has no time zone"),
        (np.timedelta64(5, "ns"), "a numpy.timedelta64 is not a value"),
        (np.complex64(1), "a numpy.complex64 is not a value"),
        (np.zeros(1, dtype=[("a", "i4")])[0], "a numpy.void is not a value"),
        (np.longdouble(1), "is not a value"),
        (1j, "a builtins.complex is not a value"),
        (timedelta(1), "a datetime.timedelta is not a value"),
        ({1, 2}, "a builtins.set is not a value"),
        (object(), "a builtins.object is not a value"),
        (int, "a builtins.type is not a value"),
        (iter([1]), "is not a value"),
    ],
)
def test_what_is_outside_the_model_is_refused_with_its_place(thing: Any, what: str) -> None:
    with pytest.raises(EventError) as caught:
        to_value(thing, "a.b")
    assert what in caught.value.what
    assert caught.value.place == "a.b"
    assert str(caught.value).startswith("at a.b: ")


def test_the_place_of_an_element_has_its_index() -> None:
    with pytest.raises(EventError) as caught:
        to_value([1, None, "\ud800"], "tags")
    assert caught.value.place == "tags[2]"


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_timestamp_keeps_every_microsecond(moment: datetime) -> None:
    assert Timestamp.of(moment).to_datetime() == moment
    assert datetime.fromisoformat(Timestamp.of(moment).isoformat()) == moment


def test_a_timestamp_is_written_as_rfc_3339() -> None:
    assert Timestamp.of(NOON).isoformat() == "2024-01-01T12:00:00Z"
    assert Timestamp(-1).isoformat() == "1969-12-31T23:59:59.999999Z"


def test_timestamps_are_ordered_in_time() -> None:
    assert Timestamp(-1) < Timestamp(0) < Timestamp(1)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (None, Kind.NULL),
        (True, Kind.BOOL),
        (1, Kind.NUMBER),
        (1.0, Kind.NUMBER),
        ("", Kind.STRING),
        (Timestamp(0), Kind.TIMESTAMP),
        ((), Kind.ARRAY),
        (OPAQUE, Kind.OPAQUE),
    ],
)
def test_every_value_has_a_kind(value: Any, kind: Kind) -> None:
    assert kind_of(value) is kind


def test_there_is_one_opaque_even_after_pickling() -> None:
    assert pickle.loads(pickle.dumps(OPAQUE)) is OPAQUE
    assert repr(OPAQUE) == "OPAQUE"


@pytest.mark.parametrize(
    ("text", "found"), [("", False), ("abc", False), ("é\U0001f600", False), ("é\udc00", True)]
)
def test_lone_surrogates_are_found(text: str, found: bool) -> None:
    assert has_surrogate(text) is found
