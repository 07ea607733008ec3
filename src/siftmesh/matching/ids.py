"""Ids of subscriptions and the small numbers that stand for them inside an index.

An id is anything that can be a key of a dict; ids that are equal are one id. Numbers that are whole come back
as ints and texts as strings, whatever subclass of these they were given as. `SimpleIds` is the plain way,
for a few thousand; `compact_ids` has the same methods for millions.
"""

from __future__ import annotations

from array import array
from collections.abc import Hashable, Iterable, Iterator, Mapping
from numbers import Number
from sys import getsizeof
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from siftmesh.errors import ConfigError, DuplicateId, EventError, SubscriptionError, UnknownId
from siftmesh.matching.numbers import Numbers
from siftmesh.model.rows import column_values

if TYPE_CHECKING:
    from siftmesh.matching.id_columns import IntIds

__all__ = [
    "IdTable",
    "SimpleIds",
    "canonical",
    "given_ids",
    "kind_of_id",
    "no_such_id",
    "of_several_kinds",
    "refuse_taken",
]

_NONE: Any = object()
# Beyond are numbers that no index of ids holds as words; as keys of a dict they are as good as they come.
_LEAST, _GREATEST = -(2**63), 2**63 - 1


class IdTable(Protocol):
    """Which id has which number, and back."""

    # Gives out the numbers, and keeps those that somebody still minds.
    numbers: Numbers

    def take(self, subscription: Hashable) -> int:
        """The number of a new id."""

    def take_many(self, subscriptions: Any) -> array[int]:
        """The numbers of new ids: an Arrow array or a sequence; all or none."""

    def give_back(self, subscription: Hashable) -> int:
        """Forget an id; the number that it had."""

    def give_back_many(self, numbers: array[int]) -> None:
        """Forget ids that were taken a moment ago."""

    def find(self, subscription: object) -> int:
        """The number of an id, or -1."""

    def __getitem__(self, subscription: Hashable) -> int: ...
    def __iter__(self) -> Iterator[Hashable]: ...
    def __len__(self) -> int: ...

    def of(self, numbers: Iterable[int]) -> list[Hashable]:
        """The ids of numbers."""

    def ints(self) -> IntIds | None:
        """The ids of all numbers, where they are kept as nothing but ints."""

    def to_arrow(self, numbers: Any) -> Any:
        """The ids of numbers as an Arrow array: int64 if all ids are ints, string if all are strings."""

    def compact(self) -> None:
        """Pay at once what was put off."""

    def memory(self) -> dict[str, int]:
        """Bytes by structure."""


class SimpleIds:
    """A dict from ids to numbers and a list from numbers to ids."""

    def __init__(self) -> None:
        self.numbers = Numbers()
        self._numbers: dict[Hashable, int] = {}
        # By number; what is not given out is marked.
        self._listed: list[Any] = []

    def take(self, subscription: Hashable) -> int:
        """The number of a new id."""
        subscription = canonical(subscription)
        if subscription in self._numbers:
            refuse_taken(subscription)
        number = self.numbers.take()
        self._enter(number, subscription)
        return number

    def take_many(self, subscriptions: Any) -> array[int]:
        """The numbers of new ids, all or none."""
        ids = given_ids(subscriptions)
        seen: set[Hashable] = set()
        for row, subscription in enumerate(ids):
            if subscription in self._numbers or subscription in seen:
                refuse_taken(subscription, row)
            seen.add(subscription)
        taken = self.numbers.take_many(len(ids))
        for number, subscription in zip(taken, ids, strict=True):
            self._enter(number, subscription)
        return taken

    def give_back(self, subscription: Hashable) -> int:
        """Forget an id; the number that it had."""
        number = self[subscription]
        del self._numbers[subscription]
        if not self.numbers.give_back(number):
            self._listed[number] = _NONE
        return number

    def give_back_many(self, numbers: array[int]) -> None:
        """Forget ids that were taken a moment ago."""
        for number in numbers:
            del self._numbers[self._listed[number]]
            self._listed[number] = _NONE
        self.numbers.give_back_many(numbers)

    def find(self, subscription: object) -> int:
        """The number of an id, or -1."""
        try:
            return self._numbers.get(subscription, -1)
        except TypeError:
            return -1

    def of(self, numbers: Iterable[int]) -> list[Hashable]:
        """The ids of numbers."""
        listed = self._listed
        return [listed[number] for number in numbers]

    def ints(self) -> None:
        """They are no ints in an array."""

    def to_arrow(self, numbers: Any) -> Any:
        """The ids of numbers as an Arrow array."""
        import numpy
        import pyarrow

        # Each id once, and then for each number the place of its id among them.
        places = numpy.zeros(self.numbers.room, numpy.int32)
        places[numbers] = 1
        distinct = numpy.flatnonzero(places)
        places[distinct] = numpy.arange(len(distinct))
        found = self.of(distinct.tolist())
        kinds = {kind_of_id(one) for one in found} | {kind_of_id(one) for one in self._numbers}
        if len(kinds) > 1 or (kinds and not kinds <= {"int", "str"}):
            of_several_kinds(kinds)
        column = pyarrow.array(found, pyarrow.string() if kinds == {"str"} else pyarrow.int64())
        return column.take(pyarrow.array(places[numbers]))

    def compact(self) -> None:
        """Nothing is ever put off."""

    def memory(self) -> dict[str, int]:
        """Bytes by structure, the ids themselves included."""
        ids = sum(map(getsizeof, self._numbers)) + sum(map(getsizeof, self._numbers.values()))
        return {
            "ids": ids,
            "ids by number": getsizeof(self._listed),
            "numbers by id": getsizeof(self._numbers),
            "numbers to use again": self.numbers.memory(),
        }

    def items(self) -> Mapping[Hashable, int]:
        """The ids and their numbers."""
        return self._numbers

    def kept(self) -> dict[int, Hashable]:
        """The ids that were forgotten but are minded, by number."""
        return {number: self._listed[number] for number in self.numbers.waiting()}

    def __getitem__(self, subscription: Hashable) -> int:
        try:
            return self._numbers[subscription]
        except (KeyError, TypeError):
            no_such_id(subscription)

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)

    def _enter(self, number: int, subscription: Hashable) -> None:
        if number == len(self._listed):
            self._listed.append(subscription)
        else:
            self._listed[number] = subscription
        self._numbers[subscription] = number


def canonical(subscription: Any) -> Hashable:
    """The id that stands for all that are equal to this one; what has no hash is refused."""
    kind = type(subscription)
    if kind is int or kind is str:
        return subscription  # type: ignore[no-any-return]  # an int or a str
    if isinstance(subscription, str):
        # An Enum's str() is its name, not its text.
        return str.__str__(subscription)
    try:
        hash(subscription)
    except TypeError as error:
        raise SubscriptionError(f"this is no id: {error}", expected="a hashable value") from None
    if not isinstance(subscription, Number):
        return subscription  # type: ignore[no-any-return]  # hashable, as was just seen
    return _whole(subscription)


def _whole(number: Any) -> Hashable:
    """A number as an int, if it is equal to one of 64 bits."""
    try:
        size = number.real if isinstance(number, complex) else number
        # To ask first spares the digits of a Decimal with a huge exponent.
        if _LEAST <= size <= _GREATEST and (whole := int(size)) == number:
            return whole
    except (TypeError, ValueError, ArithmeticError):
        pass  # some sort of number that is no int
    return number  # type: ignore[no-any-return]  # hashable, as its caller has seen


def given_ids(subscriptions: Any) -> list[Hashable]:
    """A column of ids as a list of canonical ones; what is no id is refused with its row."""
    if hasattr(subscriptions, "to_pylist"):
        try:
            subscriptions = column_values("id", subscriptions)
        except EventError as error:
            raise SubscriptionError(
                f"an id is no value: {error.what}", expected="an int or a string"
            ) from None
    try:
        return [canonical(one) for one in subscriptions]
    except SubscriptionError:
        for row, one in enumerate(subscriptions):
            try:
                canonical(one)
            except SubscriptionError as error:
                raise error.in_row(row) from None
        raise


def refuse_taken(subscription: Hashable, row: int | None = None) -> NoReturn:
    """Say that an id is there already."""
    where = "" if row is None else f"row {row}: "
    raise DuplicateId(f"{where}there is already a subscription {subscription!r}", expected="another id")


def no_such_id(subscription: object) -> NoReturn:
    """Say that an id is not there."""
    raise UnknownId(f"there is no subscription {subscription!r}", expected="an id that was added") from None


def of_several_kinds(kinds: Iterable[str]) -> NoReturn:
    """Say that ids do not fit into one Arrow array."""
    raise ConfigError(
        "ids that are all ints of 64 bits or all strings make an Arrow array; "
        f"these are {', '.join(sorted(kinds))}"
    )


def kind_of_id(subscription: Hashable) -> str:
    """What an id is, as far as Arrow is concerned."""
    if type(subscription) is int and not _LEAST <= subscription <= _GREATEST:
        return "int beyond 64 bits"
    return type(subscription).__name__
