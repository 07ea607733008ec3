"""How much work finding matches took; what a candidate is differs with the way to look subscriptions up."""

from __future__ import annotations

import msgspec

__all__ = ["WorkCounters"]


class WorkCounters(msgspec.Struct, frozen=True):
    """What was done to find the matches of some events; the difference of two is what was done in between."""

    events: int = 0
    # Look-ups in the index that led to candidates.
    probes: int = 0
    # Subscriptions that were looked at.
    candidates: int = 0
    # Leaves of subscriptions that were evaluated.
    leaves: int = 0
    # Words of bitmaps that were AND-ed.
    words: int = 0
    # Candidates that had to be asked again, slowly.
    verified: int = 0
    matches: int = 0

    def __add__(self, other: WorkCounters) -> WorkCounters:
        return WorkCounters(*[getattr(self, name) + getattr(other, name) for name in self.__struct_fields__])

    def __sub__(self, other: WorkCounters) -> WorkCounters:
        return WorkCounters(*[getattr(self, name) - getattr(other, name) for name in self.__struct_fields__])
