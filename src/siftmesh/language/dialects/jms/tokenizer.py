"""The words, literals and symbols of a JMS selector, by Java's rules for each."""

from __future__ import annotations

import math
import re
import struct
import unicodedata

import msgspec

from siftmesh.errors import LimitExceeded, Span, SyntaxError
from siftmesh.language.limits import Limits
from siftmesh.model.values import INT_MAX, has_surrogate

__all__ = ["END", "KEYWORDS", "Token", "tokenize"]

END = "end"
KEYWORDS = frozenset(["AND", "BETWEEN", "ESCAPE", "FALSE", "IN", "IS", "LIKE", "NOT", "NULL", "OR", "TRUE"])

_BLANK = " \t\f\r\n"
_SYMBOLS = ("<=", ">=", "<>", "<", ">", "=", "(", ")", ",", "+", "-", "*", "/")
_LONGEST_NUMBER = 400

_DIGITS = r"[0-9](?:[0-9_]*[0-9])?"
_HEX = r"[0-9a-fA-F](?:[0-9a-fA-F_]*[0-9a-fA-F])?"
_DOUBLE = re.compile(
    rf"(?:{_DIGITS}\.(?:{_DIGITS})?(?:[eE][+-]?{_DIGITS})?[fFdD]?"
    rf"|\.{_DIGITS}(?:[eE][+-]?{_DIGITS})?[fFdD]?"
    rf"|{_DIGITS}[eE][+-]?{_DIGITS}[fFdD]?"
    rf"|{_DIGITS}[fFdD])"
)
_LONG = re.compile(
    rf"(?:0[xX](?P<hex>{_HEX})|0[bB](?P<binary>[01](?:[01_]*[01])?)|(?P<plain>{_DIGITS}))[lL]?"
)

# Character categories that may start a Java identifier, and those that may only follow.
_STARTS = frozenset(["Lu", "Ll", "Lt", "Lm", "Lo", "Nl", "Sc", "Pc"])
_PARTS = _STARTS | {"Nd", "Mn", "Mc", "Cf"}
# Java lets these control characters pass inside an identifier.
_IGNORABLE = frozenset(map(chr, (*range(0x09), *range(0x0E, 0x1C), *range(0x7F, 0xA0))))


class Token(msgspec.Struct, frozen=True):
    """One token: `type` is a symbol, a keyword in capitals, `name`, `string`, `number` or END."""

    type: str
    span: Span
    value: str | int | float = ""


def tokenize(source: str, limits: Limits) -> list[Token]:
    """Split a selector into tokens, the last one END; what is none is refused with its place."""
    if len(source) > limits.text:
        raise LimitExceeded(
            f"the selector has {len(source)} characters, the limit is {limits.text}",
            limit=limits.text,
            setting="text",
        )
    if has_surrogate(source):
        place = next(i for i, c in enumerate(source) if "\ud800" <= c <= "\udfff")
        raise SyntaxError("the selector holds a lone surrogate", source=source, span=(place, place + 1))
    tokens: list[Token] = []
    at = 0
    while at < len(source):
        character = source[at]
        if character in _BLANK:
            at += 1
            continue
        if character == "'":
            token = _string(source, at)
        elif character in "0123456789" or (character == "." and source[at + 1 : at + 2].isdigit()):
            token = _number(source, at)
        elif _starts_name(character):
            token = _name(source, at)
        else:
            token = _symbol(source, at)
        tokens.append(token)
        at = token.span[1]
    tokens.append(Token(END, (at, at + 1)))
    return tokens


def _symbol(source: str, start: int) -> Token:
    for symbol in _SYMBOLS:
        if source.startswith(symbol, start):
            return Token(symbol, (start, start + len(symbol)))
    character = source[start]
    shown = character if character.isprintable() else repr(character)
    expected = "single quotes around a string" if character == '"' else None
    raise SyntaxError(
        f"{shown} has no meaning in a selector", source=source, span=(start, start + 1), expected=expected
    )


def _string(source: str, start: int) -> Token:
    at = start + 1
    while True:
        end = source.find("'", at)
        if end < 0:
            raise SyntaxError(
                "a string is not closed", source=source, span=(start, start + 1), expected="a closing '"
            )
        if source[end + 1 : end + 2] != "'":
            return Token("string", (start, end + 1), source[start + 1 : end].replace("''", "'"))
        at = end + 2


def _starts_name(character: str) -> bool:
    return unicodedata.category(character) in _STARTS


def _continues_name(character: str) -> bool:
    if character.isascii():
        return character.isalnum() or character in "_$" or character in _IGNORABLE
    return unicodedata.category(character) in _PARTS or character in _IGNORABLE


def _name(source: str, start: int) -> Token:
    end = start + 1
    while end < len(source) and _continues_name(source[end]):
        end += 1
    text = source[start:end]
    upper = text.upper()
    if upper in KEYWORDS and text.isascii():
        return Token(upper, (start, end))
    return Token("name", (start, end), text)


def _number(source: str, start: int) -> Token:
    for pattern, read in ((_DOUBLE, _read_double), (_LONG, _read_long)):
        match = pattern.match(source, start)
        if match is None:
            continue
        span = match.span()
        if span[1] < len(source) and _continues_name(source[span[1]]):
            break
        if span[1] - start > _LONGEST_NUMBER:
            raise SyntaxError("the number is too long", source=source, span=span)
        try:
            return Token("number", span, read(match))
        except OverflowError:
            what = "the number is too large"
        except ValueError as error:
            what = str(error)
        raise SyntaxError(what, source=source, span=span, expected="a number in the range of long or double")
    end = start
    while end < len(source) and (_continues_name(source[end]) or source[end] == "."):
        end += 1
    raise SyntaxError(
        f"{source[start:end]} is not a number",
        source=source,
        span=(start, end),
        expected="a Java number literal",
    )


def _read_double(match: re.Match[str]) -> float:
    text = match.group().replace("_", "")
    number = float(text.rstrip("fFdD"))
    if text[-1] in "fF":
        number = struct.unpack("<f", struct.pack("<f", number))[0]
    if math.isinf(number):
        raise OverflowError
    if number == 0 and re.search("[1-9]", re.split("[eE]", text)[0]):
        raise ValueError("the number is too small")  # Java takes none that rounds to zero
    return number


def _read_long(match: re.Match[str]) -> int:
    digits, base = match["plain"], 10
    if match["hex"] is not None:
        digits, base = match["hex"], 16
    elif match["binary"] is not None:
        digits, base = match["binary"], 2
    elif len(digits) > 1 and digits[0] == "0":
        base = 8
        if any(digit in "89" for digit in digits):
            raise ValueError("a number that starts with 0 is octal, and has no digit above 7")
    number = int(digits.replace("_", ""), base)
    # One more than the largest: only after a minus is that a long, which the parser sees to.
    if number > INT_MAX + (base == 10):
        raise OverflowError
    return number
