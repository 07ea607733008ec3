from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from siftmesh.errors import ConfigError
from siftmesh.workload.auction import CATEGORIES, CONDITIONS, FORMATS, SCHEMA, AuctionModel, events

MODEL = AuctionModel()


@pytest.fixture(scope="module")
def table():
    return pa.Table.from_batches(events(MODEL, 200_000, 1))


def column(table, name):
    return np.asarray(table[name].to_pylist())


def test_the_first_event_is_pinned():
    (batch,) = events(MODEL, 1, 1)
    assert batch.to_pylist() == [
        {
            "category": "Children's Books",
            "format": "large print",
            "signed": False,
            "condition": "used",
            "ending": 84824,
            "price": 2.44,
            "buy_it_now": False,
            "bids": 0,
            "author": "Roswyn Ravholey",
            "title": "Zanemora and the Scarlet Tower",
        }
    ]


def test_ten_attributes_in_their_types(table):
    assert table.schema == SCHEMA
    assert len(SCHEMA) == 10
    assert sum(c.null_count for c in table.columns) == 0


@pytest.mark.parametrize(
    ("name", "values"), [("category", CATEGORIES), ("format", FORMATS), ("condition", CONDITIONS)]
)
def test_names_take_all_their_values_and_no_other(table, name, values):
    assert set(column(table, name)) == set(values)


@pytest.mark.parametrize(("values", "count"), [(CATEGORIES, 22), (FORMATS, 4), (CONDITIONS, 2)])
def test_table_1_counts(values, count):
    assert len(set(values)) == count


@pytest.mark.parametrize("name", ["signed", "buy_it_now"])
def test_flags_take_both_values(table, name):
    assert set(column(table, name)) == {False, True}


def test_endings_are_even_from_a_minute_to_ten_days(table):
    ending = np.sort(column(table, "ending")[:100_000])
    assert ending[0] >= 60
    assert ending[-1] <= 864_000
    even = (ending - 60) / (864_000 - 60)
    assert np.abs(even - np.arange(len(even)) / len(even)).max() < 0.01


def test_prices_are_whole_cents_in_their_range(table):
    price = column(table, "price")
    assert price.min() >= 0.01
    assert price.max() <= 1000.0
    assert np.array_equal(price, np.round(price, 2))
    assert np.unique(np.searchsorted(MODEL.price_edges, price, side="right")).size == 15


def test_seven_percent_of_fantasy_costs_five_to_six_dollars_evenly(table):
    fantasy = column(table, "price")[column(table, "category") == "Fantasy"]
    five = fantasy[(fantasy >= 5) & (fantasy < 6)]
    assert len(five) / len(fantasy) == pytest.approx(0.07, abs=0.01)
    assert np.histogram(five, bins=[5, 5.25, 5.5, 5.75, 6])[0] / len(five) == pytest.approx(
        [0.25] * 4, abs=0.06
    )


def test_a_higher_tilt_is_a_dearer_category(table):
    price, category = column(table, "price"), column(table, "category")
    assert np.median(price[category == "Romance"]) < np.median(price[category == "Gothic"])


def test_bids_are_whole_numbers_from_0_to_100_in_16_ranges(table):
    bids = column(table, "bids")
    assert bids.dtype.kind == "i"
    lows = [low for low, _ in MODEL.bid_ranges]
    assert (bids.min(), len(lows), MODEL.bid_ranges[-1][1]) == (0, 16, 100)
    share = np.bincount(np.searchsorted(lows, bids, side="right") - 1, minlength=16) / len(bids)
    assert share == pytest.approx(MODEL.bid_shares, abs=0.004)
    assert bids.max() <= 100


def test_the_bid_ranges_leave_no_gap():
    for (_, high), (low, _) in zip(MODEL.bid_ranges, MODEL.bid_ranges[1:], strict=False):
        assert low == high + 1


@pytest.mark.parametrize("model", [MODEL, AuctionModel.fitted()], ids=["given", "fitted"])
def test_signed_copies_are_uneven_over_categories_as_the_shares_say(model):
    sample = pa.Table.from_batches(events(model, 130_000, 2))
    signed, category = column(sample, "signed"), column(sample, "category")
    seen = [signed[category == name].mean() for name in CATEGORIES]
    assert seen == pytest.approx(list(model.signed_shares), abs=0.03)
    assert max(model.signed_shares) > 5 * min(model.signed_shares)


def test_formats_and_conditions_follow_their_shares(table):
    formats = column(table, "format")
    assert [np.mean(formats == name) for name in FORMATS] == pytest.approx(MODEL.format_shares, abs=0.005)
    assert np.mean(column(table, "condition") == "new") == pytest.approx(MODEL.new_share, abs=0.005)


def test_the_pool_of_titles_is_a_hundred_times_smaller_than_the_items(table):
    assert MODEL.items / MODEL.title_pool == 100
    assert len(set(column(table, "title"))) == 1_000


def test_full_titles_begin_with_the_reduced_ones():
    (short,) = events(MODEL, 500, 1)
    (full,) = events(replace(MODEL, full_titles=True), 500, 1)
    for phrase, title in zip(short["title"].to_pylist(), full["title"].to_pylist(), strict=True):
        assert title.startswith(phrase + ": ")
    assert short.drop_columns(["title"]) == full.drop_columns(["title"])


def test_an_author_writes_in_at_most_two_categories(table):
    pairs = set(zip(table["author"].to_pylist(), table["category"].to_pylist(), strict=True))
    authors = [author for author, _ in pairs]
    assert len(pairs) / len(set(authors)) == pytest.approx(1.1, abs=0.02)
    assert max(authors.count(author) for author in authors[:200]) <= 2


def test_all_batches_share_one_dictionary():
    batches = list(events(MODEL, 70_000, 1))
    assert len(batches) == 2
    assert batches[0]["title"].dictionary.equals(batches[1]["title"].dictionary)


def test_the_fitted_setting_is_the_notes_own():
    fitted = AuctionModel.fitted()
    assert np.dot(fitted.signed_shares, fitted.category_shares) == pytest.approx(0.028)
    assert set(fitted.buy_it_now_shares) == {0.12}
    assert sum(fitted.format_shares[:2]) == pytest.approx(0.95)
    assert AuctionModel.fitted("1").title_pool == 7_400
    assert fitted.title_pool == 1_000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"items": 0}, "items is 0 (expected at least 1)"),
        ({"signed_shares": (0.1,)}, "signed_shares has 1 values (expected 22)"),
        ({"format_shares": (0.5, 0.5, 0.5, 0.5)}, "format_shares sum to 2 (expected 1)"),
        ({"new_share": 1.5}, "new_share is 1.5 (expected shares between 0 and 1)"),
        ({"new_share": float("nan")}, "new_share is nan (expected shares between 0 and 1)"),
        ({"price_edges": tuple(range(16, 0, -1))}, "expected amounts that rise by a cent or more"),
        ({"ending": (60, 0)}, "ending is 60 to 0 (expected 0 <= low <= high)"),
        ({"bid_ranges": ((5, 1),) * 16}, "expected 0 <= low <= high in each"),
    ],
)
def test_a_model_that_cannot_be_is_refused(change, message):
    with pytest.raises(ConfigError) as caught:
        replace(MODEL, **change)
    assert message in str(caught.value)
