"""Filter text to Tree: the edge at which text is parsed, in any dialect, with shapes remembered."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from siftmesh.errors import ParameterError, SubscriptionError
from siftmesh.language import ast
from siftmesh.language.check import check, check_names
from siftmesh.language.dialects import read
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.language.parser import parse
from siftmesh.language.shape import Shape, split, template_text
from siftmesh.logic.lower import lower
from siftmesh.logic.normalise import normalise
from siftmesh.logic.template import Template, substitute
from siftmesh.logic.tree import Tree
from siftmesh.model.schema import Schema
from siftmesh.model.values import to_value

__all__ = ["FilterReader"]

# Shapes remembered, and the longest text worth remembering: they bound the memory that a stranger can fill.
_SHAPES = 4_096
_LONGEST = 4_096


class FilterReader:
    """Reads filters into Trees in normal form; a text whose shape was seen before is not parsed again."""

    def __init__(self, schema: Schema | None = None, limits: Limits = DEFAULT) -> None:
        self.schema = schema
        self.limits = limits
        self._longest = min(_LONGEST, limits.text)
        # None stands for a shape that must be parsed each time, or that was seen only once: a template takes
        # longer to make than a filter to read, and where shapes hardly recur none is worth it.
        self._templates: dict[Shape, Template | None] = {}
        self._seen_once: set[Shape] = set()

    def read(self, source: Any, dialect: str = "sql") -> Tree:
        """The Tree of a filter, or a SubscriptionError that says what is wrong with it and where."""
        if dialect != "sql":
            foreign = read(source, dialect, self.limits)
            if self.schema is not None:
                check_names(foreign, self.schema, source if isinstance(source, str) else None)
            return normalise(lower(foreign))
        _require_text(source)
        if len(source) <= self._longest:
            parts = split(source)
            if parts is not None:
                tree = self._by_shape(source, *parts)
                if tree is not None:
                    return tree
        return self.read_slowly(source)

    def read_slowly(self, source: str) -> Tree:
        """The same for the language's own text, the obvious way: parse, lower, normalise."""
        condition = self._checked(parse(source, self.limits), source)
        names = ast.parameters(condition) if ":" in source else ()
        if names:
            raise ParameterError(
                f"the parameter :{names[0]} has no value",
                source=source,
                span=next(n.span for n in ast.walk(condition) if isinstance(n, ast.Parameter)),
                expected="constants, or a template with its parameters",
            )
        return normalise(lower(condition))

    def template(self, source: str) -> Template:
        """A filter with :parameters, ready to be bound to rows of constants."""
        _require_text(source)
        return Template(self._checked(parse(source, self.limits), source), self.limits)

    def holding(self, template: Template) -> Callable[[Mapping[str, Any]], None] | None:
        """What refuses a row of constants that the schema does not allow; None if there is no schema."""
        return None if self.schema is None else partial(self._hold, template, self.schema)

    def _hold(self, template: Template, schema: Schema, constants: Mapping[str, Any]) -> None:
        """Refuse constants with which a template asks what, by the schema, no event meets; nulls pass."""
        if any(constants.get(name) is None for name in template.parameters):
            return
        values = [to_value(constants[name]) for name in template.parameters]
        if any(isinstance(value, tuple) or value is None for value in values):
            return  # binding says better what is wrong
        named: dict[str, Any] = dict(zip(template.parameters, values, strict=True))
        check(substitute(template.condition, named, self.limits), schema)

    def _checked(self, condition: ast.Condition, source: str | None) -> ast.Condition:
        if self.schema is not None:
            check(condition, self.schema, source)
        return condition

    def _by_shape(self, source: str, shape: Shape, constants: list[Any]) -> Tree | None:
        try:
            template = self._templates[shape]
        except KeyError:
            if shape not in self._seen_once:
                _make_room(self._seen_once.pop, self._seen_once)
                self._seen_once.add(shape)
                return None
            template = self._learn(shape, source)
        if template is None:
            return None
        try:
            return template.bind_values(constants)
        except SubscriptionError:
            return None  # the slow way shows the place

    def _learn(self, shape: Shape, source: str) -> Template | None:
        if self.schema is not None:
            # What a schema asks of one text it asks of all of this shape: names, and types of constants.
            check(parse(source, self.limits), self.schema, source)
        written = template_text(shape)
        template = None
        if written is not None:
            text, parameters = written
            try:
                template = Template(parse(text, self.limits), self.limits, parameters)
            except SubscriptionError:
                template = None
        _make_room(lambda: self._templates.pop(next(iter(self._templates))), self._templates)
        self._templates[shape] = template
        self._seen_once.discard(shape)
        return template


def _make_room(forget: Callable[[], object], shapes: Collection[Shape]) -> None:
    """Forget a shape if as many are remembered as may be."""
    if len(shapes) >= _SHAPES:
        # Another thread may do the same at this moment.
        with suppress(KeyError, StopIteration, RuntimeError):
            forget()


def _require_text(source: object) -> None:
    if not isinstance(source, str):
        raise SubscriptionError(
            f"a filter is text, not {type(source).__name__}", expected="a string or a Tree"
        )
