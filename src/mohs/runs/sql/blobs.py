"""How are numbers kept as bytes? Little-endian arrays, deflated where that is shorter; even steps as a range.

None of this is a pickle, so reading results runs no code from a file. What a blob expands to is bounded.
"""

from __future__ import annotations

import struct
import zlib

import numpy as np
import numpy.typing as npt

RAW, DEFLATED, RANGE = b"r", b"z", b"a"
MOST_POINTS = 2**25  # of one curve: more is not written, and no blob expands to more
_SPAN = struct.Struct("<qqq")  # first value, difference, count


def pack_integers(values: npt.ArrayLike) -> bytes:
    array = np.ascontiguousarray(values, dtype="<i8")
    if len(array) > 1 and (differences := np.diff(array))[0] and (differences == differences[0]).all():
        return RANGE + _SPAN.pack(int(array[0]), int(differences[0]), len(array))
    return _pack(array.tobytes())


def pack_floats(values: npt.ArrayLike) -> bytes:
    return _pack(np.ascontiguousarray(values, dtype="<f8").tobytes())


def unpack_integers(blob: bytes) -> npt.NDArray[np.int64]:
    if blob[:1] == RANGE:
        try:
            first, difference, count = _SPAN.unpack(blob[1:])
        except struct.error as error:
            raise ValueError(str(error)) from error
        _check_size(count)
        return np.int64(first) + np.int64(difference) * np.arange(count, dtype=np.int64)
    return np.frombuffer(_unpack(blob), dtype="<i8").astype(np.int64, copy=False)


def unpack_floats(blob: bytes) -> npt.NDArray[np.float64]:
    return np.frombuffer(_unpack(blob), dtype="<f8").astype(np.float64, copy=False)


def _check_size(count: int) -> None:
    if not 0 <= count <= MOST_POINTS:
        raise ValueError(f"a curve of {count:,} points; at most {MOST_POINTS:,} are kept")


def _pack(raw: bytes) -> bytes:
    _check_size(len(raw) // 8)
    short = zlib.compress(raw)
    return DEFLATED + short if len(short) < len(raw) else RAW + raw


def _unpack(blob: bytes) -> bytes:
    kind, body = blob[:1], blob[1:]
    if kind not in (RAW, DEFLATED):
        raise ValueError("unknown kind of array")
    if kind == RAW:
        return body
    try:
        inflate = zlib.decompressobj()
        raw = inflate.decompress(body, 8 * MOST_POINTS)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not inflate.eof:
        raise ValueError(f"an array is cut off, or has more than {MOST_POINTS:,} points")
    return raw
