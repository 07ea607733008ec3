from __future__ import annotations

import pytest

from siftmesh.cli.main import main


def test_the_demo_matches_and_explains(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--events", "200", "--subscriptions", "600", "--seed", "3"]) == 0
    shown = capsys.readouterr().out
    assert "600 subscriptions of 3 kinds" in shown
    assert "200 auctions published" in shown
    why = shown.split("why auction", 1)[1]
    explained, missed = why.split("and one that came close")
    assert " matches\n" in explained
    assert " does not match\n" in missed


def test_a_demo_without_matches_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--events", "1", "--subscriptions", "1"]) == 0
    assert "nothing matched" in capsys.readouterr().out


def test_a_number_that_is_none_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", "--events", "-1"]) == 2
    assert capsys.readouterr().err == "siftmesh: --events is -1 (expected at least 0)\n"
