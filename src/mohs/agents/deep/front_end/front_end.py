"""What is a front-end? Frozen weights, and a map from the pixels of one frame to masks: further channels of bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from mohs.agents.deep.front_end import generic, network
from mohs.core.values import Json, canonical_json

Bytes = npt.NDArray[np.uint8]

MOTION, GENERIC = "motion", "generic"


@dataclass(frozen=True, eq=False)
class FrontEnd:
    """A frozen front-end.

    Attributes:
        kind: "motion" or "generic".
        arrays: Its weights.
        about: How it was made.
    """

    kind: str
    arrays: Mapping[str, npt.NDArray[Any]] = field(repr=False)
    about: Mapping[str, Json] = field(default_factory=dict)

    @property
    def channels(self) -> int:
        """The number of masks."""
        return generic.CHANNELS if self.kind == GENERIC else len(self.arrays["fine_bias"]) - 1

    def masks(self, frames: Bytes) -> Bytes:
        """Masks [n, channels, height, width] from 0 to 255 of frames [n, height, width, 3].

        What it sees in a frame does not depend on the other frames.
        """
        return generic.masks(frames) if self.kind == GENERIC else network.masks(self.arrays, frames)

    @cached_property
    def name(self) -> str:
        """The kind and a hash of all that it is made of: two front-ends of one name are the same."""
        digest = hashlib.sha256(canonical_json({"kind": self.kind, "about": dict(self.about)}).encode())
        for key in sorted(self.arrays):
            array = self.arrays[key]
            digest.update(f"{key} {array.dtype.str} {array.shape}".encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        return f"{self.kind}@{digest.hexdigest()[:16]}"
