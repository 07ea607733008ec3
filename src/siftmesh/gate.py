"""The gate of a matcher: many threads may match at once, and whoever changes something is alone.

To pass as a reader must cost next to nothing, since a match takes a few microseconds. So a reader says that
it is inside, and only then looks whether the gate is closed; a writer closes it, and only then looks whether
somebody is inside. Each does the first before the second, so they cannot overlook each other. The facade
does these two lines by itself:

    try:
        inside.append(me)
        if gate.closed:
            gate.wait(me)
        ...
    finally:
        inside.remove(me)
        if gate.closed:
            gate.left()

The append stands within the try: an interrupt that comes just then leaves nobody inside. A writer keeps new
readers out only while it waits for those inside and works; the next writer lets all readers in first that had
to wait for this one. So neither can starve the other.
"""

from __future__ import annotations

from threading import Condition, Lock, RLock, get_ident
from types import TracebackType

from siftmesh.errors import SubscriptionError

__all__ = ["Gate", "NarrowGate"]

# Seconds after which who waits looks again by itself: a thread that was interrupted may have told nobody.
_PATIENCE = 0.05


class Gate:
    """Readers together, writers alone. `with gate:` is a writer, `with gate.reading:` a reader."""

    def __init__(self) -> None:
        # The threads that read, by identity, each as often as it does.
        self.inside: list[int] = []
        self.closed = False
        self.reading = _Reading(self)
        self._writers = Lock()
        self._writer = 0
        self._changed = Condition(Lock())
        # Readers that found the gate closed.
        self._waiting = 0

    def wait(self, me: int) -> None:
        """Be outside until the gate is open, then inside again; for a reader that found it closed."""
        if self._writer == me:
            raise _in_the_midst("asked")
        if self.inside.count(me) > 1:
            return  # the writer has to wait for this thread's outer reading anyway
        with self._changed:
            self.inside.remove(me)
            self._waiting += 1
            self._changed.notify_all()
            entered = False
            try:
                while True:
                    while self.closed:
                        self._changed.wait(_PATIENCE)
                    self.inside.append(me)
                    entered = True
                    if not self._was_closed():
                        break
                    self.inside.remove(me)
                    entered = False
            finally:
                if not entered:
                    # Interrupted; the caller will leave in any case.
                    self.inside.append(me)
                self._waiting -= 1
                self._changed.notify_all()

    def left(self) -> None:
        """Tell a writer that one reader less is inside."""
        with self._changed:
            self._changed.notify_all()

    def __enter__(self) -> None:
        me = get_ident()
        if self._writer == me or me in self.inside:
            raise _in_the_midst("changed")
        self._writers.acquire()
        try:
            self._writer = me
            while self._waiting:
                self._wait_for_news()
            self.closed = True
            while self.inside:
                self._wait_for_news()
        except BaseException:
            self.__exit__(None, None, None)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closed = False
        self._writer = 0
        if self._waiting:
            self.left()
        self._writers.release()

    def _was_closed(self) -> bool:
        """Whether a writer closed the gate in this very moment."""
        return self.closed

    def _wait_for_news(self) -> None:
        with self._changed:
            if self.inside if self.closed else self._waiting:
                self._changed.wait(_PATIENCE)


class NarrowGate(Gate):
    """One thread at a time, whatever it does: for engines that are not parallel. It is always closed."""

    def __init__(self) -> None:
        super().__init__()
        self.closed = True
        self._one = RLock()
        self._depth = 0

    def wait(self, me: int) -> None:  # noqa: ARG002 - who it is does not matter here
        """Be the only one."""
        self._one.acquire()
        self._depth += 1
        if self._depth > 1:
            raise _in_the_midst("asked")

    def left(self) -> None:
        """Let the next one in."""
        self._depth -= 1
        self._one.release()

    def __enter__(self) -> None:
        self._one.acquire()
        self._depth += 1
        if self._depth > 1:
            self.left()
            raise _in_the_midst("changed")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.left()


class _Reading:
    """A reader, for where it does not matter what that costs."""

    __slots__ = ("_gate",)

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def __enter__(self) -> None:
        me = get_ident()
        self._gate.inside.append(me)
        try:
            if self._gate.closed:
                self._gate.wait(me)
        except BaseException:
            self.__exit__(None, None, None)
            raise

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._gate.inside.remove(get_ident())
        if self._gate.closed:
            self._gate.left()


def _in_the_midst(what: str) -> SubscriptionError:
    return SubscriptionError(
        f"a matcher cannot be {what} by the thread that is in the midst of changing or asking it",
        expected="a call after the other has returned",
    )
