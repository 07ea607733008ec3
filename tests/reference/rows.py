"""Subscriptions as rows in chains, found by any access that will do; filters and events by chance."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import numpy as np

from siftmesh.kernels.atoms import find_string, find_value
from siftmesh.kernels.cells import clear_cells, fill_cells
from siftmesh.kernels.constants import hold_constant, release_constant
from siftmesh.kernels.layout import (
    A_HEAD,
    A_SLOT,
    A_TAG,
    A_USES,
    ALWAYS,
    CELL,
    CHUNK,
    COUNTERS,
    FIRST_ATOM,
    H_ATOM_COUNT,
    H_ATOM_LIVE,
    H_ATOMS,
    H_HEAP,
    H_LONGS,
    H_ROWS,
    H_SLOT_COUNT,
    H_SLOTS,
    H_WHERE,
    H_WORDS,
    K_ATOM,
    K_BACK,
    K_COUNT,
    K_LONGS,
    K_NEXT,
    K_PROGRAM,
    K_ROOM,
    MOST_ROWS,
    P_LONGS,
    P_WORDS,
    PREFIX,
    PRESENCE,
    RANGE,
    RECORD,
    S_ATOMS,
    S_PRESENCE,
    S_TEXTS,
    S_USES,
    SEEN,
    SLOT,
)
from siftmesh.kernels.pools import free_words, take_words
from siftmesh.kernels.rows import DONE, FRAME_TOO_SHORT, LACKS_ROOM, add_row, enter_rows, remove_row
from siftmesh.kernels.unpack import NO_ROOM, unpack_event, unpack_row
from siftmesh.kernels.walk import walk_event
from siftmesh.language.parser import parse
from siftmesh.logic.evaluate import holds
from siftmesh.logic.lower import lower
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import And, Operator, Or, Predicate, Tree
from siftmesh.matching.access import Access, access_of
from siftmesh.matching.packing import pack_event
from siftmesh.matching.pools import Pools
from siftmesh.matching.program import PARKED_ACCESS, Program, compile_program
from siftmesh.matching.shape import form_of, pattern_text, shape_of, skeleton
from siftmesh.model.event import Event
from siftmesh.model.pattern import canonical
from siftmesh.model.values import OPAQUE, Kind, Timestamp
from tests.reference.leaves import some

__all__ = [
    "CONSTANTS",
    "Rows",
    "by_chance",
    "joined",
    "parked",
    "rarest",
    "some_event",
    "some_tree",
    "tree_of",
]

# Chooses an access for a shape.
Choice = Callable[[Any], Access | None]
_pack = msgspec.msgpack.encode


def tree_of(source: str) -> Tree:
    """A filter's tree."""
    return normalise(lower(parse(source)))


def parked(_: Any) -> Access | None:
    """Rows wait for nothing."""
    return PARKED_ACCESS


def rarest(part: Any) -> Access | None:
    """What would be chosen of which nothing is known."""
    return access_of(part, lambda _, test: 1.0 if test is None else 0.01)


def joined(part: Any) -> Access | None:
    """Tests taken together wherever that can be."""
    return access_of(part, lambda _, test: 1.0 if test is None else 0.1, lambda *_: 0.01)


def by_chance(rng: random.Random) -> Choice:
    """Any access that is good for a shape."""
    likely = [0.002, 0.01, 0.1, 0.3, 0.9]

    def choose(part: Any) -> Access | None:
        if rng.random() < 0.05:
            return None
        if rng.random() < 0.3:
            return access_of(part, lambda *_: rng.choice(likely))
        return access_of(part, lambda *_: rng.choice(likely), lambda *_: rng.choice([None, 0.0001, 0.1]))

    return choose


class Rows:
    """Programs and their rows in pools that are made longer by little; beside them the trees."""

    def __init__(self, step: int = 4_000) -> None:
        self.pools = Pools()
        self.step = step
        self.trees: dict[int, Tree] = {}
        self.programs: dict[int, Program] = {}
        self.frame = np.zeros(512, np.int64)
        self.made = np.zeros(1_024, np.int64)
        self.stamps = np.zeros(64, np.int32)
        self.stamp = 0
        self.cells = np.zeros(0, np.int64)
        self.counters = np.zeros(COUNTERS, np.int64)
        self.seen = np.zeros(0, np.int64)
        self.text = np.zeros(8, np.uint8)
        self.count = 0
        # What came back instead of DONE, and how often.
        self.answers: list[int] = []

    @property
    def arrays(self) -> tuple[Any, Any, Any]:
        """The three pools."""
        return self.pools.words, self.pools.longs, self.pools.heap

    # ---- subscriptions

    def program(self, tree: Tree, choose: Choice = rarest, fixed: Sequence[int] = ()) -> Program:
        """A program for trees of one shape, with some of the constants the same in all of them."""
        part, (_, constants) = skeleton(tree), shape_of(tree)
        held = {number: constants[number] for number in fixed}
        slot = self.pools.slot
        made = compile_program(part, choose(part), slot, lambda _: 0.5, len(constants), held, self.hold)
        self.pools.reserve(len(made.words), 0, 0)
        made.place = int(take_words(self.pools.words, len(made.words)))
        self.pools.words[made.place : made.place + len(made.words)] = made.words
        self.programs[made.place] = made
        return made

    def hold(self, what: int, slot: int, asked: int, constant: Any) -> int:
        """Keep a constant for a program."""
        text, frame = self.packed([constant])
        self.pools.reserve_atoms(50)
        self.pools.reserve(100, 2, len(text), 50)
        return int(hold_constant(*self.arrays, text, frame, what, slot, asked, np.zeros(50, np.int64)))

    def packed(self, constants: Sequence[Any]) -> tuple[Any, Any]:
        """Constants as a frame, with the text that it is about."""
        text = np.frombuffer(_pack(constants), np.uint8).copy()
        frame = np.zeros(2 * len(text) + 8, np.int64)
        assert unpack_row(text, frame) == len(constants)
        return text, frame

    def row(self, program: Program, tree: Tree) -> tuple[Any, Any, int]:
        """The constants of a tree, with the texts by which it is looked up: text, frame, how many."""
        constants = shape_of(tree)[1]
        constants += [form_of(pattern_text(constants[number]))[1] for number in program.texts]
        return *self.packed(constants), len(constants)

    def add(self, sub: int, tree: Tree, program: Program) -> None:
        """Take a subscription in, with pools that may be too short at first."""
        text, frame, count = self.row(program, tree)
        made = np.zeros(len(frame) // 2, np.int64)
        done = self.try_to_add(text, frame, count, program, sub, made)
        while done < DONE:
            if done == LACKS_ROOM:
                self.pools.reserve_directory(sub + 1)
                self.pools.reserve_atoms(500)
                self.lengthen()
            else:
                assert done == FRAME_TOO_SHORT
                made = np.zeros(len(made) + 3, np.int64)
            done = self.try_to_add(text, frame, count, program, sub, made)
        while done != DONE:
            self.lengthen()
            done = int(enter_rows(*self.arrays[:2], program.place, sub, made, done - 1))
            self.answers.append(done)
        program.subscriptions += 1
        self.trees[sub] = tree

    def try_to_add(self, text: Any, frame: Any, count: int, program: Program, sub: int, made: Any) -> int:
        """What `add_row` says."""
        done = int(add_row(*self.arrays, text, frame, count, program.place, sub, made, len(text)))
        self.answers.append(done)
        return done

    def lengthen(self) -> None:
        """Room for some more, and no more than that."""
        pools = self.pools
        pools.words = np.concatenate([pools.words, np.full(self.step, 77, np.int32)])
        pools.longs = np.concatenate([pools.longs, np.full(self.step, 77, np.int64)])
        pools.heap = np.concatenate([pools.heap, np.full(self.step, 77, np.uint8)])

    def shorten(self) -> None:
        """Leave hardly more room than is in use."""
        pools = self.pools
        pools.words = pools.words[: self.header(H_WORDS) + 8].copy()
        pools.longs = pools.longs[: self.header(H_LONGS) + 8].copy()
        pools.heap = pools.heap[: 8 * self.header(H_HEAP) + 8].copy()

    def add_some(self, sub: int, tree: Tree, choose: Choice, rng: random.Random) -> Program:
        """Take a subscription in, with a program of its own of which some constants are part."""
        constants = range(len(shape_of(tree)[1]))
        program = self.program(tree, choose, [number for number in constants if rng.random() < 0.3])
        self.add(sub, tree, program)
        return program

    def remove(self, sub: int) -> int:
        """Take a subscription out; the place of its program."""
        place = int(remove_row(*self.arrays, sub))
        self.programs[place].subscriptions -= 1
        del self.trees[sub]
        return place

    def forget(self, place: int) -> None:
        """Give a program back, with all that it holds."""
        program = self.programs.pop(place)
        for what, held in program.held:
            release_constant(*self.arrays, what, held)
        free_words(self.pools.words, place, len(program.words))

    # ---- what stands where

    def header(self, place: int) -> int:
        """A number of the header."""
        return int(self.pools.words[place])

    def record(self, atom: int) -> list[int]:
        """The record of an atom."""
        at = self.header(H_ATOMS) + RECORD * atom
        return self.pools.words[at : at + RECORD].tolist()  # type: ignore[no-any-return]  # int32 numbers

    def slot_record(self, name: str) -> list[int]:
        """The record of an attribute's slot."""
        at = self.header(H_SLOTS) + SLOT * self.pools.slot(name)
        return self.pools.words[at : at + SLOT].tolist()  # type: ignore[no-any-return]  # int32 numbers

    def atoms(self) -> list[int]:
        """All atoms that are in use."""
        return [atom for atom in range(FIRST_ATOM, self.header(H_ATOM_COUNT)) if self.record(atom)[A_TAG]]

    def value(self, name: str, tag: int, key: int) -> int:
        """The atom of a value by its key, or 0."""
        return int(find_value(*self.arrays[:2], self.pools.slot(name), tag, key))

    def string(self, name: str, tag: int, text: bytes) -> int:
        """The atom of a text, or 0."""
        array = np.frombuffer(text + bytes(8), np.uint8).copy()
        return int(find_string(*self.arrays, self.pools.slot(name), tag, array, 0, len(text)))

    def chunks(self, atom: int) -> list[int]:
        """The chain of an atom, its links checked."""
        words, found = self.pools.words, [0]
        chunk = self.record(atom)[A_HEAD]
        while chunk:
            assert words[chunk + K_BACK] == found[-1]
            assert words[chunk + K_ATOM] == atom
            assert 0 < words[chunk + K_COUNT] <= words[chunk + K_ROOM] <= MOST_ROWS
            found.append(chunk)
            chunk = int(words[chunk + K_NEXT])
        return found[1:]

    def rows(self, chunk: int) -> list[tuple[int, tuple[int, ...]]]:
        """The rows of a chunk: each a subscription and its columns, words and then longs."""
        words, longs = self.pools.words, self.pools.longs
        program, room = int(words[chunk + K_PROGRAM]), int(words[chunk + K_ROOM])
        found = []
        for row in range(words[chunk + K_COUNT]):
            of_words = range(words[program + P_WORDS])
            columns = [int(words[chunk + CHUNK + room * (1 + column) + row]) for column in of_words]
            at = int(words[chunk + K_LONGS]) + row
            columns += [int(longs[at + room * column]) for column in range(words[program + P_LONGS])]
            found.append((int(words[chunk + CHUNK + row]), tuple(columns)))
        return found

    def places(self, sub: int) -> list[int]:
        """The chunks of a subscription, as the directory has them."""
        words = self.pools.words
        place = int(words[self.header(H_WHERE) + sub])
        return [place] if place > 0 else words[1 - place : 1 - place + int(words[-place])].tolist()

    def check(self) -> None:
        """Chains, the directory, counts of rows and of uses agree with each other."""
        stands: dict[int, list[int]] = {sub: [] for sub in self.trees}
        total = 0
        for atom in [ALWAYS, ALWAYS + 1, *self.atoms()]:
            for chunk in self.chunks(atom):
                for sub, _ in self.rows(chunk):
                    stands[sub].append(chunk)
                    total += 1
        assert total == self.header(H_ROWS)
        for sub, chunks in stands.items():
            assert sorted(self.places(sub)) == sorted(chunks)
        assert len(self.atoms()) == self.header(H_ATOM_LIVE)
        self.check_slots()

    def check_slots(self) -> None:
        """Slots know how many atoms they have and how often these are held."""
        for name, slot in self.pools.slots.items():
            records = [(atom, self.record(atom)) for atom in self.atoms()]
            mine = [(atom, record) for atom, record in records if record[A_SLOT] == slot]
            valued = [record[A_USES] for _, record in mine if record[A_TAG] < PRESENCE]
            texts = [record[A_USES] for _, record in mine if PREFIX <= record[A_TAG] < RANGE]
            present = [atom for atom, record in mine if record[A_TAG] == PRESENCE]
            known = self.slot_record(name)
            assert (known[S_ATOMS], known[S_USES], known[S_TEXTS]) == (len(valued), sum(valued), sum(texts))
            assert [known[S_PRESENCE]] == (present or [0])

    # ---- events

    def put(self, event: Event) -> None:
        """Fill the frame and the cells with an event."""
        packed = pack_event(event, self.pools.slots)
        self.text = np.frombuffer(packed, np.uint8).copy()
        self.count = NO_ROOM
        while self.count == NO_ROOM:
            self.count = int(unpack_event(*self.arrays, self.text, False, self.frame))
            if self.count == NO_ROOM:
                self.frame = np.zeros(2 * len(self.frame), np.int64)
        assert self.count >= 0
        needed = CELL * (self.header(H_SLOT_COUNT) + len(self.frame) // 2)
        self.cells = np.zeros(needed, np.int64)
        fill_cells(*self.arrays, self.frame, 0, self.count, self.text, self.cells)

    def clear(self) -> None:
        """Take the event out of the cells."""
        clear_cells(self.frame, 0, self.count, self.cells)

    def walk(self, out: Any, found: int = 0) -> int:
        """Write the matches of the event in the cells; where the next may go."""
        room = max(self.trees, default=0) + 1
        if len(self.stamps) < room:
            self.stamps = np.concatenate([self.stamps, np.zeros(2 * room, np.int32)])
        slots = self.header(H_SLOT_COUNT)
        if len(self.seen) < SEEN * slots:
            self.seen = np.concatenate([self.seen, np.zeros(SEEN * slots - len(self.seen), np.int64)])
        self.stamp += 1
        event = (self.text, self.frame, 0, self.count, self.cells, self.stamps, self.stamp)
        return int(walk_event(*self.arrays, *event, out, found, self.counters, self.seen))

    def found(self, event: Event) -> list[int]:
        """The codes of what an event meets."""
        self.put(event)
        # Chunks are written out whole, and then what does not match is taken back.
        out = np.full(2 * self.header(H_ROWS) + 8, -99, np.int32)
        count = self.walk(out)
        return out[:count].tolist()  # type: ignore[no-any-return]  # int32 numbers

    def judge(self, codes: list[int], event: Event, trees: dict[int, Tree] | None = None) -> None:
        """Codes are what an event meets, each once; those that nobody is sure of may be more."""
        met = {sub for sub, tree in (self.trees if trees is None else trees).items() if holds(tree, event)}
        sure = {code for code in codes if code >= 0}
        unsure = {~code for code in codes if code < 0}
        assert len(codes) == len(sure | unsure)
        assert sure <= met, (event, [self.trees[sub] for sub in sure - met])
        assert met <= sure | unsure, (event, [self.trees[sub] for sub in met - sure - unsure])


# ---- filters and events

_NUMBERS: list[Any] = [0, 1, 2, 3, 7, 0.5, -1, 2**53, 2**53 + 1, 1e300]
_TEXTS = ["", "a", "ab", "abc", "b", "x abcdefgh y", "2020-01-01T12:00:00Z", "abcabc"]
_MOMENTS = [1_577_880_000_000_000, 0, 5]
CONSTANTS: dict[Kind, list[Any]] = {
    Kind.NUMBER: _NUMBERS,
    Kind.STRING: _TEXTS,
    Kind.TIMESTAMP: _MOMENTS,
    Kind.BOOL: [False, True],
}
_PATTERNS = ["a%", "%b", "%b%", "%", "%abcdefgh%", "%bcdefghi%", "ab_", "a%c", "%ab%c%", "_", "abc", "%abc"]
_NAMES = ["a", "b", "c", "d", "e"]
_KINDS = dict(zip(_NAMES, [Kind.NUMBER, Kind.NUMBER, Kind.STRING, Kind.STRING, Kind.TIMESTAMP], strict=True))
_ORDERED = [Operator.LT, Operator.GE, Operator.LE, Operator.GT]
_ASKED = {
    "equal": [Operator.EQ] * 5 + [Operator.NE],
    "one of": [Operator.IN, Operator.IN, Operator.NOT_IN, Operator.OVERLAPS, Operator.NOT_OVERLAPS],
    "held": [Operator.CONTAINS, Operator.CONTAINS, Operator.NOT_CONTAINS],
    "like": [Operator.LIKE, Operator.LIKE, Operator.NOT_LIKE, Operator.ILIKE, Operator.NOT_ILIKE],
    "there": [Operator.IS_NULL, Operator.IS_NOT_NULL, Operator.EXISTS, Operator.NOT_EXISTS],
}
_VALUES: list[Any] = [
    *_NUMBERS,
    *_TEXTS,
    *map(Timestamp, _MOMENTS),
    True,
    False,
    None,
    OPAQUE,
    1.5,
    2**53 + 3,
    "ABC",
    "é",
    "2020-01-01T13:00:00+01:00",
    (),
    (0,),
    (0, 1, 1),
    ("a", "ab", "a"),
    (None, 2),
    (7, "b"),
    (Timestamp(5),),
]


def _leaf(rng: random.Random, name: str) -> Tree:
    kind = _KINDS[name] if rng.random() < 0.85 else rng.choice(list(CONSTANTS))
    asked = rng.choice(["equal"] * 6 + ["ordered", "between", "between", "between", "one of", "held", "like"])
    if kind == Kind.STRING and rng.random() < 0.4:
        asked = "like"
    if rng.random() < 0.1:
        asked = rng.choice(["there", "some", "odd"])
    if asked == "some":
        arrays = rng.choice(["b d", "d"])
        places = [0, 0] if arrays == "d" else [rng.randrange(2), rng.randrange(2)]
        terms = {(place, rng.choice(["=", "<>", "<", ">="]), rng.choice(_NUMBERS[:4])) for place in places}
        return some(arrays, *terms, negated=rng.random() < 0.5)
    if asked == "odd":
        return tree_of("lower(c) = d" if rng.random() < 0.5 else "a + 1 > b")
    if asked == "there":
        return Predicate(name, rng.choice(_ASKED[asked]), Kind.NULL)
    constants = CONSTANTS[kind]
    if asked == "between" and kind not in (Kind.BOOL, Kind.STRING):
        low, high = sorted(rng.sample(constants, 2))
        above, below = (rng.choice(_ORDERED[first::2]) for first in (1, 0))
        return And((Predicate(name, above, kind, low), Predicate(name, below, kind, high)))
    if asked == "like":
        operator = rng.choice(_ASKED[asked])
        pattern = canonical(rng.choice(_PATTERNS))
        folded = operator in (Operator.ILIKE, Operator.NOT_ILIKE)
        return Predicate(name, operator, Kind.STRING, pattern.casefold() if folded else pattern)
    if asked == "one of":
        listed = {rng.choice(constants) for _ in range(4)}
        return Predicate(name, rng.choice(_ASKED[asked]), kind, tuple(sorted(listed)))
    operators = _ORDERED if asked == "ordered" and kind != Kind.BOOL else _ASKED.get(asked, _ASKED["equal"])
    return Predicate(name, rng.choice(operators), kind, rng.choice(constants))


def some_tree(rng: random.Random, depth: int = 2) -> Tree:
    """A filter in normal form of a few attributes and constants."""
    return normalise(_some_tree(rng, depth))


def _some_tree(rng: random.Random, depth: int) -> Tree:
    # Whatever is asked of one attribute twice is mostly a contradiction.
    names = rng.sample(_NAMES, rng.choice([1, 2, 2, 3]))
    children = tuple(
        [
            _leaf(rng, name) if depth == 0 or rng.random() < 0.7 else _some_tree(rng, depth - 1)
            for name in names
        ]
    )
    return And(children) if rng.random() < 0.75 else Or(children)


def some_event(rng: random.Random) -> Event:
    """An event of values at, beside and between the constants of `some_tree`."""
    values = {}
    for name in _NAMES:
        if rng.random() < 0.9:
            of_kind = CONSTANTS[_KINDS[name]]
            values[name] = rng.choice(of_kind if rng.random() < 0.6 else _VALUES)
            if _KINDS[name] == Kind.TIMESTAMP and type(values[name]) is int:
                values[name] = Timestamp(values[name])
    return Event(values)
