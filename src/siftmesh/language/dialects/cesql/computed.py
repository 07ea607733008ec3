"""CloudEvents SQL expressions as values of our own language, through the scalar functions `cesql_*`."""

from __future__ import annotations

from collections.abc import Iterable

from siftmesh.language import ast
from siftmesh.language.dialects.cesql.tree import (
    Apply,
    Attribute,
    Exists,
    Expression,
    In,
    Like,
    Literal,
    Logic,
    Not,
)
from siftmesh.model.path import quote

__all__ = ["Operand", "attribute_of", "call", "computed"]

Operand = ast.Attribute | ast.Call


def attribute_of(node: Attribute) -> ast.Attribute:
    """The attribute, by its canonical name."""
    return ast.Attribute(quote(node.name), node.span)


def call(function: str, operand: Operand) -> ast.Call:
    """A function of CloudEvents SQL applied to one value."""
    return ast.Call(f"cesql_{function}", (operand,), operand.span)


def computed(node: Expression) -> Operand | ast.Literal:
    """The value of the expression: null where CloudEvents SQL has an error."""
    if isinstance(node, Literal):
        return ast.Literal(node.value, node.span)
    if isinstance(node, Attribute):
        return attribute_of(node)
    if isinstance(node, Apply):
        return _applied(node.operator, node.operands, node)
    if isinstance(node, Not):
        return _applied("not", (node.operand,), node)
    if isinstance(node, Logic):
        return _applied(node.operator.lower(), node.operands, node)
    if isinstance(node, Like):
        return _applied("like", (node.operand, Literal(node.pattern, node.span)), node)
    if isinstance(node, Exists):
        return _applied("exists", (node.attribute,), node)
    if isinstance(node, In):
        return _applied("in", (node.operand, *node.items), node)
    return _applied(node.function.lower(), node.arguments, node)


def _applied(name: str, operands: Iterable[Expression], node: Expression) -> ast.Call:
    return ast.Call(f"cesql_{name}", tuple([computed(operand) for operand in operands]), node.span)
