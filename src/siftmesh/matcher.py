"""The matcher as users meet it: filters as text or trees, events as mappings."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from siftmesh.errors import DuplicateId, ParameterError, SubscriptionError
from siftmesh.filters import FilterReader
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.logic.normalise import normalise
from siftmesh.logic.template import Template
from siftmesh.logic.tree import Tree
from siftmesh.matching.explain import Explanation, explain
from siftmesh.matching.scan import ScanMatcher
from siftmesh.model.event import Event
from siftmesh.model.schema import Schema

__all__ = ["Matcher"]


class Matcher:
    """Finds all subscriptions that an event meets.

    Without a schema nothing is refused for its type: a comparison of different types is unknown, which is no
    match. With one (names to types, as in `{"price": "float", "tags": "array<string>"}`) a filter that names
    an unknown attribute or compares what never compares is refused when it is added.
    """

    def __init__(self, schema: Mapping[str, str] | None = None, limits: Limits = DEFAULT) -> None:
        self._reader = FilterReader(None if schema is None else Schema.of(schema), limits)
        self._matcher = ScanMatcher()

    def add(self, subscription: Hashable, condition: str | Tree | Any, *, dialect: str = "sql") -> None:
        """Register a filter under an id: text (or JSON objects where the dialect is JSON), or a Tree."""
        self._matcher.add(subscription, self._tree(condition, dialect))

    def template(self, source: str) -> Template:
        """A filter with :parameters; `bind` a row of constants to get a Tree for `add`."""
        return self._reader.template(source)

    def add_many(self, template: str | Template, rows: Any, *, id: str = "id") -> int:
        """Register one template for rows of parameters, all or none; `id` names the column of the ids.

        Rows are mappings, an Arrow table or batch, or a pandas frame; other columns are ignored.
        """
        bound = self.template(template) if isinstance(template, str) else template
        trees: dict[Hashable, Tree] = {}
        for number, row in enumerate(_rows(rows)):
            if id not in row:
                raise ParameterError(f"row {number} has no column {id!r}", expected=f"an id in column {id!r}")
            key = row[id]
            if key in trees or key in self._matcher:
                raise DuplicateId(
                    f"row {number}: there is already a subscription {key!r}", expected="another id"
                )
            try:
                trees[key] = bound.bind({name: row[name] for name in row if name in bound.parameters})
            except SubscriptionError as error:
                raise type(error)(
                    f"row {number}: {error.what}", expected=error.expected, limit=error.limit
                ) from None
        for key, tree in trees.items():
            self._matcher.add(key, tree)
        return len(trees)

    def remove(self, subscription: Hashable) -> None:
        """Forget a subscription."""
        self._matcher.remove(subscription)

    def match(self, event: Mapping[str, Any] | Event) -> list[Hashable]:
        """The ids of all subscriptions that the event meets."""
        return self._matcher.match(_event(event))

    def explain(self, subscription: Hashable, event: Mapping[str, Any] | Event) -> Explanation:
        """Why a subscription does or does not match an event; print the answer."""
        return explain(subscription, self._matcher[subscription], _event(event))

    def __getitem__(self, subscription: Hashable) -> Tree:
        """The Tree of a subscription, in normal form."""
        return self._matcher[subscription]

    def __contains__(self, subscription: object) -> bool:
        return subscription in self._matcher

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._matcher)

    def __len__(self) -> int:
        return len(self._matcher)

    def _tree(self, condition: Any, dialect: str) -> Tree:
        if isinstance(condition, Tree):
            return normalise(condition)
        return self._reader.read(condition, dialect)


def _rows(table: Any) -> Iterable[Mapping[str, Any]]:
    """The rows of a table, without importing the library that it is of."""
    if hasattr(table, "to_pylist"):  # Arrow
        return table.to_pylist()  # type: ignore[no-any-return]  # a list of dicts
    if hasattr(table, "to_dict") and hasattr(table, "columns"):  # pandas
        return table.to_dict(orient="records")  # type: ignore[no-any-return]  # a list of dicts
    return table  # type: ignore[no-any-return]  # mappings already


def _event(event: Mapping[str, Any] | Event) -> Event:
    return event if isinstance(event, Event) else Event.of(event)
