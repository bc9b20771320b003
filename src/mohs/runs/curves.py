"""What does a run leave behind? Curves by metric when it is done, a checkpoint while it is pending."""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Curve = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]
Curves = Mapping[str, Curve]


@dataclass(frozen=True)
class Checkpoint:
    """A pending cell: its step, what its probes measured so far, and the state of its learner.

    As bytes it is a JSON header and the state, no pickle. The learner alone reads its state.
    """

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
