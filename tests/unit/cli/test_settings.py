from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from siftmesh.cli.settings import add_settings, read_limits, read_schema
from siftmesh.errors import ConfigError
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
