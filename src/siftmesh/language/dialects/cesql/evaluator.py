"""The value of a CloudEvents SQL expression for one event, and the first error met on the way to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from siftmesh.errors import SyntaxError
from siftmesh.language.dialects.cesql.parser import parse
from siftmesh.language.dialects.cesql.tree import (
    Apply,
    Attribute,
    Call,
    Exists,
    Expression,
    In,
    Like,
    Literal,
    Logic,
    LogicOperator,
    Not,
    operation_of,
)
from siftmesh.model.functions.cesql import (
    OPERATORS,
    Operation,
    Result,
    all_true,
    any_true,
    odd_true,
    perform,
    result_of,
)
from siftmesh.model.values import to_value

__all__ = ["Result", "evaluate"]

_DECIDE: dict[LogicOperator, Callable[[Iterable[Result]], Result]] = {
    "AND": all_true,
    "OR": any_true,
    "XOR": odd_true,
}


def evaluate(expression: str | Expression, attributes: Mapping[str, Any]) -> Result:
    """The value of an expression (text, or parsed before) for an event's attributes.

    Text that is not CloudEvents SQL has the value false and the error `parse`.
    """
    if isinstance(expression, str):
        try:
            expression = parse(expression)
        except SyntaxError:
            return Result(False, "parse")
    return _evaluate(expression, attributes)


def _evaluate(node: Expression, attributes: Mapping[str, Any]) -> Result:
    if isinstance(node, Literal):
        return Result(node.value)
    if isinstance(node, Attribute):
        return result_of(to_value(attributes.get(node.name), node.name))
    if isinstance(node, Exists):
        return Result(to_value(attributes.get(node.attribute.name), node.attribute.name) is not None)
    if isinstance(node, Logic):
        return _DECIDE[node.operator](_evaluate(operand, attributes) for operand in node.operands)
    if isinstance(node, Like):
        pattern = Result(node.pattern)
        return perform(OPERATORS["like"], (_evaluate(node.operand, attributes), pattern))
    if isinstance(node, Apply):
        return _applied(OPERATORS[node.operator], node.operands, attributes)
    if isinstance(node, Not):
        return _applied(OPERATORS["not"], (node.operand,), attributes)
    if isinstance(node, In):
        return _applied(OPERATORS["in"], (node.operand, *node.items), attributes)
    return _called(node, attributes)


def _applied(operation: Operation, operands: Iterable[Expression], attributes: Mapping[str, Any]) -> Result:
    return perform(operation, (_evaluate(operand, attributes) for operand in operands))


def _called(node: Call, attributes: Mapping[str, Any]) -> Result:
    operation = operation_of(node)
    if operation is None:
        return Result(False, "missingFunction")
    return _applied(operation, node.arguments, attributes)
