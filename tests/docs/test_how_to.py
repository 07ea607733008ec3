"""What the how-to pages show is what happens: their programs, commands and messages are run in order."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from siftmesh import errors
from siftmesh.cli.main import build_parser

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
ERRORS = DOCS / "reference/errors.md"
PAGES = [*sorted((DOCS / "how-to").glob("*.md")), ERRORS]


class Block(NamedTuple):
    language: str
    # Of the file that the block holds, if it holds one.
    name: str
    text: str


def blocks(page: str) -> list[Block]:
    found = re.findall(r"^```(\w*) ?(\S*)\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    return [Block(*parts) for parts in found]


def run_page(page: str, folder: Path) -> None:
    """Write the page's files into a folder, run its programs and commands there, compare what they print."""
    known: dict[str, Any] = {}
    for block, following in pairwise([Block("", "", ""), *blocks(page), Block("", "", "")]):
        shown = following.text if following.language == "text" else ""
        if block.language == "python":
            assert printed_by(block.text, known) == shown
        elif block.name:
            (folder / block.name).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for command, shown_below in commands(block.text):
                seen = terminal(command, folder)
                assert fits(shown_below, seen), f"{command}\n{seen}"
        else:
            assert block.language in ("", "text"), f"nobody checks a block of {block.language}"
        if following.language == "text":
            assert block.language == "python", "a text block shows what a program printed"


def printed_by(program: str, known: dict[str, Any]) -> str:
    printed = io.StringIO()
    with redirect_stdout(printed):
        exec(compile(program, "a block of the page", "exec"), known)
    return printed.getvalue()


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a console block, and what stands under it."""
    first, *rest = re.split(r"^\$ ", text, flags=re.MULTILINE)
    assert not first, "a console block begins with a command"
    for each in rest:
        command, _, output = each.partition("\n")
        yield command, output


def terminal(command: str, folder: Path) -> str:
    """What a person at a terminal would see of a command."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONUNBUFFERED": "1",
        "PYTHONUTF8": "1",
        "LC_ALL": "C",
    }
    done = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=60,
        check=False,
    )
    return done.stdout


def fits(shown: str, printed: str) -> bool:
    """Whether a text is the one shown, where three dots stand for anything."""
    return re.fullmatch(".*?".join(map(re.escape, shown.split("..."))), printed, flags=re.DOTALL) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_page_shows_what_happens(page: Path, tmp_path: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert blocks(text)
    assert len(blocks(text)) * 2 == len(re.findall("^```", text, flags=re.MULTILINE)), "a block is broken"
    run_page(text, tmp_path)


@pytest.mark.parametrize(
    "page",
    [
        "```python\nprint(1)\n```\n",
        "```python\nprint(1)\n```\n\n```text\n2\n```\n",
        "```python\nx = 1\n```\n\n```text\n1\n```\n",
        "```console\n$ echo one\ntwo\n```\n",
        "```console\n$ echo one\n```\n",
        "```console\n$ siftmesh parse 'a ='\nread as      ...\n```\n",
        "```text\nwhat printed this?\n```\n",
        "```toml\nwho reads this?\n```\n",
    ],
)
def test_a_page_that_shows_something_else_is_seen(page: str, tmp_path: Path) -> None:
    with pytest.raises(AssertionError):
        run_page(page, tmp_path)


def test_every_how_to_is_in_the_index() -> None:
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    assert [page.name for page in PAGES if f"({page.relative_to(DOCS).as_posix()})" not in index] == []


def test_every_command_is_shown() -> None:
    page = (DOCS / "how-to/use-the-command-line.md").read_text(encoding="utf-8")
    known = re.findall(r"^    (\w+) {2,}", build_parser().format_help(), flags=re.MULTILINE)
    assert "match" in known
    assert [command for command in known if f"$ siftmesh {command} " not in page] == []


def rows(heading: str) -> list[list[str]]:
    """The rows of the first table of the page on errors under a heading, cells without their marks."""
    _, _, under = ERRORS.read_text(encoding="utf-8").partition(heading)
    lines = under[under.index("|") :].split("\n\n")[0].splitlines()
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_all_errors_are_listed_with_what_they_are() -> None:
    listed = {name: re.findall(r"\w+", bases) for name, bases, _ in rows("# Errors")}
    exported = {name: getattr(errors, name) for name in errors.__all__}
    assert listed == {
        name: [base.__name__ for base in thing.__bases__]
        for name, thing in exported.items()
        if isinstance(thing, type)
    }


@pytest.mark.parametrize(
    ("heading", "kind"),
    [
        ("## Facts of a SubscriptionError", errors.SubscriptionError),
        ("## Facts of an EventError", errors.EventError),
    ],
)
def test_the_facts_of_an_error_are_those_it_has(heading: str, kind: Any) -> None:
    assert [name for name, _ in rows(heading)] == list(vars(kind("it")))
