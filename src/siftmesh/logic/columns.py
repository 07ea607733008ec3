"""Many events by attribute: each distinct value once, and which of the events has it.

What a predicate says depends on the value alone, so that it is asked once for each distinct value, however
many events there are. Values of one kind are put in order by comparing them exactly, as Python compares
ints and floats; from then on comparisons are of places in that order, which are small ints.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from siftmesh.errors import EventError
from siftmesh.logic.keys import float_keys, floats_of
from siftmesh.model.encode import encode_attributes
from siftmesh.model.event import Event
from siftmesh.model.rfc3339 import parse_rfc3339
from siftmesh.model.values import Kind, Timestamp, Value, kind_of

__all__ = ["MISSING", "Column", "Columns", "Elements", "Order"]

# The code of an event that lacks the attribute: as an index it means the last place, left for it in tables.
MISSING = -1


class Order:
    """The values of one kind in a column, sorted, equal ones once."""

    __slots__ = ("cumulative", "places", "values")

    def __init__(self, values: list[Any], places: NDArray[np.int32], weights: NDArray[np.int64]) -> None:
        # Sorted; timestamps as their microseconds.
        self.values = values
        # Of each code its place in the order, -1 for what is of another kind; the last is for MISSING.
        self.places = places
        # How many events have a value before each place.
        self.cumulative = np.zeros(len(values) + 1, dtype=np.int64)
        comparable = places >= 0
        counts = np.bincount(places[comparable], weights[comparable], len(values))
        np.cumsum(counts.astype(np.int64), out=self.cumulative[1:])

    @property
    def weights(self) -> NDArray[np.int64]:
        """How many events have each value."""
        return np.diff(self.cumulative)


class Elements:
    """The elements of the arrays in a column, one after the other."""

    __slots__ = ("column", "is_array", "starts")

    def __init__(self, values: Sequence[Value]) -> None:
        arrays = [value if type(value) is tuple else () for value in values]
        self.column = Column.of(list(chain.from_iterable(arrays)))
        # Of each code the place of its first element; one more at the end, and one for MISSING.
        self.starts = np.zeros(len(values) + 2, dtype=np.int64)
        np.cumsum([len(array) for array in arrays], out=self.starts[1:-1])
        self.starts[-1] = self.starts[-2]
        self.is_array = np.array([type(value) is tuple for value in values] + [False])


class Column:
    """The values that several events have of one attribute."""

    __slots__ = ("_elements", "_orders", "_weights", "codes", "values")

    def __init__(self, codes: NDArray[np.int32], values: list[Value]) -> None:
        # Of each event the place of its value in `values`, or MISSING. Values may be there twice, or unused.
        self.codes = codes
        self.values = values
        self._orders: dict[Kind, Order] = {}
        self._elements: Elements | None = None
        self._weights: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, values: Sequence[Value]) -> Column:
        """The column of events that all have the attribute."""
        known: dict[Any, int] = {}
        distinct: list[Value] = []
        codes = np.empty(len(values), dtype=np.int32)
        for row, value in enumerate(values):
            codes[row] = _entered(value, known, distinct)
        return cls(codes, distinct)

    @classmethod
    def of_numbers(cls, numbers: NDArray[Any], there: NDArray[np.bool_]) -> Column:
        """The column of an array of int64 or float64; where they are not `there`, and where NaN, is null."""
        if numbers.dtype.kind == "f":
            there = there & (numbers == numbers)
            # By their bits, since 0.0 and -0.0 are equal numbers and yet not the same value.
            keys, codes = np.unique(float_keys(numbers[there]), return_inverse=True)
            distinct = floats_of(keys).tolist()
        else:
            keys, codes = np.unique(numbers[there], return_inverse=True)
            distinct = keys.tolist()
        every = np.full(len(numbers), len(distinct), dtype=np.int32)
        every[there] = codes
        return cls(every, [*distinct, None])

    @property
    def weights(self) -> NDArray[np.int64]:
        """How many events have each value; the last number is of those without the attribute."""
        if self._weights is None:
            size = len(self.values) + 1
            self._weights = np.bincount(np.where(self.codes < 0, size - 1, self.codes), minlength=size)
        return self._weights

    def kinds(self) -> NDArray[np.int8]:
        """The kind of each value; the last, for MISSING, is -1."""
        return np.array([*map(kind_of, self.values), -1], dtype=np.int8)

    def order(self, kind: Kind) -> Order:
        """The values that compare with constants of a kind."""
        found = self._orders.get(kind)
        if found is None:
            comparable = [_comparable(value, kind) for value in self.values]
            # The order in which they come is kept so far: numbers of an array are sorted already.
            distinct = sorted(dict.fromkeys(value for value in comparable if value is not None))
            place_of = {value: place for place, value in enumerate(distinct)}
            places = [-1 if value is None else place_of[value] for value in comparable]
            found = Order(distinct, np.array([*places, -1], dtype=np.int32), self.weights)
            self._orders[kind] = found
        return found

    def elements(self) -> Elements:
        """The elements of the values that are arrays."""
        if self._elements is None:
            self._elements = Elements(self.values)
        return self._elements


class Columns:
    """Several events, by attribute."""

    __slots__ = ("_columns", "_empty", "closed", "size")

    def __init__(
        self, size: int, columns: Mapping[str, Column], closed: Mapping[str, NDArray[np.bool_]] | None = None
    ) -> None:
        self.size = size
        self._columns = columns
        # Of each attribute that is an array of objects somewhere: in which events.
        self.closed: Mapping[str, NDArray[np.bool_]] = {} if closed is None else closed
        self._empty = Column(np.full(size, MISSING, dtype=np.int32), [])

    @classmethod
    def of(cls, events: Sequence[Event], names: Iterable[str] | None = None) -> Columns:
        """The columns of events, of the attributes named or of all."""
        wanted = None if names is None else set(names)
        codes: dict[str, NDArray[np.int32]] = {}
        known: dict[str, tuple[dict[Any, int], list[Value]]] = {}
        closed: dict[str, NDArray[np.bool_]] = {}
        for row, event in enumerate(events):
            for name, value in event.values.items():
                if wanted is not None and name not in wanted:
                    continue
                column = codes.get(name)
                if column is None:
                    column = codes[name] = np.full(len(events), MISSING, dtype=np.int32)
                    known[name] = ({}, [])
                column[row] = _entered(value, *known[name])
            for name in event.closed:
                closed.setdefault(name, np.zeros(len(events), dtype=bool))[row] = True
        return cls(len(events), {name: Column(codes[name], known[name][1]) for name in codes}, closed)

    def __getitem__(self, name: str) -> Column:
        """The column of an attribute; of one that no event has, too."""
        return self._columns.get(name, self._empty)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return len(self._columns)

    def event(self, row: int) -> Event:
        """One of the events (with the attributes that there are columns of)."""
        return Event(dict(self._values(row)), tuple(self._closed(row)))

    def encoded(self, row: int) -> bytes:
        """The bytes of one of the events, as `model.encode` reads them."""
        return encode_attributes(self._values(row), self._closed(row))

    def refuse_paths_into_arrays(self, used: Iterable[str]) -> None:
        """Refuse events in which a used attribute lies inside an array of objects, as an `Event` does."""
        if not self.closed:
            return
        used = list(used)
        for row in range(self.size):
            closed = tuple(self._closed(row))
            if closed:
                try:
                    Event({}, closed).refuse_paths_into_arrays(used)
                except EventError as error:
                    raise error.in_row(row) from None

    def _values(self, row: int) -> Iterator[tuple[str, Value]]:
        for name, column in self._columns.items():
            code = column.codes[row]
            if code != MISSING:
                yield name, column.values[code]

    def _closed(self, row: int) -> Iterator[str]:
        return (name for name, rows in self.closed.items() if rows[row])


def _entered(value: Value, known: dict[Any, int], distinct: list[Value]) -> int:
    """The place of a value among distinct ones, where it is put if it is new."""
    kind = type(value)
    if kind is str:
        key: Any = value
    elif kind is float:
        key = (kind, value or str(value))  # 0.0 and -0.0 are equal
    else:
        # TRUE and 1 are equal to Python, and so are arrays of them.
        key = (kind, repr(value) if kind is tuple else value)
    place = known.get(key)
    if place is None:
        place = known[key] = len(distinct)
        distinct.append(value)
    return place


def _comparable(value: Value, kind: Kind) -> Any:
    """The value as constants of a kind are held, None if it does not compare with them."""
    own = kind_of(value)
    if kind == Kind.TIMESTAMP:
        if own == Kind.STRING:
            value = _moment(value)  # type: ignore[arg-type]  # its kind says it is a string
        return value.micros if isinstance(value, Timestamp) else None
    return value if own == kind else None


def _moment(text: str) -> Timestamp | None:
    # Most strings are seen at once to name no moment.
    return parse_rfc3339(text) if len(text) >= 20 and text[4] == "-" else None
