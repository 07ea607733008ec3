"""Readers together, writers alone."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from threading import Barrier, Event, Thread, get_ident
from timeit import repeat
from typing import Any

import pytest

from siftmesh.errors import SubscriptionError
from siftmesh.gate import Gate, NarrowGate

GATES = pytest.mark.parametrize("make", [Gate, NarrowGate])
SECONDS = 20


def together(*jobs: Callable[[], Any]) -> None:
    """Run all at once; what one of them raises is raised here, and who hangs fails."""
    failures: list[BaseException] = []

    def run(job: Callable[[], Any]) -> None:
        try:
            job()
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=run, args=(job,), daemon=True) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(SECONDS)
    assert not any(thread.is_alive() for thread in threads), "somebody waits for ever"
    if failures:
        raise failures[0]


@GATES
def test_writers_are_alone(make: type[Gate], seed: int) -> None:
    gate, inside, worst = make(), set[str](), [0, 0]

    def read(name: str) -> None:
        rng = random.Random(f"{seed} {name}")
        for _ in range(300):
            with gate.reading:
                inside.add(name)
                assert not any(other.startswith("w") for other in inside)
                worst[0] = max(worst[0], len(inside))
                if rng.random() < 0.1:
                    time.sleep(0.0002)
                inside.remove(name)

    def write(name: str) -> None:
        rng = random.Random(f"{seed} {name}")
        for _ in range(100):
            with gate:
                assert not inside
                inside.add(name)
                if rng.random() < 0.1:
                    time.sleep(0.0002)
                inside.remove(name)
            worst[1] += 1

    together(*[lambda n=n: read(f"r{n}") for n in range(4)], *[lambda n=n: write(f"w{n}") for n in range(3)])  # type: ignore[misc]  # a lambda with a default
    assert worst[1] == 300
    assert gate.inside == []


def test_readers_are_together() -> None:
    gate, both = Gate(), Barrier(2, timeout=SECONDS)

    def read() -> None:
        with gate.reading:
            both.wait()

    together(read, read)


def test_a_narrow_gate_lets_one_reader_in() -> None:
    gate, inside = NarrowGate(), list[int]()

    def read() -> None:
        for _ in range(100):
            with gate.reading:
                inside.append(1)
                assert len(inside) == 1
                time.sleep(0)
                inside.pop()

    together(read, read, read)


def test_writers_do_not_starve() -> None:
    gate, done = Gate(), Event()

    def read() -> None:
        while not done.is_set():
            with gate.reading:
                time.sleep(0.001)

    def write() -> None:
        for _ in range(20):
            with gate:
                pass
        done.set()

    together(read, read, read, read, write)


def test_readers_do_not_starve() -> None:
    gate, done = Gate(), Event()

    def write() -> None:
        while not done.is_set():
            with gate:
                pass

    def read() -> None:
        for _ in range(200):
            with gate.reading:
                pass
        done.set()

    together(write, write, read)


@GATES
def test_a_thread_in_the_midst_is_refused_and_not_hung(make: type[Gate]) -> None:
    gate = make()

    def nested() -> None:
        with gate:
            with pytest.raises(SubscriptionError, match="cannot be changed by the thread"), gate:
                pass
            with pytest.raises(SubscriptionError, match="cannot be asked by the thread"), gate.reading:
                pass
        changed = pytest.raises(SubscriptionError, match="cannot be changed by the thread")
        with gate.reading, changed, gate:
            pass

    together(nested)
    with gate:
        assert gate.inside == []


def test_a_reader_may_read_again_even_while_a_writer_waits() -> None:
    gate, reading, nested = Gate(), Event(), list[bool]()

    def read() -> None:
        with gate.reading:
            reading.set()
            while not gate.closed:
                time.sleep(0.001)
            with gate.reading:
                nested.append(True)

    def write() -> None:
        reading.wait(SECONDS)
        with gate:
            assert nested == [True]

    together(read, write)


@GATES
def test_an_error_inside_leaves_the_gate_open(make: type[Gate]) -> None:
    gate = make()
    for _ in range(3):
        with pytest.raises(KeyError), gate:
            raise KeyError
        with pytest.raises(KeyError), gate.reading:
            raise KeyError

    def use() -> None:
        with gate, pytest.raises(KeyError):
            raise KeyError
        with gate.reading:
            pass

    together(use, use)


def test_to_pass_as_a_reader_costs_next_to_nothing() -> None:
    gate = Gate()
    inside = gate.inside

    def read() -> None:
        me = get_ident()
        try:
            inside.append(me)
            if gate.closed:
                gate.wait(me)
        finally:
            inside.remove(me)
            if gate.closed:
                gate.left()

    def nothing() -> None:
        pass

    count = 20_000
    spent = min(repeat(read, number=count, repeat=9)) - min(repeat(nothing, number=count, repeat=9))
    assert spent / count < 600e-9, "a free machine takes about 60 ns"
