"""Numbers that stand for subscriptions."""

from __future__ import annotations

import gc
import random

from siftmesh.matching.numbers import Numbers, Pin


def test_numbers_are_dense_and_used_again() -> None:
    numbers = Numbers()
    assert [numbers.take() for _ in range(3)] == [0, 1, 2]
    assert not numbers.give_back(1)
    assert numbers.take() == 1
    assert numbers.take() == 3
    assert numbers.room == 4


def test_many_at_once_use_up_what_was_given_back() -> None:
    numbers = Numbers()
    assert list(numbers.take_many(4)) == [0, 1, 2, 3]
    numbers.give_back(2)
    numbers.give_back(0)
    assert sorted(numbers.take_many(4)) == [0, 2, 4, 5]
    assert list(numbers.take_many(0)) == []
    numbers.give_back_many(numbers.take_many(2))
    assert sorted(numbers.free()) == [6, 7]


def test_a_pin_keeps_what_is_given_back_while_it_lives() -> None:
    numbers = Numbers()
    numbers.take_many(3)
    numbers.give_back(0)
    pin = numbers.pin()
    assert numbers.give_back(1)
    assert numbers.waiting() == [1]
    assert [numbers.take(), numbers.take()] == [0, 3]
    del pin
    gc.collect()
    assert numbers.take() == 1
    assert numbers.waiting() == []
    assert numbers.give_back(1) is False


def test_a_pin_does_not_mind_what_was_given_back_before() -> None:
    numbers = Numbers()
    numbers.take_many(4)
    old = numbers.pin()
    numbers.give_back(0)
    young = numbers.pin()
    numbers.give_back(1)
    del old
    assert numbers.take() == 0
    assert numbers.take() == 4
    del young
    assert numbers.take() == 1


def test_pins_outlive_their_numbers() -> None:
    pin = Numbers().pin()
    gc.collect()
    assert isinstance(pin, Pin)


def test_numbers_come_back_from_a_file() -> None:
    numbers = Numbers.of(5, [1, 3])
    assert sorted(numbers.take_many(3)) == [1, 3, 5]


def test_nothing_is_in_use_twice(seed: int) -> None:
    rng = random.Random(seed)
    numbers, used, pins = Numbers(), set[int](), list[tuple[Pin, set[int]]]()
    for _ in range(3_000):
        step = rng.randrange(10)
        if step < 4:
            taken = [numbers.take()] if step else list(numbers.take_many(rng.randrange(5)))
            assert not used & set(taken)
            assert all(not minded & set(taken) for _, minded in pins)
            used |= set(taken)
        elif step < 8 and used:
            numbers.give_back(used.pop())
        elif step == 8:
            pins.append((numbers.pin(), set(used)))
        elif pins:
            pins.pop(rng.randrange(len(pins)))
    assert numbers.room <= 3_000
    assert numbers.memory() > 0
