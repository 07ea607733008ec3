"""Run the benchmarks that are named, or a quick look at all; options need a single name before them."""

from __future__ import annotations

import sys
from importlib import import_module
from inspect import signature
from pathlib import Path

# What the others share.
_HELPERS = ("__init__", "__main__", "matcher_results", "matcher_workloads", "records", "timing")
NAMES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in _HELPERS)


def main() -> int:
    given = sys.argv[1:]
    first = next((place for place, word in enumerate(given) if word.startswith("-")), len(given))
    named, options = given[:first], given[first:]
    chosen = named or NAMES
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        print(f"benchmarks: there is no {unknown[0]}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    if options and len(named) != 1:
        print(f"benchmarks: {options[0]} needs the name of one benchmark before it", file=sys.stderr)
        return 2
    worst = 0
    for name in chosen:
        print(f"\n== {name}")
        run = import_module(f"benchmarks.{name}").main
        # Some take no options.
        asked = options if named else ["--quick"]
        worst = max(worst, (run(asked) if signature(run).parameters else run()) or 0)
    return worst


if __name__ == "__main__":
    sys.exit(main())
