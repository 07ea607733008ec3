"""Forms: what subscriptions of one shape have learnt of each other, and the programs that they share.

Most filters are written by a program or filled in from a form, so nearly all of their constants are always
the same. Once enough rows of a shape have come, constants that never differed become part of the program.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from siftmesh.matching.program import Program
from siftmesh.matching.shape import Part, Test

__all__ = ["Form"]

# After so many rows it is settled which constants are the same in all of them.
_ENOUGH = 64
# So many programs of one form, and constants that were taken for fixed are none.
_MOST_PROGRAMS = 32

Compile = Callable[[Part | Test, list[Any], dict[int, Any], bool], Program]
_Key = tuple[bool, tuple[Any, ...]]


class Form:
    """Chooses the program for a row of constants."""

    __slots__ = ("_compile", "_first", "_fixed", "_left", "_programs", "_varied", "bitmap", "part")

    def __init__(self, part: Part | Test, compile_program: Compile) -> None:
        self.part = part
        # Whether its subscriptions go to the bitmaps; None before that is settled.
        self.bitmap: bool | None = None
        self._compile = compile_program
        self._left = _ENOUGH
        self._first: list[Any] = []
        self._varied: list[bool] = []
        self._fixed: tuple[int, ...] = ()
        self._programs: dict[_Key, Program] = {}

    def fix(self, numbers: tuple[int, ...]) -> None:
        """Settle which constants are the same in nearly all rows."""
        self._fixed = numbers
        self._left = 0

    def forget(self, places: set[int]) -> None:
        """Compile new programs from now on, if one of these is among the old."""
        if any(program.place in places for program in self._programs.values()):
            self._programs = {}
            self.bitmap = None

    def program(self, constants: list[Any], parked: bool) -> Program:
        """The program for these constants, compiled if there is none."""
        if self._left:
            self._learn(constants)
        key = (parked, tuple([constants[number] for number in self._fixed]))
        program = self._programs.get(key)
        if program is None or program.subscriptions == 0:
            if len(self._programs) >= _MOST_PROGRAMS:
                self._programs = {each: made for each, made in self._programs.items() if made.subscriptions}
            if len(self._programs) >= _MOST_PROGRAMS and self._fixed:
                self._fixed = ()
                return self.program(constants, parked)
            fixed = dict(zip(self._fixed, key[1], strict=True))
            program = self._programs[key] = self._compile(self.part, constants, fixed, parked)
        return program

    def _learn(self, constants: list[Any]) -> None:
        if not self._first:
            self._first = list(constants)
            self._varied = [False] * len(constants)
        for number, constant in enumerate(constants):
            if constant != self._first[number]:
                self._varied[number] = True
        self._left -= 1
        if not self._left:
            self.fix(tuple(number for number, varied in enumerate(self._varied) if not varied))
            self._first = []
