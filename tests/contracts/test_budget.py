"""The table of seconds: what it prints, and that the budgets stay within what a developer waits for."""

from __future__ import annotations

import tomllib
from collections import Counter

import pytest

from tests.budget import BUDGETS, TESTS, table, top_folder

LONGEST_RUN = 25 * 60


def test_all_budgets_together_stay_under_the_longest_run() -> None:
    assert sum(tomllib.loads(BUDGETS.read_text(encoding="utf-8"))["seconds"].values()) < LONGEST_RUN


def test_every_folder_with_tests_has_a_budget() -> None:
    folders = {path.relative_to(TESTS).parts[0] for path in TESTS.glob("*/**/test_*.py")}
    assert folders - tomllib.loads(BUDGETS.read_text(encoding="utf-8"))["seconds"].keys() == set()


@pytest.mark.parametrize(
    ("nodeid", "folder"),
    [
        ("tests/unit/logic/test_lower.py::test_not[a/b]", "unit"),
        ("tests/docs/test_readme.py::test_x", "docs"),
        ("tests/test_loose.py::test_x", "."),
    ],
)
def test_the_folder_of_a_test(nodeid: str, folder: str) -> None:
    assert top_folder(nodeid) == folder


def test_the_table_keeps_the_order_of_the_budgets_and_says_who_is_over() -> None:
    tests, seconds = (
        Counter({"docs": 2, "unit": 9, "odd": 1}),
        Counter({"docs": 3.5, "unit": 130.0, "odd": 1.0}),
    )
    assert table(tests, seconds, {"unit": 120, "spark": 300, "docs": 60}) == [
        "folder        tests   seconds   budget",
        "unit              9     130.0      120  OVER",
        "docs              2       3.5       60  ok",
        "odd               1       1.0        -  no budget",
    ]
