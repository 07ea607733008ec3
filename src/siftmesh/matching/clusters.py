"""The index of clusters: each subscription waits, as a row of constants, for the rarest facts it needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from siftmesh.kernels.bulk import PARTLY, add_columns, finish_columns
from siftmesh.kernels.chains import programs_of
from siftmesh.kernels.chunks import row_of
from siftmesh.kernels.constants import hold_constant, release_constant
from siftmesh.kernels.entry import add_message, finish_add, remove
from siftmesh.kernels.layout import (
    ARRAY,
    CHUNK,
    H_ATOM_LIVE,
    H_WHERE,
    H_WHERE_ROOM,
    K_ATOM,
    K_LONGS,
    K_PROGRAM,
    K_ROOM,
    MOST_ROWS,
    OPAQUE,
    P_RECIPE,
    R_KEY,
    R_LIST,
    STRING,
    TIMESTAMP,
    Bytes,
    Longs,
    Words,
)
from siftmesh.kernels.pools import free_words, take_words
from siftmesh.kernels.rows import DONE, FRAME_TOO_SHORT, LACKS_ROOM
from siftmesh.kernels.unpack import NO_ROOM, unpack_row
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import Tree, attributes
from siftmesh.matching.atoms import constant_of, number_of
from siftmesh.matching.bulk import Plan, side_by_side
from siftmesh.matching.estimates import Estimates
from siftmesh.matching.forms import Form
from siftmesh.matching.pools import Pools
from siftmesh.matching.program import PARKED_ACCESS, Program, compile_program
from siftmesh.matching.saved import programs_from, programs_to
from siftmesh.matching.scratch import Scratch
from siftmesh.matching.shape import Part, Test, example, form_of, pattern_text, restore, skeleton

__all__ = ["ClusterIndex"]

_pack = msgspec.msgpack.Encoder().encode
# Shapes whose programs are remembered; a program lives as long as it has rows.
_SHAPES = 65_536
# Rows of each program whose constants are kept to judge plans by.
_EXAMPLES = 8
# Rows of a table that are encoded at a time, and for how many of them the pools are made longer.
_ROWS = 1 << 16
_BLOCK = 1 << 12
# So many atoms more than there are may always have room.
_SPARED = 1 << 13


class ClusterIndex:
    """Rows of programs in chains; subscriptions are numbers."""

    def __init__(self) -> None:
        self.pools = Pools()
        self.estimates = Estimates(self.pools)
        self._forms: dict[Any, Form] = {}
        self._programs: dict[int, Program] = {}
        # Attributes inside objects, and how many programs read each.
        self.paths: Counter[str] = Counter()
        self._scratch = Scratch()

    def form(self, shape: Any, tree: Tree) -> Form:
        """What is known of the subscriptions of one shape."""
        form = self._forms.get(shape)
        if form is None:
            if len(self._forms) >= _SHAPES:
                self._forms.pop(next(iter(self._forms)))
            form = self._forms[shape] = Form(skeleton(tree), self._compile)
        return form

    def add_row(self, sub: int, program: Program, constants: list[Any]) -> None:
        """Take a subscription of a known program in."""
        if len(program.examples) < _EXAMPLES:
            program.examples.append(list(constants))
        for number in program.texts:
            constants.append(_text_of(constants[number]))
        packed = _pack(constants)
        scratch = self._scratch
        while True:
            scratch.fit(self.pools, 0)
            entered = add_message(scratch.address, packed, program.place, sub)
            if entered == DONE:
                break
            if entered == FRAME_TOO_SHORT:
                scratch.longer_frame()
            elif entered == LACKS_ROOM:
                self._reserve(program, len(constants), packed, sub)
            else:
                self._finish(program, sub, entered)
                break
        program.subscriptions += 1

    def add_columns(
        self, subs: Sequence[int], program: Program, plan: Plan, columns: Mapping[str, Any]
    ) -> None:
        """Take in the subscriptions of a plan, of whose rows each has a number."""
        numbers = np.asarray(subs, np.int32)
        self.pools.reserve_directory(int(numbers.max(initial=0)) + 1)
        waits = plan.parameters.get(program.waits)
        for first in range(0, len(numbers), _ROWS):
            part = {name: column.slice(first, _ROWS) for name, column in columns.items()}
            taken = numbers[first : first + _ROWS]
            if waits is not None:
                # Rows of one chain one after the other: a chunk takes the room that the one before outgrew.
                order = side_by_side(part[waits])
                taken, part = taken[order], {name: column.take(order) for name, column in part.items()}
            self._add_block(taken, program, plan, *plan.encode(part))
        program.subscriptions += len(numbers)

    def _add_block(
        self, subs: Words, program: Program, plan: Plan, described: Longs, raws: Longs, text: Bytes
    ) -> None:
        pools, scratch = self.pools, self._scratch
        constants = [*plan.constants, *(_text_of(plan.constants[number]) for number in program.texts)]
        while len(scratch.made) < len(scratch.frame) // 2 + 3 * program.words[P_RECIPE] + 8:
            scratch.longer_frame()
        # Constants that are no parameters stand in the frame already, with their strings behind the others.
        own = self._unpack(_pack(constants))
        frame = scratch.frame
        _move_strings(frame, len(constants), len(text))
        text = np.concatenate([text, own, np.zeros(8, np.uint8)])
        _, words, longs = program.words[:3]
        # What a single row may take, as its kernel reckons: an item of a list takes at least a byte.
        least = len(constants) + len(own) + 6 * program.words[P_RECIPE] + 8
        # Room is made for as many atoms as a block may have. Mostly it has few new ones: blocks are so short
        # that what stays empty is little beside what there is.
        each = len(constants) + 6 * program.rows_for + 8
        spared = max(_SPARED, int(pools.words[H_ATOM_LIVE]) // 4)
        block = max(1, min(_BLOCK, len(subs), spared // each))
        items = block * each + least
        row = 0
        while row < len(subs):
            chunks = MOST_ROWS * (1 + words)
            pools.reserve_atoms(items)
            pools.reserve(
                4 * items + block * (24 + 2 * words) + chunks + 512,
                block * 2 * longs + MOST_ROWS * longs,
                2 * len(text),
                2 * items,
            )
            row = int(
                add_columns(
                    pools.words, pools.longs, pools.heap, text, described, raws, frame,
                    len(constants), program.place, subs, row, scratch.made,
                )
            )  # fmt: skip
            if row >= PARTLY:
                row -= PARTLY
                done = False
                while not done:
                    pools.reserve(chunks, MOST_ROWS * longs, 0)
                    done = finish_columns(
                        pools.words, pools.longs, program.place, subs[row - 1], scratch.made
                    )

    def _reserve(self, program: Program, constants: int, packed: bytes, sub: int) -> None:
        """Room for a row of constants, however they are to be kept."""
        pools = self.pools
        # A constant takes at least one byte of the message, and so does an item of a list.
        items = constants + len(packed) + 6 * program.words[P_RECIPE] + 64
        pools.reserve_directory(sub + 1)
        pools.reserve_atoms(items)
        pools.reserve(4 * items + 16 * constants + 512, 0, len(packed), 2 * items)

    def _finish(self, program: Program, sub: int, entered: int) -> None:
        while entered != DONE:
            _, words, longs = program.words[:3]
            self.pools.reserve(MOST_ROWS * (1 + words) + 64, MOST_ROWS * longs + 64, 0)
            self._scratch.fit(self.pools, 0)
            entered = finish_add(self._scratch.address, program.place, sub, entered - 1)

    def remove(self, sub: int) -> bool:
        """Take a subscription out; whether it was parked."""
        pools, scratch = self.pools, self._scratch
        if scratch.version != pools.version:
            scratch.fit(pools)
        program = self._programs[remove(scratch.address, sub)]
        place = program.place
        program.subscriptions -= 1
        if program.subscriptions == 0:
            for what, held in program.held:
                release_constant(pools.words, pools.longs, pools.heap, what, held)
            free_words(pools.words, place, len(program.words))
            del self._programs[place]
            self.paths.subtract(_paths(program))
        return program.parked

    def tree(self, sub: int) -> Tree:
        """The tree of a subscription, as its row tells it, in normal form."""
        program, constants = self.constants(sub)
        return normalise(restore(program.part, constants))

    def place_of(self, sub: int) -> int:
        """The place of a subscription's program, 0 if there is no such subscription."""
        if (
            sub >= self.pools.words[H_WHERE_ROOM]
            or not self.pools.words[int(self.pools.words[H_WHERE]) + sub]
        ):
            return 0
        return int(self.pools.words[self._chunks(sub)[0] + K_PROGRAM])

    def programs(self) -> list[Program]:
        """All programs that some subscription has."""
        return list(self._programs.values())

    def forget_forms(self, places: set[int]) -> None:
        """Plan anew for the shapes that have some of these programs."""
        for form in self._forms.values():
            form.forget(places)

    def constants(self, sub: int) -> tuple[Program, list[Any]]:
        """The program of a subscription and its constants."""
        pools = self.pools
        words, longs = pools.words, pools.longs
        chunks = self._chunks(sub)
        chunk = chunks[0]
        program = self._programs[int(words[chunk + K_PROGRAM])]
        row = int(row_of(words, chunk, sub))
        room = int(words[chunk + K_ROOM])
        constants: list[Any] = []
        for number, (what, _, tag, column) in enumerate(program.kept):
            if number in program.fixed:
                constants.append(program.fixed[number])
            elif column < 0:
                atoms = [int(words[one + K_ATOM]) for one in chunks]
                values = [constant_of(pools, atom) for atom in atoms]
                constants.append(sorted(values) if what == R_LIST else values[0])
                if program.texts:
                    constants[-1] = _pattern(constants[-1], program.access.tests[0].form)
            elif what == R_KEY:
                key = int(longs[int(words[chunk + K_LONGS]) + room * column + row])
                constants.append(key if tag == TIMESTAMP else number_of(key))
            else:
                held = int(words[chunk + CHUNK + room * (1 + column) + row])
                if what == R_LIST:
                    listed = words[held + 1 : held + 1 + int(words[held])]
                    constants.append(sorted(constant_of(pools, int(atom)) for atom in listed))
                else:
                    constants.append(constant_of(pools, held))
        return program, constants

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """All there is, as arrays by name."""
        pools = self.pools
        programs: dict[int, tuple[Program, Tree]] = {}
        where = programs_of(pools.words)
        places, firsts = np.unique(where, return_index=True)
        for place, sub in zip(places.tolist(), firsts.tolist(), strict=True):
            if place:
                program, constants = self.constants(sub)
                programs[place] = (program, restore(program.part, constants))
        names = msgspec.msgpack.encode(pools.slots)
        return pools.to_arrays() | {
            "slots": np.frombuffer(names, np.uint8),
            "programs": programs_to(programs.values()),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> ClusterIndex:
        """What `to_arrays` was asked of."""
        made = cls()
        slots = msgspec.msgpack.decode(arrays["slots"].tobytes(), type=dict[str, int])
        made.pools.take_over(arrays["words"], arrays["longs"], arrays["heap"], slots)
        made._programs = {program.place: program for program in programs_from(arrays["programs"])}
        for program in made._programs.values():
            made.paths.update(_paths(program))
        return made

    def _chunks(self, sub: int) -> list[int]:
        words = self.pools.words
        place = int(words[int(words[H_WHERE]) + sub])
        if place > 0:
            return [place]
        return [int(chunk) for chunk in words[1 - place : 1 - place + int(words[-place])]]

    def _compile(
        self, part: Part | Test, constants: list[Any], fixed: dict[int, Any], parked: bool
    ) -> Program:
        access = PARKED_ACCESS if parked else self.estimates.access(part, [constants])
        program = compile_program(
            part, access, self.pools.slot, self.estimates.likely, len(constants), fixed, self._hold
        )
        pools = self.pools
        pools.reserve(len(program.words), 0, 0)
        place = int(take_words(pools.words, len(program.words)))
        pools.words[place : place + len(program.words)] = program.words
        program.place = place
        self._programs[place] = program
        self.paths.update(_paths(program))
        return program

    def _hold(self, what: int, slot: int, asked: int, constant: Any) -> int:
        """Keep a constant for a program."""
        packed = _pack([constant])
        text = self._unpack(packed)
        items = 1 + (len(constant) if isinstance(constant, tuple) else 0)
        pools = self.pools
        pools.reserve_atoms(items)
        pools.reserve(2 * items + 16, 2, len(packed), items)
        made = np.zeros(items, np.int64)
        frame = self._scratch.frame
        return int(hold_constant(pools.words, pools.longs, pools.heap, text, frame, what, slot, asked, made))

    def _unpack(self, packed: bytes) -> NDArray[np.uint8]:
        text = np.frombuffer(packed, np.uint8).copy()
        while unpack_row(text, self._scratch.frame) == NO_ROOM:
            self._scratch.longer_frame()
        return text


def _text_of(pattern: bytes) -> bytes:
    """By what a pattern is looked up."""
    return form_of(pattern_text(pattern))[1]


def _move_strings(frame: Longs, count: int, by: int) -> None:
    """Say of the strings and patterns among constants, and in their lists, that they stand further behind."""
    places = list(range(count))
    for place in places:
        kind, raw = int(frame[2 * place]) >> 32, int(frame[2 * place + 1])
        if kind == ARRAY:
            places += range(raw >> 32, (raw >> 32) + (raw & 0xFFFFFFFF))
        elif kind in (STRING, OPAQUE):
            frame[2 * place + 1] += by << 32


def _paths(program: Program) -> list[str]:
    return [name for name in attributes(example(program.part)) if "." in name]


def _pattern(text: bytes, form: str) -> bytes:
    return text + b"\xff" if form == "prefix only" else b"\xff" + text
