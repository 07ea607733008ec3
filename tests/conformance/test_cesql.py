"""The official conformance kit of CloudEvents SQL: every case's value and error, and the lowered filter.

The kit is read from `../shared/conformance/cesql` beside the repository, or from the folder that the
environment variable SIFTMESH_CESQL_KIT names.
"""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import pytest
import yaml

from siftmesh.errors import SyntaxError, UnsupportedFeature
from siftmesh.language.dialects.cesql import Result, evaluate, parse_cesql
from siftmesh.model.event import Event
from tests.reference.ast_oracle import truth

VARIABLE = "SIFTMESH_CESQL_KIT"
ROOT = Path(__file__).resolve().parents[2]
KIT = Path(os.environ.get(VARIABLE) or ROOT / "../shared/conformance/cesql")
CASES = 275

# What a case may leave open: "any valid event can be passed".
EVENT = {"specversion": "1.0", "id": "myId", "source": "http://localhost.localdomain", "type": "myType"}


class PlainLoader(yaml.SafeLoader):
    """Reads timestamps, and whatever an `expression` is, as the text that stands in the file."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        found = super().construct_mapping(node, deep)
        texts = {key.value: value.value for key, value in node.value if key.value == "expression"}
        return {**found, **texts}


PlainLoader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if not tag.endswith(":timestamp")]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def read_kit() -> list[tuple[str, dict[str, Any]]]:
    cases = []
    for path in sorted(KIT.glob("*.yaml")):
        suite = yaml.load(path.read_text(encoding="utf-8"), PlainLoader)
        cases += [(f"{path.stem}: {case['name']}", case) for case in suite["tests"]]
    return cases


FOUND = read_kit()
ABSENT = (
    f"the CloudEvents SQL conformance kit is not at {KIT}: conformance is NOT verified; "
    f"set {VARIABLE} to the folder that holds its YAML files"
)


def event_of(case: dict[str, Any]) -> dict[str, Any]:
    return {**case.get("event", EVENT), **case.get("eventOverrides", {})}


def test_the_kit_is_there_and_whole() -> None:
    if not FOUND:
        warnings.warn(ABSENT, stacklevel=1)
        pytest.skip(ABSENT)
    assert len(FOUND) == CASES


@pytest.mark.parametrize("case", [case for _, case in FOUND], ids=[name for name, _ in FOUND])
def test_value_and_error(case: dict[str, Any]) -> None:
    found = evaluate(case["expression"], event_of(case))
    assert found.error == case.get("error")
    if "result" in case:
        assert found.value == case["result"]
        assert type(found.value) is type(case["result"])


@pytest.mark.parametrize("case", [case for _, case in FOUND], ids=[name for name, _ in FOUND])
def test_the_filter_matches_where_the_value_is_true_without_error(case: dict[str, Any]) -> None:
    if case.get("error") == "parse":
        with pytest.raises(SyntaxError):
            parse_cesql(case["expression"])
        return
    if case.get("error") == "missingFunction":
        with pytest.raises(UnsupportedFeature):
            parse_cesql(case["expression"])
        return
    condition = parse_cesql(case["expression"])
    expected = case.get("result") is True and "error" not in case
    assert (truth(condition, Event.of(event_of(case))) is True) == expected


def test_text_that_is_no_expression_has_the_error_parse() -> None:
    assert evaluate("type =", EVENT) == Result(False, "parse")
