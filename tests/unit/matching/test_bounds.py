"""Bounds of a tree: what meets it meets one of its conjunctions, and nothing else does where that is said."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.filters import FilterReader
from siftmesh.kernels.bitmap_layout import HIGHEST, LOWEST, NEGATED
from siftmesh.kernels.dims import HOW_ATOM, HOW_KEY, HOW_PRESENCE
from siftmesh.kernels.layout import BOOL, NUMBER, STRING, TIMESTAMP
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import And, Operator, Or, Predicate, Tree, attributes
from siftmesh.matching.bounds import MOST, Way, conjunctions, read_in_order, spans
from siftmesh.matching.shape import key_of
from siftmesh.model.event import Event
from siftmesh.model.values import Kind, Timestamp
from tests.effort import examples
from tests.reference import bound_terms, cells
from tests.reference.leaves import leaf
from tests.reference.strategies import events, events_meeting, trees
from tests.reference.tree_oracle import comparable, truth

READER = FilterReader()
ATOMS: dict[tuple[str, int, Any], int] = {}


def atom_of(name: str, tag: int, value: Any) -> int:
    return ATOMS.setdefault((name, tag, value), 3 + len(ATOMS))


def keys_of(value: Any) -> tuple[int, int]:
    """The key of a number twice, or those of the doubles beside it."""
    if cells.is_double(value):
        return cells.key_of(value), cells.key_of(value)
    nearest = float(value)
    below = nearest if nearest < value else math.nextafter(nearest, -math.inf)
    return cells.key_of(below), cells.key_of(math.nextafter(below, math.inf))


def place(value: Any, tag: int, how: int, name: str) -> tuple[int, int] | None:
    """Where a value stands in a dimension, said anew."""
    if value is None:
        return None
    if how == HOW_PRESENCE:
        return 0, 0
    held = comparable(value, Kind(tag - 1))
    if held is None:
        return None
    if how == HOW_ATOM:
        atom = ATOMS.get((name, tag, held), 0)
        return atom, atom
    assert how == HOW_KEY
    if tag == NUMBER:
        return keys_of(held)
    assert tag in (BOOL, TIMESTAMP)
    return int(held), int(held)


def met(way: Way, event: Event) -> bool:
    there: Any = {}
    for (name, tag, how), _ in way:
        found = place(event.values.get(name), tag, how, name)
        if found is not None:
            there[name, tag, how] = found
    every: Any = [(dimension, *bound) for dimension, bound in way]
    return bound_terms.met((False, every), there)


def check(tree: Tree, event: Event) -> tuple[list[Way], bool] | None:
    found = conjunctions(tree, key_of, atom_of)
    if found is None:
        return None
    ways, exact = found
    assert len(ways) <= MOST
    assert all(ways)  # one without bounds would be met by every event
    is_met = [way for way in ways if met(way, event)]
    if truth(tree, event) is True:
        assert is_met, (tree, event, ways)
    elif exact:
        assert not is_met, (tree, event, ways)
    for way in is_met:
        check_spans(way, event)
    return found


def is_plain(tree: Tree) -> bool:
    return isinstance(tree, Predicate) and tree.operator in ASKED and cells.is_double(tree.value)


def check_spans(way: Way, event: Event) -> None:
    for name, (low, high) in spans(way).items():
        assert low == LOWEST or high < HIGHEST
        value = event.values[name]
        if (low, high) != (LOWEST, HIGHEST):
            kinds = {tag for (about, tag, _), _ in way if about == name}
            if kinds == {NUMBER}:
                below, above = keys_of(value)
                assert above >= low
                assert below <= high


@examples(150)
@given(trees(), st.booleans(), st.data())
def test_what_meets_a_tree_meets_its_bounds(tree: Tree, normal: bool, data: st.DataObject) -> None:
    if normal:
        tree = normalise(tree)
    check(tree, data.draw(events()))
    check(tree, data.draw(events_meeting(tree)))


NUMBERS = (
    0,
    0.5,
    1,
    2,
    7,
    2**53,
    2**53 + 1,
    2**53 + 2,
    2**53 + 3,
    -(2**53) - 1,
    2**63 - 1,
    -(2**63),
    1e300,
    5e-324,
)
BESIDE = (*NUMBERS, -1, 1.5, 2**53 - 1, 2**53 + 4, 2**60 + 1, -0.0, -5e-324, math.inf, -math.inf, 1e16)
ASKED = (Operator.LT, Operator.GE, Operator.LE, Operator.GT, Operator.NE, Operator.EQ)


@st.composite
def ranges(draw: st.DrawFn) -> Tree:
    """Trees of comparisons of two attributes, in all nestings; many of them contradict themselves."""
    asked = st.sampled_from(ASKED) if draw(st.booleans()) else st.sampled_from(ASKED[:4])
    some = draw(st.lists(st.sampled_from(NUMBERS), min_size=1, max_size=3))
    test = st.builds(
        lambda name, operator, value: Predicate(name, operator, Kind.NUMBER, value),
        st.sampled_from("ab"),
        asked,
        st.sampled_from(some),
    )
    node = st.recursive(
        test,
        lambda below: (
            st.builds(And, st.lists(below, min_size=1, max_size=4).map(tuple))
            | st.builds(Or, st.lists(below, min_size=1, max_size=4).map(tuple))
        ),
        max_leaves=8,
    )
    return draw(node)


@examples(150)
@given(
    ranges(),
    st.booleans(),
    st.fixed_dictionaries({}, optional={name: st.sampled_from(BESIDE) for name in "ab"}),
)
def test_ranges_are_exact_between_the_keys_too(tree: Tree, normal: bool, values: dict[str, Any]) -> None:
    if normal:
        tree = normalise(tree)
    event = Event.of(values)
    found = check(tree, event)
    if isinstance(tree, And) and tree.children and all(is_plain(one) for one in tree.children):
        # A conjunction of comparisons is always one of bounds.
        assert found is not None
        assert found[1]
        assert len(found[0]) == 1


def test_every_pair_of_comparisons_of_neighbours() -> None:
    # Whole numbers of which every second one is a double: the others lie between two keys.
    tests = [
        Predicate("a", asked, Kind.NUMBER, value) for asked in ASKED for value in range(2**53, 2**53 + 8, 2)
    ]
    asked = [Event({"a": value}) for value in range(2**53 - 1, 2**53 + 8)]
    for one in tests:
        for other in tests:
            for tree in (And((one, other)), Or((one, other))):
                for event in asked:
                    found = check(tree, event)
                    assert found is not None
                    assert found[1]


WIDE = 2**53 + 1


@pytest.mark.parametrize(
    ("text", "ways", "exact"),
    [
        ("a > 1", 1, True),
        ("a > 1 AND a <= 5 AND b = 3", 1, True),
        ("a BETWEEN 1 AND 5", 1, True),
        ("NOT (a BETWEEN 1 AND 5)", 1, True),
        ("NOT (a BETWEEN 1 AND 5) AND b <> 3", 1, True),
        ("a < 1 OR a >= 5", 2, True),
        ("a < 5 OR b > 1", 2, True),
        ("(a < 5 OR b > 1) AND (a > 2 OR c = TRUE)", 4, True),
        ("a = 1 OR a = 2 AND b = 1 OR c < 4", 3, True),
        # Too many ways: some of it is left to be verified.
        (" AND ".join(f"(a{n} = 1 OR b{n} > 2)" for n in range(3)), 8, True),
        (" AND ".join(f"(a{n} = 1 OR b{n} > 2)" for n in range(4)), 8, False),
        (" OR ".join(f"a{n} < 1" for n in range(8)), 8, True),
        (" OR ".join(f"a{n} < 1" for n in range(9)), 0, False),
        ("a IS NOT NULL", 1, True),
        ("a = TRUE AND b <> FALSE", 1, True),
        ("a = 'x' AND b <> 'y'", 1, True),
        ("a = TIMESTAMP '2024-01-01T00:00:00Z' OR a < TIMESTAMP '2023-01-01T00:00:00Z'", 2, True),
        # What bounds cannot say, beside what they can.
        ("a LIKE 'x%' AND b > 1", 1, False),
        ("a > 'x' AND b > 1", 1, False),
        ("b > 1 AND tags CONTAINS 'x'", 1, False),
        ("b > 1 AND a IS NULL", 1, False),
        (f"a > {WIDE} AND b > 1", 1, False),
        (f"a = {WIDE} AND b > 1", 1, True),
        # And where there is no way around it.
        ("a IS NULL", 0, False),
        ("a > 1 OR b IS NULL", 0, False),
        ("tags CONTAINS 'x'", 0, False),
        ("a IN (1, 2)", 0, False),
        ("SOME (xs AS x: x > 1)", 0, False),
        ("a + 1 > 2", 0, False),
        ("NOT EXISTS(a)", 0, False),
    ],
)
def test_what_bounds_can_say(text: str, ways: int, exact: bool) -> None:
    tree = READER.read(text)
    found = conjunctions(tree, key_of, atom_of)
    if not ways:
        assert found is None
        return
    assert found is not None
    assert (len(found[0]), found[1]) == (ways, exact)


def test_what_is_never_or_always_true_has_no_bounds_to_hold_on_to() -> None:
    assert conjunctions(And(()), key_of, atom_of) is None
    # Nothing has to be found of what is never true.
    assert conjunctions(Or(()), key_of, atom_of) == ([], True)


def test_not_between_is_one_bound() -> None:
    found = conjunctions(READER.read("NOT (a BETWEEN 1 AND 5)"), key_of, atom_of)
    low, high = key_of(Kind.NUMBER, 1), key_of(Kind.NUMBER, 5)
    assert found == ([[(("a", NUMBER, HOW_KEY), (low, high, NEGATED))]], True)
    # With ends that belong to it there are neighbours on which it would be wrong.
    for text in ("a <= 1 OR a > 5", "a < 1 OR a >= 5"):
        ways = conjunctions(READER.read(text), key_of, atom_of)
        assert ways is not None
        assert len(ways[0]) == 2


def test_the_ends_of_ranges() -> None:
    low, high = key_of(Kind.NUMBER, 1), key_of(Kind.NUMBER, 5)
    found = conjunctions(READER.read("a >= 1 AND a <= 5"), key_of, atom_of)
    assert found == ([[(("a", NUMBER, HOW_KEY), (low, high, 0))]], True)
    assert found is not None
    assert spans(found[0][0]) == {"a": (low, high)}
    (half,), _ = conjunctions(READER.read("a >= 1 AND b = 'x'"), key_of, atom_of) or ([], False)
    assert spans(half) == {"a": (LOWEST, HIGHEST), "b": (LOWEST, HIGHEST)}
    (without,), _ = conjunctions(READER.read("a <> 1"), key_of, atom_of) or ([], False)
    assert spans(without) == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a > 1 AND b <> 2 OR c <= 5", True),
        ("a > TIMESTAMP '2024-01-01T00:00:00Z' AND b IS NOT NULL", True),
        ("a > 1 AND b = 2", False),
        ("a > 'x'", False),
        ("a <> 'x'", False),
        ("a > 1 AND b IS NULL", False),
        ("a + 1 > 2", False),
        ("SOME (xs AS x: x > 1)", False),
    ],
)
def test_trees_of_nothing_but_ranges(text: str, expected: bool) -> None:
    tree = READER.read(text)
    assert read_in_order(tree) == (attributes(tree) if expected else None)


def test_a_moment_is_bounded_by_its_microseconds() -> None:
    noon = Timestamp(1_577_880_000_000_000)
    tree = And((leaf("w", ">=", noon), leaf("w", "<", Timestamp(noon.micros + 10))))
    found = conjunctions(tree, key_of, atom_of)
    assert found is not None
    ((dimension, (low, high, _)),) = found[0][0]
    assert dimension == ("w", TIMESTAMP, HOW_KEY)
    assert (low, high) == (noon.micros, noon.micros + 9)
    for step, expected in ((-1, False), (0, True), (9, True), (10, False)):
        assert met(found[0][0], Event({"w": Timestamp(noon.micros + step)})) is expected
    assert met(found[0][0], Event({"w": "2020-01-01T12:00:00Z"}))
    assert not met(found[0][0], Event({"w": noon.micros}))


def test_a_string_is_bounded_by_its_atom() -> None:
    found = conjunctions(READER.read("s <> 'known' AND t = 'other'"), key_of, atom_of)
    assert found is not None
    assert {dimension for dimension, _ in found[0][0]} == {("s", STRING, HOW_ATOM), ("t", STRING, HOW_ATOM)}
    assert met(found[0][0], Event({"s": "never seen", "t": "other"}))
    assert not met(found[0][0], Event({"s": "known", "t": "other"}))
    assert not met(found[0][0], Event({"s": 5, "t": "other"}))
