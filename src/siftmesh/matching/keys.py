"""Ids and names of links of any sort as bytes for a file: what comes back is equal and of the same type."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from siftmesh.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["pack_keys", "unpack_keys"]

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


def pack_keys(keys: Sequence[Hashable], what: str) -> NDArray[np.uint8]:
    """Hashable values as bytes; one that would not come back as it was is refused, as `what` it is."""
    import numpy as np

    for key in keys:
        if not _comes_back(key):
            raise ConfigError(
                f"the {what} {key!r} cannot be written to a file: {what}s there are strings, "
                "integers of 64 bits, floats, bytes, None, or tuples of these"
            )
    return np.frombuffer(_encode(list(keys)), np.uint8)


def unpack_keys(packed: NDArray[np.uint8]) -> list[Hashable]:
    """The values that were packed."""
    return [_hashable(key) for key in _decode(packed.tobytes())]


def _comes_back(key: Hashable) -> bool:
    try:
        again = _hashable(_decode(_encode(key)))
    except (TypeError, ValueError, OverflowError, UnicodeError, msgspec.MsgspecError, RecursionError):
        return False
    return _same(again, key)


def _same(one: Any, other: Any) -> bool:
    """Whether two values are equal and of one type in all their parts; NaN, too, is the same as NaN."""
    if type(one) is not type(other):
        return False
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other or (one != one and other != other))


def _hashable(thing: Any) -> Any:
    # What was a list was no key: it was a tuple.
    return tuple(map(_hashable, thing)) if type(thing) is list else thing
