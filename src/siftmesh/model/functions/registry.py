"""What a scalar function is: its name, how many arguments it takes, and what it does with values."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from siftmesh.model.values import Kind, Value

__all__ = ["LONGEST_STRING", "Function"]

# Characters of a computed string: a filter that joins one long value with itself must not fill the memory.
LONGEST_STRING = 10_000_000


class Function(msgspec.Struct, frozen=True):
    """A scalar function; `most` of None means any number of arguments."""

    name: str
    least: int
    most: int | None
    # The kind of its result, or None when that depends on its arguments.
    result: Kind | None
    apply: Callable[..., Value]
    # Of an argument of any other kind it makes null; empty where all kinds are of use.
    takes: tuple[Kind, ...] = ()

    def accepts(self, count: int) -> bool:
        return self.least <= count and (self.most is None or count <= self.most)

    @property
    def arity(self) -> str:
        """How many arguments it takes, in words."""
        if self.most is None:
            return f"{self.least} or more arguments"
        if self.least == self.most:
            return f"{self.least} argument{'' if self.least == 1 else 's'}"
        return f"{self.least} to {self.most} arguments"
