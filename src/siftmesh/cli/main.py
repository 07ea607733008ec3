"""The command line: `siftmesh COMMAND`. Exit code 2 means the input was wrong, and one line says how."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from siftmesh import __version__
from siftmesh.cli import demo, explain, generate, match
from siftmesh.errors import SiftmeshError, SubscriptionError

__all__ = ["build_parser", "main"]


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="siftmesh", description="Content-based publish/subscribe: match events against standing filters."
    )
    parser.add_argument("--version", action="version", version=f"siftmesh {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in (demo, match, explain, generate):
        command.add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    parsed = build_parser().parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except SubscriptionError as error:
        return _refuse(error.in_one_line())
    except SiftmeshError as error:
        return _refuse(str(error))
    except BrokenPipeError:
        # Whoever read our output has seen enough; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    return code


def _refuse(what: str) -> int:
    print(f"siftmesh: {' '.join(what.splitlines())}", file=sys.stderr)
    return 2
