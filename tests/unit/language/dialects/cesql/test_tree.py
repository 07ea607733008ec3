from __future__ import annotations

import pytest

from siftmesh.language.dialects.cesql.parser import parse
from siftmesh.language.dialects.cesql.tree import (
    Call,
    always_read,
    attributes,
    kind_of,
    operands,
    operation_of,
    size,
    walk,
)
from siftmesh.model.functions.cesql import BUILT_IN


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("5", int),
        ("'x'", str),
        ("TRUE", bool),
        ("a", None),
        ("a + 1", int),
        ("-a", int),
        ("a < 1", bool),
        ("NOT a", bool),
        ("a XOR b", bool),
        ("a LIKE 'x'", bool),
        ("EXISTS a", bool),
        ("a IN (1)", bool),
        ("LENGTH(a)", int),
        ("LOWER(a)", str),
        ("BOOL(a)", bool),
        ("UNKNOWN(a)", bool),
    ],
)
def test_kinds_are_known_without_an_event(text: str, kind: type | None) -> None:
    assert kind_of(parse(text)) is kind


def test_a_call_means_the_overload_of_its_number_of_arguments() -> None:
    two, three, four = (
        parse(text) for text in ("substring(a, 1)", "SubString(a, 1, 2)", "SUBSTRING(a, 1, 2, 3)")
    )
    assert isinstance(two, Call)
    assert isinstance(three, Call)
    assert isinstance(four, Call)
    assert operation_of(two) is BUILT_IN["SUBSTRING"][0]
    assert operation_of(three) is BUILT_IN["SUBSTRING"][1]
    assert operation_of(four) is None


@pytest.mark.parametrize(
    ("text", "mentioned", "read"),
    [
        ("a = b", "ab", "ab"),
        ("a AND b", "ab", "a"),
        ("NOT (a OR b)", "ab", "a"),
        ("a XOR b", "ab", "ab"),
        ("(a OR b) = c", "abc", "ac"),
        ("EXISTS a OR b", "ab", ""),
        ("a IN (b, c + 1)", "abc", "abc"),
        ("LOWER(a) LIKE 'x'", "a", "a"),
        ("1 < 2", "", ""),
    ],
)
def test_attributes_mentioned_and_always_read(text: str, mentioned: str, read: str) -> None:
    assert attributes(parse(text)) == set(mentioned)
    assert always_read(parse(text)) == set(read)


def test_walking_sees_each_node_before_its_operands() -> None:
    tree = parse("a = 1 AND NOT LOWER(b) IN ('x', c)")
    seen = list(walk(tree))
    assert seen[0] is tree
    assert size(tree) == len(seen) == 10
    for node in seen:
        for operand in operands(node):
            assert seen.index(node) < seen.index(operand)
