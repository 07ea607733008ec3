"""Hypothesis strategies for trees and events: few attributes and few constants, so that things collide.

`trees()` and `predicates()` give Trees as `logic.lower` would make them, not in normal form. `events()` draws
values at, beside and between the constants, and nulls, missing attributes and other kinds.
`events_meeting(tree)` builds events of which a tree is likely true instead of hoping for one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from siftmesh.logic.tree import (
    FALSE,
    TRUE,
    And,
    Get,
    Leaf,
    Operator,
    Or,
    Predicate,
    Quantified,
    Residual,
    Term,
    Tree,
)
from siftmesh.model.event import Event
from siftmesh.model.pattern import canonical, compile_pattern
from siftmesh.model.values import OPAQUE, Kind, Timestamp

ATTRIBUTES = ("a", "b", "c")
ARRAYS = ("xs", "ys")

NOON = 1_577_880_000_000_000  # 2020-01-01T12:00:00Z
SECOND = 1_000_000

CONSTANTS: dict[Kind, tuple[Any, ...]] = {
    Kind.BOOL: (False, True),
    Kind.NUMBER: (-1, 0, 0.5, 1, 2, 2**53, 2**53 + 1, float(2**54), 5e-324, 1e300),
    Kind.STRING: (
        "",
        "a",
        "ab",
        "abc",
        "abd",
        "b",
        "ABC",
        "ab\0",
        "%",
        "2020-01-01T12:00:00Z",
        "2020-01-01T12:00:01Z",
    ),
    Kind.TIMESTAMP: (NOON, NOON + 1, NOON + SECOND, NOON + 2 * SECOND),
}
COMMON: dict[Kind, tuple[Any, ...]] = {
    Kind.BOOL: (False, True),
    Kind.NUMBER: (0, 1, 2, 0.5),
    Kind.STRING: ("a", "ab", "abc", "b"),
    Kind.TIMESTAMP: (NOON, NOON + SECOND),
}
PATTERNS = ("a%", "ab%", "b%", "%", "%b", "%b%", "a_", "a%c", "_%", "ab%c%", "\\%%", "%B%", "a%bc", "__")
VALUES: tuple[Any, ...] = (
    *CONSTANTS[Kind.BOOL],
    *CONSTANTS[Kind.NUMBER],
    float(2**53),
    0.25,
    1.5,
    3,
    float("-inf"),
    float("inf"),
    *CONSTANTS[Kind.STRING],
    "aa",
    "abcc",
    "a\U0010ffff",
    "c",
    "Ab",
    "2020-01-01T12:00:02Z",
    *(Timestamp(micros) for micros in CONSTANTS[Kind.TIMESTAMP]),
    Timestamp(0),
    None,
    OPAQUE,
    (),
    (1,),
    ("a", "b"),
    ("b", None),
    (0, 1, 2),
    (1, "a"),
    (None,),
)

ORDERED = (Operator.EQ, Operator.NE, Operator.LT, Operator.GE, Operator.LE, Operator.GT)
KINDS = (Kind.NUMBER, Kind.NUMBER, Kind.STRING, Kind.STRING, Kind.TIMESTAMP, Kind.BOOL)


def constants(kind: Kind) -> st.SearchStrategy[Any]:
    return st.sampled_from(COMMON[kind]) | st.sampled_from(CONSTANTS[kind])


@st.composite
def comparisons(
    draw: st.DrawFn, attributes: Sequence[str] = ATTRIBUTES, kinds: Sequence[Kind] = KINDS
) -> Predicate:
    """Predicates that are interval sets: comparisons, IN, and LIKE of a prefix."""
    attribute = draw(st.sampled_from(attributes))
    kind = draw(st.sampled_from(kinds))
    form = draw(st.integers(0, 9))
    if form < 7:
        asked = ORDERED[:2] if kind == Kind.BOOL else ORDERED
        return Predicate(attribute, draw(st.sampled_from(asked)), kind, draw(constants(kind)))
    if form == 9 and kind == Kind.STRING:
        prefix = draw(st.sampled_from(("a%", "ab%", "abc%", "b%", "%", "\\%%")))
        return Predicate(attribute, draw(st.sampled_from((Operator.LIKE, Operator.NOT_LIKE))), kind, prefix)
    values = draw(st.sets(constants(kind), min_size=2, max_size=4))
    return Predicate(
        attribute, draw(st.sampled_from((Operator.IN, Operator.NOT_IN))), kind, tuple(sorted(values))
    )


@st.composite
def predicates(draw: st.DrawFn, attributes: Sequence[str] = ATTRIBUTES) -> Predicate:
    """Every operator of a single attribute."""
    form = draw(st.integers(0, 9))
    if form < 6:
        return draw(comparisons(attributes))
    attribute = draw(st.sampled_from(attributes))
    if form == 6:
        asked = st.sampled_from(
            (Operator.IS_NULL, Operator.IS_NOT_NULL, Operator.EXISTS, Operator.NOT_EXISTS)
        )
        return Predicate(attribute, draw(asked), Kind.NULL)
    if form == 7:
        kind = draw(st.sampled_from((Kind.NUMBER, Kind.STRING)))
        values = draw(st.sets(st.sampled_from(COMMON[kind]), min_size=1, max_size=3))
        negation = draw(st.integers(0, 1))
        if len(values) == 1:
            return Predicate(attribute, Operator(Operator.CONTAINS + negation), kind, *values)
        return Predicate(attribute, Operator(Operator.OVERLAPS + negation), kind, tuple(sorted(values)))
    pattern = canonical(draw(st.sampled_from(PATTERNS)), "\\")
    asked = draw(st.sampled_from((Operator.LIKE, Operator.NOT_LIKE, Operator.ILIKE, Operator.NOT_ILIKE)))
    if asked in (Operator.ILIKE, Operator.NOT_ILIKE):
        pattern = pattern.casefold()
    return Predicate(attribute, asked, Kind.STRING, pattern)


@st.composite
def quantified(draw: st.DrawFn) -> Quantified:
    arrays = draw(st.sampled_from((("xs",), ("xs", "ys"))))
    terms = draw(
        st.sets(
            st.builds(
                Term,
                st.integers(0, len(arrays) - 1),
                st.sampled_from(ORDERED),
                st.just(Kind.NUMBER),
                st.sampled_from(COMMON[Kind.NUMBER]),
            ),
            min_size=1,
            max_size=3,
        )
    )
    return Quantified(arrays, draw(st.sampled_from((Operator.SOME, Operator.NOT_SOME))), tuple(sorted(terms)))


@st.composite
def residuals(draw: st.DrawFn) -> Residual:
    left = Get(draw(st.sampled_from(ATTRIBUTES)))
    if draw(st.booleans()):
        asked = draw(st.sampled_from((Operator.EQ, Operator.NE, Operator.LT, Operator.LE)))
        return Residual(asked, left, Get(draw(st.sampled_from(ATTRIBUTES))))
    test = draw(
        predicates(("",)).filter(lambda one: one.operator not in (Operator.EXISTS, Operator.NOT_EXISTS))
    )
    return Residual(test.operator, left, None, test)


def leaf_trees() -> st.SearchStrategy[Leaf]:
    """Leaves of every sort, mostly predicates."""
    return st.one_of(predicates(), predicates(), predicates(), quantified(), residuals())


def trees(leaf: st.SearchStrategy[Any] | None = None, max_leaves: int = 10) -> st.SearchStrategy[Tree]:
    """Trees of any shape, not in normal form, over the given leaves (all sorts by default)."""

    def above(children: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
        several = st.lists(children, min_size=0, max_size=4).map(tuple)
        return st.builds(And, several) | st.builds(Or, several)

    base = leaf_trees() if leaf is None else leaf
    return st.recursive(
        base | st.sampled_from((TRUE, FALSE)) if leaf is None else base, above, max_leaves=max_leaves
    )


def values() -> st.SearchStrategy[Any]:
    return st.sampled_from(VALUES)


@st.composite
def events(draw: st.DrawFn) -> Event:
    """Events over the attributes of `trees()`, any of them possibly missing."""
    found = {name: draw(values()) for name in ATTRIBUTES if draw(st.integers(0, 5))}
    for name in ARRAYS:
        if draw(st.integers(0, 4)):
            elements = st.sampled_from((0, 1, 2, 0.5, 3, None, "a"))
            found[name] = tuple(draw(st.lists(elements, max_size=3)))
    return Event(found)


def values_meeting(leaf: Predicate) -> list[Any]:
    """Values of which a predicate is probably true (the caller checks)."""
    constant = leaf.value
    if leaf.operator in (Operator.IS_NULL, Operator.IS_NOT_NULL, Operator.EXISTS, Operator.NOT_EXISTS):
        return [None, 1]
    if leaf.operator in (Operator.CONTAINS, Operator.NOT_CONTAINS):
        return [(constant,), ()]
    if leaf.operator in (Operator.OVERLAPS, Operator.NOT_OVERLAPS):
        return [constant, ()]
    if leaf.operator in (Operator.LIKE, Operator.ILIKE):
        segments = compile_pattern(constant).segments
        texts = ["".join("b" if one is None else one for one in segment) for segment in segments]
        return ["".join(texts), "xc".join(texts)]
    around = list(constant) if isinstance(constant, tuple) else [constant]
    if leaf.kind == Kind.NUMBER:
        around += [constant - 1, constant + 1] if not isinstance(constant, tuple) else [7]
    elif leaf.kind == Kind.STRING:
        around += [one + "x" for one in around] + ["", "z"]
    elif leaf.kind == Kind.BOOL:
        around = [False, True]
    else:
        around = [Timestamp(micros + step) for micros in around for step in (-1, 0, 1)]
    return around


@st.composite
def events_meeting(draw: st.DrawFn, tree: Tree) -> Event:
    """Events built leaf by leaf to make the tree true where that is possible."""
    found = dict(draw(events()).values)
    chosen: list[Tree] = [tree]
    while chosen:
        current = chosen.pop()
        if isinstance(current, And):
            chosen += current.children
        elif isinstance(current, Or):
            if current.children:
                chosen.append(draw(st.sampled_from(current.children)))
        elif isinstance(current, Predicate):
            if current.operator == Operator.NOT_EXISTS:
                found.pop(current.attribute, None)
            else:
                found[current.attribute] = draw(st.sampled_from(values_meeting(current)))
        elif isinstance(current, Quantified):
            for position, name in enumerate(current.arrays):
                bounds = [term.value for term in current.terms if term.position == position] or [0]
                found[name] = (draw(st.sampled_from(bounds)) + draw(st.sampled_from((-1, 0, 1))),)
    return Event(found)
