"""What it takes to begin: to import the package, to make a matcher, to match for the first time.

Every figure is from interpreters of its own, started one after the other in turns, the median of several.
The compiled code is in the cache: runs that do not count have put it there.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.records import ROOT, Line, keep, number, options, positive
from siftmesh import Matcher

__all__ = ["main"]

ABOUT = ("what",)
# What is done before the clock starts, and what is timed.
_MATCHER = "from siftmesh import Matcher"
_FILLED = "from siftmesh import Matcher\nm = Matcher()\nm.add('a', {text!r})"
_EVENT = "{'title': 'Dune', 'price': 9, 'pages': 500}"
_EQUAL, _RANGE = "price < 10 AND title = 'Dune'", "price BETWEEN 1 AND 10 AND pages BETWEEN 1 AND 999"
_FIRST = "m = Matcher()\nm.add('a', {text!r})\nassert m.match({event}) == ['a']"
STEPS = {
    "nothing": ("", ""),
    "import numpy": ("", "import numpy"),
    "import pyarrow": ("", "import pyarrow"),
    "import numba": ("", "import numba"),
    "import siftmesh": ("", "import siftmesh"),
    "first match": (_MATCHER, _FIRST.format(text=_EQUAL, event=_EVENT)),
    "first match, ranges": (_MATCHER, _FIRST.format(text=_RANGE, event=_EVENT)),
    "first match_batch": (
        "import pyarrow\n" + _FILLED.format(text=_EQUAL),
        "assert m.match_batch(pyarrow.table({'title': ['Dune'], 'price': [9]}))[0] == ['a']",
    ),
    "load and first match": (
        f"import sys\n{_MATCHER}",
        f"assert 'a' in Matcher.load(sys.argv[1]).match({_EVENT})",
    ),
}
# Libraries whose loading is told.
_LIBRARIES = ("numpy", "pyarrow", "numba", "msgspec")
_CHILD = """
import json, sys, time
{before}
began = time.perf_counter()
{timed}
seconds = time.perf_counter() - began
loaded = [name for name in {libraries} if name in sys.modules]
print(json.dumps({{"seconds": seconds, "loaded": loaded}}))
"""
# Matchers that are made to tell what one takes.
EMPTY = 1_000
_EMPTY = f"""
import json, time, tracemalloc
from siftmesh import Matcher
Matcher()
began = time.perf_counter()
held = [Matcher() for _ in range({EMPTY})]
seconds = (time.perf_counter() - began) / {EMPTY}
del held
tracemalloc.start()
held = [Matcher() for _ in range({EMPTY})]
size = tracemalloc.get_traced_memory()[0] / {EMPTY}
print(json.dumps({{"seconds": seconds, "bytes": size}}))
"""


def main(arguments: Sequence[str] = ()) -> int:
    asked = _options(arguments)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one.index"
        matcher = Matcher()
        matcher.add("a", _EQUAL)
        matcher.save(path)
        lines = _measure(path, asked.rounds)
    keep("startup", arguments, asked.save, lines, ABOUT)
    return 0


def _measure(path: Path, rounds: int) -> list[Line]:
    programs = {
        what: _CHILD.format(before=before, timed=timed, libraries=_LIBRARIES)
        for what, (before, timed) in STEPS.items()
    }
    told: dict[str, list[dict[str, Any]]] = {what: [] for what in programs}
    for what, program in programs.items():
        if "match" in what:
            _run(program, path)  # compiles what is not in the cache
    for _ in range(rounds):
        for what, program in programs.items():
            told[what].append(_run(program, path))
    empty = [_run(_EMPTY, path) for _ in range(rounds)]
    process = {what: median(one["process"] for one in found) for what, found in told.items()}
    print(f"\n{'milliseconds':<24}{'':>10}{'process':>10}{'x nothing':>11}  loads")
    lines: list[Line] = []
    for what, found in told.items():
        seconds = median(one["seconds"] for one in found)
        ratio = process[what] / process["nothing"]
        loaded = found[0]["loaded"]
        print(
            f"{what:<24}{number(1e3 * seconds):>10}{number(1e3 * process[what]):>10}{number(ratio):>11}"
            f"  {', '.join(loaded)}"
        )
        lines.append(
            {
                "what": what,
                "seconds": float(f"{seconds:.4g}"),
                "process_seconds": float(f"{process[what]:.4g}"),
                "x_nothing": float(f"{ratio:.4g}"),
                "loaded": loaded,
            }
        )
    seconds, size = (median(one[name] for one in empty) for name in ("seconds", "bytes"))
    print(f"an empty Matcher takes {number(1e6 * seconds)} microseconds and {size:,.0f} bytes")
    lines.append({"what": "Matcher()", "seconds": float(f"{seconds:.4g}"), "bytes": round(size)})
    return lines


def _run(program: str, path: Path) -> dict[str, Any]:
    """What a program says that runs in an interpreter of its own, and how long that was there."""
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program, str(path)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    process = time.perf_counter() - began
    if done.returncode:
        raise RuntimeError(f"this program has failed:\n{program}\n{done.stderr}")
    found: dict[str, Any] = json.loads(done.stdout)
    return found | {"process": process}


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    parser = options("startup", __doc__)
    parser.add_argument(
        "--rounds", type=positive, default=1 if "--quick" in arguments else 5, help="interpreters a figure"
    )
    return parser.parse_args(arguments)
