"""A syntax tree to a Tree: NOT moves into the leaves, every predicate becomes a leaf of one canonical form.

This is the last place that sees the syntax tree. Pushing NOT down is exact in three-valued logic: the
opposite of a comparison is unknown exactly when the comparison is.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import repeat
from math import copysign
from typing import Any

from siftmesh.errors import ParameterError
from siftmesh.language import ast
from siftmesh.logic.constants import constant, equality, like, membership, opposite
from siftmesh.logic.evaluate import evaluate_expression, holds
from siftmesh.logic.tree import (
    FALSE,
    TRUE,
    And,
    Apply,
    Expression,
    Fixed,
    Get,
    Operator,
    Or,
    Predicate,
    Quantified,
    Residual,
    Term,
    Tree,
)
from siftmesh.model.event import Event
from siftmesh.model.values import Kind, Scalar, Timestamp, Value, kind_of

__all__ = ["OPERATORS", "lower"]

OPERATORS: dict[str, Operator] = {
    "=": Operator.EQ,
    "<>": Operator.NE,
    "<": Operator.LT,
    "<=": Operator.LE,
    ">": Operator.GT,
    ">=": Operator.GE,
}
_ASKED = {
    (text, positive): opposite(operator, positive)
    for text, operator in OPERATORS.items()
    for positive in (True, False)
}
# Constants of these types are held as they are.
_HELD_AS_IS = {str: Kind.STRING, int: Kind.NUMBER}
# The operator that says the same with its sides exchanged.
_MIRRORED = {
    Operator.EQ: Operator.EQ,
    Operator.NE: Operator.NE,
    Operator.LT: Operator.GT,
    Operator.GT: Operator.LT,
    Operator.LE: Operator.GE,
    Operator.GE: Operator.LE,
}
_NOTHING = Event({})
# The attribute of a test that is asked of an expression instead.
_NO_ATTRIBUTE = ""


def lower(condition: ast.Condition) -> Tree:
    """The Tree of a condition without parameters (not yet in normal form)."""
    return _lower(condition, True)


def _lower(node: ast.Condition, positive: bool) -> Tree:
    return _RULES[type(node)](node, positive)


def _not(node: ast.Not, positive: bool) -> Tree:
    return _lower(node.operand, not positive)


def _and(node: ast.And, positive: bool) -> Tree:
    children = tuple(map(_lower, node.operands, repeat(positive)))
    return And(children) if positive else Or(children)


def _or(node: ast.Or, positive: bool) -> Tree:
    children = tuple(map(_lower, node.operands, repeat(positive)))
    return Or(children) if positive else And(children)


def _truth(node: ast.Truth, positive: bool) -> Tree:
    return TRUE if node.value == positive else FALSE


def _is_true(node: ast.IsTrue, positive: bool) -> Tree:
    operand = node.operand
    # Only a template's constant can be a literal here; null is unknown, like a missing attribute.
    if isinstance(operand, ast.Literal) and kind_of(operand.value) not in (Kind.BOOL, Kind.NULL):
        raise ParameterError(f"a condition is TRUE or FALSE, not {operand.value!r}", span=operand.span)
    return _ask(operand, lambda name: equality(name, opposite(Operator.EQ, positive), True))


def _comparison(node: ast.Comparison, positive: bool) -> Tree:
    operator = _ASKED[node.operator, positive]
    right = node.right
    if type(right) is ast.Literal:
        if type(node.left) is ast.Attribute:
            kind = _HELD_AS_IS.get(type(right.value))
            if kind is None:
                return equality(node.left.name, operator, right.value)
            return Predicate(node.left.name, operator, kind, right.value)
        return _compare(_expression(node.left), operator, _fixed(right.value))
    return _compare(_expression(node.left), operator, _expression(right))


def _compare(left: Expression, operator: Operator, right: Expression) -> Tree:
    # Of two constants a timestamp comes second: with it, text in RFC 3339 compares.
    if isinstance(left, Fixed) and (isinstance(left.value, Timestamp) or not isinstance(right, Fixed)):
        left, right, operator = right, left, _MIRRORED[operator]
    if isinstance(right, Fixed):
        value: Any = right.value
        return _tested(left, lambda name: equality(name, operator, value))
    # Two expressions: one spelling for `a < b` and `b > a`.
    if operator in (Operator.GT, Operator.GE) or (
        operator in (Operator.EQ, Operator.NE) and repr(right) < repr(left)
    ):
        left, right, operator = right, left, _MIRRORED[operator]
    return Residual(operator, left, right)


def _ask(operand: ast.Expression, leaf: Callable[[str], Tree]) -> Tree:
    """What a leaf asks of an operand: of the attribute itself, or of a residual expression."""
    if type(operand) is ast.Attribute:
        return leaf(operand.name)
    return _tested(_expression(operand), leaf)


def _tested(expression: Expression, leaf: Callable[[str], Tree]) -> Tree:
    if isinstance(expression, Get):
        return leaf(expression.attribute)
    return _residual(expression, leaf(_NO_ATTRIBUTE))


def _residual(expression: Expression, asked: Tree) -> Tree:
    """Turn the tests of no attribute into tests of the expression; decide them at once if it is constant."""
    if isinstance(asked, (And, Or)):
        return type(asked)(tuple([_residual(expression, child) for child in asked.children]))
    if not isinstance(asked, Predicate):
        raise TypeError(f"only predicates test expressions, not {type(asked).__name__}")
    leaf = Residual(asked.operator, expression, None, asked)
    if isinstance(expression, Fixed):
        return TRUE if holds(leaf, _NOTHING) else FALSE
    return leaf


def _between(node: ast.Between, positive: bool) -> Tree:
    positive = positive != node.negated
    operand = _expression(node.operand)
    low = _compare(operand, opposite(Operator.GE, positive), _expression(node.low))
    high = _compare(operand, opposite(Operator.LE, positive), _expression(node.high))
    return And((low, high)) if positive else Or((low, high))


def _in(node: ast.In, positive: bool) -> Tree:
    positive = positive != node.negated
    operand = _expression(node.operand)
    if isinstance(operand, Fixed):  # settled item by item
        equal = opposite(Operator.EQ, positive)
        settled = tuple([_compare(operand, equal, _expression(item)) for item in node.items])
        return Or(settled) if positive else And(settled)
    operator = opposite(Operator.IN, positive)
    values = [_constant(item) for item in node.items]
    return _tested(operand, lambda name: membership(name, operator, values))


def _like(node: ast.Like, positive: bool) -> Tree:
    operator = opposite(Operator.ILIKE if node.ignore_case else Operator.LIKE, positive != node.negated)
    pattern = _constant(node.pattern)
    if pattern is not None and not isinstance(pattern, str):
        raise ParameterError(f"a LIKE pattern is a string, not {pattern!r}", span=node.pattern.span)
    return _ask(node.operand, lambda name: like(name, operator, pattern, node.escape))


def _is_null(node: ast.IsNull, positive: bool) -> Tree:
    operator = opposite(Operator.IS_NULL, positive != node.negated)
    return _ask(node.operand, lambda name: Predicate(name, operator, Kind.NULL))


def _exists(node: ast.Exists, positive: bool) -> Tree:
    return Predicate(node.attribute.name, opposite(Operator.EXISTS, positive), Kind.NULL)


def _contains(node: ast.Contains, positive: bool) -> Tree:
    return membership(node.array.name, opposite(Operator.OVERLAPS, positive), [_constant(node.item)])


def _overlaps(node: ast.Overlaps, positive: bool) -> Tree:
    items = [_constant(item) for item in node.items]
    return membership(node.array.name, opposite(Operator.OVERLAPS, positive), items)


def _some(node: ast.Some, positive: bool) -> Tree:
    arrays = tuple(sorted({binding.array.name for binding in node.bindings}))
    positions = {binding.variable: arrays.index(binding.array.name) for binding in node.bindings}
    terms = set()
    for term in node.terms:
        value = _constant(term.right)
        if value is None:
            raise ParameterError(
                "a bound inside SOME cannot be null", span=term.right.span, expected="a constant"
            )
        if not isinstance(term.left, ast.Attribute):
            raise TypeError("a term of SOME compares a variable")
        terms.add(Term(positions[term.left.name], OPERATORS[term.operator], *constant(value)))
    return Quantified(arrays, opposite(Operator.SOME, positive), tuple(sorted(terms)))


def _constant(node: ast.Expression) -> Scalar | None:
    """The value of a constant (null only where a template was bound to null)."""
    if isinstance(node, ast.Literal):
        return node.value
    folded = _expression(node)
    if isinstance(folded, Fixed) and not isinstance(folded.value, tuple):
        return folded.value
    raise TypeError(f"{type(node).__name__} is not a constant")


def _expression(node: ast.Expression) -> Expression:
    """A value of the syntax tree as a residual expression, computed at once where it is constant."""
    if isinstance(node, ast.Attribute):
        return Get(node.name)
    if isinstance(node, ast.Literal):
        return _fixed(node.value)
    if isinstance(node, ast.Parameter):
        raise ParameterError(
            f"the parameter :{node.name} has no value", span=node.span, expected="a bound template"
        )
    if isinstance(node, ast.Negate):
        applied = Apply("negate", (_expression(node.operand),))
    elif isinstance(node, ast.Arithmetic):
        applied = Apply(node.operator, (_expression(node.left), _expression(node.right)))
    elif isinstance(node, ast.Call):
        applied = Apply(node.function, tuple([_expression(argument) for argument in node.arguments]))
    else:
        raise TypeError(f"{type(node).__name__} is not an expression")
    if all(isinstance(argument, Fixed) for argument in applied.arguments):
        return _fixed(evaluate_expression(applied, {}))
    return applied


def _fixed(value: Value) -> Fixed:
    # It equals 0.0, but string(...) tells them apart.
    negative_zero = type(value) is float and value == 0.0 and copysign(1.0, value) < 0.0
    return Fixed(value, "-0.0" if negative_zero else type(value).__name__)  # type: ignore[arg-type]  # folding never yields an OPAQUE


_RULES: dict[type, Callable[[Any, bool], Tree]] = {
    ast.Not: _not,
    ast.And: _and,
    ast.Or: _or,
    ast.Truth: _truth,
    ast.IsTrue: _is_true,
    ast.Comparison: _comparison,
    ast.Between: _between,
    ast.In: _in,
    ast.Like: _like,
    ast.IsNull: _is_null,
    ast.Exists: _exists,
    ast.Contains: _contains,
    ast.Overlaps: _overlaps,
    ast.Some: _some,
}
