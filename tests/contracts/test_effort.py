"""A soak tries harder than a usual run, nothing is left out of it, and what it finds is made small."""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.mutation import damaged, damaged_json, smallest

ROOT = Path(__file__).resolve().parents[2]


# What pytest exits with when it has found no test.
NO_TESTS = 5


def in_a_soak(command: list[str], scale: str, expected: int = 0) -> str:
    """What Python prints with the environment that `make soak` sets."""
    known = {**os.environ, "HYPOTHESIS_PROFILE": "soak", "SOAK_SCALE": scale}
    done = subprocess.run(
        [sys.executable, *command], cwd=ROOT, env=known, capture_output=True, text=True, check=False
    )
    assert done.returncode == expected, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("scale", "expected"),
    [("1", "5000 20000 7 1000000"), ("", "5000 20000 7 1000000"), ("0.001", "5 20 1 1000")],
)
def test_a_soak_multiplies_what_a_test_asks_for(scale: str, expected: str) -> None:
    asked = "effort(8), examples(400).max_examples, effort(8, soak=7), effort(3000, soak=10**6)"
    assert in_a_soak(["-c", f"from tests.effort import *; print({asked})"], scale).split() == expected.split()


def test_every_property_is_part_of_a_soak() -> None:
    left_out = ["-m", "pytest", "-q", "--collect-only", "-m", "not soak", "tests/property"]
    listed = in_a_soak(left_out, "1", expected=NO_TESTS)
    assert "no tests collected" in listed, listed


def test_no_property_says_its_number_of_examples_once_and_for_all() -> None:
    # With `derandomize` a test counts what was drawn; more examples would say nothing else.
    fixed = [
        f"{path.name}: {line.strip()}"
        for path in sorted((ROOT / "tests").rglob("test_*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.match(r"\s*@settings\(", line) and "max_examples=" in line and "derandomize=True" not in line
    ]
    assert not fixed, fixed


def test_the_same_seed_damages_in_the_same_way() -> None:
    one, other = random.Random(5), random.Random(5)
    texts, values = ["a = 1 AND b = 'x'"], [{"a": [{"prefix": "x"}, 1]}]
    for _ in range(200):
        assert damaged(one, texts) == damaged(other, texts)
        assert repr(damaged_json(one, values)) == repr(damaged_json(other, values))
    assert values == [{"a": [{"prefix": "x"}, 1]}]


def test_the_smallest_text_keeps_only_what_matters() -> None:
    assert smallest("some long text ( with ) two marks", lambda text: "(" in text and ")" in text) == "()"
