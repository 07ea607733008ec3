"""Binding a template, or reading a text of a known shape, gives what parsing and normalising give."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from siftmesh.errors import SubscriptionError
from siftmesh.filters import FilterReader
from siftmesh.language import ast
from siftmesh.language.formatter import format_filter
from siftmesh.logic.template import Template
from siftmesh.logic.tree import Tree
from siftmesh.model.values import INT_MAX, INT_MIN
from siftmesh.workload import subscriptions
from siftmesh.workload.auction import AuctionModel
from tests.reference.filters import conditions, with_parameters

# Few attributes and parameters: most templates then have leaves that meet, repeat or exclude each other.
ATTRIBUTES = st.sampled_from(["a", "b", "c"]).map(ast.Attribute)
PARAMETERS = st.sampled_from(["p", "q", "r", "s", "t"]).map(ast.Parameter)
OPERATORS = st.sampled_from(["=", "=", "<>", "<", "<=", ">", ">="])
PLAIN: tuple[Any, ...] = (0, 1, 2, 0.5, "", "\0", "a", "ab", "a%", "b_")
ODD: tuple[Any, ...] = (
    None,
    True,
    False,
    float("nan"),
    -0.0,
    1.0,
    2.0**53,
    2**53 + 1,
    2.0**63,
    -(2.0**63),
    1e300,
    -1e308,
    5e-324,
    INT_MAX,
    INT_MIN,
    Decimal("0.5"),
    date(2024, 1, 1),
    datetime(2024, 1, 1, tzinfo=UTC),
    "2024-01-01T00:00:00Z",
    "ß\U0001f600",
)


def constants() -> st.SearchStrategy[Any]:
    return st.sampled_from(PLAIN) | st.sampled_from(PLAIN) | st.sampled_from(ODD)


def literals() -> st.SearchStrategy[ast.Literal]:
    return st.sampled_from([0, 1, 2.5, "", "a", "ab", True]).map(ast.Literal)


def leaves() -> st.SearchStrategy[ast.Condition]:
    constant = st.one_of(PARAMETERS, PARAMETERS, literals())
    items = st.lists(constant, min_size=1, max_size=3).map(tuple)
    flag = st.booleans()
    patterns = PARAMETERS | st.sampled_from(["a%", "ab", "_"]).map(ast.Literal)
    escapes = st.sampled_from([None, None, "\\", "a"])
    sum_of = st.builds(ast.Arithmetic, st.sampled_from("+-*/%"), ATTRIBUTES | PARAMETERS, constant)
    term = st.builds(ast.Comparison, OPERATORS, st.just(ast.Attribute("x")), constant)
    bindings = (ast.Binding(ast.Attribute("b"), "x"),)
    return st.one_of(
        *([st.builds(ast.Comparison, OPERATORS, ATTRIBUTES, constant)] * 8),
        st.builds(ast.Comparison, OPERATORS, constant, ATTRIBUTES),
        st.builds(ast.Comparison, OPERATORS, sum_of, constant),
        st.builds(ast.Comparison, OPERATORS, st.builds(ast.Negate, PARAMETERS), ATTRIBUTES),
        st.builds(ast.In, ATTRIBUTES, items, flag),
        st.builds(ast.Between, ATTRIBUTES, constant, constant, flag),
        st.builds(ast.Like, ATTRIBUTES, patterns, escapes, flag, flag),
        st.builds(ast.IsNull, ATTRIBUTES | PARAMETERS, flag),
        st.builds(ast.Contains, ATTRIBUTES, constant),
        st.builds(ast.Overlaps, ATTRIBUTES, items),
        st.builds(ast.IsTrue, ATTRIBUTES | PARAMETERS),
        st.builds(ast.Some, st.just(bindings), st.lists(term, min_size=1, max_size=2).map(tuple)),
        st.builds(ast.Truth, flag),
    )


def templates() -> st.SearchStrategy[ast.Condition]:
    def above(inner: st.SearchStrategy[ast.Condition]) -> st.SearchStrategy[ast.Condition]:
        several = st.lists(inner, min_size=2, max_size=4).map(tuple)
        return st.builds(ast.Not, inner) | st.builds(ast.And, several) | st.builds(ast.Or, several)

    return st.recursive(leaves(), above, max_leaves=10)


@st.composite
def twins(draw: st.DrawFn) -> ast.Condition:
    """An Or of Ands (or dually) that differ in their parameters only, like a list of favourites."""
    names = draw(st.permutations(["a", "b", "c"]))[: draw(st.integers(1, 3))]
    operators = [draw(OPERATORS) for _ in names]

    def one() -> ast.Condition:
        tests = [
            ast.Comparison(operator, ast.Attribute(name), draw(PARAMETERS | literals()))
            for operator, name in zip(operators, names, strict=True)
        ]
        return tests[0] if len(tests) == 1 else inner(tuple(tests))

    inner, outer = draw(st.permutations([ast.And, ast.Or]))
    several = [one() for _ in range(draw(st.integers(2, 4)))]
    several += draw(st.lists(leaves(), max_size=1))
    return outer(tuple(several))


def outcome(make: Any, *arguments: Any) -> Tree | tuple[type, str]:
    """The Tree, or what was refused."""
    try:
        tree: Tree = make(*arguments)
    except SubscriptionError as error:
        return type(error), str(error)
    return tree


@given(templates() | twins(), st.data())
def test_binding_is_the_same_as_substituting_and_normalising(
    condition: ast.Condition, data: st.DataObject
) -> None:
    template = Template(condition)
    for _ in range(4):
        row = [data.draw(constants()) for _ in template.parameters]
        bound = outcome(template.bind, row)
        assert bound == outcome(template.bind_slowly, row)
        assert bound == outcome(template.bind, dict(zip(template.parameters, row, strict=True)))


@given(conditions().flatmap(with_parameters))
def test_a_template_bound_to_what_was_taken_out_is_the_filter_again(
    template: tuple[ast.Condition, dict[str, Any]],
) -> None:
    condition, bound = template
    assert outcome(Template(condition).bind, bound) == outcome(Template(condition).bind_slowly, bound)


@given(twins(), st.data())
def test_equal_constants_make_equal_twins_one(condition: ast.Condition, data: st.DataObject) -> None:
    template = Template(condition)
    value = data.draw(constants())
    row = [value for _ in template.parameters]
    assert outcome(template.bind, row) == outcome(template.bind_slowly, row)


# ---- texts

FRAGMENTS = st.sampled_from(
    [
        *(
            "a",
            "b.c",
            '"odd"',
            "x1",
            "=",
            "<>",
            "<=",
            "<",
            "-",
            "- ",
            "+",
            "*",
            "(",
            ")",
            ",",
            " ",
            "  ",
            ".",
            ":p",
        ),
        *(
            "0",
            "1",
            "007",
            "5",
            "2.5",
            ".5",
            "1.",
            "1e3",
            "2d",
            "1²",
            "123456789012345678",
            "9223372036854775808",
        ),
        *(
            "''",
            "'a'",
            "'it''s'",
            "'\"'",
            "'1'",
            "'",
            '"',
            "'\ud800'",
            "'é'",
            "\0",
            "'\0'",
            "'%a'",
            "--",
            "/*",
        ),
        *(
            " AND ",
            " OR ",
            "NOT ",
            " IN (",
            " LIKE ",
            " ILIKE ",
            " ESCAPE '!'",
            " BETWEEN ",
            " IS NULL",
            "TRUE",
        ),
        *(
            "TIMESTAMP '2024-01-01'",
            " CONTAINS ",
            " OVERLAPS (",
            "SOME (a AS x: x",
            "EXISTS(a)",
            "lower(",
            "\n",
        ),
    ]
)
SENTENCES = st.sampled_from(
    [
        "a = %s",
        "a < %s AND b = %s",
        "a = %s OR a = %s",
        "a IN (%s, %s)",
        "NOT (a = %s AND b <> %s) OR c > %s",
        "a BETWEEN %s AND %s",
        "a LIKE %s",
        "a + %s = %s",
        "- %s < a",
        "a = %s AND %s",
        "a -%s > 0",
        "(a = %s AND b = %s) OR (a = %s AND b = %s)",
    ]
)
CONSTANTS = st.sampled_from(
    [
        *(
            "0",
            "1",
            "-1",
            "- 1",
            "2.50",
            "1.0",
            "1e2",
            "3h",
            "-0.0",
            "''",
            "'a'",
            "'a%'",
            "'o''k'",
            "TRUE",
            "'\ud800'",
        )
    ]
)


@given(st.lists(FRAGMENTS, max_size=12).map("".join))
@example("a = 1²")
@example("a = '\ud800'")
@example("a = 1 AND 5")
def test_any_text_is_read_as_if_no_shape_were_known(text: str) -> None:
    reader = FilterReader()
    slow = outcome(reader.read_slowly, text)
    assert outcome(reader.read, text) == slow
    assert outcome(reader.read, text) == slow  # now from the shape


@given(SENTENCES, st.data())
def test_texts_of_one_shape_are_read_as_if_no_shape_were_known(sentence: str, data: st.DataObject) -> None:
    reader = FilterReader()
    for _ in range(4):
        text = sentence % tuple(data.draw(CONSTANTS) for _ in range(sentence.count("%s")))
        assert outcome(reader.read, text) == outcome(reader.read_slowly, text)


@given(conditions())
def test_any_filter_is_read_as_if_no_shape_were_known(condition: ast.Condition) -> None:
    reader, text = FilterReader(), format_filter(condition)
    slow = outcome(reader.read_slowly, text)
    assert [outcome(reader.read, text), outcome(reader.read, text)] == [slow, slow]


@pytest.mark.parametrize("seed", [1, 2])
def test_the_auction_templates_and_texts_are_read_as_if_no_shape_were_known(seed: int) -> None:
    reader = FilterReader()
    parts = subscriptions.mixed(80, seed, AuctionModel(items=2_000))
    for part in parts:
        template = reader.template(part.template)
        for row in part.parameters.to_pylist():
            values = {name: row[name] for name in template.parameters}
            assert template.bind(values) == template.bind_slowly(values)
    texts = subscriptions.texts(parts).to_pylist()
    assert len(texts) == 80
    for row in texts:
        assert reader.read(row["filter"]) == reader.read_slowly(row["filter"])
