"""The books that are up for auction: who wrote each, in which category, under which title."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from siftmesh.workload import names
from siftmesh.workload.streams import Floats, pick, span, thresholds, uniforms

__all__ = ["Catalogue", "build"]

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Catalogue:
    """The books by number: `author`, `category`, `phrase` and `title` are positions, the rest are names."""

    author: Ints
    category: Ints
    # The recognisable part of the title ("Harry Potter"), which is what people subscribe to.
    phrase: Ints
    # The whole title; equal numbers are equal titles.
    title: Ints
    authors: pa.Array
    phrases: pa.Array

    @property
    def books(self) -> int:
        return len(self.author)

    def full_titles(self) -> pa.Array:
        """The whole title of each number in `title`: its phrase, a colon, and what no other title has."""
        return pc.binary_join_element_wise(self.phrases.take(self.phrase), names.titles(self.books), ": ")


@lru_cache(maxsize=4)
def build(
    *,
    seed: int,
    books: int,
    books_per_author: int,
    phrases: int,
    category_shares: tuple[float, ...],
    many_categories: float,
    repeated_titles: float,
) -> Catalogue:
    """Make the catalogue; the same arguments give the same one."""
    writers = -(-books // books_per_author)
    author = np.arange(books) // books_per_author
    title = _titles(seed, books, repeated_titles)
    return Catalogue(
        author=author,
        category=_categories(seed, author, writers, category_shares, many_categories),
        # Through the title, so that books of one title share its phrase.
        phrase=span(uniforms(seed, "book.phrase", books), phrases)[title],
        title=title,
        authors=names.authors(writers),
        phrases=names.titles(phrases),
    )


def _titles(seed: int, books: int, repeated: float) -> Ints:
    """Each book's own title, except that a share of the books repeats the title of some other book."""
    own = np.arange(books)
    repeats = uniforms(seed, "book.repeats", books) < repeated
    # Only titles that are their book's own are repeated: chains of repeats would make some titles vanish.
    originals = own[~repeats]
    if len(originals) == 0:
        originals = own[:1]
    other = originals[span(uniforms(seed, "book.repeated", books), len(originals))]
    return np.where(repeats, other, own)


def _categories(seed: int, author: Ints, writers: int, shares: tuple[float, ...], many: float) -> Ints:
    """One category per author; a share of the authors has a second one, which their second book is in."""
    home = pick(uniforms(seed, "author.category", writers), shares)
    away = _other_category(uniforms(seed, "author.second", writers), home, np.asarray(shares))
    has_second = uniforms(seed, "author.many", writers) < many
    first_book = np.empty(len(author), dtype=np.bool_)
    first_book[:1] = True
    first_book[1:] = author[1:] != author[:-1]
    second_book = np.zeros(len(author), dtype=np.bool_)
    second_book[1:] = first_book[:-1] & ~first_book[1:]
    tossed = uniforms(seed, "book.second", len(author)) < 0.5
    # The first book is in the one category and the second in the other, so "has two" is no matter of luck.
    in_second = has_second[author] & (second_book | (tossed & ~first_book))
    return np.where(in_second, away[author], home[author])


def _other_category(uniform: Floats, home: Ints, shares: Floats) -> Ints:
    """A category that is not `home`, as often as the shares of the others say."""
    borders = thresholds(shares)
    before_home = np.concatenate(([0.0], borders))[home]
    rest = shares.sum() - shares[home]
    # Draw from the line with home's piece cut out, then step over the gap.
    at = uniform * rest
    at = np.where(at >= before_home, at + shares[home], at)
    other = np.searchsorted(borders, at, side="right")
    # Rounding at the border of the gap can land inside it once in 2**50 draws.
    return np.where((other == home) & (rest > 0), (home + 1) % len(shares), other)
