"""No two names of one family mean the same place, and marks and numbers of bits do not touch."""

from __future__ import annotations

import pytest

from siftmesh.kernels import bitmap_layout as layout


@pytest.mark.parametrize(("family", "size"), [("H_", layout.HEADER), ("E_", layout.ENTRY)])
def test_places_are_different_and_inside(family: str, size: int) -> None:
    places = [place for name, place in vars(layout).items() if name.startswith(family)]
    assert len(set(places)) == len(places) > 0
    assert set(places) <= set(range(size))


def test_what_work_counts_has_places_of_its_own() -> None:
    assert len({layout.WORK_WORDS, layout.WORK_EDGES, layout.WORK_BOUNDS}) == 3


def test_marks_stand_above_numbers_and_below_the_sign() -> None:
    assert layout.ON & layout.EARLY == 0
    assert (layout.ON | layout.EARLY) & layout.NUMBER == 0
    assert (layout.ON | layout.EARLY | layout.NUMBER).bit_length() == 31


def test_a_block_is_whole_words() -> None:
    assert layout.BLOCK == 64 * layout.BLOCK_WORDS
    # What is emitted from one word may be written behind it at once.
    assert layout.SLACK >= 64
