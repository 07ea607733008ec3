"""What JSON cannot say, spelled as an object with one key, such as {"$float": "nan"}."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime
from decimal import Decimal
from typing import Any

__all__ = ["decoded"]

_DECODERS: dict[str, Callable[[Any], Any]] = {
    "$float": float,
    "$decimal": Decimal,
    "$bytes": bytes.fromhex,
    "$timestamp": datetime.fromisoformat,
    "$naive": datetime.fromisoformat,
    "$date": date.fromisoformat,
    "$complex": lambda parts: complex(*parts),
}


def decoded(thing: Any) -> Any:
    """A value of an event or a parameter, as read from JSON."""
    if isinstance(thing, list):
        return [decoded(item) for item in thing]
    if not isinstance(thing, dict):
        return thing
    for key, decode in _DECODERS.items():
        if list(thing) == [key]:
            return decode(thing[key])
    return {key: decoded(value) for key, value in thing.items()}
