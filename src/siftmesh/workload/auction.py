"""Book auctions as events: ten attributes distributed as in an online market for fiction.

The papers counted the auctions of one day and printed only the shape: how many categories, formats, price
ranges and bid ranges there were, that the share of signed copies differs between categories, that about 7%
of the fantasy books cost 5 to 6 dollars. `AuctionModel()` has exactly that shape and plausible numbers in
it, which are ours; `AuctionModel.fitted()` has numbers under which the papers' selectivities come out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from siftmesh.errors import ConfigError
from siftmesh.workload import catalogue
from siftmesh.workload.streams import BLOCK, block, pick, slices, span, thresholds

__all__ = ["CATEGORIES", "CONDITIONS", "FORMATS", "SCHEMA", "AuctionModel", "events"]

CATEGORIES = (
    "Action & Adventure",
    "Anthologies",
    "Children's Books",
    "Classics",
    "Crime",
    "Drama",
    "Fantasy",
    "Folklore & Mythology",
    "Gothic",
    "Graphic Novels",
    "Historical",
    "Horror",
    "Humour",
    "Literary",
    "Military",
    "Mystery",
    "Poetry",
    "Religious",
    "Romance",
    "Science Fiction",
    "Thriller",
    "Western",
)
FORMATS = ("hardcover", "softcover", "audiobook", "large print")
CONDITIONS = ("new", "used")

_NAME = pa.dictionary(pa.int32(), pa.string())
SCHEMA = pa.schema(
    [
        ("category", _NAME),
        ("format", _NAME),
        ("signed", pa.bool_()),
        ("condition", _NAME),
        ("ending", pa.int64()),
        ("price", pa.float64()),
        ("buy_it_now", pa.bool_()),
        ("bids", pa.int64()),
        ("author", _NAME),
        ("title", _NAME),
    ]
)

# One draw of numpy's default_rng(3) from a Dirichlet distribution with all parameters 3, rounded to sum to 1.
_FITTED_CATEGORY_SHARES = (
    *(0.114, 0.052, 0.030, 0.008, 0.023, 0.046, 0.034, 0.020, 0.054, 0.069, 0.041),
    *(0.056, 0.036, 0.110, 0.035, 0.022, 0.067, 0.043, 0.021, 0.048, 0.030, 0.041),
)


@dataclass(frozen=True)
class AuctionModel:
    """How the auctions are distributed; the defaults keep to what the papers give."""

    # Books on offer; a published event is about one of them, all equally likely.
    items: int = 100_000
    # Subscribers name only the recognisable part of a title, of which there are a hundred times fewer.
    items_per_title: int = 100
    books_per_author: int = 5
    many_categories: float = 0.10
    repeated_titles: float = 0.01
    # Whole titles ("phrase: rest") in events, and LIKE in subscriptions, instead of the phrase alone.
    full_titles: bool = False
    catalogue_seed: int = 8_07_2005

    category_shares: tuple[float, ...] = (
        *(0.050, 0.020, 0.090, 0.050, 0.050, 0.030, 0.070, 0.010, 0.005, 0.030, 0.050),
        *(0.050, 0.030, 0.080, 0.020, 0.100, 0.020, 0.020, 0.100, 0.070, 0.040, 0.015),
    )
    format_shares: tuple[float, ...] = (0.30, 0.57, 0.08, 0.05)
    new_share: float = 0.35
    # The share of signed copies, category by category: the papers stress how uneven it is.
    signed_shares: tuple[float, ...] = (
        *(0.020, 0.050, 0.040, 0.010, 0.060, 0.020, 0.080, 0.020, 0.030, 0.120, 0.040),
        *(0.110, 0.030, 0.070, 0.030, 0.060, 0.090, 0.010, 0.020, 0.080, 0.050, 0.010),
    )
    buy_it_now_shares: tuple[float, ...] = (
        *(0.17, 0.19, 0.15, 0.21, 0.16, 0.18, 0.17, 0.20, 0.18, 0.14, 0.17),
        *(0.15, 0.18, 0.19, 0.20, 0.16, 0.22, 0.23, 0.13, 0.16, 0.17, 0.19),
    )
    # Seconds until the auction ends, evenly: one minute to ten days.
    ending: tuple[int, int] = (60, 864_000)
    # 15 ranges; the price is even inside a range, each of which holds its lower end; the last holds both.
    price_edges: tuple[float, ...] = (
        *(0.01, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0),
        *(10.0, 15.0, 20.0, 30.0, 50.0, 100.0, 250.0, 1000.0),
    )
    price_shares: tuple[float, ...] = (
        *(0.10, 0.06, 0.06, 0.08, 0.11, 0.07, 0.11),
        *(0.11, 0.13, 0.07, 0.05, 0.03, 0.015, 0.004, 0.001),
    )
    # Each step up a price range multiplies the share by exp(tilt): above 0 is dear, below 0 cheap.
    price_tilts: tuple[float, ...] = (
        *(-0.02, 0.02, -0.04, 0.03, -0.01, 0.00, 0.00, 0.04, 0.05, 0.03, 0.01),
        *(0.00, -0.03, 0.03, 0.02, -0.04, 0.02, -0.01, -0.08, 0.01, -0.02, -0.01),
    )
    # 16 ranges, both ends included; the number of bids is even inside a range.
    bid_ranges: tuple[tuple[int, int], ...] = (
        *((0, 0), (1, 1), (2, 2), (3, 3), (4, 4), (5, 5), (6, 7), (8, 9)),
        *((10, 12), (13, 15), (16, 19), (20, 24), (25, 29), (30, 39), (40, 59), (60, 100)),
    )
    bid_shares: tuple[float, ...] = (
        *(0.80, 0.09, 0.035, 0.02, 0.012, 0.009, 0.009, 0.007),
        *(0.005, 0.004, 0.003, 0.002, 0.0015, 0.0012, 0.0008, 0.0005),
    )
    # What subscribers would pay at most, evenly, in dollars.
    price_limits: tuple[float, float] = (1.0, 40.0)

    def __post_init__(self) -> None:
        self._check_sizes()
        self._check_shares()
        self._check_ranges()

    @classmethod
    def fitted(cls, subscription_class: str = "all") -> AuctionModel:
        """The setting in which the papers' original selectivities come out.

        Class 1 has a setting of its own: pruning leaves title and ending of both 1 and 2, so that one pool of
        titles would have to give one selectivity there, and the papers print two.
        """
        given = cls()
        signed = (
            np.asarray(given.signed_shares) * 0.028 / np.dot(given.signed_shares, _FITTED_CATEGORY_SHARES)
        )
        fitted = replace(
            given,
            category_shares=_FITTED_CATEGORY_SHARES,
            format_shares=(0.31, 0.64, 0.03, 0.02),
            signed_shares=tuple(float(share) for share in signed),
            buy_it_now_shares=(0.12,) * len(CATEGORIES),
        )
        if subscription_class == "1":
            return replace(fitted, items=740_000, price_limits=(5.0, 60.0))
        return fitted

    @property
    def title_pool(self) -> int:
        """How many recognisable parts of titles there are."""
        return max(1, self.items // self.items_per_title)

    @property
    def catalogue(self) -> catalogue.Catalogue:
        """The books on offer."""
        return catalogue.build(
            seed=self.catalogue_seed,
            books=self.items,
            books_per_author=self.books_per_author,
            phrases=self.title_pool,
            category_shares=self.category_shares,
            many_categories=self.many_categories,
            repeated_titles=self.repeated_titles,
        )

    def _check_sizes(self) -> None:
        for name in ("items", "items_per_title", "books_per_author"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} is {getattr(self, name)} (expected at least 1)")
        wanted = {
            "category_shares": len(CATEGORIES),
            "signed_shares": len(CATEGORIES),
            "buy_it_now_shares": len(CATEGORIES),
            "price_tilts": len(CATEGORIES),
            "format_shares": len(FORMATS),
            "price_shares": len(self.price_edges) - 1,
            "bid_shares": len(self.bid_ranges),
        }
        for name, length in wanted.items():
            if len(getattr(self, name)) != length:
                raise ConfigError(f"{name} has {len(getattr(self, name))} values (expected {length})")

    def _check_shares(self) -> None:
        whole = ("category_shares", "format_shares", "price_shares", "bid_shares")
        single = ("many_categories", "repeated_titles", "new_share")
        for name in (*whole, *single, "signed_shares", "buy_it_now_shares"):
            shares = np.asarray(getattr(self, name), dtype=np.float64)
            if not ((shares >= 0) & (shares <= 1)).all():
                raise ConfigError(f"{name} is {getattr(self, name)} (expected shares between 0 and 1)")
        for name in whole:
            total = sum(getattr(self, name))
            if abs(total - 1) > 1e-9:
                raise ConfigError(f"{name} sum to {total:g} (expected 1)")

    def _check_ranges(self) -> None:
        cents = np.rint(np.asarray(self.price_edges) * 100)
        if not (len(cents) >= 2 and cents[0] >= 0 and (np.diff(cents) >= 1).all()):
            raise ConfigError(
                f"price_edges are {self.price_edges} (expected amounts that rise by a cent or more)"
            )
        for name in ("ending", "price_limits"):
            low, high = getattr(self, name)
            if not 0 <= low <= high:
                raise ConfigError(f"{name} is {low} to {high} (expected 0 <= low <= high)")
        if any(not 0 <= low <= high for low, high in self.bid_ranges):
            raise ConfigError(f"bid_ranges are {self.bid_ranges} (expected 0 <= low <= high in each)")


def events(
    model: AuctionModel, count: int, seed: int, *, first: int = 0, batch_rows: int = BLOCK
) -> Iterator[pa.RecordBatch]:
    """Auctions number `first` to `first + count`, in batches of at most `batch_rows`.

    Which auctions they are depends on the model and the seed alone: neither on the size of the batches nor on
    where the counting starts. Names are dictionary-encoded, with the same dictionary in every batch.
    """
    made = -1
    whole: pa.RecordBatch | None = None
    for number, start, end in slices(first, count, batch_rows):
        if number != made or whole is None:
            whole, made = _block(model, seed, number), number
        yield whole.slice(start, end - start)


def _block(model: AuctionModel, seed: int, number: int) -> pa.RecordBatch:
    def draw(column: str) -> NDArray[np.float64]:
        return block(seed, "auction." + column, number)

    shelf = model.catalogue
    book = span(draw("book"), shelf.books)
    category = shelf.category[book]
    named = _dictionaries(model)
    low, high = model.ending
    title = shelf.title[book] if model.full_titles else shelf.phrase[book]
    return pa.RecordBatch.from_arrays(
        [
            _encoded(category, named["category"]),
            _encoded(pick(draw("format"), model.format_shares), named["format"]),
            pa.array(draw("signed") < np.asarray(model.signed_shares)[category]),
            _encoded(np.where(draw("condition") < model.new_share, 0, 1), named["condition"]),
            pa.array(low + span(draw("ending"), high - low + 1)),
            pa.array(_prices(model, category, draw("price range"), draw("price"))),
            pa.array(draw("buy it now") < np.asarray(model.buy_it_now_shares)[category]),
            pa.array(_bids(model, draw("bid range"), draw("bids"))),
            _encoded(shelf.author[book], named["author"]),
            _encoded(title, named["title"]),
        ],
        schema=SCHEMA,
    )


def _prices(
    model: AuctionModel, category: NDArray[np.int64], where: NDArray[np.float64], within: NDArray[np.float64]
) -> NDArray[np.float64]:
    ranges = len(model.price_shares)
    steps = np.arange(ranges) - (ranges - 1) / 2
    shares = np.asarray(model.price_shares) * np.exp(np.outer(model.price_tilts, steps))
    shares /= shares.sum(axis=1, keepdims=True)
    # One sorted line for all categories: category c owns the stretch from c to c + 1.
    borders = np.concatenate([row + thresholds(shares[row]) for row in range(len(shares))])
    at = np.searchsorted(borders, category + where, side="right") - category * (ranges - 1)
    # Whole cents, so that a price has two decimals and is the double nearest to them.
    edges = np.rint(np.asarray(model.price_edges) * 100).astype(np.int64)
    widths = np.diff(edges)
    widths[-1] += 1
    prices: NDArray[np.float64] = (edges[at] + span(within, widths[at])) / 100
    return prices


def _bids(model: AuctionModel, where: NDArray[np.float64], within: NDArray[np.float64]) -> NDArray[np.int64]:
    low, high = np.asarray(model.bid_ranges).T
    at = pick(where, model.bid_shares)
    bids: NDArray[np.int64] = low[at] + span(within, (high - low + 1)[at])
    return bids


def _encoded(position: NDArray[np.int64], dictionary: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(position.astype(np.int32)), dictionary)


@lru_cache(maxsize=4)
def _dictionaries(model: AuctionModel) -> dict[str, pa.Array]:
    shelf = model.catalogue
    return {
        "category": pa.array(CATEGORIES),
        "format": pa.array(FORMATS),
        "condition": pa.array(CONDITIONS),
        "author": shelf.authors,
        "title": shelf.full_titles() if model.full_titles else shelf.phrases,
    }
