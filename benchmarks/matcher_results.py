"""Results of the matchers' benchmark as data: one JSON line a cell, with where it comes from; and plots.

`python -m benchmarks.matcher_results [FOLDER]` prints what is stored, beside what was quoted, and draws it
when matplotlib is installed (the extra `experiments`). Measuring never plots, and plotting never measures.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import Any

__all__ = ["FOLDER", "provenance", "quoted", "read", "store"]

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(__file__).parent / "results"
QUOTED = Path(__file__).parent / "quoted.toml"

# What tells one cell from another: a newer measurement takes the place of an older one.
_CELL = ("workload", "size", "contender", "items")

Line = dict[str, Any]


def provenance(command: str) -> Line:
    """Where a result comes from; nothing here names the machine or a folder on it."""
    return {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "revision": _revision(),
        "command": command,
        "python": platform.python_version(),
        **{name: _version(name) for name in ("numba", "numpy", "pyarrow", "duckdb")},
        "sqlite": sqlite3.sqlite_version,
        "cpu": _processor(),
        "cores": os.cpu_count(),
        **({"load": round(os.getloadavg()[0], 1)} if hasattr(os, "getloadavg") else {}),
    }


def store(folder: Path, lines: Iterable[Line]) -> list[Path]:
    """Put lines into the file of their workload, in place of those about the same cells."""
    new: dict[str, dict[tuple[Any, ...], Line]] = {}
    for line in lines:
        new.setdefault(line["workload"], {})[_cell(line)] = line
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for workload, cells in new.items():
        path = folder / f"{workload}.jsonl"
        kept = {_cell(line): line for line in _lines(path)} if path.is_file() else {}
        ordered = sorted((kept | cells).values(), key=lambda line: (line["size"], line["items"] or 0))
        path.write_text("".join(json.dumps(line) + "\n" for line in ordered), encoding="utf-8")
        written.append(path)
    return written


def read(folder: Path) -> list[Line]:
    """Everything that is stored in a folder."""
    return [line for path in sorted(folder.glob("*.jsonl")) for line in _lines(path)]


def quoted() -> list[Line]:
    """The figures of `quoted.toml`, one for each workload, size and peer."""
    with QUOTED.open("rb") as file:
        peers = tomllib.load(file)["peer"]
    return [
        {
            "workload": workload,
            "size": int(size),
            "contender": peer["name"],
            "low": min(figures) if isinstance(figures, list) else figures,
            "high": max(figures) if isinstance(figures, list) else figures,
            "remark": peer.get("remark", ""),
        }
        for peer in peers
        for workload, sizes in peer["events_per_second"].items()
        for size, figures in sizes.items()
    ]


def _cell(line: Line) -> tuple[Any, ...]:
    return tuple(line[name] for name in _CELL)


def _lines(path: Path) -> list[Line]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line]


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


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.matcher_results", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER, help="where the JSON lines are")
    folder = parser.parse_args(arguments).folder
    lines = read(folder)
    if not lines:
        print(f"benchmarks: no results in {folder}; `python -m benchmarks matcher --save` makes some")
        return 2
    for workload in dict.fromkeys(line["workload"] for line in lines):
        mine = [line for line in lines if line["workload"] == workload and line["items"] is None]
        _print(workload, mine, [line for line in quoted() if line["workload"] == workload])
    return _plots(folder, lines)


def _print(workload: str, lines: list[Line], others: list[Line]) -> None:
    sizes = sorted({line["size"] for line in lines})
    if not sizes:
        return
    print(f"\n{workload}, events a second" + "".join(f"{size:>14,}" for size in sizes))
    for contender in dict.fromkeys(line["contender"] for line in lines):
        cells = {line["size"]: line for line in lines if line["contender"] == contender}
        if any("events_per_second" in cell for cell in cells.values()):
            shown = [_shown(cells.get(size, {})) for size in sizes]
            print(f"  {contender:<{len(workload) + 17}}" + "".join(f"{cell:>14}" for cell in shown))
    for peer in dict.fromkeys(line["contender"] for line in others):
        figures = {line["size"]: line for line in others if line["contender"] == peer}
        shown = [f"{figures[size]['high']:,}" if size in figures else "-" for size in sizes]
        print(f"  {peer + ' (quoted)':<{len(workload) + 17}}" + "".join(f"{cell:>14}" for cell in shown))


def _shown(cell: Line) -> str:
    if cell.get("status") == "WRONG":
        return "WRONG"
    rate = cell.get("events_per_second")
    return "-" if rate is None else f"{rate:,.0f}" if rate >= 100 else f"{rate:.3g}"


def _plots(folder: Path, lines: list[Line]) -> int:
    try:
        import matplotlib
    except ImportError:
        print("\nno plots: matplotlib is not installed; pip install 'siftmesh[experiments]'")
        return 0
    matplotlib.use("Agg")
    from matplotlib import pyplot

    for workload in dict.fromkeys(line["workload"] for line in lines):
        figure, axes = pyplot.subplots(figsize=(8, 5))
        good = [line for line in lines if line["workload"] == workload and line["status"] == "measured"]
        good = [line for line in good if line["items"] is None]
        for contender in dict.fromkeys(line["contender"] for line in good):
            mine = sorted(
                (ln["size"], 1e6 / ln["events_per_second"]) for ln in good if ln["contender"] == contender
            )
            axes.plot(*zip(*mine, strict=True), marker="o", label=contender)
        others = [line for line in quoted() if line["workload"] == workload]
        for peer in dict.fromkeys(line["contender"] for line in others):
            mine = sorted((ln["size"], 1e6 / ln["high"]) for ln in others if ln["contender"] == peer)
            axes.plot(
                *zip(*mine, strict=True), marker=".", linestyle=":", linewidth=0.8, label=f"{peer} (quoted)"
            )
        axes.set(
            xscale="log",
            yscale="log",
            xlabel="subscriptions",
            ylabel="microseconds of CPU an event",
            title=workload,
        )
        axes.grid(alpha=0.3)
        axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1, 0.5))
        path = folder / f"{workload}.svg"
        # Without its date, the same results draw the same file.
        figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
        pyplot.close(figure)
        print(path.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
