"""Where each subscription stands: in chains of what it waits for, or in the bitmaps if that is not rare."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from siftmesh.kernels.atoms import find_string, find_value
from siftmesh.kernels.chains import programs_of, waiting
from siftmesh.kernels.dims import HOW_ATOM
from siftmesh.kernels.layout import NUMBER, P_LENGTH, STRING, TIMESTAMP, WIDE
from siftmesh.logic.evaluate import truth
from siftmesh.logic.render import render
from siftmesh.logic.tree import Operator, Predicate, Tree, attributes
from siftmesh.matching.access import Joined
from siftmesh.matching.atoms import describe
from siftmesh.matching.bitmaps import Term
from siftmesh.matching.bounds import Way, conjunctions, read_in_order, spans
from siftmesh.matching.bulk import Plan
from siftmesh.matching.clusters import ClusterIndex
from siftmesh.matching.dims import Dims
from siftmesh.matching.forms import Form
from siftmesh.matching.kept import KeptTrees
from siftmesh.matching.shape import Part, Test, example, key_of, restore, shape_of
from siftmesh.model.event import Event
from siftmesh.model.values import Kind

__all__ = ["OFTEN", "Places"]

# Of so many events a subscription may be looked at in its chain; what would be looked at more often costs
# less as bits: a bit costs about a fifteenth of a row.
OFTEN = 0.06


class Places:
    """Puts subscriptions into the clusters, and says what the bitmaps are to hold."""

    def __init__(
        self,
        clusters: ClusterIndex,
        dims: Dims | None = None,
        kept: KeptTrees | None = None,
        kept_paths: Mapping[str, int] | None = None,
        often: float = OFTEN,
    ) -> None:
        self._clusters = clusters
        self.often = often
        self.dims = Dims() if dims is None else dims
        self.kept = KeptTrees() if kept is None else kept
        # Attributes inside objects, and how many of the kept trees read each.
        self.kept_paths: Counter[str] = Counter(kept_paths)

    def insert(self, number: int, tree: Tree) -> list[Term] | None:
        """Take a subscription in; the terms by which the bitmaps find it, or None if they need not."""
        names = read_in_order(tree) if self.often < 1 else None
        if names is not None:
            terms = self._only_bounds(tree)
            if terms is not None:
                self.kept.keep(number, tree)
                self.kept_paths.update(_paths(names))
                return terms
        shape, constants = shape_of(tree)
        form = self._clusters.form(shape, tree)
        if form.bitmap is None:
            form.bitmap = self._is_for_bitmaps(form, tree, constants)
        if form.bitmap:
            program = form.program(constants, True)
            self._clusters.add_row(number, program, constants)
            terms = self._terms(tree)
            if terms is not None:
                return terms
            # These constants leave nothing to hold on to.
            self._clusters.remove(number)
            _, constants = shape_of(tree)
        self._clusters.add_row(number, form.program(constants, False), constants)
        return None

    def remove(self, number: int) -> bool:
        """Take a subscription out; whether the bitmaps know of it."""
        if number in self.kept:
            if self.kept_paths:
                self.kept_paths.subtract(_paths(attributes(self.kept.tree(number))))
            self.kept.drop(number)
            return True
        return self._clusters.remove(number)

    def paths(self) -> list[str]:
        """The attributes inside objects that some subscription reads."""
        return [name for name, count in (self.kept_paths + self._clusters.paths).items() if count]

    def tree(self, number: int) -> Tree:
        """The tree of a subscription, in normal form."""
        return self.kept.tree(number) if number in self.kept else self._clusters.tree(number)

    def _only_bounds(self, tree: Tree) -> list[Term] | None:
        """The terms of a tree of which bounds say all, unless few events lie within them."""
        found = conjunctions(tree, key_of, lambda *_: 0)
        if found is None or not found[1]:
            return None
        if any(how == HOW_ATOM for way in found[0] for (_, _, how), _ in way):
            return None  # of a constant that no key is like; only rows hold atoms
        if self.is_narrow(found[0]):
            return None
        pools = self._clusters.pools
        for way in found[0]:
            for (name, tag, _), _ in way:
                if tag == TIMESTAMP:
                    pools.be_of_times(name)
        return self._numbered(*found)

    def stands_apart(self, number: int) -> bool:
        """Whether a subscription that the bitmaps hold is met by so few events that a chain would do."""
        found = conjunctions(self.kept.tree(number), key_of, lambda *_: 0)
        return found is not None and self.is_narrow(found[0])

    def is_narrow(self, ways: list[Way]) -> bool:
        """Whether so few events lie within some bounds that a chain for these is looked at less often."""
        share = self._clusters.estimates.share
        likely = sum(
            min((share(name, low, high) for name, (low, high) in spans(way).items()), default=1.0)
            for way in ways
        )
        return likely < self.often / 4

    def insert_rows(self, numbers: Sequence[int], plan: Plan, columns: Mapping[str, Any]) -> bool:
        """Take in all rows of a plan; False, and nothing is changed, if they are for the bitmaps."""
        # Templates of one shape may differ in which constants are parameters: then their programs differ.
        form = self._clusters.form(("rows", plan.shape, plan.fixed), plan.tree)
        estimates = self._clusters.estimates
        estimates.expect(plan.asked(columns))
        try:
            if form.bitmap is None:
                form.bitmap = self._is_for_bitmaps(form, plan.tree, plan.constants)
                form.fix(plan.fixed)
            if form.bitmap:
                return False
            program = form.program(plan.constants, False)
        finally:
            estimates.expect({})
        self._clusters.add_columns(numbers, program, plan, columns)
        return True

    def _is_for_bitmaps(self, form: Form, tree: Tree, constants: list[Any]) -> bool:
        access = self._clusters.estimates.access(form.part, [constants])
        if access is not None and access.probability <= self.often:
            return False
        return self.often < 1 and conjunctions(tree, key_of, lambda *_: 0) is not None

    def fits_bitmaps(self, part: Part | Test) -> bool:
        """Whether bounds say something of the subscriptions of a shape."""
        return conjunctions(example(part), key_of, lambda *_: 0) is not None

    def _terms(self, tree: Tree) -> list[Term] | None:
        found = conjunctions(tree, key_of, self._atom_of)
        return None if found is None else self._numbered(*found)

    def _numbered(self, ways: list[Way], exact: bool) -> list[Term]:
        slot = self._clusters.pools.slot
        return [
            (
                not exact,
                [(self.dims.number(slot(name), tag, how), *bound) for (name, tag, how), bound in way],
            )
            for way in ways
        ]

    def _atom_of(self, attribute: str, tag: int, value: Any) -> int:
        pools = self._clusters.pools
        slot = pools.slot(attribute)
        if tag == STRING:
            text = np.frombuffer(value.encode() + bytes(8), np.uint8).copy()
            return int(
                find_string(pools.words, pools.longs, pools.heap, slot, STRING, text, 0, len(text) - 8)
            )
        return int(find_value(pools.words, pools.longs, slot, WIDE if tag == NUMBER else tag, int(value)))

    # ---- reports

    def access(self, number: int) -> str:
        """What a subscription waits for, in words."""
        if number in self.kept:
            return "bitmap of ranges"
        program, constants = self._clusters.constants(number)
        if program.parked:
            return "bitmap of ranges"
        waits = [render(restore(test, constants)) for test in program.access.tests]
        waits += [render(restore(_all(one), constants)) for one in program.access.joined]
        waits += [render(_present(name)) for name in program.access.presences]
        return " or ".join(waits) or "every event"

    def reached(self, number: int, event: Event) -> bool:
        """Whether an event has something that a subscription outside the bitmaps waits for."""
        program, constants = self._clusters.constants(number)
        access = program.access
        waits = [restore(test, constants) for test in access.tests]
        waits += [restore(_all(one), constants) for one in access.joined]
        waits += [_present(name) for name in access.presences]
        return not waits or any(truth(wait, event) for wait in waits)

    def hottest(self, count: int) -> list[tuple[str, int]]:
        """What most subscriptions wait for, and how many do."""
        pools = self._clusters.pools
        atoms = np.zeros(count, np.int64)
        sizes = np.zeros(count, np.int64)
        found = int(waiting(pools.words, atoms, sizes))
        return [
            (describe(pools, int(atom)), int(size))
            for atom, size in zip(atoms[:found].tolist(), sizes[:found].tolist(), strict=True)
        ]

    def dearest(self, count: int) -> list[tuple[int, int]]:
        """The subscriptions with most leaves to evaluate when they are looked at, and how many these are."""
        words = self._clusters.pools.words
        programs = programs_of(words)
        there = np.flatnonzero(programs)
        lengths = words[programs[there] + P_LENGTH]
        order = np.argsort(-lengths, kind="stable")[:count]
        return list(zip(there[order].tolist(), lengths[order].tolist(), strict=True))


def _paths(names: Iterable[str]) -> list[str]:
    return [name for name in names if "." in name]


def _all(joined: Joined) -> Part:
    return Part(True, joined.tests)


def _present(name: str) -> Predicate:
    return Predicate(name, Operator.IS_NOT_NULL, Kind.NULL)
