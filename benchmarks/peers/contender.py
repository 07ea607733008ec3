"""What a contender of the benchmark has to be able to do."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from benchmarks.matcher_workloads import Case

__all__ = ["BATCH", "Contender", "Ints", "Unavailable", "batches", "mappings", "pairs_of_lists"]

# Events that are handed over at a time to contenders that take many at once.
BATCH = 1_000

Ints = NDArray[np.int64]


class Unavailable(Exception):
    """This contender is not installed here, or cannot do this workload; the message says which."""


class Contender(ABC):
    """Made from a case, which is its building; then it is given events and finds the pairs that match."""

    # What a reader of the table should know.
    remark: ClassVar[str] = ""
    # Whether it is made from `case.trees`; reading those is not counted as its building.
    from_trees: ClassVar[bool] = False
    # Whether a call costs something however few events it gets, so that few events tell little.
    batched: ClassVar[bool] = False
    # Whether it works in another process, so that only the clock on the wall can measure it.
    elsewhere: ClassVar[bool] = False

    @abstractmethod
    def __init__(self, case: Case) -> None: ...

    @abstractmethod
    def prepare(self, events: pa.Table) -> Any:
        """The events as `run` wants them; not measured."""

    @abstractmethod
    def run(self, prepared: Any) -> Any:
        """Match all events; measured. What it returns holds every match, in whatever form is cheapest."""

    @abstractmethod
    def pairs(self, found: Any) -> tuple[Ints, Ints]:
        """What `run` found as rows of the events and ids of subscriptions, in any order; not measured."""

    def settle(self) -> None:  # noqa: B027 - most have put nothing off
        """Do what was put off, once some events have been seen; not measured."""

    def memory(self) -> int | None:
        """Bytes held, if it knows; otherwise the growth of the process is taken."""
        return None

    def close(self) -> None:  # noqa: B027 - most have nothing to give back
        """Give back what the garbage collector does not."""


def batches(events: pa.Table, rows: int = BATCH) -> list[pa.Table]:
    """The events as tables of so many rows."""
    return [events.slice(start, rows) for start in range(0, events.num_rows, rows)]


def mappings(events: pa.Table) -> list[dict[str, Any]]:
    """The events as one mapping each."""
    columns = [column.to_pylist() for column in events.columns]
    return [dict(zip(events.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def pairs_of_lists(found: Sequence[Iterable[int]]) -> tuple[Ints, Ints]:
    """Pairs from a list of ids for each event."""
    lists = [list(ids) for ids in found]
    rows = np.repeat(np.arange(len(lists)), [len(ids) for ids in lists])
    return rows, np.array([number for ids in lists for number in ids], dtype=np.int64)
