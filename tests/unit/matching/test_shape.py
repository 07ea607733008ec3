"""Shapes: equal for trees that differ in constants alone, and together with the constants the whole tree."""

from __future__ import annotations

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.kernels.layout import (
    MANY,
    MOST_GRAM,
    ONE,
    OP_CONTAINS,
    OP_EQ,
    OP_GE,
    OP_KEY_EQ,
    OP_KEY_NE,
    OP_LIKE,
    OP_LT,
    OP_NE,
    OP_SOME,
    OP_TEXT_GT,
    OP_UNSURE,
)
from siftmesh.logic.tree import (
    TRUE,
    And,
    Leaf,
    Operator,
    Or,
    Predicate,
    Quantified,
    Residual,
    Term,
    Tree,
    leaves,
)
from siftmesh.matching.shape import (
    Part,
    comparison,
    form_of,
    pattern_bytes,
    pattern_text,
    restore,
    shape_of,
    skeleton,
)
from siftmesh.matching.shape import Test as Asked
from siftmesh.model.pattern import canonical, compile_pattern
from siftmesh.model.values import Kind
from tests.effort import effort
from tests.reference.leaves import leaf, some
from tests.reference.strategies import trees


def asked_of(part: Part | Asked) -> list[Asked]:
    return (
        [part] if isinstance(part, Asked) else [test for child in part.children for test in asked_of(child)]
    )


@given(trees())
def test_a_shape_and_its_constants_are_the_whole_tree(tree: Tree) -> None:
    shape, constants = shape_of(tree)
    part = skeleton(tree)
    assert restore(part, constants) == tree
    hash(shape)
    # Every leaf knows which constants are its own.
    asked = asked_of(part)
    assert [test.leaf for test in asked] == list(leaves(tree))
    numbers = [number for test in asked for number in range(test.first, test.first + test.count)]
    assert numbers == list(range(len(constants)))


@given(trees(), trees())
def test_trees_of_one_shape_are_told_apart_by_constants_alone(one: Tree, other: Tree) -> None:
    if shape_of(one)[0] == shape_of(other)[0]:
        # The structure of either, with the constants of the other, is the other.
        assert restore(skeleton(one), shape_of(other)[1]) == other
    else:
        assert one != other


def other_constant(leaf: Leaf, rng: random.Random) -> Leaf:
    """A leaf that asks the same with another constant."""
    if isinstance(leaf, Quantified):
        terms = [Term(t.position, t.operator, t.kind, rng.random()) for t in leaf.terms]
        return Quantified(leaf.arrays, leaf.operator, tuple(terms))
    if isinstance(leaf, Residual) or leaf.value is None or skeleton(leaf).count == 0:  # type: ignore[union-attr]  # a test
        return leaf
    value = leaf.value
    if isinstance(value, tuple):
        value = tuple(sorted({one if isinstance(one, bool) else one * 3 for one in value} | {value[0]}))
    elif leaf.operator in (Operator.LIKE, Operator.NOT_LIKE, Operator.ILIKE, Operator.NOT_ILIKE):
        # What is contained may be too short to be looked up, and then it stays so.
        value = value.replace("b", "bbbb" if form_of(value)[0] else "d")
    elif isinstance(value, str):
        value += rng.choice("xyz")
    elif not isinstance(value, bool):
        value = rng.randrange(100)
    return Predicate(leaf.attribute, leaf.operator, leaf.kind, value)


def changed(tree: Tree, rng: random.Random) -> Tree:
    if isinstance(tree, (And, Or)):
        return type(tree)(tuple(changed(child, rng) for child in tree.children))
    return other_constant(tree, rng)


@given(trees(), st.randoms(use_true_random=False))
def test_other_constants_make_no_other_shape(tree: Tree, rng: random.Random) -> None:
    assert shape_of(changed(tree, rng))[0] == shape_of(tree)[0]


A = leaf("a", "=", 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (A, leaf("b", "=", 1)),
        (A, leaf("a", "<>", 1)),
        (A, leaf("a", "=", "1")),
        (A, leaf("a", "=", True)),
        (A, And((A, A))),
        (And((A, A)), Or((A, A))),
        (And((A, Or((A, A)))), And((Or((A, A)), A))),
        (And((A, And((A, A)))), And((A, A, A))),
        (leaf("a", "LIKE", "x%"), leaf("a", "LIKE", "%x")),
        (leaf("a", "LIKE", "x%"), leaf("a", "LIKE", "x%y")),
        (leaf("a", "IS NULL"), leaf("a", "EXISTS")),
        (leaf("a", "<", 1), leaf("a", "<", 2**53 + 1)),
        (some("a b", (0, "<", 1), (1, "<", 1)), some("a b", (0, "<", 1), (0, ">", 1))),
        (TRUE, A),
    ],
)
def test_whatever_is_no_constant_is_shape(one: Tree, other: Tree) -> None:
    assert shape_of(one)[0] != shape_of(other)[0]


@pytest.mark.parametrize(
    ("asked", "operation", "count"),
    [
        (leaf("a", "=", 1), OP_EQ, 1),
        (leaf("a", "<>", "x"), OP_NE, 1),
        (leaf("a", "<", 1), OP_LT, 1),
        (leaf("a", ">=", 2**53), OP_GE, 1),
        (leaf("a", ">=", 2**53 + 2), OP_GE, 1),
        # No key of a double stands for this one: rows could not compare with it.
        (leaf("a", ">=", 2**53 + 1), OP_UNSURE, 0),
        (leaf("a", "=", 2**53 + 1), OP_EQ, 1),
        (leaf("a", ">", "x"), OP_TEXT_GT, 1),
        (leaf("a", "LIKE", "x%"), OP_LIKE, 1),
        (leaf("a", "CONTAINS", 1), OP_CONTAINS, 1),
        (Predicate("a", Operator.EQ, Kind.TIMESTAMP, 5), OP_KEY_EQ, 1),
        (Predicate("a", Operator.NE, Kind.TIMESTAMP, 5), OP_KEY_NE, 1),
        (Predicate("a", Operator.IN, Kind.TIMESTAMP, (5, 6)), OP_UNSURE, 0),
        (Predicate("a", Operator.CONTAINS, Kind.TIMESTAMP, 5), OP_UNSURE, 0),
        (some("a b", (0, "<", 1), (1, "=", 2)), OP_SOME, 2),
        (some("a", (0, "<", 2**53 + 1)), OP_UNSURE, 0),
        (Quantified(("a",), Operator.SOME, ()), OP_UNSURE, 0),
    ],
)
def test_what_is_asked_of_the_kernel(asked: Leaf, operation: int, count: int) -> None:
    test = skeleton(asked)
    assert isinstance(test, Asked)
    assert (test.operation, test.count) == (operation, count)
    assert len(shape_of(asked)[1]) == count


def test_opposite_comparisons_are_opposite_operations() -> None:
    for kind in (Kind.NUMBER, Kind.STRING, Kind.TIMESTAMP):
        for asked in (Operator.EQ, Operator.LT, Operator.LE):
            assert comparison(Operator(asked ^ 1), kind) == comparison(asked, kind) ^ 1


# ---- patterns


def some_pattern(rng: random.Random) -> str:
    letters = [
        rng.choice(["a", "b", "é", "漢", "\\%", "\\_", "\\\\", "%", "_", "ab"])
        for _ in range(rng.randrange(8))
    ]
    if rng.random() < 0.2:
        letters.insert(rng.randrange(len(letters) + 1), rng.choice("aé漢") * rng.randrange(50))
    return canonical("".join(letters), "\\")


def some_text(pattern: str, rng: random.Random) -> str:
    """A text that fits the pattern, or nearly does."""
    words = [
        "".join(rng.choice("abé") if one is None else one for one in segment)
        for segment in compile_pattern(pattern).segments
    ]
    text = "".join(word + rng.choice(["", "a", "漢"]) for word in words)
    return text if rng.random() < 0.7 else text[1:]


def test_patterns_and_their_bytes_are_one_another(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(effort(1_000)):
        pattern = some_pattern(rng)
        packed = pattern_bytes(pattern)
        assert pattern_text(packed) == pattern
        assert packed.count(MANY) == len(compile_pattern(pattern).segments) - 1
        assert ONE not in packed or "_" in pattern


HOLDS: dict[str, Any] = {
    "prefix": bytes.startswith,
    "prefix only": bytes.startswith,
    "suffix": bytes.endswith,
    "suffix only": bytes.endswith,
    "gram": bytes.__contains__,
    "": bytes.startswith,
}


def test_every_string_that_fits_has_the_text_by_which_it_is_looked_up(seed: int) -> None:
    rng = random.Random(seed)
    seen, fitting = set(), 0
    for _ in range(effort(3_000)):
        pattern = some_pattern(rng)
        form, known = form_of(pattern)
        text = some_text(pattern, rng)
        fits = compile_pattern(pattern).matches(text)
        found = HOLDS[form](text.encode(), known)
        assert found or not fits, (pattern, text)
        if form.endswith("only"):  # then it is all that the pattern says
            assert found == fits, (pattern, text)
        # Of a longer text inside a stretch will do, which is chosen later.
        assert len(known) <= MOST_GRAM or form == "gram"
        assert bool(form) or not known
        seen.add(form)
        fitting += fits
    assert seen == set(HOLDS)
    assert fitting > effort(3_000) // 5


@pytest.mark.parametrize(
    ("pattern", "form", "known"),
    [
        ("%", "prefix only", b""),
        ("ab%", "prefix only", b"ab"),
        ("é%", "prefix only", "é".encode()),
        ("%ab", "suffix only", b"ab"),
        ("ab%c", "prefix", b"ab"),
        ("a%bc", "suffix", b"bc"),
        ("ab_", "prefix", b"ab"),
        ("%abc%", "gram", b"abc"),
        # Nearly every string has so little.
        ("%ab%", "", b""),
        ("a%bc%", "prefix", b"a"),
        ("%abcdef%", "gram", b"abcdef"),
        ("%" + "x" * 40 + "%", "gram", b"x" * 40),
        ("a%bcd%e", "gram", b"bcd"),
        ("\\%a%", "prefix only", b"%a"),
        ("_", "", b""),
        ("_%_", "", b""),
        ("x" * 40 + "%", "prefix", b"x" * 32),
        ("%" + "é" * 20, "suffix", "é".encode() * 16),
    ],
)
def test_the_forms_of_patterns(pattern: str, form: str, known: bytes) -> None:
    assert form_of(canonical(pattern, "\\")) == (form, known)
