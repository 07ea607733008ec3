from __future__ import annotations

import pytest

from siftmesh.errors import LimitExceeded, SyntaxError
from siftmesh.language.dialects.jms.tokenizer import END, tokenize
from siftmesh.language.limits import DEFAULT, Limits


def types(source: str) -> list[str]:
    return [token.type for token in tokenize(source, DEFAULT)]


def values(source: str) -> list[str | int | float]:
    return [token.value for token in tokenize(source, DEFAULT)[:-1]]


def test_words_symbols_and_literals() -> None:
    assert types("a>=b AND 'x' <>-1.5") == ["name", ">=", "name", "AND", "string", "<>", "-", "number", END]


def test_keywords_in_any_case_and_only_whole() -> None:
    assert types("between Between ANDY orx İN") == ["BETWEEN", "BETWEEN", "name", "name", "name", END]


def test_spans_point_into_the_text() -> None:
    source = " ab\t<= 'c''d' "
    assert [source[slice(*token.span)] for token in tokenize(source, DEFAULT)[:-1]] == ["ab", "<=", "'c''d'"]


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("0", 0), ("57", 57), ("57L", 57), ("1_000", 1000), ("0x1f", 31), ("0XFFl", 255), ("017", 15),
        ("00", 0), ("0b101", 5), ("9223372036854775807", 2**63 - 1), ("9223372036854775808", 2**63),
        ("0x7fffffffffffffff", 2**63 - 1),
    ],
)  # fmt: skip
def test_exact_numbers(source: str, value: int) -> None:
    assert values(source) == [value]
    assert type(values(source)[0]) is int


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("7.", 7.0), (".5", 0.5), ("9E3", 9000.0), ("9e+3", 9000.0), ("9e-3", 0.009), ("1.5d", 1.5),
        ("7D", 7.0), ("7f", 7.0), ("0.1f", 0.10000000149011612), ("010.5", 10.5), ("09.", 9.0),
        ("1_0.0_1", 10.01), ("0e0", 0.0),
    ],
)  # fmt: skip
def test_approximate_numbers(source: str, value: float) -> None:
    assert values(source) == [value]
    assert type(values(source)[0]) is float


@pytest.mark.parametrize(
    "source",
    [
        *("09", "0x", "0b2", "1_", "1__", "5a", "1.5x", "1e", "0x1p3", "1e999", "1e-400", "1e39f", "1e-50f"),
        *("9223372036854775809", "0x8000000000000000", "1" * 500),
    ],
)
def test_what_only_looks_like_a_number_is_refused(source: str) -> None:
    with pytest.raises(SyntaxError) as caught:
        tokenize(source, DEFAULT)
    assert caught.value.span is not None
    assert caught.value.span[0] == 0


def test_numbers_may_touch() -> None:
    assert values("1.2.3") == [1.2, 0.3]


def test_names_are_javas() -> None:
    assert values("_a $b €c é1 ⅷ a\u0301 a\u200db") == ["_a", "$b", "€c", "é1", "ⅷ", "a\u0301", "a\u200db"]


def test_strings_double_their_quotes() -> None:
    assert values("'' 'it''s' ''''") == ["", "it's", "'"]


@pytest.mark.parametrize("source", ["'open", "a ! b", 'a = "x"', "a\u00a0b", "a;b", "a.b", "\x01", "\ud800"])
def test_what_has_no_meaning_is_refused(source: str) -> None:
    with pytest.raises(SyntaxError) as caught:
        tokenize(source, DEFAULT)
    assert caught.value.span is not None


def test_long_texts_are_refused() -> None:
    with pytest.raises(LimitExceeded):
        tokenize("a" * 11, Limits(text=10))
