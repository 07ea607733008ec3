"""Standing queries of book buyers and collectors, as templates with parameters and as texts.

Four classes. `1` and `2` want a title one day before its auction ends and pay a price that depends on the
condition, in class 2 also on the format. `collector` is the third class as the paper's prose reads.
`collector-inferred` is a tree that has the paper's own counts of predicates, operators and prunings, which
the prose has not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from siftmesh.errors import ConfigError
from siftmesh.workload.auction import CATEGORIES, AuctionModel
from siftmesh.workload.streams import span, uniforms

__all__ = ["CLASSES", "Subscriptions", "draw", "literals", "mixed", "template", "texts"]

_DAY = "ending < 86400"
_HOUR = "ending < 3600"

_TEMPLATES: Mapping[str, str] = {
    "1": (
        f"{{title}} AND {_DAY}"
        " AND (condition = 'new' AND price <= :price_new OR condition = 'used' AND price <= :price_used)"
    ),
    "2": (
        f"{{title}} AND {_DAY}"
        " AND (format = 'hardcover' AND (condition = 'new' AND price <= :hard_new"
        " OR condition = 'used' AND price <= :hard_used)"
        " OR format = 'softcover' AND (condition = 'new' AND price <= :soft_new"
        " OR condition = 'used' AND price <= :soft_used))"
    ),
    "collector": (
        "category = :category AND author = :author"
        f" AND ({_HOUR} AND signed = TRUE AND bids = 0 OR signed = TRUE AND buy_it_now = TRUE)"
    ),
    "collector-inferred": (
        "(category = :category OR author = :author)"
        f" AND ({_HOUR} AND (signed = TRUE OR bids = 0) OR signed = TRUE AND buy_it_now = TRUE)"
    ),
}
CLASSES = tuple(_TEMPLATES)

_PARAMETER = re.compile(r":([a-z_]+)")


@dataclass(frozen=True)
class Subscriptions:
    """Subscriptions of one class: their template, and a table with a column `id` and one per parameter."""

    name: str
    template: str
    parameters: pa.Table

    def texts(self) -> pa.Table:
        """The same subscriptions with the values written into the text: columns id, filter and class."""
        # Splitting on a pattern with a group gives text, name, text, name, ..., text.
        pieces = _PARAMETER.split(self.template)
        parts = [
            literals(self.parameters[piece]) if place % 2 else pa.scalar(piece)
            for place, piece in enumerate(pieces)
        ]
        filters = pc.binary_join_element_wise(*parts, pa.scalar(""))
        names = pa.array([self.name]).take(pa.array(np.zeros(len(filters), dtype=np.int64)))
        return pa.table({"id": self.parameters["id"], "filter": filters, "class": names})


def template(name: str, model: AuctionModel) -> str:
    """The filter of a class, with its parameters open."""
    if name not in _TEMPLATES:
        close = get_close_matches(name, CLASSES, n=1)
        hint = f"; did you mean {close[0]!r}?" if close else ""
        raise ConfigError(
            f"there is no subscription class {name!r} (expected one of {', '.join(CLASSES)}{hint})"
        )
    return _TEMPLATES[name].replace("{title}", "title LIKE :title" if model.full_titles else "title = :title")


def draw(name: str, count: int, seed: int, model: AuctionModel) -> Subscriptions:
    """The first `count` subscriptions of a class, with the ids 0, 1, 2, ..."""
    text = template(name, model)
    columns = {"id": pa.array(np.arange(count, dtype=np.int64))}
    for parameter in _PARAMETER.findall(text):
        columns[parameter] = _values(name, parameter, count, seed, model)
    return Subscriptions(name, text, pa.table(columns))


def mixed(
    count: int, seed: int, model: AuctionModel, classes: Sequence[str] = ("1", "2", "collector")
) -> list[Subscriptions]:
    """`count` subscriptions of several classes, each equally likely; the ids number the whole mixture."""
    if not classes or len(set(classes)) < len(classes):
        raise ConfigError(f"the classes are {', '.join(classes) or 'none'} (expected one or more, each once)")
    chosen = span(uniforms(seed, "mixture", count), len(classes))
    parts = []
    for place, name in enumerate(classes):
        ids = np.flatnonzero(chosen == place)
        part = draw(name, len(ids), seed, model)
        parts.append(Subscriptions(name, part.template, part.parameters.set_column(0, "id", pa.array(ids))))
    return parts


def texts(parts: Iterable[Subscriptions]) -> pa.Table:
    """All of `parts` as texts, in the order of their ids: columns id, filter and class."""
    return pa.concat_tables([part.texts() for part in parts]).sort_by("id").combine_chunks()


def literals(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The values of a column as the language writes them."""
    if pa.types.is_string(column.type):
        doubled = pc.replace_substring(column, pattern="'", replacement="''")
        return pc.binary_join_element_wise("'", doubled, "'", "")
    return pc.cast(column, pa.string())


def _values(name: str, parameter: str, count: int, seed: int, model: AuctionModel) -> pa.Array:
    shelf = model.catalogue
    column = f"{name}.{parameter}"
    if parameter == "title":
        phrases = shelf.phrases.take(pa.array(span(uniforms(seed, column, count), len(shelf.phrases))))
        return pc.binary_join_element_wise(phrases, ":%", "") if model.full_titles else phrases
    if parameter == "category":
        return pa.array(CATEGORIES).take(pa.array(_categories(name, count, seed, model)))
    if parameter == "author":
        return shelf.authors.take(pa.array(_authors(name, count, seed, model)))
    low, high = (round(limit * 100) for limit in model.price_limits)
    return pa.array((low + span(uniforms(seed, column, count), high - low + 1)) / 100)


def _authors(name: str, count: int, seed: int, model: AuctionModel) -> NDArray[np.int64]:
    return span(uniforms(seed, f"{name}.author", count), len(model.catalogue.authors))


def _categories(name: str, count: int, seed: int, model: AuctionModel) -> NDArray[np.int64]:
    uniform = uniforms(seed, f"{name}.category", count)
    if name == "collector-inferred":
        return span(uniform, len(CATEGORIES))
    # Who asks for an author AND a category asks for one that the author writes in: that of one of the books.
    shelf = model.catalogue
    first = _authors(name, count, seed, model) * model.books_per_author
    written = np.minimum(model.books_per_author, shelf.books - first)
    wanted: NDArray[np.int64] = shelf.category[first + span(uniform, written)]
    return wanted
