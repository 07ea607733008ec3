"""Trees to bytes and back: the bytes themselves, what is refused, and the limits."""

from __future__ import annotations

import math

import pytest

from siftmesh.errors import DamagedData, LimitExceeded
from siftmesh.logic.encode import DEEPEST, MOST_NODES, decode_tree, encode_tree
from siftmesh.logic.tree import (
    FALSE,
    TRUE,
    And,
    Apply,
    Fixed,
    Get,
    Operator,
    Or,
    Predicate,
    Quantified,
    Residual,
    Tree,
)
from siftmesh.model.encode import pack
from siftmesh.model.values import Kind, Timestamp
from tests.reference.leaves import leaf, some

CHEAP = leaf("p", "<", 10)
TEXT = Residual(Operator.EQ, Apply("lower", (Get("t"),)), None, leaf("", "=", "x"))

# Pinned, since files and peers of other versions have them.
BYTES: list[tuple[Tree, list[object]]] = [
    (TRUE, [1, -1, 0]),
    (FALSE, [1, -2, 0]),
    (CHEAP, [1, 18, "p", 10]),
    (leaf("p", "IS NULL"), [1, 96, "p"]),
    (leaf("f", "=", True), [1, 1, "f", True]),
    (leaf("d", ">=", Timestamp(7)), [1, 28, "d", 7]),
    (leaf("n", "IN", (1, 2.5)), [1, 50, "n", [1, 2.5]]),
    (leaf("t", "NOT LIKE", "a%"), [1, 75, "t", "a%"]),
    (leaf("t", "CONTAINS", "a"), [1, 131, "t", "a"]),
    (
        And((CHEAP, Or((CHEAP, leaf("t", "=", "x"))))),
        [1, -1, 2, 18, "p", 10, -2, 2, 18, "p", 10, 3, "t", "x"],
    ),
    (some("xs ys", (0, ">", 1), (1, "<", 0.5)), [1, -3, 20, 2, "xs", "ys", 2, 0, 42, 1, 1, 18, 0.5]),
    (TEXT, [1, -4, 2, "lower", 1, 1, "t", 3, "", "x"]),
    (Residual(Operator.LT, Get("a"), Fixed(-0.0, "-0.0")), [1, -5, 2, 1, "a", 0, -0.0]),
]


@pytest.mark.parametrize(("tree", "tokens"), BYTES, ids=str)
def test_a_tree_is_these_bytes(tree: Tree, tokens: list) -> None:
    assert encode_tree(tree) == pack(tokens)
    assert decode_tree(pack(tokens)) == tree


@pytest.mark.parametrize(
    "fixed",
    [
        Fixed(1, "int"),
        Fixed(1.0, "float"),
        Fixed(True, "bool"),
        Fixed(-0.0, "-0.0"),
        Fixed(0.0, "float"),
        Fixed(None, "NoneType"),
        Fixed("", "str"),
        Fixed(Timestamp(5), "Timestamp"),
        Fixed((1, "x", None), "tuple"),
        Fixed(math.inf, "float"),
    ],
    ids=str,
)
def test_a_constant_of_an_expression_keeps_its_type(fixed: Fixed) -> None:
    tree = Residual(Operator.LE, Apply("coalesce", (Get("a"), fixed)), Get("b"))
    again = decode_tree(encode_tree(tree))
    assert again == tree
    assert repr(again) == repr(tree)


@pytest.mark.parametrize(
    "number", [2**53 + 1, 2**53, -(2**63), 2**63 - 1, float(2**63), 1e300, 5e-324, math.inf, 0.1]
)
def test_numbers_of_predicates_are_exact(number: float) -> None:
    again = decode_tree(encode_tree(leaf("a", "=", number)))
    assert again == leaf("a", "=", number)
    assert repr(again.value) == repr(number)


def test_equal_numbers_are_equal_bytes() -> None:
    assert encode_tree(leaf("a", "=", 3.0)) == encode_tree(leaf("a", "=", 3))
    assert encode_tree(leaf("a", "=", -0.0)) == encode_tree(leaf("a", "=", 0))
    assert encode_tree(leaf("a", "IN", (1.0, 2))) == encode_tree(leaf("a", "IN", (1, 2)))
    assert encode_tree(leaf("a", "=", 1)) != encode_tree(leaf("a", "=", True))
    assert encode_tree(leaf("a", "=", 5)) != encode_tree(leaf("a", "=", Timestamp(5)))
    assert encode_tree(leaf("a", "=", 2**53)) != encode_tree(leaf("a", "=", 2**53 + 1))


# Each of these begins as a tree might.
REFUSED: list[tuple[list[object], str]] = [
    ([], "they do not begin with a version"),
    (["1", -1, 0], "they do not begin with a version"),
    ([1], "they end too early"),
    ([1, -1], "they end too early"),
    ([1, -1, 1], "1 things should follow"),
    ([1, -1, 2**40], "1099511627776 things should follow"),
    ([1, -1, -1], "-1 things should follow"),
    ([1, -1, "x"], "'x' stands for a number"),
    ([1, -1, 0, 0], "something stands after their end"),
    ([1, -9], "-9 is no code of a node"),
    ([1, 18, 5, 10], "5 stands for a name"),
    ([1, 18, "p", "ten"], "'ten' is no constant of a NUMBER"),
    ([1, 18, "p", True], "True is no constant of a NUMBER"),
    ([1, 18, "p", 2**64 - 1], "18446744073709551615 is no constant of a NUMBER"),
    ([1, 18, "p", math.nan], "nan is no constant of a NUMBER"),
    ([1, 18, "p", 10.0], "they are spelled otherwise than encode_tree does"),
    ([1, 20, "d", 1.5], "1.5 is no constant of a TIMESTAMP"),
    ([1, 1, "f", 1], "1 is no constant of a BOOL"),
    ([1, 3, "t", None], "None is no constant of a STRING"),
    ([1, 0, "t", None], "EQ of a NULL"),
    ([1, 5, "t", []], "EQ of a ARRAY"),
    ([1, 7, "t", 1], "7 is no code of a predicate"),
    ([1, 98, "p"], "IS_NULL of a NUMBER"),
    ([1, 162, "p", 1], "SOME of a NUMBER"),
    ([1, 999, "p", 1], "999 is no code of a predicate"),
    ([1, 50, "n", 3], "3 is no list"),
    ([1, 50, "n", [2, 1]], "a list of constants is not sorted"),
    ([1, 50, "n", [1, 1.0]], "a list of constants is not sorted"),
    ([1, 50, "n", [1, "x"]], "'x' is no constant of a NUMBER"),
    ([1, 67, "t", "%%"], "a pattern is not in its canonical spelling"),
    ([1, 67, "t", "a\\"], "a pattern is not in its canonical spelling"),
    ([1, 67, "t", 5], "a pattern is not in its canonical spelling"),
    ([1, 66, "t", "a%"], "a pattern is not in its canonical spelling"),
    ([1, -3, 0, 1, "xs", 1, 0, 42, 1], "SOME of no sorted arrays"),
    ([1, -3, 20, 0, 0], "SOME of no sorted arrays"),
    ([1, -3, 20, 2, "ys", "xs", 0], "SOME of no sorted arrays"),
    ([1, -3, 20, 1, "xs", 1, 1, 42, 1], "a term of SOME compares no element"),
    ([1, -3, 20, 1, "xs", 1, 0, 50, 1], "a term of SOME compares no element"),
    ([1, -3, 20, 1, "xs", 2, 0, 42, 1, 0, 42, 1], "the terms of SOME are not sorted"),
    ([1, -4, 1, "a", 18, "b", 1], "an expression is tested as an attribute"),
    ([1, -4, 1, "a", 112, ""], "an expression is tested as an attribute"),
    ([1, -4, 3], "3 is no code of an expression"),
    ([1, -4, 2, "nosuch", 0, 18, "", 1], "no function 'nosuch' takes 0 arguments"),
    ([1, -4, 2, "+", 1, 1, "a", 18, "", 1], "no function '+' takes 1 arguments"),
    ([1, -4, 2, "negate", 0, 18, "", 1], "no function 'negate' takes 0 arguments"),
    ([1, -4, 0, b"x", 18, "", 1], "they hold what is no value"),
    ([1, -5, 6, 1, "a", 1, "b"], "IN compares two expressions"),
    ([1, -5, 99, 1, "a", 1, "b"], "99 is no operator"),
]


@pytest.mark.parametrize(("tokens", "why"), REFUSED, ids=str)
def test_what_no_tree_is_written_as_is_refused(tokens: list, why: str) -> None:
    with pytest.raises(DamagedData) as caught:
        decode_tree(pack(tokens))
    assert str(caught.value) == f"these bytes are no tree: {why}"


def test_another_spelling_of_the_same_is_refused() -> None:
    data = encode_tree(CHEAP)
    assert data == b"\x94\x01\x12\xa1p\x0a"
    for other in (
        b"\x94\x01\x12\xa1p\xcc\x0a",
        b"\x94\x01\x12\xd9\x01p\x0a",
        b"\xdc\x00\x04\x01\x12\xa1p\x0a",
    ):
        with pytest.raises(DamagedData, match="spelled otherwise"):
            decode_tree(other)


def test_another_version_is_refused() -> None:
    with pytest.raises(DamagedData, match="this tree has version 2, known is version 1"):
        decode_tree(pack([2, -1, 0]))


def nested(levels: int) -> Tree:
    tree: Tree = CHEAP
    for level in range(levels):
        tree = (And, Or)[level % 2]((tree,))
    return tree


def test_depth_is_limited_both_ways() -> None:
    assert decode_tree(encode_tree(nested(DEEPEST))) == nested(DEEPEST)
    with pytest.raises(LimitExceeded) as caught:
        encode_tree(nested(DEEPEST + 1))
    assert caught.value.limit == DEEPEST
    with pytest.raises(DamagedData, match=f"nested deeper than {DEEPEST}"):
        decode_tree(pack([1, *([-1, 1] * (DEEPEST + 1)), 18, "p", 10]))


def test_depth_of_expressions_is_limited_too() -> None:
    def negated(times: int) -> Tree:
        left = Get("a")
        for _ in range(times):
            left = Apply("negate", (left,))  # type: ignore[assignment]  # expressions all
        return Residual(Operator.LT, left, Get("b"))

    assert decode_tree(encode_tree(negated(DEEPEST - 2))) == negated(DEEPEST - 2)
    with pytest.raises(LimitExceeded):
        encode_tree(negated(DEEPEST - 1))
    with pytest.raises(DamagedData, match=f"nested deeper than {DEEPEST}"):
        decode_tree(pack([1, -5, 2, *([2, "negate", 1] * (DEEPEST - 1)), 1, "a", 1, "b"]))


def test_size_is_limited_both_ways() -> None:
    assert decode_tree(encode_tree(CHEAP, largest=6), largest=6) == CHEAP
    with pytest.raises(LimitExceeded, match="the tree takes 6 bytes, the limit is 5") as caught:
        encode_tree(CHEAP, largest=5)
    assert caught.value.limit == 5
    with pytest.raises(DamagedData, match="6 of them, the limit is 5"):
        decode_tree(encode_tree(CHEAP), largest=5)


def test_the_number_of_nodes_is_limited_both_ways() -> None:
    most = Or((TRUE,) * (MOST_NODES - 1))
    assert decode_tree(encode_tree(most)) == most
    with pytest.raises(LimitExceeded, match=f"the tree has {MOST_NODES + 1} nodes") as caught:
        encode_tree(Or((TRUE,) * MOST_NODES))
    assert caught.value.limit == MOST_NODES
    with pytest.raises(DamagedData, match=f"more than {MOST_NODES} nodes"):
        decode_tree(pack([1, -2, MOST_NODES, *([-1, 0] * MOST_NODES)]))


def test_a_tree_of_ordinary_size_is_small() -> None:
    tree = And((leaf("price", "<", 10), leaf("title", "=", "Dune")))
    assert len(encode_tree(tree)) == 24


def test_what_is_no_tree_is_not_written() -> None:
    for thing in (None, Get("a"), Residual(Operator.EQ, Get("a"))):
        with pytest.raises(TypeError):
            encode_tree(thing)  # type: ignore[arg-type]  # that is the point
    assert isinstance(decode_tree(encode_tree(Predicate("a", Operator.OVERLAPS, Kind.NUMBER, ()))), Predicate)
    assert isinstance(decode_tree(encode_tree(some("xs", (0, "=", 1)))), Quantified)
