"""Whether every string that fits one LIKE pattern fits another."""

from __future__ import annotations

from functools import lru_cache

from siftmesh.model.pattern import compile_pattern

__all__ = ["contains_pattern"]

# A character, `_` or `%` of a pattern.
Token = str
_ONE = ""
_MANY = "%%"
# Steps after which a comparison is given up: a few times what the longest patterns take that are easily told.
_MOST_STEPS = 20_000


@lru_cache(maxsize=4096)
def _tokens(pattern: str, ignore_case: bool, widened: bool) -> tuple[Token, ...]:
    tokens: list[Token] = []
    for number, segment in enumerate(compile_pattern(pattern, ignore_case).segments):
        if number:
            tokens.append(_MANY)
        tokens += [_ONE if character is None else character for character in segment]
    if widened:
        tokens = [_MANY if token == _ONE else token for token in tokens]
    return tuple(tokens)


def contains_pattern(
    wider: str, narrower: str, *, wider_ignores_case: bool = False, narrower_ignores_case: bool = False
) -> bool:
    """Whether every string that fits `narrower` fits `wider`; a False may also mean "not proven".

    The narrower pattern is read as if it were a text: its `_` is a character that only a wildcard fits, its
    `%` a run that only a `%` takes in. Case-folding turns one character into up to three, so where only the
    wider pattern ignores case, a `_` of the narrower is read as a `%`.
    """
    folds_one_side = wider_ignores_case and not narrower_ignores_case
    if narrower_ignores_case and not wider_ignores_case:
        return wider == "%"
    pattern = _tokens(wider, wider_ignores_case, False)
    return _fits(pattern, _tokens(narrower, wider_ignores_case, folds_one_side))


def _fits(pattern: tuple[Token, ...], text: tuple[Token, ...]) -> bool:
    """Match greedily: after a mismatch only the latest `%` needs to take in one more token."""
    at = place = 0
    latest = resume = -1
    for _ in range(_MOST_STEPS):
        if at >= len(text):
            return all(token == _MANY for token in pattern[place:])
        asked = pattern[place] if place < len(pattern) else None
        if asked == _MANY:
            latest, resume = place, at
            place += 1
        elif asked is not None and text[at] != _MANY and asked in (_ONE, text[at]):
            at += 1
            place += 1
        elif latest >= 0:
            resume += 1
            at, place = resume, latest + 1
        else:
            return False
    return False
