"""The second step of the counting matcher: from fulfilled predicates to subscriptions.

After section 4.4 of the paper on subscription tree pruning: the predicate subscription association table, the
minimum predicate count vector, the hit counts of one event, and the trees of the subscriptions that reach
their minimum.

Predicates and subscriptions are dense numbers. The arrays:

* `heads`: for each predicate how often trees hold it (its occurrences), and where its block of subscription
  numbers begins in `entries`; of a single occurrence the subscription itself.
* `rooms`: for each predicate how many its block holds.
* `entries`: a pool of blocks as in `kernels.pools`, header included.
* `programs`: for each subscription where its operands begin, and its shape.
* `operands`, `places`: for each leaf of a tree its predicate, and where in the predicate's block it stands.
* `shapes`: how many leaves, which comes first (or ACCEPT, REJECT), and for each leaf which comes next if it
  is true and if it is not.
"""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import ACCEPT, H_WORDS, HEADER, Bytes, Longs, Words
from siftmesh.kernels.pools import free_words, room_of_class, size_class, take_words
from siftmesh.kernels.prefetch import fetch

__all__ = [
    "W_INCREMENTS",
    "W_TESTS",
    "W_TREES",
    "count_hits",
    "decide",
    "empty_pool",
    "link",
    "unlink",
]

# What the kernels count.
W_INCREMENTS = 0
W_TREES = 1
W_TESTS = 2


# How far ahead memory is asked for what will be needed: about as long as it takes to answer.
_AHEAD = 24
_SOON = 8


def empty_pool() -> Words:
    """A pool in which no block has been taken."""
    entries = np.zeros(2 * HEADER, dtype=np.int32)
    entries[H_WORDS] = HEADER
    return entries


@kernel
def count_hits(
    numbers: Words,
    heads: Words,
    entries: Words,
    left: Bytes,
    truth: Bytes,
    candidates: Words,
    found: int,
    work: Longs,
) -> int:
    """Mark fulfilled predicates and count them for their subscriptions; how many candidates there are then.

    `left` says how many fulfilled predicates each subscription lacks; 0 means that it has been found already
    or never can be. Counting down leaves one random access for each hit where the papers' hit vector and
    minimum vector take two.
    """
    increments = np.int64(0)
    count = np.int64(found)
    for at in range(len(numbers)):
        if at + _AHEAD < len(numbers):
            fetch(heads, 2 * np.int64(numbers[at + _AHEAD]))
        number = np.uint32(numbers[at])
        truth[number >> np.uint32(3)] |= np.uint8(1 << (number & np.uint32(7)))
        head = np.uint32(2) * number
        length = np.int64(heads[head])
        increments += length
        if length == 1:
            subscription = np.uint32(heads[head + np.uint32(1)])
            lacking = left[subscription]
            left[subscription] = lacking - (lacking != 0)
            candidates[count] = subscription
            count += lacking == 1
            continue
        place = np.int64(heads[head + np.uint32(1)])
        for entry in range(place, place + length):
            subscription = np.uint32(entries[entry])
            lacking = left[subscription]
            left[subscription] = lacking - (lacking != 0)
            # Written whether or not it stays: a branch here would be guessed wrong too often.
            candidates[count] = subscription
            count += lacking == 1
    work[W_INCREMENTS] += increments
    return int(count)


@kernel
def decide(
    candidates: Words,
    found: int,
    programs: Words,
    operands: Words,
    shapes: Words,
    truth: Bytes,
    matched: Words,
    work: Longs,
) -> int:
    """Evaluate the trees of the candidates as jumps from leaf to leaf; how many are true."""
    count = np.int64(0)
    trees = np.int64(0)
    tests = np.int64(0)
    for place in range(found):
        if place + _AHEAD < found:
            fetch(programs, 2 * np.int64(candidates[place + _AHEAD]))
            fetch(operands, np.int64(programs[2 * np.int64(candidates[place + _SOON])]))
        subscription = np.uint32(candidates[place])
        start = np.int64(programs[np.uint32(2) * subscription])
        shape = np.int64(programs[np.uint32(2) * subscription + np.uint32(1)])
        at = np.int64(shapes[shape + 1])
        trees += at >= 0
        while at >= 0:
            number = np.uint32(operands[start + at])
            unmet = 1 - ((np.int64(truth[number >> np.uint32(3)]) >> np.int64(number & np.uint32(7))) & 1)
            at = np.int64(shapes[shape + 2 + 2 * at + unmet])
            tests += 1
        matched[count] = subscription
        count += at == ACCEPT
    work[W_TREES] += trees
    work[W_TESTS] += tests
    return int(count)


@kernel
def link(
    subscription: int,
    start: int,
    first: int,
    count: int,
    operands: Words,
    places: Words,
    heads: Words,
    rooms: Words,
    entries: Words,
) -> int:
    """Enter a subscription at the predicates of its leaves from number `first` on.

    Gives how many leaves are entered then: fewer than `count` if the pool must be made longer first.
    """
    for leaf in range(first, count):
        number = np.int64(operands[start + leaf])
        length = np.int64(heads[2 * number])
        if length == 0:
            heads[2 * number + 1] = subscription
            rooms[number] = 1
        else:
            if length == rooms[number] and not _resize(
                number, length + (length >> 1) + 1, heads, rooms, entries
            ):
                return leaf
            entries[heads[2 * number + 1] + length] = subscription
        places[start + leaf] = length
        heads[2 * number] = length + 1
    return count


@kernel
def _resize(number: int, wanted: int, heads: Words, rooms: Words, entries: Words) -> bool:
    """Move a predicate's subscriptions to a block that holds so many; whether the pool has one."""
    room = np.int64(room_of_class(size_class(wanted)))
    if entries[H_WORDS] + room > len(entries):
        return False
    length = np.int64(heads[2 * number])
    had = np.int64(heads[2 * number + 1])
    place = np.int64(take_words(entries, room))
    if rooms[number] == 1:
        entries[place] = had
    else:
        for at in range(length):
            entries[place + at] = entries[had + at]
        free_words(entries, had, np.int64(rooms[number]))
    heads[2 * number + 1] = place
    rooms[number] = room
    return True


@kernel
def unlink(
    subscription: int,
    programs: Words,
    count: int,
    operands: Words,
    places: Words,
    heads: Words,
    rooms: Words,
    entries: Words,
    gone: Words,
) -> int:
    """Take a subscription out at the predicates of its leaves; how many nobody holds any more (in `gone`).

    The last entry of a block takes the place of the one that leaves, so nothing is searched in the block.
    """
    start = np.int64(programs[2 * subscription])
    dropped = np.int64(0)
    for leaf in range(count):
        number = np.int64(operands[start + leaf])
        last = np.int64(heads[2 * number]) - 1
        heads[2 * number] = last
        at = np.int64(places[start + leaf])
        # What has left is not taken for an entry that moves.
        places[start + leaf] = -1
        if last == 0:
            gone[dropped] = number
            dropped += 1
            continue
        block = np.int64(heads[2 * number + 1])
        if at != last:
            moved = np.int64(entries[block + last])
            entries[block + at] = moved
            other = np.int64(programs[2 * moved])
            while operands[other] != number or places[other] != last:
                other += 1
            places[other] = at
        if last == 1:
            heads[2 * number + 1] = entries[block]
            free_words(entries, block, np.int64(rooms[number]))
            rooms[number] = 1
        elif 4 * last < rooms[number]:
            _resize(number, last + (last >> 1), heads, rooms, entries)
    return int(dropped)
