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
from benchmarks.records import RESULTS, Line, number

__all__ = ["FOLDER", "quoted", "read", "store"]

FOLDER = RESULTS / "matcher"
QUOTED = Path(__file__).parent / "quoted.toml"

# The matcher whose workloads are drawn together.
OURS = "adaptive"
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
    rows: dict[str, dict[int, str]] = {}
    for line in lines:
        if line.get("status") == "WRONG" or "events_per_second" in line:
            rows.setdefault(line["contender"], {})[line["size"]] = _shown(line)
    for line in others:
        rows.setdefault(f"{line['contender']} (quoted)", {})[line["size"]] = f"{line['high']:,}"
    head = f"{workload}, events a second"
    width = max(len(head), *(len(name) + 2 for name in rows)) if rows else len(head)
    print(f"\n{head:<{width}}" + "".join(f"{size:>14,}" for size in sizes))
    for name, cells in rows.items():
        print(f"  {name:<{width - 2}}" + "".join(f"{cells.get(size, '-'):>14}" for size in sizes))


def _shown(cell: Line) -> str:
    return "WRONG" if cell["status"] == "WRONG" else number(cell["events_per_second"])


# What a curve is drawn of: its name, microseconds an event by size, and whether that is only quoted.
Curve = tuple[str, dict[int, float], bool]


def _plots(folder: Path, lines: list[Line]) -> int:
    try:
        import matplotlib
    except ImportError:
        print("\nno plots: matplotlib is not installed; pip install 'siftmesh[experiments]'")
        return 0
    matplotlib.use("Agg")
    # Names of parts of a drawing by what they are, not by chance: the same results draw the same file.
    matplotlib.rcParams["svg.hashsalt"] = "siftmesh"
    # Text stays text, which is a third of the size.
    matplotlib.rcParams["svg.fonttype"] = "none"
    good = [line for line in lines if line["status"] == "measured" and line["items"] is None]
    workloads = list(dict.fromkeys(line["workload"] for line in good))
    for workload in workloads:
        mine = [line for line in good if line["workload"] == workload]
        others = [line for line in quoted() if line["workload"] == workload]
        _draw(folder / f"{workload}.svg", workload, [*_measured(mine, "contender"), *_quoted(others)])
    ours = [line for line in good if line["contender"] == OURS]
    if ours:
        _draw(folder / "scale.svg", f"{OURS}, by workload", _measured(ours, "workload"))
    return 0


def _measured(lines: list[Line], name: str) -> list[Curve]:
    curves: dict[str, dict[int, float]] = {}
    for line in lines:
        curves.setdefault(line[name], {})[line["size"]] = 1e6 / line["events_per_second"]
    return [(label, points, False) for label, points in curves.items()]


def _quoted(lines: list[Line]) -> list[Curve]:
    curves: dict[str, dict[int, float]] = {}
    for line in lines:
        curves.setdefault(f"{line['contender']} (quoted)", {})[line["size"]] = 1e6 / line["high"]
    return [(label, points, True) for label, points in curves.items()]


def _draw(path: Path, title: str, curves: Sequence[Curve]) -> None:
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5))
    for label, points, is_quoted in curves:
        style: Line = {"marker": ".", "linestyle": ":", "linewidth": 0.8} if is_quoted else {"marker": "o"}
        axes.plot(*zip(*sorted(points.items()), strict=True), label=label, **style)
    axes.set(xscale="log", yscale="log", xlabel="subscriptions", title=title)
    axes.set_ylabel("microseconds of CPU an event")
    axes.grid(alpha=0.3)
    axes.legend(fontsize="x-small", loc="center left", bbox_to_anchor=(1, 0.5))
    # Without its date, for the same reason.
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)
    print(path.name)


if __name__ == "__main__":
    sys.exit(main())
