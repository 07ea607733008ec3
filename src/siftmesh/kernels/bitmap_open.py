"""Terms that are tested one by one, since they are too new or too few for bitmaps."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.bitmap_layout import ABOVE, BELOW, NEGATED, WORK_BOUNDS
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
    match_segment.
    """
    tested = np.int64(0)
    while event < bounds.size - 1:
        filled = bounds[event]
        if out.size - filled < count:
            return event
        first = event * width
        last = np.int64(-1)
        for term in range(count):
            code = np.int64(codes[term])
            owner = code ^ (code >> 63)
            if dead[term] or owner == last:
                continue
            met = True
            for at in range(starts[term], starts[term + 1]):
                tested += 1
                dim = np.int64(dims[at])
                if dim >= width or not present[first + dim]:
                    met = False
                    break
                low = lows[first + dim]
                high = highs[first + dim]
                asked = flags[at]
                within = (low >= lows_of[at] or (asked & ABOVE and high >= lows_of[at])) and (
                    high <= highs_of[at] or (asked & BELOW and low <= highs_of[at])
                )
                if within == (asked & NEGATED != 0):
                    met = False
                    break
            if met:
                out[filled] = code
                filled += 1
                last = owner
        event += 1
        bounds[event] = filled
    work[WORK_BOUNDS] += tested
    return event
