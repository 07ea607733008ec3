"""Links: groups of subscriptions of which it is enough to know whether one of them matches."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from siftmesh.errors import SubscriptionError
from siftmesh.matching.keys import pack_keys, unpack_keys

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from siftmesh.matching.engine import Words

__all__ = ["Links", "check_link"]


def check_link(link: object) -> None:
    """Refuse what cannot be told from other links; None is no link."""
    try:
        hash(link)
    except TypeError as error:
        raise SubscriptionError(f"this is no link: {error}", expected="a hashable value") from None


class Links:
    """Which link each subscription is for, by small numbers that are used again when a link has none left."""

    def __init__(self) -> None:
        self._numbers: dict[Hashable, int] = {}
        self._names: list[Any] = []
        self._counts: list[int] = []
        self._free: list[int] = []
        # By subscription; -1 is no link. Made when there is a first link.
        self._of: Words | None = None

    def __len__(self) -> int:
        return len(self._numbers)

    def join(self, subscriptions: Sequence[int], link: Hashable) -> None:
        """Put subscriptions that are on none on a link."""
        if len(subscriptions):
            number = self._number(link)
            self._fit(max(subscriptions))[list(subscriptions)] = number
            self._counts[number] += len(subscriptions)

    def leave(self, subscription: int) -> None:
        """Take a subscription from the link that it is on, if it is on one."""
        if self._of is None or subscription >= len(self._of) or self._of[subscription] < 0:
            return
        number = int(self._of[subscription])
        self._of[subscription] = -1
        self._counts[number] -= 1
        if not self._counts[number]:
            del self._numbers[self._names[number]]
            self._names[number] = None
            self._free.append(number)

    def of(self, subscription: int) -> Hashable | None:
        """The link of a subscription, or None."""
        if self._of is None or subscription >= len(self._of) or self._of[subscription] < 0:
            return None
        return self._names[int(self._of[subscription])]  # type: ignore[no-any-return]  # a link was given

    def named(self, numbers: Iterable[int]) -> list[Hashable]:
        """The links with these numbers."""
        return [self._names[number] for number in numbers]

    def array(self, room: int) -> Words:
        """The number of the link of each subscription, or -1, for numbers of subscriptions up to `room`."""
        return self._fit(room)

    @property
    def room(self) -> int:
        """One more than the greatest number of a link."""
        return len(self._names)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """All that is known, as arrays."""
        return {"of": self._fit(0), "names": pack_keys(self._names, "link")}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Links:
        """The links that these are of."""
        import numpy as np

        made = cls()
        made._of = arrays["of"]
        made._names = unpack_keys(arrays["names"])
        made._counts = np.bincount(made._of[made._of >= 0], minlength=len(made._names)).tolist()
        made._numbers = {made._names[number]: number for number, count in enumerate(made._counts) if count}
        made._free = [number for number, count in enumerate(made._counts) if not count]
        return made

    def _number(self, link: Hashable) -> int:
        number = self._numbers.get(link)
        if number is None:
            if self._free:
                number = self._free.pop()
                self._names[number] = link
            else:
                number = len(self._names)
                self._names.append(link)
                self._counts.append(0)
            self._numbers[link] = number
        return number

    def _fit(self, subscription: int) -> Words:
        import numpy as np

        held = self._of
        if held is None or subscription >= len(held):
            longer = np.full(
                max(64, subscription + 1, 2 * len(held) if held is not None else 0), -1, np.int32
            )
            if held is not None:
                longer[: len(held)] = held
            self._of = longer
            return longer
        return held
