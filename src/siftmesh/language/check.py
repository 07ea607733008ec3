"""A filter against a fixed schema: unknown attributes and comparisons that can never hold are refused."""

from __future__ import annotations

from typing import Any

from siftmesh.errors import Span, TypeMismatch, UnknownAttribute, nearest_name
from siftmesh.language import ast
from siftmesh.model.functions import FUNCTIONS
from siftmesh.model.schema import AttributeType, Schema
from siftmesh.model.values import Kind, kind_of

__all__ = ["check"]


def check(condition: ast.Condition, schema: Schema, source: str | None = None) -> None:
    """Refuse a condition that names an unknown attribute or asks what no value of its type can meet."""
    checker = _Checker(schema, source)
    elements: dict[int, AttributeType | None] = {}
    for node in ast.walk(condition):
        if isinstance(node, ast.Some):
            variables = {b.variable: checker.element(b.array) for b in node.bindings}
            for term in node.terms:
                # Inside SOME a word is an element, not an attribute of the event.
                elements[id(term.left)] = elements[id(term)] = None
                checker.comparable(variables[term.left.name], checker.kind(term.right), term.right.span)  # type: ignore[attr-defined]  # the parser makes terms compare a variable
        elif isinstance(node, ast.Attribute) and id(node) not in elements:
            checker.known(node)
        elif isinstance(node, ast.Condition) and id(node) not in elements:
            checker.condition(node)


class _Checker:
    def __init__(self, schema: Schema, source: str | None) -> None:
        self.schema = schema
        self.source = source

    def known(self, attribute: ast.Attribute) -> AttributeType:
        found = self.schema.attributes.get(attribute.name)
        if found is not None:
            return found
        near = nearest_name(attribute.name, self.schema.attributes)
        raise UnknownAttribute(
            f"there is no attribute {attribute.name}",
            source=self.source,
            span=attribute.span,
            expected=f"{near} perhaps" if near else f"one of {', '.join(sorted(self.schema.attributes)[:20])}",
        )

    def element(self, array: ast.Attribute) -> Kind | None:
        found = self.known(array)
        if found.kind != Kind.ARRAY:
            self.refuse(f"{array.name} is a {found.kind.name.lower()}, not an array", array.span)
        return found.element

    def kind(self, node: ast.Expression) -> Kind | None:
        """The kind of an expression's value, None when it cannot be told."""
        if isinstance(node, ast.Literal):
            return kind_of(node.value)
        if isinstance(node, ast.Attribute):
            return self.known(node).kind
        if isinstance(node, (ast.Arithmetic, ast.Negate)):
            return Kind.NUMBER
        if isinstance(node, ast.Call):
            return FUNCTIONS[node.function].result
        return None

    def condition(self, node: ast.Condition) -> None:
        if isinstance(node, ast.Comparison):
            self.comparable(self.kind(node.left), self.kind(node.right), node.span)
        elif isinstance(node, ast.Between):
            for bound in (node.low, node.high):
                self.comparable(self.kind(node.operand), self.kind(bound), bound.span)
        elif isinstance(node, ast.In):
            for item in node.items:
                self.comparable(self.kind(node.operand), self.kind(item), item.span)
        elif isinstance(node, ast.Like):
            self.comparable(self.kind(node.operand), Kind.STRING, node.operand.span)
        elif isinstance(node, ast.IsTrue):
            self.comparable(self.kind(node.operand), Kind.BOOL, node.operand.span)
        elif isinstance(node, ast.Contains):
            self.comparable(self.element(node.array), self.kind(node.item), node.item.span)
        elif isinstance(node, ast.Overlaps):
            for item in node.items:
                self.comparable(self.element(node.array), self.kind(item), item.span)

    def comparable(self, left: Kind | None, right: Kind | None, span: Span) -> None:
        if left is None or right is None or left == right:
            return
        # A TIMESTAMP literal compares with text in RFC 3339.
        if {left, right} == {Kind.TIMESTAMP, Kind.STRING}:
            return
        self.refuse(f"a {left.name.lower()} never compares with a {right.name.lower()}", span)

    def refuse(self, what: str, span: Any) -> None:
        raise TypeMismatch(what, source=self.source, span=span, expected="values of one type")
