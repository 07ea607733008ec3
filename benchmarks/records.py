"""What the benchmarks share besides timing: common options, where a result comes from, and where it is kept.

Results are JSON lines, each with its provenance. A newer line takes the place of an older one about the same.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import subprocess
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = ["RESULTS", "Line", "command", "keep", "names", "number", "options", "positive", "provenance"]
__all__ += ["read", "sizes", "store"]

ROOT = Path(__file__).resolve().parents[1]
RESULTS = Path(__file__).parent / "results"

Line = dict[str, Any]


# ---- options


def options(benchmark: str, description: str | None, folder: Path = RESULTS) -> argparse.ArgumentParser:
    """A parser with what all benchmarks understand."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks {benchmark}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--quick", action="store_true", help="a look: small sizes, short turns")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--save",
        nargs="?",
        type=Path,
        const=folder,
        metavar="FOLDER",
        help=f"store the results, in {folder.relative_to(ROOT)} unless another folder is named",
    )
    return parser


def names(known: Sequence[str]) -> Callable[[str], list[str]]:
    """Reads names with commas between them."""

    def read_names(text: str) -> list[str]:
        for name in (chosen := text.split(",")):
            if name not in known:
                raise argparse.ArgumentTypeError(f"there is no {name!r}; there are {', '.join(known)}")
        return chosen

    return read_names


def sizes(text: str) -> list[int]:
    """Numbers with commas between them."""
    return [positive(part) for part in text.split(",")]


def positive(text: str) -> int:
    """A number from 1 on; 200_000 is one."""
    value = int(text.replace("_", ""))
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return value


def number(value: float) -> str:
    """A number with about three digits that matter."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 0.001 else f"{value:.1g}"


# ---- where results come from


def command(benchmark: str, arguments: Sequence[str]) -> str:
    """The command line without where the results go, which is nobody else's folder."""
    kept: list[str] = []
    after_save = False
    for word in arguments:
        if word == "--save" or word.startswith("--save="):
            after_save = word == "--save"
        elif not after_save or word.startswith("-"):
            kept.append(word)
            after_save = False
        else:
            after_save = False
    return " ".join([f"python -m benchmarks {benchmark}", *kept])


def provenance(benchmark: str, arguments: Sequence[str]) -> Line:
    """Where a result comes from; nothing here names the machine or a folder on it."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": _revision(),
        "command": command(benchmark, arguments),
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numba", "numpy", "pyarrow", "duckdb")},
        "sqlite": sqlite3.sqlite_version,
        "cpu": _processor(),
        "cores": os.cpu_count(),
        **({"load": round(os.getloadavg()[0], 1)} if hasattr(os, "getloadavg") else {}),
    }


def _revision() -> str:
    """The commit that was measured, with a + when files had changed since."""
    try:
        commit = _git("rev-parse", "--short=12", "HEAD")
        return commit + ("+" if _git("status", "--porcelain", "src", "benchmarks/*.py") else "")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return "not installed"


def _processor() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


# ---- where they are kept


def keep(
    benchmark: str, arguments: Sequence[str], folder: Path | None, lines: Sequence[Line], about: Sequence[str]
) -> None:
    """Store what a benchmark found, if a folder is named; `about` are the names that tell lines apart."""
    if folder is not None:
        came_from = provenance(benchmark, arguments)
        store(folder / f"{benchmark}.jsonl", [line | came_from for line in lines], about)


def store(path: Path, lines: Iterable[Line], about: Sequence[str]) -> None:
    """Put lines into a file, in place of those that are about the same."""
    path.parent.mkdir(parents=True, exist_ok=True)
    kept = {_key(line, about): line for line in read(path)} if path.is_file() else {}
    kept |= {_key(line, about): line for line in lines}
    path.write_text("".join(json.dumps(line) + "\n" for line in kept.values()), encoding="utf-8")


def read(path: Path) -> list[Line]:
    """The lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


def _key(line: Line, about: Sequence[str]) -> tuple[Any, ...]:
    return tuple(line.get(name) for name in about)
