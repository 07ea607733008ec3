from __future__ import annotations

import pytest

from siftmesh.language.dialects.eventbridge.wildcards import like_pattern, successor


@pytest.mark.parametrize(
    ("wildcard", "pattern"),
    [
        ("", ""), ("a*b", "a%b"), ("*", "%"), ("a\\*b", "a*b"), ("\\\\", "\\\\"), ("50%_*", "50\\%\\_%"),
        ("\\**", "*%"), ("*\\*", "%*"), ("*a*", "%a%"),
    ],
)  # fmt: skip
def test_a_wildcard_is_a_like_pattern(wildcard: str, pattern: str) -> None:
    assert like_pattern(wildcard) == pattern


@pytest.mark.parametrize(
    ("wildcard", "what"), [("a**", "two asterisks"), ("a\\b", "backslash"), ("a\\", "backslash")]
)
def test_a_malformed_wildcard_is_refused(wildcard: str, what: str) -> None:
    with pytest.raises(ValueError, match=what):
        like_pattern(wildcard)


@pytest.mark.parametrize(
    ("prefix", "following"),
    [
        ("a", "b"), ("ab", "ac"), ("", None), ("\U0010ffff", None), ("a\U0010ffff\U0010ffff", "b"),
        ("\ud7ff", "\ue000"), ("a\uffff", "a\U00010000"),
    ],
)  # fmt: skip
def test_the_successor_of_a_prefix(prefix: str, following: str | None) -> None:
    assert successor(prefix) == following


@pytest.mark.parametrize("prefix", ["a", "z", "a\U0010ffff", "\ud7ff", "\U0010fffe"])
@pytest.mark.parametrize("rest", ["", "\x00", "a", "\U0010ffff" * 3])
def test_what_starts_so_lies_below_the_successor(prefix: str, rest: str) -> None:
    following = successor(prefix)
    assert following is not None
    assert prefix <= prefix + rest < following
    assert not following.startswith(prefix)
