"""The numbers that encoders and kernels agree on: none stands for two things, each fits where it is kept."""

from __future__ import annotations

import sys
from itertools import pairwise

import numpy as np
import pytest

from siftmesh.kernels import layout
from siftmesh.logic.tree import NEGATION, Operator
from siftmesh.matching.shape import comparison
from siftmesh.model.values import Kind


def named(prefix: str) -> dict[str, int]:
    return {
        name: value
        for name, value in vars(layout).items()
        if name.startswith(prefix) and isinstance(value, int)
    }


@pytest.mark.parametrize(
    ("prefix", "room"),
    [
        ("A_", "RECORD"),
        ("C_", "CELL"),
        ("E_", "ENTRY"),
        ("I_", "INSTRUCTION"),
        ("K_", "CHUNK"),
        ("L_", "LENGTHS"),
        ("N_", "COUNTERS"),
        ("S_", "SLOT"),
    ],
)
def test_the_fields_of_a_record_have_places_of_their_own_in_it(prefix: str, room: str) -> None:
    fields = named(prefix)
    assert len(fields) > 1
    assert len(set(fields.values())) == len(fields)
    assert set(fields.values()) <= set(range(getattr(layout, room)))


def test_the_header_has_room_for_each_of_its_fields() -> None:
    fields = named("H_")
    assert len(set(fields.values())) == len(fields)
    # A chain of free blocks for each class, of each of the three pools.
    chains = sorted(fields[name] for name in fields if name.startswith("H_FREE_"))
    others = set(fields.values()) - set(chains)
    assert len(chains) == 3
    assert max(others) < chains[0]
    assert all(after - before >= layout.CLASSES for before, after in pairwise([*chains, layout.HEADER]))


def of_programs() -> tuple[dict[str, int], dict[str, int]]:
    """The fields of a program, and its flags, which are written behind its length."""
    names = list(vars(layout))
    fields = {
        name: value for name, value in named("P_").items() if names.index(name) < names.index("PROGRAM")
    }
    return fields, {name: value for name, value in named("P_").items() if name not in fields}


def test_the_fields_of_a_program_come_before_its_instructions() -> None:
    fields, _ = of_programs()
    assert sorted(fields.values()) == list(range(layout.PROGRAM))


def test_flags_are_single_bits() -> None:
    for flags in (named("F_"), of_programs()[1]):
        assert flags
        assert len(set(flags.values())) == len(flags)
        assert all(flag.bit_count() == 1 for flag in flags.values())


def test_operations_stand_beside_their_opposites() -> None:
    operations = named("OP_")
    paired = {name: value for name, value in operations.items() if name != "OP_UNSURE"}
    assert sorted(operations.values()) == list(range(len(operations)))
    by_name = {name.removeprefix("OP_"): value for name, value in paired.items()}
    for name, value in by_name.items():
        if f"NOT_{name}" in by_name:
            assert by_name[f"NOT_{name}"] == value ^ 1
    for kind in (Kind.NUMBER, Kind.STRING, Kind.TIMESTAMP):
        for asked in (Operator.EQ, Operator.NE, Operator.LT, Operator.GE, Operator.LE, Operator.GT):
            assert comparison(NEGATION[asked], kind) == comparison(asked, kind) ^ 1


def test_what_an_instruction_asks_fits_beside_its_tag_and_mode() -> None:
    assert max(named("OP_").values()) < 256
    assert max(named("M_").values()) < 2**15
    assert max(tags()) < 256


def tags() -> list[int]:
    cells = [getattr(layout, kind.name) for kind in Kind]
    assert cells == [kind + 1 for kind in Kind]
    others = (
        "MISSING",
        "TIMED",
        "INT",
        "FLOAT",
        "WIDE",
        "PATTERN",
        "TEXT",
        "PRESENCE",
        "PREFIX",
        "SUFFIX",
        "GRAM",
    )
    return cells + [getattr(layout, name) for name in others]


def test_tags_are_told_apart() -> None:
    assert len(set(tags())) == len(tags())
    # An empty cell is one of zeros, and what is at least NULL is there.
    assert layout.MISSING == 0
    assert layout.NULL == 1


def test_texts_are_looked_up_by_tags_that_come_last() -> None:
    assert max(set(tags()) - {layout.PREFIX, layout.SUFFIX, layout.GRAM}) < layout.PREFIX
    assert 0 < layout.MOST_GRAM < 64  # one bit of a number for each length


def test_wildcards_are_no_bytes_of_text() -> None:
    every = "".join(map(chr, (*range(0xD800), *range(0xE000, sys.maxunicode + 1))))
    used = set(np.unique(np.frombuffer(every.encode(), np.uint8)).tolist())
    assert not used & {layout.MANY, layout.ONE}
    assert layout.MANY != layout.ONE


def test_jumps_that_end_a_program_are_no_places() -> None:
    assert layout.ACCEPT < 0
    assert layout.REJECT < 0
    assert layout.ACCEPT != layout.REJECT


def test_a_verdict_turned_round_is_its_opposite() -> None:
    # Kernels write YES - verdict for NOT.
    assert layout.YES - layout.NO == layout.YES
    assert layout.YES - layout.YES == layout.NO
    assert layout.UNSURE not in (layout.YES, layout.NO)


def test_the_first_atoms_are_no_constants() -> None:
    assert 0 < layout.ALWAYS < layout.FIRST_ATOM
    assert 0 < layout.PARKED < layout.FIRST_ATOM
    assert layout.ALWAYS != layout.PARKED
