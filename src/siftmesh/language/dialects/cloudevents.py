"""Filters of the CloudEvents Subscriptions API: exact, prefix, suffix, all, any, not and sql.

A filter is true or false, never unknown: what is missing fails `exact`, and so meets its `not`. Attributes
are compared by their text, the canonical string encoding that CloudEvents gives each of its types.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from siftmesh.errors import UnsupportedFeature, nearest_name
from siftmesh.language.ast import Attribute, Call, Comparison, Condition, Like, Literal
from siftmesh.language.dialects.cesql import parse_cesql
from siftmesh.language.dialects.combine import all_of, any_of
from siftmesh.language.dialects.complement import complement
from siftmesh.language.dialects.document import Document, Path, read_document
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.model.path import quote
from siftmesh.model.pattern import escape
from siftmesh.model.values import INT_MAX, INT_MIN

__all__ = ["parse_cloudevents"]

_DIALECTS = ("exact", "prefix", "suffix", "all", "any", "not", "sql")

_INTEGER = re.compile(r"(?:0|-?[1-9][0-9]{0,18})\Z")
# What the text of a number or of a timestamp may begin and end with: only such words need more than LIKE.
_BEGINS_NUMBER = re.compile(r"-?[0-9]*\Z")
_ENDS_NUMBER = re.compile(r"-?[0-9]+\Z")
_BEGINS_MOMENT = re.compile(r"[0-9]{1,4}(?:-[0-9-]*(?:T[0-9:.]*Z?)?)?\Z")
_ENDS_MOMENT = re.compile(r"[0-9T:.-]*Z\Z")


def parse_cloudevents(filters: object, limits: Limits = DEFAULT) -> Condition:
    """Read a filter, or a list of filters that must all hold, as decoded JSON or as its text."""
    document = read_document(filters, limits)
    reader = _Reader(document, limits)
    if isinstance(document.root, list):
        return all_of(reader.filter(member, (index,), True) for index, member in enumerate(document.root))
    return reader.filter(document.root, (), True)


class _Reader:
    """One document of filters being read."""

    def __init__(self, document: Document, limits: Limits) -> None:
        self.document = document
        self.limits = limits
        self.leaves: dict[str, Callable[[object, Path], Condition]] = {
            "exact": lambda value, path: self.attributes(value, path, _exact),
            "prefix": lambda value, path: self.attributes(value, path, self.prefix),
            "suffix": lambda value, path: self.attributes(value, path, self.suffix),
            "sql": self.sql,
        }

    def filter(self, thing: object, path: Path, wanted: bool) -> Condition:
        """{ dialect: what the dialect takes }, as the condition that is true when the filter is `wanted`."""
        if not isinstance(thing, dict) or len(thing) != 1:
            expected = f"one of {', '.join(_DIALECTS)}"
            self.document.refuse(path, "a filter is an object with one key, its dialect", expected)
        ((dialect, value),) = thing.items()
        path = (*path, dialect)
        if dialect == "not":
            return self.filter(value, path, not wanted)
        if dialect in ("all", "any"):
            nested = self.nested(value, path, wanted)
            return (all_of if (dialect == "all") == wanted else any_of)(nested)
        if dialect not in self.leaves:
            near = nearest_name(dialect, _DIALECTS)
            expected = f"{near} perhaps" if near else f"one of {', '.join(_DIALECTS)}"
            what = f"there is no filter dialect {dialect}"
            self.document.refuse(path, what, expected, key=True, error=UnsupportedFeature)
        found = self.leaves[dialect](value, path)
        return found if wanted else complement(found)

    def nested(self, thing: object, path: Path, wanted: bool) -> list[Condition]:
        if not isinstance(thing, list) or not thing:
            self.document.refuse(path, f"{path[-1]} takes an array of filters", "at least one filter")
        return [self.filter(member, (*path, index), wanted) for index, member in enumerate(thing)]

    def attributes(
        self, thing: object, path: Path, test: Callable[[Attribute, str, Path], Condition]
    ) -> Condition:
        """{ attribute: string, ... }: the test must hold for every attribute."""
        if not isinstance(thing, dict) or not thing:
            self.document.refuse(path, f"{path[-1]} takes an object", "at least one attribute and its string")
        conditions = []
        for name, value in thing.items():
            place = (*path, name)
            if name == "":
                self.document.refuse(place, "the attribute has no name", "an attribute's name", key=True)
            if not isinstance(value, str) or value == "":
                self.document.refuse(
                    place, f"{path[-1]} compares with a string", "a string that is not empty"
                )
            conditions.append(test(Attribute(quote(name)), value, place))
        return all_of(conditions)

    def prefix(self, attribute: Attribute, word: str, path: Path) -> Condition:
        many_kinds = _BEGINS_NUMBER.match(word) or _BEGINS_MOMENT.match(word)
        return self.like(attribute, word, escape(word) + "%", many_kinds is not None, "startswith", path)

    def suffix(self, attribute: Attribute, word: str, path: Path) -> Condition:
        many_kinds = _ENDS_NUMBER.match(word) or _ENDS_MOMENT.match(word)
        return self.like(attribute, word, "%" + escape(word), many_kinds is not None, "endswith", path)

    def like(
        self, attribute: Attribute, word: str, pattern: str, many_kinds: bool, fits: str, path: Path
    ) -> Condition:
        """A LIKE of the attribute's text; the text of strings is themselves, and only they can be indexed."""
        self.document.check_pattern(pattern, path, self.limits)
        literal, backslash = Literal(pattern), "\\" if "\\" in pattern else None
        if many_kinds:
            return Like(Call("ce_text", (attribute,)), literal, backslash)
        booleans = [truth for truth in (True, False) if getattr(str(truth).lower(), fits)(word)]
        equal = [Comparison("=", attribute, Literal(truth)) for truth in booleans]
        return any_of([Like(attribute, literal, backslash), *equal])

    def sql(self, thing: object, path: Path) -> Condition:
        if not isinstance(thing, str):
            self.document.refuse(path, "sql takes a string", "an expression of CloudEvents SQL")
        return parse_cesql(thing, self.limits)


def _exact(attribute: Attribute, word: str, _path: Path) -> Condition:
    """The attribute's text is the word: also a boolean, an integer or a timestamp that is written so."""
    if _BEGINS_MOMENT.match(word) and word.endswith("Z"):
        return Comparison("=", Call("ce_text", (attribute,)), Literal(word))
    equal: list[Condition] = [Comparison("=", attribute, Literal(word))]
    if word in ("true", "false"):
        equal.append(Comparison("=", attribute, Literal(word == "true")))
    if _INTEGER.match(word) and INT_MIN <= int(word) <= INT_MAX:
        equal.append(Comparison("=", attribute, Literal(int(word))))
    return any_of(equal)
