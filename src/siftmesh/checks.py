"""What a Matcher is handed besides filters and events, checked: settings, ends, counts, templates, files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import isfinite
from typing import Any

from siftmesh.errors import ConfigError, DamagedData, SiftmeshError, SubscriptionError
from siftmesh.language.limits import Limits
from siftmesh.logic.template import Template

__all__ = ["check_count", "check_settings", "check_template", "end_after", "made_of_file"]


def check_settings(limits: object, clock: object, profile: object) -> None:
    """Refuse what no matcher can be made with."""
    if not isinstance(limits, Limits):
        raise ConfigError(f"limits are siftmesh.Limits(...), not {type(limits).__name__}")
    if not callable(clock):
        raise ConfigError(f"a clock is a function that says the time in seconds, not {type(clock).__name__}")
    if profile is not None:
        from siftmesh.logic.profile import Profile

        if not isinstance(profile, Profile):
            raise ConfigError(f"a profile is a siftmesh.logic.profile.Profile, not {type(profile).__name__}")


def end_after(ttl: Any, clock: Callable[[], float]) -> float | None:
    """The moment after so many seconds; None if there is no end."""
    if ttl is None:
        return None
    seconds = _seconds(ttl)
    if seconds is None or seconds <= 0:
        raise ConfigError(f"the ttl is {ttl!r:.40}; expected a number of seconds above 0")
    now = _seconds(clock())
    if now is None:
        raise ConfigError("the clock says no time; expected a number of seconds")
    return now + seconds


def _seconds(number: Any) -> float | None:
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return None
    try:
        return float(number) if isfinite(number) else None
    except OverflowError:
        return None


def check_count(count: Any) -> int:
    """How many of something are asked for."""
    if isinstance(count, bool) or not isinstance(count, int) or not 0 <= count < 2**31:
        raise ConfigError(f"the count is {count!r:.40}; expected a whole number from 0 on")
    return count


def check_template(template: Any) -> None:
    """Refuse what is neither a template nor its text."""
    if not isinstance(template, (str, Template)):
        raise SubscriptionError(
            f"a template is text, not {type(template).__name__}", expected="a string or a Template"
        )


@contextmanager
def made_of_file(path: Any) -> Iterator[None]:
    """Say that a file is damaged where what is in it does not make a matcher."""
    try:
        yield
    except SiftmeshError:
        raise
    except (LookupError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise DamagedData(
            f"{path}: what is in the file makes no matcher: {type(error).__name__}: {error}"
        ) from None
