"""What a LIKE pattern may be: well-formed and not too complex."""

from __future__ import annotations

from siftmesh.errors import LimitExceeded, Span, SyntaxError
from siftmesh.language.limits import Limits
from siftmesh.model.pattern import canonical, wildcards

__all__ = ["check_pattern"]


def check_pattern(
    pattern: str, escape: str | None, limits: Limits, source: str | None, span: Span | None
) -> None:
    """Refuse a LIKE pattern that is malformed or too complex."""
    if len(pattern) > limits.pattern:
        raise LimitExceeded(
            f"the pattern has {len(pattern)} characters, the limit is {limits.pattern}",
            source=source,
            span=span,
            limit=limits.pattern,
            setting="pattern",
        )
    try:
        count = wildcards(canonical(pattern, escape))
    except ValueError as error:
        raise SyntaxError(
            str(error), source=source, span=span, expected="a character after the escape"
        ) from None
    if count > limits.wildcards:
        raise LimitExceeded(
            f"the pattern has {count} wildcards, the limit is {limits.wildcards}",
            source=source,
            span=span,
            limit=limits.wildcards,
            setting="wildcards",
        )
