"""Programs come back from their bytes as they were, and damaged bytes are refused."""

from __future__ import annotations

import random

import msgspec
import numpy as np
import pytest

from siftmesh.errors import DamagedData
from siftmesh.filters import FilterReader
from siftmesh.matching.adaptive import AdaptiveEngine
from siftmesh.matching.program import PARKED_ACCESS, Program
from siftmesh.matching.saved import programs_from, programs_to
from siftmesh.matching.shape import Part, restore
from siftmesh.matching.shape import Test as Asked
from tests.effort import effort

READER = FilterReader()
TEXTS = [
    "a = 1",
    "a = 1 AND b < {n}",
    "a IN ({n}, 7) AND b = 'x'",
    "s = 's{n}' OR t = 't{n}'",
    "t LIKE 'x{n}%'",
    "t LIKE '%word{n}%' AND a <> 3",
    "t LIKE '%x' AND t NOT LIKE '_y%'",
    "tags OVERLAPS ('x', 'y{n}')",
    "SOME (xs AS x, ys AS y: x > {n} AND y <= 3)",
    "a IS NULL",
    "a IS NOT NULL AND s <> 'q{n}'",
    "cond = 'new' AND flag = TRUE",
    "a + {n} > 3 AND b = {n}",
    "w >= TIMESTAMP '2024-01-01T00:00:00Z' AND w < TIMESTAMP '2025-01-01T00:00:00Z' AND b = {n}",
    "b = 9007199254740993 AND a > {n}",
    "fmt = 'f{n}' AND p >= {n} AND p <= {n}.5",
    "cond <> 'x' AND t > 'a'",
]


def held() -> AdaptiveEngine:
    """An engine with programs of all sorts."""
    engine = AdaptiveEngine()
    number = 0
    for n in range(100):
        for text in TEXTS:
            engine.insert(number, READER.read(text.format(n=n % 30)))
            number += 1
        if n == 30:
            # From now on pairs and ranges are possible.
            for event in range(1_100):
                engine.find(
                    {"fmt": f"f{event % 3}", "p": event % 50, "cond": "new", "a": 1, "flag": True, "w": 1}
                )
            engine.compact()
    return engine


@pytest.fixture(scope="module")
def programs() -> list[tuple[Program, object]]:
    clusters = held().clusters
    found: dict[int, tuple[Program, object]] = {}
    for sub in range(100 * len(TEXTS)):
        place = clusters.place_of(sub)
        if place and place not in found:
            program, constants = clusters.constants(sub)
            found[place] = (program, restore(program.part, constants))
    assert len(found) >= len(TEXTS)
    return list(found.values())


def asked_in(part: Part | Asked) -> list[Asked]:
    return (
        [part] if isinstance(part, Asked) else [test for child in part.children for test in asked_in(child)]
    )


def test_programs_are_what_they_were(programs: list[tuple[Program, object]]) -> None:
    data = programs_to(programs)  # type: ignore[arg-type]  # trees
    assert data.dtype == np.uint8
    known = [one for one, _ in programs]
    back = programs_from(data)
    assert len(back) == len(known)
    kinds = set()
    for one, other in zip(known, back, strict=True):
        for name in ("words", "kept", "held", "texts", "rows_for", "place", "subscriptions", "parked"):
            assert getattr(one, name) == getattr(other, name), name
        assert repr(one.fixed) == repr(other.fixed)
        assert one.access.presences == other.access.presences
        assert one.access.probability == other.access.probability
        assert (one.access is PARKED_ACCESS) == (other.access is PARKED_ACCESS)
        mine, theirs = asked_in(one.part), asked_in(other.part)
        # Leaves have other constants perhaps, but ask the same, and the access points at the same of them.
        assert [(t.operation, t.first, t.count, t.form) for t in mine] == [
            (t.operation, t.first, t.count, t.form) for t in theirs
        ]
        for ours, others, every, all_others in (
            (one.access.tests, other.access.tests, mine, theirs),
            *(
                (a.tests, b.tests, mine, theirs)
                for a, b in zip(one.access.joined, other.access.joined, strict=True)
            ),
        ):
            assert [place_of(test, every) for test in ours] == [place_of(test, all_others) for test in others]
        assert len(one.access.joined) == len(other.access.joined)
        assert other.examples == []
        kinds |= {"joined" if one.access.joined else "", "parked" if one.parked else ""}
        kinds |= {"fixed" if one.fixed else "", "texts" if one.texts else ""}
        kinds |= {"presences" if one.access.presences else ""}
    assert kinds >= {"joined", "parked", "fixed", "texts", "presences"}


def place_of(test: Asked, every: list[Asked]) -> int:
    (place,) = [place for place, one in enumerate(every) if one is test]
    return place


def test_there_may_be_none() -> None:
    assert programs_from(programs_to([])) == []


def test_damaged_bytes_are_refused_or_say_something_else(
    programs: list[tuple[Program, object]], seed: int
) -> None:
    rng = random.Random(seed)
    data = programs_to(programs[:6])  # type: ignore[arg-type]  # trees
    refused = 0
    for _ in range(effort(300)):
        damaged = data.copy()
        damaged[rng.randrange(len(damaged))] ^= rng.randrange(1, 256)
        try:
            programs_from(damaged)
        except DamagedData:
            refused += 1
    assert refused
    with pytest.raises(DamagedData, match=r"^the programs of the index are damaged: "):
        programs_from(data[:-1])
    with pytest.raises(DamagedData):
        programs_from(np.frombuffer(msgspec.msgpack.encode({"no": "list"}), np.uint8))


def test_an_engine_goes_on_where_it_was() -> None:
    engine = held()
    kept = AdaptiveEngine.from_arrays({name: array.copy() for name, array in engine.arrays().items()})
    events = [
        {
            "a": 1,
            "b": n,
            "s": f"s{n}",
            "t": f"x{n} word{n} x",
            "fmt": f"f{n}",
            "p": n + 0.2,
            "cond": "new",
            "flag": True,
        }
        for n in range(10)
    ]
    for event in events:
        assert sorted(kept.find(event)) == sorted(engine.find(event))
        assert engine.find(event)
    for number in range(0, 100 * len(TEXTS), 7):
        assert kept.tree(number) == engine.tree(number)
        assert kept.access(number) == engine.access(number)
    assert len(kept.clusters.programs()) == len(engine.clusters.programs())
    for number in range(100 * len(TEXTS)):
        kept.delete(number)
    assert kept.clusters.programs() == []
    assert not any(kept.find(event) for event in events)
