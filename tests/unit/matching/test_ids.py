"""Ids of all sorts, and the plain table of them."""

from __future__ import annotations

from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from siftmesh.errors import ConfigError, DuplicateId, SubscriptionError, UnknownId
from siftmesh.matching.compact_ids import CompactIds
from siftmesh.matching.ids import SimpleIds, canonical, given_ids, kind_of_id


class Colour(StrEnum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Plain(Enum):
    A = 1


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (1, 1),
        (True, 1),
        (1.0, 1),
        (-0.0, 0),
        (complex(2), 2),
        (Decimal("3.00"), 3),
        (Fraction(4, 2), 2),
        (np.int16(5), 5),
        (np.float32(5), 5),
        (np.str_("x"), "x"),
        (Colour.RED, "red"),
        (Level.HIGH, 3),
        (Decimal("9223372036854775807"), 2**63 - 1),
    ],
)
def test_equal_ids_become_one(given: Any, expected: Any) -> None:
    found = canonical(given)
    assert (found, type(found)) == (expected, type(expected))
    assert found == given


@pytest.mark.parametrize(
    "id",
    [0.5, float("inf"), complex(1, 1), Decimal("0.1"), Decimal("1e999999999"), Decimal("NaN"), 2**70, None,
     (1, 2), b"x", Plain.A],
)  # fmt: skip
def test_other_ids_stay_what_they_are(id: Any) -> None:
    assert canonical(id) is id


@pytest.mark.parametrize("id", [[], {}, (1, []), set(), Decimal("sNaN")])
def test_what_has_no_hash_is_no_id(id: Any) -> None:
    with pytest.raises(SubscriptionError, match="this is no id"):
        canonical(id)
    with pytest.raises(SubscriptionError, match="row 1: this is no id"):
        given_ids(["x", id])


def test_columns_of_ids() -> None:
    assert given_ids(pa.array([1, None, 3])) == [1, None, 3]
    assert given_ids(["a", 1.0]) == ["a", 1]


@pytest.mark.parametrize(
    ("id", "kind"), [(1, "int"), (2**63, "int beyond 64 bits"), ("a", "str"), (None, "NoneType")]
)
def test_kinds(id: Any, kind: str) -> None:
    assert kind_of_id(id) == kind


def test_ids_have_numbers_and_numbers_ids() -> None:
    ids = SimpleIds()
    assert [ids.take(id) for id in ("a", 1, None)] == [0, 1, 2]
    assert list(ids.take_many(["b", 2.0])) == [3, 4]
    assert ids.of([4, 0, 2]) == [2, "a", None]
    assert ids["a"] == 0
    assert ids.find(True) == 1
    assert [ids.find(id) for id in ("x", [], 2.5)] == [-1, -1, -1]
    assert (len(ids), list(ids)) == (5, ["a", 1, None, "b", 2])
    assert ids.give_back(1.0) == 1
    assert ids.take("c") == 1
    for id in ("x", []):
        with pytest.raises(UnknownId):
            ids[id]  # type: ignore[index]  # what is no id is not there
    assert set(ids.memory()) == {"ids", "ids by number", "numbers by id", "numbers to use again"}


def test_duplicates_are_refused_and_nothing_is_taken() -> None:
    ids = SimpleIds()
    ids.take(1)
    with pytest.raises(DuplicateId, match=r"^there is already a subscription 1"):
        ids.take(True)
    for given, row in ((["a", 1], 1), (["a", "b", "a"], 2)):
        with pytest.raises(DuplicateId, match=f"^row {row}: there is already"):
            ids.take_many(given)
    assert list(ids) == [1]
    ids.give_back_many(ids.take_many(["a", "b"]))
    assert list(ids) == [1]
    assert sorted(ids.take_many(["x", "y"])) == [1, 2]


def test_forgotten_ids_are_kept_for_those_who_mind() -> None:
    ids = SimpleIds()
    ids.take_many(["a", "b"])
    pin = ids.numbers.pin()
    ids.give_back("a")
    ids.take("c")
    assert ids.of([0, 1, 2]) == ["a", "b", "c"]
    assert ids.kept() == {0: "a"}
    assert ids.take("a") == 3
    del pin
    assert ids.take("d") == 0


def test_ids_as_an_arrow_array() -> None:
    ids = SimpleIds()
    numbers = np.array([1, 0, 1], np.int32)
    assert ids.to_arrow(numbers[:0]).type == pa.int64()
    ids.take_many([5, 7])
    assert ids.to_arrow(numbers).equals(pa.array([7, 5, 7]))
    ids.take("x")
    with pytest.raises(ConfigError, match="these are int, str"):
        ids.to_arrow(numbers)
    texts = SimpleIds()
    texts.take_many(["x", "ü"])
    assert texts.to_arrow(numbers).equals(pa.array(["ü", "x", "ü"]))
    assert texts.to_arrow(numbers[:0]).type == pa.string()
    others = SimpleIds()
    others.take_many([None, 2**70])
    with pytest.raises(ConfigError, match="NoneType, int beyond 64 bits"):
        others.to_arrow(numbers)


def test_a_table_of_ids_as_arrays() -> None:
    from siftmesh.matching.compact_ids import CompactIds

    ids = SimpleIds()
    ids.take_many(["a", 1, (2, "b")])
    ids.give_back(1)
    arrays = CompactIds.like(ids).arrays()
    again = CompactIds.from_arrays({name: array.copy() for name, array in arrays.items()})
    assert {id: again[id] for id in again} == {"a": 0, (2, "b"): 2}
    assert again.take("new") == 1


def test_ids_that_are_no_unicode_are_refused() -> None:
    torn = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(np.array([0, 1, 2], np.int32)), pa.py_buffer(b"x\xff")]
    )
    for ids in (SimpleIds(), CompactIds()):
        with pytest.raises(SubscriptionError, match="an id is no value: a value cannot be read"):
            ids.take_many(torn)
        assert len(ids) == 0
