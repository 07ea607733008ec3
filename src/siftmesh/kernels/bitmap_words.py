"""Operations on words and blocks of bits that a processor has and Python has not.

Each of them exists twice: as machine code, and slowly for runs in which nothing is compiled. They take places
as they are: unlike in a[i], a negative one is not counted from the end, which costs time to find out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic

from siftmesh.kernels.bitmap_layout import BLOCK_WORDS, NUMBER
from siftmesh.kernels.layout import Longs, Words

__all__ = [
    "and_block",
    "any_of_block",
    "change_and_block",
    "copy",
    "fetch",
    "population",
    "put",
    "toggle",
    "trailing",
    "without_lowest",
    "word_at",
]

_WORD = ir.IntType(64)
_BLOCK = ir.VectorType(_WORD, BLOCK_WORDS)


def _address(context: Any, builder: Any, signature: Any, arguments: Any, array: int) -> Any:
    """Where the element of an argument begins whose place is the argument behind it."""
    view = context.make_array(signature.args[array])(context, builder, arguments[array])
    return builder.gep(view.data, [arguments[array + 1]])


def _chosen(compiled: Any, slowly: Callable[..., Any]) -> Any:
    return slowly if config.DISABLE_JIT else compiled


# ---- one word


def _trailing_slowly(word: int) -> int:
    bits = int(word)
    return (bits & -bits).bit_length() - 1 if bits else 64


@intrinsic
def _trailing(typingctx: Any, word: Any) -> Any:  # noqa: ARG001 - numba wants this argument
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), generate


# How many zeros stand below the lowest one; 64 of a word without any.
trailing = _chosen(_trailing, _trailing_slowly)


def _without_lowest_slowly(word: int) -> int:
    bits = int(word)
    # -(1 << 63) less one would be no word.
    return bits & (bits - 1) if bits != -(1 << 63) else 0


@intrinsic
def _without_lowest(typingctx: Any, word: Any) -> Any:  # noqa: ARG001 - see above
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.and_(arguments[0], builder.sub(arguments[0], _WORD(1)))

    return types.int64(types.int64), generate


# The word with its lowest one cleared.
without_lowest = _chosen(_without_lowest, _without_lowest_slowly)


def _population_slowly(word: int) -> int:
    return (int(word) & ((1 << 64) - 1)).bit_count()


@intrinsic
def _population(typingctx: Any, word: Any) -> Any:  # noqa: ARG001 - see above
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), generate


# How many ones a word has.
population = _chosen(_population, _population_slowly)


# ---- a place in an array


def _word_at_slowly(array: Any, at: int) -> Any:
    return array[at].astype("int64")


@intrinsic
def _word_at(typingctx: Any, array: Any, at: Any) -> Any:  # noqa: ARG001 - see above
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = builder.load(_address(context, builder, signature, arguments, 0))
        return word if word.type == _WORD else builder.sext(word, _WORD)

    return types.int64(array, types.int64), generate


# What stands at a place, as a number of 64 bits.
word_at = _chosen(_word_at, _word_at_slowly)


def _put_slowly(array: Any, at: int, word: int) -> None:
    array[at] = word


@intrinsic
def _put(typingctx: Any, array: Any, at: Any, word: Any) -> Any:  # noqa: ARG001 - see above
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        place = _address(context, builder, signature, arguments, 0)
        kind = place.type.pointee
        builder.store(arguments[2] if kind == _WORD else builder.trunc(arguments[2], kind), place)
        return context.get_dummy_value()

    return types.void(array, types.int64, types.int64), generate


# Write a number of 64 bits, or what the array takes of it, to a place.
put = _chosen(_put, _put_slowly)


def _toggle_slowly(bits: Longs, ids: Words, at: int) -> None:
    number = int(ids[at]) & NUMBER
    view = bits.view("uint64")
    view[number >> 6] ^= view.dtype.type(1 << (number & 63))


@intrinsic
def _toggle(typingctx: Any, bits: Any, ids: Any, at: Any) -> Any:  # noqa: ARG001 - see above
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        edge = builder.load(_address(context, builder, signature, arguments, 1))
        number = builder.zext(builder.and_(edge, ir.IntType(32)(NUMBER)), _WORD)
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        place = builder.gep(view.data, [builder.lshr(number, _WORD(6))])
        bit = builder.shl(_WORD(1), builder.and_(number, _WORD(63)))
        builder.store(builder.xor(builder.load(place), bit), place)
        return context.get_dummy_value()

    return types.void(bits, ids, types.int64), generate


# Change the bit that is named by an edge's id.
toggle = _chosen(_toggle, _toggle_slowly)


def _copy_slowly(target: Words, at: int, source: Words, place: int, count: int) -> None:
    target[at : at + count] = source[place : place + count]


@intrinsic
def _copy(typingctx: Any, target: Any, at: Any, source: Any, place: Any, count: Any) -> Any:  # noqa: ARG001 - see above
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left = _address(context, builder, signature, arguments, 0)
        right = _address(context, builder, signature, arguments, 2)
        cgutils.raw_memcpy(builder, left, right, arguments[4], context.get_abi_sizeof(left.type.pointee))
        return context.get_dummy_value()

    return types.void(target, types.int64, source, types.int64, types.int64), generate


# Copy so many numbers from one array to another, which is not the same.
copy = _chosen(_copy, _copy_slowly)


def _fetch_slowly(array: Any, at: int) -> None:
    pass


@intrinsic
def _fetch(typingctx: Any, array: Any, at: Any) -> Any:  # noqa: ARG001 - see above
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        flag = ir.IntType(32)
        address = builder.bitcast(_address(context, builder, signature, arguments, 0), pointer)
        kind = ir.FunctionType(ir.VoidType(), [pointer, flag, flag, flag])
        function = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        # To be read, into all caches, data.
        builder.call(function, [address, flag(0), flag(3), flag(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


# Say that a place will soon be read.
fetch = _chosen(_fetch, _fetch_slowly)


# ---- a block of words; vectors, so that no check for overlaps stands in a loop


def _load(context: Any, builder: Any, signature: Any, arguments: Any, array: int) -> tuple[Any, Any]:
    place = builder.bitcast(_address(context, builder, signature, arguments, array), _BLOCK.as_pointer())
    block = builder.load(place)
    # Arrays may come from anywhere; those that are made here begin at whole lines of the cache.
    block.align = 8
    return block, place


def _and_block_slowly(target: Longs, at: int, rows: Longs, place: int) -> None:
    target[at : at + BLOCK_WORDS] &= rows[place : place + BLOCK_WORDS]


@intrinsic
def _and_block(typingctx: Any, target: Any, at: Any, rows: Any, place: Any) -> Any:  # noqa: ARG001 - see above
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        ours, left = _load(context, builder, signature, arguments, 0)
        theirs, _ = _load(context, builder, signature, arguments, 2)
        builder.store(builder.and_(ours, theirs), left).align = 8
        return context.get_dummy_value()

    return types.void(target, types.int64, rows, types.int64), generate


# AND a block of one array into a block of another.
and_block = _chosen(_and_block, _and_block_slowly)


def _change_and_block_slowly(
    target: Longs, at: int, rows: Longs, place: int, changes: Longs, where: int
) -> None:
    changed = changes[where : where + BLOCK_WORDS]
    target[at : at + BLOCK_WORDS] &= rows[place : place + BLOCK_WORDS] ^ changed
    changed[:] = 0


@intrinsic
def _change_and_block(
    typingctx: Any,  # noqa: ARG001 - see above
    target: Any,
    at: Any,  # noqa: ARG001 - see above
    rows: Any,
    place: Any,  # noqa: ARG001 - see above
    changes: Any,
    where: Any,  # noqa: ARG001 - see above
) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        ours, left = _load(context, builder, signature, arguments, 0)
        theirs, _ = _load(context, builder, signature, arguments, 2)
        changed, used = _load(context, builder, signature, arguments, 4)
        builder.store(builder.and_(ours, builder.xor(theirs, changed)), left).align = 8
        builder.store(ir.Constant(_BLOCK, [0] * BLOCK_WORDS), used).align = 8
        return context.get_dummy_value()

    return types.void(target, types.int64, rows, types.int64, changes, types.int64), generate


# AND a block with changes to it into a block of another array; the changes are zero afterwards.
change_and_block = _chosen(_change_and_block, _change_and_block_slowly)


def _any_of_block_slowly(bits: Longs, at: int) -> bool:
    return bool(bits[at : at + BLOCK_WORDS].any())


@intrinsic
def _any_of_block(typingctx: Any, bits: Any, at: Any) -> Any:  # noqa: ARG001 - see above
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        block, _ = _load(context, builder, signature, arguments, 0)
        whole = ir.IntType(64 * BLOCK_WORDS)
        return builder.icmp_unsigned("!=", builder.bitcast(block, whole), whole(0))

    return types.boolean(bits, types.int64), generate


# Whether any bit of a block is set.
any_of_block = _chosen(_any_of_block, _any_of_block_slowly)
