"""What stands in the chains, for whoever wants to know."""

from __future__ import annotations

import numpy as np

from siftmesh.kernels.jit import kernel
from siftmesh.kernels.layout import (
    A_HEAD,
    A_TAG,
    ALWAYS,
    FIRST_ATOM,
    H_ATOM_COUNT,
    H_ATOMS,
    H_WHERE,
    H_WHERE_ROOM,
    K_COUNT,
    K_NEXT,
    K_PROGRAM,
    PARKED,
    RECORD,
    Longs,
    Words,
)

__all__ = ["programs_of", "waiting"]


@kernel
def waiting(words: Words, atoms: Longs, sizes: Longs) -> int:
    """The atoms with the longest chains, longest first, and how many rows these have; how many are found."""
    found = 0
    for atom in range(ALWAYS, words[H_ATOM_COUNT]):
        chunk = np.int64(words[words[H_ATOMS] + RECORD * atom + A_HEAD])
        # An atom without a tag has gone; what stands there is another's number.
        gone = atom >= FIRST_ATOM and words[words[H_ATOMS] + RECORD * atom + A_TAG] == 0
        if gone or atom == PARKED or chunk == 0:
            continue
        size = np.int64(0)
        while chunk:
            size += words[chunk + K_COUNT]
            chunk = np.int64(words[chunk + K_NEXT])
        place = found
        if found == len(atoms):
            if found == 0 or sizes[found - 1] >= size:
                continue
            place = found - 1
        else:
            found += 1
        while place > 0 and sizes[place - 1] < size:
            sizes[place] = sizes[place - 1]
            atoms[place] = atoms[place - 1]
            place -= 1
        sizes[place] = size
        atoms[place] = atom
    return found


@kernel(_nrt=True)
def programs_of(words: Words) -> Longs:
    """The program of each subscription, 0 where there is none."""
    count = words[H_WHERE_ROOM]
    programs = np.zeros(count, np.int64)
    for sub in range(count):
        place = np.int64(words[words[H_WHERE] + sub])
        if place:
            chunk = place if place > 0 else np.int64(words[1 - place])
            programs[sub] = words[chunk + K_PROGRAM]
    return programs
