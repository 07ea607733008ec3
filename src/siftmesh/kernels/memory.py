"""Arrays by their addresses: to hand over one number is several times quicker than ten arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils, config
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from siftmesh.kernels.layout import Bytes, Longs, Words

__all__ = ["bytes_at", "bytes_of", "longs_at", "words_at"]


def _make(context: Any, builder: Any, kind: Any, data: Any, length: Any) -> Any:
    """The array of a pointer and a length; nobody counts who looks at it."""
    array = context.make_array(kind)(context, builder)
    element = context.get_data_type(kind.dtype)
    size = context.get_constant(types.intp, context.get_abi_sizeof(element))
    pointer = builder.bitcast(data, element.as_pointer())
    populate_array(array, data=pointer, shape=[length], strides=[size], itemsize=size, meminfo=None)
    return array._getvalue()


def _maker_of(dtype: Any) -> Any:
    kind = types.Array(dtype, 1, "C")

    @intrinsic
    def array_at(typingctx: Any, address: Any, length: Any) -> Any:  # noqa: ARG001 - numba wants this argument
        def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            data = builder.inttoptr(arguments[0], ir.IntType(8).as_pointer())
            return _make(context, builder, kind, data, arguments[1])

        return kind(types.int64, types.int64), generate

    return array_at


@intrinsic
def _bytes_of(typingctx: Any, text: Any) -> Any:  # noqa: ARG001 - numba wants this argument
    kind = types.Array(types.uint8, 1, "C")

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = cgutils.create_struct_proxy(signature.args[0])(context, builder, arguments[0])
        return _make(context, builder, kind, view.data, view.nitems)

    return kind(text), generate


def _slow_maker_of(kind: Any) -> Callable[[int, int], Any]:
    def array_at(address: int, length: int) -> Any:
        return np.ctypeslib.as_array((kind * int(length)).from_address(int(address)))

    return array_at


def _bytes_of_slowly(text: bytes) -> Bytes:
    return np.frombuffer(text, np.uint8)


# numba's types do not know all of its settings, nor how an intrinsic is called.
_INTERPRETED: bool = getattr(config, "DISABLE_JIT", False)

# An array that somebody else holds, by its address and its length. Without the compiler numpy makes the same.
words_at: Callable[[int, int], Words] = (
    _slow_maker_of(ctypes.c_int32) if _INTERPRETED else _maker_of(types.int32)
)
longs_at: Callable[[int, int], Longs] = (
    _slow_maker_of(ctypes.c_int64) if _INTERPRETED else _maker_of(types.int64)
)
bytes_at: Callable[[int, int], Bytes] = (
    _slow_maker_of(ctypes.c_uint8) if _INTERPRETED else _maker_of(types.uint8)
)
# The bytes of Python's bytes, not copied, and not to be written to.
bytes_of: Any = _bytes_of_slowly if _INTERPRETED else _bytes_of
