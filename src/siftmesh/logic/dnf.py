"""Trees multiplied out into clauses, each a conjunction of leaves, with their number estimated first."""

from __future__ import annotations

from math import prod

from siftmesh.errors import LimitExceeded
from siftmesh.logic.entailment import implies
from siftmesh.logic.normalise import conjunction
from siftmesh.logic.tree import FALSE, And, Leaf, Or, Tree, sort_key

__all__ = ["DEFAULT_LIMIT", "MANY", "Clause", "dnf", "estimate_clauses"]

Clause = tuple[Leaf, ...]

DEFAULT_LIMIT = 1024
# Counts stop here: a tree of a few hundred nodes can have more clauses than there are atoms.
MANY = 2**63 - 1


def estimate_clauses(tree: Tree) -> int:
    """How many clauses multiplying out makes before any are dropped; at most MANY."""
    if isinstance(tree, Or):
        return min(MANY, sum(estimate_clauses(child) for child in tree.children))
    if isinstance(tree, And):
        return min(MANY, prod(estimate_clauses(child) for child in tree.children))
    return 1


def dnf(tree: Tree, limit: int = DEFAULT_LIMIT, *, subsume: bool = False) -> tuple[Clause, ...]:
    """The clauses of which at least one holds exactly where the tree is true, sorted and distinct.

    Each clause is in normal form; clauses that can never hold are dropped, and with `subsume` also those that
    imply another. The clause without leaves always holds. LimitExceeded when the estimate is above `limit`.
    """
    estimate = estimate_clauses(tree)
    if estimate > limit:
        count = "more than 2**62" if estimate == MANY else str(estimate)
        raise LimitExceeded(
            f"multiplied out, the filter has {count} clauses", expected=f"at most {limit}", limit=limit
        )
    found = {clause for leaves in _multiply(tree) if (clause := _clause(leaves)) is not None}
    clauses = sorted(found, key=lambda clause: [sort_key(leaf) for leaf in clause])
    return tuple(_widest(clauses) if subsume else clauses)


def _multiply(tree: Tree) -> list[Clause]:
    if isinstance(tree, Or):
        return [clause for child in tree.children for clause in _multiply(child)]
    if isinstance(tree, And):
        clauses: list[Clause] = [()]
        for child in tree.children:
            factors = _multiply(child)
            clauses = [clause + factor for clause in clauses for factor in factors]
        return clauses
    return [(tree,)]


def _clause(leaves: Clause) -> Clause | None:
    """The leaves of a conjunction in normal form, None if it never holds."""
    joined = conjunction(leaves)
    if joined == FALSE:
        return None
    # The And of leaves is flat, so all its children are leaves again.
    return joined.children if isinstance(joined, And) else (joined,)  # type: ignore[return-value]  # leaves only


def _widest(clauses: list[Clause]) -> list[Clause]:
    """The clauses that do not imply another; of two that imply each other the first."""
    return [
        clause
        for place, clause in enumerate(clauses)
        if not any(
            _subsumes(other, clause) and (rival < place or not _subsumes(clause, other))
            for rival, other in enumerate(clauses)
            if rival != place
        )
    ]


def _subsumes(wider: Clause, narrower: Clause) -> bool:
    return all(any(implies(given, asked) for given in narrower) for asked in wider)
