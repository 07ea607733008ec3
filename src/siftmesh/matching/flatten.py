"""Trees laid flat for the counting matcher: leaves in order, jumps between them, and the minimum count.

Jumps are numbers of leaves, or ACCEPT or REJECT. The minimum is the least number of leaves, repeated ones
counted repeatedly, that must be true for the tree to be true: a necessary condition that needs no tree.
"""

from __future__ import annotations

from siftmesh.logic.tree import And, Leaf, Or, Tree

__all__ = ["ACCEPT", "NEVER", "REJECT", "flatten"]

ACCEPT = -1
REJECT = -2
# The minimum of a tree that is never true: more leaves than any tree has.
NEVER = 1 << 40


def flatten(tree: Tree) -> tuple[list[Leaf], tuple[int, ...], int]:
    """The leaves of a tree, its shape (how many leaves, the first, two jumps for each), its minimum."""
    found: list[Leaf] = []
    jumps: list[int] = []
    first, minimum = _emit(tree, ACCEPT, REJECT, found, jumps)
    found.reverse()
    last = len(found) - 1
    # Leaves were numbered from the end, and each one's jumps written with the one for false first.
    turned = [last - jump if jump >= 0 else jump for jump in reversed(jumps)]
    if minimum < NEVER and _plain(tree):
        # Whoever has enough true leaves is true: nothing is left to evaluate.
        return found, (len(found), ACCEPT, *turned), minimum
    return found, (len(found), last - first if first >= 0 else first, *turned), min(minimum, NEVER)


def _emit(tree: Tree, yes: int, no: int, found: list[Leaf], jumps: list[int]) -> tuple[int, int]:
    """Append a tree's leaves, last one first; where to enter it, and its minimum count.

    From the end, what comes next is known, constants inside the tree included.
    """
    if type(tree) is And:
        entry, minimum = yes, 0
        for child in reversed(tree.children):
            entry, least = _emit(child, entry, no, found, jumps)
            minimum += least
        return entry, minimum
    if type(tree) is Or:
        entry, minimum = no, NEVER
        for child in reversed(tree.children):
            entry, least = _emit(child, yes, entry, found, jumps)
            minimum = min(minimum, least)
        return entry, minimum
    found.append(tree)  # type: ignore[arg-type]  # neither And nor Or: a leaf
    jumps.append(no)
    jumps.append(yes)
    return len(found) - 1, 1


def _plain(tree: Tree) -> bool:
    """Whether the tree is a leaf, or an And or Or of nothing but leaves."""
    if isinstance(tree, (And, Or)):
        return not any(isinstance(child, (And, Or)) for child in tree.children)
    return True
