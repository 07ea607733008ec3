"""A filter's text to its shape and its constants, without parsing it.

Filters that differ in their constants only have one shape: the text between the literals, and the literals' types. A
shape is parsed once, as a template; later texts of that shape only fill it.
"""

from __future__ import annotations

import re
from typing import Any

from siftmesh.errors import SyntaxError
from siftmesh.language.literals import number_value

__all__ = ["Shape", "split", "template_text"]

Shape = tuple[Any, ...]

# One group only, so that `re.split` gives text and literals in turn. A minus belongs to a number where no value can
# stand before it.
_LITERAL = re.compile(
    r"""('[^']*(?:''[^']*)*'"""
    r"""|(?:(?:(?<=[=<>(,])|(?<=[=<>(,][ ]))-)?(?<![\w.:])(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\w*)"""
)
# With these about, the text between literals could hide what it means: quoted names, parameters, SOME's colon,
# comments; and literals that are no constants.
_UNFIT = re.compile(r"""[":]|--|/\*|\bESCAPE\b|\bTIMESTAMP\b""", re.IGNORECASE)


def split(source: str) -> tuple[Shape, list[Any]] | None:
    """The shape of a text and its constants, or None when a literal is out of range."""
    parts = _LITERAL.split(source)
    constants: list[Any] = []
    for literal in parts[1::2]:
        if literal[0] == "'":
            constants.append(literal[1:-1].replace("''", "'"))
        elif literal.isdigit() and len(literal) < 19:
            constants.append(int(literal))
        else:
            number = _number(literal)
            if number is None:
                return None
            constants.append(number)
    return (*parts[::2], *map(type, constants)), constants


def _number(literal: str) -> int | float | None:
    negative = literal[0] == "-"
    try:
        return number_value(literal[1:] if negative else literal, literal, (0, len(literal)), negative)
    except SyntaxError:
        return None


def template_text(shape: Shape) -> str | None:
    """The text of a shape with a parameter for each literal, or None when it must be parsed as it stands."""
    between = [part for part in shape if isinstance(part, str)]
    if any(_UNFIT.search(text) for text in between):
        return None
    # The parameter stands apart, so that it cannot grow together with a word around it.
    return "".join(
        text if place == 0 else f" :_{place - 1} {text}" for place, text in enumerate(between)
    )
