"""The command line: `siftmesh COMMAND`. Exit code 2 means the input was wrong, and one line says how."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from siftmesh import __version__
from siftmesh.cli import bench, demo, explain, generate, match, warmup
from siftmesh.cli.settings import said
from siftmesh.errors import SiftmeshError, SubscriptionError

__all__ = ["build_parser", "main"]


# What a shell reports for a program that SIGINT ended.
_INTERRUPTED = 130

_DESCRIPTION = "Content-based publish/subscribe: find every standing filter that an event meets."
_EPILOG = """\
for example:
  siftmesh demo
  siftmesh test "price < 10 AND title = 'Dune'" --event '{"price": 9.5, "title": "Dune"}'
  siftmesh match subscriptions.jsonl events.parquet --out matches.parquet

siftmesh COMMAND --help says more of a command. The exit code is 2 where something given is wrong,
which one line on standard error tells with its place and what to do."""


def build_parser() -> argparse.ArgumentParser:
    """The parser of the whole command line."""
    parser = argparse.ArgumentParser(
        prog="siftmesh",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"siftmesh {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for command in (demo, match, explain, bench, generate, warmup):
        command.add_parser(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code."""
    parsed = build_parser().parse_args(arguments)
    try:
        code: int = parsed.run(parsed)
        sys.stdout.flush()
    except SubscriptionError as error:
        return _refuse(said(error))
    except SiftmeshError as error:
        return _refuse(str(error))
    except BrokenPipeError:
        # Whoever read our output has seen enough; what is still buffered has nowhere to go.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except UnicodeEncodeError as error:
        return _refuse(f"the output cannot be written in {error.encoding}; set PYTHONIOENCODING=utf-8")
    except OSError as error:
        return _refuse(f"{error.filename or 'standard output'}: {error.strerror}")
    except KeyboardInterrupt:
        print("siftmesh: interrupted", file=sys.stderr)
        return _INTERRUPTED
    return code


def _refuse(what: str) -> int:
    print(f"siftmesh: {' '.join(what.splitlines())}", file=sys.stderr)
    return 2
