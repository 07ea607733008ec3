"""Hash-consing: equal trees become one object, for as long as anybody holds it.

Trees are equal by structure anyway. Sharing them makes a million subscriptions over the same few predicates
small, and lets whoever holds shared trees tell them apart by identity.
"""

from __future__ import annotations

from weakref import WeakKeyDictionary, ref

from siftmesh.logic.tree import And, Or, Tree

__all__ = ["Interner"]


class Interner:
    """Keeps one object for each structure; it keeps none alive by itself."""

    def __init__(self) -> None:
        # Looked up by structure; the value says which of the equal trees is the one.
        self._known: WeakKeyDictionary[Tree, ref[Tree]] = WeakKeyDictionary()

    def share(self, tree: Tree) -> Tree:
        """The one object that equals this tree, its children shared likewise."""
        known = self._known.get(tree)
        shared = known() if known is not None else None
        if shared is not None:
            return shared
        if isinstance(tree, (And, Or)):
            tree = type(tree)(tuple([self.share(child) for child in tree.children]))
        self._known[tree] = ref(tree)
        return tree

    def __len__(self) -> int:
        """How many structures are alive."""
        return len(self._known)
