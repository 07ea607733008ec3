"""Every tree comes back from its bytes, equal trees have equal bytes, and no bytes do harm."""

from __future__ import annotations

import json
import random
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from siftmesh.errors import DamagedData, SubscriptionError
from siftmesh.filters import FilterReader
from siftmesh.language.dialects import DIALECTS
from siftmesh.logic.encode import decode_tree, encode_tree
from siftmesh.logic.lower import lower
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import And, Or, Tree
from siftmesh.model.encode import pack
from tests.effort import effort
from tests.reference.filters import conditions
from tests.reference.strategies import trees

CONFORMANCE = Path(__file__).parents[1] / "conformance"


def check(tree: Tree) -> bytes:
    data = encode_tree(tree)
    again = decode_tree(data)
    assert again == tree
    assert hash(again) == hash(tree)
    assert encode_tree(again) == data
    return data


@given(trees())
def test_a_tree_comes_back(tree: Tree) -> None:
    check(tree)
    check(normalise(tree))


@given(trees(max_leaves=4), trees(max_leaves=4))
def test_equal_trees_and_only_they_have_equal_bytes(one: Tree, other: Tree) -> None:
    assert (encode_tree(one) == encode_tree(other)) == (one == other)


@given(conditions())
def test_a_filter_of_the_language_comes_back(condition: Any) -> None:
    check(lower(condition))
    check(normalise(lower(condition)))


def filters(thing: Any) -> list[str]:
    """Whatever stands as a filter in the conformance cases."""
    if isinstance(thing, list):
        return [text for one in thing for text in filters(one)]
    if not isinstance(thing, dict):
        return []
    found = [text for one in thing.values() for text in filters(one)]
    return [*found, *(thing[key] for key in ("filter",) if isinstance(thing.get(key), str))]


def test_every_filter_of_the_conformance_cases_comes_back() -> None:
    reader = FilterReader()
    checked = 0
    for path in sorted((CONFORMANCE / "language").glob("*.json")):
        for text in filters(json.loads(path.read_text(encoding="utf-8"))):
            try:
                tree = reader.read(text)
            except SubscriptionError:
                continue
            check(tree)
            checked += 1
    assert checked > 300


@pytest.mark.parametrize("dialect", ["jms", "eventbridge", "cloudevents"])
def test_every_filter_of_the_dialects_comes_back(dialect: str) -> None:
    cases = json.loads((CONFORMANCE / f"{dialect}.json").read_text(encoding="utf-8"))
    reader = FilterReader()
    checked = 0
    for section in cases:
        for case in section["cases"]:
            try:
                tree = reader.read(case["filter"], dialect)
            except SubscriptionError:
                continue
            check(tree)
            checked += 1
    assert dialect in DIALECTS
    assert checked > 40


def judge(data: bytes) -> None:
    """Bytes are refused, or they are the one spelling of a tree."""
    try:
        tree = decode_tree(data)
    except DamagedData:
        return
    assert encode_tree(tree) == data


@given(st.binary(max_size=60))
@example(b"")
@example(b"\xdd\xff\xff\xff\xff\x01")
@example(b"\x91" * 5_000)
@example(b"\x93\x01\xa3\xed\xa0\x80\x00")
def test_any_bytes(data: bytes) -> None:
    judge(data)


TOKENS = st.one_of(
    st.integers(-7, 3),
    st.integers(0, 200),
    st.sampled_from(("a", "", "xs", "+", "lower", "negate", "%", "a%")),
    st.none() | st.booleans() | st.floats() | st.binary(max_size=2),
    st.lists(st.integers(0, 3) | st.sampled_from(("a", "b")), max_size=3),
)


@given(st.lists(TOKENS, max_size=12))
def test_any_tokens(tokens: list) -> None:
    judge(pack([1, *tokens]))


@given(trees(max_leaves=6), st.data())
def test_damaged_bytes(tree: Tree, data: st.DataObject) -> None:
    sound = encode_tree(tree)
    place = data.draw(st.integers(0, len(sound) - 1))
    byte = data.draw(st.integers(0, 255))
    judge(sound[:place] + bytes([byte]) + sound[place + 1 :])
    judge(sound[:place])
    judge(sound[:place] + sound[place + 1 :])


def test_many_damaged_bytes(seed: int) -> None:
    generator = random.Random(seed)
    tree = FilterReader().read(
        "price < 10 AND (title LIKE 'D%' OR n IN (1, 2, 3)) AND lower(t) = 'x' AND SOME (xs AS x: x > 1)"
    )
    sound = encode_tree(tree)
    for _ in range(effort(2_000)):
        damaged = bytearray(sound)
        for _ in range(generator.randint(1, 4)):
            damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        judge(bytes(damaged))


def seconds(data: bytes) -> float:
    best = float("inf")
    for _ in range(3):
        began = time.process_time()
        judge(data)
        best = min(best, time.process_time() - began)
    return best


@pytest.mark.parametrize(
    "hostile",
    [
        lambda size: pack([1, *([-1, 1] * size)]),
        lambda size: pack([1, -1, size, *([-1, 0] * size)]),
        lambda size: pack([1, 50, "n", list(range(size))]),
        lambda size: pack([1, 67, "n", "_%" * size]),
        lambda size: pack([1, 67, "n", "%_" * size]),
        lambda size: pack([1, -3, 20, size, *[f"{place:06d}" for place in range(size)], 0]),
        lambda size: pack([1, -3, 20, 1, "x", size, *[part for n in range(size) for part in (0, 42, n)]]),
        lambda size: pack([None] * size),
        lambda size: b"\x91" * size,
    ],
)
def test_reading_takes_time_in_proportion_to_the_bytes(hostile: Any) -> None:
    small, large = hostile(2_000), hostile(64_000)
    # 32 times as much: as much work for each byte would take about 32 times as long, its square 1,000 times.
    assert seconds(large) < 200 * max(seconds(small), 1e-4)


def test_a_wide_and_a_deep_tree_come_back() -> None:
    wide = Or(tuple(And(()) for _ in range(10_000)))
    assert decode_tree(encode_tree(wide)) == wide
