"""The condition that is true exactly when another is false or unknown: NOT where only two truths exist."""

from __future__ import annotations

from siftmesh.errors import UnsupportedFeature
from siftmesh.language.ast import (
    And,
    Attribute,
    Between,
    Call,
    Comparison,
    ComparisonOperator,
    Condition,
    Exists,
    Expression,
    In,
    IsNull,
    IsTrue,
    Like,
    Literal,
    Not,
    Or,
    Parameter,
    Truth,
    walk,
)
from siftmesh.language.dialects.combine import all_of, any_of, of_kind
from siftmesh.model.values import Timestamp

__all__ = ["complement"]

_NEGATED: dict[ComparisonOperator, ComparisonOperator] = {
    "=": "<>",
    "<>": "=",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
}
_NEVER_COMPARED = ("null", "array", "opaque")


def complement(condition: Condition) -> Condition:
    """The condition that is true exactly when `condition` is false or unknown."""
    return _without(condition, True)


def _without(condition: Condition, value: bool) -> Condition:
    """The condition that is true exactly when `condition` is not `value`: the opposite, or unknown."""
    opposite: Condition
    match condition:
        case Not():
            return _without(condition.operand, not value)
        case And() | Or():
            operands = [_without(operand, value) for operand in condition.operands]
            return (any_of if isinstance(condition, And) == value else all_of)(operands)
        case Truth():
            return Truth(condition.value != value, condition.span)
        case Between():
            return _without(_as_comparisons(condition), value)
        case IsNull() | Exists():
            return Not(condition, condition.span) if value else condition
        case IsTrue():
            opposite = Not(condition, condition.span) if value else condition
            return any_of([opposite, of_kind(condition.operand, "bool", negated=True)])
        case Comparison():
            operator = _NEGATED[condition.operator] if value else condition.operator
            opposite = Comparison(operator, condition.left, condition.right, condition.span)
            return any_of([opposite, *_incomparable(condition)])
        case Like() if isinstance(condition.pattern, Literal):
            negated = condition.negated != value
            opposite = Like(
                condition.operand,
                condition.pattern,
                condition.escape,
                condition.ignore_case,
                negated,
                condition.span,
            )
            return any_of([opposite, of_kind(condition.operand, "string", negated=True)])
        case In():
            return _without_membership(condition, value)
        case _:
            raise UnsupportedFeature(
                f"a NOT around {type(condition).__name__.upper()} has no exact form here"
            )


def _as_comparisons(condition: Between) -> Condition:
    low = Comparison(">=", condition.operand, condition.low, condition.span)
    high = Comparison("<=", condition.operand, condition.high, condition.span)
    both = And((low, high), condition.span)
    return Not(both, condition.span) if condition.negated else both


def _without_membership(condition: In, value: bool) -> Condition:
    """IN is a row of equalities: true when one is, false when all are, and so of one kind all of them."""
    _refuse_written_moment(condition.operand)
    kinds = dict.fromkeys(_kind(item) for item in condition.items)
    if value == condition.negated:
        # Not false: some item is equal, or one is of another kind than the value.
        found = In(condition.operand, condition.items, False, condition.span)
        return any_of([found, *(of_kind(condition.operand, kind, negated=True) for kind in kinds)])
    # Not true: no item of the value's own kind is equal, whatever the items of other kinds are.
    groups = []
    for kind in kinds:
        items = tuple(item for item in condition.items if _kind(item) == kind)
        none = In(condition.operand, items, True, condition.span)
        groups.append(any_of([none, of_kind(condition.operand, kind, negated=True)]))
    return all_of(groups)


def _incomparable(condition: Comparison) -> list[Condition]:
    """When a comparison is unknown: two kinds, a kind that never compares, or an order of bools."""
    ordered = condition.operator not in ("=", "<>")
    left, right = condition.left, condition.right
    for side in (left, right):
        _refuse_written_moment(side)
    kinds = {_kind(side): side for side in (left, right) if isinstance(side, Literal)}
    if kinds:
        kind, side = kinds.popitem()
        if ordered and kind == "bool":
            return [Truth(True)]
        return [of_kind(right if side is left else left, kind, negated=True)]
    never = (*_NEVER_COMPARED, "bool") if ordered else _NEVER_COMPARED
    return [of_kind(left, *never), Comparison("<>", Call("kind", (left,)), Call("kind", (right,)))]


def _kind(constant: Expression) -> str:
    """The kind of a literal that only values of its own kind compare with."""
    _refuse_written_moment(constant)
    value = constant.value if isinstance(constant, Literal) else None
    if isinstance(value, bool):
        return "bool"
    return "string" if isinstance(value, str) else "number"


def _refuse_written_moment(side: Expression) -> None:
    """Beside a moment made of nothing but constants a string is read as a moment, so kinds do not decide."""
    constants = []
    for node in walk(side):
        if isinstance(node, Attribute):
            return
        # What a parameter will hold is not known; it may be a moment too.
        if isinstance(node, Parameter) or (isinstance(node, Literal) and isinstance(node.value, Timestamp)):
            constants.append(node)
    if constants:
        what = "a parameter" if isinstance(constants[0], Parameter) else "TIMESTAMP"
        raise UnsupportedFeature(f"a NOT around {what} has no exact form here", span=constants[0].span)
