"""The parts of the grammar without recursion: constants, lists and attribute paths."""

from __future__ import annotations

import pytest

from siftmesh.errors import LimitExceeded, SyntaxError
from siftmesh.language import ast
from siftmesh.language.cursor import Cursor
from siftmesh.language.limits import DEEPEST, DEFAULT, Limits
from siftmesh.language.tokenizer import END
from siftmesh.model.values import INT_MIN, Timestamp


def at(text: str) -> Cursor:
    return Cursor(text, DEFAULT)


@pytest.mark.parametrize(
    ("text", "node"),
    [
        ("5", ast.Literal(5)),
        ("-5", ast.Literal(-5)),
        ("- 5", ast.Literal(-5)),
        ("-9223372036854775808", ast.Literal(INT_MIN)),
        ("1.0", ast.Literal(1.0)),
        ("2h", ast.Literal(7200)),
        ("'it''s'", ast.Literal("it's")),
        ("true", ast.Literal(True)),
        ("FALSE", ast.Literal(False)),
        ("TIMESTAMP '1970-01-01'", ast.Literal(Timestamp(0))),
        (":p", ast.Parameter("p")),
    ],
)
def test_a_constant_is_read_whole(text: str, node: ast.Node) -> None:
    cursor = at(text)
    found = cursor.constant()
    assert found == node
    assert found is not None
    assert text[slice(*found.span)] == text
    assert cursor.type == END


@pytest.mark.parametrize("text", ["a", '"a"', "timestamp", "timestamp = 1", "- a", "(", "", "NOT"])
def test_what_is_no_constant_is_left_alone(text: str) -> None:
    cursor = at(text)
    assert cursor.constant() is None
    assert cursor.at == 0


def test_null_is_no_constant_and_says_what_to_write() -> None:
    with pytest.raises(SyntaxError) as caught:
        at("NULL").constant()
    assert caught.value.expected == "IS NULL or IS NOT NULL"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a", "a"),
        ("data.price", "data.price"),
        ('"a"', "a"),
        ('"odd name"."x"', '"odd name".x'),
        ('"say ""x"""', '"say ""x"""'),
        ('a . "b c" . d.e', 'a."b c".d.e'),
        ('"and"', "and"),
        ('"and"."odd name"', 'and."odd name"'),
        ('"odd name".and', '"odd name".and'),
        ("exists", "exists"),
        ("timestamp.x", "timestamp.x"),
        ("²", "²"),
    ],
)
def test_an_attribute_has_its_canonical_name(text: str, name: str) -> None:
    cursor = at(text)
    found = cursor.attribute()
    assert found.name == name
    assert text[slice(*found.span)] == text
    assert cursor.type == END


@pytest.mark.parametrize("text", ["", "5", "'a'", ":a", "and", "(", "a.", 'a.""."', "a = 1", "x .'y'"])
def test_what_is_no_attribute_is_refused(text: str) -> None:
    with pytest.raises(SyntaxError):
        at(text).attribute()


def test_a_list_is_one_constant_or_more() -> None:
    assert at("(1, 'a', :p)").constants() == (ast.Literal(1), ast.Literal("a"), ast.Parameter("p"))
    for text in ("()", "(1,)", "(1", "1", "(1 2)", "(a)"):
        with pytest.raises(SyntaxError):
            at(text).constants()


def test_a_refusal_shows_the_token_cut_where_it_gets_long() -> None:
    with pytest.raises(SyntaxError) as caught:
        at("'" + "x" * 1_000 + "'").refuse("something else")
    assert len(caught.value.what) < 100


def test_depth_is_counted() -> None:
    cursor = Cursor("a", Limits(depth=2))
    cursor.deeper()
    cursor.deeper()
    with pytest.raises(LimitExceeded) as caught:
        cursor.deeper()
    assert caught.value.limit == 2


def test_no_limit_on_depth_is_above_the_deepest() -> None:
    cursor = Cursor("a", Limits(depth=10**9))
    cursor.check_depth(DEEPEST)
    with pytest.raises(LimitExceeded) as caught:
        cursor.check_depth(DEEPEST + 1)
    assert caught.value.limit == DEEPEST
