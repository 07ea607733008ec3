"""Tokens to a syntax tree: a Pratt parser, in which every operator knows how tightly it binds.

filter      := condition
condition   := condition OR condition | condition AND condition | NOT condition | predicate | ( condition )
predicate   := value (= | <> | < | <= | > | >=) value
             | value [NOT] BETWEEN value AND value | value [NOT] IN ( constants )
             | value [NOT] (LIKE | ILIKE) constant [ESCAPE 'c'] | value IS [NOT] NULL
             | EXISTS ( attribute ) | attribute CONTAINS constant | attribute OVERLAPS ( constants )
             | SOME ( attribute AS word, ... : term AND ... ) | value
value       := value (+ - * / %) value | - value | function ( values ) | attribute | constant | ( value )
constant    := number | duration | 'string' | TRUE | FALSE | TIMESTAMP 'text' | :parameter
"""

from __future__ import annotations

from typing import NoReturn, cast

from siftmesh.errors import LimitExceeded, SyntaxError, TypeMismatch, nearest_name, shown
from siftmesh.language.ast import (
    And,
    Arithmetic,
    ArithmeticOperator,
    Attribute,
    Between,
    Call,
    Comparison,
    ComparisonOperator,
    Condition,
    Contains,
    Exists,
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
    Overlaps,
    Truth,
    walk,
)
from siftmesh.language.cursor import Cursor
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.language.literals import string_value
from siftmesh.language.patterns import check_pattern
from siftmesh.language.quantifier import parse_some
from siftmesh.language.tokenizer import COMPARISON, CONTEXTUAL, END, NAME, NUMBER, QUOTED, STRING
from siftmesh.model.functions import FUNCTIONS
from siftmesh.model.functions.native import NATIVE

__all__ = ["Parser", "parse"]

# How tightly each infix operator binds; NOT and unary minus are prefixes.
_OR, _AND, _NOT, _COMPARE, _ADD, _MULTIPLY, _MINUS = range(10, 80, 10)
_INFIX = {
    "OR": _OR,
    "AND": _AND,
    **dict.fromkeys(["=", "<>", "<", "<=", ">", ">="], _COMPARE),
    **dict.fromkeys(["NOT", "BETWEEN", "IN", "LIKE", "ILIKE", "IS", "CONTAINS", "OVERLAPS"], _COMPARE),
    **dict.fromkeys(["+", "-"], _ADD),
    **dict.fromkeys(["*", "/", "%"], _MULTIPLY),
}
_COMPARISONS = frozenset(["=", "<>", "<", "<=", ">", ">="])
_ARITHMETIC = frozenset(["+", "-", "*", "/", "%"])
# Those worth suggesting: the functions of foreign dialects are for filters that were lowered from them.
_OWN_FUNCTIONS = sorted(function.name for function in NATIVE)


def parse(source: str, limits: Limits = DEFAULT) -> Condition:
    """Parse a filter; whatever is wrong with it is a SubscriptionError that shows the place."""
    parser = Parser(source, limits)
    try:
        condition = parser.condition(parser.expression(0))
    except RecursionError:
        raise LimitExceeded(
            "the filter is nested too deeply for what is left of Python's stack",
            limit=parser.deepest,
            setting="depth",
        ) from None
    if parser.type != END:
        parser.refuse("AND, OR or the end of the filter")
    tokens = parser.tokens
    if 2 * len(tokens.types) + len(tokens.comparisons) > limits.nodes:  # there cannot be more nodes than this
        parser.count_nodes(condition)
    return condition


class Parser(Cursor):
    """One text being parsed as a whole filter."""

    def count_nodes(self, condition: Condition) -> None:
        lists = sum(len(node.items) for node in walk(condition) if isinstance(node, (In, Overlaps)))
        count = sum(1 for _ in walk(condition)) - lists
        if count > self.limits.nodes:
            raise LimitExceeded(
                f"the filter has {count} nodes, the limit is {self.limits.nodes}",
                limit=self.limits.nodes,
                setting="nodes",
            )

    # ---- conditions and values

    def expression(self, tightness: int) -> Node:
        """Parse as far as operators bind more tightly than `tightness`."""
        left = self.prefix()
        depth = self.depth
        while True:
            operator = self.type
            binding = _INFIX.get(operator, 0)
            if binding <= tightness:
                return left
            if operator in _COMPARISONS:
                if isinstance(left, Condition):
                    raise SyntaxError(
                        f"a condition cannot be compared with {self.text}",
                        source=self.source,
                        span=(left.span[0], self.span[1]),
                        expected="AND or OR between conditions",
                    )
                self.advance()
                right = self.value(self.expression(_COMPARE))
                left = Comparison(
                    cast(ComparisonOperator, operator),
                    cast(Expression, left),
                    right,
                    (left.span[0], right.span[1]),
                )
            elif operator in ("AND", "OR"):
                left = self.chain(left, operator, binding)
            elif operator in _ARITHMETIC:
                operand = self.value(left)
                depth += 1  # a + b + c is (a + b) + c
                self.check_depth(depth)
                self.advance()
                right = self.value(self.expression(binding))
                left = Arithmetic(
                    cast(ArithmeticOperator, operator), operand, right, (operand.span[0], right.span[1])
                )
            else:
                left = self.predicate(self.value(left))

    def chain(self, left: Node, operator: str, binding: int) -> Condition:
        """condition AND condition AND ... (or OR)"""
        operands = [self.condition(left)]
        while self.type == operator:
            self.advance()
            if self.type == COMPARISON and operator == "AND":
                operands.append(self.comparison())  # the common case: nothing binds more tightly
            else:
                operands.append(self.condition(self.expression(binding)))
        node = And if operator == "AND" else Or
        return node(tuple(operands), (operands[0].span[0], operands[-1].span[1]))

    def condition(self, node: Node) -> Condition:
        """Take a node as a condition: a value may be one if it can be true or false."""
        if isinstance(node, Condition):
            return node
        if isinstance(node, Literal):
            if isinstance(node.value, bool):
                return Truth(node.value, node.span)
            self.refuse_value(node, "a condition is needed here, not a constant")
        if isinstance(node, (Negate, Arithmetic)):
            self.refuse_value(node, "a condition is needed here, not arithmetic")
        return IsTrue(cast(Expression, node), cast(Expression, node).span)

    def value(self, node: Node) -> Expression:
        """Take a node as a value."""
        if isinstance(node, Expression):
            return node
        raise SyntaxError(
            "a value is needed here, not a condition",
            source=self.source,
            span=cast(Condition, node).span,
            expected="an attribute, a constant, a function or arithmetic",
        )

    def refuse_value(self, node: Literal | Negate | Arithmetic, what: str) -> NoReturn:
        raise TypeMismatch(
            what, source=self.source, span=node.span, expected="a comparison such as price < 10"
        )

    def prefix(self) -> Node:
        """What can stand at the start of a condition or value."""
        kind = self.type
        if kind == COMPARISON:
            return self.comparison()
        start = self.start
        if kind in (NAME, QUOTED):
            if self.following() == "(" and kind == NAME:
                return self.call()
            return self.attribute()
        if kind == "(":
            self.deeper()
            self.advance()
            inner = self.expression(0)
            self.expect(")", "AND, OR or a closing parenthesis")
            self.depth -= 1
            return inner
        if kind == "NOT":
            self.deeper()
            self.advance()
            operand = self.condition(self.expression(_NOT))
            self.depth -= 1
            return Not(operand, (start, operand.span[1]))
        if kind in ("EXISTS", "SOME") and self.following() == "(":
            return self.exists() if kind == "EXISTS" else parse_some(self)
        if kind == "-" and self.following() != NUMBER:
            self.deeper()
            self.advance()
            negated = self.value(self.expression(_MINUS))
            self.depth -= 1
            return Negate(negated, (start, negated.span[1]))
        found = self.constant()
        if found is not None:
            return found
        if kind in CONTEXTUAL:
            return self.attribute()  # a keyword, but none that means something here
        return self.refuse("an attribute, a constant, a function, NOT or an opening parenthesis")

    def call(self) -> Call:
        """function ( value, ... )"""
        start, name, named = self.start, self.text.lower(), self.span
        # Outside ASCII some letters have a function's letter in lower case.
        function = FUNCTIONS.get(name) if self.text.isascii() else None
        if function is None:
            near = nearest_name(name, _OWN_FUNCTIONS)
            raise SyntaxError(
                f"there is no function {shown(self.text)}",
                source=self.source,
                span=named,
                expected=f"{near} perhaps" if near else f"one of {', '.join(_OWN_FUNCTIONS)}",
            )
        self.deeper()
        self.advance()
        self.advance()
        arguments: list[Expression] = []
        while self.type != ")":
            if arguments:
                self.expect(",", "a comma or a closing parenthesis")
            arguments.append(self.value(self.expression(0)))
        self.advance()
        self.depth -= 1
        if not function.accepts(len(arguments)):
            raise SyntaxError(
                f"{name} was given {len(arguments) or 'no'} argument{'' if len(arguments) == 1 else 's'}",
                source=self.source,
                span=(start, self.end),
                expected=function.arity,
            )
        return Call(name, tuple(arguments), (start, self.end))

    # ---- predicates

    def predicate(self, operand: Expression) -> Condition:
        """What follows a value: [NOT] BETWEEN, IN, LIKE, ..., IS [NOT] NULL, CONTAINS, OVERLAPS"""
        start = operand.span[0]
        negated = self.type == "NOT"
        if negated:
            self.advance()
        kind = self.type
        if kind == "BETWEEN":
            self.advance()
            low = self.value(self.expression(_COMPARE))
            self.expect("AND", "AND and the upper bound")
            high = self.value(self.expression(_COMPARE))
            return Between(operand, low, high, negated, (start, self.end))
        if kind == "IN":
            self.advance()
            return In(operand, self.constants(), negated, (start, self.end))
        if kind in ("LIKE", "ILIKE"):
            self.advance()
            return self.like(operand, kind == "ILIKE", negated)
        if kind in ("CONTAINS", "OVERLAPS"):
            if not isinstance(operand, Attribute):
                raise SyntaxError(
                    f"{kind} asks an attribute",
                    source=self.source,
                    span=operand.span,
                    expected="an attribute",
                )
            self.advance()
            found: Condition
            if kind == "CONTAINS":
                found = Contains(operand, self.required_constant(), (start, self.end))
            else:
                found = Overlaps(operand, self.constants(), (start, self.end))
            return Not(found, (start, self.end)) if negated else found
        if negated:
            self.refuse("BETWEEN, IN, LIKE, ILIKE, CONTAINS or OVERLAPS")
        self.expect("IS", "IS")
        negated = self.type == "NOT"
        if negated:
            self.advance()
        self.expect("NULL", "NULL" if negated else "NULL or NOT NULL")
        return IsNull(operand, negated, (start, self.end))

    def like(self, operand: Expression, ignore_case: bool, negated: bool) -> Condition:
        """pattern [ESCAPE 'c']"""
        where = self.span
        pattern = self.required_constant()
        escape = None
        if self.type == "ESCAPE":
            self.advance()
            if self.type != STRING or len(string_value(self.text)) != 1:
                self.refuse("a string of one character after ESCAPE")
            escape = string_value(self.text)
            self.advance()
        if isinstance(pattern, Literal):
            if not isinstance(pattern.value, str):
                raise TypeMismatch(
                    "a pattern is a string", source=self.source, span=where, expected="a string"
                )
            check_pattern(pattern.value, escape, self.limits, self.source, where)
        return Like(operand, pattern, escape, ignore_case, negated, (operand.span[0], self.end))

    def exists(self) -> Exists:
        """EXISTS ( attribute )"""
        start = self.start
        self.advance()
        self.advance()
        attribute = self.attribute()
        self.expect(")", "a closing parenthesis")
        return Exists(attribute, (start, self.end))
