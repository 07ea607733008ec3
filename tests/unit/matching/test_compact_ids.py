"""Ids in arrays: what the plain table does, for millions."""

from __future__ import annotations

import random
from time import process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from siftmesh.errors import ConfigError, DuplicateId, UnknownId
from siftmesh.matching.compact_ids import CompactIds
from siftmesh.matching.ids import SimpleIds
from tests.effort import effort


def drawn(rng: random.Random) -> Any:
    """An id, of few enough that they come again."""
    form = rng.randrange(6)
    if form < 2:
        return rng.randrange(-40, 40) * (2**40 if form else 1)
    if form < 4:
        longest = rng.choice([3, 20, 2_000])
        return "".join(rng.choice("abcäß\U0001f600") for _ in range(rng.randrange(longest)))
    return rng.choice([1.0, True, 1.5, None, (1, 2), b"x", "\ud800", 2**70, frozenset([1])])


def columns(rng: random.Random) -> Any:
    form = rng.randrange(5)
    if form == 0:
        return [rng.randrange(-1_000, 1_000) for _ in range(rng.randrange(200))]
    if form == 1:
        return [str(rng.randrange(1_000)) for _ in range(rng.randrange(9))]
    if form == 2:
        return pa.array(rng.sample(range(5_000, 9_000), rng.randrange(300)), pa.int64())
    if form == 3:
        return pa.array([f"id {n}" for n in rng.sample(range(2_000), rng.randrange(40))], pa.string()).slice(
            1
        )
    return [drawn(rng) for _ in range(rng.randrange(6))]


def result(use: Any, *arguments: Any) -> Any:
    try:
        use(*arguments)
    except (DuplicateId, UnknownId) as error:
        return str(error)
    return None


def test_it_does_what_the_plain_table_does(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(3)):
        plain: SimpleIds = SimpleIds()
        compact = CompactIds()
        pinned: list[tuple[Any, list[int], list[int], list[Any]]] = []
        for step in range(1_500):
            form = rng.randrange(12)
            if form < 4:
                id = drawn(rng)
                assert result(plain.take, id) == result(compact.take, id)
            elif form < 5:
                ids = columns(rng)
                assert result(plain.take_many, ids) == result(compact.take_many, ids)
            elif form < 8:
                id = rng.choice(list(plain)) if len(plain) and rng.random() < 0.8 else drawn(rng)
                assert result(plain.give_back, id) == result(compact.give_back, id)
            elif form == 8:
                known = list(plain)
                found = compact.of([compact[id] for id in known])
                assert [(id, type(id)) for id in found] == [(id, type(id)) for id in known]
                id = drawn(rng)
                assert (plain.find(id) < 0) == (compact.find(id) < 0)
                assert len(plain) == len(compact)
                assert set(plain) == set(compact)
            elif form == 9:
                known = list(plain)
                pins = plain.numbers.pin(), compact.numbers.pin()
                pinned.append((pins, [plain[id] for id in known], [compact[id] for id in known], known))
            elif form == 10 and pinned:
                _, simply, compactly, known = pinned.pop(rng.randrange(len(pinned)))
                assert plain.of(simply) == known == compact.of(compactly)
            elif step % 50 == 0:
                compact.compact()
            elif step % 50 == 1 and len(plain) > 500:
                for id in list(plain)[::2]:
                    plain.give_back(id)
                    compact.give_back(id)
        for _, simply, compactly, known in pinned:
            assert plain.of(simply) == known == compact.of(compactly)


def test_a_plain_table_becomes_compact_with_all_that_is_minded() -> None:
    plain = SimpleIds()
    plain.take_many(["a", 1, (2,), "b", 5])
    pin = plain.numbers.pin()
    for id in ("a", (2,), 5):
        plain.give_back(id)
    plain.take("a")
    compact = CompactIds.like(plain)
    assert compact.of(range(6)) == ["a", 1, (2,), "b", 5, "a"]
    assert {id: compact[id] for id in compact} == {1: 1, "b": 3, "a": 5}
    compact.compact()
    assert compact.of(range(6)) == ["a", 1, (2,), "b", 5, "a"]
    del pin
    assert {compact.take(n) for n in (10, 11, 12)} == {0, 2, 4}


@pytest.mark.parametrize(
    "column",
    [
        [3, 4, 3],
        pa.array([3, 4, 3]),
        pa.array([3, 4, 3], pa.uint8()),
        ["x", "", "x"],
        pa.array(["x", "", "x"]),
        pa.array(["x", "", "x"], pa.string_view()),
        pa.array([None, 1, None]),
        [(1,), 1, (1,)],
        range(1, 4),
    ],
)
def test_a_refused_column_leaves_nothing(column: Any) -> None:
    ids = CompactIds()
    ids.take_many([2, "y", None] if column == range(1, 4) else ["y", "z"])
    had = sorted(map(str, ids))
    with pytest.raises(DuplicateId, match=r"^row \d: there is already a subscription"):
        ids.take_many(column)
    assert sorted(map(str, ids)) == had
    assert result(ids.take, 77) is None


def test_ids_come_back_from_arrays() -> None:
    ids = CompactIds()
    ids.take_many(list(range(0, 5_000, 3)))
    ids.take_many([f"text {n}" for n in range(2_000)])
    ids.take_many([None, b"x", (1, ("a", 2.5)), 0.25, True] if 1 not in ids else [])
    for number in range(0, 5_000, 9):
        ids.give_back(number)
    again = CompactIds.from_arrays({name: array.copy() for name, array in ids.arrays().items()})
    assert {id: again[id] for id in again} == {id: ids[id] for id in ids}
    assert len(again) == len(ids)
    again.take("text 2000")
    again.give_back("text 7")
    assert "text 7" not in set(again)
    ids.take(frozenset([1]))
    with pytest.raises(ConfigError, match="the id frozenset"):
        ids.arrays()


def test_ids_as_an_arrow_array() -> None:
    ids = CompactIds()
    numbers = np.array([1, 0, 1], np.int32)
    assert ids.to_arrow(numbers[:0]).type == pa.int64()
    ids.take_many([5, -7])
    assert ids.to_arrow(numbers).equals(pa.array([-7, 5, -7]))
    ids.take("x")
    with pytest.raises(ConfigError, match="these are int, str"):
        ids.to_arrow(numbers)
    texts = CompactIds()
    texts.take_many(["", "ü" * 50])
    assert texts.to_arrow(numbers).equals(pa.array(["ü" * 50, "", "ü" * 50]))
    assert texts.to_arrow(numbers[:0]).type == pa.string()
    texts.take(None)
    with pytest.raises(ConfigError, match="NoneType, str"):
        texts.to_arrow(numbers)


def test_churn_takes_no_more_room() -> None:
    ids = CompactIds()
    sizes = []
    for turn in range(5):
        for number in range(3_000):
            ids.take(f"{turn} {number}" * 4)
        held = ids.memory()
        sizes.append(held["ids by number"] + held["bytes of ids"] + held["numbers by id"])
        for id in list(ids):
            ids.give_back(id)
    assert max(sizes) == sizes[0]
    ids.compact()
    assert ids.memory()["bytes of ids"] < 100


def test_a_million_are_taken_quickly_and_are_small() -> None:
    count = 1_000_000
    ints = np.random.default_rng(1).permutation(10 * count)[:count]
    for column, most in ((pa.array(ints), 24), (pa.array([f"s{n}" for n in range(count)]), 44)):
        ids = CompactIds()
        ids.take_many(column.slice(0, 10))
        began = process_time()
        ids.take_many(column.slice(10))
        assert process_time() - began < 3, "a busy machine may take three times as long as a free one"
        assert sum(ids.memory().values()) / count < most
        assert ids.find(column[count // 2].as_py()) == count // 2


@pytest.mark.parametrize("table", [SimpleIds, CompactIds])
@pytest.mark.parametrize("subscription", [[], {}, (1, []), "x", 5, 2**70])
def test_what_is_not_there_is_not_given_back(table: Any, subscription: Any) -> None:
    ids = table()
    ids.take(7)
    with pytest.raises(UnknownId, match="there is no subscription"):
        ids.give_back(subscription)
    assert len(ids) == 1
