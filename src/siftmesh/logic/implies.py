"""Covering: whether every event that meets one tree meets another.

`covers(a, b)` looks for an event of which b is true and a is not. It keeps, for each attribute, what is still
possible (a box), makes b's leaves true and cuts a's leaves away, and branches only where several clauses
still concern the box. If no box is left, a covers b. If a box is left, it is asked for an event, which is
evaluated before it counts as a witness. Comparisons, IN, prefixes and nullness are decided exactly; other
leaves are compared with each other only, so that a box may be left that holds no event: then the verdict is
UNKNOWN.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from itertools import islice

from siftmesh.logic.domains import ANYTHING, Domain, is_exact
from siftmesh.logic.entailment import excludes, implies
from siftmesh.logic.evaluate import holds
from siftmesh.logic.tree import And, Leaf, Operator, Or, Predicate, Quantified, Tree
from siftmesh.logic.witness import Witnesses, fits
from siftmesh.model.event import Event
from siftmesh.model.values import Kind

__all__ = ["DEFAULT_BUDGET", "Verdict", "counterexample", "covers"]

# Leaves applied and events tried, together. A filter of a dozen leaves against another needs some dozens.
DEFAULT_BUDGET = 5_000
_TRIALS_PER_BOX = 64
# A leaf is compared with those of its attribute that were applied before: so many count as one leaf more.
_PAIRS_PER_STEP = 16


class Verdict(Enum):
    """The answer to a covering question; UNKNOWN when neither answer was found within the budget."""

    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


def covers(a: Tree, b: Tree, budget: int = DEFAULT_BUDGET) -> Verdict:
    """Whether every event that meets `b` meets `a`; YES is proven, NO has a witness."""
    return _decide(a, b, budget)[0]


def counterexample(a: Tree, b: Tree, budget: int = DEFAULT_BUDGET) -> Event | None:
    """An event that meets `b` and not `a`, None when there is none or none was found within the budget."""
    return _decide(a, b, budget)[1]


def _decide(a: Tree, b: Tree, budget: int) -> tuple[Verdict, Event | None]:
    if a == b:
        return Verdict.YES, None
    work = _Work(budget)
    witnesses = Witnesses(a, b)
    verdict = Verdict.YES
    try:
        for box in _boxes(a, b, work):
            if box.is_hollow():
                continue
            verdict = Verdict.UNKNOWN
            for event in islice(witnesses.within(box.domains, box.true, box.untrue), _TRIALS_PER_BOX):
                work.spend(1)
                if holds(b, event) and not holds(a, event):
                    return Verdict.NO, event
    except _BudgetSpentError:
        return Verdict.UNKNOWN, None
    return verdict, None


class _BudgetSpentError(Exception):
    """The work allowed for one question is done."""


class _Work:
    __slots__ = ("left",)

    def __init__(self, budget: int) -> None:
        self.left = budget

    def spend(self, steps: int) -> None:
        self.left -= steps
        if self.left < 0:
            raise _BudgetSpentError


# A demand: that a tree be true, or that it be not true (false or unknown).
_Demand = tuple[bool, Tree]


class _Box:
    """What is still possible for each attribute, the inexact leaves demanded so far, and the open choices."""

    __slots__ = ("choices", "domains", "true", "untrue")

    def __init__(
        self, domains: dict[str, Domain], true: list[Leaf], untrue: list[Leaf], choices: list[list[_Demand]]
    ) -> None:
        self.domains = domains
        self.true = true
        self.untrue = untrue
        self.choices = choices

    def copy(self) -> _Box:
        return _Box(dict(self.domains), list(self.true), list(self.untrue), list(self.choices))

    def demand(self, demand: _Demand, work: _Work) -> bool:
        """Add a demand; False when the box cannot hold an event any more."""
        waiting = [demand]
        while waiting:
            wanted, tree = waiting.pop()
            if not isinstance(tree, (And, Or)):
                work.spend(1)
                if not self._demand_leaf(wanted, tree, work):
                    return False
            elif isinstance(tree, And) == wanted:
                waiting += [(wanted, child) for child in tree.children]
            else:
                self.choices.append([(wanted, child) for child in tree.children])
        return True

    def _demand_leaf(self, wanted: bool, leaf: Leaf, work: _Work) -> bool:
        if self._refuses(wanted, leaf, work):
            return False
        if isinstance(leaf, Predicate):
            domain = self.domains.get(leaf.attribute, ANYTHING)
            self.domains[leaf.attribute] = domain.met(leaf) if wanted else domain.avoided(leaf)
            if wanted or not is_exact(leaf):
                (self.true if wanted else self.untrue).append(leaf)
            return True
        if isinstance(leaf, Quantified) and wanted:
            for name in leaf.arrays:
                self.domains[name] = self.domains.get(name, ANYTHING).met(_any_array(name))
        (self.true if wanted else self.untrue).append(leaf)
        return True

    def _refuses(self, wanted: bool, leaf: Leaf, work: _Work) -> bool:
        """Whether a demand on a leaf is known to leave nothing of the box."""
        if isinstance(leaf, Predicate):
            domain = self.domains.get(leaf.attribute, ANYTHING)
            if (domain.met(leaf) if wanted else domain.avoided(leaf)).is_empty:
                return True
            if is_exact(leaf) and not wanted:
                return False
        elif isinstance(leaf, Quantified) and wanted:
            domains = (self.domains.get(name, ANYTHING).met(_any_array(name)) for name in leaf.arrays)
            if any(domain.is_empty for domain in domains):
                return True
        true = _concerned(leaf, self.true)
        untrue = _concerned(leaf, self.untrue) if wanted else []
        work.spend((len(true) + len(untrue)) // _PAIRS_PER_STEP)
        if not wanted:
            return any(implies(other, leaf) for other in true)
        return any(implies(leaf, other) for other in untrue) or any(excludes(leaf, other) for other in true)

    def is_hollow(self) -> bool:
        """Whether an attribute has so few states left that they can be tested one by one, and none passes."""
        for name in {leaf.attribute for leaf in (*self.true, *self.untrue) if isinstance(leaf, Predicate)}:
            states = self.domains.get(name, ANYTHING).listed()
            if states is not None and not any(fits(name, state, self.true, self.untrue) for state in states):
                return True
        return False

    def settle(self, work: _Work) -> bool:
        """Drop choices already met and options that are impossible; False when a choice has none left."""
        changed = True
        while changed:
            changed = False
            choices, self.choices = self.choices, []
            for choice in choices:
                work.spend(len(choice))
                options = self._options(choice, work)
                if options is None:
                    continue
                if not options:
                    return False
                if len(options) > 1:
                    self.choices.append(options)
                    continue
                changed = True
                if not self.demand(options[0], work):
                    return False
        return True

    def _options(self, choice: list[_Demand], work: _Work) -> list[_Demand] | None:
        """The options still possible, None when one of them holds in the whole box."""
        options: list[_Demand] = []
        for wanted, tree in choice:
            if isinstance(tree, (And, Or)):
                options.append((wanted, tree))
            elif not self._refuses(wanted, tree, work):
                if self._refuses(not wanted, tree, work):
                    return None
                options.append((wanted, tree))
        return options


def _order_of_choice(choice: list[_Demand]) -> tuple[bool, bool, int]:
    """Which choice to branch on first: one that opens into further demands, of the covering tree, short.

    An And of clauses is so taken apart before the clauses of the tree that it is to cover are multiplied out.
    """
    opens = all(isinstance(tree, (And, Or)) for _, tree in choice)
    return not opens, choice[0][0], len(choice)


def _concerned(leaf: Leaf, others: list[Leaf]) -> list[Leaf]:
    """Those of the others that a leaf can have to do with."""
    if type(leaf) is not Predicate:
        return others
    name = leaf.attribute
    return [other for other in others if type(other) is not Predicate or other.attribute == name]


def _any_array(name: str) -> Predicate:
    """A predicate that is true only of arrays (its constant plays no part)."""
    return Predicate(name, Operator.CONTAINS, Kind.NUMBER, 0)


def _boxes(a: Tree, b: Tree, work: _Work) -> Iterator[_Box]:
    """Boxes that together hold every event that meets `b` and not `a`."""
    whole = _Box({}, [], [], [])
    if not (whole.demand((True, b), work) and whole.demand((False, a), work)):
        return
    waiting = [whole]
    while waiting:
        box = waiting.pop()
        if not box.settle(work):
            continue
        if not box.choices:
            yield box
            continue
        choice = min(box.choices, key=_order_of_choice)
        box.choices.remove(choice)
        branches = []
        for option in choice:
            branch = box.copy()
            if branch.demand(option, work):
                branches.append(branch)
            # What the first option lets through need not be looked at again under the others.
            if not isinstance(option[1], (And, Or)) and not box.demand((not option[0], option[1]), work):
                break
        waiting += reversed(branches)
