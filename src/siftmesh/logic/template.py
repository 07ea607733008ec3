"""Templates: a filter with parameters, turned once into a program that makes the Tree of each row of constants.

`bind_slowly` says what a bound template means: constants in place of the parameters, then the ordinary way to a normal
form. `bind` gives the same Tree some ten times faster, because which operands of an And or Or come first, and whether a
law of `logic.normalise` could apply between them, mostly depends on their attributes alone and is settled beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from siftmesh.errors import EventError, ParameterError
from siftmesh.language import ast
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.language.patterns import check_pattern
from siftmesh.logic.constants import opposite
from siftmesh.logic.lower import OPERATORS, lower
from siftmesh.logic.normalise import conjunction, disjunction, normalise
from siftmesh.logic.tree import And, Operator, Or, Predicate, Tree, attributes
from siftmesh.model.values import Kind, Scalar, to_value

__all__ = ["Template"]

Row = Sequence[Any]
_Maker = Callable[[Row], Tree]
_KINDS = {str: Kind.STRING, int: Kind.NUMBER, float: Kind.NUMBER}
# Whole floats below this are ints of 64 bits.
_WHOLE = 2.0**63


class Template:
    """A filter with parameters; `bind` a row of constants to get its Tree."""

    def __init__(self, condition: ast.Condition, limits: Limits = DEFAULT) -> None:
        self.condition = condition
        self.parameters = ast.parameters(condition)
        self._limits = limits
        self._positions = {name: position for position, name in enumerate(self.parameters)}
        # Whether constants only ever meet attributes in comparisons, where 5.0 may as well be 5.
        self._plain = True
        self._root = self._compile(condition, True)

    def bind(self, constants: Mapping[str, Any] | Row) -> Tree:
        """The Tree of this filter with its parameters filled, in normal form."""
        return self.bind_values(self._row(constants))

    def bind_values(self, row: Row) -> Tree:
        """`bind` for constants that are values already, in the order of `parameters`."""
        for position, value in enumerate(row):
            kind = type(value)
            if kind is str or kind is int:
                continue
            if kind is not float:
                return self._bound(row)
            if value.is_integer():
                if not self._plain or abs(value) >= _WHOLE:
                    return self._bound(row)
                row = [*row[:position], int(value), *row[position + 1 :]]
        return self._root.make(row)

    def bind_slowly(self, constants: Mapping[str, Any] | Row) -> Tree:
        """The same, the obvious way."""
        return self._bound(self._row(constants))

    def _row(self, constants: Mapping[str, Any] | Row) -> Row:
        """The constants as values, in the order of `parameters`."""
        if isinstance(constants, Mapping):
            missing = [name for name in self.parameters if name not in constants]
            unknown = [name for name in constants if name not in self._positions]
            if missing or unknown:
                raise ParameterError(
                    f"no value for :{missing[0]}" if missing else f"the template has no parameter :{unknown[0]}",
                    expected=self._wanted(),
                )
            constants = [constants[name] for name in self.parameters]
        elif len(constants) != len(self.parameters):
            raise ParameterError(f"{len(constants)} values were given", expected=self._wanted())
        row = []
        for value in constants:
            name = self.parameters[len(row)]
            try:
                row.append(to_value(value))
            except EventError as error:
                raise ParameterError(f":{name}: {error}") from None
            if row[-1] in (math.inf, -math.inf):
                raise ParameterError(f":{name} is infinite", expected="no comparison where there is no bound")
        return row

    def _wanted(self) -> str:
        names = ", ".join(f":{name}" for name in self.parameters) or "none"
        return f"{len(self.parameters)} parameters: {names}"

    def _bound(self, row: Row) -> Tree:
        return normalise(lower(substitute(self.condition, dict(zip(self.parameters, row, strict=True)), self._limits)))

    # ---- compiling

    def _compile(self, node: ast.Condition, positive: bool) -> _Part:
        if isinstance(node, ast.Not):
            return self._compile(node.operand, not positive)
        if not ast.parameters(node):
            tree = normalise(lower(node if positive else ast.Not(node)))
            return _Part(lambda _row: tree, attributes(tree), _shape_of(tree))
        if isinstance(node, (ast.And, ast.Or)):
            parts = [self._compile(operand, positive) for operand in node.operands]
            return _join(parts, isinstance(node, ast.And) == positive)
        if (
            isinstance(node, ast.Comparison)
            and isinstance(node.left, ast.Attribute)
            and isinstance(node.right, ast.Parameter)
        ):
            operator = opposite(OPERATORS[node.operator], positive)
            return self._comparison(node.left.name, operator, self._positions[node.right.name])
        return self._anything(node, positive)

    def _comparison(self, attribute: str, operator: Operator, position: int) -> _Part:
        def make(row: Row) -> Tree:
            value = row[position]
            return Predicate(attribute, operator, _KINDS[type(value)], value)

        return _Part(make, frozenset([attribute]), ("leaf", attribute, operator))

    def _anything(self, node: ast.Condition, positive: bool) -> _Part:
        """A leaf that is not worth a program of its own: substitute and lower it."""
        self._plain = False
        names = ast.parameters(node)
        asked = node if positive else ast.Not(node)
        # What it reads does not depend on the constants, so any constants tell.
        reads = {found.name for found in ast.walk(node) if isinstance(found, ast.Attribute)}

        def make(row: Row) -> Tree:
            values = {name: row[self._positions[name]] for name in names}
            return normalise(lower(substitute(asked, values, self._limits)))

        return _Part(make, frozenset(reads), None)


class _Part(msgspec.Struct):
    """A compiled condition: how to make its Tree, what it reads, and its shape if no constant can change that."""

    make: _Maker
    reads: frozenset[str]
    shape: tuple[Any, ...] | None

    @property
    def is_leaf(self) -> bool:
        return self.shape is not None and self.shape[0] == "leaf"


def _shape_of(tree: Tree) -> tuple[Any, ...] | None:
    if isinstance(tree, Predicate):
        return "leaf", tree.attribute, tree.operator
    return None


def _join(parts: list[_Part], is_and: bool) -> _Part:
    """An And or Or of parts, along the fastest way that no constants can make wrong."""
    general = conjunction if is_and else disjunction
    reads = frozenset().union(*(part.reads for part in parts))
    leaves = [part for part in parts if part.is_leaf]
    inner = [part for part in parts if not part.is_leaf]
    makers = [part.make for part in parts]

    def make_anyhow(row: Row) -> Tree:
        return general([make(row) for make in makers])

    node, other = (And, Or) if is_and else (Or, And)
    apart = sum(len(part.reads) for part in parts) == len(reads)
    if apart and len(inner) <= 1 and len(parts) > 1:
        return _apart(leaves, inner, node, other, make_anyhow, reads)
    shapes = {part.shape for part in inner}
    if not leaves and len(shapes) == 1 and None not in shapes and inner[0].shape[0] == other.__name__:  # type: ignore[index]  # not None
        return _Part(_twins(makers, node), reads, None)
    return _Part(make_anyhow, reads, None)


def _apart(
    leaves: list[_Part],
    inner: list[_Part],
    node: type[And | Or],
    other: type[And | Or],
    make_anyhow: _Maker,
    reads: frozenset[str],
) -> _Part:
    """Leaves on distinct attributes and at most one inner node on others: their order is known, no law applies."""
    ordered = sorted(leaves, key=lambda part: part.shape[1])  # type: ignore[index]  # leaves have shapes
    makers = [part.make for part in ordered]
    if not inner:
        shape = (node.__name__, *(part.shape for part in ordered))
        return _Part(lambda row: node(tuple([make(row) for make in makers])), reads, shape)
    (below,) = inner

    def make(row: Row) -> Tree:
        tree = below.make(row)
        # Constants may have collapsed the inner node; then it has another place among its siblings.
        if type(tree) is not other or not tree.children:
            return make_anyhow(row)
        return node((*[leaf(row) for leaf in makers], tree))

    shape = (node.__name__, *(part.shape for part in ordered), below.shape) if below.shape is not None else None
    return _Part(make, reads, shape)


def _twins(makers: list[_Maker], node: type[And | Or]) -> _Maker:
    """Nodes of one shape: they differ in constants only, so none absorbs another, and equal ones are one."""

    def make(row: Row) -> Tree:
        trees: list[Any] = sorted([make(row) for make in makers])
        kept = [tree for place, tree in enumerate(trees) if place == 0 or tree != trees[place - 1]]
        return kept[0] if len(kept) == 1 else node(tuple(kept))

    return make


def substitute(node: Any, values: Mapping[str, Scalar | None], limits: Limits = DEFAULT) -> Any:
    """The same syntax tree with constants in place of parameters."""
    if isinstance(node, ast.Parameter):
        return ast.Literal(values[node.name], node.span)  # type: ignore[arg-type]  # null is let in here alone
    if isinstance(node, tuple):
        return tuple([substitute(item, values, limits) for item in node])
    if not isinstance(node, ast.Node):
        return node
    made = type(node)(*[substitute(getattr(node, field), values, limits) for field in node.__struct_fields__])
    if isinstance(made, ast.Like) and isinstance(made.pattern, ast.Literal) and isinstance(made.pattern.value, str):
        check_pattern(made.pattern.value, made.escape, limits, None, None)
    return made
