"""Options that commands share: the dialect, the schema and the limits of filters."""

from __future__ import annotations

import argparse

from siftmesh.cli.files import read_json
from siftmesh.errors import ConfigError, nearest_name
from siftmesh.language.dialects import DIALECTS
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.model.schema import Schema

__all__ = ["add_settings", "read_limits", "read_schema"]

_LIMITS = Limits.__struct_fields__
_DEFAULTS = ", ".join(f"{name}={getattr(DEFAULT, name)}" for name in _LIMITS)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add --dialect, --schema and --limit to a command."""
    parser.add_argument(
        "--dialect", choices=sorted(DIALECTS), default="sql", help="the language of filters (default sql)"
    )
    parser.add_argument("--schema", help='a JSON file such as {"price": "float", "title": "string"}')
    parser.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help=f"how large a filter may be (default {_DEFAULTS})",
    )


def read_schema(arguments: argparse.Namespace) -> Schema | None:
    """The schema in the file that --schema names."""
    path = arguments.schema
    if path is None:
        return None
    types = read_json(path)
    if not isinstance(types, dict):
        raise ConfigError(f'{path}: expected attribute names and types, such as {{"price": "float"}}')
    try:
        return Schema.of(types)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None


def read_limits(arguments: argparse.Namespace) -> Limits:
    """The limits with what --limit changes."""
    changed: dict[str, int] = {}
    for setting in arguments.limit:
        name, _, number = setting.partition("=")
        if name not in _LIMITS:
            near = nearest_name(name, _LIMITS)
            known = near or ", ".join(_LIMITS)
            raise ConfigError(f"--limit {setting}: there is no limit {name!r}; expected {known}")
        if not (number.isascii() and number.isdigit() and len(number) < 19):
            raise ConfigError(f"--limit {setting}: expected a number, as in {name}={getattr(DEFAULT, name)}")
        changed[name] = int(number)
    return Limits(**changed)
