"""The laws of the normal form that simplify the leaves of one And or Or, each a small pure function.

A rule takes the leaves of one node: `every` says whether the node is an And (all must hold) or an Or. It
returns leaves whose And (Or) is true of the same events, or None when the node is decided: an And that is
never true, an Or that always is. Only truth counts: a rule may exchange unknown and false.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from siftmesh.logic.entailment import NULLNESS, excludes, implies, negated, value_kind
from siftmesh.logic.evaluate import holds
from siftmesh.logic.intervals import IntervalSet, interval_set
from siftmesh.logic.spelling import alternatives, requirements
from siftmesh.logic.tree import FALSE, Leaf, Operator, Predicate, Quantified, Residual, Tree, sort_key
from siftmesh.model.event import Event
from siftmesh.model.values import Kind

__all__ = ["RULES", "Rule", "Work", "canonical_leaf", "is_plain"]


class Work:
    """How many comparisons of pairs the rules that grow quadratically may still make."""

    __slots__ = ("steps",)

    def __init__(self, steps: int) -> None:
        self.steps = steps

    def take(self, steps: int) -> bool:
        """Whether so many steps are left; if so they are used up."""
        if steps > self.steps:
            return False
        self.steps -= steps
        return True


# Comparing two lists of elements takes a small part of the time that comparing two leaves takes, ...
_SETS_PER_STEP = 16
# ... and comparing two patterns takes the longer, the longer they are.
_PATTERN_PER_STEP = 64

Rule = Callable[[bool, list[Leaf], Work], list[Leaf] | None]


# ---- one leaf


def canonical_leaf(leaf: Leaf) -> Tree:
    """The one spelling of a leaf: IN of one value is EQ, LIKE without wildcards is EQ, `< ''` is FALSE."""
    if type(leaf) is Predicate:
        return leaf if is_plain(leaf) else _canonical_predicate(leaf)
    if isinstance(leaf, Residual) and leaf.test is not None:
        test = canonical_leaf(leaf.test)
        return Residual(test.operator, leaf.left, None, test) if isinstance(test, Predicate) else FALSE
    return leaf


# Looking a member up in its Enum takes longer than all the tests below.
_NUMBER, _STRING, _TIMESTAMP, _BOOL = Kind.NUMBER, Kind.STRING, Kind.TIMESTAMP, Kind.BOOL
_EQ, _NE, _GT, _NOT_IN = Operator.EQ, Operator.NE, Operator.GT, Operator.NOT_IN


def is_plain(leaf: Predicate) -> bool:
    """Whether a predicate is canonical at first glance, as nearly all are."""
    kind, asked = leaf.kind, leaf.operator
    if asked is _EQ:
        return True
    if asked <= _GT:
        value = leaf.value
        if kind is _NUMBER:
            return type(value) is int or -1e300 < value < 1e300
        # Below "\0" there is only the empty string.
        return kind is _TIMESTAMP or (kind is _STRING and (asked is _NE or value > "\0"))
    return asked in NULLNESS or (asked <= _NOT_IN and kind is not _BOOL and len(leaf.value) > 1)


def _canonical_predicate(leaf: Predicate) -> Tree:
    values = interval_set(leaf)
    if values is not None:
        if values.is_empty:
            return FALSE
        spelled = alternatives(values, leaf.attribute, 1)
        return leaf if spelled is None else spelled[0]
    asked = leaf.operator
    if asked == Operator.ILIKE and leaf.value == "%":
        return Predicate(leaf.attribute, Operator.LIKE, leaf.kind, "%")
    if asked == Operator.NOT_ILIKE and leaf.value == "%":
        return FALSE
    if asked in (Operator.OVERLAPS, Operator.NOT_OVERLAPS):
        if len(leaf.value) == 1:
            single = Operator.CONTAINS if asked == Operator.OVERLAPS else Operator.NOT_CONTAINS
            return Predicate(leaf.attribute, single, leaf.kind, leaf.value[0])
        if not leaf.value and asked == Operator.OVERLAPS:
            return FALSE
    return leaf


# ---- leaves of one attribute

_MISSING, _NULL, _VALUE = 1, 2, 4
_STATES = {
    Operator.IS_NULL: _MISSING | _NULL,
    Operator.IS_NOT_NULL: _VALUE,
    Operator.EXISTS: _NULL | _VALUE,
    Operator.NOT_EXISTS: _MISSING,
}
_SPELLED_STATES: dict[int, tuple[Operator, ...]] = {
    _MISSING: (Operator.NOT_EXISTS,),
    _NULL: (Operator.IS_NULL, Operator.EXISTS),
    _VALUE: (Operator.IS_NOT_NULL,),
    _MISSING | _NULL: (Operator.IS_NULL,),
    _NULL | _VALUE: (Operator.EXISTS,),
    _MISSING | _VALUE: (Operator.IS_NOT_NULL, Operator.NOT_EXISTS),
}


def nullness(every: bool, leaves: list[Leaf], work: Work) -> list[Leaf] | None:
    """Missing, null or a value: `a IS NULL AND a = 5` never holds, `a IS NULL OR a IS NOT NULL` always.

    The questions of nullness about one attribute become one set of these three states; any other predicate is
    true only of a value.
    """
    del work
    kept: list[Leaf] = []
    for attribute, group in _by_attribute(leaves, kept).items():
        asking = [leaf for leaf in group if leaf.operator in NULLNESS]
        comparing: list[Leaf] = [leaf for leaf in group if leaf.operator not in NULLNESS]
        if not asking:
            kept += comparing
            continue
        states = _MISSING | _NULL | _VALUE if every else 0
        for leaf in asking:
            states = states & _STATES[leaf.operator] if every else states | _STATES[leaf.operator]
        if every and comparing:
            if not states & _VALUE:
                return None
            kept += comparing
            continue
        if states in (0, _MISSING | _NULL | _VALUE):
            return None
        kept += [Predicate(attribute, asked, Kind.NULL) for asked in _SPELLED_STATES[states]]
        if not states & _VALUE:
            kept += comparing
    return kept


def intervals(every: bool, leaves: list[Leaf], work: Work) -> list[Leaf] | None:
    """Comparisons of one attribute and kind become one set: `a >= 5 AND a <= 5` is `a = 5`.

    Within an And, an empty set decides the node, as do two kinds that no value has both.
    """
    kept: list[Leaf] = []
    for group in _by_attribute(leaves, kept).values():
        if len(group) == 1:
            kept += group
            continue
        if every and _kinds_clash(group):
            return None
        sets: dict[Kind, list[tuple[Predicate, IntervalSet]]] = {}
        patterns: list[Predicate] = []
        for leaf in group:
            values = interval_set(leaf)
            if values is not None:
                sets.setdefault(leaf.kind, []).append((leaf, values))
            elif value_kind(leaf) == Kind.STRING:
                patterns.append(leaf)
            else:
                kept.append(leaf)
        kept += patterns
        # Moments come first: a string can name one, so that strings stand beside them as beside patterns.
        for kind in sorted(sets, reverse=True):
            merged = _merge(every, sets[kind], patterns if kind == Kind.STRING else [], work)
            if merged is None:
                return None
            kept += merged
            if kind == Kind.TIMESTAMP:
                patterns += merged
    return kept


def _kinds_clash(group: list[Predicate]) -> bool:
    kinds = {value_kind(leaf) for leaf in group} - {None}
    # A string may name a moment, so it can meet predicates of both kinds.
    return len(kinds) > 1 and kinds != {Kind.STRING, Kind.TIMESTAMP}


def _merge(
    every: bool, sets: list[tuple[Predicate, IntervalSet]], others: list[Predicate], work: Work
) -> list[Predicate] | None:
    """One set for comparisons of one attribute and kind, spelled in as few predicates as it takes."""
    leaves = [leaf for leaf, _ in sets]
    if len(leaves) == 1 and not others:
        return leaves
    attribute, kind = leaves[0].attribute, leaves[0].kind
    whole = [leaf for leaf, values in sets if values.is_full]
    if whole and not every:
        return [min(whole)]
    join = IntervalSet.intersection if every else IntervalSet.union
    values = join(kind, [one for _, one in sets])
    if others and work.take(len(values.cuts) * len(others)):
        values = _beside_patterns(every, values, others)
        if not every and values.is_empty:
            return []
        if every and values.is_full and any(leaf.kind == kind for leaf in others):
            return []  # the patterns ask for a string already
    if every and values.is_empty:
        return None
    if every and values.is_full:
        return [min(leaves)]
    spelled = (requirements if every else alternatives)(values, attribute, len(leaves))
    return leaves if spelled is None else spelled


def _beside_patterns(every: bool, values: IntervalSet, others: list[Predicate]) -> IntervalSet:
    """Decide, by testing, the strings at the ends of a set that stands beside patterns of the same attribute.

    Within an Or, strings that meet a pattern may be in the set or not: next to an interval they are taken in,
    and standing alone they are left out. And is the mirror image.
    """
    attribute = others[0].attribute

    def decided(value: str, by: list[Predicate]) -> bool:
        event = Event({attribute: value})
        if every:
            return not all(holds(leaf, event) for leaf in by)
        return any(holds(leaf, event) for leaf in by)

    kind = values.kind
    wanted = ~values if every else values
    ends = {cut[0] for cut in values.cuts}
    wanted |= IntervalSet.points(kind, [value for value in ends if decided(value, others)])
    # A moment's predicate is not about strings alone, so that it cannot stand for the last predicate that is.
    by = [leaf for leaf in others if leaf.kind == kind] if every else others
    alone = [IntervalSet.between(kind, low, high).only_values() for low, high in wanted.intervals()]
    left_out = [value for single in alone if single for value in single if decided(value, by)]
    wanted -= IntervalSet.points(kind, left_out)
    return ~wanted if every else wanted


def memberships(every: bool, leaves: list[Leaf], work: Work) -> list[Leaf] | None:
    """Questions about elements join: `t CONTAINS 1 OR t CONTAINS 2` is one OVERLAPS, and dually with NOT.

    Within an And, what the array must not contain leaves the lists of what it must.
    """
    kept: list[Leaf] = []
    groups: dict[tuple[str, Kind], list[Predicate]] = {}
    for leaf in leaves:
        if isinstance(leaf, Predicate) and Operator.CONTAINS <= leaf.operator <= Operator.NOT_OVERLAPS:
            groups.setdefault((leaf.attribute, leaf.kind), []).append(leaf)
        else:
            kept.append(leaf)
    for (attribute, kind), group in groups.items():
        required = [_listed(leaf) for leaf in group if not leaf.operator & 1]
        refused = [_listed(leaf) for leaf in group if leaf.operator & 1]
        if every:
            refused = [frozenset().union(*refused)] if refused else []
            required = [wanted.difference(*refused) for wanted in required]
            if not all(required):
                return None
        elif required:
            required = [frozenset().union(*required)]
        kept += [_members(attribute, kind, one, Operator.CONTAINS) for one in _least(required, work)]
        kept += [_members(attribute, kind, one, Operator.NOT_CONTAINS) for one in _least(refused, work)]
    return kept


def _listed(leaf: Predicate) -> frozenset[Any]:
    return frozenset(leaf.value if isinstance(leaf.value, tuple) else (leaf.value,))


def _least(lists: Iterable[frozenset[Any]], work: Work) -> list[frozenset[Any]]:
    """The lists that hold no other: a shorter one asks more in an And and, with NOT, less in an Or."""
    distinct = sorted(set(lists), key=len)
    if len(distinct) > 1 and not work.take(len(distinct) * len(distinct) // _SETS_PER_STEP):
        return distinct
    found: list[frozenset[Any]] = []
    for one in distinct:
        if not any(other < one for other in found):
            found.append(one)
    return found


def _members(attribute: str, kind: Kind, values: frozenset[Any], single: Operator) -> Predicate:
    if len(values) == 1:
        return Predicate(attribute, single, kind, *values)
    return Predicate(attribute, Operator(single + 2), kind, tuple(sorted(values)))


def pairs(every: bool, leaves: list[Leaf], work: Work) -> list[Leaf] | None:
    """Of two leaves of which one implies the other an And keeps the narrower, an Or the wider.

    Two leaves that exclude each other decide an And. Where two imply each other the first in order stays.
    """
    groups: dict[str, list[Leaf]] = {}
    for leaf in sorted(leaves, key=sort_key):
        for name in _reads(leaf):
            groups.setdefault(name, []).append(leaf)
    dropped: set[Leaf] = set()
    for group in groups.values():
        if len(group) == 1 or not work.take(len(group) * sum(map(_weight, group))):
            continue
        if every and any(excludes(one, other) for place, one in enumerate(group) for other in group[:place]):
            return None
        for place, leaf in enumerate(group):
            for rival, other in enumerate(group):
                given, asked = (other, leaf) if every else (leaf, other)
                if rival != place and implies(given, asked) and (rival < place or not implies(asked, given)):
                    dropped.add(leaf)
                    break
    return [leaf for leaf in leaves if leaf not in dropped] if dropped else leaves


def _weight(leaf: Leaf) -> int:
    """How many steps comparing a leaf with another takes."""
    if isinstance(leaf, Predicate) and Operator.LIKE <= leaf.operator <= Operator.NOT_ILIKE:
        return 1 + len(leaf.value) // _PATTERN_PER_STEP
    return 1


def _reads(leaf: Leaf) -> tuple[str, ...]:
    """The names under which leaves that may concern each other meet."""
    if isinstance(leaf, Predicate):
        return (leaf.attribute,)
    if isinstance(leaf, Quantified):
        return leaf.arrays
    # A residual is only compared with its own negation: a name that no attribute has.
    return ("\0" + repr(min(sort_key(leaf), sort_key(negated(leaf)))),)


def _by_attribute(leaves: list[Leaf], rest: list[Leaf]) -> dict[str, list[Predicate]]:
    """The predicates by their attribute; leaves of other types go to `rest`."""
    groups: dict[str, list[Predicate]] = {}
    for leaf in leaves:
        if isinstance(leaf, Predicate):
            groups.setdefault(leaf.attribute, []).append(leaf)
        else:
            rest.append(leaf)
    return groups


RULES: tuple[Rule, ...] = (nullness, intervals, memberships, pairs)
