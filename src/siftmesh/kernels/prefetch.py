"""Asking memory early for what will be needed."""

from __future__ import annotations

from typing import Any

from llvmlite import ir
from numba import types
from numba.core import config
from numba.extending import intrinsic

__all__ = ["fetch"]


def _fetch_slowly(array: Any, at: int) -> None:
    pass


@intrinsic
def _fetch_early(typingctx: Any, array: Any, at: Any) -> Any:  # noqa: ARG001 - numba wants this argument
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        view = context.make_array(signature.args[0])(context, builder, arguments[0])
        byte = ir.IntType(8).as_pointer()
        number = ir.IntType(32)
        address = builder.bitcast(builder.gep(view.data, [arguments[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, number, number, number])
        function = builder.module.declare_intrinsic("llvm.prefetch", [byte], kind)
        # To read, kept in all caches, data.
        builder.call(function, [address, number(0), number(3), number(1)])
        return context.get_dummy_value()

    return types.void(array, types.int64), generate


# Have memory bring a place of an array, which must be inside, and go on meanwhile. (numba's types do not know
# all of its settings.)
fetch: Any = _fetch_slowly if getattr(config, "DISABLE_JIT", False) else _fetch_early
