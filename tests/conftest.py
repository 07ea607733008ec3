"""Settings of the whole suite: how many examples are tried, from which seed, and the table of seconds."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.effort import PROFILE, SOAKING, effort

pytest_plugins = ["tests.budget"]

# No deadlines: the first example of a test may compile a kernel, and the machine may be busy with others.
# For the same reason slow generation is no failure by itself.
COMMON = settings(
    max_examples=effort(60), deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=False
)

settings.register_profile("default", COMMON)
settings.register_profile("ci", COMMON, print_blob=True)
settings.register_profile("soak", COMMON, print_blob=True)
settings.load_profile(PROFILE)

PROPERTIES = Path(__file__).parent / "property"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    # Choosing the seed here instead of inside hypothesis makes a red run repeatable from its log alone.
    if PROFILE != "default" and config.getoption("hypothesis_seed", None) is None:
        config.option.hypothesis_seed = str(random.SystemRandom().randrange(2**32))


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In a soak every property counts as a long test; before `-m soak` chooses among them."""
    for item in items:
        drawn = getattr(getattr(item, "obj", None), "is_hypothesis_test", False)
        if SOAKING and (drawn or PROPERTIES in item.path.parents):
            item.add_marker(pytest.mark.soak)


@pytest.fixture(scope="session")
def seed(pytestconfig: pytest.Config) -> int:
    """The seed of tests with random cases of their own: hypothesis' one, so that one number repeats all."""
    given = pytestconfig.getoption("hypothesis_seed", None)
    return random.SystemRandom().randrange(2**32) if given in (None, "random") else int(given)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    chosen = terminalreporter.config.getoption("hypothesis_seed", None)
    if chosen is not None:
        terminalreporter.write_line(
            f"random cases: repeat with HYPOTHESIS_PROFILE={PROFILE} and --hypothesis-seed={chosen}"
        )
