"""Filters that are JSON documents: read within the limits, with any place in them shown as text."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from typing import Any, NoReturn

import msgspec

from siftmesh.errors import LimitExceeded, Span, SubscriptionError, SyntaxError
from siftmesh.language.limits import Limits
from siftmesh.language.patterns import check_pattern
from siftmesh.model.values import INT_MAX, INT_MIN, has_surrogate

__all__ = ["Document", "Path", "decode_json", "read_document"]

# How to reach a place from the top: a key of an object or an index of an array at each step.
Path = tuple[str | int, ...]

_BLANK = re.compile(r"[ \t\n\r]*")
# No integer of 64 bits is nearly as long; Python itself refuses to convert some thousands of digits.
_MOST_DIGITS = 400
_DECODE = json.JSONDecoder().raw_decode


class Document(msgspec.Struct, frozen=True):
    """A decoded JSON document, and the text it came from if it came as text."""

    root: Any
    text: str | None = None

    def refuse(
        self,
        path: Path,
        what: str,
        expected: str | None = None,
        *,
        key: bool = False,
        error: type[SubscriptionError] = SyntaxError,
        limit: int | None = None,
    ) -> NoReturn:
        """Raise an error that shows the value at `path`, or with `key` the key it stands under."""
        source, span = self.place(path, key)
        raise error(what, source=source, span=span, expected=expected, limit=limit)

    def check_pattern(self, pattern: str, path: Path, limits: Limits) -> None:
        """Refuse a LIKE pattern (of backslash escapes) made from the value at `path` if it is too complex."""
        try:
            check_pattern(pattern, "\\", limits, None, None)
        except SubscriptionError as error:
            error.source, error.span = self.place(path)
            raise

    def place(self, path: Path, key: bool = False) -> tuple[str, Span]:
        """The document as text, and where in it the value at `path` (or its key) stands."""
        text = json.dumps(self.root, ensure_ascii=False) if self.text is None else self.text
        return text, _span(text, path, key)


def read_document(source: object, limits: Limits) -> Document:
    """Take JSON text, or what it decodes to; refuse what is no JSON and what passes a limit."""
    if not isinstance(source, str):
        _measure(source, limits)
        return Document(source)
    if len(source) > limits.text:
        raise LimitExceeded(
            f"the document has {len(source)} characters, the limit is {limits.text}",
            limit=limits.text,
            setting="text",
        )
    try:
        root = decode_json(source)
    except json.JSONDecodeError as error:
        what = f"the text is not JSON: {error.msg}"
        raise SyntaxError(what, source=source, span=(error.pos, error.pos + 1)) from None
    except RecursionError:
        raise _too_deep(limits) from None
    except ValueError as error:
        # Python refuses to convert integers of thousands of digits, and the hooks what JSON has not.
        raise SyntaxError(f"the text is not a JSON document: {error}", expected="a JSON document") from None
    _measure(root, limits)
    return Document(root, source)


def decode_json(text: str) -> Any:
    """Decode JSON strictly: a key that stands twice, NaN and endless integers are ValueErrors."""
    return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_integer)


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        # One pass: an object may have a hundred thousand keys.
        seen: set[str] = set()
        for key, _ in members:
            if key in seen:
                raise ValueError(f"the key {key!r} stands twice in one object")
            seen.add(key)
    return found


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _integer(digits: str) -> int:
    if len(digits) > _MOST_DIGITS:
        raise ValueError(f"an integer has {len(digits)} digits")
    return int(digits)


def _too_deep(limits: Limits) -> LimitExceeded:
    return LimitExceeded(
        f"the document is nested deeper than {limits.depth}", limit=limits.depth, setting="depth"
    )


def _measure(root: object, limits: Limits) -> None:
    """Refuse what is not JSON and what is too large, without recursion, stopping at the first limit."""
    nodes = characters = 0
    waiting: list[tuple[object, int]] = [(root, 0)]
    while waiting:
        thing, depth = waiting.pop()
        if isinstance(thing, dict | list):
            nodes += 1
            if depth >= limits.depth:
                raise _too_deep(limits)
            if isinstance(thing, dict):
                nodes += len(thing)
                for key in thing:
                    characters += 1 + _characters(key)
                waiting += [(value, depth + 1) for value in thing.values()]
            elif len(thing) > limits.items:
                raise LimitExceeded(
                    f"an array has more than {limits.items} items", limit=limits.items, setting="items"
                )
            else:
                characters += len(thing)
                waiting += [(value, depth + 1) for value in thing]
        elif isinstance(thing, str):
            characters += _characters(thing)
        else:
            _check_scalar(thing)
        if nodes > limits.nodes:
            raise LimitExceeded(
                f"the document has more than {limits.nodes} nodes", limit=limits.nodes, setting="nodes"
            )
        if characters > limits.text:
            raise LimitExceeded(
                f"the document has more than {limits.text} characters", limit=limits.text, setting="text"
            )


def _characters(text: object) -> int:
    if not isinstance(text, str):
        raise SyntaxError(f"the key {str(text)[:40]} is no string", expected="string keys, as in JSON")
    if has_surrogate(text):
        raise SyntaxError("a string holds a lone surrogate", expected="valid Unicode text")
    return len(text)


def _check_scalar(thing: object) -> None:
    if thing is None or isinstance(thing, bool):
        return
    if isinstance(thing, int):
        if not INT_MIN <= thing <= INT_MAX:
            raise SyntaxError("an integer needs more than 64 bits", expected="a 64-bit integer or a double")
    elif isinstance(thing, float):
        if not math.isfinite(thing):
            raise SyntaxError("a number is too large or not finite", expected="a 64-bit integer or a double")
    else:
        raise SyntaxError(f"a {type(thing).__name__} is no JSON value", expected="decoded JSON")


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()


def _span(text: str, path: Sequence[str | int], key: bool) -> Span:
    """Where the value at a path stands in a valid JSON text: read past everything before it."""
    at = _after_blank(text, 0)
    span = (at, at + 1)
    for step in path:
        at = _after_blank(text, at + 1)
        if isinstance(step, int):
            for _ in range(step):
                at = _after_blank(text, _after_blank(text, _DECODE(text, at)[1]) + 1)
            span = (at, at + 1)
            continue
        while True:
            name, end = _DECODE(text, at)
            span = (at, end)
            at = _after_blank(text, _after_blank(text, end) + 1)
            if name == step:
                break
            at = _after_blank(text, _after_blank(text, _DECODE(text, at)[1]) + 1)
    return span if key else (at, _DECODE(text, at)[1])
