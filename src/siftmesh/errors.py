"""Every exception of Siftmesh, with the facts of the failure as attributes.

    SiftmeshError
    ├── SubscriptionError (ValueError)     a filter, template or subscription cannot be taken
    │   ├── SyntaxError                    the text is not in the language
    │   ├── UnknownAttribute               the schema has no such attribute
    │   ├── TypeMismatch                   an operator can never hold for these types
    │   ├── LimitExceeded                  a filter is larger than a setting allows
    │   ├── UnsupportedFeature             a foreign dialect's construct that we list as refused
    │   ├── ParameterError                 a template was given too few, too many or wrong parameters
    │   ├── DuplicateId                    a subscription with this id is already there
    │   └── UnknownId (KeyError)           there is no subscription with this id
    ├── EventError (ValueError)            an event holds a value outside the model
    ├── ConfigError (ValueError)           a file, option or setting is wrong
    ├── DamagedData (ValueError)           bytes do not hold what they should: a tree, event, profile, index
    ├── ProtocolError                      a peer broke the wire protocol
    └── ConnectionClosed                   the other side is gone

A message says what is wrong, shows where (the source with a marker under the span), and what was expected
instead.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from difflib import get_close_matches

__all__ = [
    "ConfigError",
    "ConnectionClosed",
    "DamagedData",
    "DuplicateId",
    "EventError",
    "LimitExceeded",
    "ParameterError",
    "ProtocolError",
    "SiftmeshError",
    "SubscriptionError",
    "SyntaxError",
    "TypeMismatch",
    "UnknownAttribute",
    "UnknownId",
    "UnsupportedFeature",
    "nearest_name",
    "point_at",
    "shown",
]

Span = tuple[int, int]

# A line of a filter may be a megabyte long; a message shows this much of it, around the place.
EXCERPT = 72


class SiftmeshError(Exception):
    """Something went wrong that Siftmesh can name."""


class SubscriptionError(SiftmeshError, ValueError):
    """A filter, template or subscription cannot be taken."""

    def __init__(
        self,
        what: str,
        *,
        source: str | None = None,
        span: Span | None = None,
        expected: str | None = None,
        limit: int | None = None,
    ) -> None:
        self.what = what
        self.source = source
        self.span = span
        self.expected = expected
        self.limit = limit
        super().__init__(what)

    def __str__(self) -> str:
        lines = [self.what]
        if self.source is not None and self.span is not None:
            lines += point_at(self.source, self.span)
        if self.expected is not None:
            lines.append(f"expected {self.expected}")
        return "\n".join(lines)

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild, (type(self), self.what, self.source, self.span, self.expected, self.limit)

    def in_one_line(self) -> str:
        """What, where and what was expected, for a log or a command line."""
        line = self.what
        if self.source is not None and self.span is not None:
            start = self.span[0]
            row = self.source.count("\n", 0, start) + 1
            column = start - self.source.rfind("\n", 0, start)
            line += f" at line {row}, column {column}" if row > 1 else f" at column {column}"
        return line if self.expected is None else f"{line}; expected {self.expected}"

    def in_row(self, row: int) -> SubscriptionError:
        """The same error about one of many rows, of which no text is shown."""
        found = copy(self)
        found.what = f"row {row}: {self.what}"
        found.source = found.span = None
        found.args = (found.what,)
        return found


def _rebuild(
    kind: type[SubscriptionError],
    what: str,
    source: str | None,
    span: Span | None,
    expected: str | None,
    limit: int | None,
) -> SubscriptionError:
    return kind(what, source=source, span=span, expected=expected, limit=limit)


class SyntaxError(SubscriptionError):
    """The text is not in the language."""


class UnknownAttribute(SubscriptionError):
    """The schema has no such attribute."""


class TypeMismatch(SubscriptionError):
    """An operator can never hold for these types."""


class LimitExceeded(SubscriptionError):
    """A filter is larger than a setting of `Limits` allows: `setting` is its name, `limit` its value."""

    def __init__(
        self,
        what: str,
        *,
        source: str | None = None,
        span: Span | None = None,
        expected: str | None = None,
        limit: int | None = None,
        setting: str | None = None,
    ) -> None:
        super().__init__(what, source=source, span=span, expected=expected, limit=limit)
        self.setting = setting

    def __reduce__(self) -> tuple[object, ...]:
        # The name is all that the base class cannot rebuild; the third item is the state set afterwards.
        return (*super().__reduce__(), {"setting": self.setting})


class UnsupportedFeature(SubscriptionError):
    """A construct of a foreign dialect that the reference lists as refused."""


class ParameterError(SubscriptionError):
    """A template was given too few, too many or wrong parameters."""


class DuplicateId(SubscriptionError):
    """A subscription with this id is already there."""


class UnknownId(SubscriptionError, KeyError):
    """There is no subscription with this id."""


class EventError(SiftmeshError, ValueError):
    """An event holds a value outside the model; `place` is the path to it, `row` its number among many."""

    def __init__(
        self, what: str, *, place: str = "", expected: str | None = None, row: int | None = None
    ) -> None:
        self.what = what
        self.place = place
        self.expected = expected
        self.row = row
        super().__init__(what)

    def __str__(self) -> str:
        where = "" if self.row is None else f"row {self.row}: "
        where += f"at {self.place}: " if self.place else ""
        wanted = f" (expected {self.expected})" if self.expected else ""
        return f"{where}{self.what}{wanted}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuild_event, (type(self), self.what, self.place, self.expected, self.row)

    def in_row(self, row: int) -> EventError:
        """The same error about one of many events."""
        return type(self)(self.what, place=self.place, expected=self.expected, row=row)


def _rebuild_event(
    kind: type[EventError], what: str, place: str, expected: str | None, row: int | None
) -> EventError:
    return kind(what, place=place, expected=expected, row=row)


class ConfigError(SiftmeshError, ValueError):
    """A file, option or setting is wrong."""


class DamagedData(SiftmeshError, ValueError):
    """Bytes do not hold the tree, event or profile that they should: damaged, foreign or too new."""


class ProtocolError(SiftmeshError):
    """A peer broke the wire protocol."""


class ConnectionClosed(SiftmeshError):
    """The other side is gone."""


def shown(text: str) -> str:
    """A piece of a filter as a message names it: on one line, cut where it gets long."""
    line = "".join(c if c.isprintable() else " " for c in text[:EXCERPT])
    return line if len(text) <= EXCERPT else f"{line}..."


def point_at(source: str, span: Span) -> list[str]:
    """The line of `source` that holds the start of `span`, and a line with a marker under the span."""
    start, end = max(0, span[0]), max(span[0], span[1])
    line_start = source.rfind("\n", 0, start) + 1
    line_end = source.find("\n", start)
    line_end = len(source) if line_end < 0 else line_end
    shown_from = max(line_start, start - EXCERPT // 2)
    shown_to = min(line_end, shown_from + EXCERPT)
    excerpt = shown(source[shown_from:shown_to])
    head = "..." if shown_from > line_start else ""
    tail = "..." if shown_to < line_end else ""
    marker = "^" * max(1, min(end, shown_to) - start)
    number = source.count("\n", 0, start) + 1
    lines = [f"  {head}{excerpt}{tail}", "  " + " " * (len(head) + start - shown_from) + marker]
    if "\n" in source:
        lines[0:0] = [f"  line {number}, column {start - line_start + 1}:"]
    return lines


def nearest_name(name: str, known: Iterable[str]) -> str | None:
    """The known name most like `name`, if any is close enough to be worth suggesting."""
    names = list(known)
    by_folded = {candidate.casefold(): candidate for candidate in names}
    if name.casefold() in by_folded:
        return by_folded[name.casefold()]
    close = get_close_matches(name, names, n=1, cutoff=0.6)
    return close[0] if close else None
