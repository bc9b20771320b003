"""How are numbers kept as bytes? Little-endian arrays, deflated where that is shorter, and checkpoints of cells.

None of this is a pickle, so reading results runs no code from a file. The learner alone reads its state.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Curve = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]
Curves = Mapping[str, Curve]

RAW, DEFLATED = b"r", b"z"


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
        return zlib.decompress(body) if kind == DEFLATED else body
    except zlib.error as error:
        raise ValueError(str(error)) from error


@dataclass(frozen=True)
class Checkpoint:
    """A pending cell: its step, what its probes measured so far, and the state of its learner."""

    step: int
    probes: Mapping[str, Sequence[tuple[int, float]]]
    state: bytes

    def to_bytes(self) -> bytes:
        # repr of a float, which JSON uses, gives the same bits back; NaN and infinities are written as words.
        header = json.dumps({"step": self.step, "probes": self.probes}).encode()
        return struct.pack("<Q", len(header)) + header + self.state

    @classmethod
    def from_bytes(cls, blob: bytes) -> Checkpoint:
        (size,) = struct.unpack_from("<Q", blob)
        header = json.loads(blob[8 : 8 + size])
        probes = {name: [(int(s), float(v)) for s, v in points] for name, points in header["probes"].items()}
        return cls(header["step"], probes, blob[8 + size :])
