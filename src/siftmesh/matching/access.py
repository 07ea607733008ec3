"""What a subscription waits for: the rarest set of facts of which every event that it matches has one."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from siftmesh.kernels.layout import (
    OP_CONTAINS,
    OP_EQ,
    OP_IN,
    OP_IS_NULL,
    OP_LIKE,
    OP_NOT_EXISTS,
    OP_OVERLAPS,
    OP_UNSURE,
)
from siftmesh.logic.tree import Predicate, attributes
from siftmesh.matching.shape import Part, Test

__all__ = ["Access", "Estimate", "access_of"]

# How likely an event is to make a test true, or, asked with None, to have the attribute at all.
Estimate = Callable[[str, Test | None], float]

# Access by these is by what the event's value is, by others only by the attribute's presence.
_BY_VALUE = frozenset([OP_EQ, OP_IN, OP_CONTAINS, OP_OVERLAPS, OP_LIKE])
# True of events that have no value.
_BY_ABSENCE = frozenset([OP_IS_NULL, OP_NOT_EXISTS, OP_UNSURE])


class Access(msgspec.Struct, frozen=True):
    """The tests by whose value, and the attributes by whose presence, a subscription is found; how likely."""

    tests: tuple[Test, ...]
    presences: tuple[str, ...]
    probability: float


def access_of(part: Part | Test, estimate: Estimate) -> Access | None:
    """The least likely necessary access; None if events may match that have nothing in particular."""
    if isinstance(part, Test):
        return _of_test(part, estimate)
    found = [access_of(child, estimate) for child in part.children]
    if part.conjunction:
        return min((one for one in found if one), key=lambda one: one.probability, default=None)
    if not found:
        return Access((), (), 0.0)
    tests: list[Test] = []
    presences: set[str] = set()
    total = 0.0
    for one in found:
        if one is None:
            return None
        tests += one.tests
        presences.update(one.presences)
        total += one.probability
    return Access(tuple(tests), tuple(sorted(presences)), total)


def _of_test(test: Test, estimate: Estimate) -> Access | None:
    leaf = test.leaf
    if test.operation in _BY_ABSENCE:
        return None
    if isinstance(leaf, Predicate) and test.operation in _BY_VALUE and (test.form or test.operation != OP_LIKE):
        likely = estimate(leaf.attribute, test)
        if likely < 1:
            return Access((test,), (), likely)
    names = sorted(attributes(leaf))
    # EXISTS is true of nulls, which are not present.
    if isinstance(leaf, Predicate) and leaf.operator.name == "EXISTS":
        return None
    rarest = min(names, key=lambda name: estimate(name, None))
    return Access((), (rarest,), estimate(rarest, None))
