"""Ids by the million: ints and strings in arrays, some twenty bytes each and the bytes of a string.

It does what `SimpleIds` does. `kernels.ids` says what the arrays hold. Whatever else is an id, a tuple or an
int of more than 64 bits, is kept in a dict beside them.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from sys import getsizeof
from typing import Any

import numpy as np
from numpy.typing import NDArray

from siftmesh.errors import SubscriptionError
from siftmesh.kernels.ids import (
    ALIVE,
    DONE,
    HEAP_USED,
    INT,
    TEXT,
    enter_ints,
    enter_texts,
    find_encoded,
    find_int,
    forget,
    forget_int,
    forget_text,
    keep_elsewhere,
)
from siftmesh.matching.id_arrays import IdArrays
from siftmesh.matching.id_columns import (
    IntIds,
    OneText,
    Remembered,
    Texts,
    arrow_texts,
    int_column,
    text_column,
)
from siftmesh.matching.ids import (
    SimpleIds,
    canonical,
    given_ids,
    kind_of_id,
    no_such_id,
    of_several_kinds,
    refuse_taken,
)
from siftmesh.matching.keys import pack_keys, unpack_keys
from siftmesh.matching.numbers import Numbers

__all__ = ["CompactIds"]

_LEAST, _GREATEST = -(2**63), 2**63 - 1
_KIND = 3
_CHUNK = 1_024
# Kernels may look at the bytes behind a string.
_BEHIND = bytes(8)


class CompactIds(IdArrays):
    """Ids in arrays."""

    def __init__(self) -> None:
        self.numbers = Numbers()
        super().__init__()
        self._count = [0, 0, 0]
        # What is neither int nor string, from and to numbers.
        self._others: dict[Hashable, int] = {}
        self._other_of: dict[int, Hashable] = {}
        # Whether nothing but ints was ever here.
        self._only_ints = True
        self._names = Remembered(self.read)
        # For what is asked one by one.
        self._number = np.zeros(1, np.int32)
        self._value = np.zeros(1, np.int64)
        self._bounds = np.zeros(2, np.int64)
        self._one = OneText()

    @classmethod
    def like(cls, other: SimpleIds) -> CompactIds:
        """The same ids with the same numbers; what still is kept for somebody is kept here too."""
        made = cls()
        made.numbers = other.numbers
        made._fit(made.numbers.room)
        # To enter an id and to forget it again leaves it readable; it may have another number by now.
        for number, subscription in other.kept().items():
            made._enter(number, subscription)
            made._forget(number)
        made._enter_listed(other.items().values(), other.items())
        return made

    # ---- changing

    def take(self, subscription: Hashable) -> int:
        """The number of a new id."""
        subscription = canonical(subscription)
        number = self.numbers.take()
        self._fit(number + 1)
        self._reuse((number,))
        if not self._enter(number, subscription):
            self.numbers.give_back_many(array("i", [number]))
            refuse_taken(subscription)
        return number

    def take_many(self, subscriptions: Any) -> array[int]:
        """The numbers of new ids, an Arrow array or a sequence; all or none."""
        column: Any = int_column(subscriptions)
        enter: Callable[[NDArray[np.int32], Any], int] = self._enter_ints
        if column is None:
            column, enter = text_column(subscriptions), self._enter_texts
        if column is not None:
            return self._take_column(column, enter, subscriptions)
        ids = given_ids(subscriptions)
        seen: set[Hashable] = set()
        for row, subscription in enumerate(ids):
            if subscription in seen or self.find(subscription) >= 0:
                refuse_taken(subscription, row)
            seen.add(subscription)
        taken = self.numbers.take_many(len(ids))
        self._fit(self.numbers.room)
        self._reuse(taken)
        self._enter_listed(taken, ids)
        return taken

    def give_back(self, subscription: Hashable) -> int:
        """Forget an id; the number that it had."""
        number: int
        given = subscription
        if type(subscription) is not int:
            try:
                subscription = canonical(subscription)
            except SubscriptionError:
                no_such_id(given)
        if type(subscription) is int and _LEAST <= subscription <= _GREATEST:
            kind, number = INT, forget_int(*self._tables(), subscription)
        elif type(subscription) is str and (length := self._one.write(subscription)) is not None:
            kind, number = TEXT, forget_text(*self._tables(), self._one.text, length)
        else:
            kind, number = 0, self._others.pop(subscription, -1)
        if number < 0:
            no_such_id(given)
        if kind == 0:
            self._kinds[number] = 0
        self._count[kind] -= 1
        if not self.numbers.give_back(number):
            self._other_of.pop(number, None)
        return number

    def give_back_many(self, numbers: array[int]) -> None:
        """Forget ids that were taken a moment ago."""
        for number in numbers:
            self._forget(number)
        self.numbers.give_back_many(numbers)

    def compact(self) -> None:
        """Finish what was put off, and leave no gaps between strings."""
        unused = np.ones(len(self._kinds), bool)
        unused[self.numbers.waiting()] = False
        self._pack(unused & (self._kinds & ALIVE == 0))

    # ---- asking

    def find(self, subscription: object) -> int:
        """The number of an id, or -1."""
        if type(subscription) not in (int, str):
            try:
                subscription = canonical(subscription)
            except ValueError:
                return -1
        if type(subscription) is int and _LEAST <= subscription <= _GREATEST:
            found = find_int(self._table, self._words, self._kinds, subscription)
            if found < 0 and len(self._old):
                found = find_int(self._old, self._words, self._kinds, subscription)
            return int(found)
        if type(subscription) is str:
            try:
                encoded = subscription.encode()
            except UnicodeEncodeError:
                return self._others.get(subscription, -1)
            # Several threads may ask at once, so there is no place of its own to write it to.
            asked = (self._words, self._kinds, self._heap, encoded + _BEHIND, len(encoded))
            found = find_encoded(self._table, *asked)
            if found < 0 and len(self._old):
                found = find_encoded(self._old, *asked)
            return int(found)
        return self._others.get(subscription, -1)

    def of(self, numbers: Iterable[int]) -> list[Hashable]:
        """The ids of numbers."""
        if self._only_ints:
            return self._ints.of(numbers)  # type: ignore[return-value]  # ints can be hashed
        names = self._names
        return [names[number] for number in numbers]

    def ints(self) -> IntIds | None:
        """The ids of all numbers if nothing but ints was ever here."""
        return self._ints if self._only_ints else None

    def read(self, number: int) -> Hashable:
        """The id that a number stands for, or stood for if it stands for none since."""
        words, kinds, heap = self._views
        kind = kinds[number] & _KIND
        if kind == INT:
            return words[number]
        if kind != TEXT:
            return self._other_of[number]
        start = (words[number] >> 32) * 8
        return str(heap[start : start + (words[number] & 0xFFFFFFFF)], "utf-8")

    def to_arrow(self, numbers: Any) -> Any:
        """The ids of numbers as an Arrow array."""
        import pyarrow

        words, all_kinds, heap = self._arrays
        if self._only_ints:
            return pyarrow.array(words[numbers])
        kinds = set(np.flatnonzero(np.bincount(all_kinds[numbers] & _KIND)).tolist())
        kinds |= {kind for kind, count in enumerate(self._count) if count}
        if kinds <= {INT}:
            return pyarrow.array(words[numbers])
        if kinds == {TEXT}:
            return arrow_texts(words, heap, numbers)
        return of_several_kinds({kind_of_id(self.read(self._some(kind, numbers))) for kind in kinds})

    def memory(self) -> dict[str, int]:
        """Bytes by structure."""
        others = getsizeof(self._others) + getsizeof(self._other_of)
        return {
            "ids by number": self._words.nbytes + self._kinds.nbytes,
            "bytes of ids": self._heap.nbytes,
            "numbers by id": self._table.nbytes + self._old.nbytes,
            "other ids": others + sum(map(getsizeof, self._others)),
            "remembered ids": getsizeof(self._names) + sum(map(getsizeof, self._names.values())),
            "numbers to use again": self.numbers.memory(),
        }

    def __getitem__(self, subscription: Hashable) -> int:
        number = self.find(subscription)
        if number < 0:
            no_such_id(subscription)
        return number

    def __iter__(self) -> Iterator[Hashable]:
        for start in range(0, self.numbers.room, _CHUNK):
            alive = np.flatnonzero(self._kinds[start : start + _CHUNK] & ALIVE) + start
            yield from self.of(alive.tolist())

    def __len__(self) -> int:
        return sum(self._count)

    # ---- files

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that is known, as arrays."""
        room, used = self.numbers.room, int(self._state[HEAP_USED])
        return {
            "words": self._words[:room],
            "kinds": self._kinds[:room],
            "heap": self._heap[: used + 64],
            "table": self._table,
            "old": self._old,
            "state": self._state,
            "free": np.array(self.numbers.free(), np.int32),
            "others": pack_keys(list(self._others), "id"),
            "numbers of others": np.array(list(self._others.values()), np.int32),
        }

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> CompactIds:
        """The ids that these are of; they change the arrays."""
        made = cls()
        made.numbers = Numbers.of(len(arrays["words"]), arrays["free"].tolist())
        made._replace(arrays["words"], arrays["kinds"], arrays["heap"])
        made._table, made._old, made._state = arrays["table"], arrays["old"], arrays["state"]
        others = unpack_keys(arrays["others"])
        made._others = dict(zip(others, arrays["numbers of others"].tolist(), strict=True))
        made._other_of = {number: subscription for subscription, number in made._others.items()}
        alive = made._kinds[made._kinds & ALIVE != 0] & _KIND
        made._count = np.bincount(alive, minlength=3).tolist()
        made._only_ints = bool((made._kinds & _KIND != TEXT).all()) and not others
        return made

    # ---- below

    def _take_column(
        self, column: Any, enter: Callable[[NDArray[np.int32], Any], int], given: Any
    ) -> array[int]:
        taken = self.numbers.take_many(len(column))
        self._fit(self.numbers.room)
        self._reuse(taken)
        row = enter(np.array(taken, np.int32), column)
        if row != DONE:
            self.numbers.give_back_many(taken)
            refuse_taken(given_ids(given[row : row + 1])[0], row)
        return taken

    def _enter_ints(self, numbers: NDArray[np.int32], values: NDArray[np.int64]) -> int:
        self._reserve(len(self) - len(self._others), len(numbers))
        row = int(enter_ints(*self._tables(), self._state, numbers, values, len(numbers)))
        if row == DONE:
            self._count[INT] += len(numbers)
        return row

    def _enter_texts(self, numbers: NDArray[np.int32], texts: Texts) -> int:
        self._only_ints = False
        self._reserve(len(self) - len(self._others), len(numbers))
        self._fit_heap(int(texts.bounds[-1]) + 8 * len(numbers))
        row = int(enter_texts(*self._tables(), self._state, numbers, texts.bounds, texts.text, len(numbers)))
        if row == DONE:
            self._count[TEXT] += len(numbers)
        return row

    def _enter(self, number: int, subscription: Hashable) -> bool:
        """Give a canonical id a number that is not in use; whether the id is new."""
        self._number[0] = number
        if type(subscription) is int and _LEAST <= subscription <= _GREATEST:
            self._value[0] = subscription
            return self._enter_ints(self._number, self._value) == DONE
        if type(subscription) is str and (length := self._one.write(subscription)) is not None:
            self._bounds[1] = length
            return self._enter_texts(self._number, Texts(self._bounds, self._one.text)) == DONE
        if subscription in self._others:
            return False
        self._only_ints = False
        keep_elsewhere(self._words, self._kinds, self._heap, self._state, number)
        self._others[subscription] = number
        self._other_of[number] = subscription
        self._count[0] += 1
        return True

    def _enter_listed(self, numbers: Iterable[int], ids: Iterable[Hashable]) -> None:
        for number, subscription in zip(numbers, ids, strict=True):
            self._enter(number, subscription)

    def _forget(self, number: int) -> None:
        kind = int(self._kinds[number]) & _KIND
        self._count[kind] -= 1
        if kind:
            forget(*self._tables(), number)
        else:
            # What it was stays readable until the number stands for another.
            del self._others[self._other_of[number]]
            self._kinds[number] = 0

    def _reuse(self, numbers: Sequence[int]) -> None:
        """Forget for good what numbers stood for before."""
        for known in (self._names, self._other_of):
            if known:
                for number in known.keys() & numbers:
                    known.pop(number, None)

    def _some(self, kind: int, numbers: NDArray[np.int32]) -> int:
        """A number of an id of a kind, among these or all."""
        found = numbers[self._kinds[numbers] & _KIND == kind]
        return int(found[0] if len(found) else np.flatnonzero(self._kinds == kind | ALIVE)[0])
