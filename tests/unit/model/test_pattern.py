"""LIKE patterns: one canonical spelling, and matching without regular expressions."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.model.pattern import canonical, compile_pattern, escape, wildcards

PATTERNS = st.text("ab%_\\!", max_size=8)
TEXTS = st.text("abA%_\\!", max_size=8)
ESCAPES = st.sampled_from([None, "\\", "!", "%", "a"])


def naive(pattern: str, escape_character: str | None, text: str) -> bool:
    """The meaning of a pattern, character by character."""

    @cache
    def fits(at: int, start: int) -> bool:
        if at == len(pattern):
            return start == len(text)
        if pattern[at] == escape_character:
            return start < len(text) and text[start] == pattern[at + 1] and fits(at + 2, start + 1)
        if pattern[at] == "%":
            return any(fits(at + 1, later) for later in range(start, len(text) + 1))
        return start < len(text) and pattern[at] in ("_", text[start]) and fits(at + 1, start + 1)

    return fits(0, 0)


def dangles(pattern: str, escape_character: str | None) -> bool:
    found = False
    for character in pattern:
        found = character == escape_character and not found
    return found


@given(PATTERNS, ESCAPES, TEXTS)
def test_a_canonical_pattern_means_what_was_written(pattern: str, mark: str | None, text: str) -> None:
    if dangles(pattern, mark):
        with pytest.raises(ValueError, match="ends in its escape character"):
            canonical(pattern, mark)
        return
    spelled = canonical(pattern, mark)
    assert compile_pattern(spelled).matches(text) == naive(pattern, mark, text)
    assert naive(spelled, "\\", text) == naive(pattern, mark, text)


@given(PATTERNS)
def test_canonical_patterns_stay_as_they_are(pattern: str) -> None:
    spelled = canonical(pattern)
    assert canonical(spelled, "\\") == spelled


@pytest.mark.parametrize(
    ("pattern", "mark", "spelled"),
    [
        ("a%%b", None, "a%b"),
        ("%_%_", None, "__%"),
        ("a!%b", "!", "a\\%b"),
        ("a!ab", "!", "aab"),
        ("\\", None, "\\\\"),
        ("%\\%%", "\\", "%\\%%"),
        ("%%", "%", "\\%"),
        ("", None, ""),
    ],
)
def test_a_pattern_has_one_spelling(pattern: str, mark: str | None, spelled: str) -> None:
    assert canonical(pattern, mark) == spelled


@given(TEXTS, TEXTS)
def test_an_escaped_text_matches_exactly_itself(text: str, other: str) -> None:
    pattern = compile_pattern(escape(text))
    assert pattern.matches(text)
    assert pattern.matches(other) == (text == other)
    assert pattern.exact == text


@pytest.mark.parametrize(("pattern", "count"), [("", 0), ("a\\%", 0), ("%", 1), ("a_b%", 2), ("\\\\_", 1)])
def test_wildcards_are_counted(pattern: str, count: int) -> None:
    assert wildcards(pattern) == count


@pytest.mark.parametrize(
    ("pattern", "exact", "prefix", "suffix", "only_prefix", "only_suffix", "contained"),
    [
        ("abc", "abc", "abc", "abc", False, False, ("abc",)),
        ("abc%", None, "abc", "", True, False, ("abc",)),
        ("%abc", None, "", "abc", False, True, ("abc",)),
        ("%", None, "", "", True, True, ()),
        ("a_c%", None, "a", "", False, False, ("a",)),
        ("%abc_d%ef", None, "", "ef", False, False, ("abc", "ef")),
        ("_", None, "", "", False, False, ()),
        ("\\%%", None, "%", "", True, False, ("%",)),
    ],
)
def test_what_an_index_may_know_of_a_pattern(
    pattern: str,
    exact: str | None,
    prefix: str,
    suffix: str,
    only_prefix: bool,
    only_suffix: bool,
    contained: tuple[str, ...],
) -> None:
    compiled = compile_pattern(pattern)
    assert compiled.exact == exact
    assert (compiled.prefix, compiled.suffix) == (prefix, suffix)
    assert (compiled.only_prefix, compiled.only_suffix) == (only_prefix, only_suffix)
    assert compiled.contained == contained


@given(PATTERNS, TEXTS)
def test_every_match_has_the_prefix_the_suffix_and_the_runs(pattern: str, text: str) -> None:
    compiled = compile_pattern(canonical(pattern))
    if compiled.matches(text):
        assert text.startswith(compiled.prefix)
        assert text.endswith(compiled.suffix)
        assert all(run in text for run in compiled.contained)


@pytest.mark.parametrize(
    ("pattern", "text", "fits"),
    [
        ("straße", "STRASSE", True),
        ("STRASSE", "straße", True),
        ("_tra%", "Straße", True),
        ("s", "ſ", True),
        ("a", "b", False),
        # The sharp s folds into two characters, which one `_` does not take.
        ("stra_e", "straße", False),
        ("stra__e", "straße", True),
    ],
)
def test_without_case_both_sides_are_folded(pattern: str, text: str, fits: bool) -> None:
    assert compile_pattern(pattern, True).matches(text, True) is fits


def test_no_pattern_takes_long() -> None:
    # Backtracking would try more ways than there are atoms.
    assert not compile_pattern(canonical("%a" * 50 + "b")).matches("a" * 5_000)
    assert compile_pattern(canonical("%a_" * 50 + "%")).matches("a" * 5_000)
    # Character by character this would take minutes.
    assert not compile_pattern("%" + "a" * 2_000 + "_b%").matches("a" * 1_000_000)
