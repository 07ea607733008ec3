"""Formatting a filter and parsing it again gives the same filter, however it is spelled."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from siftmesh.language import ast
from siftmesh.language.formatter import format_filter
from siftmesh.language.parser import parse
from siftmesh.language.tokenizer import RESERVED
from tests.reference.filters import conditions, with_parameters


@given(conditions(max_leaves=12))
def test_a_formatted_filter_parses_to_itself(condition: ast.Condition) -> None:
    assert parse(format_filter(condition)) == condition


@given(conditions().flatmap(with_parameters))
def test_a_formatted_template_parses_to_itself(template: tuple[ast.Condition, dict[str, Any]]) -> None:
    condition, bound = template
    parsed = parse(format_filter(condition))
    assert parsed == condition
    assert set(ast.parameters(parsed)) == set(bound)


@given(conditions())
def test_formatting_is_stable(condition: ast.Condition) -> None:
    text = format_filter(condition)
    assert format_filter(parse(text)) == text


@given(conditions(), st.data())
def test_the_case_of_keywords_and_the_space_between_tokens_do_not_matter(
    condition: ast.Condition, data: st.DataObject
) -> None:
    pieces = _outside_quotes(format_filter(condition))
    spelled = "".join(_respelled(piece, data) if free else piece for free, piece in pieces)
    assert parse(spelled) == condition


def _outside_quotes(text: str) -> list[tuple[bool, str]]:
    """The words of a text, each with whether it stands outside strings and quoted names."""
    pieces, start, quote = [], 0, ""
    for at, character in enumerate(text):
        if quote:
            if character == quote:
                pieces.append((False, text[start : at + 1]))
                start, quote = at + 1, ""
        elif character in "'\"":
            pieces += _words(text[start:at])
            start, quote = at, character
    return pieces + _words(text[start:])


def _words(text: str) -> list[tuple[bool, str]]:
    words = text.split(" ")
    spaced = [part for word in words for part in ((True, word), (True, " "))]
    return spaced[:-1]


def _respelled(piece: str, data: st.DataObject) -> str:
    if piece == " ":
        return data.draw(st.sampled_from([" ", "  ", "\n", "\t ", "\r\n"]))
    if piece in RESERVED:
        return data.draw(st.sampled_from([piece, piece.lower(), piece.capitalize()]))
    return piece


@given(conditions())
def test_spans_point_at_what_was_written(condition: ast.Condition) -> None:
    text = format_filter(condition)
    for node in ast.walk(parse(text)):
        start, end = node.span
        written = text[start:end]
        assert 0 <= start < end <= len(text)
        if isinstance(node, ast.Attribute):
            assert written.strip('"') == node.name.strip('"')
        elif isinstance(node, ast.Literal) and isinstance(node.value, str):
            assert written == "'" + node.value.replace("'", "''") + "'"
