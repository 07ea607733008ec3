"""How fast filters are read: from scratch, and when their shape was seen before.

The baselines do comparable work in C on the same filters: SQLite prepares a statement with the same WHERE clause (it
parses, resolves and plans it), CPython parses the same expression to its own syntax tree.
"""

from __future__ import annotations

import ast
import re
import sqlite3

from benchmarks.timing import per_item
from siftmesh.filters import FilterReader
from siftmesh.language.parser import parse
from siftmesh.language.shape import split
from siftmesh.logic.lower import lower
from siftmesh.logic.normalise import normalise
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
    database.execute("create table e (category, format, signed, condition, ending, price, buy_it_now, bids, author, title)")
    queries = [f"explain select 1 from e where {text}" for text in texts]
    pythons = [_as_python(text) for text in texts]
    times = per_item(
        {
            "parse": lambda: [parse(text) for text in texts],
            "parse, lower, normalise": lambda: [normalise(lower(parse(text))) for text in texts],
            "split into shape and constants": lambda: [split(text) for text in texts],
            "read, shape seen before": lambda: [reader.read(text) for text in texts],
            "SQLite prepare": lambda: [database.execute(query) for query in queries],
            "CPython ast.parse": lambda: [ast.parse(python, mode="eval") for python in pythons],
        },
        len(texts),
    )
    baseline = times["CPython ast.parse"]
    print(f"\n{name}: {len(texts):,} filters of {sum(map(len, texts)) // len(texts)} characters")
    for what, seconds in times.items():
        print(f"  {what:<32}{seconds * 1e6:8.1f} us {1 / seconds:>10,.0f}/s {seconds / baseline:8.2f} x ast.parse")


def _as_python(text: str) -> str:
    """The same filter as a Python expression."""
    pieces = re.split(r"('[^']*(?:''[^']*)*')", text)
    pieces[::2] = [
        re.sub(r"(?<![<>])=", "==", piece).replace("AND", "and").replace("OR", "or").replace("NOT", "not")
        for piece in pieces[::2]
    ]
    pieces[1::2] = [repr(piece[1:-1].replace("''", "'")) for piece in pieces[1::2]]
    return "".join(pieces)
