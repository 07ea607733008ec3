from __future__ import annotations

from typing import Any

import pytest

from siftmesh.errors import LimitExceeded
from siftmesh.language.ast import Attribute
from siftmesh.language.dialects.document import Document
from siftmesh.language.dialects.eventbridge.alternatives import Field
from siftmesh.language.formatter import format_filter
from siftmesh.language.limits import DEFAULT, Limits


def written(*alternatives: Any, limits: Limits = DEFAULT) -> str:
    field = Field(Document({"a": list(alternatives)}), ("a",), Attribute("a"), limits)
    return format_filter(field.any_of(list(alternatives)))


@pytest.mark.parametrize(
    ("alternatives", "expected"),
    [
        (["x"], "a = 'x' OR a CONTAINS 'x'"),
        (["x", "x"], "a = 'x' OR a CONTAINS 'x'"),
        (["x", "y"], "a IN ('x', 'y') OR a OVERLAPS ('x', 'y')"),
        ([1, 1.0, True], "a = 1 OR a CONTAINS 1 OR a = TRUE OR a CONTAINS TRUE"),
        ([None], "EXISTS(a) AND a IS NULL OR eb_any_null(a)"),
        ([{"exactly": "x"}], "a = 'x' OR a CONTAINS 'x'"),
        ([{"prefix": "p"}], "a LIKE 'p%' OR SOME (a AS x: x >= 'p' AND x < 'q')"),
        ([{"prefix": ""}], "a LIKE '%' OR SOME (a AS x: x >= '')"),
        ([{"prefix": {"equals-ignore-case": "P_"}}], r"a ILIKE 'P\_%' ESCAPE '\' OR eb_any_ilike(a, 'P\_%')"),
        ([{"suffix": "s"}], "a LIKE '%s' OR eb_any_like(a, '%s')"),
        ([{"wildcard": "a*\\*"}], "a LIKE 'a%*' OR eb_any_like(a, 'a%*')"),
        ([{"equals-ignore-case": "X"}], "a ILIKE 'X' OR eb_any_ilike(a, 'X')"),
        ([{"numeric": ["=", 5]}], "a = 5 OR SOME (a AS x: x = 5)"),
        ([{"numeric": [">", 0, "<=", 5]}], "a > 0 AND a <= 5 OR SOME (a AS x: x > 0 AND x <= 5)"),
        ([{"cidr": "10.0.0.0/8"}], "eb_in_cidr(a, '10.0.0.0/8')"),
        ([{"exists": True}], "EXISTS(a) AND eb_leaf(a)"),
        ([{"exists": False}], "NOT EXISTS(a) OR NOT eb_leaf(a)"),
        (
            [{"anything-but": "x"}],
            "a <> 'x' OR kind(a) IN ('number', 'bool', 'timestamp') OR EXISTS(a) AND a IS NULL"
            " OR eb_any_other(a, 'x')",
        ),
        (
            [{"anything-but": {"prefix": ["x", "y"]}}],
            "a NOT LIKE 'x%' AND a NOT LIKE 'y%' OR kind(a) IN ('number', 'bool', 'timestamp')"
            " OR EXISTS(a) AND a IS NULL OR eb_any_unlike(a, 'x%', 'y%')",
        ),
    ],
)
def test_what_alternatives_become(alternatives: list[Any], expected: str) -> None:
    text = written(*alternatives)
    assert text.replace("(", "").replace(")", "") == expected.replace("(", "").replace(")", "")


@pytest.mark.parametrize(
    ("alternative", "limits"),
    [({"wildcard": "a*b*c"}, Limits(wildcards=1)), ({"anything-but": {"suffix": "abc"}}, Limits(pattern=3))],
)
def test_limits_are_kept(alternative: Any, limits: Limits) -> None:
    with pytest.raises(LimitExceeded) as caught:
        written(alternative, limits=limits)
    assert caught.value.source is not None
