"""Terms that are tested one by one, since they are too new or too few for bitmaps."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.bitmap_layout import ABOVE, BELOW, NEGATED, WORK_BOUNDS
from siftmesh.kernels.bitmap_words import word_at
from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import Bytes, Longs, Words

__all__ = ["match_open"]


@kernel
def match_open(
    starts: Longs,
    dims: Words,
    lows_of: Longs,
    highs_of: Longs,
    flags: Bytes,
    codes: Words,
    dead: Bytes,
    count: int,
    present: Bytes,
    lows: Longs,
    highs: Longs,
    width: int,
    event: int,
    out: Words,
    bounds: Longs,
    work: Longs,
) -> int:
    """Append the codes of the terms that events meet, an owner once; returns the first that found no room.

    Terms of an owner stand side by side, those to verify behind the others. Events and bounds as in
    match_segment, and there is at least one dimension.
    """
    tested = np.int64(0)
    while event < bounds.size - 1:
        filled = bounds[event]
        if out.size - filled < count:
            return event
        first = event * width
        last = np.int64(-1)
        for term in range(count):
            code = word_at(codes, term)
            owner = code ^ (code >> 63)
            if dead[term] or owner == last:
                continue
            at = word_at(starts, term)
            end = word_at(starts, term + 1)
            tested += end - at
            while at < end:
                dim = word_at(dims, at)
                # Of a dimension that is too late, that of the first one is looked at, in vain.
                place = first + (dim if dim < width else 0)
                low = word_at(lows, place)
                high = word_at(highs, place)
                asked = word_at(flags, at)
                # One test, since the processor can foresee none of its parts.
                within = ((high if asked & ABOVE else low) >= word_at(lows_of, at)) & (
                    (low if asked & BELOW else high) <= word_at(highs_of, at)
                )
                there = (dim < width) & (word_at(present, place) != 0)
                if not there & (within != (asked & NEGATED != 0)):
                    break
                at += 1
            tested -= max(end - at - 1, 0)
            if at == end:
                out[filled] = code
                filled += 1
                last = owner
        event += 1
        bounds[event] = filled
    work[WORK_BOUNDS] += tested
    return event
