"""A JMS selector to a syntax tree in the selector's own meaning, which `lowering` turns into the language's.

selector    := condition
condition   := condition OR condition | condition AND condition | NOT condition | predicate | ( condition )
predicate   := value (= | <> | < | <= | > | >=) value | value [NOT] BETWEEN value AND value
             | name [NOT] IN ( string, ... ) | name [NOT] LIKE string [ESCAPE string]
             | name IS [NOT] NULL | name | TRUE | FALSE
value       := value (+ - * /) value | + value | - value | name | number | string | TRUE | FALSE | ( value )
"""

from __future__ import annotations

from typing import NoReturn, cast

from siftmesh.errors import LimitExceeded, Span, SyntaxError, TypeMismatch, UnsupportedFeature
from siftmesh.language.ast import (
    And,
    Arithmetic,
    ArithmeticOperator,
    Attribute,
    Between,
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
    Node,
    Not,
    Or,
    Truth,
)
from siftmesh.language.dialects.jms.tokenizer import END, Token, tokenize
from siftmesh.language.limits import Limits
from siftmesh.language.patterns import check_pattern
from siftmesh.model.path import quote
from siftmesh.model.values import INT_MAX, INT_MIN

__all__ = ["parse_selector"]

_OR, _AND, _NOT, _COMPARE, _ADD, _MULTIPLY, _SIGN = range(10, 80, 10)
_INFIX = {
    "OR": _OR,
    "AND": _AND,
    **dict.fromkeys(["=", "<>", "<", "<=", ">", ">="], _COMPARE),
    **dict.fromkeys(["NOT", "BETWEEN", "IN", "LIKE", "IS"], _COMPARE),
    **dict.fromkeys(["+", "-"], _ADD),
    **dict.fromkeys(["*", "/"], _MULTIPLY),
}
_COMPARISONS = frozenset(["=", "<>", "<", "<=", ">", ">="])

# The header fields that a selector may name; names with these prefixes are properties.
_HEADERS = ("JMSDeliveryMode", "JMSPriority", "JMSMessageID", "JMSTimestamp", "JMSCorrelationID", "JMSType")
_PROPERTIES = ("JMSX", "JMS_")


def parse_selector(source: str, limits: Limits) -> Condition:
    """Parse a selector; whatever is wrong with it is a SubscriptionError that shows the place."""
    if source == "":
        return Truth(True)
    parser = _Parser(source, limits)
    try:
        condition = parser.condition(parser.expression(0))
    except RecursionError:
        raise LimitExceeded(
            "the selector is nested too deeply for the Python stack", limit=limits.depth, setting="depth"
        ) from None
    if parser.token.type != END:
        parser.unexpected("AND, OR or the end of the selector")
    return condition


class _Parser:
    """One selector being parsed: its tokens and the place reached."""

    def __init__(self, source: str, limits: Limits) -> None:
        self.source = source
        self.limits = limits
        self.tokens = tokenize(source, limits)
        self.at = 0
        self.token = self.tokens[0]
        self.depth = 0
        self.nodes = 0

    # ---- moving through the tokens

    def advance(self) -> Token:
        passed = self.token
        self.at += 1
        self.token = self.tokens[self.at]
        return passed

    def accept(self, wanted: str) -> bool:
        if self.token.type != wanted:
            return False
        self.advance()
        return True

    def expect(self, wanted: str, expected: str) -> Token:
        if self.token.type != wanted:
            self.unexpected(expected)
        return self.advance()

    @property
    def end(self) -> int:
        return self.tokens[self.at - 1].span[1]

    def unexpected(self, expected: str) -> NoReturn:
        start, end = self.token.span
        what = (
            "the selector ends too early"
            if self.token.type == END
            else f"unexpected {self.source[start:end]}"
        )
        raise SyntaxError(what, source=self.source, span=self.token.span, expected=expected)

    def mistyped(self, what: str, span: Span, expected: str) -> TypeMismatch:
        return TypeMismatch(what, source=self.source, span=span, expected=expected)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > self.limits.depth:
            self.too_large("is nested deeper than", "depth")

    def counted(self) -> None:
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            self.too_large("has more nodes than", "nodes")

    def too_large(self, what: str, setting: str) -> NoReturn:
        limit = getattr(self.limits, setting)
        raise LimitExceeded(
            f"the selector {what} {limit}",
            source=self.source,
            span=self.token.span,
            limit=limit,
            setting=setting,
        )

    # ---- conditions and values

    def expression(self, tightness: int) -> Node:
        """Parse as far as operators bind more tightly than `tightness`."""
        left = self.prefix()
        depth = self.depth
        while True:
            operator = self.token.type
            binding = _INFIX.get(operator, 0)
            if binding <= tightness:
                self.depth = depth
                return left
            if operator in ("AND", "OR"):
                left = self.chain(left, operator, binding)
                continue
            self.counted()
            if binding > _COMPARE:
                # Each further operand of a chain such as a + b + c lies one level above the last.
                self.deeper()
                first = self.number(left)
                self.advance()
                second = self.number(self.expression(binding))
                span = (first.span[0], second.span[1])
                left = Arithmetic(cast(ArithmeticOperator, operator), first, second, span)
            elif operator in _COMPARISONS:
                left = self.comparison(self.value(left))
            else:
                left = self.predicate(self.value(left))

    def chain(self, left: Node, operator: str, binding: int) -> Condition:
        """condition AND condition AND ... (or OR)"""
        operands = [self.condition(left)]
        while self.accept(operator):
            self.counted()
            operands.append(self.condition(self.expression(binding)))
        node = And if operator == "AND" else Or
        return node(tuple(operands), (operands[0].span[0], operands[-1].span[1]))

    def prefix(self) -> Node:
        """What can stand at the start of a condition or value."""
        self.counted()
        token = self.token
        start = token.span[0]
        if token.type == "name":
            return self.attribute()
        if token.type in ("string", "number"):
            return self.literal()
        if token.type in ("TRUE", "FALSE"):
            self.advance()
            return Literal(token.type == "TRUE", token.span)
        if token.type not in ("(", "NOT", "+", "-"):
            self.unexpected("an identifier, a literal, NOT or an opening parenthesis")
        self.deeper()
        self.advance()
        if token.type == "(":
            inner = self.expression(0)
            self.expect(")", "an operator or a closing parenthesis")
        elif token.type == "NOT":
            operand = self.condition(self.expression(_NOT))
            inner = Not(operand, (start, operand.span[1]))
        else:
            inner = self.signed(token)
        self.depth -= 1
        return inner

    def signed(self, sign: Token) -> Expression:
        """+ value | - value: a sign before a number makes one literal of both."""
        if self.token.type == "number":
            literal = self.literal(negative=sign.type == "-")
            return Literal(literal.value, (sign.span[0], literal.span[1]))
        operand = self.number(self.expression(_SIGN))
        span = (sign.span[0], operand.span[1])
        if sign.type == "+":
            # Only a number stays itself under a plus; one times it is it.
            return Arithmetic("*", Literal(1, sign.span), operand, span)
        return Negate(operand, span)

    def literal(self, negative: bool = False) -> Literal:
        token = self.advance()
        value = token.value
        if not isinstance(value, str):
            value = -value if negative else value
            if type(value) is int and not INT_MIN <= value <= INT_MAX:
                raise SyntaxError(
                    "the number is too large",
                    source=self.source,
                    span=token.span,
                    expected="a number in the range of long",
                )
        return Literal(value, token.span)

    def attribute(self) -> Attribute:
        token = self.advance()
        name = str(token.value)
        if name.startswith("JMS") and name not in _HEADERS and not name.startswith(_PROPERTIES):
            raise UnsupportedFeature(
                f"a selector cannot ask for the header {name}",
                source=self.source,
                span=token.span,
                expected=f"one of {', '.join(_HEADERS)}, or a property",
            )
        return Attribute(quote(name), token.span)

    # ---- what sort of node it must be

    def condition(self, node: Node) -> Condition:
        """Take a node as a condition: an identifier or TRUE or FALSE may be one."""
        if isinstance(node, Condition):
            return node
        if isinstance(node, Literal) and isinstance(node.value, bool):
            return Truth(node.value, node.span)
        if isinstance(node, Attribute):
            return IsTrue(node, node.span)
        span = cast(Expression, node).span
        raise self.mistyped(
            "a condition is needed here, not a value", span, "a comparison such as weight > 2500"
        )

    def value(self, node: Node) -> Expression:
        if isinstance(node, Expression):
            return node
        raise SyntaxError(
            "a value is needed here, not a condition",
            source=self.source,
            span=cast(Condition, node).span,
            expected="an identifier, a literal or arithmetic",
        )

    def number(self, node: Node) -> Expression:
        """Take a node as an operand of arithmetic, of an order or of BETWEEN."""
        value = self.value(node)
        if isinstance(value, Literal) and isinstance(value.value, (str, bool)):
            what = "a string" if isinstance(value.value, str) else "a boolean"
            raise self.mistyped(
                f"{what} has no place in arithmetic or order",
                value.span,
                "a number, or a comparison by = or <>",
            )
        return value

    # ---- predicates

    def comparison(self, left: Expression) -> Comparison:
        operator = cast(ComparisonOperator, self.advance().type)
        right = self.value(self.expression(_COMPARE))
        if operator not in ("=", "<>"):
            left, right = self.number(left), self.number(right)
        return Comparison(operator, left, right, (left.span[0], right.span[1]))

    def predicate(self, operand: Expression) -> Condition:
        """What follows a value: [NOT] BETWEEN, [NOT] IN, [NOT] LIKE, IS [NOT] NULL"""
        start = operand.span[0]
        negated = self.accept("NOT")
        if self.accept("BETWEEN"):
            operand = self.number(operand)
            low = self.number(self.expression(_COMPARE))
            self.expect("AND", "AND and the upper bound")
            high = self.number(self.expression(_COMPARE))
            return Between(operand, low, high, negated, (start, self.end))
        if not isinstance(operand, Attribute):
            raise SyntaxError(
                "IN, LIKE and IS NULL ask an identifier",
                source=self.source,
                span=operand.span,
                expected="an identifier before them",
            )
        if self.accept("IN"):
            return In(operand, self.strings(), negated, (start, self.end))
        if self.accept("LIKE"):
            return self.like(operand, negated)
        if negated:
            self.unexpected("BETWEEN, IN or LIKE")
        self.expect("IS", "IS")
        negated = self.accept("NOT")
        self.expect("NULL", "NULL" if negated else "NULL or NOT NULL")
        return IsNull(operand, negated, (start, self.end))

    def strings(self) -> tuple[Literal, ...]:
        """( string, ... )"""
        self.expect("(", "a list of strings in parentheses")
        items = [self.string()]
        while self.accept(","):
            items.append(self.string())
            if len(items) > self.limits.items:
                self.too_large("has a list with more items than", "items")
        self.expect(")", "a comma or a closing parenthesis")
        return tuple(items)

    def string(self) -> Literal:
        if self.token.type in ("number", "TRUE", "FALSE"):
            raise self.mistyped("IN takes strings only", self.token.span, "a string")
        token = self.expect("string", "a string")
        return Literal(token.value, token.span)

    def like(self, operand: Attribute, negated: bool) -> Like:
        """pattern [ESCAPE string]"""
        if self.token.type in ("number", "TRUE", "FALSE"):
            raise self.mistyped("a pattern is a string", self.token.span, "a string")
        pattern = self.expect("string", "a pattern, as a string")
        escape: str | None = None
        if self.accept("ESCAPE"):
            written = self.expect("string", "a string of one character after ESCAPE")
            escape = str(written.value)
            if len(escape) != 1:
                raise SyntaxError(
                    "the escape is one character",
                    source=self.source,
                    span=written.span,
                    expected="a string of one character",
                )
        check_pattern(str(pattern.value), escape, self.limits, self.source, pattern.span)
        literal = Literal(pattern.value, pattern.span)
        return Like(operand, literal, escape, False, negated, (operand.span[0], self.end))
