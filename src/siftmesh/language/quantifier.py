"""The quantifier SOME: one index of parallel arrays that satisfies a conjunction of comparisons."""

from __future__ import annotations

from typing import cast

from siftmesh.errors import Span, SyntaxError, nearest_name, shown
from siftmesh.language.ast import Attribute, Binding, Comparison, ComparisonOperator, Constant, Some
from siftmesh.language.cursor import Cursor
from siftmesh.language.tokenizer import COMPARISON, NAME, PARAMETER
from siftmesh.model.path import is_plain

__all__ = ["parse_some"]

_FLIPPED: dict[str, ComparisonOperator] = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


def parse_some(cursor: Cursor) -> Some:
    """SOME ( attribute AS word, ... : term AND ... )"""
    start = cursor.start
    cursor.advance()
    cursor.advance()
    bindings = [_binding(cursor)]
    while cursor.type == ",":
        cursor.advance()
        bindings.append(_binding(cursor))
    names = [binding.variable for binding in bindings]
    for earlier, binding in enumerate(bindings):
        if binding.variable in names[:earlier]:
            raise SyntaxError(
                f"{binding.variable} names two arrays",
                source=cursor.source,
                span=binding.span,
                expected="another word",
            )
    if cursor.type == PARAMETER:
        # In `ys AS y:x >= 45` the tokenizer saw a parameter; here it is a colon and a variable.
        cursor.tokens.types[cursor.at] = NAME
        cursor.tokens.texts[cursor.at] = cursor.text[1:]
        cursor.tokens.starts[cursor.at] += 1
        cursor.type = NAME
    else:
        cursor.expect(":", "a comma, or a colon and the comparisons")
    terms = _term(cursor, names)
    while cursor.type == "AND":
        cursor.advance()
        terms += _term(cursor, names)
    cursor.expect(")", "AND or a closing parenthesis (SOME takes a conjunction of comparisons)")
    return Some(tuple(bindings), tuple(terms), (start, cursor.end))


def _binding(cursor: Cursor) -> Binding:
    """attribute AS word"""
    array = cursor.attribute()
    cursor.expect("AS", "AS and a word for the element")
    if cursor.type not in (NAME, "AS", "ESCAPE") or not is_plain(cursor.text):
        cursor.refuse("a word for the element")
    variable = cursor.text
    cursor.advance()
    return Binding(array, variable, (array.span[0], cursor.end))


def _term(cursor: Cursor, names: list[str]) -> list[Comparison]:
    """variable comparison constant | constant comparison variable | variable BETWEEN constant AND constant"""
    if cursor.type == COMPARISON:
        whole = cursor.comparison()
        _check_variable(cursor, whole.left.name, whole.left.span, names)  # type: ignore[attr-defined]  # an attribute
        return [whole]
    start = cursor.start
    constant = cursor.constant()
    if constant is not None:
        operator = _FLIPPED[_comparison(cursor)]
        variable = _variable(cursor, names)
        return [Comparison(operator, variable, constant, (start, cursor.end))]
    variable = _variable(cursor, names)
    if cursor.type == "BETWEEN":
        cursor.advance()
        low: Constant = cursor.required_constant()
        cursor.expect("AND", "AND and the upper bound")
        high = cursor.required_constant()
        span = (start, cursor.end)
        return [Comparison(">=", variable, low, span), Comparison("<=", variable, high, span)]
    operator = _comparison(cursor)
    return [Comparison(operator, variable, cursor.required_constant(), (start, cursor.end))]


def _comparison(cursor: Cursor) -> ComparisonOperator:
    operator = cursor.type
    if operator not in _FLIPPED:
        cursor.refuse("a comparison with a constant")
    cursor.advance()
    return cast(ComparisonOperator, operator)


def _variable(cursor: Cursor, names: list[str]) -> Attribute:
    where, name = cursor.span, cursor.text
    _check_variable(cursor, name, where, names)
    cursor.advance()
    return Attribute(name, where)


def _check_variable(cursor: Cursor, name: str, where: Span, names: list[str]) -> None:
    if name not in names:
        near = nearest_name(name, names)
        raise SyntaxError(
            f"{shown(name) or 'nothing'} is no element of this SOME",
            source=cursor.source,
            span=where,
            expected=near or " or ".join(names),
        )
