"""LIKE: whether bytes of UTF-8 fit a pattern whose wildcards are bytes that UTF-8 never has."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import MANY, NO, ONE, UNSURE, YES, Bytes

__all__ = ["compare_bytes", "fits", "fits_folded"]


@kernel
def compare_bytes(one: Bytes, at: int, length: int, other: Bytes, there: int, size: int) -> int:
    """Negative, 0 or positive as the first string is below, equal to or above the second.

    Bytes of UTF-8 are in the order of the code points that they write.
    """
    for place in range(min(length, size)):
        difference = np.int64(one[at + place]) - np.int64(other[there + place])
        if difference != 0:
            return difference
    return length - size


@kernel
def _character(text: Bytes, at: int) -> int:
    """How many bytes the character at a place has."""
    lead = text[at]
    if lead < 0x80:
        return 1
    if lead < 0xE0:
        return 2
    return 3 if lead < 0xF0 else 4


@kernel
def _lower(byte: int) -> int:
    return byte + 32 if 65 <= byte <= 90 else byte


@kernel
def _fits(text: Bytes, start: int, length: int, heap: Bytes, pattern: int, size: int, fold: bool) -> bool:
    """Match greedily: after a mismatch only the latest MANY needs to take in one character more."""
    at = start
    end = start + length
    place = pattern
    last = pattern + size
    resume = -1
    latest = -1
    while True:
        if place < last:
            asked = heap[place]
            if asked == MANY:
                place += 1
                if place == last:
                    return True
                latest = place
                resume = at
                continue
            if at < end:
                if asked == ONE:
                    at += _character(text, at)
                    place += 1
                    continue
                byte = text[at]
                if byte == asked or (fold and _lower(byte) == asked):
                    at += 1
                    place += 1
                    continue
        elif at == end:
            return True
        if latest < 0 or resume >= end:
            return False
        resume += _character(text, resume)
        if heap[latest] < 0x80 and not fold:
            # No place fits before the next occurrence of the byte that follows the wildcard.
            wanted = heap[latest]
            while resume < end and text[resume] != wanted:
                resume += 1
        at = resume
        place = latest


@kernel
def fits(text: Bytes, start: int, length: int, heap: Bytes, pattern: int, size: int) -> int:
    """Whether a string fits a pattern."""
    return YES if _fits(text, start, length, heap, pattern, size, False) else NO


@kernel
def fits_folded(text: Bytes, start: int, length: int, heap: Bytes, pattern: int, size: int) -> int:
    """Whether a string fits a case-folded pattern when it is case-folded; UNSURE of what is not ASCII."""
    for place in range(start, start + length):
        if text[place] >= 0x80:
            return UNSURE
    return YES if _fits(text, start, length, heap, pattern, size, True) else NO
