"""`siftmesh test`, `explain` and `parse`: what one filter says, and whether and why it matches an event."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from siftmesh.cli.files import decoded, read_json
from siftmesh.cli.settings import add_settings, read_limits, read_schema
from siftmesh.cli.subscriptions import INDEXES
from siftmesh.errors import ConfigError, EventError

if TYPE_CHECKING:
    from siftmesh.matcher import Matcher
    from siftmesh.matching.explain import Explanation

__all__ = ["add_parser", "explain", "parse", "test"]

_NAME = "the filter"
_CODES = (
    "The exit code is 0 if the filter matches, 1 if it does not, and 2 if the filter or the event is wrong."
)


def add_parser(commands: Any) -> None:
    """Add the commands and their options to the command line."""
    parser = commands.add_parser(
        "test",
        help="say whether a filter matches an event, by exit code too",
        description=f"Say whether a filter matches an event, and what decides. {_CODES}",
    )
    _filter_arguments(parser)
    _event_arguments(parser)
    parser.set_defaults(run=test)
    parser = commands.add_parser(
        "explain",
        help="show every part of a filter at work on an event",
        description="Show for every part of a filter whether it is true, false or unknown for an event and"
        f" the value that it saw, then where the filter waits in an index. {_CODES}",
    )
    _filter_arguments(parser)
    _event_arguments(parser)
    parser.add_argument("--index", choices=INDEXES, help="in which index it would wait")
    parser.set_defaults(run=explain)
    parser = commands.add_parser(
        "parse",
        help="check a filter and show its normal form",
        description="Check a filter, and show how it was read and its normal form, in our own language.",
    )
    _filter_arguments(parser)
    parser.set_defaults(run=parse)


def _filter_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "filter", metavar="FILTER", help="the filter's text (JSON for the dialects that are JSON)"
    )
    add_settings(parser)


def _event_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--event",
        required=True,
        metavar="EVENT",
        help="a file with a JSON object, the object itself, or - for standard input",
    )
    parser.add_argument("--json", action="store_true", help="print JSON")


def test(arguments: argparse.Namespace) -> int:
    """Print whether the filter matches and what decides; the exit code is 0 for a match and 1 for none."""
    import msgspec

    # To look at one filter once takes no index, and none has to be compiled for it.
    found = _explained(arguments, _matcher(arguments, "scan"))
    if arguments.json:
        reasons = [reason.to_dict() for reason in found.reasons()]
        print(msgspec.json.encode({"matches": found.matches, "reasons": reasons}).decode())
    else:
        print("\n".join(["match" if found else "no match", *(f"  {reason}" for reason in found.reasons())]))
    return 0 if found else 1


def explain(arguments: argparse.Namespace) -> int:
    """Print the explanation; the exit code is 0 for a match and 1 for none."""
    from siftmesh.matching.api import DEFAULT_INDEX

    found = _explained(arguments, _matcher(arguments, arguments.index or DEFAULT_INDEX))
    if arguments.json:
        print(found.to_json())
    else:
        looked = "did not look at it" if found.skipped else "looked at it"
        print(f"{found}\nthe index waits for {found.access} and {looked}")
    return 0 if found else 1


def parse(arguments: argparse.Namespace) -> int:
    """Print the filter as it was read and in normal form."""
    from siftmesh.language.dialects import read
    from siftmesh.language.formatter import format_filter
    from siftmesh.logic.render import render

    matcher = _matcher(arguments, "scan")
    print(f"read as      {format_filter(read(arguments.filter, arguments.dialect, read_limits(arguments)))}")
    print(f"normal form  {render(matcher[_NAME])}")
    return 0


def _matcher(arguments: argparse.Namespace, index: str) -> Matcher:
    from siftmesh.matcher import Matcher

    matcher = Matcher(read_schema(arguments), read_limits(arguments), index)
    matcher.add(_NAME, arguments.filter, dialect=arguments.dialect)
    return matcher


def _explained(arguments: argparse.Namespace, matcher: Matcher) -> Explanation:
    given = arguments.event
    if not given:
        raise ConfigError("--event is empty; give a JSON object, or the name of a file with one")
    # No file is likely to be called so, and who has one can say ./{.
    inline = given.lstrip().startswith("{")
    name = "--event" if inline else "standard input" if given == "-" else given
    event = decoded(given, name, "give one JSON object") if inline else read_json(given)
    if not isinstance(event, dict):
        raise ConfigError(f'{name}: an event is a JSON object; give one, such as {{"price": 9.5}}')
    try:
        return matcher.explain(_NAME, event)
    except EventError as error:
        raise ConfigError(f"{name}: {error}") from None
