"""`siftmesh warmup`: a line for each kernel, and where the compiled code is kept."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from numba.core import config

from siftmesh.cli.main import main
from siftmesh.kernels import warmup
from siftmesh.kernels.jit import cache_folder
from siftmesh.kernels.warmup import ENTRY_POINTS, name_of

compiles = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")


@compiles
def test_there_is_a_line_for_each_kernel_and_one_with_the_folder(capsys: pytest.CaptureFixture[str]) -> None:
    for run in ("first", "second"):
        assert main(["warmup"]) == 0
        *lines, last = capsys.readouterr().out.splitlines()
        assert [line.split()[-1] for line in lines] == list(map(name_of, ENTRY_POINTS))
        assert lines[0].startswith(f"  1/{len(ENTRY_POINTS)}  ")
        assert last.endswith(f"; kept in {cache_folder()}")
        if run == "second":
            assert all("    kept  " in line for line in lines)
            assert re.match(rf"{len(ENTRY_POINTS)} kernels, 0 of them compiled, in \d+\.\d s; ", last)


@compiles
def test_what_had_to_be_compiled_is_told_with_its_seconds(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def compile_all(progress: object) -> None:
        progress("pools.one", True)  # type: ignore[operator]  # a function, whatever the type says
        progress("pools.other", False)  # type: ignore[operator]  # likewise

    monkeypatch.setattr(warmup, "compile_all", compile_all)
    assert main(["warmup"]) == 0
    one, other, last = capsys.readouterr().out.splitlines()
    assert re.fullmatch(r"  1/\d+     0\.0 s  pools\.one", one)
    assert re.fullmatch(r"  2/\d+      kept  pools\.other", other)
    assert last.startswith("2 kernels, 1 of them compiled, in 0.0 s; kept in ")
    assert main(["warmup", "--quiet"]) == 0
    assert capsys.readouterr().out.count("\n") == 1


@compiles
def test_a_folder_that_is_nowhere_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("siftmesh.kernels.jit.cache_folder", lambda: None)
    assert main(["warmup", "--quiet"]) == 0
    assert capsys.readouterr().out.endswith("; kept nowhere: no folder is writable\n")


def test_where_nothing_is_compiled_nothing_is_done() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "import sys; from siftmesh.cli.main import main; sys.exit(main(['warmup']))"],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (
        0,
        "numba is told not to compile (NUMBA_DISABLE_JIT); nothing to do\n",
    )


def test_other_commands_do_not_wait_for_the_compiler() -> None:
    program = (
        "import sys\n"
        "from siftmesh.cli.main import build_parser\n"
        "build_parser().format_help()\n"
        "assert 'numba' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
