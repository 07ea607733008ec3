"""How fast filters are read: from scratch, and when their shape was seen before.

The baselines do comparable work in C on the same filters: SQLite prepares a statement with the same WHERE
clause (it parses, resolves and plans it), CPython parses the same expression to its own syntax tree.
"""

from __future__ import annotations

import ast
import re
import sqlite3
from collections import deque
from collections.abc import Callable
from functools import partial

from benchmarks.timing import per_item
from siftmesh.filters import FilterReader
from siftmesh.language.parser import parse
from siftmesh.language.shape import split
from siftmesh.workload import subscriptions
from siftmesh.workload.auction import AuctionModel

FILTERS = 3_000


def main() -> None:
    model = AuctionModel()
    for classes in (("1", "2", "collector"), ("1",), ("2",), ("collector",)):
        texts = subscriptions.texts(subscriptions.mixed(FILTERS, 7, model, classes))["filter"].to_pylist()
        _compare("mixed" if len(classes) > 1 else f"class {classes[0]}", texts)


def _compare(name: str, texts: list[str]) -> None:
    reader = FilterReader()
    for text in texts:
        assert reader.read(text) == reader.read_slowly(text), text
    database = sqlite3.connect(":memory:", cached_statements=0)
    columns = "category, format, signed, condition, ending, price, buy_it_now, bids, author, title"
    database.execute(f"create table e ({columns})")
    queries = [f"explain select 1 from e where {text}" for text in texts]
    pythons = [_as_python(text) for text in texts]
    times = per_item(
        {
            "parse": lambda: _each(parse, texts),
            "parse, lower, normalise": lambda: _each(reader.read_slowly, texts),
            "split into shape and constants": lambda: _each(split, texts),
            "read, shape seen before": lambda: _each(reader.read, texts),
            "SQLite prepare": lambda: _each(database.execute, queries),
            "CPython ast.parse": lambda: _each(partial(ast.parse, mode="eval"), pythons),
        },
        len(texts),
    )
    baseline = times["CPython ast.parse"]
    print(f"\n{name}: {len(texts):,} filters of {sum(map(len, texts)) // len(texts)} characters")
    for what, seconds in times.items():
        rate, ratio = 1 / seconds, seconds / baseline
        print(f"  {what:<32}{seconds * 1e6:8.1f} us {rate:>10,.0f}/s {ratio:8.2f} x ast.parse")


def _each(work: Callable[[str], object], texts: list[str]) -> None:
    """Do it for each text, keeping no result: what is measured is the work, not the memory."""
    deque(map(work, texts), maxlen=0)


def _as_python(text: str) -> str:
    """The same filter as a Python expression."""
    pieces = re.split(r"('[^']*(?:''[^']*)*')", text)
    pieces[::2] = [
        re.sub(r"(?<![<>])=", "==", piece).replace("AND", "and").replace("OR", "or").replace("NOT", "not")
        for piece in pieces[::2]
    ]
    pieces[1::2] = [repr(piece[1:-1].replace("''", "'")) for piece in pieces[1::2]]
    return "".join(pieces)
