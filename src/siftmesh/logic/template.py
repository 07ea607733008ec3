"""Templates: a filter with parameters, turned once into a program that makes a Tree of each row of constants.

`bind_slowly` says what a bound template means: constants in place of the parameters, then the ordinary way to
a normal form. `bind` gives the same Tree some ten times faster, because which operands of an And or Or come
first, and whether a law of `logic.normalise` could apply between them, mostly depends on their attributes
alone and is settled beforehand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from typing import Any

import msgspec
from msgspec.structs import astuple

from siftmesh.errors import EventError, ParameterError
from siftmesh.language import ast
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.language.patterns import check_pattern
from siftmesh.logic.constants import opposite
from siftmesh.logic.lower import OPERATORS, lower
from siftmesh.logic.normalise import conjunction, disjunction, normalise
from siftmesh.logic.tree import And, Operator, Or, Predicate, Tree, attributes
from siftmesh.model.values import Kind, Opaque, Scalar, to_value

__all__ = ["Template"]

Row = Sequence[Any]
_Maker = Callable[[Row], Tree]
# An attribute and what is asked of it.
_Test = tuple[str, Operator]
_KINDS = {str: Kind.STRING, int: Kind.NUMBER, float: Kind.NUMBER}
# Whole floats below this are ints of 64 bits.
_WHOLE = 2.0**63
# Comparisons with strings up to this one have simpler normal forms: nothing is below the empty string.
_LOWEST = "\0"


class Template:
    """A filter with parameters; `bind` a row of constants to get its Tree."""

    def __init__(
        self, condition: ast.Condition, limits: Limits = DEFAULT, parameters: Sequence[str] | None = None
    ) -> None:
        self.condition = condition
        # The order of the constants in a row: as given, or as they first appear.
        self.parameters = ast.parameters(condition) if parameters is None else tuple(parameters)
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
            if kind is int or (kind is str and value > _LOWEST):
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
                    f"no value for :{missing[0]}"
                    if missing
                    else f"the template has no parameter :{unknown[0]}",
                    expected=self._wanted(),
                )
            constants = [constants[name] for name in self.parameters]
        elif isinstance(constants, (str, bytes)) or not isinstance(constants, Sequence):
            raise ParameterError(f"{type(constants).__name__} is no row of values", expected=self._wanted())
        elif len(constants) != len(self.parameters):
            raise ParameterError(f"{len(constants)} values were given", expected=self._wanted())
        row: list[Any] = []
        for value in constants:
            name = self.parameters[len(row)]
            try:
                row.append(to_value(value))
            except EventError as error:
                raise ParameterError(f":{name}: {error}") from None
            if isinstance(row[-1], (tuple, Opaque)):
                raise ParameterError(
                    f":{name} is no single value", expected="a number, string, bool, time or null"
                )
            if row[-1] in (math.inf, -math.inf):
                raise ParameterError(f":{name} is infinite", expected="no comparison where there is no bound")
        return row

    def _wanted(self) -> str:
        names = ", ".join(f":{name}" for name in self.parameters) or "none"
        return f"{len(self.parameters)} parameters: {names}"

    def _bound(self, row: Row) -> Tree:
        return normalise(
            lower(substitute(self.condition, dict(zip(self.parameters, row, strict=True)), self._limits))
        )

    # ---- compiling

    def _compile(self, node: ast.Condition, positive: bool) -> _Part:
        if isinstance(node, ast.Not):
            return self._compile(node.operand, not positive)
        if not ast.parameters(node):
            tree = normalise(lower(node if positive else ast.Not(node)))
            leaf = (tree.attribute, tree.operator) if isinstance(tree, Predicate) else None
            return _Part(lambda _row: tree, attributes(tree), leaf, _leaves_below(tree), lambda _row: tree)
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

        return _Part(
            make, frozenset([attribute]), (attribute, operator), plan=(attribute, operator, position)
        )

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

        return _Part(make, frozenset(reads))


class _Part(msgspec.Struct):
    """A compiled condition: how to make its Tree, and what is known of that whatever the constants are."""

    make: _Maker
    # All attributes that it reads.
    reads: frozenset[str]
    # What it tests and how, if it is a single predicate.
    leaf: _Test | None = None
    # The same of the predicates directly below it, in order, if it is an And or Or that has some, all on
    # distinct attributes that its other children do not read. Constants can still make it something else.
    below: tuple[_Test, ...] | None = None
    # Its Tree if it is of that form, or None.
    regular: Callable[[Row], Tree | None] | None = None
    # For a comparison with a parameter: its attribute, operator, and the parameter's position.
    plan: tuple[str, Operator, int] | None = None


def _leaves_below(tree: Tree) -> tuple[_Test, ...] | None:
    if not isinstance(tree, (And, Or)):
        return None
    found = [(child.attribute, child.operator) for child in tree.children if isinstance(child, Predicate)]
    names = {attribute for attribute, _ in found}
    others = [attributes(child) for child in tree.children if not isinstance(child, Predicate)]
    if not found or len(names) < len(found) or names & frozenset().union(*others):
        return None
    return tuple(found)


def _join(parts: list[_Part], is_and: bool) -> _Part:
    """An And or Or of parts: the general way, unless it is known that no law applies between them."""
    reads = frozenset().union(*(part.reads for part in parts))
    leaves = sorted((part for part in parts if part.leaf is not None), key=lambda part: part.leaf or ())
    inner = [part for part in parts if part.leaf is None]
    tests = tuple([part.leaf for part in leaves if part.leaf is not None])
    names = {attribute for attribute, _ in tests}
    general = conjunction if is_and else disjunction
    makers = [part.make for part in parts]

    def make_anyhow(row: Row) -> Tree:
        return general([make(row) for make in makers])

    separate = len(names) == len(tests) and not any(names & part.reads for part in inner)
    if not separate or not _never_absorb(inner):
        return _Part(make_anyhow, reads)
    regular = _in_known_order(leaves, inner, And if is_and else Or)

    def make(row: Row) -> Tree:
        tree = regular(row)
        return make_anyhow(row) if tree is None else tree

    return _Part(make, reads, below=tests or None, regular=regular)


def _never_absorb(inner: list[_Part]) -> bool:
    """Whether no inner node absorbs another, if those whose first tests are alike differ in constants.

    For one to absorb another, every test of one must follow from a test of the other on the same attribute.
    Two equalities with different constants never follow from each other.
    """
    for place, part in enumerate(inner):
        for other in inner[:place]:
            if part.below is None or other.below is None:
                return False
            if part.below[0] == other.below[0] and part.below[0][1] == Operator.EQ:
                continue
            own, theirs = ({attribute for attribute, _ in tests} for tests in (part.below, other.below))
            if part.below[0][0] == other.below[0][0] or own <= theirs or theirs <= own:
                return False
    return True


def _in_known_order(
    leaves: list[_Part], inner: list[_Part], node: type[And | Or]
) -> Callable[[Row], Tree | None]:
    """Predicates by attribute, then inner nodes by their first predicates; None if constants forbid it."""
    other = Or if node is And else And
    take = _take(leaves)
    makers = [part.make for part in inner]
    regulars = [part.regular for part in inner if part.regular is not None]

    def with_none(row: Row) -> Tree | None:
        return node(tuple(take(row)))

    def with_one(row: Row) -> Tree | None:
        tree: Any = makers[0](row)
        if type(tree) is not other or not tree.children:
            return None
        return node((*take(row), tree))

    def with_many(row: Row) -> Tree | None:
        trees: list[Any] = []
        for make in regulars:
            tree = make(row)
            if type(tree) is not other:
                return None
            trees.append(tree)
        trees.sort(key=_head)
        first = None
        for tree in trees:
            head = tree.children[0]
            if head == first:
                return None  # two start alike: one may absorb the other
            first = head
        return node((*take(row), *trees))

    return with_none if not inner else with_one if len(inner) == 1 else with_many


def _head(tree: And | Or) -> Any:
    return tree.children[0]


def _take(leaves: list[_Part]) -> Callable[[Row], list[Tree]]:
    """All the predicates of a node; without a call for each where they are comparisons with parameters."""
    plans = [part.plan for part in leaves if part.plan is not None]
    if len(plans) < len(leaves):
        makers = [part.make for part in leaves]
        return lambda row: [make(row) for make in makers]
    kinds = _KINDS
    return lambda row: [
        Predicate(attribute, operator, kinds[type(row[position])], row[position])
        for attribute, operator, position in plans
    ]


def substitute(node: Any, values: Mapping[str, Scalar | None], limits: Limits = DEFAULT) -> Any:
    """The same syntax tree with constants in place of parameters."""
    if isinstance(node, ast.Parameter):
        return ast.Literal(values[node.name], node.span)  # type: ignore[arg-type]  # null is let in here alone
    if isinstance(node, tuple):
        return tuple(map(substitute, node, repeat(values), repeat(limits)))
    if not isinstance(node, ast.Node):
        return node
    made = type(node)(*map(substitute, astuple(node), repeat(values), repeat(limits)))
    if (
        isinstance(made, ast.Like)
        and isinstance(made.pattern, ast.Literal)
        and isinstance(made.pattern.value, str)
    ):
        check_pattern(made.pattern.value, made.escape, limits, None, None)
    return made
