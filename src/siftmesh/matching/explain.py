"""Why a subscription does or does not match an event: the verdict of every part, with the values it saw."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

import msgspec

from siftmesh.logic.evaluate import truth
from siftmesh.logic.render import render
from siftmesh.logic.tree import And, Or, Predicate, Tree, attributes
from siftmesh.model.event import Event
from siftmesh.model.values import OPAQUE, Timestamp, Value

__all__ = ["Explanation", "Verdict", "explain"]

_WORDS = {True: "true", False: "false", None: "unknown"}


class Verdict(msgspec.Struct, frozen=True):
    """One part of a subscription: what it asks, whether that is true (None: unknown), the values it saw."""

    asks: str
    truth: bool | None
    saw: dict[str, Any]
    missing: tuple[str, ...] = ()
    parts: tuple[Verdict, ...] = ()


class Explanation(msgspec.Struct, frozen=True):
    """Whether a subscription matches an event, and why; it is true for a match, and prints as text."""

    subscription: Any
    matches: bool
    verdict: Verdict

    def __bool__(self) -> bool:
        return self.matches

    def reasons(self) -> list[Verdict]:
        """The leaves that decide: those that make it match, or those that keep it from matching."""
        return list(_deciding(self.verdict, self.matches))

    def __str__(self) -> str:
        head = f"{self.subscription} {'matches' if self.matches else 'does not match'}"
        return "\n".join([head, *_lines(self.verdict, 1)])


def explain(subscription: Hashable, tree: Tree, event: Event) -> Explanation:
    """Evaluate every part of a tree, none skipped."""
    if event.closed:
        event.refuse_paths_into_arrays(attributes(tree))
    verdict = _verdict(tree, event)
    return Explanation(subscription, verdict.truth is True, verdict)


def _verdict(tree: Tree, event: Event) -> Verdict:
    if isinstance(tree, (And, Or)) and tree.children:
        parts = tuple(_verdict(child, event) for child in tree.children)
        word = "all of" if isinstance(tree, And) else "at least one of"
        return Verdict(word, truth(tree, event), {}, (), parts)
    reads = [tree.attribute] if isinstance(tree, Predicate) else sorted(attributes(tree))
    saw = {name: _shown(event.values[name]) for name in reads if name in event.values}
    return Verdict(render(tree), truth(tree, event), saw, tuple(name for name in reads if name not in saw))


def _shown(value: Value) -> Any:
    if isinstance(value, Timestamp):
        return value.isoformat()
    return "an object" if value is OPAQUE else value


def _deciding(verdict: Verdict, matches: bool) -> Iterator[Verdict]:
    if not verdict.parts:
        yield verdict
    for part in verdict.parts:
        if (part.truth is True) == matches:
            yield from _deciding(part, matches)


def _lines(verdict: Verdict, depth: int) -> list[str]:
    lines = [f"{'  ' * depth}{_WORDS[verdict.truth]:<8}{verdict.asks}"]
    for part in verdict.parts:
        lines += _lines(part, depth + 1)
    seen = [f"{name} is {value!r}" for name, value in verdict.saw.items()]
    seen += [f"{name} is missing" for name in verdict.missing]
    if seen:
        lines[0] += f"   [{', '.join(seen)}]"
    return lines
