"""Arrays of a file by the part that they are of; and trees, where an index is made anew when it is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from siftmesh.logic.encode import decode_tree, encode_tree
from siftmesh.logic.tree import Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["part_of", "trees_from", "trees_to"]


def part_of(arrays: Mapping[str, NDArray[Any]], part: str) -> dict[str, NDArray[Any]]:
    """The arrays whose names begin with a part's, by the rest of their names."""
    head = f"{part}."
    return {name.removeprefix(head): found for name, found in arrays.items() if name.startswith(head)}


def trees_to(trees: Iterable[tuple[int, Tree]]) -> dict[str, NDArray[Any]]:
    """Trees by their numbers, as arrays."""
    import numpy as np

    numbers, texts = [], []
    for number, tree in trees:
        numbers.append(number)
        texts.append(encode_tree(tree))
    return {
        "numbers": np.array(numbers, np.int32),
        "ends": np.cumsum([len(text) for text in texts], dtype=np.int64),
        "trees": np.frombuffer(b"".join(texts), np.uint8),
    }


def trees_from(arrays: Mapping[str, NDArray[Any]]) -> Iterator[tuple[int, Tree]]:
    """What `trees_to` was given."""
    data = arrays["trees"].tobytes()
    start = 0
    for number, end in zip(arrays["numbers"].tolist(), arrays["ends"].tolist(), strict=True):
        yield number, decode_tree(data[start:end])
        start = end
