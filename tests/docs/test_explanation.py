"""What the pages of explanation show is what happens, as for the how-to pages."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.test_how_to import DOCS, blocks, run_page

PAGES = sorted((DOCS / "explanation").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_shows_what_happens(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert blocks(text)
    run_page(text, tmp_path)


def test_every_explanation_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    assert PAGES
    assert [page.name for page in PAGES if f"({page.relative_to(DOCS).as_posix()})" not in index] == []
