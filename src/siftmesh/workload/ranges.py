"""Subscriptions that are ranges over many numbers, with nothing selective to lean on, and events to match.

A subscription is a conjunction of three to eight ranges on different attributes, or, for one in five, two
such conjunctions with OR between them; one range in ten is negated. Half of the attributes are whole numbers,
half have three decimals, all spread evenly, so the chance of a match is known: `RangeModel.expected_share`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from siftmesh.errors import ConfigError
from siftmesh.workload.streams import BLOCK, Floats, block, check_count, slices, span, uniforms

__all__ = ["RangeModel", "events", "schema", "texts"]

# Every attribute takes one of these many values, 0 .. TICKS - 1; those with decimals count in thousandths.
TICKS = 1_000_000

# Subscriptions are written this many at a time, which bounds the memory for half-made texts.
CHUNK = 16_384

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class RangeModel:
    """How range subscriptions are drawn; by default one matches about 1.6% of the events."""

    attributes: int = 20
    least_ranges: int = 3
    most_ranges: int = 8
    disjunctive: float = 0.2
    negated: float = 0.1
    # The part of an attribute's domain that a range spans: evenly from half of this to one and a half of it.
    width: float = 0.34

    def __post_init__(self) -> None:
        if not 1 <= self.least_ranges <= self.most_ranges <= self.attributes:
            raise ConfigError(
                f"a conjunction has {self.least_ranges} to {self.most_ranges} ranges of {self.attributes}"
                " attributes (expected 1 <= least_ranges <= most_ranges <= attributes)"
            )
        for name in ("disjunctive", "negated"):
            if not 0 <= getattr(self, name) <= 1:
                raise ConfigError(f"{name} is {getattr(self, name)} (expected a share between 0 and 1)")
        if not 0 < self.width <= 2 / 3:
            raise ConfigError(f"width is {self.width} (expected more than 0 and at most 2/3)")

    @property
    def expected_share(self) -> float:
        """The share of the events that a subscription matches, on average over subscriptions."""
        one = self.width * (1 - self.negated) + (1 - self.width) * self.negated
        sizes = range(self.least_ranges, self.most_ranges + 1)
        conjunction = sum(one**size for size in sizes) / len(sizes)
        # The two sides of a disjunction share attributes now and then; that changes the third digit at most.
        return conjunction + self.disjunctive * (conjunction - conjunction**2)


def schema(model: RangeModel) -> pa.Schema:
    """Columns a0, a1, ...: whole numbers at even places, numbers with decimals at odd ones."""
    return pa.schema(
        [(f"a{place}", pa.float64() if place % 2 else pa.int64()) for place in range(model.attributes)]
    )


def events(
    model: RangeModel, count: int, seed: int, *, first: int = 0, batch_rows: int = BLOCK
) -> Iterator[pa.RecordBatch]:
    """Events number `first` to `first + count`, in batches of at most `batch_rows`.

    The size of the batches changes nothing but where the rows are cut.
    """
    made = -1
    whole: pa.RecordBatch | None = None
    for number, start, end in slices(first, count, batch_rows):
        if number != made or whole is None:
            columns = [
                _column(place, span(block(seed, f"range.a{place}", number), TICKS))
                for place in range(model.attributes)
            ]
            whole, made = pa.RecordBatch.from_arrays(columns, schema=schema(model)), number
        yield whole.slice(start, end - start)


def texts(model: RangeModel, count: int, seed: int) -> pa.Table:
    """The first `count` subscriptions: columns id, filter and class."""
    check_count("count", count)
    starts = range(0, count, CHUNK)
    chunks = [_texts(model, start, min(CHUNK, count - start), seed) for start in starts]
    return pa.concat_tables(chunks or [_texts(model, 0, 0, seed)])


def _texts(model: RangeModel, first: int, count: int, seed: int) -> pa.Table:
    sides = 1 + (uniforms(seed, "range.disjunctive", count, first) < model.disjunctive)
    # Both sides are always drawn and the second is dropped where there is none: subscription i stays the same
    # however many come before or after it.
    conjunctions = np.flatnonzero(np.arange(2 * count) % 2 < np.repeat(sides, 2))
    conjoined = _conjunctions(model, 2 * first, 2 * count, seed).take(pa.array(conjunctions))
    grouped = pa.ListArray.from_arrays(_offsets(sides), conjoined)
    return pa.table(
        {
            "id": pa.array(np.arange(first, first + count, dtype=np.int64)),
            "filter": pc.binary_join(grouped, " OR "),
            "class": pa.array(["ranges"]).take(pa.array(np.zeros(count, dtype=np.int64))),
        }
    )


def _conjunctions(model: RangeModel, first: int, count: int, seed: int) -> pa.Array:
    most = model.most_ranges
    spread = most - model.least_ranges + 1
    sizes = model.least_ranges + span(uniforms(seed, "range.size", count, first), spread)
    kept = np.arange(most) < sizes[:, None]

    def rows(column: str) -> Floats:
        return uniforms(seed, column, count * most, first * most).reshape(count, most)

    def drawn(column: str) -> Floats:
        return rows(column)[kept]

    attribute = _distinct(rows("range.attribute"), model.attributes)
    width = (model.width * (0.5 + drawn("range.width")) * TICKS).astype(np.int64)
    low = span(drawn("range.low"), TICKS - width + 1)
    ranges = _ranges(attribute[kept], low, low + width - 1, drawn("range.negated") < model.negated)
    return pc.binary_join(pa.ListArray.from_arrays(_offsets(sizes), ranges), " AND ")


def _distinct(uniform: Floats, size: int) -> Ints:
    """In each row, as many different numbers below `size` as the row is long, all choices equally likely.

    The first steps of a Fisher-Yates shuffle, taken for all rows at once.
    """
    rows, steps = uniform.shape
    deck = np.tile(np.arange(size), (rows, 1))
    row = np.arange(rows)
    for step in range(steps):
        other = step + span(uniform[:, step], size - step)
        taken = deck[row, other]
        deck[row, other] = deck[:, step]
        deck[:, step] = taken
    return deck[:, :steps]


def _ranges(attribute: Ints, low: Ints, high: Ints, negated: NDArray[np.bool_]) -> pa.Array:
    decimal = attribute % 2 == 1

    def written(ticks: Ints) -> pa.Array:
        return pc.if_else(
            pa.array(decimal),
            pc.cast(pa.array(ticks / 1000), pa.string()),
            pc.cast(pa.array(ticks), pa.string()),
        )

    opening = pc.if_else(pa.array(negated), "NOT (", "")
    closing = pc.if_else(pa.array(negated), ")", "")
    number = pc.cast(pa.array(attribute), pa.string())
    return pc.binary_join_element_wise(
        opening, "a", number, " BETWEEN ", written(low), " AND ", written(high), closing, ""
    )


def _column(place: int, ticks: Ints) -> pa.Array:
    return pa.array(ticks / 1000 if place % 2 else ticks)


def _offsets(sizes: Ints) -> pa.Array:
    return pa.array(np.concatenate(([0], np.cumsum(sizes))).astype(np.int32))
