"""Programs as bytes and back: what an index file holds besides arrays of numbers."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
import numpy as np

from siftmesh.errors import DamagedData
from siftmesh.kernels.layout import Bytes
from siftmesh.logic.encode import decode_tree, encode_tree
from siftmesh.logic.tree import Tree
from siftmesh.matching.access import Access, Joined
from siftmesh.matching.program import PARKED_ACCESS, Program
from siftmesh.matching.shape import Part, Test, skeleton

__all__ = ["programs_from", "programs_to"]


class _Saved(msgspec.Struct, array_like=True):
    tree: bytes
    # The tests by which rows are found, as places among all tests; and the attributes by whose presence.
    tests: list[int]
    presences: list[str]
    # Joined tests, likewise, -1 for those that there are not.
    joined: list[tuple[int, int, int, int]]
    probability: float
    words: list[int]
    kept: list[tuple[int, int, int, int]]
    fixed: dict[int, Any]
    held: list[tuple[int, int]]
    texts: list[int]
    rows_for: int
    place: int
    subscriptions: int
    parked: bool


def programs_to(programs: Iterable[tuple[Program, Tree]]) -> Bytes:
    """Programs, each with some tree of its shape that is laid out like its skeleton."""
    saved = [_to_saved(program, tree) for program, tree in programs]
    return np.frombuffer(msgspec.msgpack.encode(saved), np.uint8)


def programs_from(data: Bytes) -> list[Program]:
    """The programs of bytes that `programs_to` has made."""
    try:
        return [_from_saved(one) for one in msgspec.msgpack.decode(data.tobytes(), type=list[_Saved])]
    except (msgspec.MsgspecError, UnicodeDecodeError, IndexError) as error:
        raise DamagedData(f"the programs of the index are damaged: {error}") from None


def _to_saved(program: Program, tree: Tree) -> _Saved:
    every = _tests(program.part)
    access = program.access
    tests = [_place(every, one) for one in access.tests]
    joined = [
        (_place(every, one.equal), _place(every, one.other), _place(every, one.low), _place(every, one.high))
        for one in access.joined
    ]
    return _Saved(
        encode_tree(tree),
        tests,
        list(access.presences),
        joined,
        access.probability,
        program.words,
        program.kept,
        program.fixed,
        program.held,
        program.texts,
        program.rows_for,
        program.place,
        program.subscriptions,
        program.parked,
    )


def _from_saved(saved: _Saved) -> Program:
    part = skeleton(decode_tree(saved.tree))
    every = _tests(part)
    joined = tuple(Joined(*[every[place] if place >= 0 else None for place in one]) for one in saved.joined)
    tests = tuple(every[place] for place in saved.tests)
    access = Access(tests, tuple(saved.presences), saved.probability, joined)
    return Program(
        part,
        PARKED_ACCESS if saved.parked else access,
        saved.words,
        saved.kept,
        {number: tuple(value) if type(value) is list else value for number, value in saved.fixed.items()},
        saved.held,
        saved.texts,
        saved.rows_for,
        [],
        saved.place,
        saved.subscriptions,
        saved.parked,
    )


def _place(every: list[Test], one: Test | None) -> int:
    return next((place for place, test in enumerate(every) if test is one), -1)


def _tests(part: Part | Test) -> list[Test]:
    if isinstance(part, Test):
        return [part]
    return [test for child in part.children for test in _tests(child)]
