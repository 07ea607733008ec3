"""Templates as SQL: every peer with SQL in it reads our language, but names things its own way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from siftmesh.language import ast
from siftmesh.language.formatter import format_filter
from siftmesh.language.parser import parse

__all__ = ["anchors", "condition"]


def condition(template: str, attribute: Callable[[str], str], parameter: Callable[[str], str]) -> str:
    """The filter as an SQL expression with its attributes and parameters written as these say."""

    def renamed(node: Any) -> Any:
        # A name is written as it stands, so what is no name of ours gets through as one.
        if isinstance(node, ast.Attribute):
            return ast.Attribute(attribute(node.name))
        if isinstance(node, ast.Parameter):
            return ast.Attribute(parameter(node.name))
        if isinstance(node, tuple):
            return tuple(renamed(each) for each in node)
        if isinstance(node, ast.Node):
            return replace(node, **{name: renamed(getattr(node, name)) for name in node.__struct_fields__})
        return node

    return format_filter(renamed(parse(template)))


def anchors(template: str) -> list[str]:
    """The parameters to index: those that must equal an attribute, or else the first that bounds one."""
    whole = parse(template)
    parts = whole.operands if isinstance(whole, ast.And) else (whole,)
    compared = [
        (part.operator, part.right.name)
        for part in parts
        if isinstance(part, ast.Comparison) and isinstance(part.right, ast.Parameter)
    ]
    equal = [name for operator, name in compared if operator == "="]
    return equal or [name for operator, name in compared if operator != "<>"][:1]
