from __future__ import annotations

import pytest

from siftmesh.errors import LimitExceeded, SyntaxError
from siftmesh.language.dialects.cesql.tokenizer import (
    END,
    INTEGER,
    KEYWORD,
    NAME,
    STRING,
    SYMBOL,
    Token,
    tokenize,
)
from siftmesh.language.limits import DEFAULT, Limits


def kinds(source: str) -> list[tuple[str, str]]:
    return [token[:2] for token in tokenize(source, DEFAULT)]


def test_words_numbers_symbols() -> None:
    assert kinds("nOt 5abc<=007 CONCAT_WS(") == [
        (KEYWORD, "NOT"),
        (NAME, "5abc"),
        (SYMBOL, "<="),
        (INTEGER, "007"),
        (NAME, "CONCAT_WS"),
        (SYMBOL, "("),
        (END, ""),
    ]


def test_tokens_know_where_they_stand() -> None:
    assert tokenize(" a\t= 'x' \n", DEFAULT) == [
        Token(NAME, "a", (1, 2)),
        Token(SYMBOL, "=", (3, 4)),
        Token(STRING, "x", (5, 8)),
        Token(END, "", (10, 10)),
    ]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        (r"'it\'s'", "it's"),
        (r'"say \"x\""', 'say "x"'),
        (r"'a\"b'", r"a\"b"),
        (r"'a\b'", r"a\b"),
        (r"'a\\'", "a\\\\"),
        (r"'100\%'", r"100\%"),
        ("'a\nb'", "a\nb"),
        ('"it\'s"', "it's"),
        ("''", ""),
    ],
)
def test_only_the_quote_itself_is_escaped(source: str, value: str) -> None:
    assert kinds(source) == [(STRING, value), (END, "")]


@pytest.mark.parametrize(
    ("source", "span"),
    [
        ("a = 'x", (4, 6)),
        (r"a = 'x\'", (4, 8)),
        ("a # b", (2, 3)),
        ("_a", (0, 1)),
        ("é", (0, 1)),
        ("a\x0bb", (1, 2)),
    ],
)
def test_what_has_no_meaning_is_shown(source: str, span: tuple[int, int]) -> None:
    with pytest.raises(SyntaxError) as caught:
        tokenize(source, DEFAULT)
    assert caught.value.span == span
    assert caught.value.source == source
    assert caught.value.expected


def test_a_lone_surrogate_is_shown() -> None:
    with pytest.raises(SyntaxError, match="lone surrogate") as caught:
        tokenize("a = '\ud800'", DEFAULT)
    assert caught.value.span == (5, 6)


def test_a_text_may_be_too_long() -> None:
    assert len(tokenize("abcde", Limits(text=5))) == 2
    with pytest.raises(LimitExceeded) as caught:
        tokenize("abcdef", Limits(text=5))
    assert caught.value.limit == 5
