"""Kernels are plain Python too: without the compiler they say the same, and stay inside their arrays.

Compiled code does not notice an index that is out of range, numpy does.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Most of these tests are about what kernels do; those about the compiler and its files skip themselves.
FEWEST = 150


def test_the_tests_of_kernels_pass_without_the_compiler() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/unit/kernels"]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "HYPOTHESIS_PROFILE": "default"},
        capture_output=True,
        text=True,
        check=False,
        timeout=250,
    )
    assert done.returncode == 0, done.stdout[-5_000:] + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed
    assert int(passed[1]) > FEWEST
