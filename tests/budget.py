"""A pytest plugin: how long the tests of each folder took, beside what they may take."""

from __future__ import annotations

import tomllib
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
BUDGETS = TESTS / "budgets.toml"
HEADER = ("folder", "tests", "seconds", "budget", "")


def top_folder(nodeid: str) -> str:
    """Return the folder under tests/ that a test belongs to, or "." for a file directly in it."""
    parts = nodeid.split("::", 1)[0].split("/")
    if parts[0] == TESTS.name:
        parts = parts[1:]
    return parts[0] if len(parts) > 1 else "."


def table(tests: Counter[str], seconds: Mapping[str, float], budgets: dict[str, int]) -> list[str]:
    """Return the printed lines: one folder each, in the order of the budgets, then those without one."""
    folders = [name for name in budgets if name in seconds]
    folders += sorted(name for name in seconds if name not in budgets)
    rows = [HEADER]
    for name in folders:
        budget = budgets.get(name)
        verdict = "no budget" if budget is None else "ok" if seconds[name] <= budget else "OVER"
        rows.append((name, str(tests[name]), f"{seconds[name]:.1f}", str(budget or "-"), verdict))
    return ["{:<12} {:>6} {:>9} {:>8}  {}".format(*row).rstrip() for row in rows]


class Budget:
    """Adds up the durations that pytest reports, and prints them at the end."""

    def __init__(self) -> None:
        self.tests: Counter[str] = Counter()
        self.seconds: defaultdict[str, float] = defaultdict(float)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        folder = top_folder(report.nodeid)
        # Set-up and clearing away are part of the price of a test, but it is one test.
        self.seconds[folder] += report.duration
        self.tests[folder] += report.when == "call"

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if not self.seconds:
            return
        budgets = tomllib.loads(BUDGETS.read_text(encoding="utf-8"))["seconds"]
        terminalreporter.section("time budget")
        for line in table(self.tests, self.seconds, budgets):
            terminalreporter.write_line(line)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(Budget(), "time-budget")
