"""What commands share: the options for filters, and how a refused filter is told in one line."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from siftmesh.cli.files import read_json
from siftmesh.errors import ConfigError, LimitExceeded, SubscriptionError, nearest_name
from siftmesh.language.dialects import DIALECTS
from siftmesh.language.limits import DEEPEST, DEFAULT, Limits

if TYPE_CHECKING:
    from siftmesh.model.schema import Schema

__all__ = ["add_settings", "check_number", "read_limits", "read_schema", "said"]

_LIMITS = Limits.__struct_fields__
_DEFAULTS = ", ".join(f"{name}={getattr(DEFAULT, name)}" for name in _LIMITS)


def add_settings(parser: argparse.ArgumentParser) -> None:
    """Add --dialect, --schema and --limit to a command."""
    group = parser.add_argument_group("filters")
    group.add_argument(
        "--dialect", choices=sorted(DIALECTS), default="sql", help="the language of filters (default sql)"
    )
    group.add_argument(
        "--schema", metavar="FILE", help='a JSON file such as {"price": "float", "title": "string"}'
    )
    group.add_argument(
        "--limit",
        action="append",
        default=[],
        metavar="NAME=NUMBER",
        help=f"how large a filter may be (default {_DEFAULTS})",
    )


def read_schema(arguments: argparse.Namespace) -> Schema | None:
    """The schema in the file that --schema names."""
    from siftmesh.model.schema import Schema

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


def check_number(option: str, value: float, least: float, most: float | None = None) -> None:
    """Refuse a number of an option that is too small or too large, or is none."""
    if not least <= value < float("inf") or (most is not None and value > most):
        wanted = f"at least {least}" if most is None else f"{least} to {most:,}"
        raise ConfigError(f"{option} is {value} (expected {wanted})")


def said(error: SubscriptionError) -> str:
    """What is wrong with a filter in one line, with the option that would let it through if there is one."""
    line = error.in_one_line()
    if not isinstance(error, LimitExceeded) or error.setting is None:
        return line
    if error.setting == "depth" and (error.limit or 0) >= DEEPEST:
        return f"{line}; nothing that is nested deeper is read, write it flatter"
    return f"{line}; --limit {error.setting}=NUMBER sets another limit"
