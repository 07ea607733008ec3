from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from siftmesh.cli.settings import add_settings, check_number, read_limits, read_schema, said
from siftmesh.errors import ConfigError, LimitExceeded, SubscriptionError
from siftmesh.filters import FilterReader
from siftmesh.language.limits import Limits
from siftmesh.model.schema import Schema


def parsed(*words: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    add_settings(parser)
    return parser.parse_args(words)


def test_without_options_there_is_no_schema_and_the_usual_limits() -> None:
    assert read_schema(parsed()) is None
    assert read_limits(parsed()) == Limits()
    assert parsed().dialect == "sql"


def test_limits_are_changed_one_by_one_and_the_last_word_counts() -> None:
    changed = parsed("--limit", "text=5", "--limit", "depth=7", "--limit", "text=6")
    assert read_limits(changed) == Limits(text=6, depth=7)


@pytest.mark.parametrize("setting", ["", "text", "text=", "text=x", "text=-1", "=5", "nosuch=5", "text=²"])
def test_a_limit_that_is_none_is_refused(setting: str) -> None:
    with pytest.raises(ConfigError, match="--limit "):
        read_limits(parsed("--limit", setting))


def test_a_schema_is_read_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "schema.json"
    file.write_text('{"price": "float"}')
    assert read_schema(parsed("--schema", str(file))) == Schema.of({"price": "float"})


# ---- what is said of a refused filter


# For each setting a filter that the limits let through just not.
PASSED = {
    "text": ("a = 1", Limits(text=4)),
    "nodes": ("a = 1 AND b = 2", Limits(nodes=2)),
    "depth": ("((((a = 1))))", Limits(depth=2)),
    "items": ("a IN (1, 2, 3)", Limits(items=2)),
    "pattern": ("a LIKE 'abc%'", Limits(pattern=2)),
    "wildcards": ("a LIKE '%b%c%'", Limits(wildcards=2)),
}


def test_there_is_a_case_for_every_limit() -> None:
    assert set(PASSED) == set(Limits.__struct_fields__)


@pytest.mark.parametrize("setting", PASSED)
def test_the_option_that_would_let_a_filter_through_is_named(setting: str) -> None:
    text, limits = PASSED[setting]
    with pytest.raises(LimitExceeded) as caught:
        FilterReader(limits=limits).read(text)
    assert said(caught.value).endswith(f"; --limit {setting}=NUMBER sets another limit")
    # And it does let it through.
    FilterReader(limits=read_limits(parsed("--limit", f"{setting}=99"))).read(text)


def test_no_option_is_named_where_none_would_help() -> None:
    with pytest.raises(LimitExceeded) as caught:
        FilterReader(limits=Limits(depth=500)).read("(" * 101)
    assert said(caught.value).endswith("; nothing that is nested deeper is read, write it flatter")
    assert said(LimitExceeded("too many", limit=5)) == "too many"
    assert said(SubscriptionError("no", expected="yes")) == "no; expected yes"


def test_numbers_that_cannot_be_meant_are_refused() -> None:
    check_number("--events", 1, 1)
    for number in (0, -1, float("nan"), float("inf")):
        with pytest.raises(ConfigError, match=r"--events is .* \(expected at least 1\)"):
            check_number("--events", number, 1)
