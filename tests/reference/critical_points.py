"""Covering of trees over one attribute by brute force over every state that a comparison could tell apart."""

from __future__ import annotations

import math
from typing import Any

from siftmesh.logic.tree import Predicate, Tree, leaves
from siftmesh.model.event import Event
from siftmesh.model.values import OPAQUE, Kind, Timestamp
from tests.reference.tree_oracle import is_true


def beside(kind: Kind, constant: Any) -> list[Any]:
    """The constant and its neighbours on both sides, as far as events can hold them."""
    if kind == Kind.BOOL:
        return [False, True]
    if kind == Kind.TIMESTAMP:
        return [Timestamp(constant + step) for step in (-1, 0, 1)]
    if kind == Kind.STRING:
        # The least string above all with a prefix differs from it in the last character that can grow.
        grown = (
            constant[:-1] + chr(ord(constant[-1]) + 1)
            if constant and constant[-1] < "\ud7ff"
            else "\U0010ffff"
        )
        return [
            constant,
            constant + "\0",
            constant + "zzz",
            grown,
            grown + "\0",
            "",
            constant[:-1],
            constant[:-1] + "\0z",
        ]
    near = [constant]
    if isinstance(constant, int):
        near += [constant - 1, constant + 1]
    near += [
        math.nextafter(float(constant), math.inf),
        math.nextafter(float(constant), -math.inf),
        float(constant),
    ]
    return [one for one in near if isinstance(one, float) or -(2**63) <= one < 2**63]


def states(attribute: str, trees: list[Tree]) -> list[Event]:
    found: list[Any] = [None, OPAQUE, (), False, True, 0, -math.inf, math.inf, "", "\U0010ffff", Timestamp(0)]
    for tree in trees:
        for leaf in leaves(tree):
            assert isinstance(leaf, Predicate)
            if leaf.kind == Kind.NULL:
                continue
            constants = leaf.value if isinstance(leaf.value, tuple) else (leaf.value,)
            if "LIKE" in leaf.operator.name:  # of a prefix: its wildcard and its escapes apart, a string
                constants = (leaf.value.removesuffix("%").replace("\\", ""),)
            for constant in constants:
                found += beside(leaf.kind, constant)
    return [Event({}), *(Event({attribute: value}) for value in found)]


def uncovered(a: Tree, b: Tree, attribute: str) -> list[Event]:
    """Events that meet b and not a; empty exactly when a covers b."""
    return [event for event in states(attribute, [a, b]) if is_true(b, event) and not is_true(a, event)]
