"""The command line: `siftmesh COMMAND`. Exit code 2 means the input was wrong, and one line says how."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence

from siftmesh import __version__
from siftmesh.cli import bench, demo, explain, generate, match, warmup
from siftmesh.cli.settings import said
from siftmesh.errors import SiftmeshError, SubscriptionError

__all__ = ["build_parser", "main"]


# What a shell reports for a program that SIGINT ended.
_INTERRUPTED = 130
# Standard input, output and error are the files with numbers up to this one.
_LAST_STREAM = 2

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
    parsed = _parsed(build_parser(), arguments)
    closed = _stand_in_for_closed_streams()
    if closed and not getattr(parsed, "out", None):
        return _refuse("standard output is closed; leave it open, or name a file with --out")
    warnings.showwarning = _warn
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


def _parsed(parser: argparse.ArgumentParser, arguments: Sequence[str] | None) -> argparse.Namespace:
    """The arguments; words that follow an option are what is still missing of the files."""
    parsed, rest = parser.parse_known_args(arguments)
    late = getattr(parsed, "late", None)
    words = [word for word in rest if word == "-" or not word.startswith("-")]
    if late is None or words != rest:
        words = []
    elif isinstance(getattr(parsed, late), list):
        setattr(parsed, late, [*getattr(parsed, late), *words])
    elif getattr(parsed, late) is None and len(words) == 1:
        setattr(parsed, late, words[0])
    else:
        words = []
    if words != rest:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    return parsed


def _stand_in_for_closed_streams() -> bool:
    """Give what writes to a closed stream somewhere to write; whether standard output was closed."""
    # No file that is opened later may take the number of a stream.
    while (spare := os.open(os.devnull, os.O_RDWR)) <= _LAST_STREAM:
        pass
    os.close(spare)
    closed = sys.stdout is None
    if closed:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it is open to the end
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - it is open to the end
    return closed


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    print(f"siftmesh: {' '.join(str(message).splitlines())}", file=sys.stderr)


def _refuse(what: str) -> int:
    print(f"siftmesh: {' '.join(what.splitlines())}", file=sys.stderr)
    return 2
