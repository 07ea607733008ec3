"""Whether a tree is true of an event: slow and obvious, in three-valued logic."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

from siftmesh.logic.tree import (
    And,
    Expression,
    Fixed,
    Get,
    Operator,
    Or,
    Predicate,
    Quantified,
    Residual,
    Tree,
)
from siftmesh.model.event import Event
from siftmesh.model.functions import FUNCTIONS
from siftmesh.model.functions.native import ARITHMETIC, negate
from siftmesh.model.pattern import compile_pattern
from siftmesh.model.rfc3339 import parse_rfc3339
from siftmesh.model.values import Kind, Timestamp, Value, kind_of

__all__ = ["evaluate_expression", "holds", "truth"]

Truth = bool | None


def holds(tree: Tree, event: Event) -> bool:
    """Whether the tree is true of the event (unknown is not true)."""
    return truth(tree, event) is True


def truth(tree: Tree, event: Event) -> Truth:
    """True, False or None for unknown, by Kleene's tables."""
    if isinstance(tree, And):
        verdict: Truth = True
        for child in tree.children:
            found = truth(child, event)
            if found is False:
                return False
            if found is None:
                verdict = None
        return verdict
    if isinstance(tree, Or):
        verdict = False
        for child in tree.children:
            found = truth(child, event)
            if found is True:
                return True
            if found is None:
                verdict = None
        return verdict
    if isinstance(tree, Predicate):
        return _predicate(tree, event.values)
    if isinstance(tree, Quantified):
        return _quantified(tree, event.values)
    return _residual(tree, event.values)


_COMPARE: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQ: operator.eq,
    Operator.NE: operator.ne,
    Operator.LT: operator.lt,
    Operator.GE: operator.ge,
    Operator.LE: operator.le,
    Operator.GT: operator.gt,
}
_EQUALITIES = (Operator.EQ, Operator.NE)


def _predicate(leaf: Predicate, values: Mapping[str, Value]) -> Truth:
    if leaf.operator in (Operator.EXISTS, Operator.NOT_EXISTS):
        return (leaf.attribute in values) == (leaf.operator == Operator.EXISTS)
    return _test(leaf, values.get(leaf.attribute))


def _test(leaf: Predicate, value: Value) -> Truth:
    """What a predicate says of a value, missing being null."""
    asked = leaf.operator
    if asked in _COMPARE:
        return _compare(asked, value, leaf.kind, leaf.value)
    if asked in (Operator.IS_NULL, Operator.IS_NOT_NULL):
        return (value is None) == (asked == Operator.IS_NULL)
    if asked & 1:  # the second of each pair is the first one's opposite
        opposite = _positive(Operator(asked ^ 1), leaf, value)
        return None if opposite is None else not opposite
    return _positive(asked, leaf, value)


def _positive(asked: Operator, leaf: Predicate, value: Value) -> Truth:
    if asked == Operator.IN:
        comparable = _as_kind(value, leaf.kind)
        return None if comparable is None else comparable in leaf.value
    if asked in (Operator.LIKE, Operator.ILIKE):
        if type(value) is not str:
            return None
        ignore_case = asked == Operator.ILIKE
        return compile_pattern(leaf.value, ignore_case).matches(value, ignore_case)
    items = (leaf.value,) if asked == Operator.CONTAINS else leaf.value
    if type(value) is not tuple:
        return None
    elements = [_as_kind(element, leaf.kind) for element in value]
    if any(element is not None and element in items for element in elements):
        return True
    return None if None in elements and items else False


def _any(verdicts: Any) -> Truth:
    unknown = False
    for verdict in verdicts:
        if verdict is True:
            return True
        unknown = unknown or verdict is None
    return None if unknown else False


def _as_kind(value: Value, kind: Kind) -> Any:
    """The value as it compares with constants of a kind, or None if it does not."""
    own = kind_of(value)
    if kind == Kind.TIMESTAMP:
        if own == Kind.STRING:
            value = parse_rfc3339(value)  # type: ignore[arg-type]  # its kind says it is a string
        return value.micros if isinstance(value, Timestamp) else None
    return value if own == kind else None


def _compare(asked: Operator, value: Value, kind: Kind, constant: Any) -> Truth:
    if kind == Kind.BOOL and asked not in _EQUALITIES:
        return None
    comparable = _as_kind(value, kind)
    return None if comparable is None else _COMPARE[asked](comparable, constant)


def _quantified(leaf: Quantified, values: Mapping[str, Value]) -> Truth:
    arrays = [values.get(name) for name in leaf.arrays]
    if not all(type(array) is tuple for array in arrays) or len({len(array) for array in arrays}) != 1:  # type: ignore[arg-type]  # tuples
        return None
    found = _any(
        _all(_compare(term.operator, elements[term.position], term.kind, term.value) for term in leaf.terms)
        for elements in zip(*arrays, strict=True)
    )
    if leaf.operator == Operator.NOT_SOME:
        return None if found is None else not found
    return found


def _all(verdicts: Any) -> Truth:
    unknown = False
    for verdict in verdicts:
        if verdict is False:
            return False
        unknown = unknown or verdict is None
    return None if unknown else True


def _residual(leaf: Residual, values: Mapping[str, Value]) -> Truth:
    left = evaluate_expression(leaf.left, values)
    if leaf.test is not None:
        return _test(leaf.test, left)
    if leaf.right is None:
        raise ValueError("a residual compares with an expression or has a test")
    right = evaluate_expression(leaf.right, values)
    if left is None or right is None:
        return None
    kind = kind_of(right)
    if kind != kind_of(left) or kind in (Kind.ARRAY, Kind.OPAQUE):
        return None
    return _compare(leaf.operator, left, kind, right.micros if isinstance(right, Timestamp) else right)


def evaluate_expression(expression: Expression, values: Mapping[str, Value]) -> Value:
    """The value of a residual expression, null when it has none."""
    if isinstance(expression, Fixed):
        return expression.value
    if isinstance(expression, Get):
        return values.get(expression.attribute)
    arguments = [evaluate_expression(argument, values) for argument in expression.arguments]
    if expression.function == "negate":
        return negate(arguments[0])
    if expression.function in ARITHMETIC:
        return ARITHMETIC[expression.function](*arguments)
    return FUNCTIONS[expression.function].apply(*arguments)
