"""Where compiled code is kept: a folder for exactly these sources, and what happens where there is none."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from numba import config

import siftmesh.kernels.jit

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")

KERNELS = Path(siftmesh.kernels.jit.__file__).parent

# A package of kernels as small as they come: one calls another in another file.
CALLEE = """
from siftmesh.kernels.jit import kernel

@kernel
def number(one: int) -> int:
    return one + 1
"""
CALLER = """
from siftmesh.kernels.callee import number
from siftmesh.kernels.jit import kernel

@kernel
def twice(one: int) -> int:
    return 2 * number(one)
"""
PROGRAM = """
from siftmesh.kernels.jit import cache_folder
from siftmesh.kernels.caller import twice

print(cache_folder(), twice(20), "kept" if twice.stats.cache_hits else "compiled")
"""


@pytest.fixture
def package(tmp_path: Path) -> Path:
    folder = tmp_path / "src/siftmesh/kernels"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "__init__.py").touch()
    shutil.copy(KERNELS / "jit.py", folder)
    (folder / "callee.py").write_text(CALLEE)
    (folder / "caller.py").write_text(CALLER)
    return folder


def run(package: Path, home: Path, before: str = "", **settings: str) -> tuple[list[str], str]:
    """The folder, the answer, and whether it was kept, as another process says; and its warnings."""
    others = ("NUMBA", "XDG", "SIFTMESH", "PYTHON")
    known = {
        **{name: value for name, value in os.environ.items() if not name.startswith(others)},
        "PYTHONPATH": str(package.parents[1]),
        # Bytecode of a file that changes twice within a second would be stale.
        "PYTHONDONTWRITEBYTECODE": "1",
        "HOME": str(home),
        "TMPDIR": str(package.parents[2]),
        **settings,
    }
    done = subprocess.run(
        [sys.executable, "-c", before + PROGRAM],
        env=known,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split(), done.stderr


def test_code_is_compiled_once(package: Path, tmp_path: Path) -> None:
    first, warned = run(package, tmp_path / "home")
    again, _ = run(package, tmp_path / "home")
    assert first[1:] == ["42", "compiled"]
    assert again == [first[0], "42", "kept"]
    assert Path(first[0]).parent == tmp_path / "home/.cache/siftmesh"
    assert warned == ""
    assert list(package.glob("__pycache__/*.nb?")) == []


def test_a_change_of_what_was_compiled_into_others_is_noticed(package: Path, tmp_path: Path) -> None:
    before, _ = run(package, tmp_path)
    (package / "callee.py").write_text(CALLEE.replace("one + 1", "one + 2"))
    after, _ = run(package, tmp_path)
    assert before[1:] == ["42", "compiled"]
    assert after[1:] == ["44", "compiled"]
    assert before[0] != after[0]


def test_the_folder_can_be_chosen(package: Path, tmp_path: Path) -> None:
    caches, chosen = str(tmp_path / "caches"), str(tmp_path / "chosen")
    assert run(package, tmp_path, XDG_CACHE_HOME=caches)[0][0].startswith(f"{caches}/siftmesh/kernels-")
    told, _ = run(package, tmp_path, XDG_CACHE_HOME=caches, SIFTMESH_CACHE_DIR=chosen)
    assert told[0].startswith(f"{chosen}/kernels-")


def test_code_with_other_settings_is_other_code(package: Path, tmp_path: Path) -> None:
    plain, _ = run(package, tmp_path)
    checked, _ = run(package, tmp_path, NUMBA_BOUNDSCHECK="1")
    assert plain[0] != checked[0]


def test_where_nothing_can_be_kept_it_is_kept_among_temporary_files(package: Path, tmp_path: Path) -> None:
    in_the_way = tmp_path / "home"
    in_the_way.touch()
    first, warned = run(package, in_the_way)
    again, _ = run(package, in_the_way)
    private = tmp_path / f"siftmesh-{os.getuid()}"
    assert first[1:] == ["42", "compiled"]
    assert again == [first[0], "42", "kept"]
    assert Path(first[0]).parent == private
    assert stat.S_IMODE(private.stat().st_mode) == 0o700
    assert warned.count("RuntimeWarning") == 1
    assert f"it is kept in {private} instead. SIFTMESH_CACHE_DIR can name another folder." in warned


@pytest.mark.parametrize("whose", ["open to others", "a link", "a file"])
def test_a_temporary_folder_that_others_may_have_filled_is_not_trusted(
    package: Path, tmp_path: Path, whose: str
) -> None:
    in_the_way = tmp_path / "home"
    in_the_way.touch()
    private = tmp_path / f"siftmesh-{os.getuid()}"
    if whose == "open to others":
        private.mkdir()
        private.chmod(0o777)
    elif whose == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        private.symlink_to(tmp_path / "elsewhere")
    else:
        private.touch()
    for _ in range(2):
        told, warned = run(package, in_the_way)
        assert told == ["None", "42", "compiled"]
        assert warned.count("RuntimeWarning") == 1
        assert "all is compiled at every start" in warned


def test_a_home_that_nobody_knows_is_no_failure(package: Path, tmp_path: Path) -> None:
    homeless = "from pathlib import Path\ndef home(): raise RuntimeError('no home')\nPath.home = home\n"
    told, warned = run(package, tmp_path, homeless)
    assert told[1:] == ["42", "compiled"]
    assert "no home; it is kept in" in warned


def test_a_folder_that_was_filled_before_may_be_read_only(package: Path, tmp_path: Path) -> None:
    told, _ = run(package, tmp_path)
    read_only = "from siftmesh.kernels import jit\njit._writable = lambda folder: False\n"
    assert run(package, tmp_path, read_only) == ([told[0], "42", "kept"], "")


def test_code_that_cannot_be_written_is_compiled_in_memory(package: Path, tmp_path: Path) -> None:
    full = "import numba.core.caching as c\ndef save(*_): raise OSError(28, 'No space left on device')\n"
    told, warned = run(package, tmp_path, full + "c.IndexDataCacheFile.save = save\n")
    assert told[1:] == ["42", "compiled"]
    assert warned.count("RuntimeWarning") == 1
    assert "No space left on device" in warned


@pytest.mark.parametrize("kept", ["*.nbi", "*.nbc"])
def test_damaged_files_are_made_anew(package: Path, tmp_path: Path, kept: str) -> None:
    told, _ = run(package, tmp_path)
    damaged = list(Path(told[0]).glob(kept))
    assert damaged
    for path in damaged:
        path.write_bytes(path.read_bytes()[:20])
    assert run(package, tmp_path)[0] == [told[0], "42", "compiled"]
    assert run(package, tmp_path)[0] == [told[0], "42", "kept"]


def test_a_folder_that_vanishes_is_made_anew(package: Path, tmp_path: Path) -> None:
    told, _ = run(package, tmp_path)
    vanish = "import shutil\nfrom siftmesh.kernels import caller, jit\nshutil.rmtree(jit.cache_folder())\n"
    assert run(package, tmp_path, vanish)[0] == [told[0], "42", "compiled"]
    assert run(package, tmp_path)[0] == [told[0], "42", "kept"]


def test_old_folders_are_thrown_away(package: Path, tmp_path: Path) -> None:
    kept = tmp_path / ".cache/siftmesh"
    for age in range(20):
        (kept / f"kernels-{age:016}").mkdir(parents=True)
        (kept / f"kernels-{age:016}/some.nbc").touch()
        os.utime(kept / f"kernels-{age:016}", (10_000 - age, 10_000 - age))
    (kept / "something-else").mkdir()
    told, _ = run(package, tmp_path)
    left = {path.name for path in kept.iterdir()}
    assert left == {Path(told[0]).name, "something-else", *[f"kernels-{age:016}" for age in range(6)]}
    # A folder that is in use is no old one.
    assert Path(told[0]).stat().st_mtime > 10_000
    os.utime(told[0], (1, 1))
    run(package, tmp_path)
    assert Path(told[0]).stat().st_mtime > 10_000


def test_kernels_call_each_other_with_wide_numbers(package: Path, tmp_path: Path) -> None:
    # Whatever widths and constants they are called with, there is one of each.
    calls = "number(1) + number(one) + number(np.int32(one)) + number(np.uint8(one)) + number(array[0])"
    (package / "caller.py").write_text(
        "import numpy as np\n"
        "from siftmesh.kernels.callee import number\n"
        "from siftmesh.kernels.jit import kernel\n"
        "@kernel(_nrt=True)\ndef twice(one: int) -> int:\n    array = np.full(1, one, np.int32)\n"
        f"    return {calls}\n"
    )
    before = (
        "from siftmesh.kernels.caller import twice\nfrom siftmesh.kernels.callee import number\ntwice(20)\n"
    )
    told, _ = run(package, tmp_path, before + "assert len(number.signatures) == 1, number.signatures\n")
    assert told[1:] == ["86", "compiled"]


def test_the_settings_of_others_stay() -> None:
    assert os.environ.get("NUMBA_CACHE_DIR", "") == config.CACHE_DIR
    assert not config.CACHE_LOCATOR_CLASSES


def test_a_folder_without_code_is_cold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(siftmesh.kernels.jit, "cache_folder", lambda: tmp_path)
    monkeypatch.setattr(config, "DISABLE_JIT", 0)
    assert siftmesh.kernels.jit.is_cold()
    (tmp_path / "pools.take_words-1.py311.nbi").touch()
    assert not siftmesh.kernels.jit.is_cold()
    monkeypatch.setattr(siftmesh.kernels.jit, "cache_folder", lambda: None)
    assert siftmesh.kernels.jit.is_cold()
    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    assert not siftmesh.kernels.jit.is_cold()
