"""Subscriptions and events that the matchers and their peers are measured with, made from a seed.

`class-1`, `class-2`, `collector` and `mixed` are the book auctions, `ranges` has nothing selective to lean
on, `substrings` asks for two words anywhere in a title, `templates` has thousands of different shapes, and
`everything` is a quarter each of mixed, ranges, substrings and templates. No event has a null, which the
peers rely on where it makes them faster.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from siftmesh import Tree
from siftmesh.filters import FilterReader
from siftmesh.logic.normalise import normalise
from siftmesh.logic.tree import And, Operator, Or, Predicate
from siftmesh.model.values import Kind
from siftmesh.workload import auction, ranges, subscriptions
from siftmesh.workload.auction import AuctionModel
from siftmesh.workload.streams import span, uniforms
from siftmesh.workload.subscriptions import Subscriptions

__all__ = ["WORKLOADS", "Case", "conjunctions", "make", "range_tree"]

WORKLOADS = ("class-1", "class-2", "collector", "mixed", "ranges", "substrings", "templates", "everything")

_AUCTION_CLASSES = {"class-1": ("1",), "class-2": ("2",), "collector": ("collector",)}
_PARTS = ("mixed", "ranges", "substrings", "templates")

# Shapes of the workload `templates`: at most this many, and at least two subscriptions to each.
SHAPES = 5_000
# Random numbers for the constants of a subscription; no shape has more parameters.
SLOTS = 12

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """One workload in one size. The ids are 0 .. size-1, each in one of the groups or in the texts."""

    workload: str
    size: int
    # Subscriptions of one template each; `name` is the auction class, or what the workload calls them.
    groups: list[Subscriptions]
    # Those that share no template: columns id and filter.
    texts: pa.Table
    events: pa.Table

    def read(self) -> Iterator[tuple[int, Tree]]:
        """Every subscription as a Tree."""
        reader = FilterReader()
        for group in self.groups:
            template = reader.template(group.template)
            columns = [group.parameters[name].to_pylist() for name in ("id", *template.parameters)]
            for number, *constants in zip(*columns, strict=True):
                yield number, template.bind(constants)
        yield from self.text_trees

    @cached_property
    def text_trees(self) -> list[tuple[int, Tree]]:
        """Those without a template, which would take longer to read than to match."""
        texts = self.texts["filter"].to_pylist()
        reader = FilterReader()
        for text in texts[:100]:
            if normalise(range_tree(text)) != reader.read(text):
                raise AssertionError(f"misread: {text}")
        return list(zip(self.texts["id"].to_pylist(), map(range_tree, texts), strict=True))

    @cached_property
    def trees(self) -> list[tuple[int, Tree]]:
        """All of them, kept, for peers that are made from Trees."""
        return list(self.read())


def make(workload: str, size: int, events: int, *, seed: int = 1, items: int | None = None) -> Case:
    """`size` subscriptions and `events` events; with fewer `items` (books on offer) more of them match."""
    model = AuctionModel() if items is None else replace(AuctionModel(), items=items)
    groups, texts = _subscriptions(workload, size, seed, model)
    table = _events(workload, events, seed, model)
    if any(column.null_count for column in table.columns):
        raise ValueError(f"{workload}: an event has a null")
    return Case(workload, size, groups, texts, table)


def _subscriptions(
    workload: str, size: int, seed: int, model: AuctionModel
) -> tuple[list[Subscriptions], pa.Table]:
    none = pa.table({"id": pa.array([], pa.int64()), "filter": pa.array([], pa.string())})
    if workload == "ranges":
        return [], ranges.texts(ranges.RangeModel(), size, seed).select(["id", "filter"])
    if workload == "substrings":
        return [_substrings(size, seed, _full(model))], none
    if workload == "templates":
        return _templates(size, seed, model), none
    if workload != "everything":
        classes = _AUCTION_CLASSES.get(workload, ("1", "2", "collector"))
        return subscriptions.mixed(size, seed, model, classes), none
    groups, texts = [], none
    chosen = span(uniforms(seed, "benchmark.part", size), len(_PARTS))
    for place, part in enumerate(_PARTS):
        ids = pa.array(np.flatnonzero(chosen == place))
        if part == "substrings":
            made, rest = [_substrings(len(ids), seed, model)], none
        else:
            made, rest = _subscriptions(part, len(ids), seed, model)
        groups += [replace(group, parameters=_renumbered(group.parameters, ids)) for group in made]
        texts = pa.concat_tables([texts, _renumbered(rest, ids)])
    return groups, texts


def _renumbered(table: pa.Table, ids: pa.Array) -> pa.Table:
    return table.set_column(table.schema.get_field_index("id"), "id", ids.take(table["id"].combine_chunks()))


def _full(model: AuctionModel) -> AuctionModel:
    """Whole titles, of which there are nearly as many as books."""
    return replace(model, full_titles=True)


def _events(workload: str, count: int, seed: int, model: AuctionModel) -> pa.Table:
    spans = ranges.RangeModel()
    if workload == "ranges":
        return pa.Table.from_batches(ranges.events(spans, count, seed), ranges.schema(spans))
    shown = _full(model) if workload == "substrings" else model
    table = pa.Table.from_batches(auction.events(shown, count, seed), auction.SCHEMA)
    if workload == "everything":
        for name, column in zip(
            ranges.schema(spans).names, _events("ranges", count, seed, model).columns, strict=True
        ):
            table = table.append_column(name, column)
    return table


# ---- ranges

_RANGE = re.compile(r"(NOT \()?(\w+) BETWEEN ([\d.]+) AND ([\d.]+)")
# Name, low, high, and whether the value has to be inside or outside.
Range = tuple[str, float, float, bool]


def conjunctions(text: str) -> list[list[Range]]:
    """A filter of `ranges` taken apart: it is true when all ranges of one of the lists are."""
    return [
        [
            (name, _number(low), _number(high), not negated)
            for negated, name, low, high in _RANGE.findall(side)
        ]
        for side in text.split(" OR ")
    ]


def range_tree(text: str) -> Tree:
    """The Tree of a filter of `ranges`, not in normal form."""
    return Or(tuple(And(tuple(map(_range, side))) for side in conjunctions(text)))


def _range(asked: Range) -> Tree:
    name, low, high, inside = asked
    if inside:
        return And((_bound(name, Operator.GE, low), _bound(name, Operator.LE, high)))
    return Or((_bound(name, Operator.LT, low), _bound(name, Operator.GT, high)))


def _bound(name: str, operator: Operator, value: float) -> Tree:
    return Predicate(name, operator, Kind.NUMBER, value)


def _number(text: str) -> float:
    value = float(text)
    # As Trees hold it.
    return int(value) if value.is_integer() else value


# ---- substrings


_COMMON = {"The", "the", "and", "of", "to", "Road"}


def _substrings(count: int, seed: int, model: AuctionModel) -> Subscriptions:
    shelf = model.catalogue
    titles = shelf.full_titles() if model.full_titles else shelf.phrases
    title = titles.take(pa.array(span(uniforms(seed, "substrings.title", count), len(titles))))
    picked = [
        _two_words(text, where)
        for text, where in zip(title.to_pylist(), uniforms(seed, "substrings.word", count), strict=True)
    ]
    return Subscriptions(
        "substrings",
        "title LIKE :pattern AND price < :most",
        pa.table(
            {
                "id": pa.array(np.arange(count, dtype=np.int64)),
                "pattern": pa.array(picked, pa.string()),
                "most": _cents(uniforms(seed, "substrings.limit", count), 100, 4_000),
            }
        ),
    )


def _two_words(title: str, where: float) -> str:
    """A pattern for two words of a title that stand side by side; "of the" would find nearly everything."""
    words = title.split(" ")
    pairs = [f"%{one} {other}%" for one, other in pairwise(words) if not {one, other} & _COMMON]
    # A title of common words alone is asked for as a whole.
    return pairs[int(where * len(pairs))] if pairs else f"%{title}%"


def _cents(uniform: Floats, low: int, high: int) -> pa.Array:
    return pa.array((low + span(uniform, high - low + 1)) / 100)


# ---- templates

# Leaves with their parameters, by kind; the first ones narrow an event down, the others hardly do.
_ANCHORS = (
    *("title = {title}",) * 5,
    *("author = {author}",) * 3,
    "title IN ({title}, {title})",
    "category = {category} AND author LIKE 'Be%'",
)
_LEAVES = (
    *("price <= {dear}", "price >= {cheap}", "price < {dear}", "NOT price > {dear}"),
    *("bids >= {few}", "bids = 0", "bids BETWEEN 0 AND {few}", "ending < 3600", "ending < 86400"),
    *("ending >= 43200", "condition = 'new'", "condition = 'used'", "condition <> 'new'"),
    *("format = {format}", "format IN ({format}, 'audiobook')", "NOT format = {format}"),
    *("signed = TRUE", "NOT signed = TRUE", "buy_it_now = TRUE", "category = {category}"),
    *("category <> {category}", "title LIKE 'The %'", "author IS NOT NULL", "author > 'Ca'"),
)


def _templates(count: int, seed: int, model: AuctionModel) -> list[Subscriptions]:
    shapes = _shapes(max(1, min(SHAPES, count // 2)), seed)
    chosen = span(uniforms(seed, "templates.shape", count), len(shapes))
    order = np.argsort(chosen, kind="stable")
    borders = np.searchsorted(chosen[order], np.arange(len(shapes) + 1))
    values = uniforms(seed, "templates.values", count * SLOTS).reshape(count, SLOTS)
    groups = []
    for number, (template, parameters) in enumerate(shapes):
        ids = np.sort(order[borders[number] : borders[number + 1]])
        columns = {"id": pa.array(ids)}
        for slot, (name, kind) in enumerate(parameters.items()):
            columns[name] = _constants(kind, values[ids, slot], model)
        if len(ids):
            groups.append(Subscriptions(f"shape {number}", template, pa.table(columns)))
    return groups


def _shapes(count: int, seed: int) -> list[tuple[str, dict[str, str]]]:
    """Different templates, each with its parameters and their kinds."""
    chance = random.Random(seed)
    found: dict[str, dict[str, str]] = {}
    while len(found) < count:
        template, parameters = _shape(chance)
        if len(parameters) <= SLOTS:
            found.setdefault(template, parameters)
    return list(found.items())


def _shape(chance: random.Random) -> tuple[str, dict[str, str]]:
    parts = [chance.choice(_ANCHORS)]
    for _ in range(chance.randint(2, 5)):
        if chance.random() < 0.6:
            parts.append(chance.choice(_LEAVES))
            continue
        sides = [" AND ".join(chance.sample(_LEAVES, chance.randint(1, 2))) for _ in range(2)]
        parts.append(f"({sides[0]} OR {sides[1]})")
    chance.shuffle(parts)
    parameters: dict[str, str] = {}
    # Each place gets a parameter of its own, named by a letter behind its kind.
    pieces = " AND ".join(parts).split("{")
    for place in range(1, len(pieces)):
        kind, rest = pieces[place].split("}", 1)
        name = f"{kind}_{chr(ord('a') + len(parameters))}"
        parameters[name] = kind
        pieces[place] = f":{name}{rest}"
    return "".join(pieces), parameters


def _constants(kind: str, uniform: Floats, model: AuctionModel) -> pa.Array:
    if kind == "cheap":
        return _cents(uniform, 100, 500)
    if kind == "dear":
        return _cents(uniform, 500, 4_000)
    if kind == "few":
        return pa.array(span(uniform, 4))
    names = {
        "title": model.catalogue.phrases,
        "author": model.catalogue.authors,
        "category": pa.array(auction.CATEGORIES),
        "format": pa.array(auction.FORMATS),
    }[kind]
    return names.take(pa.array(span(uniform, len(names))))
