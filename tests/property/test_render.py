"""A rendered tree reads back as the tree."""

from __future__ import annotations

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from siftmesh.filters import FilterReader
from siftmesh.language import ast
from siftmesh.language.parser import parse
from siftmesh.logic.lower import lower
from siftmesh.logic.normalise import normalise
from siftmesh.logic.render import render
from siftmesh.logic.tree import And, Operator, Or, Predicate, Tree
from siftmesh.model.values import Kind
from tests.reference.filters import conditions
from tests.reference.strategies import predicates, quantified, trees


def read(text: str) -> Tree:
    return normalise(lower(parse(text)))


# Residuals come from conditions below: of the many that could be built by hand, `lower` makes only some.
@given(trees(st.one_of(predicates(), predicates(), quantified())))
@example(Predicate('and."odd name"', Operator.EQ, Kind.NUMBER, 1))
@example(Predicate("null", Operator.EXISTS, Kind.NULL))
def test_a_rendered_tree_reads_as_its_normal_form(tree: Tree) -> None:
    assert read(render(tree)) == normalise(tree)


@given(conditions())
def test_a_rendered_filter_reads_as_itself(condition: ast.Condition) -> None:
    tree = normalise(lower(condition))
    assert read(render(tree)) == tree


@pytest.mark.parametrize(
    "text",
    [
        "a < 1e308 * 10",
        "a = 1e308 * 10 OR a = 1 OR a = 2",
        "a <> -1e308 * 10 AND a <> 1",
        "a + 1e308 * 10 > b",
        "a + int('') = b",
        "b IN (1, 2) AND a = 1e308 * 10 OR c = 1",
    ],
)
def test_values_without_a_literal_are_rendered_all_the_same(text: str) -> None:
    tree = FilterReader().read(text)
    assert read(render(tree)) == tree


def test_an_infinity_in_a_list_stands_beside_other_conditions() -> None:
    listed = Predicate("a", Operator.NOT_IN, Kind.NUMBER, (-math.inf, 1))
    tree = Or(
        (
            And((listed, Predicate("b", Operator.EQ, Kind.NUMBER, 1))),
            Predicate("c", Operator.LT, Kind.STRING, "x"),
        )
    )
    assert read(render(tree)) == normalise(tree)
