"""Which subscriptions end when."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from siftmesh.matching.expiry import Expiry

INF = float("inf")


def test_what_ends_is_told_once_earliest_first() -> None:
    expiry = Expiry()
    for number, moment in ((3, 5.0), (0, 2.0), (7, 9.0), (1, 2.0)):
        expiry.set(number, moment)
    assert expiry.first() == 2.0
    assert expiry.ended(1.9, 10) == []
    assert sorted(expiry.ended(2.0, 10)) == [0, 1]
    assert expiry.ended(100, 1) == [3]
    assert expiry.ended(100, 1) == [7]
    assert expiry.first() == INF


def test_the_last_word_counts() -> None:
    expiry = Expiry()
    expiry.set(4, 5.0)
    expiry.set(4, 50.0)
    assert expiry.moment(4) == 50.0
    assert len(expiry) == 1
    assert expiry.ended(49, 9) == []
    expiry.forget(4)
    expiry.forget(4)
    expiry.forget(1_000)
    assert (expiry.moment(4), expiry.moment(1_000), expiry.ended(INF, 9)) == (INF, INF, [])


def test_who_is_alive() -> None:
    expiry = Expiry()
    expiry.set_many([0, 2], 5.0)
    assert expiry.living([0, 1, 2, 9], 4.9) == [0, 1, 2, 9]
    assert expiry.living([0, 1, 2, 9], 5.0) == [1, 9]


def test_replacing_takes_no_more_room() -> None:
    expiry = Expiry()
    for turn in range(10_000):
        expiry.set(turn % 3, 1e9 - turn)
    assert len(expiry) == 3
    assert expiry.memory() < 2_000


@given(
    st.lists(st.tuples(st.sampled_from(["set", "forget", "ended"]), st.integers(0, 12), st.integers(0, 20)))
)
def test_it_is_a_dict_of_moments(steps: list[tuple[str, int, int]]) -> None:
    expiry, plain = Expiry(), dict[int, float]()
    for step, number, moment in steps:
        if step == "set":
            expiry.set(number, moment)
            plain[number] = moment
        elif step == "forget":
            expiry.forget(number)
            plain.pop(number, None)
        else:
            ended = expiry.ended(moment, number)
            due = sorted((m, n) for n, m in plain.items() if m <= moment)
            assert [plain[n] for n in ended] == [m for m, _ in due[:number]]
            for one in ended:
                del plain[one]
        assert expiry.first() == min(plain.values(), default=INF)
        assert [expiry.moment(n) for n in range(14)] == [plain.get(n, INF) for n in range(14)]
    again = Expiry.from_arrays(expiry.arrays())
    assert again is not None
    assert {n: again.moment(n) for n in plain} == plain
    assert Expiry.from_arrays({}) is None
