"""Terms in arrays: parts, choices and orders of them, and which are never met."""

from __future__ import annotations

import numpy as np
import pytest

from siftmesh.matching.bitmap_terms import Terms, terms_of
from tests.reference.bound_terms import ABOVE, BELOW, HIGHEST, LOWEST, NEGATED, Chance, Owners, columns

Row = tuple[int, list[tuple[int, int, int, int]]]


def terms_in_arrays(owners: Owners) -> Terms:
    made = columns(owners)
    named = np.where(made["verify"], ~made["owners"], made["owners"]).astype(np.int32)
    return Terms(
        named, made["starts"], made["dims"], made["lows"], made["highs"], made["flags"].astype(np.uint8)
    )


def rows(terms: Terms) -> list[Row]:
    assert terms.starts[0] == 0
    assert terms.starts[-1] == terms.dims.size == terms.flags.size
    every = list(zip(*(column.tolist() for column in terms.columns()[1:]), strict=True))
    ends = terms.starts.tolist()
    return [(code, every[ends[place] : ends[place + 1]]) for place, code in enumerate(terms.codes.tolist())]


TERMS = terms_in_arrays(Chance(1).owners(30))


def test_owners_are_those_of_the_codes() -> None:
    assert TERMS.owners.tolist() == [max(code, ~code) for code, _ in rows(TERMS)]
    assert (TERMS.codes < 0).any()


def test_a_part_and_a_choice_and_an_order() -> None:
    every = rows(TERMS)
    assert rows(TERMS.part(5, 20)) == every[5:20]
    assert rows(TERMS.part(7, 7)) == []
    chosen = np.arange(len(every)) % 3 == 1
    assert rows(TERMS.chosen(chosen)) == every[1::3]
    assert rows(TERMS.ordered(np.array([4, 0, 9]))) == [every[4], every[0], every[9]]
    assert rows(TERMS.chosen(chosen & False)) == []


def test_terms_to_verify_go_behind_the_others_of_their_owner() -> None:
    owners: Owners = {
        3: [(True, [(1, 1, 1, False)]), (False, [(2, 2, 2, False)]), (False, [])],
        1: [(False, []), (True, [])],
        2: [(True, [])],
        9: [(False, [(3, 3, 3, True)])],
    }
    terms = terms_in_arrays(owners)
    assert [code for code, _ in rows(terms.settled())] == [3, 3, ~3, 1, ~1, ~2, 9]
    assert rows(terms.settled())[2] == (~3, [(1, 1, 1, 0)])
    # Where nothing is to be done, nothing is copied.
    settled = terms.settled()
    assert settled.settled() is settled
    assert terms_in_arrays({}).settled().codes.size == 0


IMPOSSIBLE = [
    [(0, 5, 3, 0)],
    [(0, LOWEST, HIGHEST, NEGATED)],
    [(1, 0, 9, 0), (0, 1, 2, 0), (0, 3, 4, 0)],
    [(0, 1, 2, 0), (0, 1, 2, NEGATED)],
    [(0, LOWEST, 5, NEGATED), (0, 5, HIGHEST, NEGATED)],
    [(0, LOWEST, 4, NEGATED | BELOW), (0, 5, HIGHEST, NEGATED)],
    [(0, 6, 5, BELOW)],
    [(0, 7, 5, ABOVE | BELOW)],
    [(0, LOWEST, HIGHEST, NEGATED | ABOVE)],
]
POSSIBLE = [
    [],
    [(0, 5, 5, 0)],
    [(0, 5, 3, NEGATED)],
    [(0, LOWEST, HIGHEST, 0)],
    [(0, 1, 2, 0), (0, 1, 1, NEGATED)],
    # A value between 4 and 5 is in neither.
    [(0, LOWEST, 4, NEGATED), (0, 5, 9, NEGATED)],
    [(0, 1, 1, 0), (1, 2, 2, 0)],
    [(0, 6, 5, ABOVE | BELOW)],
    [(0, 7, 5, NEGATED | ABOVE | BELOW)],
    [(0, LOWEST, 4, BELOW), (0, 5, HIGHEST, ABOVE)],
]


@pytest.mark.parametrize("bounds", IMPOSSIBLE, ids=str)
def test_terms_that_contradict_themselves_are_left_out(bounds: list[tuple[int, int, int, bool]]) -> None:
    assert terms_of(4, [(False, bounds), (False, [])]) == [(False, [])]
    terms = terms_in_arrays({4: [(False, [])], 5: [(True, bounds)], 6: [(False, bounds), (False, [])]})
    assert rows(terms.possible()) == [(4, []), (6, [])]


@pytest.mark.parametrize("bounds", POSSIBLE, ids=str)
def test_terms_that_may_be_met_are_kept(bounds: list[tuple[int, int, int, bool]]) -> None:
    assert terms_of(4, [(True, bounds)]) == [(True, bounds)]
    terms = terms_in_arrays({4: [(False, bounds)]})
    assert terms.possible() is terms


def test_terms_of_one_owner_are_settled_too() -> None:
    assert terms_of(4, iter([(True, []), (False, [(0, 1, 1, False)])])) == [
        (False, [(0, 1, 1, False)]),
        (True, []),
    ]
    assert terms_of(4, []) == []
