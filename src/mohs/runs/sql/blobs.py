"""How are numbers kept as bytes? Little-endian arrays, deflated where that is shorter.

None of this is a pickle, so reading results runs no code from a file.
"""

from __future__ import annotations

import zlib

import numpy as np
import numpy.typing as npt

RAW, DEFLATED = b"r", b"z"
LARGEST = 2**28  # bytes of a curve: 33 million points


def pack_integers(values: npt.ArrayLike) -> bytes:
    return _pack(np.ascontiguousarray(values, dtype="<i8").tobytes())


def pack_floats(values: npt.ArrayLike) -> bytes:
    return _pack(np.ascontiguousarray(values, dtype="<f8").tobytes())


def unpack_integers(blob: bytes) -> npt.NDArray[np.int64]:
    return np.frombuffer(_unpack(blob), dtype="<i8").astype(np.int64)


def unpack_floats(blob: bytes) -> npt.NDArray[np.float64]:
    return np.frombuffer(_unpack(blob), dtype="<f8").astype(np.float64)


def _pack(raw: bytes) -> bytes:
    short = zlib.compress(raw)
    return DEFLATED + short if len(short) < len(raw) else RAW + raw


def _unpack(blob: bytes) -> bytes:
    kind, body = blob[:1], blob[1:]
    if kind not in (RAW, DEFLATED):
        raise ValueError("unknown kind of array")
    try:
        return _inflated(body) if kind == DEFLATED else body
    except zlib.error as error:
        raise ValueError(str(error)) from error


def _inflated(body: bytes) -> bytes:
    """What was deflated, which no writer of mohs makes larger than `LARGEST`."""
    inflate = zlib.decompressobj()
    found = inflate.decompress(body, LARGEST + 1)
    if len(found) > LARGEST:
        raise ValueError(f"a curve has more than {LARGEST:,} bytes")
    if not inflate.eof:
        raise ValueError("a curve is cut off")
    return found
