from __future__ import annotations

from siftmesh.language import ast
from siftmesh.language.dialects.cesql.pieces import (
    ALWAYS,
    NEVER,
    OVERSIZED,
    Piece,
    all_of,
    any_of,
    condition_of,
    given,
    leaf,
)

HERE = ("present", "a")


def asks(name: str, value: int = 1) -> ast.Condition:
    return ast.Comparison("=", ast.Attribute(name), ast.Literal(value))


def strong(name: str, value: int = 1) -> Piece:
    return leaf(asks(name, value), [("present", name)])


def weak(name: str) -> Piece:
    return leaf(ast.IsNull(ast.Attribute(name), True), states=("present", name))


def test_constants_vanish() -> None:
    a = strong("a")
    assert all_of(a, ALWAYS) is a
    assert any_of(a, NEVER) is a
    assert all_of(a, NEVER) is NEVER
    assert any_of(a, ALWAYS) is ALWAYS
    assert all_of() is ALWAYS
    assert any_of() is NEVER
    assert condition_of(ALWAYS) == ast.Truth(True)
    assert condition_of(NEVER) == ast.Truth(False)


def test_joins_are_flat_and_name_each_part_once() -> None:
    a, b, c = strong("a"), strong("b"), strong("c")
    assert condition_of(any_of(a, any_of(b, a), c)) == ast.Or((asks("a"), asks("b"), asks("c")))
    assert condition_of(all_of(all_of(a, b), b, c)) == ast.And((asks("a"), asks("b"), asks("c")))
    assert any_of(a, b) == any_of(strong("a"), strong("b"))
    assert any_of(a, b) != all_of(a, b)
    assert any_of(a, b) != "a"


def test_what_the_others_imply_is_not_said_again() -> None:
    assert all_of(weak("a"), strong("a")) == strong("a")
    assert condition_of(all_of(weak("b"), strong("a"))) == ast.And(
        (ast.IsNull(ast.Attribute("b"), True), asks("a"))
    )
    assert any_of(weak("a"), strong("a"), strong("a", 2)) == weak("a")
    assert any_of(weak("a"), strong("b")).children == (weak("a"), strong("b"))


def test_two_parts_do_not_both_lean_on_the_other() -> None:
    """Each branch implies that `a` is there, but only by its own weak leaf."""
    branches = any_of(all_of(weak("a"), strong("b")), all_of(weak("a"), strong("c")))
    assert HERE in branches.facts
    assert all_of(branches, any_of(weak("a"), strong("d"))).stated == {HERE}
    assert all_of(branches) == branches


def test_what_is_given_makes_pieces_simpler() -> None:
    both = all_of(weak("a"), weak("b"))
    assert given(both, frozenset([HERE])) == weak("b")
    assert given(both, frozenset([HERE, ("present", "b")])) is ALWAYS
    assert given(any_of(strong("b"), weak("a")), frozenset([HERE])) is ALWAYS
    assert given(both, frozenset()) is both
    assert given(strong("a"), frozenset([HERE])) == strong("a")


def test_an_or_knows_what_all_its_branches_know() -> None:
    assert any_of(strong("a"), strong("a", 2)).facts == {HERE}
    assert any_of(strong("a"), strong("b")).facts == frozenset()
    assert all_of(strong("a"), strong("b")).facts == {HERE, ("present", "b")}


def test_sizes_count_leaves_and_joins() -> None:
    assert strong("a").size == 1
    assert leaf(asks("a"), size=7).size == 7
    assert any_of(strong("a"), all_of(strong("b"), strong("c"))).size == 5
    assert any_of(strong("a"), OVERSIZED).size > 10**9
