"""What reads as a string in CloudEvents SQL without being one: numbers, booleans, timestamps, and so on."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator

from siftmesh.language import ast
from siftmesh.language.dialects.cesql.computed import call
from siftmesh.language.dialects.cesql.pieces import Piece, all_of, any_of
from siftmesh.language.dialects.cesql.sides import asked, compare, equal, like, listed, plain
from siftmesh.model.functions.cesql import INT32_MAX, INT32_MIN, cast, primitive
from siftmesh.model.pattern import compile_pattern
from siftmesh.model.rfc3339 import parse_rfc3339
from siftmesh.model.values import INT_MAX, INT_MIN, OPAQUE, Scalar, Timestamp

__all__ = ["foreign_readings", "number_named", "other_matches", "readings"]

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?(e[+-][0-9]+)?\Z")
_LONGEST_NUMBER = 320  # no double has more digits
_NUMBER_CHARACTERS = frozenset("0123456789-+.e")
_MOMENT_CHARACTERS = frozenset("0123456789-:.TZ")
_EPOCH = Timestamp(0)
# Beyond the largest double there is only infinity, which has no literal of its own.
_INFINITIES: dict[str, tuple[ast.ComparisonOperator, float]] = {
    "Infinity": (">", sys.float_info.max),
    "-Infinity": ("<", -sys.float_info.max),
}
# Arrays and objects are present but equal to no constant.
_UNCOMPARABLE = frozenset(str(primitive(value)) for value in ((), OPAQUE))


def readings(attribute: ast.Attribute, text: str) -> list[Piece]:
    """Every value of the attribute that reads as this string, the string itself first."""
    found = [equal(attribute, text)]
    if text in ("true", "false"):
        found.append(equal(attribute, text == "true"))
    number = number_named(text)
    if number is not None:
        found.append(equal(attribute, number))
    return [*found, *_odd_readings(attribute, text)]


def foreign_readings(attribute: ast.Attribute, texts: Iterable[str]) -> list[Piece]:
    """Values that read as one of these strings and are of none of CloudEvents SQL's kinds."""
    numbers: list[Scalar] = []
    found: list[Piece] = []
    for text in texts:
        number = number_named(text)
        if number is not None and not (isinstance(number, int) and INT32_MIN <= number <= INT32_MAX):
            numbers.append(number)
        found += _odd_readings(attribute, text)
    return [plain(attribute, listed(attribute, numbers)), *found] if numbers else found


def _odd_readings(attribute: ast.Attribute, text: str) -> Iterator[Piece]:
    """Infinities, timestamps, arrays and objects."""
    if text in _INFINITIES:
        yield plain(attribute, compare(attribute, *_INFINITIES[text]))
    value = call("string", attribute)
    same = asked(attribute, compare(value, "=", text))
    moment = parse_rfc3339(text)
    if moment is not None and moment.isoformat() == text:
        # The comparison alone would also take strings that spell the same moment in another way.
        yield all_of(plain(attribute, compare(attribute, "=", moment)), same)
    if text in _UNCOMPARABLE:
        yield same


def number_named(text: str) -> int | float | None:
    """The number that reads as this string, if there is one."""
    if len(text) > _LONGEST_NUMBER or not _NUMBER.match(text):
        return None
    number: int | float = float(text)
    if text.lstrip("-").isdigit():
        whole = int(text)
        number = whole if INT_MIN <= whole <= INT_MAX else number
    return number if str(primitive(number)) == text else None


def other_matches(attribute: ast.Attribute, pattern: str) -> Iterator[Piece]:
    """Values that are no strings and read as one that fits the canonical pattern."""
    value = call("string", attribute)
    fits = asked(attribute, like(value, pattern))
    compiled = compile_pattern(pattern)
    if any(compiled.matches(text) for text in _UNCOMPARABLE):
        yield fits
        return
    yield from (
        equal(attribute, flag) for flag in (False, True) if compiled.matches(str(cast(flag, str).value))
    )
    known = {character for segment in compiled.segments for character in segment if character is not None}
    possible: list[ast.Condition] = []
    if known <= _NUMBER_CHARACTERS or any(compiled.matches(text) for text in _INFINITIES):
        possible += [compare(attribute, "<", 0), compare(attribute, ">=", 0)]
    if known <= _MOMENT_CHARACTERS:
        possible += [compare(attribute, "<", _EPOCH), compare(attribute, ">=", _EPOCH)]
    if possible:
        yield all_of(any_of(*(plain(attribute, condition) for condition in possible)), fits)
