"""The examples on the pages of the foreign dialects: each filter becomes what the page says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from siftmesh.language.dialects import read
from siftmesh.language.formatter import format_filter

PAGES = Path(__file__).resolve().parents[2] / "docs/reference/dialects"
DIALECTS = ("jms", "cloudevents", "eventbridge")


def examples(dialect: str) -> Iterator[tuple[str, str]]:
    """The lines `filter => the same in the language` of the page's blocks in the dialect."""
    page = (PAGES / f"{dialect}.md").read_text(encoding="utf-8")
    for block in re.findall(rf"^```{dialect}\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE):
        for line in block.splitlines():
            written, becomes = re.split(r"\s+=>\s+", line)
            yield written, becomes


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_examples_become_what_the_page_says(dialect: str) -> None:
    found = list(examples(dialect))
    assert len(found) >= 5
    for written, becomes in found:
        assert format_filter(read(written, dialect)) == becomes


@pytest.mark.parametrize("dialect", DIALECTS)
def test_each_page_refuses_fewer_than_ten_constructs_and_gives_reasons(dialect: str) -> None:
    page = (PAGES / f"{dialect}.md").read_text(encoding="utf-8")
    refused = page.split("## What is refused")[1]
    rows = [
        line for line in refused.splitlines() if line.startswith("| ") and not line.startswith("| construct")
    ]
    assert 0 < len(rows) < 10
    assert all(cell.strip() for row in rows for cell in row.strip("|").split("|"))
