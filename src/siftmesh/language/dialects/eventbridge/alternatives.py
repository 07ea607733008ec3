"""The alternatives of one field of an event pattern: its value, or an element of its array, must meet one.

For a single value an alternative is a plain comparison, which can be indexed; for an array it is CONTAINS,
OVERLAPS or SOME where these say it, and a function of the dialect elsewhere. The two stand under OR.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from siftmesh.errors import nearest_name
from siftmesh.language.ast import (
    Attribute,
    Binding,
    Call,
    Comparison,
    ComparisonOperator,
    Condition,
    Contains,
    Exists,
    In,
    IsNull,
    IsTrue,
    Like,
    Literal,
    Not,
    Or,
    Overlaps,
    Some,
)
from siftmesh.language.dialects.combine import all_of, any_of, of_kind
from siftmesh.language.dialects.document import Document, Path
from siftmesh.language.dialects.eventbridge.wildcards import like_pattern, successor
from siftmesh.language.limits import Limits
from siftmesh.model.functions.eventbridge import read_block
from siftmesh.model.pattern import escape

__all__ = ["Field"]

_ELEMENT = "x"
_FOLDED = "equals-ignore-case"


class Field:
    """One field of a pattern: where its alternatives stand, and the attribute of the event that they ask."""

    def __init__(self, document: Document, path: Path, attribute: Attribute, limits: Limits) -> None:
        self.document = document
        self.path = path
        self.attribute = attribute
        self.limits = limits
        self.expressions: dict[str, Callable[[Any, Path], Condition]] = {
            "exactly": self.exactly,
            _FOLDED: self.folded,
            "prefix": self.prefix,
            "suffix": self.suffix,
            "wildcard": self.wildcard,
            "anything-but": self.anything_but,
            "numeric": self.numeric,
            "cidr": self.cidr,
            "exists": self.exists,
        }

    def any_of(self, alternatives: list[Any]) -> Condition:
        """True when the value meets one of the alternatives."""
        conditions: list[Condition] = []
        for kinds in ((str,), (int, float), (bool,)):
            values = [value for value in alternatives if type(value) in kinds]
            if values:
                conditions += self.equal(values)
        if None in alternatives:
            conditions += [self.null(), self.call("eb_any_null")]
        for index, alternative in enumerate(alternatives):
            if isinstance(alternative, dict):
                conditions.append(self.expression(alternative, (*self.path, index)))
            elif isinstance(alternative, list):
                self.document.refuse(
                    (*self.path, index),
                    "an array cannot be an alternative",
                    "a string, number, true, false or null",
                )
        return any_of(conditions)

    def expression(self, thing: dict[str, Any], path: Path) -> Condition:
        """{ name of the match expression: what it takes }"""
        if len(thing) != 1:
            self.document.refuse(
                path, "a match expression has one key", "one of " + ", ".join(self.expressions)
            )
        ((name, value),) = thing.items()
        read = self.expressions.get(name)
        if read is None:
            near = nearest_name(name, self.expressions)
            expected = f"{near} perhaps" if near else "one of " + ", ".join(self.expressions)
            self.document.refuse((*path, name), f"there is no match expression {name}", expected, key=True)
        return read(value, (*path, name))

    # ---- one value and any element

    def call(self, function: str, *constants: Any) -> Condition:
        return IsTrue(Call(function, (self.attribute, *map(Literal, constants))))

    def equal(self, values: Iterable[Any]) -> list[Condition]:
        """The value is one of these, all of one kind, or an element is."""
        items = tuple(map(Literal, dict.fromkeys(values)))
        if len(items) == 1:
            return [Comparison("=", self.attribute, items[0]), Contains(self.attribute, items[0])]
        return [In(self.attribute, items), Overlaps(self.attribute, items)]

    def null(self) -> Condition:
        return all_of([Exists(self.attribute), IsNull(self.attribute)])

    def ranged(self, *bounds: tuple[ComparisonOperator, Any]) -> Condition:
        """Some element lies within the bounds."""
        element = Attribute(_ELEMENT)
        terms = tuple(Comparison(operator, element, Literal(value)) for operator, value in bounds)
        return Some((Binding(self.attribute, _ELEMENT),), terms)

    def like(self, pattern: str, path: Path, ignore_case: bool = False, negated: bool = False) -> Like:
        """A LIKE with backslash escapes."""
        self.document.check_pattern(pattern, path, self.limits)
        character = "\\" if "\\" in pattern else None
        return Like(self.attribute, Literal(pattern), character, ignore_case, negated)

    def fits(self, pattern: str, path: Path, ignore_case: bool = False) -> Condition:
        single = self.like(pattern, path, ignore_case)
        return Or((single, self.call("eb_any_ilike" if ignore_case else "eb_any_like", pattern)))

    # ---- match expressions

    def string(self, thing: Any, path: Path) -> str:
        if not isinstance(thing, str):
            self.document.refuse(path, f"{path[-1]} takes a string", "a string")
        return thing

    def exactly(self, thing: Any, path: Path) -> Condition:
        return any_of(self.equal([self.string(thing, path)]))

    def folded(self, thing: Any, path: Path) -> Condition:
        return self.fits(escape(self.string(thing, path)), path, True)

    def prefix(self, thing: Any, path: Path) -> Condition:
        if isinstance(thing, dict):
            return self.fits(escape(self.only_folded(thing, path)) + "%", path, True)
        word = self.string(thing, path)
        bounds: list[tuple[ComparisonOperator, Any]] = [(">=", word)]
        end = successor(word)
        if end is not None:
            bounds.append(("<", end))
        return Or((self.like(escape(word) + "%", path), self.ranged(*bounds)))

    def suffix(self, thing: Any, path: Path) -> Condition:
        if isinstance(thing, dict):
            return self.fits("%" + escape(self.only_folded(thing, path)), path, True)
        return self.fits("%" + escape(self.string(thing, path)), path)

    def only_folded(self, thing: dict[str, Any], path: Path) -> str:
        """{ "equals-ignore-case": string } inside prefix or suffix"""
        if list(thing) != [_FOLDED]:
            self.document.refuse(
                path, f"{path[-1]} takes a string or {_FOLDED}", f"a string, or one key {_FOLDED}"
            )
        return self.string(thing[_FOLDED], (*path, _FOLDED))

    def wildcard(self, thing: Any, path: Path) -> Condition:
        return self.fits(self.wild(thing, path), path)

    def wild(self, thing: Any, path: Path) -> str:
        try:
            return like_pattern(self.string(thing, path))
        except ValueError as error:
            self.document.refuse(
                path, str(error), "single asterisks, and \\* or \\\\ for the characters themselves"
            )

    def cidr(self, thing: Any, path: Path) -> Condition:
        if read_block(self.string(thing, path)) is None:
            expected = "an address and a prefix shorter than it, such as 10.0.0.0/24 or 2001:db8::/32"
            self.document.refuse(path, "this is no CIDR block", expected)
        return self.call("eb_in_cidr", thing)

    def exists(self, thing: Any, path: Path) -> Condition:
        """Whether there is a leaf: not where the event has an object or an empty array."""
        if not isinstance(thing, bool):
            self.document.refuse(path, "exists takes true or false", "true or false")
        there = Exists(self.attribute)
        if thing:
            return all_of([there, self.call("eb_leaf")])
        return any_of([Not(there), Not(self.call("eb_leaf"))])

    def numeric(self, thing: Any, path: Path) -> Condition:
        """[ one comparison, number ], or [ ">" or ">=", number, "<" or "<=", greater number ]"""
        bounds = self.bounds(thing, path)
        single = all_of(Comparison(operator, self.attribute, Literal(number)) for operator, number in bounds)
        return any_of([single, self.ranged(*bounds)])

    def bounds(self, thing: Any, path: Path) -> list[tuple[ComparisonOperator, Any]]:
        expected = 'an array such as ["=", 1], [">", 0] or [">", 0, "<=", 5]'
        if not isinstance(thing, list) or len(thing) not in (2, 4):
            self.document.refuse(path, "numeric takes one or two comparisons", expected)
        for index, member in enumerate(thing):
            if index % 2 and type(member) not in (int, float):
                self.document.refuse((*path, index), "numeric compares with a number", "a number")
        pairs = list(zip(thing[::2], thing[1::2], strict=True))
        allowed = [("=", "<", "<=", ">", ">=")] if len(pairs) == 1 else [(">", ">="), ("<", "<=")]
        for index, (operator, _) in enumerate(pairs):
            if operator not in allowed[index]:
                what = "this comparison cannot stand here"
                self.document.refuse((*path, 2 * index), what, " or ".join(allowed[index]))
        if len(pairs) == 2 and not pairs[0][1] < pairs[1][1]:
            self.document.refuse(
                path, "no number is above the first and below the second", "the lower bound first"
            )
        return pairs

    # ---- anything-but

    def anything_but(self, thing: Any, path: Path) -> Condition:
        """string, number, an array of one of these, or { a test of strings: string or array of strings }"""
        if not isinstance(thing, dict):
            return self.other(thing, path)
        name = next(iter(thing), "")
        if len(thing) != 1 or name not in (_FOLDED, "prefix", "suffix", "wildcard"):
            expected = f"one key: prefix, suffix, wildcard or {_FOLDED}"
            self.document.refuse(path, "anything-but excludes this not", expected)
        inner: Path = (*path, name)
        words = thing[name] if isinstance(thing[name], list) else [thing[name]]
        if not words:
            self.document.refuse(inner, "an empty array excludes nothing", "at least one string")
        patterns = [self.excluded(name, word, inner) for word in words]
        folded = name == _FOLDED
        single = all_of(self.like(pattern, inner, folded, negated=True) for pattern in patterns)
        function = "eb_any_unilike" if folded else "eb_any_unlike"
        return any_of([single, *self.of_other_kind("number"), self.call(function, *patterns)])

    def excluded(self, name: str, word: Any, path: Path) -> str:
        """The LIKE pattern of what is excluded."""
        if name == "wildcard":
            return self.wild(word, path)
        text = escape(self.string(word, path))
        if name == _FOLDED:
            return text
        if not text:
            self.document.refuse(path, f"every string has the empty {name}", "a string that is not empty")
        return text + "%" if name == "prefix" else "%" + text

    def other(self, thing: Any, path: Path) -> Condition:
        values = thing if isinstance(thing, list) else [thing]
        numbers = [value for value in values if type(value) in (int, float)]
        strings = [value for value in values if isinstance(value, str)]
        if not values or len(values) not in (len(numbers), len(strings)):
            self.document.refuse(path, "anything-but takes strings or numbers", "all strings, or all numbers")
        items = tuple(map(Literal, dict.fromkeys(values)))
        single: Condition = In(self.attribute, items, True)
        if len(items) == 1:
            single = Comparison("<>", self.attribute, items[0])
        constants = [item.value for item in items]
        other_kind = self.of_other_kind("string" if numbers else "number")
        return any_of([single, *other_kind, self.call("eb_any_other", *constants)])

    def of_other_kind(self, kind: str) -> list[Condition]:
        """The value is there, and of a kind that is never excluded: `kind`, or one that no list can name."""
        return [of_kind(self.attribute, kind, "bool", "timestamp"), self.null()]
