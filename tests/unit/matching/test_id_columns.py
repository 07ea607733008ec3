"""Columns of ids, as arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from siftmesh.matching.id_columns import OneText, Remembered, int_column, text_column

INTS = [3, -1, 2**62]


@pytest.mark.parametrize(
    "column", [INTS, tuple(INTS), pa.array(INTS), pa.chunked_array([INTS]).combine_chunks()]
)
def test_ints(column: Any) -> None:
    found = int_column(column)
    assert found is not None
    assert (found.dtype, found.tolist(), found.flags.writeable) == (np.int64, INTS, True)


@pytest.mark.parametrize(
    "column",
    [[], [1, "a"], [1, True], [2**63], pa.array([1, None]), pa.array([2**63], pa.uint64()), pa.array([True]),
     pa.array([1.0]), "123", {1: 2}],
)  # fmt: skip
def test_what_are_no_ints(column: Any) -> None:
    assert int_column(column) is None


TEXTS = ["", "a", "üß", "x" * 100]


@pytest.mark.parametrize(
    "column",
    [
        TEXTS,
        pa.array(TEXTS),
        pa.array(TEXTS, pa.large_string()),
        pa.array(["before", *TEXTS, "after"]).slice(1, 4),
        pa.array(TEXTS, pa.string_view()),
    ],
)
def test_texts(column: Any) -> None:
    found = text_column(column)
    assert found is not None
    data = found.text.tobytes()
    pieces = [data[a:b].decode() for a, b in zip(found.bounds, found.bounds[1:], strict=False)]
    assert pieces == TEXTS
    assert len(found) == 4
    assert found.text.flags.writeable


@pytest.mark.parametrize("column", [["a", 1], ["\ud800"], pa.array(["a", None]), pa.array([b"a"]), [], "ab"])
def test_what_are_no_texts(column: Any) -> None:
    assert text_column(column) is None


def test_no_texts_of_arrow_are_texts() -> None:
    found = text_column(pa.array([], pa.string()))
    assert found is not None
    assert len(found) == 0


def test_one_text() -> None:
    one = OneText()
    assert one.write("aü") == 3
    assert one.text[:3].tobytes() == "aü".encode()
    assert one.write("x" * 1_000) == 1_000
    assert one.text[:1_000].tobytes() == b"x" * 1_000
    assert one.write("\ud800") is None
    assert one.write("") == 0


def test_what_is_read_is_remembered_for_a_while() -> None:
    asked: list[int] = []

    def read(number: int) -> str:
        asked.append(number)
        return str(number)

    names = Remembered(read)
    assert [names[7], names[7], names[8]] == ["7", "7", "8"]
    assert asked == [7, 8]
    for number in range(10_000):
        assert names[number] == str(number)
    assert len(names) < 5_000
