"""`@kernel`: how every loop of this package is compiled, and where the compiled code is kept.

numba keeps compiled code in files and compiles again when the file of a function changes, but it does not
notice that a function in another file, which was compiled into this one, has changed. So the folder is
named by a digest of everything that goes into the code: all files of this package, numba's version and the
processor. Where nothing can be kept all works nevertheless, and a warning says once what to do about it.
"""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from hashlib import sha256
from pathlib import Path
from types import FunctionType
from typing import Any

import llvmlite.binding
import numba
from numba import types
from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache

__all__ = ["FOLDER_VARIABLE", "cache_folder", "is_cold", "kernel"]

# Names a folder for compiled code; without it that of the user's other caches is taken.
FOLDER_VARIABLE = "SIFTMESH_CACHE_DIR"
_OPTIONS: dict[str, Any] = {"nogil": True, "error_model": "numpy", "_nrt": False}
# So many folders of other versions stay: those of other interpreters, and of the changes of today.
_OTHERS = 6


@cache
def cache_folder() -> Path | None:
    """The folder of the compiled code of exactly these sources on exactly this processor, if there is one."""
    name = f"kernels-{_digest()}"
    try:
        folder = _parent() / name
        if _writable(folder):
            return folder
        # An image or a home that nobody may write to can still have been filled before.
        if folder.is_dir():
            return folder
        why = f"{folder.parent} is not writable"
    except (OSError, RuntimeError) as error:
        why = str(error)
    instead = _private() / name
    try:
        if _is_mine(instead.parent) and _writable(instead):
            _tell(f"{why}; it is kept in {instead.parent} instead")
            return instead
    except OSError:
        pass
    _tell(f"{why}; all is compiled at every start, which takes up to a minute")
    return None


def is_cold() -> bool:
    """Whether no code was kept before, so that all has to be compiled."""
    folder = cache_folder()
    return not config.DISABLE_JIT and (folder is None or next(folder.glob("*.nbi"), None) is None)


def _digest() -> str:
    digest = sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    processor = (llvmlite.binding.get_host_cpu_name(), llvmlite.binding.get_host_cpu_features().flatten())
    settings = (config.OPT, config.BOUNDSCHECK)
    versions = (numba.__version__, llvmlite.__version__, sys.version_info[:3])
    digest.update(repr((versions, processor, settings)).encode())
    return digest.hexdigest()[:16]


def _parent() -> Path:
    chosen = os.environ.get(FOLDER_VARIABLE)
    if chosen:
        return Path(chosen)
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "siftmesh"


def _private() -> Path:
    """A folder among the temporary files, one for each user."""
    return Path(tempfile.gettempdir()) / f"siftmesh-{_user()}"


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0


def _is_mine(folder: Path) -> bool:
    """Make a folder that only this user can enter; False if somebody else was there before.

    What is read from it is executed, and where temporary files are anybody may make a folder of any name.
    """
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    private = os.name == "nt" or not found.st_mode & (stat.S_IRWXG | stat.S_IRWXO)
    return stat.S_ISDIR(found.st_mode) and found.st_uid == _user() and private


def _writable(folder: Path) -> bool:
    """Make a folder if need be; whether files can be made in it."""
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
            _prune(folder)
        with tempfile.TemporaryFile(dir=folder):
            pass
        # The folder of today is the last one to be thrown away.
        os.utime(folder)
    except OSError:
        return False
    return True


def _prune(made: Path) -> None:
    """Throw away the folders of other versions that were not used for the longest time."""
    others = [path for path in made.parent.glob("kernels-*") if path != made and path.is_dir()]
    others.sort(key=lambda path: path.stat().st_mtime, reverse=True)
    for path in others[_OTHERS:]:
        # Whoever still uses it makes it anew.
        shutil.rmtree(path, ignore_errors=True)


@cache
def _tell(why: str) -> None:
    warnings.warn(
        f"compiled code cannot be kept where it should be: {why}. {FOLDER_VARIABLE} can name another folder.",
        RuntimeWarning,
        stacklevel=2,
    )


class _Locator:
    """Tells numba where the code of a function is kept."""

    def __init__(self, function: FunctionType, file: str) -> None:
        self._py_file = file  # numba asks for it by this name
        self._line = function.__code__.co_firstlineno

    @classmethod
    def from_function(cls, function: FunctionType, file: str) -> _Locator:
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(cache_folder())

    def get_source_stamp(self) -> str:
        return Path(self.get_cache_path()).name

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Files(CompileResultCacheImpl):
    _locator_classes = (_Locator,)


class _Kept(FunctionCache):
    """numba's files of compiled code; what cannot be read is compiled, what cannot be written is not kept."""

    _impl_class = _Files

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # a file cut short can fail in any way
            self._forget()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        try:
            super().save_overload(sig, data)
        except OSError as error:
            _tell(f"{self.cache_path}: {error.strerror}")

    def _forget(self) -> None:
        try:
            self.flush()
        except OSError as error:
            _tell(f"{self.cache_path}: {error.strerror}")


def kernel(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a function at its first call, without the interpreter's lock, and keep the code for later runs.

    Used as `@kernel` or, with options of numba.njit, as `@kernel(forceinline=True)`.

    Arrays are not counted by those who look at them (`_nrt`): each count is an atomic operation, and they
    can take more time than all the rest (`python -m benchmarks calls` tells). Callers hold the arrays for as
    long as a kernel runs; a kernel that makes an array says `@kernel(_nrt=True)`.
    """
    if function is None:
        return lambda decorated: kernel(decorated, **options)
    made = numba.njit(**{**_OPTIONS, **options})(function)
    if config.DISABLE_JIT:
        return made
    if cache_folder() is not None:
        # What `cache=True` does, with files of our own.
        made._cache = _Kept(function)
    _call_with_wide_numbers(made)
    return made


def _call_with_wide_numbers(made: Any) -> None:
    """Have whole numbers of 64 bits handed over by other kernels, as Python does.

    numba would compile a kernel anew for each mixture of widths, and for each constant that it is called
    with: a dozen times over, for code that is no quicker.
    """
    given = made.get_call_template

    def widened(args: Any, kws: Any) -> Any:
        _, folded = made.fold_argument_types(args, kws)
        return given(tuple([_wide(one) for one in folded]), {})

    made.get_call_template = widened


def _wide(kind: Any) -> Any:
    if isinstance(kind, types.BooleanLiteral):
        return types.boolean
    if isinstance(kind, types.IntegerLiteral) or (isinstance(kind, types.Integer) and kind != types.uint64):
        return types.int64
    return kind
