"""The two sides of an expression, true and false, and the tests of one attribute that they are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property

from siftmesh.language import ast
from siftmesh.language.dialects.cesql.computed import Operand, call
from siftmesh.language.dialects.cesql.pieces import NEVER, Fact, Piece, leaf
from siftmesh.model.functions.cesql import Primitive, cast, primitive
from siftmesh.model.values import Scalar, Timestamp

__all__ = [
    "FAILS",
    "Sides",
    "a_string",
    "asked",
    "compare",
    "equal",
    "known_of",
    "like",
    "listed",
    "matches",
    "plain",
    "present",
    "reads",
    "settled",
    "spelled",
]


class Sides:
    """When an expression, cast to a boolean, is true, and when it is false; neither where it has an error.

    `near_true` holds wherever it is true, perhaps where it is false, but never where it has an error;
    `near_false` likewise. They are simpler than the exact sides and do where only errors must be kept out.
    Each is made when first asked for: most filters need no false side at all.
    """

    def __init__(
        self,
        true: Callable[[], Piece],
        false: Callable[[], Piece],
        near_true: Callable[[], Piece],
        near_false: Callable[[], Piece],
    ) -> None:
        self._make_true, self._make_false = true, false
        self._make_near_true, self._make_near_false = near_true, near_false

    @cached_property
    def true(self) -> Piece:
        return self._make_true()

    @cached_property
    def false(self) -> Piece:
        return self._make_false()

    @cached_property
    def near_true(self) -> Piece:
        return self._make_near_true()

    @cached_property
    def near_false(self) -> Piece:
        return self._make_near_false()

    @classmethod
    def known(cls, true: Piece, false: Piece, readable: Piece) -> Sides:
        """Sides made already; `readable` says exactly that there is no error."""
        return cls.read(lambda: true, lambda: false, lambda: readable)

    @classmethod
    def read(
        cls, true: Callable[[], Piece], false: Callable[[], Piece], readable: Callable[[], Piece]
    ) -> Sides:
        """Sides to be made; `readable` says exactly that there is no error."""
        return cls(true, false, readable, readable)

    def made(self) -> Sides:
        """The same, all made now."""
        true, false, near_true, near_false = self.true, self.false, self.near_true, self.near_false
        return Sides(lambda: true, lambda: false, lambda: near_true, lambda: near_false)

    def swapped(self) -> Sides:
        return Sides(lambda: self.false, lambda: self.true, lambda: self.near_false, lambda: self.near_true)


_CASTS: tuple[tuple[str, type], ...] = (("int", int), ("bool", bool))

FAILS = Sides.known(NEVER, NEVER, NEVER)


# ---- conditions


def reads(operand: Operand) -> ast.Condition:
    """The value is there (an attribute), or can be computed without error."""
    return ast.IsNull(operand, True, operand.span)


def compare(operand: Operand, operator: ast.ComparisonOperator, value: Scalar) -> ast.Condition:
    """A comparison with a constant."""
    return ast.Comparison(operator, operand, ast.Literal(value, operand.span), operand.span)


def like(operand: Operand, pattern: str, negated: bool = False) -> ast.Condition:
    """LIKE a canonical pattern."""
    escape = "\\" if "\\" in pattern else None
    return ast.Like(operand, ast.Literal(pattern, operand.span), escape, False, negated, operand.span)


def listed(operand: Operand, values: Iterable[Scalar], negated: bool = False) -> ast.Condition:
    """IN a list of values of one kind."""
    distinct = tuple([ast.Literal(value, operand.span) for value in dict.fromkeys(values)])
    if len(distinct) == 1:
        return ast.Comparison("<>" if negated else "=", operand, distinct[0], operand.span)
    return ast.In(operand, distinct, negated, operand.span)


# ---- pieces


def known_of(attribute: ast.Attribute, *what: str) -> list[Fact]:
    """Facts of an attribute: that it is `present`, a `string`, or can be read as `int` or `bool`."""
    return [(fact, attribute.name) for fact in what]


def present(attribute: ast.Attribute) -> Piece:
    """The attribute is there."""
    return leaf(reads(attribute), states=("present", attribute.name))


def a_string(attribute: ast.Attribute) -> Piece:
    """The attribute is a string: one comparison that is true of all of them, and of nothing else."""
    return leaf(
        compare(attribute, ">=", ""), known_of(attribute, "present"), states=("string", attribute.name)
    )


def settled(attribute: ast.Attribute, kind: str) -> Piece:
    """The attribute can be read as `int` or `bool`."""
    return leaf(reads(call(kind, attribute)), known_of(attribute, "present"), states=(kind, attribute.name))


def asked(attribute: ast.Attribute, condition: ast.Condition, reading: str = "present") -> Piece:
    """A residual test of a value computed from the attribute; `reading` is the fact that it could be."""
    return leaf(condition, known_of(attribute, "present", reading), 2)


def plain(attribute: ast.Attribute, condition: ast.Condition, of_string: bool = False) -> Piece:
    """A test of the attribute itself; it holds only where that is there, perhaps only of strings."""
    return leaf(
        condition, known_of(attribute, "present", "string") if of_string else known_of(attribute, "present")
    )


def matches(attribute: ast.Attribute, pattern: str, negated: bool = False) -> Piece:
    """A string that fits a canonical pattern, or does not."""
    return plain(attribute, like(attribute, pattern, negated), of_string=True)


def spelled(attribute: ast.Attribute, flag: bool) -> Piece:
    """A string that spells the flag in letters of either case (or in others that fold to them)."""
    word = ast.Literal("true" if flag else "false", attribute.span)
    return plain(attribute, ast.Like(attribute, word, None, True, False, attribute.span), of_string=True)


def equal(attribute: ast.Attribute, value: Scalar) -> Piece:
    """The attribute is exactly this value; so it is known which casts of it succeed."""
    facts = ["present"]
    if isinstance(value, str):
        facts.append("string")
    read: Primitive | None = None if isinstance(value, Timestamp) else primitive(value)
    if read is not None:
        facts += [name for name, kind in _CASTS if not cast(read, kind).error]
    return leaf(compare(attribute, "=", value), known_of(attribute, *facts))
