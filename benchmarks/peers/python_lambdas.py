"""What people write by hand: a Python function for each subscription, called for every event.

The functions are generated from Trees, never from a user's text: names become numbered arguments, constants
are written by repr or handed over as objects. Each attribute is taken to have one type, as in a table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa

from benchmarks.matcher_workloads import Case
from benchmarks.peers.contender import Contender, Ints, Unavailable, pairs_of_lists
from siftmesh import Tree
from siftmesh.logic.tree import And, Operator, Or, Predicate
from siftmesh.model.pattern import compile_pattern
from siftmesh.model.values import Kind

__all__ = ["PythonLambdas"]

# Functions that are compiled together.
CHUNK = 1_000

_SIGNS = {
    Operator.EQ: "==",
    Operator.NE: "!=",
    Operator.LT: "<",
    Operator.LE: "<=",
    Operator.GT: ">",
    Operator.GE: ">=",
    Operator.IN: "in",
    Operator.NOT_IN: "not in",
}


class PythonLambdas(Contender):
    remark = "one function a subscription, one event at a time"
    from_trees = True

    def __init__(self, case: Case) -> None:
        self._columns = case.events.column_names
        writer = Writer({name: f"v{place}" for place, name in enumerate(self._columns)})
        arguments = ", ".join(writer.names.values())
        self._functions: list[tuple[int, Callable[..., bool]]] = []
        for start in range(0, len(case.trees), CHUNK):
            part = case.trees[start : start + CHUNK]
            source = ",\n".join(f"lambda {arguments}: {writer.written(tree)}" for _, tree in part)
            code = compile(f"[{source}]", "<subscriptions>", "eval")
            made = eval(code, dict(writer.objects))
            self._functions += zip([number for number, _ in part], made, strict=True)

    def prepare(self, events: pa.Table) -> Any:
        return list(zip(*(column.to_pylist() for column in events.columns), strict=True))

    def run(self, prepared: Any) -> Any:
        functions = self._functions
        return [[number for number, meets in functions if meets(*event)] for event in prepared]

    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        return pairs_of_lists(found)


class Writer:
    """Writes Trees as Python; a leaf that is unknown is false, which a Tree may take it for."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        # What the functions need besides their arguments.
        self.objects: dict[str, Any] = {"__builtins__": {}}

    def written(self, tree: Tree) -> str:
        """The expression for a tree."""
        if isinstance(tree, (And, Or)):
            if not tree.children:
                return repr(isinstance(tree, And))
            word = " and " if isinstance(tree, And) else " or "
            return f"({word.join(map(self.written, tree.children))})"
        if isinstance(tree, Predicate):
            return self._leaf(tree)
        raise Unavailable(f"{type(tree).__name__} is not written as Python")

    def _leaf(self, leaf: Predicate) -> str:
        value = self.names[leaf.attribute]
        if leaf.operator in (Operator.IS_NULL, Operator.IS_NOT_NULL):
            return f"({value} is {'not ' if leaf.operator == Operator.IS_NOT_NULL else ''}None)"
        if leaf.kind not in (Kind.BOOL, Kind.NUMBER, Kind.STRING):
            raise Unavailable(f"a constant of kind {leaf.kind.name} is not written as Python")
        if leaf.operator in (Operator.LIKE, Operator.NOT_LIKE):
            test = self._like(value, leaf.value)
            test = f"not {test}" if leaf.operator == Operator.NOT_LIKE else test
        elif leaf.operator in _SIGNS:
            test = f"{value} {_SIGNS[leaf.operator]} {leaf.value!r}"
        else:
            raise Unavailable(f"{leaf.operator.name} is not written as Python")
        # What equals a constant is not None.
        unguarded = leaf.operator in (Operator.EQ, Operator.IN)
        return test if unguarded else f"({value} is not None and {test})"

    def _like(self, value: str, written: str) -> str:
        pattern = compile_pattern(written)
        if pattern.exact is not None:
            return f"{value} == {pattern.exact!r}"
        if pattern.only_prefix:
            return f"{value}.startswith({pattern.prefix!r})"
        if pattern.only_suffix:
            return f"{value}.endswith({pattern.suffix!r})"
        if len(pattern.segments) == 3 and not pattern.segments[0] and not pattern.segments[2]:
            (middle,) = pattern.contained
            if len(middle) == len(pattern.segments[1]):
                return f"{middle!r} in {value}"
        name = f"pattern_{len(self.objects)}"
        self.objects[name] = pattern.matches
        return f"{name}({value})"
