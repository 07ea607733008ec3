"""Ids of subscriptions and the small numbers that stand for them inside an index."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from typing import Any

from siftmesh.errors import DuplicateId, SubscriptionError, UnknownId

__all__ = ["Ids"]

_NONE: Any = object()


class Ids:
    """Gives each id a number, small and used again after it was given back."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        # By number; what is not given out is marked.
        self.listed: list[Any] = []
        self._free: list[int] = []

    def take(self, subscription: Hashable) -> int:
        """The number of a new id."""
        self.check_new(subscription)
        if self._free:
            number = self._free.pop()
            self.listed[number] = subscription
        else:
            number = len(self.listed)
            self.listed.append(subscription)
        self._numbers[subscription] = number
        return number

    def check_new(self, subscription: Hashable) -> None:
        """Refuse an id that is taken, or is none."""
        try:
            taken = subscription in self._numbers
        except TypeError as error:
            raise SubscriptionError(f"this is no id: {error}", expected="a hashable value") from None
        if taken:
            raise DuplicateId(f"there is already a subscription {subscription!r}", expected="another id")

    def take_many(self, subscriptions: Sequence[Hashable]) -> range:
        """Numbers in a row for ids that are known to be new and different."""
        first = len(self.listed)
        self.listed += subscriptions
        numbers = range(first, len(self.listed))
        self._numbers.update(zip(subscriptions, numbers, strict=True))
        return numbers

    def give_back(self, subscription: Hashable) -> int:
        """Forget an id; the number that it had."""
        number = self[subscription]
        del self._numbers[subscription]
        self.listed[number] = _NONE
        self._free.append(number)
        return number

    def __getitem__(self, subscription: Hashable) -> int:
        try:
            return self._numbers[subscription]
        except (KeyError, TypeError):
            raise UnknownId(
                f"there is no subscription {subscription!r}", expected="an id that was added"
            ) from None

    def __contains__(self, subscription: object) -> bool:
        return subscription in self._numbers

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self._numbers)

    def __len__(self) -> int:
        return len(self._numbers)
