"""LIKE patterns in one canonical spelling, and the matching of them without regular expressions.

A canonical pattern uses the backslash as its escape character, escapes only `%`, `_` and the backslash
itself, and has no `%` beside another, so two spellings of one pattern are one string. Matching takes time at
most proportional to the product of the lengths, whatever the pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import groupby

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
    # Of each segment the words between its `_`, with their places in it, the longest first.
    words: tuple[tuple[tuple[int, str], ...], ...]

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
        *before, last = zip(self.segments, self.words, strict=True)
        end = len(text) - len(last[0])
        if not before:
            return end == 0 and _misfit(last[1], text, 0) is None
        (first, words), *between = before
        start = len(first)
        if end < start or _misfit(words, text, 0) or _misfit(last[1], text, end):
            return False
        for segment, words in between:  # the leftmost place that fits is always right
            found = _find(len(segment), words, text, start, end)
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


def _words(segment: tuple[str | None, ...]) -> tuple[tuple[int, str], ...]:
    found: list[tuple[int, str]] = []
    at = 0
    for known, characters in groupby(segment, lambda character: character is not None):
        run = tuple(characters)
        if known:
            found.append((at, "".join(run)))  # type: ignore[arg-type]  # no None in it
        at += len(run)
    return tuple(sorted(found, key=lambda word: -len(word[1])))


def _misfit(words: tuple[tuple[int, str], ...], text: str, at: int) -> tuple[int, str] | None:
    """The first word that a segment lacks at a place, None where it fits (that there is room is known)."""
    for word in words:
        if not text.startswith(word[1], at + word[0]):
            return word
    return None


def _find(length: int, words: tuple[tuple[int, str], ...], text: str, start: int, end: int) -> int:
    """The first place between two others at which a segment fits, or -1."""
    at, last = start, end - length
    if not words or at > last:
        return at if at <= last else -1
    # What has just been lacking is looked for first: it is likely to be rare.
    offset, word = words[0]
    while at <= last:
        if not text.startswith(word, at + offset):  # `find` takes longer to start
            at = text.find(word, at + offset, last + offset + len(word)) - offset
            if at < start:
                return -1
        lacking = _misfit(words, text, at)
        if lacking is None:
            return at
        offset, word = lacking
        at += 1
    return -1


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
    fixed = tuple(tuple(segment) for segment in segments)
    return Pattern(fixed, tuple(map(_words, fixed)))
