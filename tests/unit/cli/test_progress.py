from __future__ import annotations

import io

import pytest

from siftmesh.cli.progress import progress, summary


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    made = Terminal()
    monkeypatch.setattr("sys.stderr", made)
    return made


def test_progress_is_one_line_on_a_terminal_and_is_cleared(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("events", 1_000) as advance:
        assert terminal.getvalue() == "\revents [........................] 0/1,000 "
        advance(600)
        advance(400)
    shown = terminal.getvalue()
    assert "events [##############..........] 600/1,000" in shown
    assert "events [########################] 1,000/1,000" in shown
    assert "/s " in shown
    assert shown.endswith("\r\033[K")
    assert "\n" not in shown


def test_where_the_total_is_not_known_it_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("events", None) as advance:
        advance(1_234)
    assert "\revents 1,234  " in terminal.getvalue()
    assert "#" not in terminal.getvalue()


def test_the_line_is_cleared_after_a_failure_too(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with pytest.raises(RuntimeError), progress("events", 5):
        raise RuntimeError
    assert terminal.getvalue().endswith("\r\033[K")


def test_nothing_is_shown_where_nobody_looks(capsys: pytest.CaptureFixture[str]) -> None:
    with progress("events", 2) as advance:
        advance(2)
    summary("2 events")
    assert capsys.readouterr() == ("", "")


def test_nothing_is_shown_where_it_would_be_in_the_way(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("events", 2, hidden=True) as advance:
        advance(2)
    assert terminal.getvalue() == ""


def test_counting_past_the_total_and_to_nothing_is_harmless(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    with progress("events", 0) as advance:
        advance(5)
    assert "5/0" in terminal.getvalue()


def test_a_summary_is_a_line(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    summary("2 events")
    assert terminal.getvalue() == "2 events\n"
