"""Text to tokens: one pass of one compiled expression; nothing of the text becomes an expression itself."""

from __future__ import annotations

import re

import msgspec

from siftmesh.errors import LimitExceeded, SyntaxError
from siftmesh.language.limits import Limits
from siftmesh.model.values import has_surrogate

__all__ = [
    "COMPARISON",
    "CONTEXTUAL",
    "END",
    "KEYWORDS",
    "NAME",
    "NUMBER",
    "PARAMETER",
    "QUOTED",
    "RESERVED",
    "STRING",
    "Tokens",
    "tokenize",
]

# The type of a token: one of these, or the symbol or upper-case keyword itself.
NAME = "name"
QUOTED = "quoted"
NUMBER = "number"
STRING = "string"
PARAMETER = "parameter"
END = "end of filter"
# A whole `attribute = constant`: most of every filter consists of these, and taking one in a single step more
# than halves the time that parsing takes.
COMPARISON = "comparison"

# Words that cannot stand for an attribute unless quoted.
RESERVED = frozenset(["AND", "OR", "NOT", "IN", "LIKE", "ILIKE", "BETWEEN", "IS", "NULL", "TRUE", "FALSE"])
# Words with a meaning only where the grammar has a place for them; elsewhere they are attributes.
CONTEXTUAL = frozenset(["EXISTS", "CONTAINS", "OVERLAPS", "SOME", "TIMESTAMP", "ESCAPE", "AS"])

_TOKEN = re.compile(
    r"""\s*(?:
      (?P<name>[^\W\d]\w*(?:\.[^\W\d]\w*)*)
    | (?P<string>'[^']*(?:''[^']*)*')
    | (?P<number>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?\w*)
    | (?P<symbol>--|/\*|<=|>=|<>|!=|==|&&|\|\||[=<>(),+\-*/%.])
    | (?P<parameter>:[^\W\d]\w*)
    | (?P<colon>:)
    | (?P<quoted>"[^"]*(?:""[^"]*)*")
    | (?P<end>\Z)
    | (?P<bad>.)
    )""",
    re.VERBOSE | re.DOTALL,
)

# Only where a condition starts, and only if AND, OR, a closing parenthesis or the end follows: nothing then
# binds more tightly than the comparison itself. What follows is taken along.
_COMPARISON = re.compile(
    r"""\s*([^\W\d]\w*(?:\.[^\W\d]\w*)*)\s*(<=|>=|<>|!=|=|<|>)\s*"""
    r"""('[^']*(?:''[^']*)*'|-?[0-9]{1,18}(?:\.[0-9]+)?(?!\w)|TRUE\b|FALSE\b)\s*(?:(AND|OR|and|or)\b|(\))|\Z)"""
)
_CONNECTIVE, _CLOSING = 4, 5
_STARTS_CONDITION = frozenset(["AND", "OR", "NOT", "("])

KEYWORDS = RESERVED | CONTEXTUAL
# The spellings met most often; any other mix of cases takes one step more.
_SPELLINGS = {spelling: word for word in KEYWORDS for spelling in (word, word.lower())}
_LONGEST_KEYWORD = max(map(len, KEYWORDS))

_INSTEAD = {
    "==": "= for equality",
    "&&": "AND",
    "||": "OR (or concat(a, b) to join strings)",
    "--": "no comments: the language has none (for a double minus, write a space between)",
    "/*": "no comments: the language has none",
    "!": "NOT, or <> for inequality",
    ";": "one filter, without a semicolon",
    "`": 'double quotes around an odd attribute name, as in "odd name"',
    "[": "parentheses around a list, as in IN (1, 2)",
    "{": "parentheses",
}


class Tokens(msgspec.Struct):
    """The tokens of a text as parallel lists, the last one being END."""

    source: str
    types: list[str]
    texts: list[str]
    starts: list[int]
    # For each COMPARISON its attribute, operator and constant, as groups 1 to 3.
    comparisons: dict[int, re.Match[str]]


def tokenize(source: str, limits: Limits) -> Tokens:
    """Split a filter into tokens, or say which character has no place in one."""
    if len(source) > limits.text:
        raise LimitExceeded(
            f"the filter has {len(source)} characters, the limit is {limits.text}",
            limit=limits.text,
            setting="text",
        )
    if has_surrogate(source):
        place = next(i for i, c in enumerate(source) if "\ud800" <= c <= "\udfff")
        raise SyntaxError("the filter holds a lone surrogate", source=source, span=(place, place + 1))
    types: list[str] = []
    texts: list[str] = []
    starts: list[int] = []
    comparisons: dict[int, re.Match[str]] = {}
    keyword, whole, token = _SPELLINGS.get, _COMPARISON.match, _TOKEN.match
    at, condition_starts = 0, True
    while True:
        if condition_starts:
            condition_starts = False
            match = whole(source, at)
            if match is not None and match[1].upper() not in KEYWORDS:
                comparisons[len(types)] = match
                types.append(COMPARISON)
                start = match.start(1)
                texts.append(source[start : match.end(3)])
                starts.append(start)
                at = match.end()
                follower = match.lastindex
                if follower == _CONNECTIVE:
                    text = match[_CONNECTIVE]
                    types.append(text if text in KEYWORDS else text.upper())
                    texts.append(text)
                    starts.append(at - len(text))
                    condition_starts = True
                elif follower == _CLOSING:
                    types.append(")")
                    texts.append(")")
                    starts.append(at - 1)
                continue
        match = token(source, at)
        assert match is not None, "the last alternative takes any character"
        at = match.end()
        kind = match.lastgroup
        text = match[kind]  # type: ignore[index]  # every alternative is a named group
        if kind == "name":
            found = keyword(text)
            # Outside ASCII some letters have a keyword's letter as their capital.
            if found is None and len(text) <= _LONGEST_KEYWORD and text.isascii():
                found = keyword(text.upper())
            types.append(found or NAME)
            condition_starts = found in _STARTS_CONDITION
        elif kind == "symbol":
            if text in _INSTEAD:
                _refuse(source, at - len(text), text)
            types.append("<>" if text == "!=" else text)
            condition_starts = text == "("
        elif kind == "end":
            types.append(END)
            texts.append("")
            starts.append(at)
            return Tokens(source, types, texts, starts, comparisons)
        elif kind == "bad":
            _refuse(source, at - 1, text)
        else:
            types.append(":" if kind == "colon" else kind)  # type: ignore[arg-type]  # a named group
        texts.append(text)
        starts.append(at - len(text))


def _refuse(source: str, start: int, text: str) -> None:
    if text in ("'", '"'):
        what = "a string is not closed" if text == "'" else "a quoted name is not closed"
        raise SyntaxError(what, source=source, span=(start, start + 1), expected=f"a closing {text}")
    shown = text if text.isprintable() else repr(text)
    raise SyntaxError(
        f"{shown} has no meaning here",
        source=source,
        span=(start, start + len(text)),
        expected=_INSTEAD.get(text),
    )
