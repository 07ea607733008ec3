"""LIKE patterns in one canonical spelling, and the matching of them without regular expressions.

A canonical pattern uses the backslash as its escape character, escapes only `%`, `_` and the backslash
itself, and has no `%` beside another, so two spellings of one pattern are one string. Matching takes time at
most proportional to the product of the lengths, whatever the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

import msgspec

__all__ = ["ANY", "Pattern", "canonical", "compile_pattern", "escape", "wildcards"]

ANY = "%"
_SPECIAL = re.compile(r"[\\%_]")
# A run of wildcards without any literal character between: its order does not matter, only how many `_` it
# has.
_WILD = re.compile(r"[%_]*%[%_]*")


def escape(text: str) -> str:
    """Text as a pattern that matches exactly it."""
    return _SPECIAL.sub(lambda match: "\\" + match.group(), text)


def canonical(pattern: str, escape_character: str | None = None) -> str:
    """The canonical spelling of a pattern as written; ValueError when it ends in the escape character."""
    if escape_character is None and "\\" not in pattern:
        return _in_order(pattern) if "%" in pattern else pattern
    parts: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape_character:
            following = next(characters, None)
            if following is None:
                raise ValueError("the pattern ends in its escape character")
            parts.append(escape(following))
        elif character in ("%", "_"):
            parts.append(character)
        else:
            parts.append(escape(character))
    return _in_order("".join(parts))


def _in_order(pattern: str) -> str:
    """Write every run of wildcards that has a `%` as its underscores followed by a single `%`."""
    if "\\" not in pattern:
        return _WILD.sub(lambda run: "_" * run.group().count("_") + "%", pattern)
    # A backslash and what follows it are one character that no run may take apart.
    pieces = re.split(r"(\\.)", pattern, flags=re.DOTALL)
    pieces[::2] = [_WILD.sub(lambda run: "_" * run.group().count("_") + "%", piece) for piece in pieces[::2]]
    return "".join(pieces)


def wildcards(pattern: str) -> int:
    """How many wildcards a canonical pattern has."""
    return sum(1 for token in _tokens(pattern) if token in (_ONE, _MANY))


_ONE = object()
_MANY = object()


def _tokens(pattern: str) -> Iterator[object]:
    characters = iter(pattern)
    for character in characters:
        if character == "\\":
            yield next(characters)
        elif character == "%":
            yield _MANY
        elif character == "_":
            yield _ONE
        else:
            yield character


class Pattern(msgspec.Struct, frozen=True):
    """A canonical pattern taken apart: the segments between its `%`, tuples of characters, None for `_`."""

    segments: tuple[tuple[str | None, ...], ...]

    @property
    def exact(self) -> str | None:
        """The one string that matches, if the pattern has no wildcard."""
        return _word(self.segments[0]) if len(self.segments) == 1 else None

    @property
    def prefix(self) -> str:
        """The characters that every matching string starts with."""
        return _known(self.segments[0])

    @property
    def suffix(self) -> str:
        """The characters that every matching string ends with."""
        return _known(self.segments[-1][::-1])[::-1]

    @property
    def only_prefix(self) -> bool:
        """Whether the pattern is `text%` and so an interval of strings."""
        return len(self.segments) == 2 and not self.segments[1] and _word(self.segments[0]) is not None

    @property
    def only_suffix(self) -> bool:
        """Whether the pattern is `%text`."""
        return len(self.segments) == 2 and not self.segments[0] and _word(self.segments[1]) is not None

    @property
    def contained(self) -> tuple[str, ...]:
        """The longest known run of characters of each segment: every matching string contains all of them."""
        return tuple(run for run in (_longest_run(segment) for segment in self.segments) if run)

    def matches(self, text: str, ignore_case: bool = False) -> bool:
        """Whether the whole of `text` fits; with `ignore_case` both sides are case-folded first."""
        if ignore_case:
            text = text.casefold()
        first, *rest = self.segments
        if not rest:
            return len(text) == len(first) and _fits(first, text, 0)
        last = rest.pop()
        end = len(text) - len(last)
        if end < len(first) or not _fits(first, text, 0) or not _fits(last, text, end):
            return False
        start = len(first)
        for segment in rest:  # the leftmost place that fits is always right: nothing is gained by waiting
            found = _find(segment, text, start, end)
            if found < 0:
                return False
            start = found + len(segment)
        return True


def _word(segment: tuple[str | None, ...]) -> str | None:
    return None if None in segment else "".join(segment)  # type: ignore[arg-type]  # no None in it


def _known(segment: tuple[str | None, ...]) -> str:
    characters: list[str] = []
    for character in segment:
        if character is None:
            break
        characters.append(character)
    return "".join(characters)


def _longest_run(segment: tuple[str | None, ...]) -> str:
    best = run = ""
    for character in segment:
        run = "" if character is None else run + character
        best = max(best, run, key=len)
    return best


def _fits(segment: tuple[str | None, ...], text: str, at: int) -> bool:
    return all(
        character is None or text[at + offset] == character for offset, character in enumerate(segment)
    )


def _find(segment: tuple[str | None, ...], text: str, start: int, end: int) -> int:
    word = _word(segment)
    if word is not None:
        return text.find(word, start, end)
    return next((at for at in range(start, end - len(segment) + 1) if _fits(segment, text, at)), -1)


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str, ignore_case: bool = False) -> Pattern:
    """Take a canonical pattern apart; with `ignore_case` its characters are case-folded."""
    segments: list[list[str | None]] = [[]]
    for token in _tokens(pattern):
        if token is _MANY:
            segments.append([])
        elif token is _ONE:
            segments[-1].append(None)
        else:
            character = str(token)
            segments[-1] += character.casefold() if ignore_case else character
    return Pattern(tuple(tuple(segment) for segment in segments))
