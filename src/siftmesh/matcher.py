"""The matcher as users meet it: filters as text or trees, events as mappings."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from siftmesh.errors import ConfigError, DuplicateId, ParameterError, SubscriptionError
from siftmesh.filters import FilterReader
from siftmesh.language.check import check_attributes
from siftmesh.language.limits import DEFAULT, Limits
from siftmesh.logic.normalise import normalise
from siftmesh.logic.template import Template
from siftmesh.logic.tree import Tree, attributes
from siftmesh.matching.explain import Explanation, explain
from siftmesh.matching.scan import ScanMatcher
from siftmesh.model.event import Event
from siftmesh.model.schema import Schema
from siftmesh.tables import rows

__all__ = ["Matcher"]


class Matcher:
    """Finds all subscriptions that an event meets.

    Without a schema nothing is refused for its type: a comparison of different types is unknown, which is no
    match. With one (names to types, as in `{"price": "float", "tags": "array<string>"}`) a filter that names
    an unknown attribute or compares what never compares is refused when it is added.
    """

    def __init__(self, schema: Schema | Mapping[str, str] | None = None, limits: Limits = DEFAULT) -> None:
        if not isinstance(limits, Limits):
            raise ConfigError(f"limits are siftmesh.Limits(...), not {type(limits).__name__}")
        self._schema = schema if schema is None or isinstance(schema, Schema) else Schema.of(schema)
        self._reader = FilterReader(self._schema, limits)
        self._matcher = ScanMatcher()

    def add(self, subscription: Hashable, condition: str | Tree | Any, *, dialect: str = "sql") -> None:
        """Register a filter under an id: text (or JSON objects where the dialect is JSON), or a Tree."""
        self._matcher.add(subscription, self._tree(condition, dialect))

    def template(self, source: str) -> Template:
        """A filter with :parameters; `bind` a row of constants to get a Tree for `add`."""
        return self._reader.template(source)

    def add_many(self, template: str | Template, table: Any, *, id: str = "id") -> int:
        """Register one template for rows of parameters, all or none; `id` names the column of the ids.

        Rows are mappings, an Arrow table or batch, or a pandas frame; other columns are ignored.
        """
        bound = self.template(template) if isinstance(template, str) else template
        trees: dict[Hashable, Tree] = {}
        for number, row in enumerate(_mappings(table)):
            if id not in row:
                raise ParameterError(f"row {number} has no column {id!r}", expected=f"an id in column {id!r}")
            key = row[id]
            _check_id(key, number)
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
            if self._schema is not None:
                check_attributes(attributes(condition), self._schema)
            return normalise(condition)
        return self._reader.read(condition, dialect)


def _check_id(key: object, number: int) -> None:
    try:
        hash(key)
    except TypeError as error:
        raise ParameterError(f"row {number}: this is no id: {error}", expected="a hashable value") from None


def _mappings(table: Any) -> Iterator[Mapping[str, Any]]:
    listed = rows(table)
    if isinstance(listed, (str, bytes, Mapping)) or not isinstance(listed, Iterable):
        raise ParameterError(f"{type(table).__name__} is no table", expected="rows as mappings, or a table")
    for number, row in enumerate(listed):
        if not isinstance(row, Mapping):
            raise ParameterError(f"row {number} is no mapping", expected="rows as mappings, or a table")
        yield row


def _event(event: Mapping[str, Any] | Event) -> Event:
    return event if isinstance(event, Event) else Event.of(event)
