"""Text to tokens."""

from __future__ import annotations

import pytest

from siftmesh.errors import LimitExceeded, SyntaxError
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.language.tokenizer import COMPARISON, END, NAME, NUMBER, PARAMETER, QUOTED, STRING, tokenize


def tokens(text: str) -> list[tuple[str, str]]:
    found = tokenize(text, DEFAULT)
    assert (found.types[-1], found.texts[-1]) == (END, "")
    for text_of, start in zip(found.texts, found.starts, strict=True):
        assert text[start : start + len(text_of)] == text_of
    return list(zip(found.types[:-1], found.texts[:-1], strict=True))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" \t\n ", []),
        ("a", [(NAME, "a")]),
        ("data.price", [(NAME, "data.price")]),
        ("größe_1", [(NAME, "größe_1")]),
        ('"odd ""x"" name".y', [(QUOTED, '"odd ""x"" name"'), (".", "."), (NAME, "y")]),
        ("and And AND", [("AND", "and"), ("AND", "And"), ("AND", "AND")]),
        ("Exists eScape", [("EXISTS", "Exists"), ("ESCAPE", "eScape")]),
        ("a.and", [(NAME, "a.and")]),
        ("android", [(NAME, "android")]),
        ("ın ıs lıke", [(NAME, "ın"), (NAME, "ıs"), (NAME, "lıke")]),
        ("ſome", [(NAME, "ſome")]),
        ("'it''s' ''", [(STRING, "'it''s'"), (STRING, "''")]),
        ("1 1.5 .5 1. 1e9 2d 1_0", [(NUMBER, n) for n in ("1", "1.5", ".5", "1.", "1e9", "2d", "1_0")]),
        (":p :_0", [(PARAMETER, ":p"), (PARAMETER, ":_0")]),
        ("x: 1", [(NAME, "x"), (":", ":"), (NUMBER, "1")]),
        ("<> != <= >= < > =", [("<>", "<>"), ("<>", "!="), *((o, o) for o in ("<=", ">=", "<", ">", "="))]),
        ("+-*/%(),.", [(s, s) for s in "+-*/%(),."]),
    ],
)
def test_the_text_is_cut_into_tokens(text: str, expected: list[tuple[str, str]]) -> None:
    assert tokens(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "a = 1",
        "a = TRUE",
        "a.b<>'x'",
        "a>=-1.5",
        "(a = 1)",
        "NOT a = 1",
        "b = 2 AND a = 'it''s'",
        "a = 1 or b = 2",
    ],
)
def test_a_comparison_with_a_constant_is_one_token(text: str) -> None:
    assert COMPARISON in [kind for kind, _ in tokens(text)]


@pytest.mark.parametrize(
    "text",
    [
        "a = 1 + 1",
        "a = 1d",
        "a = 1.",
        "a = 1e5",
        "a = 1234567890123456789",
        "a = b",
        "a = :p",
        "a = True",
        "a = 'x' 'y'",
        "1 = a",
        "b + a = 1",
        "some = 1",
        "a = 1 android",
        "a = 1²",
    ],
)
def test_what_is_more_than_that_is_several(text: str) -> None:
    assert COMPARISON not in [kind for kind, _ in tokens(text)]


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        ("a ? b", "?"),
        ("a = 'x", "'"),
        ('"a', '"'),
        ("a == 1", "=="),
        ("a -- b", "--"),
        ("\x00", "\x00"),
        ("a = '\udc00'", "\udc00"),
    ],
)
def test_what_has_no_place_in_a_filter_is_shown(text: str, bad: str) -> None:
    with pytest.raises(SyntaxError) as caught:
        tokenize(text, DEFAULT)
    assert caught.value.span is not None
    assert text[slice(*caught.value.span)] == bad


def test_a_text_has_a_limit() -> None:
    tokenize("a = 1", Limits(text=5))
    with pytest.raises(LimitExceeded, match="has 6 characters, the limit is 5"):
        tokenize("a = 12", Limits(text=5))
