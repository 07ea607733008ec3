"""Why a subscription does or does not match an event: the verdict of every part, with the values it saw."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from math import isfinite
from typing import Any

import msgspec

from siftmesh.logic.evaluate import truth
from siftmesh.logic.render import render
from siftmesh.logic.tree import And, Operator, Or, Predicate, Tree, attributes
from siftmesh.model.event import Event
from siftmesh.model.values import OPAQUE, Kind, Timestamp, Value, has_surrogate

__all__ = ["Explanation", "Verdict", "explain"]

_SIGNS = {
    Operator.EQ: "=",
    Operator.NE: "<>",
    Operator.LT: "<",
    Operator.GE: ">=",
    Operator.LE: "<=",
    Operator.GT: ">",
}
_WORDS = {True: "true", False: "false", None: "unknown"}


class Verdict(msgspec.Struct, frozen=True):
    """One part of a subscription: what it asks, whether that is true (None: unknown), the values it saw."""

    asks: str
    truth: bool | None
    saw: dict[str, Any]
    missing: tuple[str, ...] = ()
    parts: tuple[Verdict, ...] = ()
    # Of a test of one attribute, what the value is compared with.
    operator: str = ""
    operand: Any = None

    def __str__(self) -> str:
        seen = "; ".join(_seen(self))
        return f"{self.asks} is {_WORDS[self.truth]}" + (f" ({seen})" if seen else "")

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        found: dict[str, Any] = {"asks": self.asks, "truth": _WORDS[self.truth]}
        if self.parts:
            return {**found, "parts": [part.to_dict() for part in self.parts]}
        if self.operator:
            found |= {"operator": self.operator, "operand": self.operand}
        return {**found, "saw": _finite(self.saw), "missing": list(self.missing)}


class Explanation(msgspec.Struct, frozen=True):
    """Whether a subscription matches an event, and why; it is true for a match, and prints as text."""

    subscription: Any
    matches: bool
    verdict: Verdict
    # Where the subscription waits in the index, and whether this event made the index look at it.
    access: str = "every event"
    reached: bool = True

    def __bool__(self) -> bool:
        return self.matches

    def reasons(self) -> list[Verdict]:
        """The leaves that decide: those that make it match, or those that keep it from matching."""
        return list(_deciding(self.verdict, self.matches))

    @property
    def reason(self) -> Verdict:
        """The first of the leaves that decide."""
        return next(_deciding(self.verdict, self.matches))

    @property
    def skipped(self) -> bool:
        """Whether the index never looked at the subscription for this event."""
        return not self.reached

    def __str__(self) -> str:
        return "\n".join([self._head(), *_lines(self.verdict, 1)])

    def why_not(self) -> str:
        """In a sentence for each, what keeps the subscription from matching, the first reason first."""
        if self.matches:
            return self._head()
        lines = [self._head(), *(f"  {reason}" for reason in self.reasons())]
        looked = "looked at it" if self.reached else "did not look at it"
        return "\n".join([*lines, f"the index waits for {self.access} and {looked}"])

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values; what JSON does not have is given as text, such as "Infinity"."""
        return {
            "subscription": _plain(self.subscription),
            "matches": self.matches,
            "reason": self.reason.to_dict(),
            "access": self.access,
            "skipped": self.skipped,
            "verdict": self.verdict.to_dict(),
        }

    def to_json(self) -> str:
        """The same as JSON."""
        return msgspec.json.encode(self.to_dict()).decode()

    def _head(self) -> str:
        return f"{self.subscription} {'matches' if self.matches else 'does not match'}"


def _plain(subscription: Any) -> Any:
    if type(subscription) is str:
        return (
            subscription if subscription.isascii() or not has_surrogate(subscription) else repr(subscription)
        )
    if type(subscription) in (int, float, bool) or subscription is None:
        return _finite(subscription)
    return repr(subscription)


def _finite(thing: Any) -> Any:
    """The same with words for numbers that are not finite."""
    if isinstance(thing, dict):
        return {name: _finite(value) for name, value in thing.items()}
    if isinstance(thing, (list, tuple)):
        return [_finite(value) for value in thing]
    if isinstance(thing, float) and not isfinite(thing):
        return "NaN" if thing != thing else "Infinity" if thing > 0 else "-Infinity"
    return thing


def explain(
    subscription: Hashable,
    tree: Tree,
    event: Event,
    *,
    access: str = "every event",
    reached: bool = True,
) -> Explanation:
    """Evaluate every part of a tree, none skipped."""
    if event.closed:
        event.refuse_paths_into_arrays(attributes(tree))
    verdict = _verdict(tree, event)
    return Explanation(subscription, verdict.truth is True, verdict, access, reached)


def _verdict(tree: Tree, event: Event) -> Verdict:
    if isinstance(tree, (And, Or)) and tree.children:
        parts = tuple(_verdict(child, event) for child in tree.children)
        word = "all of" if isinstance(tree, And) else "at least one of"
        return Verdict(word, truth(tree, event), {}, (), parts)
    reads = [tree.attribute] if isinstance(tree, Predicate) else sorted(attributes(tree))
    saw = {name: _shown(event.values[name]) for name in reads if name in event.values}
    missing = tuple(name for name in reads if name not in saw)
    if not isinstance(tree, Predicate):
        return Verdict(render(tree), truth(tree, event), saw, missing)
    asked = _SIGNS.get(tree.operator) or tree.operator.name.replace("_", " ")
    return Verdict(render(tree), truth(tree, event), saw, missing, (), asked, _operand(tree))


def _operand(leaf: Predicate) -> Any:
    if leaf.kind != Kind.TIMESTAMP:
        return leaf.value
    if isinstance(leaf.value, tuple):
        return tuple(Timestamp(micros).isoformat() for micros in leaf.value)
    return Timestamp(leaf.value).isoformat()


def _shown(value: Value) -> Any:
    if isinstance(value, Timestamp):
        return value.isoformat()
    if isinstance(value, tuple):
        return tuple(map(_shown, value))
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
    seen = _seen(verdict)
    if seen:
        lines[0] += f"   [{', '.join(seen)}]"
    return lines


def _seen(verdict: Verdict) -> list[str]:
    seen = [f"{name} is {value!r}" for name, value in verdict.saw.items()]
    return seen + [f"{name} is missing" for name in verdict.missing]
