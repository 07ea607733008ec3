"""What the README and the examples show is what happens."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))

LONGEST_README_EXAMPLE = 15
LONGEST_EXAMPLE = 40


def python_blocks(text: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


def run(source: str | Path, folder: Path) -> str:
    """Run a program in an empty folder, as its reader would, and return what it printed."""
    arguments = ["-c", source] if isinstance(source, str) else [str(source)]
    done = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_readme_example_is_short() -> None:
    (example,) = python_blocks(README)
    assert len(example.splitlines()) <= LONGEST_README_EXAMPLE


def test_the_readme_example_prints_what_its_comments_say(tmp_path: Path) -> None:
    (example,) = python_blocks(README)
    promised = re.findall(r"^print\(.*\)\s+# (.*)$", example, flags=re.MULTILINE)
    assert promised, "the example promises nothing that could be checked"
    printed = run(example, tmp_path).splitlines()
    for line in promised:
        assert line in printed, f"promised {line!r}, printed {printed}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_make_target_that_a_page_names_exists(page: Path) -> None:
    code = "\n".join(
        re.findall(
            r"`[^`\n]+`|^ {4}.*$|^```(?:\n|sh\n).*?^```", page.read_text(encoding="utf-8"), re.M | re.S
        )
    )
    targets = set(re.findall(r"\bmake ([a-z]+)", code))
    known = set(re.findall(r"^([a-z]+):", MAKEFILE, flags=re.MULTILINE))
    assert targets - known == set()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_to_a_file_leads_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text(encoding="utf-8"))
    local = [link for link in links if "://" not in link]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_the_readme_names_both_commands() -> None:
    assert {"demo", "test"} <= set(re.findall(r"make ([a-z]+)", README))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_examples_are_short_and_run(example: Path, tmp_path: Path) -> None:
    assert len(example.read_text(encoding="utf-8").splitlines()) < LONGEST_EXAMPLE
    assert run(example, tmp_path).strip(), "an example shows something"


def test_there_are_examples() -> None:
    assert EXAMPLES
