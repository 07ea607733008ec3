"""CloudEvents SQL to our own syntax tree: true of an event exactly where CESQL says true without error.

An expression has three outcomes: true, false, or an error, which ends everything. So each sub-expression
is lowered to the condition under which it is true and the one under which it is false. In `x OR y` the
right side counts only where the left side is false without error: `true(x) OR (false(x) AND true(y))`.
Where `y` itself can only be true of events that `x` can be read of, the middle part disappears and an
ordinary OR is left.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from siftmesh.errors import LimitExceeded, Span, SyntaxError, UnsupportedFeature, nearest_name
from siftmesh.language import ast
from siftmesh.language.dialects.cesql.computed import attribute_of
from siftmesh.language.dialects.cesql.evaluator import evaluate
from siftmesh.language.dialects.cesql.leaves import leaf_sides, residual
from siftmesh.language.dialects.cesql.parser import parse
from siftmesh.language.dialects.cesql.pieces import (
    ALWAYS,
    NEVER,
    OVERSIZED,
    Fact,
    Piece,
    all_of,
    any_of,
    condition_of,
    given,
)
from siftmesh.language.dialects.cesql.sides import FAILS, Sides, compare
from siftmesh.language.dialects.cesql.tree import (
    Attribute,
    Call,
    Expression,
    Logic,
    Not,
    attributes,
    kind_of,
    operation_of,
    size,
    walk,
)
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.model.functions.cesql import BUILT_IN, all_true

__all__ = ["lower", "parse_cesql"]

# How much larger than the expression its conditions may grow before it is computed as a whole instead.
_GROWTH, _ALLOWANCE = 4, 64
# How many pieces one OR may look at to leave out what its operands imply.
_EFFORT = 100_000
# XOR of more than this is always computed: both sides of each operand appear in both sides of the whole.
_XOR_OPERANDS = 3
# Sides are made when asked for; at every so many levels they are made at once, to spare the Python stack.
_LEVELS = 8

_TRUE = Sides.known(ALWAYS, NEVER, ALWAYS)


def parse_cesql(text: str, limits: Limits = DEFAULT) -> ast.Condition:
    """The condition that a CloudEvents SQL filter puts on events."""
    if not isinstance(text, str):
        raise SyntaxError(f"an expression is text, not {type(text).__name__}", expected="a string")
    return lower(text, limits)


def lower(expression: str | Expression, limits: Limits = DEFAULT) -> ast.Condition:
    """The condition that is true exactly where the expression is true without error.

    An integer or a string is no verdict: such an expression never matches.
    """
    source = expression if isinstance(expression, str) else None
    tree = parse(expression, limits) if isinstance(expression, str) else expression
    _refuse_unknown_functions(tree, source)
    if isinstance(tree, Attribute):
        return compare(attribute_of(tree), "=", True)
    if kind_of(tree) is not bool:
        return ast.Truth(False, tree.span)
    try:
        return condition_of(_sides(tree, 0).true)
    except RecursionError:
        raise LimitExceeded(
            "the expression is nested too deeply for the Python stack", limit=limits.depth, setting="depth"
        ) from None


def _refuse_unknown_functions(tree: Expression, source: str | None) -> None:
    for node in walk(tree):
        if not isinstance(node, Call) or operation_of(node) is not None:
            continue
        name, count = node.function, len(node.arguments)
        span: Span = (node.span[0], node.span[0] + len(name))
        if name in BUILT_IN:
            raise UnsupportedFeature(
                f"{name} does not take {count} argument{'' if count == 1 else 's'}",
                source=source,
                span=span,
                expected="another number of arguments",
            )
        raise UnsupportedFeature(
            f"there is no function {name}",
            source=source,
            span=span,
            expected=nearest_name(name, BUILT_IN) or f"one of {', '.join(sorted(BUILT_IN))}",
        )


def _sides(node: Expression, level: int) -> Sides:
    """When the node, cast to a boolean, is true and when it is false."""
    sides = _unmade(node, level)
    return sides.made() if level % _LEVELS == _LEVELS - 1 else sides


def _unmade(node: Expression, level: int) -> Sides:
    if not attributes(node):
        verdict = all_true([evaluate(node, {})])
        if verdict.error:
            return FAILS
        return _TRUE if verdict.value else _TRUE.swapped()
    if isinstance(node, Logic):
        return _combined(node, level)
    if isinstance(node, Not) and kind_of(node.operand) is bool:
        return _sides(node.operand, level + 1).swapped()
    if isinstance(node, Call) and node.function == "BOOL":
        return _sides(node.arguments[0], level + 1)
    return leaf_sides(node)


def _combined(node: Logic, level: int) -> Sides:
    if node.operator == "XOR" and len(node.operands) > _XOR_OPERANDS:
        return residual(node)
    operands = [_sides(operand, level + 1) for operand in node.operands]
    if node.operator == "OR":
        return _within(node, _either(operands, _room(node)))
    if node.operator == "AND":  # a AND b fails, and stops, just as NOT (NOT a OR NOT b)
        return _within(node, _either([sides.swapped() for sides in operands], _room(node)).swapped())
    combined = operands[0]
    for operand in operands[1:]:
        combined = _one_of(combined, operand)
    return _within(node, combined)


def _room(node: Logic) -> int:
    return _GROWTH * size(node) + _ALLOWANCE


def _within(node: Logic, sides: Sides) -> Sides:
    """The sides, but what grew too large is computed as a whole instead."""
    room = _room(node)
    whole = cache(lambda: residual(node))

    def bounded(piece: Callable[[Sides], Piece]) -> Callable[[], Piece]:
        def make() -> Piece:
            made = piece(sides)
            return made if made.size <= room else piece(whole())

        return make

    return Sides(
        bounded(lambda side: side.true),
        bounded(lambda side: side.false),
        bounded(lambda side: side.near_true),
        bounded(lambda side: side.near_false),
    )


def _one_of(left: Sides, right: Sides) -> Sides:
    """XOR of two: each is read, whatever the other is."""

    def readable(sides: Sides) -> Piece:
        return any_of(sides.near_true, sides.near_false)

    return Sides.read(
        lambda: any_of(all_of(left.true, right.false), all_of(left.false, right.true)),
        lambda: any_of(all_of(left.true, right.true), all_of(left.false, right.false)),
        lambda: all_of(readable(left), readable(right)),
    )


def _either(operands: list[Sides], room: int) -> Sides:
    """OR: an operand counts where all before it are false."""
    return Sides(
        lambda: _alternatives(operands, operands[-1].true, room),
        lambda: all_of(*(sides.false for sides in operands)),
        lambda: _alternatives(operands, operands[-1].near_true, room),
        lambda: all_of(*(sides.near_false for sides in operands)),
    )


def _alternatives(operands: list[Sides], last: Piece, room: int) -> Piece:
    guard = _Guard()
    found: list[Piece] = []
    for sides in operands[:-1]:
        found.append(guard.before(sides.true))
        guard.add(sides.near_false)
        room -= found[-1].size
        if room < 0 or guard.effort > _EFFORT:
            return OVERSIZED
    return any_of(*found, guard.before(last))


class _Guard:
    """What keeps out the events of which an earlier operand of an OR is an error."""

    def __init__(self) -> None:
        self.parts: dict[Piece, None] = {}
        self.needs: frozenset[Fact] | None = frozenset()
        self.effort = 0

    def add(self, part: Piece) -> None:
        if part not in self.parts:
            self.parts[part] = None
            self.needs = None if self.needs is None or part.needs is None else self.needs | part.needs

    def before(self, piece: Piece) -> Piece:
        """The piece where the guard holds; only what the piece does not imply by itself is written."""
        if self.needs is not None and self.needs <= piece.facts:
            return piece
        self.effort += sum(part.size for part in self.parts)
        return all_of(*(given(part, piece.facts) for part in self.parts), piece)
