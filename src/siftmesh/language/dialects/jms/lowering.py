"""A JMS selector in the language's own terms: true of exactly the events that the selector matches.

Two things differ. Comparing values that are not alike is *false* in a selector and *unknown* in the language.
It shows under NOT, so NOT is carried down to the leaves, where what makes a comparison false is spelled out.
And numbers follow Java's promotion: comparing an attribute with a literal becomes a plain, indexable one
wherever that is exact, and a function of the dialect elsewhere.
"""

from __future__ import annotations

import math

from siftmesh.errors import SyntaxError
from siftmesh.language.ast import (
    And,
    Arithmetic,
    Attribute,
    Between,
    Call,
    Comparison,
    ComparisonOperator,
    Condition,
    Expression,
    In,
    IsNull,
    IsTrue,
    Like,
    Literal,
    Negate,
    Not,
    Or,
    Truth,
)
from siftmesh.language.dialects.combine import all_of, any_of, of_kind
from siftmesh.language.dialects.jms.parser import parse_selector
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.model.functions.jms import JMS
from siftmesh.model.values import INT_MAX, INT_MIN, Value

__all__ = ["parse_jms"]

_FLIPPED: dict[ComparisonOperator, ComparisonOperator] = {
    "=": "=",
    "<>": "<>",
    "<": ">",
    "<=": ">=",
    ">": "<",
    ">=": "<=",
}
_NEGATED: dict[ComparisonOperator, ComparisonOperator] = {
    "=": "<>",
    "<>": "=",
    "<": ">=",
    "<=": ">",
    ">": "<=",
    ">=": "<",
}
_ARITHMETIC = {"+": "jms_add", "-": "jms_subtract", "*": "jms_multiply", "/": "jms_divide"}
_TESTS = {"=": "jms_eq", "<>": "jms_ne", "<": "jms_lt", "<=": "jms_le"}
_APPLY = {function.name: function.apply for function in JMS}

# Up to here every integer is a double, so that promotion changes nothing.
_EXACT = 2**53


def parse_jms(text: object, limits: Limits = DEFAULT) -> Condition:
    """Parse a JMS message selector, which is a string; the empty one matches every event."""
    if not isinstance(text, str):
        raise SyntaxError(f"a selector is text, not {type(text).__name__}", expected="a string")
    return _lower(parse_selector(text, limits), True)


def _lower(condition: Condition, wanted: bool) -> Condition:
    """The condition that is true exactly when the selector's condition is `wanted`."""
    if isinstance(condition, Not):
        return _lower(condition.operand, not wanted)
    if isinstance(condition, And | Or):
        operands = [_lower(operand, wanted) for operand in condition.operands]
        return (all_of if isinstance(condition, And) == wanted else any_of)(operands)
    if isinstance(condition, Comparison):
        return _comparison(condition, wanted)
    if isinstance(condition, Between):
        return _lower(_between(condition), wanted)
    if isinstance(condition, IsTrue):
        return condition if wanted else _false(Not(condition), condition.operand, "bool")
    if isinstance(condition, Truth):
        return Truth(condition.value == wanted, condition.span)
    if isinstance(condition, IsNull):
        return IsNull(condition.operand, condition.negated == wanted, condition.span)
    assert isinstance(condition, In | Like)
    return _membership(condition, wanted)


def _false(opposite: Condition, operand: Expression, kind: str) -> Condition:
    """True when a test of values of one kind is false: the opposite holds, or it is of another kind."""
    return any_of([opposite, of_kind(operand, "null", kind, negated=True)])


def _membership(condition: In | Like, wanted: bool) -> Condition:
    """IN and LIKE ask strings; of anything else but null they are false, and their NOT is true."""
    negated = condition.negated == wanted
    operand, span = condition.operand, condition.span
    plain: Condition
    if isinstance(condition, In):
        plain = In(operand, condition.items, negated, span)
    else:
        plain = Like(operand, condition.pattern, condition.escape, False, negated, span)
    return _false(plain, operand, "string") if negated else plain


def _between(condition: Between) -> Condition:
    """The two comparisons that the specification says BETWEEN and NOT BETWEEN stand for."""
    operand, span = condition.operand, condition.span
    if condition.negated:
        return Or(
            (Comparison("<", operand, condition.low, span), Comparison(">", operand, condition.high, span))
        )
    return And(
        (Comparison(">=", operand, condition.low, span), Comparison("<=", operand, condition.high, span))
    )


def _comparison(condition: Comparison, wanted: bool) -> Condition:
    operator, span = condition.operator, condition.span
    left, right = _value(condition.left), _value(condition.right)
    if isinstance(left, Literal) and isinstance(right, Attribute):
        left, right, operator = right, left, _FLIPPED[operator]
    if isinstance(left, Attribute) and isinstance(right, Literal) and _is_plain(right):
        if wanted:
            return _plain(operator, left, right, condition)
        opposite = _plain(_NEGATED[operator], left, right, condition)
        return _false(opposite, left, _kind(right))
    if operator in (">", ">="):
        left, right, operator = right, left, _FLIPPED[operator]
    name = _TESTS[operator]
    if isinstance(left, Literal) and isinstance(right, Literal):
        return Truth((_APPLY[name](left.value, right.value) is True) == wanted, span)
    test = IsTrue(Call(name, (left, right), span), span)
    return test if wanted else Not(test, span)


def _kind(literal: Literal) -> str:
    if isinstance(literal.value, str):
        return "string"
    return "bool" if isinstance(literal.value, bool) else "number"


def _is_plain(literal: Literal) -> bool:
    """Whether comparing with the literal needs no function: so for all but longs that are no double."""
    return type(literal.value) is not int or float(literal.value) == literal.value


def _plain(
    operator: ComparisonOperator, attribute: Attribute, literal: Literal, written: Comparison
) -> Condition:
    if type(literal.value) is float:
        low, high = _promoted(literal.value)
        if low != high:
            return _ranged(
                operator, attribute, Literal(low, literal.span), Literal(high, literal.span), written
            )
    return Comparison(operator, attribute, literal, written.span)


def _ranged(
    operator: ComparisonOperator, attribute: Attribute, low: Literal, high: Literal, written: Comparison
) -> Condition:
    """The comparison with a double that stands for all numbers from low to high."""
    if operator in ("=", "<>"):
        return Between(attribute, low, high, operator == "<>", written.span)
    return Comparison(operator, attribute, low if operator in ("<", ">=") else high, written.span)


def _promoted(number: float) -> tuple[int | float, int | float]:
    """The least and greatest number that promotion makes equal to a double: it, or longs that round to it."""
    if not _EXACT <= abs(number) <= -INT_MIN:
        return number, number
    # From here on doubles are at least 2 apart, so that halfway between two of them lies an integer.
    below = (int(math.nextafter(number, -math.inf)) + int(number)) // 2
    above = (int(math.nextafter(number, math.inf)) + int(number)) // 2
    low = below if float(below) == number else below + 1
    high = above if float(above) == number else above - 1
    return (low if low >= INT_MIN else number), (high if high <= INT_MAX else number)


def _value(expression: Expression) -> Expression:
    """An expression with the dialect's functions for its arithmetic, constants computed."""
    if isinstance(expression, Negate):
        return _apply("jms_negate", (_value(expression.operand),), expression)
    if isinstance(expression, Arithmetic):
        arguments = (_value(expression.left), _value(expression.right))
        return _apply(_ARITHMETIC[expression.operator], arguments, expression)
    return expression


def _apply(name: str, arguments: tuple[Expression, ...], written: Negate | Arithmetic) -> Expression:
    constants = [argument.value for argument in arguments if isinstance(argument, Literal)]
    if len(constants) == len(arguments):
        result: Value = _APPLY[name](*constants)
        # Infinity and null (a division of longs by zero) have no literal and stay calls.
        if isinstance(result, int | float) and math.isfinite(result):
            return Literal(result, written.span)
    return Call(name, arguments, written.span)
