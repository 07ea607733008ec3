"""Conditions put together, and the question of a value's kind: what every dialect's lowering is made of."""

from __future__ import annotations

from collections.abc import Iterable

from siftmesh.language.ast import And, Call, Comparison, Condition, Expression, In, Literal, Or, Truth

__all__ = ["all_of", "any_of", "of_kind"]


def all_of(conditions: Iterable[Condition]) -> Condition:
    """True when every condition is; a single one stays as it is."""
    operands = tuple(conditions)
    if len(operands) == 1:
        return operands[0]
    return And(operands) if operands else Truth(True)


def any_of(conditions: Iterable[Condition]) -> Condition:
    """True when some condition is; a single one stays as it is."""
    operands = tuple(conditions)
    if len(operands) == 1:
        return operands[0]
    return Or(operands) if operands else Truth(False)


def of_kind(value: Expression, *kinds: str, negated: bool = False) -> Condition:
    """Whether a value is (or is not) of one of these kinds; never unknown: what is missing is null."""
    asked = Call("kind", (value,))
    if len(kinds) == 1:
        return Comparison("<>" if negated else "=", asked, Literal(kinds[0]))
    return In(asked, tuple(Literal(kind) for kind in kinds), negated)
