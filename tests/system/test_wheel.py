"""The built wheel is complete: it installs with the core lock alone and works where none may write."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
from siftmesh import Matcher

matcher = Matcher()
matcher.add("alice", "price < 10 AND title = 'Dune'")
matcher.add("bob", "price > 100")
print(*matcher.match({"price": 9, "title": "Dune"}))
"""


def command(*arguments: str | Path, cwd: Path) -> str:
    """Run a program that sees neither this checkout nor the settings of the environment around it."""
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith(("PYTHON", "NUMBA", "VIRTUAL"))
    }
    # User-wide caches belong to this test too. NUMBA_CACHE_DIR stays unset: where compiled kernels go is the
    # package's own affair, and beside its modules is the wrong place.
    environment["XDG_CACHE_HOME"] = str(cwd / "cache")
    done = subprocess.run(
        [str(argument) for argument in arguments],
        cwd=cwd,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
    )
    assert done.returncode == 0, f"{arguments}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("dist")
    command(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, ROOT, cwd=out)
    (built,) = out.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A fresh environment with the core lock and the wheel, whose packages nobody may write to."""
    home = tmp_path_factory.mktemp("installed")
    command(sys.executable, "-m", "venv", home / "venv", cwd=home)
    python = home / "venv/bin/python"
    pip: list[str | Path] = [
        python,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-input",
        "--disable-pip-version-check",
    ]
    command(*pip, "--require-hashes", "-r", ROOT / "requirements/core.lock", cwd=home)
    command(*pip, "--no-deps", wheel, cwd=home)
    packages = site_packages(home)
    command("chmod", "-R", "a-w", packages, cwd=home)
    yield home
    command("chmod", "-R", "u+w", packages, cwd=home)


def site_packages(home: Path) -> Path:
    (folder,) = (home / "venv/lib").glob("python3*/site-packages")
    return folder


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    """Return size and time of every file; permissions do not stop root, a comparison does."""
    return {
        str(p.relative_to(folder)): (p.stat().st_size, p.stat().st_mtime_ns)
        for p in folder.rglob("*")
        if p.is_file()
    }


def test_the_wheel_holds_every_module_and_nothing_else(wheel: Path) -> None:
    names = {name for name in zipfile.ZipFile(wheel).namelist() if ".dist-info/" not in name}
    sources = {
        path.relative_to(ROOT / "src").as_posix()
        for path in (ROOT / "src/siftmesh").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert names == sources
    assert "siftmesh/py.typed" in names


def test_the_wheel_carries_its_licence(wheel: Path) -> None:
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in zipfile.ZipFile(wheel).namelist())


def test_a_matcher_works_from_the_wheel_and_writes_nothing_beside_it(installed: Path) -> None:
    python = installed / "venv/bin/python"
    before = listing(site_packages(installed))
    assert command(python, "-c", PROGRAM, cwd=installed).split() == ["alice"]
    where = command(python, "-c", "import siftmesh; print(siftmesh.__file__)", cwd=installed)
    assert str(site_packages(installed)) in where
    assert listing(site_packages(installed)) == before


def test_the_command_line_works_from_the_wheel(installed: Path) -> None:
    before = listing(site_packages(installed))
    assert "usage: siftmesh" in command(installed / "venv/bin/siftmesh", "--help", cwd=installed)
    assert listing(site_packages(installed)) == before
