"""Rows of a template taken in at once are the rows bound one by one, or it is left to that."""

from __future__ import annotations

import random
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from siftmesh.errors import SubscriptionError
from siftmesh.filters import FilterReader
from siftmesh.logic.template import Template
from siftmesh.matching.adaptive import AdaptiveEngine
from siftmesh.matching.bulk import plan_of, side_by_side
from siftmesh.matching.engine import bound_rows
from siftmesh.matching.scan import ScanEngine
from tests.effort import effort

READER = FilterReader()
BIG = 2**53

# Templates that are taken in at once, where their columns let them; by the sorts of their parameters.
AT_ONCE: dict[str, str] = {
    "s = :s": "s",
    "a < :a": "n",
    "a >= :a AND s <> :s": "ns",
    "a > :a AND a <= :b": "nn",
    "a BETWEEN :a AND :b": "nn",
    "NOT (a BETWEEN :a AND :b) AND c = 'new'": "nn",
    "a = :a OR b = :a": "n",
    "a = :a OR a = :b": "nn",
    "s = :s AND (a < :a OR b > :a)": "sn",
    "s = 'x' AND a < :a AND title LIKE 'the %'": "n",
    "s IN ('x', 'y') AND a <> :a AND flag = TRUE": "n",
    "xs CONTAINS :a AND tags CONTAINS :s": "ns",
    "NOT tags CONTAINS :s": "s",
    "SOME (xs AS x, ys AS y: x >= :a AND y < :b)": "nn",
    "SOME (xs AS x: x > :a AND x <= :b)": "nn",
    "NOT SOME (xs AS x: x = :a)": "n",
    "s > :s AND s < :t": "ss",
    "s IS NULL OR s = :s": "s",
    "a + 1 > 3 AND s = :s": "s",
    "a = 1048583000 AND s = :s": "s",
    "s LIKE '%' AND a = :a": "n",
    "a = 9007199254740993 AND b < 9007199254740993 AND s = :s": "s",
    "d >= TIMESTAMP '2024-01-01T12:00:00Z' AND s = :s": "s",
    "a = 1 AND s = 'x'": "",
    "title LIKE 'the %' AND a < :a": "n",
    "title LIKE '%titl%' AND a < :a": "n",
    "title LIKE '%e title' AND s LIKE '%_%' AND a < :a": "n",
    "tags OVERLAPS ('x', 'y') AND a < :a": "n",
    "d >= :s": "s",
    "s = :s OR title LIKE 'the %' OR c IN ('old', 'new')": "s",
    "TRUE = TRUE OR s = :s": "s",
}
# And those whose rows are bound one by one.
ONE_BY_ONE: dict[str, str] = {
    "s LIKE :s": "s",
    "s ILIKE :s": "s",
    "s IN (:s, 'x')": "s",
    "s IN (:s, :t)": "ss",
    "tags OVERLAPS (:s, :t)": "ss",
    "a * 2 > :a": "n",
    "a > :a * 2 AND s = :s": "ns",
    "lower(s) = :s AND a = :a": "sn",
    "a = :a AND b + :a > 0": "n",
    "SOME (xs AS x: x <> :a AND x <> :b)": "nn",
    "SOME (xs AS x: x <> :a AND x <> 2)": "n",
    "s LIKE :s ESCAPE '!'": "s",
}
NUMBERS: list[Any] = [0, 1, -1, 2, 3, 100]
WORDS = ["x", "y", "", "ab", "größer", "it's", "100%", "a_b", "x" * 300, "\0"]
COLUMNS: dict[str, list[Any]] = {
    "n": [
        lambda rng: pa.array([rng.choice(NUMBERS) for _ in range(ROWS)]),
        lambda rng: pa.array([rng.choice(NUMBERS) for _ in range(ROWS)], pa.int8()),
        lambda rng: pa.array([rng.choice([*NUMBERS, BIG, -BIG, BIG - 1]) for _ in range(ROWS)]),
        lambda rng: pa.array(
            [rng.choice([0.5, -0.0, 1.0, 2.5, 1e300, 5e-324, 2.0**63]) for _ in range(ROWS)]
        ),
        lambda rng: pa.array(np.float32([rng.choice([0.5, 1.0, 0.1]) for _ in range(ROWS)])),
        lambda rng: pa.array([abs(rng.choice(NUMBERS)) for _ in range(2 * ROWS)], pa.uint64()).slice(3, ROWS),
    ],
    "s": [
        lambda rng: pa.array([rng.choice(WORDS) for _ in range(ROWS)]),
        lambda rng: pa.array([rng.choice(WORDS) for _ in range(2 * ROWS)], pa.large_string()).slice(5, ROWS),
        lambda rng: pa.array([rng.choice(WORDS) for _ in range(ROWS)]).dictionary_encode(),
    ],
}
ROWS = 40


def template_of(text: str) -> Template:
    return READER.template(text)


def some_columns(template: Template, sorts: str, rng: random.Random) -> dict[str, pa.Array]:
    return {
        name: rng.choice(COLUMNS[sort])(rng) for name, sort in zip(template.parameters, sorts, strict=True)
    }


def some_event(rng: random.Random) -> dict[str, Any]:
    number = [*NUMBERS, 0.5, 2.5, BIG, BIG + 1, 1e300, 1048583000]
    event: dict[str, Any] = {
        "a": rng.choice(number),
        "b": rng.choice(number),
        "c": "new",
        "s": rng.choice(WORDS),
        "title": "the title",
        "flag": True,
        "tags": [rng.choice(WORDS) for _ in range(rng.randrange(3))],
        "xs": [rng.choice(number) for _ in range(2)],
        "ys": [rng.choice(number) for _ in range(2)],
        "d": datetime(2024, 1, rng.randint(1, 2), 12, tzinfo=UTC),
    }
    return {name: value for name, value in event.items() if rng.random() < 0.8}


def check(template: Template, columns: dict[str, pa.Array], count: int, rng: random.Random) -> None:
    """Rows in bulk are found and given back as the rows bound one by one."""
    numbers = rng.sample(range(2 * count + 5), count)
    engine, oracle = AdaptiveEngine(), ScanEngine()
    # Somebody is there already, who is not to be disturbed.
    other = READER.read("s = 'x' OR a = 1")
    for one in (engine, oracle):
        one.insert(2 * count + 7, other)
        one.insert_rows(numbers, template, columns)
    trees = bound_rows(template, columns, count)
    assert [engine.tree(number) for number in numbers] == trees
    kept = AdaptiveEngine.from_arrays({name: array.copy() for name, array in engine.arrays().items()})
    assert [kept.tree(number) for number in numbers] == trees
    events = [some_event(rng) for _ in range(12)]
    for event in events:
        assert sorted(engine.find(event)) == sorted(oracle.find(event)), event
    for number in numbers[::2]:
        engine.delete(number)
        oracle.delete(number)
    for event in events:
        assert sorted(engine.find(event)) == sorted(oracle.find(event)), event
    assert [engine.tree(number) for number in numbers[1::2]] == trees[1::2]
    for number in (*numbers[1::2], 2 * count + 7):
        engine.delete(number)
    assert not any(engine.find(event) for event in events)


@pytest.mark.parametrize("text", AT_ONCE)
def test_rows_at_once_are_the_rows_one_by_one(text: str, seed: int) -> None:
    rng = random.Random(seed)
    template = template_of(text)
    for _ in range(effort(3)):
        columns = some_columns(template, AT_ONCE[text], rng)
        assert plan_of(template, columns) is not None
        check(template, columns, ROWS, rng)


@pytest.mark.parametrize("text", ONE_BY_ONE)
def test_where_constants_do_more_than_stand_in_comparisons_rows_are_bound(text: str, seed: int) -> None:
    rng = random.Random(seed)
    template = template_of(text)
    columns = some_columns(template, ONE_BY_ONE[text], rng)
    assert plan_of(template, columns) is None
    check(template, columns, ROWS, rng)


def test_a_constant_that_equals_a_stand_in_is_still_that_constant(seed: int) -> None:
    template = template_of("a = 1048583000 AND b = :a")
    columns = {"a": pa.array([row % 3 for row in range(ROWS)])}
    plan = plan_of(template, columns)
    assert plan is None or 1048583000 not in plan.stand_ins
    check(template, columns, ROWS, random.Random(seed))
    engine = AdaptiveEngine()
    engine.insert_rows(range(ROWS), template, columns)
    assert len(engine.find({"a": 1048583000, "b": 0})) == 14


def test_rows_with_many_constants_and_with_long_lists(seed: int) -> None:
    rng = random.Random(seed)
    words = ", ".join(f"'word {number}'" for number in range(300))
    long = template_of(f"s IN ({words}, 'x') AND a < :a")
    many = template_of("s = :s AND " + " AND ".join(f"a{number} <> :p{number}" for number in range(80)))
    few = {"a": pa.array([row % 5 for row in range(ROWS)])}
    check(long, few, ROWS, rng)
    columns = {name: pa.array([rng.randrange(3) for _ in range(ROWS)]) for name in many.parameters}
    columns["s"] = pa.array([rng.choice(["x", "y"]) for _ in range(ROWS)])
    assert plan_of(many, columns) is not None
    check(many, columns, ROWS, rng)
    engine = AdaptiveEngine()
    engine.insert_rows(range(ROWS), many, columns)
    engine.insert_rows(range(ROWS, 2 * ROWS), long, few)
    event = {f"a{number}": 3 for number in range(80)} | {"s": "x", "a": 2}
    expected = [row for row in range(ROWS) if columns["s"][row].as_py() == "x"]
    expected += [ROWS + row for row in range(ROWS) if row % 5 > 2]
    assert sorted(engine.find(event)) == expected
    assert engine.find(event | {"a7": columns["p7"][expected[0]].as_py()}) != expected


@pytest.mark.parametrize(
    "column",
    [
        pa.array([1] * (ROWS - 1) + [None]),
        pa.array([1] * (ROWS - 1) + [BIG + 1]),
        pa.array([1] * (ROWS - 1) + [-BIG - 1]),
        pa.array([0.5] * (ROWS - 1) + [float("nan")]),
        pa.array([True, False] * (ROWS // 2)),
        pa.nulls(ROWS),
        pa.array(["x"] * (ROWS - 1) + [None]),
        pa.array(["x"] * (ROWS - 1) + [None]).dictionary_encode(),
        pa.DictionaryArray.from_arrays(pa.array([0, 1] * (ROWS // 2)), pa.array(["x", None])),
        pa.array([1, 2] * (ROWS // 2)).dictionary_encode(),
        pa.array([0.5, 2] * (ROWS // 2)).dictionary_encode(),
        pa.array([datetime(2024, 1, 1, 12, tzinfo=UTC)] * ROWS),
        pa.array(["x", "y"] * (ROWS // 2), pa.string_view()),
        pa.array(["x", "y"] * (ROWS // 2), pa.string_view()).cast(pa.string()).dictionary_encode(),
    ],
    ids=lambda column: f"{column.type} {column[-1]}",
)
def test_columns_of_any_values(column: pa.Array, seed: int) -> None:
    rng = random.Random(seed)
    for text in ("a = :p", "a <> :p AND s = 'x'", "s = :p OR a >= :p"):
        check(template_of(text), {"p": column}, ROWS, rng)


@pytest.mark.parametrize("wrong", [float("inf"), float("-inf"), 2**63, [1], b"x"])
def test_a_row_that_is_refused_is_named_and_no_row_is_taken(wrong: Any) -> None:
    kind = pa.uint64() if wrong == 2**63 else None
    right: Any = {float: 0.5, int: 1, list: [1], bytes: b"x"}[type(wrong)]
    first = right if type(wrong) in (float, int) else None
    column = pa.array([first] * 30 + [wrong] + [first] * 9, kind)
    template = template_of("a < :p AND s = :t")
    columns = {"p": column, "t": pa.array(["x"] * ROWS)}
    for engine in (AdaptiveEngine(), ScanEngine()):
        engine.insert(50, READER.read("s = 'x'"))
        with pytest.raises(SubscriptionError, match=r"^row 30: :p"):
            engine.insert_rows(range(ROWS), template, columns)
        assert engine.find({"a": 0, "s": "x"}) == [50]
        # Their numbers are free.
        engine.insert_rows(range(ROWS), template, {**columns, "p": pa.array([1] * ROWS)})
        assert len(engine.find({"a": 0, "s": "x"})) == ROWS + 1


def test_few_rows_and_none() -> None:
    template = template_of("s = :s AND a < :a")
    columns = {"s": pa.array(["x", "y", "x"]), "a": pa.array([1, 2, 3])}
    engine = AdaptiveEngine()
    engine.insert_rows([], template, {name: column.slice(0, 0) for name, column in columns.items()})
    engine.insert_rows([4, 2, 9], template, columns)
    assert sorted(engine.find({"s": "x", "a": 0})) == [4, 9]
    assert plan_of(template, {name: column.slice(0, 0) for name, column in columns.items()}) is None


@pytest.mark.parametrize("text", ["s = :s AND a < :a AND c = 'new'", "tags CONTAINS :s AND a >= :a"])
def test_many_rows_fill_many_chunks(text: str, seed: int) -> None:
    rng = random.Random(seed)
    count = effort(5_000)
    # One word that half of all rows wait for, and many that few wait for.
    words = [rng.choice(["x", f"word {rng.randrange(1_000)}"]) for _ in range(count)]
    bounds = [rng.randrange(1_000) for _ in range(count)]
    columns = {"s": pa.array(words), "a": pa.array(bounds, pa.int16())}
    template = template_of(text)
    engine = AdaptiveEngine()
    engine.insert_rows(
        range(count // 2), template, {name: column.slice(0, count // 2) for name, column in columns.items()}
    )
    engine.insert_rows(
        range(count // 2, count),
        template,
        {name: column.slice(count // 2) for name, column in columns.items()},
    )

    def matches(word: str, number: int, gone: int) -> list[int]:
        low = text.endswith("a < :a AND c = 'new'")
        return [
            row
            for row in range(count)
            if words[row] == word
            and (number < bounds[row] if low else number >= bounds[row])
            and (not gone or row % gone)
        ]

    for gone in (0, 3):
        if gone:
            for row in range(0, count, gone):
                engine.delete(row)
        for word in ("x", words[1], words[-2], "nobody"):
            for number in (0, 500, 998):
                event = {"s": word, "tags": [word], "a": number, "c": "new"}
                assert sorted(engine.find(event)) == matches(word, number, gone)
    for row in rng.sample([row for row in range(count) if row % 3], 20):
        assert engine.tree(row) == template.bind((words[row], bounds[row]))


@pytest.mark.parametrize("encode", [False, True])
@pytest.mark.parametrize("values", [["x", "y", "x", "z", "y"], [3, 1, 3, 2], [0.5, 0.25, 0.5], []])
def test_equal_values_are_put_side_by_side(values: list[Any], encode: bool) -> None:
    column = pa.array(values, None if values else pa.string())
    order = side_by_side(column.dictionary_encode() if encode else column).to_pylist()
    assert sorted(order) == list(range(len(values)))
    found = [values[row] for row in order]
    runs = 1 + sum(one != other for one, other in pairwise(found)) if found else 0
    assert runs == len(set(values))


def test_rows_in_any_order_take_no_more_room_than_in_the_best() -> None:
    template = template_of("s = :s AND a < :a")
    words = [f"word {row // 5}" for row in range(4_000)]
    shuffled = random.Random(1).sample(words, len(words))
    sizes = []
    for given in (words, shuffled):
        engine = AdaptiveEngine()
        columns = {"s": pa.array(given), "a": pa.array(np.arange(len(given)) + 0.5)}
        engine.insert_rows(range(len(given)), template, columns)
        sizes.append(engine.memory()["rows"])
    assert sizes[0] == sizes[1]


def test_rows_of_one_shape_are_one_program() -> None:
    template = template_of("s = :s AND a < :a AND c = 'new'")
    columns = {"s": pa.array([f"w{row}" for row in range(500)]), "a": pa.array(range(500))}
    engine = AdaptiveEngine()
    engine.insert_rows(range(500), template, columns)
    assert len(engine.clusters.programs()) == 1
    # What stands in the text is held once; a row has the atom it waits for, and a bound.
    (program,) = engine.clusters.programs()
    assert set(program.fixed.values()) == {"new"}
    assert program.subscriptions == 500


def test_a_plan_tells_parameters_from_other_constants() -> None:
    template = template_of("s = :s AND a BETWEEN 3 AND :a")
    plan = plan_of(template, {"s": pa.array(["x"] * 3), "a": pa.array([1, 2, 3])})
    assert plan is not None
    assert sorted(plan.parameters.values()) == ["a", "s"]
    assert [plan.constants[number] for number in plan.fixed] == [3]
    described, raws, text = plan.encode({"s": pa.array(["x", "yz"]), "a": pa.array([7, 8])})
    assert len(described) == 2 * len(plan.parameters) * 4
    assert {7, 8} <= set(raws.tolist())
    assert b"xyz" in text.tobytes()
