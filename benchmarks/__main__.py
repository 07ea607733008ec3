"""Run all benchmarks, or those named on the command line."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

NAMES = sorted(
    path.stem
    for path in Path(__file__).parent.glob("*.py")
    if path.stem not in ("__init__", "__main__", "timing")
)


def main() -> int:
    chosen = sys.argv[1:] or NAMES
    unknown = [name for name in chosen if name not in NAMES]
    if unknown:
        print(f"benchmarks: there is no {unknown[0]}; there are {', '.join(NAMES)}", file=sys.stderr)
        return 2
    for name in chosen:
        print(f"\n== {name}")
        import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
