"""A Tree back to text in the language, so that people can read what is asked, pruned or sent."""

from __future__ import annotations

import math
from typing import Any

from siftmesh.language.formatter import format_attribute, format_constant
from siftmesh.logic.tree import (
    And,
    Apply,
    Expression,
    Fixed,
    Get,
    Leaf,
    Operator,
    Or,
    Predicate,
    Quantified,
    Tree,
)
from siftmesh.model.values import Kind, Timestamp

__all__ = ["render", "render_expression", "render_value"]

_COMPARISONS = {
    Operator.EQ: "=",
    Operator.NE: "<>",
    Operator.LT: "<",
    Operator.LE: "<=",
    Operator.GT: ">",
    Operator.GE: ">=",
}
_LISTS = {Operator.IN: "IN", Operator.NOT_IN: "NOT IN"}
_PATTERNS = {
    Operator.LIKE: "LIKE",
    Operator.NOT_LIKE: "NOT LIKE",
    Operator.ILIKE: "ILIKE",
    Operator.NOT_ILIKE: "NOT ILIKE",
}
_ARITHMETIC = frozenset("+-*/%")
_INFINITE: dict[Any, str] = {math.inf: "float('1e999')", -math.inf: "float('-1e999')"}


def render(tree: Tree) -> str:
    """The tree as a filter; reading it gives the tree again, unless its parentheses make it too deep."""
    if isinstance(tree, And):
        if not tree.children:
            return "TRUE"
        return " AND ".join(map(_grouped, tree.children))
    if isinstance(tree, Or):
        if not tree.children:
            return "FALSE"
        return " OR ".join(map(_grouped, tree.children))
    return _leaf(tree)


def _grouped(child: Tree) -> str:
    # An And below an Or needs no parentheses, but people read it better with them.
    return f"({render(child)})" if isinstance(child, (And, Or)) and child.children else render(child)


def _leaf(leaf: Leaf) -> str:
    if isinstance(leaf, Predicate):
        return _test(format_attribute(leaf.attribute), leaf)
    if isinstance(leaf, Quantified):
        return _quantified(leaf)
    left = render_expression(leaf.left)
    if leaf.test is not None:
        return _test(left, leaf.test)
    if leaf.right is None:
        raise ValueError("a residual compares with an expression or has a test")
    return f"{left} {_COMPARISONS[leaf.operator]} {render_expression(leaf.right)}"


def _test(subject: str, leaf: Predicate) -> str:
    """What a predicate asks of a subject, already written."""
    asked = leaf.operator
    if asked in _COMPARISONS:
        return f"{subject} {_COMPARISONS[asked]} {render_value(leaf.kind, leaf.value)}"
    if asked in _LISTS:
        return _membership(subject, leaf)
    if asked in _PATTERNS:
        escape = " ESCAPE '\\'" if "\\" in leaf.value else ""
        return f"{subject} {_PATTERNS[asked]} {format_constant(leaf.value)}{escape}"
    if asked in (Operator.IS_NULL, Operator.IS_NOT_NULL):
        return f"{subject} IS {'NOT ' if asked == Operator.IS_NOT_NULL else ''}NULL"
    if asked in (Operator.EXISTS, Operator.NOT_EXISTS):
        return f"{'NOT ' if asked == Operator.NOT_EXISTS else ''}EXISTS({subject})"
    negation = "NOT " if asked & 1 else ""
    if asked in (Operator.CONTAINS, Operator.NOT_CONTAINS):
        return f"{negation}{subject} CONTAINS {render_value(leaf.kind, leaf.value)}"
    return f"{negation}{subject} OVERLAPS {_list(leaf)}"


def _membership(subject: str, leaf: Predicate) -> str:
    """IN or NOT IN; an infinity, which no literal says, stands beside the list."""
    finite = [value for value in leaf.value if value not in _INFINITE]
    if len(finite) == len(leaf.value):
        return f"{subject} {_LISTS[leaf.operator]} {_list(leaf)}"
    equals, word = ("=", " OR ") if leaf.operator == Operator.IN else ("<>", " AND ")
    written = [render_value(leaf.kind, value) for value in leaf.value]
    return f"({word.join(f'{subject} {equals} {value}' for value in written)})"


def _list(leaf: Predicate) -> str:
    return f"({', '.join(render_value(leaf.kind, value) for value in leaf.value)})"


def _quantified(leaf: Quantified) -> str:
    arrays = ", ".join(f"{format_attribute(array)} AS x{place}" for place, array in enumerate(leaf.arrays))
    terms = " AND ".join(
        f"x{term.position} {_COMPARISONS[term.operator]} {render_value(term.kind, term.value)}"
        for term in leaf.terms
    )
    return f"{'NOT ' if leaf.operator == Operator.NOT_SOME else ''}SOME ({arrays}: {terms})"


def render_value(kind: Kind, value: Any) -> str:
    """A constant as predicates hold it, as a literal."""
    if value in _INFINITE:
        return _INFINITE[value]  # arithmetic can lead there, but there is no literal
    return format_constant(Timestamp(value) if kind == Kind.TIMESTAMP else value)


def render_expression(expression: Expression) -> str:
    """A residual expression as text, every nested operation in parentheses."""
    if isinstance(expression, Fixed):
        if expression.value is None:
            return "int('')"  # the language has no literal for null; this has no value
        if expression.value in _INFINITE:
            return _INFINITE[expression.value]
        return format_constant(expression.value)  # type: ignore[arg-type]  # constants are scalars
    if isinstance(expression, Get):
        return format_attribute(expression.attribute)
    written = [render_expression(argument) for argument in expression.arguments]
    if expression.function == "negate":
        return f"-({written[0]})"
    if expression.function in _ARITHMETIC:
        sides = [
            f"({text})" if isinstance(argument, Apply) else text
            for text, argument in zip(written, expression.arguments, strict=True)
        ]
        return f"{sides[0]} {expression.function} {sides[1]}"
    return f"{expression.function}({', '.join(written)})"
