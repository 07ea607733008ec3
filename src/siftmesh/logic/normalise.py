"""The normal form of trees: filters that differ only in order, grouping or repetition become one Tree.

What a tree is true of never changes; unknown and false may change places, for a Tree is only ever asked
whether it is true. Nothing is factored out or multiplied out, so a filter keeps the shape in which it was
written.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cmp_to_key
from operator import attrgetter

from siftmesh.logic.entailment import implies
from siftmesh.logic.ranges import are_apart
from siftmesh.logic.rules import RULES, Work, canonical_leaf, is_plain
from siftmesh.logic.tree import FALSE, TRUE, And, Leaf, Operator, Or, Predicate, Tree, sort_key

__all__ = ["DEFAULT_BUDGET", "conjunction", "disjunction", "normalise"]

# Comparisons of pairs of siblings; what more would find is left as it stands, which is correct but longer.
DEFAULT_BUDGET = 20_000

_attribute = attrgetter("attribute")
# Looking a member up in its Enum takes longer than comparing with it.
_EQ = Operator.EQ


def normalise(tree: Tree, budget: int = DEFAULT_BUDGET) -> Tree:
    """The normal form of any tree; the budget bounds the work on pairs of siblings, never the correctness."""
    return _normal(tree, Work(budget))


def conjunction(children: Iterable[Tree], budget: int = DEFAULT_BUDGET) -> Tree:
    """The normal form of the And of trees."""
    return _normal(And(tuple(children)), Work(budget))


def disjunction(children: Iterable[Tree], budget: int = DEFAULT_BUDGET) -> Tree:
    """The normal form of the Or of trees."""
    return _normal(Or(tuple(children)), Work(budget))


def _normal(tree: Tree, work: Work) -> Tree:
    same = type(tree)
    if not isinstance(tree, (And, Or)):
        return canonical_leaf(tree)
    opposite = Or if same is And else And
    predicates: list[Predicate] = []
    others: list[Leaf] = []
    compounds: list[Tree] = []
    # A node within one of its own type is taken apart before its leaves meet, so that grouping plays no part.
    waiting: list[Tree] = list(tree.children)
    for child in waiting:
        kind = type(child)
        if kind is Predicate:
            if is_plain(child):  # type: ignore[arg-type]  # exact type just seen
                predicates.append(child)  # type: ignore[arg-type]  # exact type just seen
                continue
        elif kind is same:
            waiting += child.children  # type: ignore[union-attr]  # an And or an Or, like the tree
            continue
        normal = _normal(child, work)
        kind = type(normal)
        if kind is opposite:
            if not normal.children:  # type: ignore[union-attr]  # an And or an Or
                return normal  # FALSE decides an And, TRUE decides an Or
            compounds.append(normal)
        elif kind is same:
            waiting += normal.children  # type: ignore[union-attr]  # an And or an Or, like the tree
        elif kind is Predicate:
            predicates.append(normal)  # type: ignore[arg-type]  # exact type just seen
        else:
            others.append(normal)  # type: ignore[arg-type]  # only leaves are left
    return _combine(same is And, predicates, others, compounds, work)


def _combine(
    every: bool, predicates: list[Predicate], others: list[Leaf], compounds: list[Tree], work: Work
) -> Tree:
    """Apply the laws to the children of an And or an Or: simplify the leaves, absorb, sort."""
    same = And if every else Or
    leaves: list[Leaf]
    if not others and len({leaf.attribute for leaf in predicates}) == len(predicates):
        # Leaves on distinct attributes do not concern each other: nearly every filter is of this sort.
        predicates.sort(key=_attribute)
        leaves = predicates  # type: ignore[assignment]  # predicates are leaves; the list is not used otherwise
    elif not others and are_apart(every, predicates):
        leaves = sorted(predicates, key=sort_key)
    else:
        leaves = list(dict.fromkeys([*predicates, *others]))
        for rule in RULES:
            simplified = rule(every, leaves, work)
            if simplified is None:
                return FALSE if every else TRUE
            leaves = simplified
        leaves.sort(key=sort_key)
    if compounds:
        compounds = _absorb(every, leaves, compounds, work)
    joined = (*leaves, *compounds)
    return joined[0] if len(joined) == 1 else same(joined)


def _absorb(every: bool, leaves: list[Leaf], compounds: list[Tree], work: Work) -> list[Tree]:
    """Absorption: `a OR (a AND b)` is `a`, and dually; implication does as well as equality.

    Returns the compounds that stay, in order.
    """
    if leaves:
        by_attribute: dict[str, list[Predicate]] = {}
        for leaf in leaves:
            if type(leaf) is Predicate:
                by_attribute.setdefault(leaf.attribute, []).append(leaf)
        compounds = [one for one in compounds if not _settled(every, leaves, by_attribute, one, work)]
    if len(compounds) < 2:
        return compounds
    compounds.sort(key=_by_order)
    # Equal ones are neighbours now; hashing whole trees to find them would take longer.
    compounds = [one for place, one in enumerate(compounds) if not place or one != compounds[place - 1]]
    if not work.take(len(compounds) * len(compounds)):
        return compounds
    kept = []
    for place, one in enumerate(compounds):
        for rival, other in enumerate(compounds):
            if (
                rival != place
                and _absorbs(every, other, one, work)
                and (rival < place or not _absorbs(every, one, other, work))
            ):
                break
        else:
            kept.append(one)
    return kept


def _settled(
    every: bool, leaves: list[Leaf], by_attribute: dict[str, list[Predicate]], compound: Tree, work: Work
) -> bool:
    """Whether the leaves beside a compound make one of its children hold (in an Or: make one fail)."""
    for child in compound.children:  # type: ignore[union-attr]  # compounds are And or Or
        parts = child.children if isinstance(child, (And, Or)) else (child,)
        for part in parts:
            if type(part) is not Predicate:
                if part not in leaves:
                    break
            elif part.attribute not in by_attribute or not _follows(
                every, by_attribute[part.attribute], part, work
            ):
                break
        else:
            return True
    return False


def _follows(every: bool, leaves: list[Predicate], part: Predicate, work: Work) -> bool:
    if not work.take(len(leaves)):
        return False
    return any(implies(leaf, part) if every else implies(part, leaf) for leaf in leaves)


def _absorbs(every: bool, kept: Tree, dropped: Tree, work: Work) -> bool:
    """Whether each child of one compound has its like, or one that follows from it, in the other."""
    theirs = dropped.children  # type: ignore[union-attr]  # compounds are And or Or
    for child in kept.children:  # type: ignore[union-attr]  # compounds are And or Or
        if type(child) is not Predicate:
            if child not in theirs:
                return False
            continue
        name = child.attribute
        for other in theirs:
            if type(other) is not Predicate or other.attribute != name or not work.take(1):
                continue
            if child.operator is other.operator is _EQ and child.kind is other.kind:
                if child.value == other.value:  # one equality only follows from itself
                    break
            elif implies(child, other) if every else implies(other, child):
                break
        else:
            return False
    return True


def _order(one: Tree, other: Tree) -> int:
    """The order of `sort_key` without building keys: siblings mostly differ in their first leaf."""
    if type(one) is type(other):
        if type(one) is Predicate:
            return 0 if one == other else -1 if one < other else 1  # type: ignore[operator]  # both are predicates
        if isinstance(one, (And, Or)):
            theirs = other.children  # type: ignore[union-attr]  # of the same type
            for mine, its in zip(one.children, theirs, strict=False):
                order = _order(mine, its)
                if order:
                    return order
            return len(one.children) - len(theirs)
    first, second = sort_key(one), sort_key(other)
    return (first > second) - (first < second)


_by_order = cmp_to_key(_order)
