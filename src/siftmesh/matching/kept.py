"""Trees kept as bytes: of subscriptions that the bitmaps know all about, only to be given back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.layout import H_HEAP, HEADER
from siftmesh.kernels.pools import free_bytes, take_bytes
from siftmesh.logic.encode import decode_tree, encode_tree
from siftmesh.logic.tree import Tree

__all__ = ["KeptTrees"]

_LENGTH = (1 << 24) - 1
_LENGTH_BITS = 24


class KeptTrees:
    """The trees of subscriptions by their numbers."""

    def __init__(self) -> None:
        # Of each number where its bytes begin, and how many there are; 0 where there is no tree.
        self._spans = np.zeros(0, np.int64)
        self._words = np.zeros(HEADER, np.int32)
        self._words[H_HEAP] = 1
        self._heap = np.zeros(64, np.uint8)
        self._count = 0

    def keep(self, number: int, tree: Tree) -> None:
        """Keep the tree of a number that has none."""
        data = encode_tree(tree, _LENGTH)
        if number >= len(self._spans):
            self._spans = _longer(self._spans, number + 1)
        # A block is longer than what it holds by a quarter at most, and by what is read along.
        needed = 8 * int(self._words[H_HEAP]) + len(data) + len(data) // 4 + 32
        if needed > len(self._heap):
            self._heap = _longer(self._heap, needed)
        at = int(take_bytes(self._words, self._heap, len(data)))
        self._heap[at : at + len(data)] = np.frombuffer(data, np.uint8)
        self._spans[number] = (at << _LENGTH_BITS) | len(data)
        self._count += 1

    def drop(self, number: int) -> None:
        """Forget the tree of a number."""
        span = int(self._spans[number])
        free_bytes(self._words, self._heap, span >> _LENGTH_BITS, span & _LENGTH)
        self._spans[number] = 0
        self._count -= 1

    def tree(self, number: int) -> Tree:
        """The tree of a number."""
        span = int(self._spans[number])
        at = span >> _LENGTH_BITS
        return decode_tree(self._heap[at : at + (span & _LENGTH)].tobytes(), _LENGTH)

    def numbers(self) -> NDArray[np.int64]:
        """All numbers that have a tree."""
        return np.flatnonzero(self._spans)

    def __contains__(self, number: int) -> bool:
        return number < len(self._spans) and bool(self._spans[number])

    def __len__(self) -> int:
        return self._count

    def memory(self) -> dict[str, int]:
        """Bytes in use."""
        return {"kept trees": 8 * int(self._words[H_HEAP]) + self._spans.nbytes if self._count else 0}

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All there is, as arrays by name."""
        used = 8 * int(self._words[H_HEAP])
        return {"spans": self._spans, "words": self._words, "heap": self._heap[: used + 8]}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> KeptTrees:
        """What `to_arrays` was asked of."""
        made = cls()
        made._spans, made._words, made._heap = arrays["spans"], arrays["words"], arrays["heap"]
        made._count = int(np.count_nonzero(made._spans))
        return made


def _longer(array: NDArray[Any], least: int) -> NDArray[Any]:
    # What nobody writes to takes no memory, so room may be generous.
    longer = np.zeros(2 * least, array.dtype)
    longer[: len(array)] = array
    return longer
