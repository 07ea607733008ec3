"""A filter against a fixed schema: unknown attributes and comparisons that can never hold are refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from siftmesh.errors import Span, TypeMismatch, UnknownAttribute, nearest_name, shown
from siftmesh.language import ast
from siftmesh.model.functions import FUNCTIONS
from siftmesh.model.schema import AttributeType, Schema
from siftmesh.model.values import Kind, Timestamp, kind_of

__all__ = ["check", "check_attributes", "check_names"]


def check(condition: ast.Condition, schema: Schema, source: str | None = None) -> None:
    """Refuse a condition that names an unknown attribute or asks what no value of its type can meet."""
    checker = _Checker(schema, source)
    inside_some: set[int] = set()
    for node in ast.walk(condition):
        if id(node) in inside_some:
            continue
        if isinstance(node, ast.Some):
            # Inside SOME a word is an element, not an attribute of the event.
            inside_some.update(id(part) for term in node.terms for part in (term, term.left))
            checker.some(node)
        elif isinstance(node, ast.Attribute):
            checker.known(node)
        elif isinstance(node, ast.Condition):
            checker.condition(node)
        elif isinstance(node, ast.Arithmetic):
            checker.numbers(node.left, node.right)
        elif isinstance(node, ast.Negate):
            checker.numbers(node.operand)
        elif isinstance(node, ast.Call):
            checker.arguments(node)


def check_names(condition: ast.Condition, schema: Schema, source: str | None = None) -> None:
    """Refuse a condition that names an unknown attribute, whatever it asks of the known ones.

    For foreign dialects: with their implicit casts one comparison becomes several, for several types.
    """
    checker = _Checker(schema, source)
    inside_some: set[int] = set()
    for node in ast.walk(condition):
        if isinstance(node, ast.Some):
            inside_some.update(id(term.left) for term in node.terms)
        elif isinstance(node, ast.Attribute) and id(node) not in inside_some:
            checker.known(node)


def check_attributes(names: Iterable[str], schema: Schema) -> None:
    """Refuse attributes that the schema does not have."""
    for name in sorted(names):
        _type_of(name, schema, None, None)


def _type_of(name: str, schema: Schema, source: str | None, span: Span | None) -> AttributeType:
    found = schema.attributes.get(name)
    if found is not None:
        return found
    near = nearest_name(name, schema.attributes)
    some = ", ".join(sorted(schema.attributes)[:20])
    wanted = f"{near} perhaps" if near else f"one of {some}" if some else "a schema with attributes"
    raise UnknownAttribute(f"there is no attribute {shown(name)}", source=source, span=span, expected=wanted)


class _Checker:
    def __init__(self, schema: Schema, source: str | None) -> None:
        self.schema = schema
        self.source = source

    def known(self, attribute: ast.Attribute) -> AttributeType:
        return _type_of(attribute.name, self.schema, self.source, attribute.span)

    def element(self, array: ast.Attribute) -> Kind | None:
        found = self.known(array)
        if found.kind != Kind.ARRAY:
            self.refuse(f"{array.name} is {_named(found.kind)}, not an array", array.span, "an array")
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
            left, right = node.left, node.right
            if isinstance(left, ast.Literal):
                left, right = right, left
            self.comparable(self.kind(left), right, node.span, ordered=node.operator not in ("=", "<>"))
        elif isinstance(node, ast.Between):
            for bound in (node.low, node.high):
                left, right = node.operand, bound
                if isinstance(left, ast.Literal):
                    left, right = right, left
                self.comparable(self.kind(left), right, bound.span, ordered=True)
        elif isinstance(node, ast.In):
            for item in node.items:
                self.comparable(self.kind(node.operand), item, item.span)
        elif isinstance(node, ast.Like):
            self.alike(self.kind(node.operand), Kind.STRING, node.operand.span)
        elif isinstance(node, ast.IsTrue):
            self.alike(self.kind(node.operand), Kind.BOOL, node.operand.span)
        elif isinstance(node, ast.Contains):
            self.comparable(self.element(node.array), node.item, node.item.span)
        elif isinstance(node, ast.Overlaps):
            for item in node.items:
                self.comparable(self.element(node.array), item, item.span)

    def some(self, node: ast.Some) -> None:
        kinds = {binding.variable: self.element(binding.array) for binding in node.bindings}
        for term in node.terms:
            variable = term.left.name  # type: ignore[attr-defined]  # the parser lets terms compare variables
            self.comparable(
                kinds[variable], term.right, term.right.span, ordered=term.operator not in ("=", "<>")
            )

    def numbers(self, *operands: ast.Expression) -> None:
        for operand in operands:
            kind = self.kind(operand)
            if kind not in (Kind.NUMBER, None):
                self.refuse(f"{_named(kind)} has no arithmetic", operand.span, "a number")

    def arguments(self, call: ast.Call) -> None:
        takes = FUNCTIONS[call.function].takes
        for argument in call.arguments if takes else ():
            kind = self.kind(argument)
            if kind is not None and kind not in takes:
                wanted = " or ".join(_named(one) for one in takes)
                self.refuse(f"{call.function} makes nothing of {_named(kind)}", argument.span, wanted)

    def comparable(self, kind: Kind | None, other: ast.Expression, span: Span, ordered: bool = False) -> None:
        """Refuse a comparison of values of a kind with another expression if it can never be true."""
        if kind == Kind.STRING and isinstance(other, ast.Literal) and isinstance(other.value, Timestamp):
            return  # text may be RFC 3339
        found = self.kind(other)
        if ordered and found == kind == Kind.BOOL:
            self.refuse("a bool is neither less nor greater than another", span, "= or <>")
        self.alike(kind, found, span)

    def alike(self, kind: Kind | None, other: Kind | None, span: Span) -> None:
        if kind is None or other is None or (kind == other and kind != Kind.ARRAY):
            return
        expected = "values of one type"
        if Kind.ARRAY in (kind, other):
            expected = "CONTAINS, OVERLAPS or SOME for an array"
        elif {kind, other} == {Kind.TIMESTAMP, Kind.STRING}:
            expected = "the word TIMESTAMP before the text of a moment"
        self.refuse(f"{_named(kind)} never compares with {_named(other)}", span, expected)

    def refuse(self, what: str, span: Span, expected: str) -> NoReturn:
        raise TypeMismatch(what, source=self.source, span=span, expected=expected)


def _named(kind: Kind) -> str:
    return f"{'an' if kind == Kind.ARRAY else 'a'} {kind.name.lower()}"
