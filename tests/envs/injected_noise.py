"""Noise that is given by its name."""

from __future__ import annotations

import numpy as np


def coin(rng: np.random.Generator) -> float:
    return float(rng.integers(2))
