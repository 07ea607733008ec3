from __future__ import annotations

import io

import pytest

from siftmesh.cli.progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_one_line_on_a_terminal_and_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with progress("events", 1_000) as advance:
        advance(600)
        advance(400)
    shown = terminal.getvalue()
    assert "events [##############..........] 600/1,000" in shown
    assert "events [########################] 1,000/1,000" in shown
    assert shown.endswith("\r\033[K")
    assert "\n" not in shown


def test_nothing_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("events", 2) as advance:
        advance(2)
    assert capsys.readouterr() == ("", "")


def test_counting_past_the_total_and_to_nothing_is_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    with progress("events", 0) as advance:
        advance(5)
    assert "5/0" in terminal.getvalue()
