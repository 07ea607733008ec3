"""After the warm-up nothing is left to compile, and its lists hold every kernel once."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from numba.core import config
from numba.core.dispatcher import Dispatcher

import siftmesh
from siftmesh.kernels import bitmap, layout, pools, unpack, warmup
from siftmesh.kernels.warmup import ENTRY_POINTS, INNER, compile_all, name_of, signature_of

pytestmark = pytest.mark.skipif(config.DISABLE_JIT, reason="nothing is compiled")

PACKAGE = Path(siftmesh.__file__).parent
KERNELS = PACKAGE / "kernels"


def every_kernel() -> Iterator[Any]:
    for path in sorted(KERNELS.glob("[a-z]*.py")):
        module = importlib.import_module(f"siftmesh.kernels.{path.stem}")
        for value in vars(module).values():
            if isinstance(value, Dispatcher) and value.__module__ == module.__name__:
                yield value


def test_every_kernel_is_an_entry_point_or_an_inner_one() -> None:
    listed = [name_of(kernel) for kernel in (*ENTRY_POINTS, *INNER)]
    assert sorted(listed) == sorted(map(name_of, every_kernel()))
    assert len(set(listed)) == len(listed)


def called_from_outside(path: Path) -> Iterator[str]:
    """The functions and constants that a module takes from the kernels."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    modules = {}
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("siftmesh.kernels"):
            continue
        for alias in node.names:
            if node.module == "siftmesh.kernels":
                modules[alias.asname or alias.name] = alias.name
            else:
                yield f"{str(node.module).rpartition('.')[2]}.{alias.name}"
    for node in ast.walk(tree):
        # A module that loads the compiler late knows the kernels by their module.
        if isinstance(node, ast.Attribute):
            yield from (f"{module}.{node.attr}" for module in modules.values())


def test_entry_points_are_what_is_called_from_outside() -> None:
    outside = [path for path in PACKAGE.rglob("*.py") if KERNELS not in path.parents]
    called = {name for path in outside for name in called_from_outside(path)}
    every = set(map(name_of, every_kernel()))
    assert sorted(map(name_of, ENTRY_POINTS)) == sorted(called & every)


def test_signatures_are_those_of_the_annotations() -> None:
    words, longs, text = (numba.typeof(np.zeros(1, kind)) for kind in (np.int32, np.int64, np.uint8))
    assert signature_of(pools.take_words) == (words, numba.int64)
    assert signature_of(unpack.unpack_event) == (words, longs, text, text, numba.boolean, longs)
    assert signature_of(bitmap.weave)[1] == numba.typeof(np.zeros((2, 2), np.int64))
    for kernel in (*ENTRY_POINTS, *INNER):
        assert len(signature_of(kernel)) == len(kernel.py_func.__annotations__) - 1


def test_everything_is_compiled_once_and_each_kernel_for_one_signature() -> None:
    told: list[tuple[str, bool]] = []
    compile_all(lambda name, compiled: told.append((name, compiled)))
    assert [name for name, _ in told] == list(map(name_of, ENTRY_POINTS))
    again: list[tuple[str, bool]] = []
    compile_all(lambda name, compiled: again.append((name, compiled)))
    assert again == [(name, False) for name, _ in told]
    for kernel in ENTRY_POINTS:
        assert signature_of(kernel) in kernel.signatures


def test_a_call_compiles_nothing_more() -> None:
    compile_all(lambda *_: None)
    before = {name_of(kernel): list(kernel.signatures) for kernel in (pools.take_words, unpack.unpack_row)}
    words = np.zeros(layout.HEADER + 100, np.int32)
    words[layout.H_WORDS] = layout.HEADER
    assert pools.take_words(words, 5) == layout.HEADER
    # A part of a longer array, as tests like to give.
    frame = np.zeros(100, np.int64)
    assert unpack.unpack_row(np.zeros(9, np.uint8)[1:], frame[:50]) == unpack.FOREIGN
    after = {name_of(kernel): list(kernel.signatures) for kernel in (pools.take_words, unpack.unpack_row)}
    assert after == before


# Something of everything, in a process of its own.
PROGRAM = """
import json, random
from siftmesh import Matcher

FILTERS = [
    "a = {seventh} AND b < {number} OR c LIKE '%x{number}%' AND d <> TRUE",
    "a BETWEEN {number} AND 2 * {number} AND b >= {number} OR e IN ('x', 'y{number}')",
    "b > {number} AND b < {number} + 5 AND f < 90",
    "t > TIMESTAMP '2026-01-01T00:00:{second:02}Z' AND NOT (c ILIKE 'X%')",
    "tags CONTAINS {number} AND a IS NOT NULL",
]
rng = random.Random(0)
for index in ("adaptive", "counting"):
    matcher = Matcher(index=index)
    for number in range(300):
        for place, source in enumerate(FILTERS):
            known = source.format(number=number, seventh=number % 7, second=number % 60)
            matcher.add(number if place == 0 else f"{place} {number}", known)
    matcher.add_many("a = :a AND f > :f", [{"id": f"row {n}", "a": n, "f": n / 2} for n in range(50)])
    events = [
        {"a": rng.randrange(9), "b": rng.random() * 100, "c": f"ax{n}b", "e": "y5", "f": 3, "tags": [1, n]}
        for n in range(50)
    ]
    plain = [{name: value for name, value in event.items() if name != "tags"} for event in events]
    events += plain + [{"a": 1, "c": "x1", "d": False}, {"t": "2026-11-18T10:00:00Z", "c": "y"}, {}]
    assert sum(len(matcher.match(event)) for event in events) > len(events)
    matcher.match_batch(events)
    for number in range(0, 300, 3):
        matcher.remove(number)
    matcher.compact()
    matcher.match(events[0])

from siftmesh.kernels import warmup

told = {}
for kernel in (*warmup.ENTRY_POINTS, *warmup.INNER):
    others = [str(one) for one in kernel.signatures if one != warmup.signature_of(kernel)]
    told[warmup.name_of(kernel)] = len(kernel.signatures), sum(kernel.stats.cache_misses.values()), others
print(json.dumps(told))
"""


def test_a_fresh_process_finds_all_it_needs_and_compiles_nothing() -> None:
    compile_all(lambda *_: None)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=False, timeout=250
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, list[Any]] = json.loads(done.stdout)
    assert {name: misses for name, (_, misses, _) in told.items() if misses} == {}
    assert {name: others for name, (*_, others) in told.items() if others} == {}
    used = [name for name, (signatures, *_) in told.items() if signatures]
    assert len(used) > 10
    assert set(used) <= set(map(name_of, ENTRY_POINTS))


def test_without_the_compiler_there_is_nothing_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warmup.config, "DISABLE_JIT", True)
    told: list[str] = []
    compile_all(lambda name, _: told.append(name))
    assert told == []
