"""Short spellings of leaves, so that a test reads like the filter it is about."""

from __future__ import annotations

from typing import Any

from siftmesh.logic.tree import Operator, Predicate, Quantified, Term
from siftmesh.model.values import Kind, Timestamp, kind_of

SYMBOLS = {
    "=": Operator.EQ,
    "<>": Operator.NE,
    "<": Operator.LT,
    "<=": Operator.LE,
    ">": Operator.GT,
    ">=": Operator.GE,
}


def leaf(attribute: str, asked: str, value: Any = None) -> Predicate:
    """A predicate: a symbol or an operator's name, and a constant or a tuple of them as Python values."""
    operator = SYMBOLS[asked] if asked in SYMBOLS else Operator[asked.replace(" ", "_")]
    if value is None:
        return Predicate(attribute, operator, Kind.NULL)
    if isinstance(value, tuple):
        return Predicate(attribute, operator, kind_of(value[0]), tuple(held(one) for one in value))
    return Predicate(attribute, operator, kind_of(value), held(value))


def held(value: Any) -> Any:
    return value.micros if isinstance(value, Timestamp) else value


def some(arrays: str, *terms: tuple[int, str, float], negated: bool = False) -> Quantified:
    made = tuple(sorted(Term(place, SYMBOLS[asked], Kind.NUMBER, value) for place, asked, value in terms))
    return Quantified(tuple(arrays.split()), Operator.NOT_SOME if negated else Operator.SOME, made)
