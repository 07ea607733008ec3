"""Paper 1, section 6.1: the workload that the experiments stand on."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from siftmesh.workload import auction, ranges, subscriptions
from siftmesh.workload.auction import AuctionModel
from siftmesh.workload.streams import BLOCK, slices
from tests.effort import examples
from tests.reference.auction_oracle import Columns, prunings, read, total_selectivity

SMALL = replace(AuctionModel(), items=2_000)
KINDS = {
    "auctions": lambda *args, **how: auction.events(SMALL, *args, **how),
    "ranges": lambda *args, **how: ranges.events(ranges.RangeModel(), *args, **how),
}


@pytest.mark.parametrize("kind", KINDS)
@examples(10)
@given(
    seed=st.integers(0, 2**64),
    first=st.integers(0, 2 * BLOCK),
    count=st.integers(1, 3_000),
    batch_rows=st.integers(1, 2 * BLOCK).map(lambda n: max(n, 50)),
)
def test_the_same_seed_gives_the_same_rows_whatever_the_batches(kind, seed, first, count, batch_rows):
    make = KINDS[kind]
    batches = list(make(count, seed, first=first, batch_rows=batch_rows))
    assert all(0 < batch.num_rows <= batch_rows for batch in batches)
    parts = pa.Table.from_batches(batches)
    whole = pa.Table.from_batches(make(first + count, seed)).slice(first)
    assert parts.equals(whole)


@examples(10)
@given(st.integers(0, 2**64), st.integers(0, 2**64))
def test_another_seed_gives_other_events(one, other):
    (first,), (second,) = auction.events(SMALL, 100, one), auction.events(SMALL, 100, other)
    assert first.equals(second) == (one == other)


@given(st.integers(0, 3 * BLOCK), st.integers(0, 3 * BLOCK), st.integers(100, 2 * BLOCK))
def test_slices_name_every_row_once_and_in_order(first, count, at_most):
    rows = first
    for number, start, end in slices(first, count, at_most):
        assert number * BLOCK + start == rows
        assert 0 < end - start <= at_most
        assert end <= BLOCK
        rows += end - start
    assert rows == first + count


@examples(15)
@given(
    seed=st.integers(0, 2**32),
    count=st.integers(0, 400),
    more=st.integers(0, 400),
    classes=st.lists(st.sampled_from(subscriptions.CLASSES), min_size=1, max_size=4, unique=True),
)
def test_more_subscriptions_leave_the_first_as_they_were(seed, count, more, classes):
    some = subscriptions.texts(subscriptions.mixed(count, seed, SMALL, classes))
    many = subscriptions.texts(subscriptions.mixed(count + more, seed, SMALL, classes))
    assert many.slice(0, count).to_pylist() == some.to_pylist()


@examples(8)
@given(st.integers(0, 2**32))
def test_whole_titles_are_matched_by_their_beginning_as_reduced_ones_by_equality(seed):
    whole = replace(SMALL, full_titles=True)
    for name in ("1", "2"):
        masks = []
        for model in (SMALL, whole):
            columns = Columns.of(auction.events(model, 2_000, seed))
            filters = subscriptions.draw(name, 20, seed, model).texts()["filter"].to_pylist()
            masks.append([columns.meets(read(text)) for text in filters])
        assert np.array_equal(*masks)
        assert np.any(masks), "nothing matched, so nothing was compared"


# Total selectivity is the share of the events that at least one of 10,000 subscriptions matches. `theirs` is
# Table 2 of paper 1, close enough within a quarter; `ours` is the mean of runs with 100,000 events under five
# seeds (three for the given setting).
FITTED = [
    (("1",), 0.065, 0.0683),
    (("2",), 0.089, 0.0902),
    (("collector-inferred",), 0.006, 0.0066),
    (("1", "2", "collector-inferred"), 0.089, 0.0970),
]
GIVEN = [(("1",), 0.0956), (("2",), 0.0831), (("collector",), 0.0032)]


def selectivity(model: AuctionModel, classes: tuple[str, ...], events: int, seed: int) -> float:
    columns = Columns.of(auction.events(model, events, 100 + seed))
    parts = subscriptions.mixed(10_000, seed, model, classes)
    return total_selectivity(subscriptions.texts(parts)["filter"].to_pylist(), columns)


def setting_for(classes: tuple[str, ...]) -> AuctionModel:
    return AuctionModel.fitted(classes[0] if len(classes) == 1 else "all")


def noise(share: float, events: int) -> float:
    """Four standard deviations of a share that is counted on so many events."""
    return float(4 * np.sqrt(share * (1 - share) / events))


@pytest.mark.parametrize(("classes", "ours"), [(classes, ours) for classes, _, ours in FITTED])
def test_the_fitted_setting_on_few_events(classes, ours):
    # Too few to hold against the paper's own number, which for class 3 means a hundred matching events.
    assert selectivity(setting_for(classes), classes, 20_000, 1) == pytest.approx(
        ours, abs=noise(ours, 20_000)
    )


@pytest.mark.soak
@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize(("classes", "theirs", "ours"), FITTED)
def test_the_fitted_setting_has_the_papers_selectivities(classes, theirs, ours, seed):
    seen = selectivity(setting_for(classes), classes, 100_000, seed)
    assert seen == pytest.approx(theirs, rel=0.25)
    assert seen == pytest.approx(ours, abs=noise(ours, 100_000))


@pytest.mark.soak
@pytest.mark.parametrize(("classes", "ours"), GIVEN)
def test_the_given_setting(classes, ours):
    assert selectivity(AuctionModel(), classes, 100_000, 1) == pytest.approx(ours, abs=noise(ours, 100_000))


def test_the_possible_prunings_of_the_mixture():
    """Table 2, "All": 50,117 prunings, which only the inferred third class reaches."""

    def possible(third: str) -> int:
        parts = subscriptions.mixed(10_000, 1, AuctionModel(), ("1", "2", third))
        filters = subscriptions.texts(parts)["filter"].to_pylist()
        return sum(prunings(read(text)) for text in filters)

    assert possible("collector-inferred") == pytest.approx(50_117, rel=0.02)
    assert possible("collector") == pytest.approx(56_667, rel=0.02)
