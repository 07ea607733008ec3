"""What a Tree means, written as directly as possible; shares no code with what it checks."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from siftmesh.logic.tree import And, Get, Operator, Or, Predicate, Quantified, Residual, Tree
from siftmesh.model.event import Event
from siftmesh.model.values import Kind, Timestamp

MISSING = object()
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def truth(tree: Tree, event: Event) -> bool | None:
    if isinstance(tree, And):
        return all_of([truth(child, event) for child in tree.children])
    if isinstance(tree, Or):
        return any_of([truth(child, event) for child in tree.children])
    if isinstance(tree, Predicate):
        return predicate(tree, event.values.get(tree.attribute, MISSING))
    if isinstance(tree, Quantified):
        return quantified(tree, event)
    assert isinstance(tree, Residual)
    return residual(tree, event)


def is_true(tree: Tree, event: Event) -> bool:
    return truth(tree, event) is True


def opposite(verdict: bool | None) -> bool | None:
    return None if verdict is None else not verdict


def all_of(verdicts: list[bool | None]) -> bool | None:
    return False if False in verdicts else None if None in verdicts else True


def any_of(verdicts: list[bool | None]) -> bool | None:
    return True if True in verdicts else None if None in verdicts else False


def comparable(value: Any, kind: Kind) -> Any:
    """The value as constants of a kind are held, or None when it does not compare with them."""
    if kind == Kind.BOOL:
        return value if value is True or value is False else None
    if kind == Kind.NUMBER:
        return value if type(value) in (int, float) else None
    if kind == Kind.STRING:
        return value if type(value) is str else None
    if kind == Kind.TIMESTAMP:
        if type(value) is Timestamp:
            return value.micros
        if type(value) is str and len(value) == 20 and value[10] == "T" and value[19] == "Z":
            try:
                moment = datetime.fromisoformat(value)
            except ValueError:
                return None
            return (moment - EPOCH) // timedelta(microseconds=1)
    return None


def compare(operator: Operator, value: Any, kind: Kind, constant: Any) -> bool | None:
    value = comparable(value, kind)
    if value is None:
        return None
    if operator == Operator.EQ:
        return value == constant
    if operator == Operator.NE:
        return value != constant
    if kind == Kind.BOOL:
        return None
    if operator == Operator.LT:
        return value < constant
    if operator == Operator.LE:
        return value <= constant
    if operator == Operator.GT:
        return value > constant
    assert operator == Operator.GE
    return value >= constant


def like(pattern: str, text: str) -> bool:
    if not pattern:
        return not text
    if pattern[0] == "%":
        return any(like(pattern[1:], text[start:]) for start in range(len(text) + 1))
    if pattern[0] == "_":
        return bool(text) and like(pattern[1:], text[1:])
    if pattern[0] == "\\":
        pattern = pattern[1:]
    return text[:1] == pattern[0] and like(pattern[1:], text[1:])


def predicate(leaf: Predicate, value: Any) -> bool | None:
    asked, kind, constant = leaf.operator, leaf.kind, leaf.value
    if asked == Operator.EXISTS:
        return value is not MISSING
    if value is MISSING and asked != Operator.NOT_EXISTS:
        value = None
    if asked == Operator.IS_NULL:
        return value is None
    if asked in (
        Operator.NOT_EXISTS,
        Operator.NOT_IN,
        Operator.NOT_LIKE,
        Operator.NOT_ILIKE,
        Operator.IS_NOT_NULL,
        Operator.NOT_CONTAINS,
        Operator.NOT_OVERLAPS,
    ):
        return opposite(predicate(Predicate(leaf.attribute, Operator(asked - 1), kind, constant), value))
    if asked == Operator.IN:
        return any_of([compare(Operator.EQ, value, kind, one) for one in constant])
    if asked == Operator.LIKE:
        return like(constant, value) if type(value) is str else None
    if asked == Operator.ILIKE:
        return like(constant.casefold(), value.casefold()) if type(value) is str else None
    if asked == Operator.CONTAINS:
        if type(value) is not tuple:
            return None
        return any_of([compare(Operator.EQ, element, kind, constant) for element in value])
    if asked == Operator.OVERLAPS:
        return any_of(
            [predicate(Predicate(leaf.attribute, Operator.CONTAINS, kind, one), value) for one in constant]
        )
    return compare(asked, value, kind, constant)


def quantified(leaf: Quantified, event: Event) -> bool | None:
    if leaf.operator == Operator.NOT_SOME:
        return opposite(quantified(Quantified(leaf.arrays, Operator.SOME, leaf.terms), event))
    arrays = [event.values.get(name) for name in leaf.arrays]
    if any(type(array) is not tuple for array in arrays) or len({len(array) for array in arrays}) > 1:
        return None
    return any_of(
        [
            all_of(
                [
                    compare(term.operator, arrays[term.position][i], term.kind, term.value)
                    for term in leaf.terms
                ]
            )
            for i in range(len(arrays[0]))
        ]
    )


def residual(leaf: Residual, event: Event) -> bool | None:
    """Comparisons of two attributes and tests of one: what the strategies make."""
    assert isinstance(leaf.left, Get)
    left = event.values.get(leaf.left.attribute)
    if leaf.test is not None:
        return predicate(leaf.test, left)
    assert isinstance(leaf.right, Get)
    right = event.values.get(leaf.right.attribute)
    for kind in (Kind.BOOL, Kind.NUMBER, Kind.STRING):
        if comparable(right, kind) is not None:
            return compare(leaf.operator, left, kind, right)
    if type(right) is Timestamp and type(left) is Timestamp:
        return compare(leaf.operator, left, Kind.TIMESTAMP, right.micros)
    return None
