"""What `match` writes: tables for eyes, JSON lines or Parquet; a line for each event, or for each match."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Protocol

from siftmesh.cli.files import writing, written
from siftmesh.errors import ConfigError

if TYPE_CHECKING:
    import pyarrow as pa

    from siftmesh.matcher import Matcher
    from siftmesh.matching.api import Matches

__all__ = ["FORMATS", "Results", "format_of", "results", "shown_id"]

FORMATS = ("table", "jsonl", "parquet")
# Rows of a row group: fewer make a file that is slow to read.
_GROUP = 65_536
# An id that reads as itself in a table; every other one is shown as JSON.
_PLAIN = re.compile(r"(?!-?\d+$)(?!-$)[\w.@:/+#-]+")


class Results(Protocol):
    """Takes the matches of one batch of events after the other."""

    def write(self, first: int, matches: Matches) -> None:
        """The matches of events number `first` and following."""


def format_of(asked: str | None, out: str | None) -> str:
    """The format that was asked for, or the one that fits where the results go."""
    if out is None or out == "-":
        if asked == "parquet":
            raise ConfigError("Parquet is no text for standard output; name a file with --out")
        return asked or "table"
    return asked or ("parquet" if out.lower().endswith(".parquet") else "jsonl")


@contextmanager
def results(form: str, out: str | None, matcher: Matcher, *, pairs: bool) -> Iterator[Results]:
    """Where the matches of a matcher go; a file appears only if all went well."""
    if form == "parquet":
        with writing(out or "") as file, _parquet(file, matcher, pairs=pairs) as parquet:
            yield parquet
        return
    with written(out) as text:
        yield _Table(text, pairs=pairs) if form == "table" else _Lines(text, pairs=pairs)


class _Table:
    """Columns for eyes."""

    def __init__(self, out: IO[str], *, pairs: bool) -> None:
        self._out = out
        self._pairs = pairs
        out.write(f"event  {'id' if pairs else 'ids'}\n")

    def write(self, first: int, matches: Matches) -> None:
        lines = []
        for event, ids in enumerate(matches, first):
            shown = list(map(shown_id, ids))
            if self._pairs:
                lines += [f"{event:>5}  {one}\n" for one in shown]
            else:
                lines.append(f"{event:>5}  {', '.join(shown) or '-'}\n")
        self._out.write("".join(lines))
        self._out.flush()


class _Lines:
    """JSON lines."""

    def __init__(self, out: IO[str], *, pairs: bool) -> None:
        self._out = out
        self._pairs = pairs

    def write(self, first: int, matches: Matches) -> None:
        lines = []
        for event, ids in enumerate(matches, first):
            if self._pairs:
                lines += [f'{{"event":{event},"id":{one}}}\n' for one in map(_json, ids)]
            else:
                lines.append(f'{{"event":{event},"ids":{_json(ids)}}}\n')
        self._out.write("".join(lines))
        self._out.flush()


class _Parquet:
    """Columns for other programs: ids as a list for each event, or a row for each match."""

    def __init__(self, writer: Any, schema: pa.Schema, *, pairs: bool) -> None:
        self._writer = writer
        self._schema = schema
        self._pairs = pairs
        self._waiting: list[pa.Table] = []

    def write(self, first: int, matches: Matches) -> None:
        import numpy as np
        import pyarrow as pa

        lists = matches.to_arrow()
        if self._pairs:
            columns = [pa.array(matches.pairs()[0] + first), lists.flatten()]
        else:
            columns = [pa.array(np.arange(first, first + len(matches), dtype=np.int64)), lists]
        self._waiting.append(pa.table(columns, names=self._schema.names).cast(self._schema))
        if sum(table.num_rows for table in self._waiting) >= _GROUP:
            self.flush()

    def flush(self) -> None:
        import pyarrow as pa

        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting).combine_chunks())
            self._waiting = []


@contextmanager
def _parquet(file: IO[bytes], matcher: Matcher, *, pairs: bool) -> Iterator[_Parquet]:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        lists = matcher.match_batch([]).to_arrow().type
    except ConfigError as error:
        raise ConfigError(f"{error}; --format jsonl takes all ids") from None
    ids = pa.field("id", lists.value_type) if pairs else pa.field("ids", lists)
    schema = pa.schema([pa.field("event", pa.int64()), ids])
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:
        made = _Parquet(writer, schema, pairs=pairs)
        yield made
        made.flush()


def shown_id(subscription: Hashable) -> str:
    """An id as a table shows it: a text that could be taken for something else stands in quotes."""
    if isinstance(subscription, str) and _PLAIN.fullmatch(subscription):
        return subscription
    text = _json(subscription)
    return text if text.isprintable() else json.dumps(json.loads(text))


def _json(thing: Any) -> str:
    import msgspec

    try:
        return msgspec.json.encode(thing, enc_hook=repr).decode()
    except OverflowError:
        # An integer of more than 64 bits.
        return json.dumps(thing, ensure_ascii=False, default=repr)
