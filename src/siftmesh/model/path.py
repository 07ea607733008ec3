"""Attribute names: dotted paths into nested objects, in one canonical spelling.

`data.price` has two steps; `"odd name".x` has two, the first quoted because it is no plain word. A canonical
name quotes a step only where it must, so two spellings of one path are one string.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["is_plain", "join", "quote", "split"]

_PLAIN = re.compile(r"[^\W\d]\w*\Z")
_STEP = re.compile(r'"((?:[^"]|"")*)"|([^".]+)')


def is_plain(step: str) -> bool:
    """Whether a step needs no quotes (a word: letters, digits and underscores, no digit first)."""
    return _PLAIN.match(step) is not None


def quote(step: str) -> str:
    """One step in its canonical spelling."""
    return step if is_plain(step) else '"' + step.replace('"', '""') + '"'


def join(steps: Iterable[str]) -> str:
    """The canonical name of a path."""
    return ".".join(quote(step) for step in steps)


def split(name: str) -> tuple[str, ...]:
    """The steps of a canonical name."""
    if '"' not in name:
        return tuple(name.split("."))
    return tuple(
        quoted.replace('""', '"') if plain == "" else plain
        for quoted, plain in (match.groups(default="") for match in _STEP.finditer(name))
    )
