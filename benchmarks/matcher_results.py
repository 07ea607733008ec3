"""Results of the matchers' benchmark as data: one JSON line a cell, with where it comes from; and plots.

`python -m benchmarks.matcher_results [FOLDER]` prints what is stored, beside what was quoted, and draws it
when matplotlib is installed (the extra `experiments`). Measuring never plots, and plotting never measures.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks import records
from benchmarks.records import RESULTS, Line

__all__ = ["FOLDER", "quoted", "read", "store"]

FOLDER = RESULTS / "matcher"
QUOTED = Path(__file__).parent / "quoted.toml"

# What tells one cell from another.
_CELL = ("workload", "size", "contender", "items")


def store(folder: Path, lines: Iterable[Line]) -> None:
    """Put lines into the file of their workload, in place of those about the same cells."""
    listed = list(lines)
    for workload in dict.fromkeys(line["workload"] for line in listed):
        mine = [line for line in listed if line["workload"] == workload]
        records.store(folder / f"{workload}.jsonl", mine, _CELL)


def read(folder: Path) -> list[Line]:
    """Everything that is stored in a folder."""
    return [line for path in sorted(folder.glob("*.jsonl")) for line in records.read(path)]


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
