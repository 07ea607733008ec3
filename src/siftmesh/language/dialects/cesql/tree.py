"""The expression tree of CloudEvents SQL, as written."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from typing import Literal as OneOf

import msgspec

from siftmesh.errors import Span
from siftmesh.model.functions.cesql import BUILT_IN, OPERATORS, Operation, Primitive

__all__ = [
    "Apply",
    "Attribute",
    "Call",
    "Exists",
    "Expression",
    "In",
    "Like",
    "Literal",
    "Logic",
    "LogicOperator",
    "Not",
    "always_read",
    "attributes",
    "kind_of",
    "operands",
    "operation_of",
    "size",
    "walk",
]

LogicOperator = OneOf["AND", "OR", "XOR"]


class Literal(msgspec.Struct, frozen=True):
    """An integer, a boolean or a string."""

    value: Primitive
    span: Span


class Attribute(msgspec.Struct, frozen=True):
    """A context attribute, by its lower-case name."""

    name: str
    span: Span


class Apply(msgspec.Struct, frozen=True):
    """An arithmetic or comparison operator, by its name in `OPERATORS`, applied to one or two operands."""

    operator: str
    operands: tuple[Expression, ...]
    span: Span


class Not(msgspec.Struct, frozen=True):
    """NOT; also the outer half of `<>`, NOT LIKE and NOT IN."""

    operand: Expression
    span: Span


class Logic(msgspec.Struct, frozen=True):
    """Two or more operands under one of AND, OR, XOR, from left to right."""

    operator: LogicOperator
    operands: tuple[Expression, ...]
    span: Span


class Like(msgspec.Struct, frozen=True):
    """LIKE; the pattern in its canonical spelling (`siftmesh.model.pattern`)."""

    operand: Expression
    pattern: str
    span: Span


class Exists(msgspec.Struct, frozen=True):
    """EXISTS of an attribute."""

    attribute: Attribute
    span: Span


class In(msgspec.Struct, frozen=True):
    """IN a list of one or more expressions."""

    operand: Expression
    items: tuple[Expression, ...]
    span: Span


class Call(msgspec.Struct, frozen=True):
    """A function call, by the function's upper-case name; there may be no such function."""

    function: str
    arguments: tuple[Expression, ...]
    span: Span


Expression = Literal | Attribute | Apply | Not | Logic | Like | Exists | In | Call


def operands(node: Expression) -> tuple[Expression, ...]:
    """The nodes directly below, left to right (not the attribute of EXISTS: it is not evaluated)."""
    if isinstance(node, (Apply, Logic)):
        return node.operands
    if isinstance(node, (Not, Like)):
        return (node.operand,)
    if isinstance(node, In):
        return (node.operand, *node.items)
    return node.arguments if isinstance(node, Call) else ()


def walk(node: Expression) -> Iterator[Expression]:
    """The node and all below it, each before its operands."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        waiting += reversed(operands(current))


def size(node: Expression) -> int:
    """How many nodes the expression has."""
    return sum(1 for _ in walk(node))


def operation_of(node: Call) -> Operation | None:
    """The built-in function that a call means, by name and number of arguments."""
    overloads = BUILT_IN.get(node.function, ())
    return next((operation for operation in overloads if operation.accepts(len(node.arguments))), None)


def kind_of(node: Expression) -> type | None:
    """bool, int or str; None for an attribute, whose kind is the event's business."""
    if isinstance(node, Literal):
        return type(node.value)
    if isinstance(node, Attribute):
        return None
    if isinstance(node, Apply):
        return OPERATORS[node.operator].result
    if isinstance(node, Call):
        operation = operation_of(node)
        return bool if operation is None else operation.result
    return bool


def attributes(node: Expression) -> frozenset[str]:
    """Every attribute that the expression mentions."""
    found: set[str] = set()
    for below in walk(node):
        if isinstance(below, Attribute):
            found.add(below.name)
        elif isinstance(below, Exists):
            found.add(below.attribute.name)
    return frozenset(found)


def always_read(node: Expression) -> frozenset[str]:
    """The attributes without which the expression fails: of AND and OR only what the first operand reads."""
    found: set[str] = set()
    waiting: list[Any] = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, Attribute):
            found.add(current.name)
        elif isinstance(current, Logic) and current.operator != "XOR":
            waiting.append(current.operands[0])
        else:
            waiting += operands(current)
    return frozenset(found)
