"""Every kernel by name, and the compiling of all that Python calls, so that no first event waits for it.

A kernel that only other kernels call becomes part of their code, and needs none of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints

import numba
from numba import types
from numba.core import config

from siftmesh.kernels import (
    atoms,
    bitmap,
    bitmap_build,
    bitmap_emit,
    bitmap_open,
    bitmap_rows,
    bitmap_segment,
    bitmap_terms,
    bits,
    bulk,
    cells,
    chains,
    chunks,
    compound,
    constants,
    counting,
    dims,
    entry,
    events,
    follow,
    ids,
    leaves,
    likes,
    moments,
    pools,
    programs,
    rows,
    scans,
    slots,
    unpack,
    walk,
)
from siftmesh.kernels.layout import Bytes, Longs, Words

__all__ = ["ENTRY_POINTS", "INNER", "compile_all", "name_of", "signature_of"]

# What Python calls.
ENTRY_POINTS: tuple[Any, ...] = (
    *(atoms.find_string, atoms.find_strings, atoms.find_value, atoms.grow_atoms, atoms.grow_table),
    *(bitmap.match_parts, bitmap.weave),
    *(bitmap_build.carry_terms, bitmap_build.gather_edges, bitmap_build.merge_edges),
    *(bitmap_build.merge_terms, bitmap_build.relocate, bitmap_build.settle_ties),
    bitmap_emit.clear_owner,
    *(bitmap_rows.count_sparse, bitmap_rows.fill_rows, bitmap_rows.survey),
    *(bitmap_terms.link_terms, bitmap_terms.never_met, bitmap_terms.order_terms),
    bitmap_terms.split_terms,
    *(bulk.add_columns, bulk.finish_columns),
    cells.double_of_key,
    *(chains.programs_of, chains.waiting),
    chunks.row_of,
    *(constants.hold_constant, constants.release_constant),
    *(counting.count_hits, counting.decide, counting.link, counting.unlink),
    *(entry.add_message, entry.finish_add, entry.match_event, entry.remove, entry.verify_event),
    *(events.match_columns, events.verify_columns),
    *(ids.enter_ints, ids.enter_texts, ids.find_encoded, ids.find_int, ids.forget, ids.forget_int),
    *(ids.forget_text, ids.gather_texts, ids.keep_elsewhere, ids.move_table, ids.pack_heap),
    *(pools.free_bytes, pools.free_words, pools.take_bytes, pools.take_words),
    *(slots.add_slot, slots.grow_slots),
    unpack.unpack_row,
)

# What only these call.
INNER: tuple[Any, ...] = (
    *(atoms._enter, atoms._is_textual, atoms._last_bytes, atoms._spot, atoms._spot_of, atoms.add_atom),
    *(atoms.drop_atom, atoms.hash_bytes, atoms.same_bytes),
    bitmap_build._fill_block,
    *(bitmap_emit.emit, bitmap_emit.places_of),
    bitmap_open.match_open,
    *(bitmap_rows._fill_first_row, bitmap_rows._fill_next_row, bitmap_rows._number_blocks),
    bitmap_rows._number_slots,
    *(bitmap_segment._choose_rows, bitmap_segment._early, bitmap_segment._lack_dense),
    *(bitmap_segment._narrow_dense, bitmap_segment._narrow_sparse, bitmap_segment._ones),
    *(bitmap_segment._plan, bitmap_segment._seek, bitmap_segment.match_segment, bitmap_segment.not_above),
    *(bitmap_terms._behind, bitmap_terms._by_dim, bitmap_terms._edges_of, bitmap_terms._edges_of_dim),
    bits.mix,
    *(cells._lower_neighbour, cells.clear_cells, cells.fill_cell, cells.fill_cells, cells.is_nan),
    *(cells.key_of_double, cells.whole_is_double),
    *(chunks._free_chunk, chunks._grow_chunk, chunks._make_chunk, chunks._move, chunks._next_room),
    *(chunks._open_chunk, chunks.drop_row, chunks.enter_row),
    *(compound.block_of, compound.level_of, compound.take_pair, compound.take_range),
    *(constants._atom_of, constants._rarest, constants._release_one, constants.key_of),
    *(constants.release_atom, constants.release_list, constants.take_atom, constants.take_key),
    *(constants.take_list, constants.take_presence, constants.use_atom),
    counting._resize,
    dims.fill_dims,
    *(events._put, events._put_row, events._verify, events.match_message, events.verify_message),
    *(follow._rows, follow.follow),
    *(ids.find_text, ids._free_text, ids._home, ids._keep_text, ids._put, ids._take_out, ids._undo),
    *(leaves._is_kind, leaves._of_array, leaves._of_text, leaves.in_list, leaves.leaf, leaves.leaf_apart),
    *(likes._character, likes._fits, likes._lower, likes.compare_bytes, likes.fits, likes.fits_folded),
    *(moments._days, moments._days_in_month, moments._digits, moments.moment_of),
    *(pools.free_longs, pools.room_of_class, pools.size_class, pools.take_longs),
    *(programs._operand, programs._some, programs.run),
    *(rows._lacks, rows._take_constants, rows._take_pairs, rows._take_range, rows.add_row),
    *(rows.enter_rows, rows.remove_row),
    *(scans.all_rows, scans.scan_rows),
    *(slots._enter, slots.find_slot),
    *(unpack._number, unpack._scalar, unpack._single, unpack._value, unpack.unpack_event),
    *(walk._blocks, walk._grams, walk._note, walk._pairs, walk.walk_event),
)

# Arrays are whole and writable wherever they come from, so that each kernel has one signature.
_TYPES: dict[Any, Any] = {
    Words: types.int32[::1],
    Longs: types.int64[::1],
    Bytes: types.uint8[::1],
    bytes: numba.typeof(b""),
    int: types.int64,
    float: types.float64,
    bool: types.boolean,
}
# Arrays with more than one dimension, of which annotations say nothing.
_TABLES: dict[tuple[Any, str], Any] = {
    (bitmap.match_parts, "places"): types.int64[:, ::1],
    (bitmap.weave, "places"): types.int64[:, ::1],
}


def name_of(kernel: Any) -> str:
    """A kernel's name with that of its module, as in `pools.take_words`."""
    return f"{kernel.__module__.rpartition('.')[2]}.{kernel.__name__}"


def signature_of(kernel: Any) -> tuple[Any, ...]:
    """The types for which a kernel is compiled: those of its annotations, as numba names them."""
    function = kernel.py_func
    hints = get_type_hints(function)
    names = inspect.signature(function).parameters
    return tuple([_TABLES.get((kernel, name)) or _TYPES[hints[name]] for name in names])


def compile_all(progress: Callable[[str, bool], None]) -> None:
    """Compile what is not kept from before, and keep it.

    After each kernel `progress` is called with its name and whether it had to be compiled.
    """
    if config.DISABLE_JIT:
        return
    for kernel in ENTRY_POINTS:
        before = sum(kernel.stats.cache_misses.values())
        kernel.compile(signature_of(kernel))
        progress(name_of(kernel), sum(kernel.stats.cache_misses.values()) > before)
