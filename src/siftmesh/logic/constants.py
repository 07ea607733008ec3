"""Constants to leaves: the one place where a filter's values take the form that predicates hold."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from siftmesh.logic.tree import FALSE, NEGATION, And, Operator, Or, Predicate, Tree
from siftmesh.model.pattern import canonical, compile_pattern
from siftmesh.model.values import INT_MAX, INT_MIN, Kind, Scalar, Timestamp, kind_of

__all__ = ["ORDERINGS", "constant", "equality", "like", "membership", "opposite"]

ORDERINGS = frozenset([Operator.LT, Operator.LE, Operator.GT, Operator.GE])


def constant(value: Scalar) -> tuple[Kind, Any]:
    """A constant as a predicate holds it: a whole number as an int, a timestamp as its microseconds."""
    kind = kind_of(value)
    if type(value) is float and value.is_integer() and INT_MIN <= value <= INT_MAX:
        return kind, int(value)
    if type(value) is Timestamp:
        return kind, value.micros
    return kind, value


def equality(attribute: str, operator: Operator, value: Scalar | None) -> Tree:
    """A comparison of an attribute with a constant; with null, or a bool put in order, it is never true."""
    if value is None:
        return FALSE
    kind, held = constant(value)
    if kind == Kind.BOOL and operator in ORDERINGS:
        return FALSE
    return _equal(attribute, operator, kind, held)


def _equal(attribute: str, operator: Operator, kind: Kind, held: Any) -> Predicate:
    if kind == Kind.BOOL:  # "not true" is false: one spelling for both
        return Predicate(attribute, Operator.EQ, kind, held == (operator == Operator.EQ))
    return Predicate(attribute, operator, kind, held)


def membership(attribute: str, operator: Operator, values: Iterable[Scalar | None]) -> Tree:
    """IN or OVERLAPS (or their opposites) with a list of constants: one leaf for each kind in the list."""
    positive = not operator & 1
    by_kind: dict[Kind, set[Any]] = {}
    for value in values:
        if value is None:
            if positive:
                continue  # never equal to anything
            return FALSE  # "not equal to null" is never true
        kind, held = constant(value)
        by_kind.setdefault(kind, set()).add(held)
    scalar = operator in (Operator.IN, Operator.NOT_IN)
    made: list[Tree] = []
    for kind, held_values in sorted(by_kind.items()):
        ordered = tuple(sorted(held_values))
        if len(ordered) > 1:
            made.append(Predicate(attribute, operator, kind, ordered))
        elif scalar:
            made.append(_equal(attribute, opposite(Operator.EQ, positive), kind, ordered[0]))
        else:
            made.append(Predicate(attribute, opposite(Operator.CONTAINS, positive), kind, ordered[0]))
    if len(made) == 1:
        return made[0]
    return Or(tuple(made)) if positive else And(tuple(made))


def like(attribute: str, operator: Operator, pattern: str | None, escape: str | None = None) -> Tree:
    """LIKE or ILIKE (or their opposites); a LIKE without wildcards is an equality."""
    if pattern is None:
        return FALSE
    spelling = canonical(pattern, escape)
    if operator in (Operator.ILIKE, Operator.NOT_ILIKE):
        return Predicate(attribute, operator, Kind.STRING, spelling.casefold())
    exact = compile_pattern(spelling).exact if "%" not in spelling or "\\" in spelling else None
    if exact is not None:
        equal = Operator.EQ if operator == Operator.LIKE else Operator.NE
        return Predicate(attribute, equal, Kind.STRING, exact)
    return Predicate(attribute, operator, Kind.STRING, spelling)


def opposite(operator: Operator, positive: bool) -> Operator:
    """The operator itself, or its opposite where a NOT has been pushed down to it."""
    return operator if positive else NEGATION[operator]
