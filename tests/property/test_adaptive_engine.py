"""The default engine finds what the oracle finds, whatever it holds and whatever has happened to it.

Two ways of looking for a difference: any filters and events at all, and long lives with filters and events as
people have them, in which subscriptions move between chains, pairs, ranges and bitmaps.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.errors import EventError
from siftmesh.filters import FilterReader
from siftmesh.language import ast
from siftmesh.logic.lower import lower
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import Tree
from siftmesh.matching.adaptive import AdaptiveEngine
from siftmesh.matching.scan import ScanEngine
from siftmesh.model.event import Event
from tests.effort import effort, examples
from tests.reference.filters import conditions
from tests.reference.filters import events as raw_events
from tests.reference.strategies import events, events_meeting, trees


def answer(engine: AdaptiveEngine | ScanEngine, event: Any) -> list[int] | str:
    try:
        return sorted(engine.find(event))
    except EventError as error:
        return str(error)


def copied(engine: AdaptiveEngine) -> AdaptiveEngine:
    """The engine as it comes out of a file."""
    return AdaptiveEngine.from_arrays({name: array.copy() for name, array in engine.arrays().items()})


class Pair:
    """An engine and the oracle, told the same."""

    def __init__(self) -> None:
        self.engine = AdaptiveEngine()
        self.oracle = ScanEngine()
        self.held: dict[int, Tree] = {}

    def insert(self, number: int, tree: Tree) -> None:
        self.engine.insert(number, tree)
        self.oracle.insert(number, tree)
        self.held[number] = tree

    def delete(self, number: int) -> None:
        self.engine.delete(number)
        self.oracle.delete(number)
        del self.held[number]

    def check(self, event: Any) -> int:
        """Ask both; how many subscriptions were found."""
        found, expected = answer(self.engine, event), answer(self.oracle, event)
        if found != expected and isinstance(found, list) and isinstance(expected, list):
            wrong = set(found) ^ set(expected)
            told = [(self.held[number], self.engine.access(number)) for number in sorted(wrong)[:3]]
            raise AssertionError(f"{event}: {told} should be {expected}, not {found}")
        assert found == expected, event
        return len(found) if isinstance(found, list) else 0

    def check_trees(self) -> None:
        for number, tree in self.held.items():
            assert self.engine.tree(number) == tree


# ---- any filters, any events


@examples(100)
@given(
    st.lists(conditions(max_leaves=8), min_size=1, max_size=8),
    st.lists(raw_events(), min_size=1, max_size=5),
    st.randoms(use_true_random=False),
)
def test_any_filters_and_events(
    asked: list[ast.Condition], raws: list[dict[str, Any]], rng: random.Random
) -> None:
    check_life([normalise(lower(condition)) for condition in asked], raws, rng)


@examples(100)
@given(st.lists(trees(), min_size=1, max_size=8), st.lists(events(), min_size=1, max_size=3), st.data())
def test_any_trees_and_events(asked: list[Tree], known: list[Event], data: st.DataObject) -> None:
    held = [normalise(tree) for tree in asked]
    known += [data.draw(events_meeting(tree)) for tree in held]
    check_life(held, known, data.draw(st.randoms(use_true_random=False)))


def check_life(asked: list[Tree], known: list[Any], rng: random.Random) -> None:
    pair = Pair()
    numbers = iter(range(3, 1_000))
    for tree in asked:
        for _ in range(rng.randint(1, 2)):
            pair.insert(next(numbers), tree)
        if rng.random() < 0.3:
            pair.delete(rng.choice(list(pair.held)))
    pair.check_trees()
    for event in known:
        pair.check(event)
        found = answer(pair.oracle, event)
        for number in found if isinstance(found, list) else ():
            # What is met has been looked at.
            assert pair.engine.reached(number, event if isinstance(event, Event) else Event.of(event))
    assert all(pair.engine.access(number) for number in pair.held)
    # The same out of a file, of which the first engine hears nothing any more.
    kept = pair.engine
    before = [answer(kept, event) for event in known]
    pair.engine = copied(kept)
    pair.check_trees()
    for event in known:
        pair.check(event)
    for number in list(pair.held)[::2]:
        pair.delete(number)
    for event in known:
        pair.check(event)
    for tree in asked:
        pair.insert(next(numbers), tree)
    pair.engine.compact()
    for event in known:
        pair.check(event)
    pair.check_trees()
    assert [answer(kept, event) for event in known] == before


# ---- filters as people write them, for a long time

WORDS = ("alpha", "beta", "gamma", "delta", "eps", "zeta", "Harry", "Potter", "the", "of")
READER = FilterReader()


class Author:
    """Writes filters and events about the same things, so that a few of them meet."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.kinds: list[Callable[[], str]] = [
            lambda: f"cat = {self.cat()} AND fmt = {self.fmt()} AND cond = 'new' AND price < {self.number()}",
            lambda: f"{self.range('price')} AND {self.range('qty')}",
            lambda: f"fmt = {self.fmt()} AND {self.range('price', 0.5)}",
            lambda: f"fmt = {self.fmt()} AND cond = {self.cond()} AND {self.range('qty', 2)}",
            lambda: self.range("price", 0.3),
            lambda: f"{self.range('price', 0.3)} AND cond <> 'x' AND flag = {self.flag()}",
            lambda: (
                f"NOT (price BETWEEN {rng.randint(0, 50)} AND {rng.randint(40, 99)}) AND flag = {self.flag()}"
            ),
            lambda: f"title LIKE '%{self.word()}%{self.word()}%' AND qty <> {rng.randint(0, 5)}",
            lambda: f"title LIKE '{self.word()}%'",
            lambda: f"title LIKE '%{self.word()} {self.word()}%'",
            lambda: f"title ILIKE '%{self.word().upper()}'",
            lambda: f"tags CONTAINS '{self.word()}' AND cond = {self.cond()}",
            lambda: f"tags OVERLAPS ('{self.word()}', '{self.word()}') OR cat = {self.cat()}",
            lambda: f"cat IN ({self.cat()}, {self.cat()}, 'c3') AND price * 2 > {self.number()}",
            lambda: f"SOME (xs AS x, ys AS y: x >= {rng.randint(0, 5)} AND y <= {rng.randint(0, 5)})",
            lambda: f"rare{rng.randint(0, 30)} IS NOT NULL AND price > {self.number()}",
            lambda: f"cond = 'new' OR (flag = TRUE AND qty > {rng.randint(0, 90)})",
            lambda: f"qty IS NULL OR {self.range('price', 1)}",
            lambda: f"big = {self.big()} AND {self.range('big')}",
            lambda: f"big > {self.big()} AND big < 9007199254740999 AND cond <> 'x'",
            lambda: f"fmt <> 'f1' AND {self.range('qty')} AND title > '{self.word()}'",
            lambda: f"day >= {self.day(1, 5)} AND day < {self.day(5, 9)}",
        ]

    def filter(self) -> str:
        return self.rng.choice(self.kinds)()

    def cat(self) -> str:
        return f"'c{self.rng.randint(0, 20)}'"

    def fmt(self) -> str:
        return f"'f{self.rng.randint(0, 4)}'"

    def cond(self) -> str:
        return self.rng.choice(["'new'", "'used'"])

    def flag(self) -> str:
        return self.rng.choice(["TRUE", "FALSE"])

    def word(self) -> str:
        return self.rng.choice(WORDS)

    def big(self) -> str:
        return self.rng.choice(["9007199254740992", "9007199254740993", "9007199254740994", "7"])

    def day(self, first: int, last: int) -> str:
        return f"TIMESTAMP '2024-01-0{self.rng.randint(first, last)}'"

    def number(self) -> str:
        rng = self.rng
        if rng.random() < 0.03:
            return "9007199254740992.0"
        return rng.choice([str(rng.randint(0, 100)), f"{rng.uniform(0, 100):.2f}", "0", "9007199254740993"])

    def range(self, name: str, width: float = 0) -> str:
        rng = self.rng
        low = rng.uniform(0, 100)
        high = low + (width or rng.choice([0.5, 2, 30]))
        return f"{name} {rng.choice(['>=', '>'])} {low:.2f} AND {name} {rng.choice(['<=', '<'])} {high:.2f}"

    def event(self) -> dict[str, Any]:
        rng = self.rng
        event: dict[str, Any] = {}

        def put(name: str, value: Any, likely: float = 0.9) -> None:
            if rng.random() < likely:
                event[name] = value if rng.random() < 0.95 else None

        put("cat", f"c{rng.randint(0, 20)}")
        put("fmt", f"f{rng.randint(0, 4)}")
        put("cond", rng.choice(["new", "used"]))
        put("price", rng.choice([round(rng.uniform(0, 100), 2), rng.randint(0, 100)]))
        put("qty", rng.randint(0, 100))
        put("flag", rng.random() < 0.5)
        put("title", " ".join(rng.choice(WORDS) for _ in range(rng.randint(0, 4))))
        put("tags", [rng.choice(WORDS) for _ in range(rng.randint(0, 3))], 0.5)
        size = rng.randint(0, 3)
        put("xs", [rng.randint(0, 6) for _ in range(size)], 0.5)
        put("ys", [rng.randint(0, 6) for _ in range(size)], 0.5)
        put("big", rng.choice([2**53, 2**53 + 1, 2**53 + 3, 2**53 + 6, 7, 5.0, 50.5]), 0.4)
        put("day", f"2024-01-0{rng.randint(1, 9)}T{rng.randint(10, 23)}:00:00Z", 0.5)
        if rng.random() < 0.3:
            event[f"rare{rng.randint(0, 30)}"] = 1
        if rng.random() < 0.05:
            event["price"] = "12"
        return event

    def table(self) -> pa.Table:
        """Events as a table, now and then with a dictionary, in pieces, or sliced."""
        rng = self.rng
        listed = [self.event() for _ in range(rng.randint(1, 60))]
        for event in listed:
            # A column has one type.
            for name, kind in (("price", float), ("big", int)):
                if event.get(name) is not None:
                    event[name] = kind(event[name])
        names = sorted({name for event in listed for name in event})
        table = pa.Table.from_pylist([{name: event.get(name) for name in names} for event in listed])
        if "cat" in names and rng.random() < 0.5:
            column = table["cat"].cast(pa.string()).dictionary_encode()
            table = table.set_column(names.index("cat"), "cat", column)
        if rng.random() < 0.5:
            table = pa.concat_tables([table.slice(0, 3), table.slice(3)])
        return table.slice(rng.randint(0, 2)) if rng.random() < 0.3 else table


class Life(Pair):
    """A long random life."""

    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.rng = rng
        self.author = Author(rng)
        self.free: list[int] = []
        self.next = 0
        self.matches = 0
        self.seen: Counter[str] = Counter()

    def step(self, step: int, steps: int) -> None:
        rng = self.rng
        if step in (steps // 6, steps // 2, 5 * steps // 6):
            self.warm_up()
        chance = rng.random()
        if chance < 0.55 or not self.held:
            self.come(rng.choice([1, 1, 90]) if step % 40 == 0 else 3)
        elif chance < 0.75:
            number = rng.choice(list(self.held))
            self.delete(number)
            self.free.append(number)
        elif chance < 0.96:
            self.matches += self.check(self.author.event())
        elif chance < 0.975:
            self.engine.compact()
        elif chance < 0.985:
            self.engine = copied(self.engine)
        else:
            self.check_table(self.author.table())

    def come(self, count: int) -> None:
        """Subscriptions of one kind, some under numbers that had belonged to others."""
        write = self.rng.choice(self.author.kinds)
        for _ in range(count):
            if self.free and self.rng.random() < 0.7:
                number = self.free.pop()
            else:
                number = self.next
                self.next += 1
            self.insert(number, READER.read(write()))

    def warm_up(self) -> None:
        """So many events that plans are made by what they had."""
        for _ in range(1_100):
            self.engine.find(self.author.event())
        if self.rng.random() < 0.5:
            self.engine.compact()
        else:
            # Moved one by one, with questions in between.
            while self.engine.tend(20):
                self.matches += self.check(self.author.event())

    def check_table(self, table: pa.Table) -> None:
        bounds, numbers = self.engine.find_batch(table)
        assert len(bounds) == table.num_rows + 1
        for row, event in enumerate(table.to_pylist()):
            found = sorted(numbers[bounds[row] : bounds[row + 1]].tolist())
            assert found == sorted(self.oracle.find(event)), event
            self.matches += len(found)

    def look(self) -> None:
        """Count in what ways subscriptions wait."""
        for number in self.held:
            access = self.engine.access(number)
            for sign in (" AND ", "bitmap", "every event", "IS NOT NULL", "LIKE", " = ", "BETWEEN", " >"):
                self.seen[sign] += sign in access


def test_long_lives(seed: int) -> None:
    seen: Counter[str] = Counter()
    steps = 420
    for life in range(effort(4, soak=200)):
        rng = random.Random(seed + life)
        living = Life(rng)
        for step in range(steps):
            living.step(step, steps)
        living.check_trees()
        living.look()
        for number in list(living.held):
            living.delete(number)
        assert living.check(living.author.event()) == 0
        assert living.matches > steps
        seen += living.seen
    # All ways of waiting were there, or this would show nothing about them.
    assert all(seen[sign] for sign in (" AND ", "bitmap", "every event", "IS NOT NULL", "LIKE", " = ")), seen
