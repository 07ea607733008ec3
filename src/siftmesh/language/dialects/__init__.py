"""Foreign filter languages; each lowers to the syntax tree of our own."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from siftmesh.errors import ConfigError, nearest_name
from siftmesh.language.ast import Condition
from siftmesh.language.limits import DEFAULT, Limits

__all__ = ["DIALECTS", "read"]

# Where each dialect's reader lives; imported when first used, since most programs use one dialect.
DIALECTS: dict[str, tuple[str, str]] = {
    "cesql": ("siftmesh.language.dialects.cesql", "parse_cesql"),
    "cloudevents": ("siftmesh.language.dialects.cloudevents", "parse_cloudevents"),
    "eventbridge": ("siftmesh.language.dialects.eventbridge", "parse_eventbridge"),
    "jms": ("siftmesh.language.dialects.jms", "parse_jms"),
    "sql": ("siftmesh.language.parser", "parse"),
}


def read(source: Any, dialect: object, limits: Limits = DEFAULT) -> Condition:
    """Parse a filter of the named dialect (text, or decoded JSON where the dialect is JSON)."""
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        near = nearest_name(str(dialect), DIALECTS)
        raise ConfigError(f"there is no dialect {dialect!r}; expected {near or ', '.join(sorted(DIALECTS))}")
    module, function = DIALECTS[dialect]
    reader: Callable[[Any, Limits], Condition] = getattr(import_module(module), function)
    return reader(source, limits)
