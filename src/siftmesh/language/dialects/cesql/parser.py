"""CloudEvents SQL text to its expression tree, by operator precedence.

From tight to loose: function calls; NOT and minus; LIKE; EXISTS; IN; `* / %`; `+ -`; comparisons; and AND,
OR, XOR, which share one level and are read from left to right, as the specification says.
"""

from __future__ import annotations

from typing import NoReturn

from siftmesh.errors import LimitExceeded, Span, SyntaxError, UnsupportedFeature
from siftmesh.language.dialects.cesql.tokenizer import (
    END,
    INTEGER,
    KEYWORD,
    NAME,
    STRING,
    SYMBOL,
    Token,
    tokenize,
)
from siftmesh.language.dialects.cesql.tree import (
    Apply,
    Attribute,
    Call,
    Exists,
    Expression,
    In,
    Like,
    Literal,
    Logic,
    LogicOperator,
    Not,
)
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.language.patterns import check_pattern
from siftmesh.model.functions.cesql import INT32_MAX, INT32_MIN
from siftmesh.model.pattern import canonical

__all__ = ["parse", "pattern_of"]

_LOGIC, _COMPARE, _ADD, _MULTIPLY, _IN, _LIKE, _UNARY = range(1, 8)

_LOGIC_OPERATORS: dict[str, LogicOperator] = {"AND": "AND", "OR": "OR", "XOR": "XOR"}
_BINARY: dict[str, tuple[int, str]] = {
    "=": (_COMPARE, "equal"),
    "!=": (_COMPARE, "equal"),
    "<>": (_COMPARE, "equal"),
    "<": (_COMPARE, "less"),
    "<=": (_COMPARE, "at_most"),
    ">": (_COMPARE, "more"),
    ">=": (_COMPARE, "at_least"),
    "+": (_ADD, "add"),
    "-": (_ADD, "subtract"),
    "*": (_MULTIPLY, "multiply"),
    "/": (_MULTIPLY, "divide"),
    "%": (_MULTIPLY, "remainder"),
}
_UNEQUAL = ("!=", "<>")
# The member of a CloudEvent that is no context attribute; no attribute may have this name.
_PAYLOAD = "data"

# A node, and how many nodes the longest way down from it passes.
_Built = tuple[Expression, int]


def parse(source: str, limits: Limits = DEFAULT) -> Expression:
    """The expression tree of a text, or a SubscriptionError that shows what is wrong with it and where."""
    parser = _Parser(source, limits)
    try:
        expression, _ = parser.expression(_LOGIC)
    except RecursionError:
        raise LimitExceeded(
            "the expression is nested too deeply for the Python stack", limit=limits.depth, setting="depth"
        ) from None
    if parser.token.kind != END:
        parser.refuse("an operator or the end of the expression")
    return expression


def pattern_of(text: str) -> str:
    r"""A LIKE pattern as CloudEvents SQL writes it, in canonical spelling: only `\%` and `\_` are escapes."""
    parts: list[str] = []
    at = 0
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] not in ("%", "_"):
            parts.append("\\\\")
            at += 1
        else:
            width = 2 if text[at] == "\\" else 1
            parts.append(text[at : at + width])
            at += width
    return canonical("".join(parts), "\\")


class _Parser:
    def __init__(self, source: str, limits: Limits) -> None:
        self.source = source
        self.limits = limits
        self.tokens = tokenize(source, limits)
        self.at = 0
        self.nesting = 0
        self.nodes = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.at]

    def advance(self) -> Token:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def takes(self, kind: str, value: str) -> bool:
        if self.token[:2] != (kind, value):
            return False
        self.at += 1
        return True

    def refuse(self, expected: str) -> NoReturn:
        token = self.token
        if token.kind == END:
            what = "the expression ends too early" if self.at else "the expression is empty"
        elif token.kind == STRING and self.at and self.tokens[self.at - 1].kind == STRING:
            what = "a string follows a string"
            expected += r" (a quote inside a string is written \' or \")"
        else:
            what = f"unexpected {self.source[slice(*token.span)][:40]}"
        raise SyntaxError(what, source=self.source, span=token.span, expected=expected)

    def exceed(self, what: str, setting: str, span: Span) -> NoReturn:
        limit = getattr(self.limits, setting)
        raise LimitExceeded(what.format(limit), source=self.source, span=span, limit=limit, setting=setting)

    def built(self, node: Expression, below: int = 0) -> _Built:
        """Count a node that stands above one of depth `below`."""
        self.nodes += 1
        if self.nodes > self.limits.nodes:
            self.exceed("the expression has more than {} nodes", "nodes", node.span)
        if below >= self.limits.depth:
            self.too_deep(node.span)
        return node, below + 1

    def too_deep(self, span: Span) -> NoReturn:
        self.exceed("the expression is nested deeper than {}", "depth", span)

    # ---- operators

    def expression(self, tightness: int) -> _Built:
        """Parse as far as operators bind at least as tightly as asked."""
        left = self.prefix()
        while (extended := self.extend(left, tightness)) is not None:
            left = extended
        return left

    def nested(self, tightness: int) -> _Built:
        """Parse what stands inside something; checked first, since a deep text would fill the stack."""
        self.nesting += 1
        if self.nesting > self.limits.depth:
            self.too_deep(self.token.span)
        inner = self.expression(tightness)
        self.nesting -= 1
        return inner

    def extend(self, left: _Built, tightness: int) -> _Built | None:
        """The expression that the next operator makes of `left`, or None if it binds too loosely."""
        kind, value, _ = self.token
        if kind == KEYWORD and value in _LOGIC_OPERATORS:
            return self.logic(left, _LOGIC_OPERATORS[value]) if tightness <= _LOGIC else None
        if kind == SYMBOL and value in _BINARY:
            own, operator = _BINARY[value]
            return self.binary(left, own, operator) if tightness <= own else None
        if kind != KEYWORD:
            return None
        negated = value == "NOT"
        keyword = self.tokens[self.at + 1].value if negated else value
        if keyword == "LIKE" and tightness <= _LIKE:
            self.at += 1 + negated
            return self.negated(self.like(left), negated)
        if keyword == "IN" and tightness <= _IN:
            self.at += 1 + negated
            return self.negated(self.membership(left), negated)
        if negated and keyword not in ("LIKE", "IN"):
            self.at += 1
            self.refuse("LIKE or IN after NOT")
        return None

    def logic(self, left: _Built, operator: LogicOperator) -> _Built:
        found, deepest = left
        operands = [found]
        while self.takes(KEYWORD, operator):
            operand, depth = self.expression(_COMPARE)
            operands.append(operand)
            deepest = max(deepest, depth)
        return self.built(Logic(operator, tuple(operands), (found.span[0], operands[-1].span[1])), deepest)

    def binary(self, left: _Built, own: int, operator: str) -> _Built:
        symbol = self.advance()
        right, depth = self.expression(own + 1)
        span = (left[0].span[0], right.span[1])
        node = self.built(Apply(operator, (left[0], right), span), max(left[1], depth))
        return self.negated(node, symbol.value in _UNEQUAL)

    def negated(self, positive: _Built, negated: bool) -> _Built:
        return self.built(Not(positive[0], positive[0].span), positive[1]) if negated else positive

    def like(self, left: _Built) -> _Built:
        if self.token.kind != STRING:
            self.refuse("a string literal as the pattern of LIKE")
        token = self.advance()
        span = (left[0].span[0], token.span[1])
        if len(token.value) > self.limits.pattern:
            # Before the canonical spelling, which takes time, is made.
            check_pattern(token.value, None, self.limits, self.source, token.span)
        pattern = pattern_of(token.value)
        check_pattern(pattern, "\\", self.limits, self.source, token.span)
        return self.built(Like(left[0], pattern, span), left[1])

    def membership(self, left: _Built) -> _Built:
        items, depth = self.list_of("the items of IN", of_in=True)
        span = (left[0].span[0], self.tokens[self.at - 1].span[1])
        return self.built(In(left[0], items, span), max(left[1], depth))

    def list_of(self, what: str, of_in: bool) -> tuple[tuple[Expression, ...], int]:
        """Expressions in parentheses, separated by commas, and the depth of the deepest."""
        if not self.takes(SYMBOL, "("):
            self.refuse(f"{what} in parentheses")
        items: list[Expression] = []
        deepest = 0
        if not of_in and self.takes(SYMBOL, ")"):
            return (), 0
        while True:
            item, depth = self.nested(_LOGIC)
            items.append(item)
            deepest = max(deepest, depth)
            if of_in:
                self.count_item(item, len(items))
            if not self.takes(SYMBOL, ","):
                break
        if not self.takes(SYMBOL, ")"):
            self.refuse("a comma or a closing parenthesis")
        return tuple(items), deepest

    def count_item(self, item: Expression, count: int) -> None:
        """Items of IN have a limit of their own, and constants among them do not count as nodes."""
        if count > self.limits.items:
            self.exceed("the list has more than {} items", "items", item.span)
        if isinstance(item, Literal):
            self.nodes -= 1

    # ---- what stands between operators

    def prefix(self) -> _Built:
        kind, value, span = self.token
        if kind == STRING:
            self.at += 1
            return self.built(Literal(value, span))
        if kind == INTEGER:
            return self.integer("")
        if kind == NAME:
            return self.named()
        if kind == KEYWORD and value in ("TRUE", "FALSE"):
            self.at += 1
            return self.built(Literal(value == "TRUE", span))
        if self.takes(KEYWORD, "NOT"):
            operand, depth = self.nested(_UNARY)
            return self.built(Not(operand, (span[0], operand.span[1])), depth)
        if self.takes(KEYWORD, "EXISTS"):
            if self.token.kind != NAME:
                self.refuse("the name of an attribute after EXISTS")
            attribute = self.attribute()
            return self.built(Exists(attribute, (span[0], attribute.span[1])))
        if self.takes(SYMBOL, "("):
            inner = self.nested(_LOGIC)
            if not self.takes(SYMBOL, ")"):
                self.refuse("an operator or a closing parenthesis")
            return inner
        if kind != SYMBOL or value not in "+-":
            self.refuse("an attribute, a literal, a function, NOT, EXISTS, a minus or a parenthesis")
        return self.signed()

    def signed(self) -> _Built:
        sign = self.advance()
        adjacent = self.token.kind == INTEGER and self.token.span[0] == sign.span[1]
        if adjacent:
            return self.integer(sign.value)
        if sign.value == "+":
            self.refuse("the digits of an integer right after its sign")
        operand, depth = self.nested(_UNARY)
        return self.built(Apply("negate", (operand,), (sign.span[0], operand.span[1])), depth)

    def integer(self, sign: str) -> _Built:
        token = self.advance()
        span = (token.span[0] - len(sign), token.span[1])
        digits = token.value.lstrip("0") or "0"
        # Longer digits are not even converted: that would take time that grows with their square.
        value = int(sign + digits) if len(digits) <= 10 else INT32_MAX + 1
        if not INT32_MIN <= value <= INT32_MAX:
            raise SyntaxError(
                "the integer needs more than 32 bits",
                source=self.source,
                span=span,
                expected=f"an integer from {INT32_MIN} to {INT32_MAX}",
            )
        return self.built(Literal(value, span))

    def named(self) -> _Built:
        following = self.tokens[self.at + 1]
        if following[:2] == (SYMBOL, "(") and self.token.value.replace("_", "").isalpha():
            name = self.advance()
            arguments, depth = self.list_of("the arguments", of_in=False)
            span = (name.span[0], self.tokens[self.at - 1].span[1])
            return self.built(Call(name.value.upper(), arguments, span), depth)
        return self.built(self.attribute())

    def attribute(self) -> Attribute:
        name, span = self.token.value.lower(), self.token.span
        if "_" in name:
            raise SyntaxError(
                f"{name} cannot be the name of an attribute",
                source=self.source,
                span=span,
                expected="letters and digits only, as in every CloudEvents attribute",
            )
        if name == _PAYLOAD:
            raise UnsupportedFeature(
                "data is the payload of an event, which CloudEvents SQL does not look into",
                source=self.source,
                span=span,
                expected="a context attribute",
            )
        self.at += 1
        return Attribute(name, span)
