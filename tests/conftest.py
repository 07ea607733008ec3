"""Settings of the whole suite: how many examples hypothesis tries, and the table of seconds."""

from __future__ import annotations

import os
import random

import pytest
from hypothesis import HealthCheck, settings

pytest_plugins = ["tests.budget"]

# No deadlines: the first example of a test may compile a kernel, and the machine may be busy with others.
# For the same reason slow generation is no failure by itself.
COMMON = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=False
)

settings.register_profile("default", COMMON)
settings.register_profile("ci", COMMON, print_blob=True)
settings.register_profile("soak", COMMON, print_blob=True, max_examples=5000)

PROFILE = os.environ.get("HYPOTHESIS_PROFILE") or ("ci" if os.environ.get("CI") else "default")
settings.load_profile(PROFILE)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # Choosing the seed here instead of inside hypothesis makes a red run repeatable from its log alone.
    if PROFILE != "default" and config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = str(random.SystemRandom().randrange(2**32))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    seed = terminalreporter.config.getoption("hypothesis_seed", None)
    if seed is not None:
        terminalreporter.write_line(
            f"hypothesis: repeat with HYPOTHESIS_PROFILE={PROFILE} and --hypothesis-seed={seed}"
        )
