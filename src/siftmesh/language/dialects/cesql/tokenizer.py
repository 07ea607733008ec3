"""CloudEvents SQL text to words, numbers, strings and symbols."""

from __future__ import annotations

import re
from typing import NamedTuple, NoReturn

from siftmesh.errors import LimitExceeded, Span, SyntaxError
from siftmesh.language.limits import Limits
from siftmesh.model.values import has_surrogate

__all__ = ["END", "INTEGER", "KEYWORD", "NAME", "STRING", "SYMBOL", "Token", "tokenize"]

KEYWORD, NAME, INTEGER, STRING, SYMBOL, END = "keyword", "name", "integer", "string", "symbol", "end"
_KEYWORDS = frozenset(["AND", "OR", "XOR", "NOT", "LIKE", "EXISTS", "IN", "TRUE", "FALSE"])

_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<word>[A-Za-z0-9][A-Za-z0-9_]*)
      | (?P<string>'[^'\\]*(?:\\.[^'\\]*)*'|"[^"\\]*(?:\\.[^"\\]*)*")
      | (?P<symbol><=|>=|<>|!=|[-+*/%=<>(),])
      | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_SPACE = re.compile(r"[ \t\r\n]*")
# Inside '...' only \' is an escape, inside "..." only \"; every other backslash stands for itself.
_ESCAPED = {"'": re.compile(r"\\(?:(')|(.))", re.DOTALL), '"': re.compile(r'\\(?:(")|(.))', re.DOTALL)}


class Token(NamedTuple):
    """A word of the text; `value` is what it means: keywords in upper case, strings without their quotes."""

    kind: str
    value: str
    span: Span


def tokenize(source: str, limits: Limits) -> list[Token]:
    """All tokens of a text, END last."""
    if len(source) > limits.text:
        raise LimitExceeded(
            f"the expression has {len(source)} characters, the limit is {limits.text}",
            limit=limits.text,
            setting="text",
        )
    if has_surrogate(source):
        place = next(at for at, character in enumerate(source) if "\ud800" <= character <= "\udfff")
        raise SyntaxError(
            "the expression holds a lone surrogate",
            source=source,
            span=(place, place + 1),
            expected="valid Unicode text",
        )
    tokens: list[Token] = []
    at = 0
    while True:
        match = _TOKEN.match(source, at)
        if match is None:
            _refuse(source, _SPACE.match(source, at).end())  # type: ignore[union-attr]  # it matches anything
        tokens.append(_token(match))
        if tokens[-1].kind == END:
            return tokens
        at = match.end()


def _token(match: re.Match[str]) -> Token:
    group = str(match.lastgroup)
    text, span = match[group], match.span(group)
    if group == "word":
        if text.upper() in _KEYWORDS:
            return Token(KEYWORD, text.upper(), span)
        return Token(INTEGER if text.isdigit() else NAME, text, span)
    if group == "string":
        value = _ESCAPED[text[0]].sub(lambda escaped: escaped[1] or escaped[0], text[1:-1])
        return Token(STRING, value, span)
    return Token(SYMBOL if group == "symbol" else END, text, span)


def _refuse(source: str, at: int) -> NoReturn:
    if source[at] in "'\"":
        quote = source[at]
        raise SyntaxError(
            "this string does not end",
            source=source,
            span=(at, len(source)),
            expected=f"a closing {quote} (a quote inside is written \\{quote})",
        )
    raise SyntaxError(
        f"{source[at]!r} has no meaning in CloudEvents SQL",
        source=source,
        span=(at, at + 1),
        expected="a name, a literal or an operator",
    )
