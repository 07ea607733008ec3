"""Which events meet a generated filter, worked out leaf by leaf over whole columns.

A reader of just the texts that the workload generators write, sharing nothing with the package's language:
values are never missing there, so that two truth values are enough.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

TOKEN = re.compile(r"\s*('(?:[^']|'')*'|<=|>=|[()=<>]|[\w.+-]+)")

Node = tuple[Any, ...]
Mask = np.ndarray


def read(text: str) -> Node:
    """The filter as tuples: ("and" | "or", child, ...), ("not", child) or ("leaf", attribute, op, values)."""
    tokens = TOKEN.findall(text)
    assert "".join(tokens) == re.sub(r"\s+(?=(?:[^']*'[^']*')*[^']*$)", "", text), "a piece was not read"
    node, rest = _chain(tokens, "OR")
    assert not rest, rest
    return node


def _chain(tokens: list[str], word: str) -> tuple[Node, list[str]]:
    part = (lambda t: _chain(t, "AND")) if word == "OR" else _single
    first, tokens = part(tokens)
    children = [first]
    while tokens and tokens[0] == word:
        child, tokens = part(tokens[1:])
        children.append(child)
    return (children[0] if len(children) == 1 else (word.lower(), *children)), tokens


def _single(tokens: list[str]) -> tuple[Node, list[str]]:
    if tokens[0] == "NOT":
        child, rest = _single(tokens[1:])
        return ("not", child), rest
    if tokens[0] == "(":
        child, rest = _chain(tokens[1:], "OR")
        assert rest[0] == ")"
        return child, rest[1:]
    attribute, op = tokens[:2]
    if op == "BETWEEN":
        assert tokens[3] == "AND"
        return ("leaf", attribute, op, (_value(tokens[2]), _value(tokens[4]))), tokens[5:]
    return ("leaf", attribute, op, (_value(tokens[2]),)), tokens[3:]


def _value(token: str) -> Any:
    if token.startswith("'"):
        return token[1:-1].replace("''", "'")
    return {"TRUE": True, "FALSE": False}[token] if token in ("TRUE", "FALSE") else float(token)


@dataclass
class Columns:
    """Events by column; strings as places in a sorted list, so that comparing is one pass over numbers."""

    numbers: dict[str, np.ndarray]
    strings: dict[str, list[str]]

    @classmethod
    def of(cls, batches: Iterable[pa.RecordBatch]) -> Columns:
        table = pa.Table.from_batches(list(batches))
        numbers, strings = {}, {}
        for name in table.column_names:
            values = np.asarray(table[name].to_pylist())
            if values.dtype.kind == "U":
                known, values = np.unique(values, return_inverse=True)
                strings[name] = known.tolist()
            numbers[name] = values
        return cls(numbers, strings)

    def meets(self, node: Node) -> Mask:
        kind = node[0]
        if kind == "not":
            return ~self.meets(node[1])
        if kind == "leaf":
            return self._leaf(*node[1:])
        mask = self.meets(node[1])
        for child in node[2:]:
            mask = (mask & self.meets(child)) if kind == "and" else (mask | self.meets(child))
        return mask

    def _leaf(self, attribute: str, op: str, values: tuple[Any, ...]) -> Mask:
        column = self.numbers[attribute]
        if attribute in self.strings:
            known = self.strings[attribute]
            if op == "LIKE":
                assert values[0].endswith("%")
                return np.isin(column, [i for i, name in enumerate(known) if name.startswith(values[0][:-1])])
            assert op == "="
            return column == (known.index(values[0]) if values[0] in known else -1)
        if op == "BETWEEN":
            return (values[0] <= column) & (column <= values[1])
        return {"=": np.equal, "<": np.less, "<=": np.less_equal}[op](column, values[0])


def leaves(node: Node) -> int:
    return 1 if node[0] == "leaf" else sum(leaves(child) for child in node[1:])


def operators(node: Node, kind: str) -> int:
    return 0 if node[0] == "leaf" else (node[0] == kind) + sum(operators(child, kind) for child in node[1:])


def prunings(node: Node) -> int:
    """How many children of ANDs can be dropped until no AND is left."""
    if node[0] == "leaf":
        return 0
    return (len(node) - 2 if node[0] == "and" else 0) + sum(prunings(child) for child in node[1:])


def total_selectivity(filters: Iterable[str], columns: Columns) -> float:
    """The share of the events that at least one of the filters matches: the papers' network load."""
    matched = np.zeros(len(next(iter(columns.numbers.values()))), dtype=bool)
    for text in filters:
        matched |= columns.meets(read(text))
    return float(matched.mean())


def mean_share(filters: Iterable[str], columns: Columns) -> float:
    """The share of the events that a filter matches, on average over the filters."""
    return float(np.mean([columns.meets(read(text)).mean() for text in filters]))
