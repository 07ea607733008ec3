"""What one leaf says about another: whether it implies it, or excludes it.

All answers are sound and some are incomplete: True is proven, False may also mean "not proven".
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from siftmesh.logic.evaluate import holds
from siftmesh.logic.intervals import IntervalSet, interval_set
from siftmesh.logic.patterns import contains_pattern
from siftmesh.logic.tree import NEGATION, Leaf, Operator, Predicate, Quantified, Residual, Term
from siftmesh.model.event import Event
from siftmesh.model.pattern import compile_pattern, escape
from siftmesh.model.values import Kind

__all__ = ["NULLNESS", "excludes", "hull", "implies", "negated", "value_kind"]

# These ask whether there is a value; every other operator is true only of a value.
NULLNESS = frozenset([Operator.IS_NULL, Operator.IS_NOT_NULL, Operator.EXISTS, Operator.NOT_EXISTS])
_LIKES = frozenset([Operator.LIKE, Operator.ILIKE])
_NOT_LIKES = frozenset([Operator.NOT_LIKE, Operator.NOT_ILIKE])
_MEMBERS = frozenset([Operator.CONTAINS, Operator.OVERLAPS])
_NOT_MEMBERS = frozenset([Operator.NOT_CONTAINS, Operator.NOT_OVERLAPS])
_POINTS = frozenset([Operator.EQ, Operator.IN])
# Testing a long list of constants one by one against a pattern is left to the matching of events.
_MOST_POINTS = 1000


def negated(leaf: Leaf) -> Leaf:
    """The leaf that is true where this one is false."""
    opposite = NEGATION[leaf.operator]
    if isinstance(leaf, Predicate):
        return Predicate(leaf.attribute, opposite, leaf.kind, leaf.value)
    if isinstance(leaf, Quantified):
        return Quantified(leaf.arrays, opposite, leaf.terms)
    test = None if leaf.test is None else negated(leaf.test)
    assert test is None or isinstance(test, Predicate)
    return Residual(opposite, leaf.left, leaf.right, test)


def value_kind(leaf: Predicate) -> Kind | None:
    """The kind of value the predicate is true of (TIMESTAMP: also strings); None if it asks for nullness."""
    if leaf.operator in NULLNESS:
        return None
    if leaf.operator in _MEMBERS or leaf.operator in _NOT_MEMBERS:
        return Kind.ARRAY
    return leaf.kind


def hull(leaf: Predicate) -> IntervalSet | None:
    """The least interval set known to hold all values of the predicate's kind of which it is true."""
    exact = interval_set(leaf)
    if exact is None and leaf.operator == Operator.LIKE:
        stem = escape(compile_pattern(leaf.value).prefix) + "%"
        return interval_set(Predicate(leaf.attribute, Operator.LIKE, leaf.kind, stem))
    if exact is None and leaf.kind == Kind.STRING and value_kind(leaf) == Kind.STRING:
        return IntervalSet.full(Kind.STRING)
    return exact


def implies(given: Leaf, asked: Leaf) -> bool:
    """Whether every event of which `given` is true is one of which `asked` is true."""
    if given == asked:
        return True
    if isinstance(asked, Predicate):
        if isinstance(given, Predicate):
            return given.attribute == asked.attribute and _implies(given, asked)
        if isinstance(given, Quantified):
            return (
                asked.operator in (Operator.IS_NOT_NULL, Operator.EXISTS) and asked.attribute in given.arrays
            )
        return False
    if isinstance(given, Quantified) and isinstance(asked, Quantified):
        if given.operator != asked.operator:
            return False
        if given.operator == Operator.SOME:
            return set(asked.arrays) <= set(given.arrays) and _terms_imply(given, asked)
        # An unknown element must be unknown for both, so here the arrays have to be the same.
        return given.arrays == asked.arrays and _terms_imply(asked, given)
    return False


def excludes(one: Leaf, other: Leaf) -> bool:
    """Whether no event makes both leaves true."""
    if implies(one, negated(other)) or implies(other, negated(one)):
        return True
    if isinstance(one, Quantified) and isinstance(other, Predicate):
        return other.attribute in one.arrays and (
            other.operator in (Operator.IS_NULL, Operator.NOT_EXISTS)
            or value_kind(other) not in (None, Kind.ARRAY)
        )
    if isinstance(one, Predicate) and isinstance(other, Quantified):
        return excludes(other, one)
    if not (isinstance(one, Predicate) and isinstance(other, Predicate) and one.attribute == other.attribute):
        return False
    kinds = {value_kind(one), value_kind(other)}
    if (
        None in kinds
    ):  # IS NULL and the like: what they exclude, the negation of a leaf's implication has told
        return False
    if len(kinds) == 2:
        return kinds != {Kind.STRING, Kind.TIMESTAMP} or _no_string_fits(one, other)
    if one.operator in _MEMBERS and other.operator in _NOT_MEMBERS:
        return one.kind == other.kind and set(_listed(one)) <= set(_listed(other))
    if one.operator in _NOT_MEMBERS:
        return other.operator in _MEMBERS and excludes(other, one)
    first, second = hull(one), hull(other)
    return first is not None and second is not None and (first & second).is_empty


def _no_string_fits(one: Predicate, other: Predicate) -> bool:
    """Whether a STRING predicate lists its strings and none of them fits a TIMESTAMP predicate."""
    strings, moments = (one, other) if one.kind == Kind.STRING else (other, one)
    return strings.operator in _POINTS and not any(_fits(value, moments) for value in _listed(strings))


def _implies(given: Predicate, asked: Predicate) -> bool:
    """Implication between two different predicates of one attribute."""
    if asked.operator in NULLNESS:
        if asked.operator == Operator.IS_NULL:
            return given.operator == Operator.NOT_EXISTS
        if asked.operator == Operator.EXISTS:
            return given.operator not in (Operator.IS_NULL, Operator.NOT_EXISTS)
        return asked.operator == Operator.IS_NOT_NULL and given.operator not in NULLNESS
    if given.operator in NULLNESS:
        return False
    kind = value_kind(given)
    if kind == Kind.ARRAY or value_kind(asked) == Kind.ARRAY:
        return kind == value_kind(asked) and _members_imply(given, asked)
    if given.kind == asked.kind:
        known = _comparison_implies(given, asked)
        if known is not None:
            return known
        inner, outer = interval_set(given), interval_set(asked)
        if inner is not None and outer is not None:
            return inner <= outer
    if given.kind != Kind.STRING:
        return False
    if given.operator in _POINTS:
        values = _listed(given)
        return len(values) <= _MOST_POINTS and all(_fits(value, asked) for value in values)
    return asked.kind == Kind.STRING and _strings_imply(given, asked)


_LESS = (Operator.LT, Operator.LE)
_COMPARED: dict[Operator, Callable[[Any, Any], bool]] = {
    Operator.EQ: operator.eq,
    Operator.NE: operator.ne,
    Operator.LT: operator.lt,
    Operator.GE: operator.ge,
    Operator.LE: operator.le,
    Operator.GT: operator.gt,
}


def _comparison_implies(given: Predicate, asked: Predicate) -> bool | None:
    """The quick answer for two different comparisons of one kind; None where sets have to tell."""
    have, want = given.operator, asked.operator
    if want > Operator.GT or have > Operator.GT or given.kind == Kind.BOOL:
        return None
    if have == Operator.EQ:
        return bool(_COMPARED[want](given.value, asked.value))
    if have == Operator.NE or want in (Operator.EQ, Operator.NE):
        return None
    if (have in _LESS) != (want in _LESS):
        return None
    if have == want or have in (Operator.LT, Operator.GT):
        # `< 5` implies `<= 4` only where no value lies between.
        closed = Operator.LE if have in _LESS else Operator.GE
        known = bool(_COMPARED[closed](given.value, asked.value))
        return None if have != want and not known else known
    return bool(_COMPARED[want](given.value, asked.value))


def _strings_imply(given: Predicate, asked: Predicate) -> bool:
    """Implication where at least one of two STRING predicates is a pattern that is no interval."""
    if given.operator in _LIKES and asked.operator in _LIKES:
        return _contains(asked, given)
    if given.operator in _NOT_LIKES and asked.operator in _NOT_LIKES:
        return _contains(given, asked)
    if asked.operator in (Operator.NE, Operator.NOT_IN):
        refused = _listed(asked)
        return len(refused) <= _MOST_POINTS and not any(_fits(value, given) for value in refused)
    # `a > 'x'` implies LIKE '%', and no other pattern that is no interval itself.
    inner, outer = hull(given), interval_set(asked)
    if outer is None:
        if asked.operator in _LIKES:
            return bool(asked.value == "%")
        # NOT LIKE: implied by whatever stays clear of the pattern's prefix.
        outside = hull(negated(asked))  # type: ignore[arg-type]  # the negation of a predicate is one
        return inner is not None and outside is not None and (inner & outside).is_empty
    return inner is not None and inner <= outer


def _contains(wider: Predicate, narrower: Predicate) -> bool:
    return contains_pattern(
        wider.value,
        narrower.value,
        wider_ignores_case=wider.operator in (Operator.ILIKE, Operator.NOT_ILIKE),
        narrower_ignores_case=narrower.operator in (Operator.ILIKE, Operator.NOT_ILIKE),
    )


def _members_imply(given: Predicate, asked: Predicate) -> bool:
    if given.kind != asked.kind:
        return False
    if given.operator in _MEMBERS and asked.operator in _MEMBERS:
        return set(_listed(given)) <= set(_listed(asked))
    if given.operator in _NOT_MEMBERS and asked.operator in _NOT_MEMBERS:
        return set(_listed(asked)) <= set(_listed(given))
    return False


def _listed(leaf: Predicate) -> tuple[object, ...]:
    """The constants of a leaf that holds one or a tuple of them."""
    return leaf.value if isinstance(leaf.value, tuple) else (leaf.value,)


def _fits(value: object, leaf: Predicate) -> bool:
    return holds(leaf, Event({leaf.attribute: value}))  # type: ignore[dict-item]  # a constant is a value


def _terms_imply(given: Quantified, asked: Quantified) -> bool:
    """Whether the terms that `given` puts on one index imply each term of `asked`, array by array."""
    for term in asked.terms:
        wanted = _term_set(term)
        name = asked.arrays[term.position]
        known = [
            _term_set(other)
            for other in given.terms
            if given.arrays[other.position] == name and other.kind == term.kind and not _never_known(other)
        ]
        if not known or not IntervalSet.intersection(term.kind, known) <= wanted:
            return False
    return True


def _never_known(term: Term) -> bool:
    """Whether a term puts bools in order: what it is not true of it is not false of either."""
    return term.kind == Kind.BOOL and term.operator not in (Operator.EQ, Operator.NE)


def _term_set(term: Term) -> IntervalSet:
    found = interval_set(Predicate("", term.operator, term.kind, term.value))
    if found is None:
        raise ValueError(f"a term of SOME compares, it does not ask {term.operator.name}")
    return found
