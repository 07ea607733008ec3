"""LIKE patterns: prefixes are looked up, other patterns tried, each exactly as `Pattern.matches` says."""

from __future__ import annotations

import numpy as np
import pytest

from siftmesh.matching.patterns import Patterns
from siftmesh.model.pattern import compile_pattern

TEXTS = ("", "a", "ab", "abc", "ABC", "b%", "straße", "STRASSE", "xaby")
PATTERNS = ("%", "a%", "ab%", "abc%", "b\\%%", "%b", "a_", "%ab%", "strasse%", "_%")


@pytest.mark.parametrize("ignore_case", [False, True])
def test_patterns_and_their_opposites(ignore_case: bool) -> None:
    patterns, tallies = Patterns(ignore_case), np.zeros(32, dtype=np.int64)
    cases = [(pattern, negated) for pattern in PATTERNS for negated in (False, True)]
    for number, (pattern, negated) in enumerate(cases):
        patterns.add(pattern, negated, number, tallies)
    for left in (range(len(cases)), range(5), ()):
        for number, (pattern, negated) in enumerate(cases):
            if number not in left and number in held(patterns):
                patterns.remove(pattern, negated, number)
        for text in TEXTS:
            single: list[int] = []
            runs: list[np.ndarray] = []
            patterns.collect(text, tallies, single, runs)
            found = sorted(single + [number for run in runs for number in run.tolist()])
            expected = [
                number
                for number in left
                if compile_pattern(cases[number][0], ignore_case).matches(text, ignore_case)
                is not cases[number][1]
            ]
            assert found == expected
    assert patterns.memory() > 0


def held(patterns: Patterns) -> set[int]:
    """The numbers of what is there: each pattern or its opposite is true of every text."""
    found: set[int] = set()
    for text in TEXTS:
        single: list[int] = []
        runs: list[np.ndarray] = []
        patterns.collect(text, np.zeros(32, dtype=np.int64), single, runs)
        found.update(single, *(run.tolist() for run in runs))
    return found
