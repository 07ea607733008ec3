"""`@kernel`: how every loop of this package is compiled, and where the compiled code is kept.

numba keeps compiled code in files and compiles again when the file of a function changes, but it does not
notice that a function in another file, which was compiled into this one, has changed. So the folder is named
by a digest of everything that goes into the code: all files of this package, numba's version and the processor.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import llvmlite.binding
import numba
from numba.core import config

__all__ = ["cache_folder", "kernel"]

# Names a folder for compiled code; without it that of the user's other caches is taken.
FOLDER_VARIABLE = "SIFTMESH_CACHE_DIR"
_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True, "error_model": "numpy", "_nrt": False}


@cache
def cache_folder() -> Path:
    """The folder of the compiled code of exactly these sources, on exactly this processor."""
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    processor = (llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten())
    digest.update(repr((numba.__version__, sys.version_info[:3], processor)).encode())
    return _parent() / f"kernels-{digest.hexdigest()[:16]}"


def _parent() -> Path:
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen)
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "siftmesh"


def kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a function at its first call, without the interpreter's lock, and keep the code for later runs.

    Used as `@kernel` or, with options of numba.njit, as `@kernel(forceinline=True)`.

    Arrays are not counted by those who look at them (`_nrt`): each count is an atomic operation, and they took nine
    tenths of the time. Callers hold the arrays for as long as a kernel runs; a kernel that makes an array says
    `@kernel(_nrt=True)`.
    """
    if function is None:
        return lambda decorated: kernel(decorated, **options)
    given = config.CACHE_DIR
    # The folder is read when the function is decorated; other users of numba keep their own.
    config.CACHE_DIR = str(cache_folder())
    try:
        return numba.njit(**{**_OPTIONS, **options})(function)
    finally:
        config.CACHE_DIR = given
