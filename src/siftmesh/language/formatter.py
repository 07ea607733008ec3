"""A syntax tree to text that parses to the same tree."""

from __future__ import annotations

from itertools import repeat

from siftmesh.language.ast import (
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Comparison,
    Contains,
    Exists,
    Expression,
    In,
    IsNull,
    IsTrue,
    Like,
    Literal,
    Negate,
    Node,
    Not,
    Or,
    Overlaps,
    Parameter,
    Some,
    Truth,
)
from siftmesh.language.tokenizer import RESERVED
from siftmesh.model.values import Scalar, Timestamp

__all__ = ["format_attribute", "format_constant", "format_filter"]

# How tightly a node's own operator binds; a child that binds less needs parentheses.
_TIGHTNESS: dict[type, int] = {Or: 10, And: 20, Not: 30}
_PREDICATE, _ADD, _MULTIPLY, _MINUS, _ATOM = 40, 50, 60, 70, 80


def format_filter(node: Node) -> str:
    """Write a condition or expression in the language; `parse` of it gives an equal tree."""
    return _WRITERS[type(node)](node)


def format_constant(value: Scalar) -> str:
    """A constant as a literal of the language."""
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, Timestamp):
        return f"TIMESTAMP '{value.isoformat()}'"
    return repr(value)


def format_attribute(name: str) -> str:
    """A canonical attribute name as it is written: a reserved word needs quotes."""
    first, dot, rest = name.partition(".")
    # In `and.b` the word is no word by itself; in `and."odd name"` it is.
    if first.upper() in RESERVED and (not dot or rest.startswith('"')):
        return f'"{first}"{dot}{rest}'
    return name


def _tightness(node: Node) -> int:
    if isinstance(node, Arithmetic):
        return _ADD if node.operator in "+-" else _MULTIPLY
    if isinstance(node, Negate):
        return _MINUS
    if isinstance(node, (Expression, Truth, IsTrue, Exists, Some)):
        return _ATOM
    return _TIGHTNESS.get(type(node), _PREDICATE)


def _inside(node: Node, tightness: int) -> str:
    """A child, in parentheses unless it binds at least as tightly as asked."""
    text = _WRITERS[type(node)](node)
    return text if _tightness(node) >= tightness else f"({text})"


def _arithmetic(node: Arithmetic) -> str:
    own = _tightness(node)
    return f"{_inside(node.left, own)} {node.operator} {_inside(node.right, own + 1)}"


def _negate(node: Negate) -> str:
    if isinstance(node.operand, Literal):  # a number right after the minus would become a negative literal
        return f"-({format_filter(node.operand)})"
    # Two minuses side by side would be a comment sign.
    return f"-{' ' if isinstance(node.operand, Negate) else ''}{_inside(node.operand, _MINUS)}"


def _call(node: Call) -> str:
    return f"{node.function}({', '.join(format_filter(argument) for argument in node.arguments)})"


def _comparison(node: Comparison) -> str:
    return f"{_inside(node.left, _ADD)} {node.operator} {_inside(node.right, _ADD)}"


def _between(node: Between) -> str:
    verb = "NOT BETWEEN" if node.negated else "BETWEEN"
    return f"{_inside(node.operand, _ADD)} {verb} {_inside(node.low, _ADD)} AND {_inside(node.high, _ADD)}"


def _items(items: tuple[Expression, ...]) -> str:
    return f"({', '.join(format_filter(item) for item in items)})"


def _in(node: In) -> str:
    return f"{_inside(node.operand, _ADD)} {'NOT IN' if node.negated else 'IN'} {_items(node.items)}"


def _like(node: Like) -> str:
    verb = ("NOT " if node.negated else "") + ("ILIKE" if node.ignore_case else "LIKE")
    escape = "" if node.escape is None else f" ESCAPE {format_constant(node.escape)}"
    return f"{_inside(node.operand, _ADD)} {verb} {format_filter(node.pattern)}{escape}"


def _is_null(node: IsNull) -> str:
    return f"{_inside(node.operand, _ADD)} IS {'NOT ' if node.negated else ''}NULL"


def _some(node: Some) -> str:
    arrays = ", ".join(f"{format_filter(binding.array)} AS {binding.variable}" for binding in node.bindings)
    return f"SOME ({arrays}: {' AND '.join(_comparison(term) for term in node.terms)})"


def _chain(node: And | Or) -> str:
    word = " AND " if isinstance(node, And) else " OR "
    # One tighter than the node itself: a nested chain of the same sort was written in parentheses.
    return word.join(map(_inside, node.operands, repeat(_TIGHTNESS[type(node)] + 1)))


def _not(node: Not) -> str:
    return f"NOT {_inside(node.operand, _TIGHTNESS[Not])}"


_WRITERS = {
    Literal: lambda node: format_constant(node.value),
    Attribute: lambda node: format_attribute(node.name),
    Parameter: lambda node: f":{node.name}",
    Negate: _negate,
    Arithmetic: _arithmetic,
    Call: _call,
    Truth: lambda node: "TRUE" if node.value else "FALSE",
    IsTrue: lambda node: format_filter(node.operand),
    Comparison: _comparison,
    Between: _between,
    In: _in,
    Like: _like,
    IsNull: _is_null,
    Exists: lambda node: f"EXISTS({format_filter(node.attribute)})",
    Contains: lambda node: f"{format_filter(node.array)} CONTAINS {format_filter(node.item)}",
    Overlaps: lambda node: f"{format_filter(node.array)} OVERLAPS {_items(node.items)}",
    Some: _some,
    Not: _not,
    And: _chain,
    Or: _chain,
}
