"""`siftmesh generate`: write a seeded workload, events and subscriptions, to Parquet or JSON lines."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from siftmesh.cli.files import replacing
from siftmesh.cli.progress import progress
from siftmesh.errors import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["add_parser", "run"]

# Batches of a row group: half a million rows, so that the dictionary of names is not written too often.
_GROUP = 8


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add the command to the program's own."""
    parser = subparsers.add_parser(
        "generate",
        help="write a seeded workload of events and subscriptions",
        description="Write a seeded workload: the same options always give the same rows.",
    )
    parser.add_argument(
        "workload", choices=("auctions", "ranges"), help="book auctions, or ranges over numbers"
    )
    parser.add_argument("--events", type=int, default=100_000, metavar="N", help="how many (default 100,000)")
    parser.add_argument(
        "--subscriptions", type=int, default=10_000, metavar="N", help="how many (default 10,000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="another seed gives another workload (default 1)")
    parser.add_argument(
        "--classes", help="of auction subscriptions, with commas between them (default 1,2,collector)"
    )
    parser.add_argument(
        "--parameters",
        action="store_true",
        help="also write, for each class, its template and a table of its parameters",
    )
    parser.add_argument("--format", choices=("parquet", "jsonl"), default="parquet", help="default parquet")
    parser.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the files go")
    parser.set_defaults(run=run)


def run(args: argparse.Namespace) -> int:
    """Write the files and name each on a line."""
    try:
        for path, rows in _write_all(args):
            print(f"{path}  {rows:,} rows")
    except BrokenPipeError:
        # Whoever read the list of files has seen enough; that is the program's to end, not an error of ours.
        raise
    except OSError as error:
        place = error.filename or args.out
        raise ConfigError(f"{place}: cannot be written: {error.strerror}; choose another --out") from None
    return 0


def _write_all(args: argparse.Namespace) -> Iterator[tuple[Path, int]]:
    from siftmesh.workload.streams import check_count

    # Before any file is begun: a long run must not end in a complaint about its last option.
    check_count("--events", args.events)
    check_count("--subscriptions", args.subscriptions)
    check_count("--seed", args.seed)
    if args.workload == "ranges":
        if args.classes is not None or args.parameters:
            raise ConfigError(
                "--classes and --parameters are for auctions; range subscriptions have no templates"
            )
        yield from _ranges(args)
    else:
        yield from _auctions(args)


def _auctions(args: argparse.Namespace) -> Iterator[tuple[Path, int]]:
    from siftmesh.workload import auction, subscriptions

    model = auction.AuctionModel()
    classes = (args.classes or "1,2,collector").split(",")
    parts = subscriptions.mixed(args.subscriptions, args.seed, model, classes)
    args.out.mkdir(parents=True, exist_ok=True)
    yield _write(
        args, "events", auction.SCHEMA, auction.events(model, args.events, args.seed), total=args.events
    )
    yield _write_table(args, "subscriptions", subscriptions.texts(parts))
    if args.parameters:
        for part in parts:
            yield _write_table(args, f"parameters-{part.name}", part.parameters)
        path = args.out / "templates.json"
        with replacing(path) as file:
            file.write(json.dumps({part.name: part.template for part in parts}, indent=2).encode() + b"\n")
        yield path, len(parts)


def _ranges(args: argparse.Namespace) -> Iterator[tuple[Path, int]]:
    from siftmesh.workload import ranges

    model = ranges.RangeModel()
    args.out.mkdir(parents=True, exist_ok=True)
    batches = ranges.events(model, args.events, args.seed)
    yield _write(args, "events", ranges.schema(model), batches, total=args.events)
    yield _write_table(args, "subscriptions", ranges.texts(model, args.subscriptions, args.seed))


def _write_table(args: argparse.Namespace, name: str, table: pa.Table) -> tuple[Path, int]:
    return _write(args, name, table.schema, table.to_batches(max_chunksize=65_536), total=table.num_rows)


def _write(
    args: argparse.Namespace, name: str, schema: pa.Schema, batches: Iterable[pa.RecordBatch], *, total: int
) -> tuple[Path, int]:
    path = args.out / f"{name}.{args.format}"
    writer = _parquet if args.format == "parquet" else _json_lines
    with replacing(path) as file, progress(name, total) as advance:
        writer(file, schema, batches, advance)
    return path, total


def _parquet(
    file: IO[bytes], schema: pa.Schema, batches: Iterable[pa.RecordBatch], advance: Callable[[int], None]
) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    remaining = iter(batches)
    with pq.ParquetWriter(file, schema, compression="zstd") as writer:
        while group := list(islice(remaining, _GROUP)):
            table = pa.Table.from_batches(group)
            writer.write_table(table, row_group_size=table.num_rows)
            advance(table.num_rows)


def _json_lines(
    file: IO[bytes], schema: pa.Schema, batches: Iterable[pa.RecordBatch], advance: Callable[[int], None]
) -> None:
    import msgspec

    encoder = msgspec.json.Encoder()
    for batch in batches:
        file.write(encoder.encode_lines(_rows(schema.names, batch)))
        advance(batch.num_rows)


def _rows(names: list[str], batch: pa.RecordBatch) -> list[dict[str, Any]]:
    # Column by column: a batch's own to_pylist looks each value's column up again.
    columns = [
        column.dictionary_decode() if hasattr(column, "dictionary_decode") else column
        for column in batch.columns
    ]
    values = zip(*(column.to_pylist() for column in columns), strict=True)
    return [dict(zip(names, row, strict=True)) for row in values]
