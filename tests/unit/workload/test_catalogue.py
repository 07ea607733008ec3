from collections import Counter

import numpy as np
import pytest

from siftmesh.workload import catalogue

SETTING = {
    "seed": 5,
    "books": 50_000,
    "books_per_author": 5,
    "phrases": 500,
    "category_shares": (0.5, 0.3, 0.2),
    "many_categories": 0.10,
    "repeated_titles": 0.01,
}


@pytest.fixture(scope="module")
def shelf():
    return catalogue.build(**SETTING)


def test_five_times_fewer_authors_than_books(shelf):
    assert shelf.books == 50_000
    assert len(shelf.authors) == 10_000
    assert set(Counter(shelf.author.tolist()).values()) == {5}


def test_a_tenth_of_the_authors_are_in_more_than_one_category(shelf):
    by_author = shelf.category.reshape(-1, 5)
    several = (by_author != by_author[:, :1]).any(axis=1)
    assert several.mean() == pytest.approx(0.10, abs=0.01)
    assert max(len(set(row)) for row in by_author[several].tolist()) == 2


def test_categories_follow_their_shares(shelf):
    assert np.bincount(shelf.category) / shelf.books == pytest.approx([0.5, 0.3, 0.2], abs=0.03)


def test_one_title_in_a_hundred_occurs_more_than_once(shelf):
    counts = Counter(shelf.title.tolist()).values()
    assert sum(count > 1 for count in counts) / len(counts) == pytest.approx(0.01, abs=0.002)


def test_books_of_one_title_share_its_phrase(shelf):
    assert np.array_equal(shelf.phrase, shelf.phrase[shelf.title])
    assert set(shelf.phrase.tolist()) == set(range(500))


def test_a_full_title_starts_with_its_phrase_and_is_the_only_one(shelf):
    full = shelf.full_titles().to_pylist()
    assert len(set(full)) == len(full)
    for book in (0, 17, 49_999):
        assert full[shelf.title[book]].startswith(shelf.phrases[int(shelf.phrase[book])].as_py() + ": ")


@pytest.mark.parametrize("books", [1, 2, 6])
@pytest.mark.parametrize("share", [0.0, 1.0])
def test_small_catalogues_and_extreme_shares(books, share):
    tiny = catalogue.build(**{**SETTING, "books": books, "many_categories": share, "repeated_titles": share})
    assert len(tiny.authors) == -(-books // 5)
    assert tiny.books == len(tiny.full_titles()) == books
    assert (tiny.title < books).all()


def test_with_one_category_there_is_no_other():
    alone = catalogue.build(**{**SETTING, "books": 100, "category_shares": (1.0,), "many_categories": 1.0})
    assert set(alone.category.tolist()) == {0}
