"""A filter's text to its shape and its constants, without parsing it.

Filters that differ in their constants only have one shape: the text between the constants. A shape is parsed
once, as a template; later texts of that shape only fill it.
"""

from __future__ import annotations

import re
from typing import Any

from siftmesh.model.values import has_surrogate

__all__ = ["Shape", "split", "template_text"]

Shape = tuple[str, ...]

# What the shape shows in place of a string; a number's place is between two parts of the shape.
_STRING = "'"
# Stands for a doubled quote while the text is cut at the single ones.
_DOUBLED = "\0"
# One group only, so that `re.split` gives text and numbers in turn; and one set of first characters, for
# which the search is quick. A minus belongs to a number only where no value can stand before it. What is left
# out (durations, exponents, ...) stays in the shape as it is.
_NUMBER = re.compile(
    r"([-0-9](?:(?:(?<=[=<>(,][ ]-)|(?<=[=<>(,]-))[0-9]+|(?<=[0-9])(?<![\w.][0-9])[0-9]*)"
    r"(?:\.[0-9]+)?(?![\w.]))"
)
# With these about, the text between constants could hide what it means: quoted names, parameters and SOME's
# colon, comments; and strings that are no constants.
_UNFIT = re.compile(r"""[":]|--|/\*|\bESCAPE\b|\bTIMESTAMP\b""", re.IGNORECASE)
# Integers of fewer characters have at most 64 bits; longer ones are left to the parser.
_MOST_DIGITS = 19


def split(source: str) -> tuple[Shape, list[Any]] | None:
    """The shape of a text and its constants, strings first; None when the text must be parsed to know."""
    if has_surrogate(source):
        return None
    doubled = "''" in source
    if doubled:
        if _DOUBLED in source:
            return None
        source = source.replace("''", _DOUBLED)
    pieces = source.split("'")
    if not len(pieces) % 2 or '"' in source:
        return None
    constants: list[Any] = pieces[1::2]
    outside = _STRING.join(pieces[::2])
    if doubled:
        if _DOUBLED in outside:  # an empty string, or two strings side by side
            return None
        constants = [string.replace(_DOUBLED, "'") for string in constants]
    parts = _NUMBER.split(outside)
    for number in parts[1::2]:
        if len(number) >= _MOST_DIGITS:
            return None
        constants.append(float(number) if "." in number else int(number))
    return tuple(parts[::2]), constants


def template_text(shape: Shape) -> tuple[str, list[str]] | None:
    """The text of a shape with parameters for its constants, and their names in the order of `split`.

    None when texts of this shape must be parsed as they stand.
    """
    if any(_UNFIT.search(part) for part in shape):
        return None
    # Parameters stand apart, so that they cannot grow together with a word around them.
    text = " :number ".join(shape)
    pieces = re.split(r"(:number|')", text)
    names: dict[str, list[str]] = {_STRING: [], ":number": []}
    for place in range(1, len(pieces), 2):
        of_kind = names[pieces[place]]
        of_kind.append(f"_{'s' if pieces[place] == _STRING else 'n'}{len(of_kind)}")
        pieces[place] = f" :{of_kind[-1]} "
    return "".join(pieces), names[_STRING] + names[":number"]
