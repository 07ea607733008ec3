"""The rows of a segment: what stands in each, and that it is made alike in steps of any size."""

from __future__ import annotations

from collections import defaultdict

import numpy as np
import pytest

from siftmesh.kernels.bitmap_layout import (
    BLOCK,
    E_COUNT,
    E_DIM,
    E_EDGES,
    E_FIRSTS,
    E_LAST,
    E_LENGTH,
    E_LIST,
    E_OTHERS,
    E_ROWS,
    E_SIZE,
    E_STEP,
    EARLY,
    H_DENSE,
    H_DIMS,
    H_ENTRIES,
    NUMBER,
    ON,
)
from siftmesh.kernels.bitmap_rows import count_sparse, fill_rows, survey
from siftmesh.matching.bitmap_segments import assemble, entries_of

SLOTS = 4 * BLOCK
# How many terms bound each dimension, and in which blocks they are.
DIMS = {3: (900, 4), 5: (300, 1), 8: (3, 3), 9: (700, 4), 20: (40, 4), 21: (60, 4), 22: (1, 1)}

Edges = dict[int, list[tuple[int, int]]]


def random_edges(seed: int) -> Edges:
    """For each dimension (slot, marks) in the order of their places: terms turn on and off by turns."""
    rng = np.random.default_rng(seed)
    edges: Edges = {}
    for dim, (terms, blocks) in DIMS.items():
        every = []
        for slot in rng.choice(blocks * BLOCK, terms, replace=False).tolist():
            turn = bool(rng.integers(2))
            for place in sorted(rng.random(rng.integers(1, 4)).tolist()):
                every.append((place, slot, (ON if turn else 0) | int(rng.choice([0, EARLY]))))
                turn = not turn
        edges[dim] = [(slot, marks) for _, slot, marks in sorted(every)]
    return edges


def flat(edges: Edges) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    dims = np.array(list(edges))
    sizes = np.array([len(part) for part in edges.values()])
    return dims, sizes, np.array([slot | marks for part in edges.values() for slot, marks in part], np.int32)


def states(part: list[tuple[int, int]]) -> list[dict[int, bool]]:
    """Which terms hold before the first edge, behind it, and so on."""
    state: dict[int, bool] = {}
    for slot, marks in reversed(part):
        state[slot] = not marks & ON
    found = [dict(state)]
    for slot, marks in part:
        state[slot] = bool(marks & ON)
        found.append(dict(state))
    return found


@pytest.mark.parametrize("limit", [1, 1000, 1 << 40])
def test_terms_and_blocks_are_counted(limit: int) -> None:
    edges = random_edges(0)
    _, sizes, ids = flat(edges)
    terms, blocks = np.zeros((2, len(edges)), np.int64)
    marks, marked = np.zeros(SLOTS, np.int32), np.zeros(SLOTS // BLOCK, np.int32)
    at = 0
    while (at := survey(np.cumsum(sizes) - sizes, sizes, ids, marks, marked, terms, blocks, at, limit)) < len(
        edges
    ):
        pass
    slots = [{slot for slot, _ in part} for part in edges.values()]
    assert terms.tolist() == [len(part) for part in slots]
    assert blocks.tolist() == [len({slot // BLOCK for slot in part}) for part in slots]


@pytest.mark.parametrize("step", [1, 1000, 1 << 40])
@pytest.mark.parametrize("seed", range(3))
def test_rows_hold_the_states_between_the_edges(seed: int, step: int) -> None:
    edges = random_edges(seed)
    dims, sizes, ids = flat(edges)
    steps = assemble(dims, sizes, ids, SLOTS, 2 * BLOCK, step)
    taken = 0
    while True:
        try:
            next(steps)
            taken += 1
        except StopIteration as done:
            head, small, rows, fringe = done.value
            break
    assert (taken > 100) == (step == 1)
    assert head[H_ENTRIES] == len(edges)
    entries = entries_of(head)
    dense, sparse = entries[: head[H_DENSE], E_DIM].tolist(), entries[head[H_DENSE] :, E_DIM].tolist()
    assert dense == [3, 5, 9]
    # The rarest come first.
    assert sparse == [22, 8, 20, 21]
    assert small[head[H_DIMS] : head[H_DIMS] + len(sparse)].tolist() == sparse
    for number, entry in enumerate(entries):
        part = edges[int(entry[E_DIM])]
        slots = {slot for slot, _ in part}
        members = small[entry[E_LIST] : entry[E_LIST] + entry[E_LENGTH]].tolist()
        if number < head[H_DENSE]:
            assert members == sorted({slot // BLOCK for slot in slots})
            numbered = [block * BLOCK + bit for block in members for bit in range(BLOCK)]
        else:
            assert sorted(members) == sorted(slots)
            numbered = members
        named = ids[entry[E_EDGES] : entry[E_EDGES] + entry[E_COUNT]]
        assert [numbered[bit] for bit in (named & NUMBER).tolist()] == [slot for slot, _ in part]
        assert (named & ~NUMBER).tolist() == [marks for _, marks in part]
        wanted = states(part)
        table = rows[entry[E_ROWS] :][: entry[E_SIZE] * (entry[E_LAST] + 2)]
        for row in range(entry[E_LAST] + 1):
            state = wanted[row * entry[E_STEP]]
            assert bits(table, row, entry[E_SIZE])[: len(numbered)] == [
                state.get(slot, True) for slot in numbered
            ]
        assert (entry[E_LAST] + 1) * entry[E_STEP] > len(part) >= entry[E_LAST] * entry[E_STEP]
        if number < head[H_DENSE]:
            lacking = bits(table, entry[E_LAST] + 1, entry[E_SIZE])
            assert lacking == [slot not in slots for slot in numbered]
    held = defaultdict(list)
    for dim in sparse:
        for slot in {slot for slot, _ in edges[dim]}:
            held[slot].append(dim)
    assert np.flatnonzero(np.unpackbits(fringe.view(np.uint8), bitorder="little")).tolist() == sorted(held)
    for entry in entries[head[H_DENSE] :]:
        members = small[entry[E_LIST] : entry[E_LIST] + entry[E_LENGTH]].tolist()
        firsts = members[: entry[E_FIRSTS]]
        assert sorted(firsts) == sorted(slot for slot, dims in held.items() if dims[0] == entry[E_DIM])
        ends = small[entry[E_OTHERS] : entry[E_OTHERS] + len(firsts) + 1].tolist()
        for place, slot in enumerate(firsts):
            assert small[ends[place] : ends[place + 1]].tolist() == held[slot][1:]


def bits(table: np.ndarray, row: int, size: int) -> list[bool]:
    words = np.ascontiguousarray(table[row * size : (row + 1) * size])
    return np.unpackbits(words.view(np.uint8), bitorder="little").astype(bool).tolist()


def test_a_segment_without_dimensions_has_no_rows() -> None:
    none = np.zeros(0, np.int64)
    steps = assemble(none, none, np.zeros(0, np.int32), BLOCK, BLOCK)
    with pytest.raises(StopIteration) as done:
        next(steps)
    head, small, rows, fringe = done.value.value
    assert (head[H_ENTRIES], rows.size) == (0, 0)
    assert small.size > BLOCK
    assert not fringe.any()
    assert fill_rows(head, small, np.zeros(0, np.int32), rows, small, small, small, np.zeros(3, np.int64), 1)
    assert count_sparse(head, small, small, small, 0, 1) == 0
