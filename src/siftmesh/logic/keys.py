"""Values as 64-bit ints of the same order, so that histograms need to know nothing of values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from siftmesh.model.values import Kind

__all__ = ["float_keys", "floats_of", "has_own_key", "key_of", "keys_of", "number_of"]

_ALL_BUT_SIGN = np.int64(2**63 - 1)
# From here on several ints have one double.
_ONE_DOUBLE_EACH = 2**53
_BYTES = 8


def keys_of(kind: Kind, values: Sequence[object]) -> NDArray[np.int64]:
    """The keys of values of one kind (moments as microseconds): greater values never have smaller keys."""
    if kind == Kind.NUMBER:
        # Adding zero makes 0.0 of -0.0.
        return float_keys(np.array(values, dtype=np.float64) + 0.0)
    if kind == Kind.STRING:
        return np.array([_beginning(text) for text in values], dtype=np.int64)  # type: ignore[arg-type]  # by kind
    return np.array(values, dtype=np.int64)


def key_of(kind: Kind, value: object) -> int:
    """The key of one value."""
    if kind == Kind.STRING:
        return _beginning(value)  # type: ignore[arg-type]  # by its kind
    return int(keys_of(kind, [value])[0])


def has_own_key(kind: Kind, value: object) -> bool:
    """Whether no other value has the key of this one."""
    if kind == Kind.NUMBER:
        return -_ONE_DOUBLE_EACH < value < _ONE_DOUBLE_EACH  # type: ignore[operator]  # a number, by its kind
    return kind == Kind.TIMESTAMP


def number_of(key: int) -> int | float:
    """The number that has a key, an int if it is whole."""
    number = float(floats_of(np.array([key], dtype=np.int64))[0])
    return int(number) if number.is_integer() else number


def float_keys(numbers: NDArray[np.float64]) -> NDArray[np.int64]:
    """The bits of doubles as ints of their order; those of -0.0 come just before those of 0.0."""
    bits = np.ascontiguousarray(numbers, dtype=np.float64).view(np.int64)
    return np.where(bits < 0, bits ^ _ALL_BUT_SIGN, bits)


def floats_of(keys: NDArray[np.int64]) -> NDArray[np.float64]:
    """The doubles of such ints."""
    return np.where(keys < 0, keys ^ _ALL_BUT_SIGN, keys).view(np.float64)


def _beginning(text: str) -> int:
    """The first 63 bits: UTF-8 is ordered as strings are."""
    return int.from_bytes(text[:_BYTES].encode()[:_BYTES].ljust(_BYTES, b"\0"), "big") >> 1
