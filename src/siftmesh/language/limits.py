"""Limits on what a filter may be; passing one is a `LimitExceeded` that names the limit."""

from __future__ import annotations

import msgspec

from siftmesh.errors import ConfigError

__all__ = ["DEEPEST", "DEFAULT", "Limits"]

# However generous a limit, nothing is nested deeper: what comes after parsing walks trees by recursion, with
# several of Python's thousand frames for a level, of which one pair of parentheses can make two.
DEEPEST = 100


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """How large a filter may be; the defaults are safe for text from strangers."""

    # Characters of the text.
    text: int = 1_000_000
    # Nodes of the syntax tree (the items of IN and OVERLAPS are counted by `items`).
    nodes: int = 20_000
    # How deep conditions and expressions may be nested (at most DEEPEST).
    depth: int = 100
    # Constants in one IN or OVERLAPS list.
    items: int = 50_000
    # Characters of one LIKE pattern.
    pattern: int = 4_096
    # Wildcards in one LIKE pattern.
    wildcards: int = 64

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            if type(value) is not int or value < 0:
                raise ConfigError(f"the limit {name} is {value!r}; expected a whole number, at least 0")


DEFAULT = Limits()
