"""A place in the tokens of a filter: moving on, refusing what does not fit, the parts without recursion."""

from __future__ import annotations

from typing import NoReturn

from siftmesh.errors import LimitExceeded, Span, SyntaxError, shown
from siftmesh.language.ast import Attribute, Comparison, Constant, Literal, Parameter
from siftmesh.language.limits import DEEPEST, Limits
from siftmesh.language.literals import number_value, string_value, timestamp_value
from siftmesh.language.tokenizer import (
    CONTEXTUAL,
    END,
    KEYWORDS,
    NAME,
    NUMBER,
    PARAMETER,
    QUOTED,
    STRING,
    tokenize,
)
from siftmesh.model.path import quote

__all__ = ["Cursor"]


class Cursor:
    """One text being parsed: its tokens and the place reached."""

    def __init__(self, source: str, limits: Limits) -> None:
        self.source = source
        self.limits = limits
        self.tokens = tokenize(source, limits)
        self.at = 0
        self.type = self.tokens.types[0]
        self.depth = 0
        self.deepest = min(limits.depth, DEEPEST)

    # ---- moving through the tokens

    def advance(self) -> None:
        self.at += 1
        self.type = self.tokens.types[self.at]

    @property
    def text(self) -> str:
        return self.tokens.texts[self.at]

    @property
    def start(self) -> int:
        return self.tokens.starts[self.at]

    @property
    def end(self) -> int:
        """Where the token before the current one ends."""
        return self.tokens.starts[self.at - 1] + len(self.tokens.texts[self.at - 1])

    @property
    def span(self) -> Span:
        return self.start, self.start + max(1, len(self.text))

    def following(self) -> str:
        """The type of the token after the current one."""
        types = self.tokens.types
        return types[self.at + 1] if self.at + 1 < len(types) else END

    def expect(self, wanted: str, expected: str) -> None:
        if self.type != wanted:
            self.refuse(expected)
        self.advance()

    def refuse(self, expected: str) -> NoReturn:
        found = "the filter ends too early" if self.type == END else f"unexpected {shown(self.text)}"
        raise SyntaxError(found, source=self.source, span=self.span, expected=expected)

    def deeper(self) -> None:
        self.depth += 1
        self.check_depth(self.depth)

    def check_depth(self, depth: int) -> None:
        if depth > self.deepest:
            raise LimitExceeded(
                f"the filter is nested deeper than {self.deepest}",
                source=self.source,
                span=self.span,
                limit=self.deepest,
                setting="depth",
            )

    # ---- constants and attributes

    def constant(self) -> Constant | None:
        """number | 'string' | TRUE | FALSE | TIMESTAMP 'text' | :parameter, or None when none is here."""
        kind, start = self.type, self.start
        if kind == NUMBER:
            literal = Literal(number_value(self.text, self.source, self.span), self.span)
        elif kind == STRING:
            literal = Literal(string_value(self.text), self.span)
        elif kind == PARAMETER:
            parameter = Parameter(self.text[1:], self.span)
            self.advance()
            return parameter
        elif kind in ("TRUE", "FALSE"):
            literal = Literal(kind == "TRUE", self.span)
        elif kind == "-" and self.following() == NUMBER:
            self.advance()
            whole = (start, self.span[1])
            literal = Literal(number_value(self.text, self.source, whole, negative=True), whole)
        elif kind == "TIMESTAMP" and self.following() == STRING:
            self.advance()
            literal = Literal(timestamp_value(self.text, self.source, self.span), (start, self.span[1]))
        elif kind == "NULL":
            raise SyntaxError(
                "comparing with NULL is never true",
                source=self.source,
                span=self.span,
                expected="IS NULL or IS NOT NULL",
            )
        else:
            return None
        self.advance()
        return literal

    def comparison(self) -> Comparison:
        """A whole `attribute = constant` that the tokenizer took in one step."""
        match = self.tokens.comparisons[self.at]
        name, operator, text = match.group(1, 2, 3)
        named, written = match.span(1), match.span(3)
        value: int | float | str
        if text[0] == "'":
            value = string_value(text)
        elif text[0] in "TF":
            value = text == "TRUE"
        elif "." in text:
            value = float(text)
        else:
            value = int(text)
        self.at += 1
        self.type = self.tokens.types[self.at]
        return Comparison(
            "<>" if operator == "!=" else operator,  # type: ignore[arg-type]  # the expression allows no other
            Attribute(name, named),
            Literal(value, written),
            (named[0], written[1]),
        )

    def required_constant(self) -> Constant:
        found = self.constant()
        if found is None:
            self.refuse("a constant")
        return found

    def constants(self) -> tuple[Constant, ...]:
        """( constant, ... )"""
        self.expect("(", "a list in parentheses")
        items = [self.required_constant()]
        while self.type == ",":
            self.advance()
            items.append(self.required_constant())
            if len(items) > self.limits.items:
                raise LimitExceeded(
                    f"the list has more than {self.limits.items} items",
                    source=self.source,
                    span=self.span,
                    limit=self.limits.items,
                    setting="items",
                )
        self.expect(")", "a comma or a closing parenthesis")
        return tuple(items)

    def attribute(self) -> Attribute:
        """word.word."odd name"..."""
        start = self.start
        if self.type == QUOTED:
            name = quote(self.text[1:-1].replace('""', '"'))
        elif self.type == NAME or self.type in CONTEXTUAL:
            name = self.text
        else:
            self.refuse("an attribute")
        self.advance()
        while self.type == ".":
            self.advance()
            if self.type == QUOTED:
                name += "." + quote(self.text[1:-1].replace('""', '"'))
            elif self.type == NAME or self.type in KEYWORDS:
                name += "." + self.text
            else:
                self.refuse("the next step of the attribute's path")
            self.advance()
        return Attribute(name, (start, self.end))
