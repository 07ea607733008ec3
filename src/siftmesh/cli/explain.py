"""`siftmesh explain` and `siftmesh parse`: what a filter says, and why it does or does not match an event."""

from __future__ import annotations

import argparse
from typing import Any

from siftmesh.cli.files import read_json
from siftmesh.cli.settings import add_settings, read_limits, read_schema
from siftmesh.errors import ConfigError, EventError
from siftmesh.language.dialects import read
from siftmesh.language.formatter import format_filter
from siftmesh.logic.render import render
from siftmesh.matcher import Matcher

__all__ = ["add_parser", "explain", "parse"]


def add_parser(commands: Any) -> None:
    """Add the commands and their options to the command line."""
    parser = commands.add_parser("explain", help="say why a filter does or does not match an event")
    _filter_arguments(parser)
    parser.add_argument("--event", required=True, help="a JSON file with the event, - for standard input")
    parser.set_defaults(run=explain)
    parser = commands.add_parser("parse", help="check a filter and show its normal form")
    _filter_arguments(parser)
    parser.set_defaults(run=parse)


def _filter_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("filter", help="the filter's text (JSON for the dialects that are JSON)")
    add_settings(parser)


def explain(arguments: argparse.Namespace) -> int:
    """Print the explanation; the exit code is 0 for a match and 1 for none."""
    matcher = _matcher(arguments)
    try:
        explanation = matcher.explain("the filter", read_json(arguments.event))
    except EventError as error:
        raise ConfigError(f"{arguments.event}: {error}") from None
    print(explanation)
    return 0 if explanation.matches else 1


def parse(arguments: argparse.Namespace) -> int:
    """Print the filter as it was read and in normal form."""
    matcher = _matcher(arguments)
    print(f"read as      {format_filter(read(arguments.filter, arguments.dialect, read_limits(arguments)))}")
    print(f"normal form  {render(matcher['the filter'])}")
    return 0


def _matcher(arguments: argparse.Namespace) -> Matcher:
    matcher = Matcher(schema=read_schema(arguments), limits=read_limits(arguments))
    matcher.add("the filter", arguments.filter, dialect=arguments.dialect)
    return matcher
