"""The package rule-engine: a rule in its own language for each subscription, asked about every event.

It stands for the rule libraries of Python that evaluate one rule at a time. Its `null` does not compare with
`<`, so this needs events without nulls.
"""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from benchmarks.matcher_workloads import Case
from benchmarks.peers.contender import Contender, Ints, Unavailable, mappings, pairs_of_lists
from siftmesh import Tree
from siftmesh.logic.tree import And, Operator, Or, Predicate
from siftmesh.model.pattern import compile_pattern

__all__ = ["RuleEngine"]

_SIGNS = {
    Operator.EQ: "==",
    Operator.NE: "!=",
    Operator.LT: "<",
    Operator.LE: "<=",
    Operator.GT: ">",
    Operator.GE: ">=",
    Operator.IN: "in",
}


class RuleEngine(Contender):
    remark = "one rule a subscription, one event at a time"
    from_trees = True

    def __init__(self, case: Case) -> None:
        try:
            import rule_engine  # type: ignore[import-not-found]  # nobody has to install it
        except ImportError:
            raise Unavailable("the package rule-engine is not installed") from None
        self._rules = [(number, rule_engine.Rule(_written(tree)).matches) for number, tree in case.trees]

    def prepare(self, events: pa.Table) -> Any:
        return mappings(events)

    def run(self, prepared: Any) -> Any:
        rules = self._rules
        return [[number for number, matches in rules if matches(event)] for event in prepared]

    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        return pairs_of_lists(found)


def _written(tree: Tree) -> str:
    if isinstance(tree, (And, Or)):
        word = " and " if isinstance(tree, And) else " or "
        return f"({word.join(map(_written, tree.children))})" if tree.children else _constant(tree == And(()))
    if isinstance(tree, Predicate):
        return _leaf(tree)
    raise Unavailable(f"{type(tree).__name__} is not written as a rule")


def _leaf(leaf: Predicate) -> str:
    if leaf.operator in _SIGNS:
        return f"{leaf.attribute} {_SIGNS[leaf.operator]} {_constant(leaf.value)}"
    if leaf.operator == Operator.NOT_IN:
        return f"not ({leaf.attribute} in {_constant(leaf.value)})"
    if leaf.operator == Operator.IS_NOT_NULL:
        return f"{leaf.attribute} != null"
    if leaf.operator == Operator.LIKE:
        pattern = compile_pattern(leaf.value)
        if pattern.only_prefix:
            return f"{leaf.attribute}.starts_with({_constant(pattern.prefix)})"
        if len(pattern.segments) == 3 and len(pattern.contained) == 1 and None not in pattern.segments[1]:
            return f"{_constant(pattern.contained[0])} in {leaf.attribute}"
    raise Unavailable(f"{leaf.operator.name} is not written as a rule")


def _constant(value: Any) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_constant, value))}]"
    # Its strings, numbers and bools are written as in JSON.
    return json.dumps(value, ensure_ascii=False)
