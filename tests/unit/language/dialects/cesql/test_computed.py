from __future__ import annotations

import pytest

from siftmesh.language.ast import Call, parameters, walk
from siftmesh.language.dialects.cesql.computed import computed
from siftmesh.language.dialects.cesql.evaluator import evaluate
from siftmesh.language.dialects.cesql.parser import parse
from siftmesh.language.formatter import format_filter
from siftmesh.model.functions import FUNCTIONS


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a + 1 < -b", "cesql_less(cesql_add(a, 1), cesql_negate(b))"),
        ("NOT (a AND b OR c)", "cesql_not(cesql_or(cesql_and(a, b), c))"),
        ("a XOR EXISTS b", "cesql_xor(a, cesql_exists(b))"),
        (r"a LIKE 'x\y%'", r"cesql_like(a, 'x\\y%')"),
        ("a NOT IN (1, 'x')", "cesql_not(cesql_in(a, 1, 'x'))"),
        ("SUBSTRING(a, 1, 2)", "cesql_substring(a, 1, 2)"),
        ("5abc", '"5abc"'),
        ("TRUE", "TRUE"),
    ],
)
def test_expressions_become_calls(text: str, written: str) -> None:
    value = computed(parse(text))
    assert format_filter(value) == written
    assert all(node.function in FUNCTIONS for node in walk(value) if isinstance(node, Call))
    assert parameters(value) == ()


@pytest.mark.parametrize(
    "text", ["1 + 2 * 3 - 4 % 3", "'x' IN ('y', 'x')", "NOT (1 = 2 XOR 2 = 2)", "'a%' LIKE 'a\\%'"]
)
def test_calls_compute_what_the_expression_means(text: str) -> None:
    def value_of(node: object) -> object:
        if isinstance(node, Call):
            return FUNCTIONS[node.function].apply(*map(value_of, node.arguments))
        return node.value  # type: ignore[attr-defined]  # a literal is left

    assert value_of(computed(parse(text))) == evaluate(text, {}).value
