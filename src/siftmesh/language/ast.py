"""The syntax tree of a filter as written: dialects lower to these nodes, `logic.lower` takes them further.

Two sorts of nodes: an *expression* stands for a value, a *condition* is true, false or unknown. Nodes keep
the span of the text they came from; equality ignores spans, so that a formatted and re-parsed filter equals
its original.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from typing import Literal as OneOf

import msgspec

from siftmesh.errors import Span
from siftmesh.model.values import Scalar

__all__ = [
    "NO_SPAN",
    "And",
    "Arithmetic",
    "Attribute",
    "Between",
    "Binding",
    "Call",
    "Comparison",
    "Condition",
    "Constant",
    "Contains",
    "Exists",
    "Expression",
    "In",
    "IsNull",
    "IsTrue",
    "Like",
    "Literal",
    "Negate",
    "Node",
    "Not",
    "Or",
    "Overlaps",
    "Parameter",
    "Some",
    "Truth",
    "parameters",
    "walk",
]

NO_SPAN: Span = (0, 0)

ComparisonOperator = OneOf["=", "<>", "<", "<=", ">", ">="]
ArithmeticOperator = OneOf["+", "-", "*", "/", "%"]


class Node(msgspec.Struct, frozen=True, eq=False):
    """Any node; equal to another of the same shape, wherever both were written."""

    if TYPE_CHECKING:
        # Each kind of node has it as its own last field, for a field here would be the first.
        @property
        def span(self) -> Span: ...

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return _facts(self) == _facts(other)

    def __ne__(self, other: object) -> bool:
        # A Struct brings its own, which goes by identity.
        return not self == other

    def __hash__(self) -> int:
        return hash((type(self), *_facts(self)))


def _facts(node: Any) -> list[Any]:
    facts = [getattr(node, field) for field in node.__struct_fields__ if field != "span"]
    if type(node) in (Literal, Truth):  # TRUE is not 1, nor are 1 and 1.0 or 0.0 and -0.0 one constant
        facts[0] = repr(facts[0])
    return facts


class Expression(Node, frozen=True, eq=False):
    """A node that stands for a value."""


class Condition(Node, frozen=True, eq=False):
    """A node that is true, false or unknown."""


# ---- expressions


class Literal(Expression, frozen=True, eq=False):
    """A constant: bool, int, float, str or Timestamp (never null)."""

    value: Scalar
    span: Span = NO_SPAN


class Attribute(Expression, frozen=True, eq=False):
    """An attribute of the event, by canonical name (`siftmesh.model.path`)."""

    name: str
    span: Span = NO_SPAN


class Parameter(Expression, frozen=True, eq=False):
    """A place for a constant, filled when a template is bound."""

    name: str
    span: Span = NO_SPAN


class Negate(Expression, frozen=True, eq=False):
    """Minus an expression (a negative number literal is a Literal)."""

    operand: Expression
    span: Span = NO_SPAN


class Arithmetic(Expression, frozen=True, eq=False):
    """One of + - * / % between two expressions."""

    operator: ArithmeticOperator
    left: Expression
    right: Expression
    span: Span = NO_SPAN


class Call(Expression, frozen=True, eq=False):
    """A scalar function of `siftmesh.model.functions`, by its lower-case name."""

    function: str
    arguments: tuple[Expression, ...]
    span: Span = NO_SPAN


# What may stand where the language asks for a constant.
Constant = Literal | Parameter


# ---- conditions


class Truth(Condition, frozen=True, eq=False):
    """TRUE or FALSE standing as a whole condition."""

    value: bool
    span: Span = NO_SPAN


class IsTrue(Condition, frozen=True, eq=False):
    """An expression standing as a condition: true when its value is the bool true, false when false."""

    operand: Expression
    span: Span = NO_SPAN


class Comparison(Condition, frozen=True, eq=False):
    operator: ComparisonOperator
    left: Expression
    right: Expression
    span: Span = NO_SPAN


class Between(Condition, frozen=True, eq=False):
    operand: Expression
    low: Expression
    high: Expression
    negated: bool = False
    span: Span = NO_SPAN


class In(Condition, frozen=True, eq=False):
    operand: Expression
    items: tuple[Constant, ...]
    negated: bool = False
    span: Span = NO_SPAN


class Like(Condition, frozen=True, eq=False):
    """LIKE, or ILIKE when `ignore_case`; no character escapes unless `escape` names one."""

    operand: Expression
    pattern: Constant
    escape: str | None = None
    ignore_case: bool = False
    negated: bool = False
    span: Span = NO_SPAN


class IsNull(Condition, frozen=True, eq=False):
    operand: Expression
    negated: bool = False
    span: Span = NO_SPAN


class Exists(Condition, frozen=True, eq=False):
    """Whether the event has the attribute at all, null or not."""

    attribute: Attribute
    span: Span = NO_SPAN


class Contains(Condition, frozen=True, eq=False):
    array: Attribute
    item: Constant
    span: Span = NO_SPAN


class Overlaps(Condition, frozen=True, eq=False):
    array: Attribute
    items: tuple[Constant, ...]
    span: Span = NO_SPAN


class Binding(Node, frozen=True, eq=False):
    """`xs AS x`: inside SOME, `x` is the element of array `xs` at the quantified index."""

    array: Attribute
    variable: str
    span: Span = NO_SPAN


class Some(Condition, frozen=True, eq=False):
    """True when one index satisfies every term; a term compares a variable (left) with a constant (right)."""

    bindings: tuple[Binding, ...]
    terms: tuple[Comparison, ...]
    span: Span = NO_SPAN


class Not(Condition, frozen=True, eq=False):
    operand: Condition
    span: Span = NO_SPAN


class And(Condition, frozen=True, eq=False):
    """Two or more conditions; a nested And is one that was written in parentheses."""

    operands: tuple[Condition, ...]
    span: Span = NO_SPAN


class Or(Condition, frozen=True, eq=False):
    """Two or more conditions; a nested Or is one that was written in parentheses."""

    operands: tuple[Condition, ...]
    span: Span = NO_SPAN


def walk(node: Node) -> Iterator[Node]:
    """The node and all nodes below it, each before its children, left to right."""
    waiting = [node]
    while waiting:
        current = waiting.pop()
        yield current
        below: list[Node] = []
        for field in current.__struct_fields__:
            value = getattr(current, field)
            if isinstance(value, Node):
                below.append(value)
            elif isinstance(value, tuple):
                below += [item for item in value if isinstance(item, Node)]
        waiting += reversed(below)


def parameters(node: Node) -> tuple[str, ...]:
    """The names of the template's parameters, in the order they first appear."""
    return tuple(dict.fromkeys(found.name for found in walk(node) if isinstance(found, Parameter)))
