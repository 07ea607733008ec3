"""Arrays by their addresses: the same memory under another name."""

from __future__ import annotations

from typing import Any

import numba
import numpy as np
import pytest

from siftmesh.kernels import memory


@numba.njit
def words_read(address: int, length: int, at: int) -> Any:
    array = memory.words_at(address, length)
    return len(array), array[at]


@numba.njit
def longs_read(address: int, length: int, at: int) -> Any:
    array = memory.longs_at(address, length)
    return len(array), array[at]


@numba.njit
def bytes_read(address: int, length: int, at: int) -> Any:
    array = memory.bytes_at(address, length)
    return len(array), array[at]


@numba.njit
def words_written(address: int, length: int, at: int, value: int) -> None:
    memory.words_at(address, length)[at] = value


@numba.njit
def longs_written(address: int, length: int, at: int, value: int) -> None:
    memory.longs_at(address, length)[at] = value


@numba.njit
def bytes_written(address: int, length: int, at: int, value: int) -> None:
    memory.bytes_at(address, length)[at] = value


@numba.njit
def address_of(text: bytes) -> int:
    return memory.bytes_of(text).ctypes.data


@numba.njit
def text_length(text: bytes) -> int:
    return len(memory.bytes_of(text))


@numba.njit
def text_read(text: bytes, at: int) -> int:
    return memory.bytes_of(text)[at]


KINDS = [
    pytest.param(np.int32, words_read, words_written, id="words"),
    pytest.param(np.int64, longs_read, longs_written, id="longs"),
    pytest.param(np.uint8, bytes_read, bytes_written, id="bytes"),
]


@pytest.mark.parametrize(("dtype", "read", "write"), KINDS)
def test_an_array_is_read_where_it_is(dtype: Any, read: Any, write: Any) -> None:
    array = np.arange(1, 21).astype(dtype)
    # Its beginning, and a part in the middle.
    for first, length in [(0, 20), (0, 1), (0, 7), (5, 3), (19, 1)]:
        address = int(array[first:].ctypes.data)
        for at in range(length):
            assert read(address, length, at) == (length, first + at + 1)


@pytest.mark.parametrize(("dtype", "read", "write"), KINDS)
def test_what_is_written_is_in_the_array(dtype: Any, read: Any, write: Any) -> None:
    array = np.zeros(20, dtype)
    extreme = int(np.iinfo(dtype).max)
    for at, value in [(0, 1), (7, extreme), (8, 2), (19, 3)]:
        write(int(array.ctypes.data), len(array), at, value)
    assert array.tolist() == [1, *[0] * 6, extreme, 2, *[0] * 10, 3]
    write(int(array[10:].ctypes.data), 5, 4, 9)
    assert array[14] == 9
    assert read(int(array.ctypes.data), 20, 7) == (20, extreme)


@pytest.mark.parametrize(("dtype", "read", "write"), KINDS[:2])
def test_numbers_below_zero_keep_their_sign(dtype: Any, read: Any, write: Any) -> None:
    least = int(np.iinfo(dtype).min)
    array = np.array([-1, least], dtype)
    assert [read(int(array.ctypes.data), 2, at)[1] for at in (0, 1)] == [-1, least]


MAKERS = [
    pytest.param(np.int32, memory.words_at, id="words"),
    pytest.param(np.int64, memory.longs_at, id="longs"),
    pytest.param(np.uint8, memory.bytes_at, id="bytes"),
]


@pytest.mark.parametrize(("dtype", "make"), MAKERS)
def test_an_array_can_be_empty(dtype: Any, make: Any) -> None:
    @numba.njit
    def length_of(address: int, length: int) -> int:
        return len(make(address, length))

    assert length_of(int(np.zeros(1, dtype).ctypes.data), 0) == 0


@pytest.mark.parametrize(("dtype", "make"), MAKERS)
def test_a_part_of_an_array_is_that_part(dtype: Any, make: Any) -> None:
    @numba.njit
    def read(address: int, length: int, first: int, step: int, at: int) -> int:
        return make(address, length)[first::step][at]

    array = np.arange(30).astype(dtype)
    for first, step in [(0, 1), (4, 1), (0, 2), (3, 5)]:
        part = array[first::step].tolist()
        found = [int(read(int(array.ctypes.data), 30, first, step, at)) for at in range(len(part))]
        assert found == part


@pytest.mark.parametrize("text", [b"", b"a", b"\x00\xff\x80", bytes(range(20)), b"x" * 35])
def test_the_bytes_of_a_text_are_read_where_they_are(text: bytes) -> None:
    assert text_length(text) == len(text)
    assert [text_read(text, at) for at in range(len(text))] == list(text)


def test_the_bytes_of_a_text_are_not_copied() -> None:
    text = b"not to be copied, however long it may be"
    assert address_of(text) == np.frombuffer(text, np.uint8).ctypes.data
