"""Which LIKE patterns are taken."""

from __future__ import annotations

import pytest

from siftmesh.errors import LimitExceeded, SubscriptionError, SyntaxError
from siftmesh.language.limits import Limits
from siftmesh.language.patterns import check_pattern

LIMITS = Limits(pattern=8, wildcards=2)


@pytest.mark.parametrize(
    ("pattern", "escape"),
    [("", None), ("abcdefgh", None), ("%a%", None), ("a\\", None), ("%%%a%%%", None), ("!%!_!!%_", "!")],
)
def test_patterns_within_the_limits(pattern: str, escape: str | None) -> None:
    check_pattern(pattern, escape, LIMITS, None, None)


@pytest.mark.parametrize(
    ("pattern", "escape", "kind", "limit"),
    [
        ("abcdefghi", None, LimitExceeded, 8),
        ("%a%b%", None, LimitExceeded, 2),
        ("___", None, LimitExceeded, 2),
        ("a!", "!", SyntaxError, None),
        ("a!!!", "!", SyntaxError, None),
    ],
)
def test_patterns_that_are_refused(
    pattern: str, escape: str | None, kind: type[SubscriptionError], limit: int | None
) -> None:
    with pytest.raises(kind) as caught:
        check_pattern(pattern, escape, LIMITS, "source", (2, 4))
    assert (caught.value.limit, caught.value.source, caught.value.span) == (limit, "source", (2, 4))
