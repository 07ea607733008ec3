"""The text of a CloudEvents attribute: its canonical string encoding, which filters compare."""

from __future__ import annotations

from siftmesh.model.functions.registry import Function
from siftmesh.model.values import INT_MAX, INT_MIN, Kind, Timestamp, Value

__all__ = ["CLOUDEVENTS"]


def _text(value: Value) -> Value:
    """Booleans, integers, strings and timestamps have one; null, fractions, arrays and objects have none."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and INT_MIN <= value <= INT_MAX else None
    if isinstance(value, int):
        return str(value)
    return value.isoformat() if isinstance(value, Timestamp) else None


CLOUDEVENTS: tuple[Function, ...] = (Function("ce_text", 1, 1, Kind.STRING, _text),)
