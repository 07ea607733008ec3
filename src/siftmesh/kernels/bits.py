"""Reading eight bytes at once, and mixing bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic

from siftmesh.kernels.jit import kernel

__all__ = ["bits_of", "double_of", "load64", "mix"]

# numba's types do not know all of its settings, nor how an intrinsic is called.
_INTERPRETED: bool = getattr(config, "DISABLE_JIT", False)


def _load64_slowly(array: Any, at: int) -> int:
    return int.from_bytes(array[at : at + 8].tobytes(), "little", signed=True)


@intrinsic
def _load64(typingctx: Any, array: Any, at: Any) -> Any:  # noqa: ARG001 - numba wants this argument
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        address = builder.gep(view.data, [arguments[1]])
        loaded = builder.load(builder.bitcast(address, ir.IntType(64).as_pointer()))
        loaded.align = 1
        return loaded

    return types.int64(array, types.int64), generate


# Eight bytes from a place on, whatever its alignment; the array must be that long.
load64: Any = _load64_slowly if _INTERPRETED else _load64


def _bits_of_slowly(value: float) -> int:
    return int(np.float64(value).view(np.int64))


@intrinsic
def _bits_of(typingctx: Any, value: Any) -> Any:  # noqa: ARG001 - numba wants this argument
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(64))

    return types.int64(types.float64), generate


# The bits of a double.
bits_of: Any = _bits_of_slowly if _INTERPRETED else _bits_of


def _double_of_slowly(bits: int) -> float:
    return float(np.int64(bits).view(np.float64))


@intrinsic
def _double_of(typingctx: Any, bits: Any) -> Any:  # noqa: ARG001 - numba wants this argument
    def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


# The double of bits.
double_of: Any = _double_of_slowly if _INTERPRETED else _double_of


@kernel(forceinline=True)
def mix(key: int) -> int:
    """A 64-bit number whose low bits depend on all bits of the key."""
    # The shifts of a negative number carry its sign down, which is as good for mixing.
    bits = np.int64(key)
    bits ^= bits >> 32
    bits *= np.int64(-0x61C8864680B583EB)
    bits ^= bits >> 29
    bits *= np.int64(-0x3B314601E57A13AD)
    return bits ^ (bits >> 32)
