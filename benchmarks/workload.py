"""How fast the workload generators are, beside plain random numbers made in the same run."""

from __future__ import annotations

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.timing import per_item
from siftmesh.workload import auction, ranges, subscriptions

EVENTS = 500_000
SUBSCRIPTIONS = 50_000
ROUNDS = 3
BASELINE = "numpy rng.random((n, 10))"


def write_parquet(batches: list[pa.RecordBatch]) -> None:
    pq.write_table(pa.Table.from_batches(batches), io.BytesIO(), compression="zstd")


def main() -> None:
    model, spans = auction.AuctionModel(), ranges.RangeModel()
    batches = list(auction.events(model, EVENTS, 1))
    rng = np.random.default_rng(1)
    seconds = per_item(
        {
            BASELINE: lambda: rng.random((EVENTS, 10)),
            "auction events": lambda: list(auction.events(model, EVENTS, 1)),
            "auction events to Parquet in memory": lambda: write_parquet(batches),
            "range events (20 attributes)": lambda: list(ranges.events(spans, EVENTS, 1)),
        },
        EVENTS,
        ROUNDS,
    ) | per_item(
        {
            "auction subscriptions as texts": lambda: subscriptions.texts(
                subscriptions.mixed(SUBSCRIPTIONS, 1, model)
            ),
            "range subscriptions as texts": lambda: ranges.texts(spans, SUBSCRIPTIONS, 1),
        },
        SUBSCRIPTIONS,
        ROUNDS,
    )
    print(f"{'':<38}{'rows/CPU-s':>14}{'time / numpy row':>18}")
    for name, each in seconds.items():
        print(f"{name:<38}{1 / each:>14,.0f}{each / seconds[BASELINE]:>18.1f}")


if __name__ == "__main__":
    main()
