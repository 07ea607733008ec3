"""What a subscription waits for: the rarest set of facts of which every event that it matches has one."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from siftmesh.kernels.layout import (
    OP_CONTAINS,
    OP_EQ,
    OP_GE,
    OP_GT,
    OP_IN,
    OP_IS_NULL,
    OP_LE,
    OP_LIKE,
    OP_LT,
    OP_NOT_EXISTS,
    OP_OVERLAPS,
    OP_UNSURE,
)
from siftmesh.logic.tree import Predicate, attributes
from siftmesh.matching.shape import Part, Test

__all__ = ["Access", "Estimate", "EstimateRange", "Joined", "access_of"]

# How likely an event is to make a test true, or, asked with None, to have the attribute at all.
Estimate = Callable[[str, Test | None], float]

# Access by these is by what the event's value is, by others only by the attribute's presence.
_BY_VALUE = frozenset([OP_EQ, OP_IN, OP_CONTAINS, OP_OVERLAPS, OP_LIKE])
# True of events that have no value.
_BY_ABSENCE = frozenset([OP_IS_NULL, OP_NOT_EXISTS, OP_UNSURE])

_LOWER = frozenset([OP_GE, OP_GT])
_UPPER = frozenset([OP_LE, OP_LT])
# What fewer events than this have is rare enough by itself; what is joined must be so many times rarer.
_RARE = 0.005
_WORTH = 4.0
# So many of the rarest equalities are tried in pairs.
_FEW = 4


class Joined(msgspec.Struct, frozen=True):
    """Several tests of a conjunction as one: an equality with another, or with a range, or a range alone."""

    equal: Test | None = None
    other: Test | None = None
    # A lower and an upper bound of one attribute.
    low: Test | None = None
    high: Test | None = None

    @property
    def tests(self) -> tuple[Test, ...]:
        """The tests that all have to hold."""
        return tuple(test for test in (self.equal, self.other, self.low, self.high) if test is not None)


class Access(msgspec.Struct, frozen=True):
    """The tests by whose value, and the attributes by whose presence, a subscription is found; how likely."""

    tests: tuple[Test, ...]
    presences: tuple[str, ...]
    probability: float
    joined: tuple[Joined, ...] = ()


# How likely a value is to lie between two bounds; None if nobody knows.
EstimateRange = Callable[[Test, Test], float | None]


def access_of(part: Part | Test, estimate: Estimate, ranged: EstimateRange | None = None) -> Access | None:
    """The least likely necessary access; None if events may match that have nothing in particular.

    Tests are joined only where `ranged` is given, which is when events have been seen.
    """
    if isinstance(part, Test):
        return _of_test(part, estimate)
    found = [access_of(child, estimate, ranged) for child in part.children]
    if part.conjunction:
        best = min((one for one in found if one), key=lambda one: one.probability, default=None)
        return best if ranged is None else _joined(part, best, estimate, ranged)
    if not found:
        return Access((), (), 0.0)
    tests: list[Test] = []
    presences: set[str] = set()
    joined: list[Joined] = []
    total = 0.0
    for one in found:
        if one is None:
            return None
        tests += one.tests
        presences.update(one.presences)
        joined += one.joined
        total += one.probability
    return Access(tuple(tests), tuple(sorted(presences)), total, tuple(joined))


def _joined(part: Part, best: Access | None, estimate: Estimate, ranged: EstimateRange) -> Access | None:
    """What is still less likely when tests of a conjunction are taken together, if that pays."""
    likely = 1.0 if best is None else best.probability
    if likely < _RARE:
        return best
    leaves = [
        child for child in part.children if isinstance(child, Test) and isinstance(child.leaf, Predicate)
    ]
    equal = sorted(
        (
            (estimate(_name(test), test), place, test)
            for place, test in enumerate(leaves)
            if test.operation == OP_EQ
        ),
        key=lambda found: found[:2],
    )[:_FEW]
    ways = [(chance, Joined(low=low, high=high)) for chance, low, high in _ranges(leaves, ranged)]
    for place, (chance, _, test) in enumerate(equal):
        ways += [
            (chance * other, Joined(equal=test, other=another))
            for other, _, another in equal[place + 1 :]
            if _name(another) != _name(test)
        ]
        ways += [
            (chance * other, Joined(equal=test, low=low, high=high))
            for other, low, high in _ranges(leaves, ranged)
        ]
    chance, way = min(ways, key=lambda found: found[0], default=(1.0, None))
    if way is None or chance * _WORTH > likely:
        return best
    return Access((), (), chance, (way,))


def _ranges(leaves: list[Test], ranged: EstimateRange) -> list[tuple[float, Test, Test]]:
    """Pairs of bounds of one attribute, with the chance that a value lies between them."""
    found = []
    for low in leaves:
        for high in leaves:
            if low.operation in _LOWER and high.operation in _UPPER and _about(low) == _about(high):
                chance = ranged(low, high)
                if chance is not None:
                    found.append((chance, low, high))
    return found


def _name(test: Test) -> str:
    return _about(test)[0]


def _about(test: Test) -> tuple[str, int]:
    """The attribute of a predicate, and the kind of its constant."""
    leaf = test.leaf
    return (leaf.attribute, leaf.kind) if isinstance(leaf, Predicate) else ("", 0)


def _of_test(test: Test, estimate: Estimate) -> Access | None:
    leaf = test.leaf
    if test.operation in _BY_ABSENCE:
        return None
    if (
        isinstance(leaf, Predicate)
        and test.operation in _BY_VALUE
        and (test.form or test.operation != OP_LIKE)
    ):
        likely = estimate(leaf.attribute, test)
        if likely < 1:
            return Access((test,), (), likely)
    names = sorted(attributes(leaf))
    # EXISTS is true of nulls, which are not present.
    if isinstance(leaf, Predicate) and leaf.operator.name == "EXISTS":
        return None
    rarest = min(names, key=lambda name: estimate(name, None))
    return Access((), (rarest,), estimate(rarest, None))
