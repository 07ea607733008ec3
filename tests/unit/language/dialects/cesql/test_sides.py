from __future__ import annotations

from siftmesh.language import ast
from siftmesh.language.dialects.cesql.pieces import ALWAYS, NEVER, Piece, condition_of
from siftmesh.language.dialects.cesql.sides import (
    FAILS,
    Sides,
    a_string,
    compare,
    equal,
    like,
    listed,
    matches,
    present,
    settled,
    spelled,
)
from siftmesh.language.formatter import format_filter
from siftmesh.model.values import Timestamp

A = ast.Attribute("a")


def written(piece: Piece) -> str:
    return format_filter(condition_of(piece))


def test_sides_are_made_when_asked_for_and_once() -> None:
    made: list[str] = []

    def making(name: str, piece: Piece) -> Piece:
        made.append(name)
        return piece

    sides = Sides.read(
        lambda: making("true", ALWAYS), lambda: making("false", NEVER), lambda: making("near", ALWAYS)
    )
    swapped = sides.swapped()
    assert made == []
    assert swapped.false is ALWAYS
    assert sides.true is ALWAYS
    assert made == ["true"]
    all_made = sides.made()
    assert sorted(made) == ["false", "near", "near", "true"]
    assert (all_made.true, all_made.false, all_made.near_true, all_made.near_false) == (
        ALWAYS,
        NEVER,
        ALWAYS,
        ALWAYS,
    )


def test_an_expression_that_always_fails_is_neither() -> None:
    assert FAILS.true is FAILS.false is FAILS.near_true is FAILS.near_false is NEVER


def test_conditions() -> None:
    assert format_filter(compare(A, "<", 5)) == "a < 5"
    assert format_filter(like(A, "x%")) == "a LIKE 'x%'"
    assert format_filter(like(A, r"x\%", negated=True)) == r"a NOT LIKE 'x\%' ESCAPE '\'"
    assert format_filter(listed(A, ["x", "y", "x"])) == "a IN ('x', 'y')"
    assert format_filter(listed(A, ["x", "x"], negated=True)) == "a <> 'x'"


def test_pieces_know_what_they_imply() -> None:
    assert written(present(A)) == "a IS NOT NULL"
    assert written(a_string(A)) == "a >= ''"
    assert written(settled(A, "int")) == "cesql_int(a) IS NOT NULL"
    assert written(spelled(A, True)) == "a ILIKE 'true'"
    for piece in (present(A), a_string(A), settled(A, "bool")):
        assert piece.weak
        assert ("present", "a") in piece.facts
    assert matches(A, "x%").facts == {("present", "a"), ("string", "a")}


def test_an_equality_knows_which_casts_succeed() -> None:
    def casts(value: str | int | float | bool | Timestamp) -> set[str]:
        return {str(what) for what, _ in equal(A, value).facts} - {"present"}

    assert casts("x") == {"string"}
    assert casts("05") == {"string", "int"}
    assert casts("TRUE") == {"string", "bool"}
    assert casts(5) == casts(True) == {"int", "bool"}
    assert casts(5.5) == set()
    assert casts(5_000_000_000) == set()
    assert casts(Timestamp(0)) == set()
