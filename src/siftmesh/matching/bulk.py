"""One template and a table of constants: subscriptions by the million, without a tree for each.

What a template means is settled once, with stand-ins for its parameters; then only constants are moved. That
works where constants do nothing but stand in comparisons; in all other cases each row is bound by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec
import pyarrow as pa
import pyarrow.compute as pc

from siftmesh.kernels.layout import Bytes, Longs
from siftmesh.logic.lower import lower
from siftmesh.logic.template import Template, substitute
from siftmesh.logic.tree import And, Operator, Or, Predicate, Quantified, Tree, leaves
from siftmesh.matching.columns import encode_columns, is_unicode
from siftmesh.matching.shape import shape_of

__all__ = ["Plan", "plan_of", "side_by_side"]

_EXACT = 2**53
# How many stand-ins there are of each kind; none of them means anything to any operator.
_INTS = 1_048_583_000
_FLOATS = 4_099.0078125
# In so many rows the values of a column are counted.
_ENOUGH = 1 << 16


class Plan(msgspec.Struct):
    """A template for rows of constants: a tree with stand-ins, and which parameter each constant is."""

    tree: Tree
    shape: tuple[Any, ...]
    constants: list[Any]
    # By the number of a constant.
    parameters: dict[int, str]
    # What stands for each of them in the tree.
    stand_ins: dict[Any, str]

    @property
    def fixed(self) -> tuple[int, ...]:
        """The constants that are no parameters."""
        return tuple(number for number in range(len(self.constants)) if number not in self.parameters)

    def asked(self, columns: Mapping[str, pa.Array]) -> dict[str, tuple[int, int]]:
        """Of each attribute that is compared with a parameter, how many values that has, in how many rows."""
        found: dict[str, tuple[int, int]] = {}
        for leaf in leaves(self.tree):
            name = self.stand_ins.get(leaf.value) if isinstance(leaf, Predicate) else None
            if isinstance(leaf, Predicate) and name is not None and leaf.operator == Operator.EQ:
                column = columns[name].slice(0, _ENOUGH)
                if pa.types.is_dictionary(column.type):
                    column = column.indices
                found[leaf.attribute] = (pc.count_distinct(column).as_py(), len(column))
        return found

    def encode(self, columns: Mapping[str, pa.Array]) -> tuple[Longs, Longs, Bytes]:
        """The parameters' columns, numbers and text, for `add_columns`; B_SLOT is the constant's number."""
        names = [str(number) for number in self.parameters]
        arrays = [columns[name] for name in self.parameters.values()]
        slots = {f'"{number}"': number for number in self.parameters}
        encoded = encode_columns(pa.RecordBatch.from_arrays(arrays, names=names), slots, lambda *_: None)
        if encoded is None:
            raise AssertionError("a column that was looked at is of another type now")
        described, raws, _, text = encoded.arrays()
        return described, raws, text


def plan_of(template: Template, columns: Mapping[str, pa.Array]) -> Plan | None:
    """How to take a template's rows in at once; None if each has to be bound by itself."""
    plan = _plan_with(template, columns, 0)
    if plan is None:
        return None
    # A constant of the text may happen to equal a stand-in: others tell.
    other = _plan_with(template, columns, len(template.parameters))
    return plan if other is not None and other.parameters == plan.parameters else None


def side_by_side(column: pa.Array) -> pa.Array:
    """The rows of a column in an order in which equal values are neighbours."""
    coded = column if pa.types.is_dictionary(column.type) else pc.dictionary_encode(column)
    return pc.array_sort_indices(coded.indices)


def _plan_with(template: Template, columns: Mapping[str, pa.Array], first: int) -> Plan | None:
    """The plan with the stand-ins from a number on."""
    stand_ins: dict[str, Any] = {}
    for place, name in enumerate(template.parameters, first):
        stand_in = _stand_in(columns[name], place)
        if stand_in is None:
            return None
        stand_ins[name] = stand_in
    tree = _flat(lower(substitute(template.condition, stand_ins)))
    shape, constants = shape_of(tree)
    names = {stand_in: name for name, stand_in in stand_ins.items()}
    parameters = {
        number: names[constant]
        for number, constant in enumerate(constants)
        if type(constant) in (int, float, str) and constant in names
    }
    # A stand-in that is no constant by itself is part of a list, a pattern or an expression.
    if set(parameters.values()) != set(names.values()) or _mentions(shape, constants, parameters, names):
        return None
    if any(isinstance(leaf, Quantified) and not _in_order(leaf) for leaf in leaves(tree)):
        return None
    return Plan(tree, shape, constants, parameters, names)


def _in_order(leaf: Quantified) -> bool:
    """Whether the terms of a quantifier stand in one order whatever their constants are."""
    return len({(term.position, term.operator, term.kind) for term in leaf.terms}) == len(leaf.terms)


def _stand_in(column: pa.Array, place: int) -> Any:
    """Something that stands for all values of a column; None for a column that needs a closer look."""
    kind = column.type
    if column.null_count or not len(column):
        return None
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
        if column.dictionary.null_count or not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            return None
    if pa.types.is_integer(kind):
        bounds = pc.min_max(column).as_py()
        return _INTS + place if bounds["min"] >= -_EXACT and bounds["max"] <= _EXACT else None
    if pa.types.is_floating(kind):
        return _FLOATS + place if pc.all(pc.is_finite(column)).as_py() else None
    if (pa.types.is_string(kind) or pa.types.is_large_string(kind)) and is_unicode(column):
        # With a wildcard: LIKE without one is an equality.
        return f"\x02stand-in % {place}\x03"
    return None


def _mentions(
    shape: Any, constants: list[Any], parameters: Mapping[int, str], names: Mapping[Any, str]
) -> bool:
    rest = [constant for number, constant in enumerate(constants) if number not in parameters]
    text = repr((shape, rest))
    return any(repr(stand_in).strip("'") in text for stand_in in names)


def _flat(tree: Tree) -> Tree:
    """The same tree without an And directly below an And, nor an Or below an Or."""
    if not isinstance(tree, (And, Or)):
        return tree
    children: list[Tree] = []
    for child in map(_flat, tree.children):
        if type(child) is type(tree):
            children += child.children
        else:
            children.append(child)
    return type(tree)(tuple(children)) if len(children) != 1 else children[0]
