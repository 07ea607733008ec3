"""Events that might meet one tree and not another, built from the trees' own constants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any

from siftmesh.errors import EventError
from siftmesh.logic.domains import ANYTHING, Domain, Missing
from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import Leaf, Predicate, Quantified, Residual, Tree, attributes, leaves
from siftmesh.model.event import Event
from siftmesh.model.pattern import compile_pattern
from siftmesh.model.values import Kind, Timestamp, Value, to_value

__all__ = ["Witnesses", "fits"]

State = Value | Missing
# So many states of one attribute are tried; constants beyond them are left out.
_STATES = 24
_EVENTS = 256


class Witnesses:
    """Proposes events for boxes of one covering question; finding none proves nothing."""

    def __init__(self, a: Tree, b: Tree) -> None:
        self._trees = (a, b)
        self._pool: dict[str, list[State]] | None = None

    def within(
        self, domains: Mapping[str, Domain], true: Sequence[Leaf], untrue: Sequence[Leaf]
    ) -> Iterator[Event]:
        """Events whose attributes lie in the domains, each meeting the leaves that ask of it alone."""
        inexact = {name for leaf in (*true, *untrue) for name in attributes(leaf)}
        names = sorted(inexact | domains.keys())
        choices = []
        for name in names:
            domain = domains.get(name, ANYTHING)
            states = [*domain.samples()]
            if name in inexact:
                states = [*self._constants(name), *states]
            fitting = (
                state
                for state in states
                if _is_possible(state) and state in domain and fits(name, state, true, untrue)
            )
            choices.append(list(islice(fitting, _STATES)))
            if not choices[-1]:
                return
        for chosen in islice(_nearest_first(choices), _EVENTS):
            pairs = zip(names, chosen, strict=True)
            yield Event({name: state for name, state in pairs if not isinstance(state, Missing)})

    def _constants(self, name: str) -> list[State]:
        if self._pool is None:
            self._pool = {}
            for tree in self._trees:
                for leaf in leaves(tree):
                    for attribute, states in _suggested(leaf):
                        self._pool.setdefault(attribute, []).extend(states)
        return self._pool.get(name, [])


def _is_possible(state: State) -> bool:
    """Whether an event can hold a state: beside the last int or moment lies none."""
    if isinstance(state, tuple):
        return all(map(_is_possible, state))
    try:
        return isinstance(state, Missing) or to_value(state) == state
    except EventError:
        return False


def _nearest_first(choices: list[list[Any]]) -> Iterator[tuple[Any, ...]]:
    """First all that differ from the first choices in one place, then the product in order."""
    first = [states[0] for states in choices]
    yield tuple(first)
    for place, states in enumerate(choices):
        for state in states[1:]:
            yield (*first[:place], state, *first[place + 1 :])
    yield from product(*choices)


def fits(name: str, state: State, true: Sequence[Leaf], untrue: Sequence[Leaf]) -> bool:
    """Whether a state of one attribute agrees with all leaves that ask of it alone."""
    event = Event({} if isinstance(state, Missing) else {name: state})
    return all(holds(leaf, event) for leaf in true if _asks_only(name, leaf)) and not any(
        holds(leaf, event) for leaf in untrue if _asks_only(name, leaf)
    )


def _asks_only(name: str, leaf: Leaf) -> bool:
    return isinstance(leaf, Predicate) and leaf.attribute == name


def _suggested(leaf: Leaf) -> Iterator[tuple[str, list[State]]]:
    """States near the border between a leaf being true and not."""
    if isinstance(leaf, Predicate):
        yield leaf.attribute, _of_predicate(leaf)
    elif isinstance(leaf, Quantified):
        for position, name in enumerate(leaf.arrays):
            bounds = [(term.kind, term.value) for term in leaf.terms if term.position == position]
            elements = [near for kind, bound in bounds or [(Kind.NUMBER, 0)] for near in _near(kind, bound)]
            yield name, [*((element,) for element in elements), (), (None,), tuple(elements)]
    elif isinstance(leaf, Residual):
        for name in sorted(attributes(leaf)):
            constant: list[State] = [] if leaf.test is None else _of_predicate(leaf.test)
            yield name, [1, 2, 0, -1, 0.5, "a", "b", "", True, False, Timestamp(0), *constant]


def _of_predicate(leaf: Predicate) -> list[State]:
    if leaf.kind == Kind.NULL:
        return []
    constants = leaf.value if isinstance(leaf.value, tuple) else (leaf.value,)
    if leaf.operator.name.removeprefix("NOT_") in ("LIKE", "ILIKE"):
        return [*_texts(leaf.value)]
    near = [one for constant in constants[:_STATES] for one in _near(leaf.kind, constant)]
    if leaf.operator.name.removeprefix("NOT_") in ("CONTAINS", "OVERLAPS"):
        held = [_value(leaf.kind, constant) for constant in constants]
        single = [(one,) for one in held[:_STATES]]
        return [*single, (), (None,), tuple(held), *((one,) for one in near), (*held, None)]
    return near


def _value(kind: Kind, constant: Any) -> Any:
    return Timestamp(constant) if kind == Kind.TIMESTAMP else constant


def _near(kind: Kind, constant: Any) -> list[Any]:
    """A constant of a kind and values beside it."""
    if kind == Kind.NUMBER:
        return [constant, constant - 1, constant + 1, constant + 0.5]
    if kind == Kind.TIMESTAMP:
        return [Timestamp(constant), Timestamp(constant - 1), Timestamp(constant + 1)]
    if kind == Kind.STRING:
        return [constant, constant + "x", "x" + constant, constant[:-1]]
    return [False, True]


def _texts(pattern: str) -> Iterator[str]:
    """Strings that fit a pattern: its `%` filled with nothing, or with something unlikely elsewhere."""
    segments = compile_pattern(pattern).segments
    for wild, run in (("x", ""), ("x", "x"), ("~", "~~"), ("b", "ab")):
        yield run.join("".join(wild if one is None else one for one in segment) for segment in segments)
