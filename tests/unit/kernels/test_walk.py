"""What an event meets, by any way in which rows can be found, against asking each filter."""

from __future__ import annotations

import random
from itertools import groupby
from typing import Any

import numpy as np
import pytest

from siftmesh.kernels.follow import FULL
from siftmesh.kernels.layout import (
    A_SLOT,
    A_TAG,
    A_USES,
    GRAM,
    H_KEYS,
    H_PAIR_COUNT,
    KEYS,
    N_EVENTS,
    N_MATCHES,
    N_PROBES,
    N_ROWS,
    N_SAMPLED,
    PREFIX,
    SAMPLE,
    SEEN,
    SUFFIX,
    T_COUNT,
    T_KEYS,
    T_PRESENT,
    T_TEXTS,
    T_USES,
)
from siftmesh.logic.evaluate import holds
from siftmesh.model.event import Event
from siftmesh.model.values import Timestamp
from tests.effort import effort
from tests.reference.arrays import fenced, is_fenced
from tests.reference.cells import key_of
from tests.reference.rows import Rows, by_chance, joined, parked, rarest, some_event, some_tree, tree_of


def filled(rng: random.Random, count: int = 60) -> Rows:
    """Rows of filters, each with an access and constants of the program by chance."""
    rows = Rows()
    choose = by_chance(rng)
    for sub in rng.sample(range(2 * count), count):
        rows.add_some(sub, some_tree(rng), choose, rng)
    return rows


def listed(choose: Any, *sources: str) -> Rows:
    """Rows of these filters, numbered as they are listed."""
    rows = Rows()
    for sub, source in enumerate(sources):
        tree = tree_of(source)
        rows.add(sub, tree, rows.program(tree, choose))
    return rows


def met(rows: Rows, **values: Any) -> list[int]:
    """What an event meets, that is sure."""
    event = Event(values)
    codes = rows.found(event)
    rows.judge(codes, event)
    return sorted(codes)


def test_what_an_event_meets_is_found_by_any_access(seed: int) -> None:
    rng = random.Random(seed)
    found = 0
    for _ in range(effort(30)):
        rows = filled(rng)
        for number in range(30):
            event = some_event(rng)
            codes = rows.found(event)
            rows.judge(codes, event)
            found += len(codes)
            if number % 3 == 0 and rows.trees:
                rows.remove(rng.choice(list(rows.trees)))
    assert found > 50


def test_a_value_is_no_element_and_an_element_no_value() -> None:
    sources = [
        "a = 0",
        "a CONTAINS 0",
        "a IN (0, 5)",
        "a OVERLAPS (0, 5)",
        "a = 0 AND b > 1",
        "a CONTAINS 0 AND b > 1",
        "NOT a CONTAINS 1 AND b > 1",
        "a <> 1 AND b > 1",
    ]
    for choose in (rarest, joined):
        rows = listed(choose, *sources)
        assert met(rows, a=0, b=2) == [0, 2, 4, 7]
        assert met(rows, a=(0,), b=2) == [1, 3, 5, 6]
        assert met(rows, a=(0, 0, 5), b=2) == [1, 3, 5, 6]
        assert met(rows, a=(), b=2) == [6]
        assert met(rows, a=(1, 0), b=2) == [1, 3, 5]
        assert met(rows, a="0", b=2) == []
        assert met(rows, b=2) == []


def test_strings_that_are_elements_and_strings_that_are_values() -> None:
    rows = listed(rarest, "a = 'x'", "a CONTAINS 'x'", "a LIKE 'x%'", "a OVERLAPS ('x', 'y')")
    assert met(rows, a="x") == [0, 2]
    assert met(rows, a=("x", "x")) == [1, 3]
    assert met(rows, a=("y", None)) == [3]
    assert met(rows, a="xy") == [2]


def test_rows_that_wait_for_nothing_are_not_looked_at(seed: int) -> None:
    rng = random.Random(seed)
    rows = Rows()
    for sub in range(40):
        tree = some_tree(rng)
        rows.add(sub, tree, rows.program(tree, parked if sub % 2 else rarest))
    others = {sub: tree for sub, tree in rows.trees.items() if sub % 2 == 0}
    for _ in range(effort(50)):
        event = some_event(rng)
        rows.judge(rows.found(event), event, others)


TEXTS = ["", "a", "ab", "abc", "abcd", "abcabc", "xabcdefghy", "abcdefgh", "aaaaaaaaaaaa", "é漢é漢é", "b"]
PATTERNS = ["%", "a%", "%a", "%a%", "ab%", "%abc%", "%abcd%", "a%b%c", "%abcdefgh%", "%bcdefghy", "%aaa%"]
PATTERNS += [
    "%aaaaaaaa%",
    "_bc",
    "a_c%",
    "%é%",
    "%漢é漢%",
    "x%y",
    "abc",
    "%" + "a" * 40 + "%",
    "a" * 33 + "%",
]


def test_patterns_are_found_by_what_strings_begin_end_and_are_about() -> None:
    rows = listed(rarest, *(f"a LIKE '{pattern}'" for pattern in PATTERNS), "a LIKE '%ab%' OR a LIKE '%bc%'")
    for text in [*TEXTS, "a" * 33, "a" * 60, "x" + "a" * 40, 0, ("abc",)]:
        assert met(rows, a=text) == sorted(
            sub for sub, tree in rows.trees.items() if holds(tree, Event({"a": text}))
        )
    assert met(rows, b="abc") == []
    # Others wait for other lengths, in a slot of their own.
    assert met(listed(rarest, "a LIKE 'abc%'", "b LIKE '%c'"), a="abcd", b="c") == [0, 1]


MOMENT = "TIMESTAMP '2020-01-01T12:00:0{}Z'"
RANGES = [
    "a BETWEEN 1 AND 3",
    "a > 1 AND a < 3",
    "a >= 1 AND a < 1.5",
    "a BETWEEN 9007199254740992 AND 9007199254741492",
    "a > 9007199254740992 AND a < 9007199254741192",
    f"a BETWEEN {MOMENT.format(1)} AND {MOMENT.format(3)}",
    "b = 1 AND a BETWEEN 1 AND 3",
    "b = 1 AND a > 9007199254740992 AND a <= 9007199254741192",
    "b = 1 AND a BETWEEN -1e300 AND 1e300",
    f"b = 1 AND a > {MOMENT.format(1)} AND a < {MOMENT.format(3)}",
    "b = 1 AND c = 2",
    "b = 'x' AND c = 2 AND a > 0",
    "(b = 1 AND c = 2) OR (a BETWEEN 1 AND 3 AND c = 3)",
]
VALUES: list[Any] = [0, 1, 1.4, 2, 3, 4, 2**53, 2**53 + 1, 2**53 + 2, 2**53 + 3, 1e300, -1e300, float("inf")]
VALUES += [
    None,
    "x",
    (1, 2),
    "2020-01-01T12:00:02Z",
    "2020-01-01T12:00:01Z",
    Timestamp(1_577_880_002_000_000),
]


def test_ranges_and_pairs_are_found() -> None:
    rows = listed(joined, *RANGES)
    assert rows.header(H_PAIR_COUNT) > 2
    assert all(program.access.joined for program in rows.programs.values())
    for value in VALUES:
        for other in (1, "x", None, (1,)):
            for third in (2, 3):
                expected = Event({"a": value, "b": other, "c": third})
                assert met(rows, a=value, b=other, c=third) == sorted(
                    sub for sub, tree in rows.trees.items() if holds(tree, expected)
                )
    assert met(rows, a=2) == [0, 1]
    assert met(rows, b=1) == []


def test_a_number_between_two_keys_lies_in_the_blocks_of_both() -> None:
    low, high = 2**53, 2**53 + 2_000
    rows = listed(joined, f"a BETWEEN {low} AND {high}", f"b = 1 AND a > {low + 1_000} AND a < {high}")
    for value in range(low - 5, high + 5):
        expected = [0] if low <= value <= high else []
        assert met(rows, a=value, b=1) == expected + ([1] if low + 1_000 < value < high else [])
    # Of two keys only the second belongs to the range, and that is the first of a block.
    for edge in (2, 8, 32, 128, 512):
        below = low + 2 * (edge - 1)
        for more in (4, 20, 200):
            bounds = f"a > {below} AND a < {below + 2 * more}"
            rows = listed(joined, f"{bounds} AND c IS NULL", f"{bounds} AND b = 1")
            assert met(rows, a=below, b=1) == []
            assert met(rows, a=below + 1, b=1) == [0, 1]
            assert met(rows, a=below + 2 * more - 1, b=1) == [0, 1]


def test_where_no_more_can_be_paired_rows_are_found_nevertheless() -> None:
    # Each width of a range is a way to pair of its own, and each pair of attributes.
    names = [f"n{number}" for number in range(12)]
    sources = [f"{one} = 1 AND {other} = 2" for place, one in enumerate(names) for other in names[:place]]
    sources += [f"{name} = 1 AND z BETWEEN 1 AND {1 + 2.0**-power}" for name in names for power in (10, 20)]
    rows = listed(joined, *sources)
    rows.check()
    before = rows.header(H_PAIR_COUNT)
    for values in ({"n5": 1, "n3": 2}, {"n11": 1, "z": 1}, {"n11": 1, "n9": 2, "z": 1 + 2.0**-15}):
        assert met(rows, **values)
    assert met(rows, **dict.fromkeys(names, 1)) == []
    for sub in list(rows.trees):
        rows.remove(sub)
    rows.check()
    assert rows.atoms() == []
    assert rows.header(H_PAIR_COUNT) == before < len(sources)


def test_an_event_whose_matches_have_no_room_is_done_again(seed: int) -> None:
    rng = random.Random(seed)
    rows = filled(rng, 40)
    for _ in range(effort(15)):
        event = some_event(rng)
        codes = rows.found(event)
        rows.put(event)
        answers, matches = [], int(rows.counters[N_MATCHES])
        for room in range(3, 2 * len(rows.trees)):
            out = fenced(room, np.int32)
            out[:3] = 5
            after = rows.walk(out, 3)
            answers.append(after)
            assert is_fenced(out)
            assert out[:3].tolist() == [5] * 3
            if after != FULL:
                assert after == 3 + len(codes)
                assert sorted(out[3:after].tolist()) == sorted(codes)
                assert rows.counters[N_MATCHES] == matches + len(codes)
                break
        assert answers[:-1] == [FULL] * (len(answers) - 1)
        assert answers[-1] != FULL


def test_work_is_counted() -> None:
    rows = listed(rarest, "a = 1", "a = 1 AND b = 2", "a = 2", "c > 1")
    rows.add(4, tree_of("a = 1"), next(iter(rows.programs.values())))
    assert met(rows, a=1, b=3) == [0, 4]
    counts = rows.counters.tolist()
    # One chain, all of its rows.
    assert [counts[which] for which in (N_PROBES, N_ROWS, N_MATCHES, N_EVENTS)] == [1, 3, 2, 1]
    # Where there is null nothing is present.
    assert met(rows, c=None, a="x") == []
    rows.counters[N_EVENTS] -= 1
    assert met(rows, c=2) == [3]
    counts = rows.counters.tolist()
    assert [counts[which] for which in (N_PROBES, N_ROWS, N_MATCHES, N_EVENTS)] == [2, 4, 3, 2]
    # An event that is to be done again is none yet.
    rows.put(Event({"a": 1}))
    assert rows.walk(np.zeros(1, np.int32)) == FULL
    assert rows.counters[N_EVENTS] == 2


class Noted:
    """What is noted of some events, from what the pools hold."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.held: dict[tuple[str, int], int] = {}
        self.seen: dict[str, list[Any]] = {name: [0, 0, 0, [], []] for name in rows.pools.slots}

    def note(self, event: Event) -> None:
        for name, value in event.values.items():
            if value is None or name not in self.seen:
                continue
            seen = self.seen[name]
            seen[0] += 1
            seen[1] += self.uses_of(name, value)
            if isinstance(value, str):
                seen[2] += self.uses_of_texts(name, value.encode())
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                seen[3].append(key_of(value))
            elif isinstance(value, Timestamp):
                seen[3].append(value.micros)

    def uses_of(self, name: str, value: Any) -> int:
        """How often an equality with a value is held, whatever form it has."""
        put = Event({name: value})
        self.rows.put(put)
        atom = int(self.rows.cells[4 * self.rows.pools.slots[name]]) >> 8
        return self.rows.record(atom)[A_USES] if atom else 0

    def uses_of_texts(self, name: str, text: bytes) -> int:
        slot, total = self.rows.pools.slots[name], 0
        known: dict[int, dict[bytes, int]] = {PREFIX: {}, SUFFIX: {}, GRAM: {}}
        for atom in self.rows.atoms():
            record = self.rows.record(atom)
            if record[A_SLOT] == slot and record[A_TAG] in known:
                span = int(self.rows.pools.longs[self.rows.header(H_KEYS) + atom])
                held = self.rows.pools.heap[span >> 32 : (span >> 32) + (span & 0xFFFFFFFF)].tobytes()
                known[record[A_TAG]][held] = record[A_USES]
        total += sum(uses for held, uses in known[PREFIX].items() if text.startswith(held))
        total += sum(uses for held, uses in known[SUFFIX].items() if text.endswith(held))
        for size in {len(held) for held in known[GRAM]}:
            stretches = [text[at : at + size] for at in range(len(text) - size + 1)]
            met = [stretch for stretch in stretches if stretch in known[GRAM]]
            # One that is met again before any other counts once.
            total += sum(known[GRAM][stretch] for stretch, _ in groupby(met))
        return total


def test_one_of_so_many_events_is_noted(seed: int) -> None:
    rng = random.Random(seed)
    sources = [
        "a = 1",
        "a = 1 AND b = 2",
        "a = 3",
        "c = 'abc'",
        "c LIKE '%bcb%'",
        "c LIKE '%aaa%'",
        "c LIKE '%abcdefgh%'",
        "c LIKE '%bc'",
        "c LIKE 'a%'",
    ]
    rows = listed(rarest, *sources, "c LIKE '%bcd%' AND b > 1", "c LIKE '%aaa%' AND b > 2", "b > 3")
    noted = Noted(rows)
    values: dict[str, list[Any]] = {
        "a": [1, 2, 3, None, "x"],
        "b": [2, 5, Timestamp(7), (1, 2)],
        "c": ["abc", "bcbcbc", "aaaaa", "bcbaaabcb", "xabcdefghabc", "", 4, True],
    }
    for number in range(1, SAMPLE * 4 * KEYS):
        event = Event({name: rng.choice(of) for name, of in values.items() if rng.random() < 0.9})
        if number % SAMPLE == 0:
            noted.note(event)
        rows.found(event)
        assert rows.counters[N_SAMPLED] == number // SAMPLE
    wrapped = False
    for name, (present, uses, texts, keys, _) in noted.seen.items():
        seen = rows.seen[SEEN * rows.pools.slots[name] :][:SEEN].tolist()
        assert [seen[T_PRESENT], seen[T_USES], seen[T_TEXTS], seen[T_COUNT]] == [
            present,
            uses,
            texts,
            len(keys),
        ]
        last = [0] * KEYS
        for place, key in enumerate(keys):
            last[place % KEYS] = key
        assert seen[T_KEYS : T_KEYS + KEYS] == last
        wrapped = wrapped or len(keys) > KEYS
    assert noted.seen["c"][2] > 0
    assert wrapped


@pytest.mark.parametrize("choose", [rarest, joined])
def test_an_empty_index_finds_nothing(choose: Any) -> None:
    rows = listed(choose, "a = 1 AND b = 2")
    assert rows.remove(0)
    assert rows.found(Event({"a": 1, "b": 2})) == []
    assert Rows().found(Event({"a": 1})) == []
