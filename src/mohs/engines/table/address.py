"""How does a kernel read a table that is not in the fleet's block? By its address in memory.

The table of a game has gigabytes. It is a file that is mapped into memory, once for all processes, so it must not be
copied into every fleet; and as the tasks of one fleet may be different MDPs, it cannot be an argument of the kernel
either. So the record of a task holds the *address* of its table, and a kernel loads from there.

An address means something in one process, and as long as somebody holds the array: `TableFleet` keeps the arrays, and
writes the addresses anew wherever it comes to life. Nothing checks a place that a kernel loads from, so it must be in
range: states come from the table itself, and actions are checked before they get here.
"""

from __future__ import annotations

from typing import Any

import numpy.typing as npt
from numba import types
from numba.extending import intrinsic

from mohs.core.errors import UsageError


def address_of(array: npt.NDArray[Any]) -> int:
    """Where the first element lies; the others follow it."""
    if not array.flags.c_contiguous:
        raise UsageError("a kernel can read only arrays that lie in one piece.")
    return int(array.ctypes.data)


def _loader(kind: Any) -> Any:
    """A function of an address and a place, for kernels: the element there of an array of this type."""

    @intrinsic
    def load(typing_context, address, place):
        def generate(context, builder, signature, arguments):
            first = builder.inttoptr(arguments[0], context.get_data_type(kind).as_pointer())
            return builder.load(builder.gep(first, [arguments[1]]))

        return kind(types.uint64, types.uint64), generate

    return load


byte_at, word_at = _loader(types.uint8), _loader(types.uint64)
